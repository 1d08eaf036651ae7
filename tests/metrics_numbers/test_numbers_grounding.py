"""Statement against sources: what is grounded and what is reported, one row a situation."""

from __future__ import annotations

from typing import Any

import pytest

from adk_split_eval.metrics.grounded_numbers import judge
from adk_split_eval.record import Call, Conversation, Turn


def ungrounded(response: str, *, tool: Any = None, user: str = "hi", **params: Any) -> list[str]:
    """The mentions that are reported, as written."""
    turn = Turn(user, [Call("look_up", {}, tool, answered=True)], response=response)
    judgement = judge(Conversation([turn]), params, 1.0)
    assert judgement.status in ("passed", "failed")
    assert (judgement.status == "passed") == (not judgement.reasons)
    return [reason.split(": ", 1)[1].split(" without a source")[0] for reason in judgement.reasons]


GROUNDED: list[tuple[str, Any]] = [
    ("128.0元的退款已提交，1-3个工作日内到账。", {"amount": "128.0", "eta": "1-3个工作日"}),
    ("１２８元, ¥128, 128.00 元, RMB 128, 128", {"amount": 128}),
    ("You get $1,280.50 back", {"amount": 1280.5}),
    ("You get $1,280.50 back", {"amount": "1280.5"}),
    ("1.280,50 € zurück", {"amount": 1280.5}),
    ("1 280,50 € remboursés", {"amount": 1280.5}),
    ("共1.28万元", {"amount": 12800}),
    ("一百二十八元", {"amount": 128.0}),
    ("128元", {"text": "一百二十八元"}),
    ("3天内", {"eta": "三天"}),
    ("within 3 days", {"eta": "three business days"}),
    ("within 24 hours", {"eta": "1 day"}),
    ("1.5 hours", {"duration_minutes": 90}),
    ("1 hour 30 minutes", {"durationMinutes": 90}),
    ("30% off, 30％", {"discount_percent": 30}),
    ("30% off", {"rate": 0.3}),
    ("12.35%", {"rate": 0.12349}),
    ("$33.33 each", {"each": 33.333333}),
    ("0.3 元", {"x": 0.1 + 0.2}),
    ("Order l8823 or L8823", {"orders": ["L8823"]}),
    ("单号是8823", {"orders": ["L8823"]}),
    ("order 2024-001", {"id": "ORD-2024-001"}),
    ("id 123E4567-E89B-12D3-A456-426614174000", {"id": "123e4567-e89b-12d3-a456-426614174000"}),
    ("on Nov 30, 2026 at 2:30 pm", {"at": "2026-11-30T14:30:15Z"}),
    ("2026年11月30日14点30分", {"at": "2026-11-30 14:30"}),
    ("11月30日到，2026年", {"at": "2026-11-30"}),
    ("on 2026-11-30", {"text": "11月30日"}),
    ("on 30/11/2026", {"at": "2026-11-30"}),
    ("on 11/30", {"at": "2026-11-30"}),
    ("on 2026-11-30", {"date": 20261130}),
    ("Nov 5-7", {"from": "2026-11-05", "to": "2026-11-07"}),
    ("open 9 am to 5 pm", {"hours": "9:00-17:00"}),
    ("open 2-4 pm", {"hours": "14:00-16:00"}),
    ("call 138-1234-5678 or +86 138 1234 5678", {"phone": "13812345678"}),
    ("call 13812345678", {"phone": "+86 138 1234 5678"}),
    ("card ending in 1234, 尾号1234, ****1234", {"card": "4111 1111 1111 1234"}),
    ("found 2 orders", {"orders": ["L1", "L2"]}),
    ("共2个订单, 0 open", {"orders": [{"id": "A"}, {"id": "B"}], "open": []}),
    ("refund of 128元", {"amount": -128.0}),
    ("-128元", {"amount": 128.0}),
    ("$128.00", {"amount_cents": 12800}),
    ("$128.00", {"amount": 128, "currency": "USD"}),
    ("128 元", {"total": {"value": "128.00", "currency": "CNY"}}),
    ("128元", '{"amount": 128.0}'),
    ("2 hits, 128元", {"result": '[{"amount": 128.0}, {"amount": 1}]'}),
    ("128元", {"a": {"b": [[["128"]]]}}),
    ("on 2026-11-30", {"2026-11-30": "free"}),
    ("v1.2.3 is out", {"version": "1.2.3"}),
    ("top-10 list", {"limit": 10}),
    ("Here are 3 ways:\n- a\n- b\n- c", {}),
    ("这里有3点：\n1. a\n2. b\n3. c", {}),
    ("5 pounds", {"weight": "5 lb"}),
    ("between 5 and 7 days", {"eta": "5-7 days"}),
    ("1 500 000", {"n": 1500000}),
    ("The total is 128, thanks.", {"n": 128}),
    ("49块5", {"amount": 49.5}),
    ("flight LH456, LH-456, LH 456", {"no": "LH 456"}),
    ("Dauer: 11 Stunden 45 Minuten, 11h 45m, 705 minutes", {"duration": "PT11H45M"}),
    ("30 x 20 x 10 cm", {"size": "30x20x10 cm"}),
    ("138****5678", {"phone": "13800005678"}),
    ("尾号4321", {"account": "****4321"}),
    ("3/4 full, 4.8/5 stars", {"fill": 0.75, "rating": 4.8}),
    ("1.2k reviews, 2.5M users", {"reviews": 1200, "users": 2500000}),
    ("code 004512", {"otp": "004512"}),
    ("12,345.67ドル、1月15日", {"balance": 12345.67, "on": "2026-01-15"}),
]


@pytest.mark.parametrize(("response", "tool"), GROUNDED)
def test_grounded(response: str, tool: Any) -> None:
    assert ungrounded(response, tool=tool) == []


UNGROUNDED: list[tuple[str, Any, list[str]]] = [
    ("运费险也替你申请了，赔49.5元，三天内到账。", {"amount": "128.0"}, ["49.5元"]),
    ("9.5元", {"amount": 49.5}, ["9.5元"]),
    ("49.5元", {"amount": 9.5}, ["49.5元"]),
    ("1,280元", {"amount": 128}, ["1,280元"]),
    ("128元", {"amount": "1,280"}, ["128元"]),
    ("30元", {"text": "30%"}, ["30元"]),
    ("30%", {"text": "30元"}, ["30%"]),
    ("3 days", {"text": "3 hours"}, ["3 days"]),
    ("3 days", {"hours": 3}, ["3 days"]),
    ("30元", {"discount_percent": 30}, ["30元"]),
    ("$128", {"text": "128欧元"}, ["$128"]),
    ("$128", {"amount": 128, "currency": "EUR"}, ["$128"]),
    ("8823元", {"order": "L8823"}, ["8823元"]),
    ("L8823", {"order": 8823}, ["L8823"]),
    ("L8824", {"order": "L8823"}, ["L8824"]),
    ("ORD-2024-002", {"order": "ORD-2024-001"}, ["ORD-2024-002"]),
    ("1-5个工作日", {"eta": "1-3个工作日"}, ["5个工作日"]),
    ("2个工作日", {"eta": "1-3个工作日"}, ["2个工作日"]),
    ("130元", {"amount": 128.4}, ["130元"]),
    ("128元", {"amount": 128.4}, ["128元"]),
    ("Dec 30, 2026", {"at": "2026-11-30"}, ["Dec 30, 2026"]),
    ("2027-11-30", {"at": "2026-11-30"}, ["2027-11-30"]),
    ("15:30", {"at": "2026-11-30T14:30:00"}, ["15:30"]),
    ("card ending in 9999", {"card": "4111 1111 1111 1234"}, ["9999"]),
    ("found 3 orders", {"orders": ["L1", "L2"]}, ["3 orders"]),
    ("2元", {"orders": ["a", "b"]}, ["2元"]),
    ("百分之五十", {"rate": 0.3}, ["百分之五十"]),
    ("三百元", {"amount": 30}, ["三百元"]),
    ("1.29万元", {"amount": 12800}, ["1.29万元"]),
    ("-5 °C", {"t": 5}, ["-5 °C"]),
    ("128 and 129 and 130", {"n": 129}, ["128", "130"]),
    ("3 points", {"ok": True, "gone": None}, ["3"]),
    ("1 thing", {"ok": True}, ["1"]),
    ("nan 5", {"x": float("nan"), "y": float("inf")}, ["5"]),
    ("139-1234-5678", {"phone": "13812345678"}, ["139-1234-5678"]),
    ("10:30", {"n": [10, 30]}, ["10:30"]),
    ("138****5679", {"phone": "13800005678"}, ["138****5679"]),
    ("11h 46m", {"duration": "PT11H45M"}, ["11h 46m"]),
    ("30 x 25 cm", {"size": "30x20 cm"}, ["25 cm"]),
    ("LH457", {"no": "LH 456"}, ["LH457"]),
    ("4.9/5 stars", {"rating": 4.8}, ["4.9"]),
    ("2004/7/24", {"at": "2003-12-01"}, ["2004/7/24"]),
    ("XX000", {"id": "A0000000"}, ["XX000"]),
    ("$39.98", {"price": 19.99, "quantity": 2}, ["$39.98"]),
]


@pytest.mark.parametrize(("response", "tool", "expected"), UNGROUNDED)
def test_ungrounded(response: str, tool: Any, expected: list[str]) -> None:
    assert ungrounded(response, tool=tool) == expected


def test_user_words_are_a_source() -> None:
    assert ungrounded("L8823, 128元", user="退 L8823 的 128 元") == []
    assert ungrounded("2 shirts", user="I bought two shirts") == []
    assert ungrounded("L8823", user="退 L8823", sources=["tools"]) == ["L8823"]


def test_options() -> None:
    assert ungrounded("48小时内回复", ignore=["48小时"]) == []
    assert ungrounded("48小时内回复, 5元", ignore=[r"\d+小时"]) == ["5元"]
    assert ungrounded("about 130元", tool={"a": 128.4}, tolerance=0.02) == []
    assert ungrounded("about 140元", tool={"a": 128.4}, tolerance=0.02) == ["140元"]
    assert ungrounded("128元", tool={"a": 128.4}, rounding=True) == []
    assert ungrounded("129元", tool={"a": 128.4}, rounding=True) == ["129元"]
    totals = {"items": [{"price": 64.5, "quantity": 2}, {"price": 10}]}
    for text in ("74.5元", "54.5元", "129元"):
        assert ungrounded(text, tool=totals) == [text]
        assert ungrounded(text, tool=totals, derived=True) == []
    assert ungrounded("75元", tool=totals, derived=True) == ["75元"]
