"""response_text_v1, intermediate_responses_v1 and final_state_v1."""

from __future__ import annotations

from typing import Any

import pytest

from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.record import Conversation, Judgement, Text, Turn


def said(*responses: str, flat: bool = False) -> Conversation:
    return Conversation([Turn("hi", response=text) for text in responses], flat=flat)


def response(conversation: Conversation, *turns: dict[str, Any] | None) -> Judgement:
    return METRICS["response_text_v1"](conversation, {"turns": list(turns)}, 1.0)


@pytest.mark.parametrize(
    ("text", "entry", "status", "reason"),
    [
        ("已提交128.0元。", {"contains": ["128.0", "元"]}, "passed", ""),
        ("已提交。", {"contains": ["128"]}, "failed", 'turn 1: the response "已提交。" does not contain "128"'),
        (
            "First part. We refunded 40 euros today. Bye.",
            {"excludes": ["40 euros"]},
            "failed",
            'turn 1: the response contains "40 euros": "We refunded 40 euros today."',
        ),
        ("ok", {"excludes": ["no"]}, "passed", ""),
        ("no way", {"excludes": ["no"]}, "failed", 'contains "no"'),
        ("in 3 days", {"matches": r"\d+ days?"}, "passed", ""),
        ("soon", {"matches": r"\d+ days?"}, "failed", "does not match regex"),
        ("Cafe\u0301", {"contains": ["Café"]}, "failed", "another Unicode normalisation"),
        ("１２８元", {"contains": ["128元"]}, "failed", "full-width"),
        ("", {"contains": ["x"]}, "failed", "does not contain"),
        ("x", {"contains": "x"}, "passed", ""),
    ],
)
def test_response_text(text: str, entry: dict[str, Any], status: str, reason: str) -> None:
    found = response(said(text), entry)
    assert found.status == status
    assert reason in " ".join(found.reasons)


def test_response_rows_and_score() -> None:
    found = response(said("a", "b", "c"), {"contains": ["a"]}, None, {"contains": ["x"]}, {"contains": ["d"]})
    assert [row.status for row in found.rows] == ["passed", "not_applicable", "failed"]
    assert found.score == pytest.approx(1 / 3)
    assert "turn 4: never happened; the conversation has 3 turns" in found.reasons


def test_flat_recordings_have_only_a_last_response() -> None:
    assert response(said("", "", "done", flat=True), None, None, {"contains": ["done"]}).status == "passed"
    assert response(said("", "", "done", flat=True), {"contains": ["done"]}).status == "not_evaluated"


@pytest.mark.parametrize(
    "params",
    [
        {"turns": [{"contain": ["x"]}]},
        {"turns": [{"contains": [1]}]},
        {"turns": [{"matches": "("}]},
        {"turns": "x"},
        {"turn": []},
    ],
)
def test_bad_parameters(params: dict[str, Any]) -> None:
    assert METRICS["response_text_v1"](said("x"), params, 1.0).status == "not_evaluated"


def test_a_megabyte_is_quoted_in_part() -> None:
    big = "長い文" * 350_000
    found = response(said(big + "needle" + big), {"contains": ["absent"], "excludes": ["needle"]})
    assert found.status == "failed"
    assert all(len(reason) < 1500 for reason in found.reasons)
    assert "needle" in found.reasons[1]


def on_the_way(*texts: tuple[str, str]) -> Conversation:
    return Conversation([Turn("hi", intermediate=[Text(author, text) for author, text in texts], response="done")])


@pytest.mark.parametrize(
    ("expected", "status", "reason"),
    [
        ([{"text": "checking"}], "passed", ""),
        ([{"author": "pricing", "text": "checking"}], "failed", 'expected pricing says "checking"'),
        ([{"author": "desk", "text": "checking"}, {"author": "pricing", "text": "it costs 5"}], "passed", ""),
        ([{"text": "it costs 5"}, {"text": "checking"}], "failed", "comes too early"),
        ([{"text": {"contains": "costs"}}], "passed", ""),
        ([{"text": {"regex": r"\d{3}"}}], "failed", 'said was: desk: "checking"; pricing: "it costs 5"'),
        ([{"text": " checking\n"}], "passed", ""),
        ([{"text": "check"}], "failed", "said was"),
        ([{"text": "checking"}, {"text": "checking"}], "failed", "comes too early"),
        ([], "passed", ""),
    ],
)
def test_intermediate_responses(expected: list[Any], status: str, reason: str) -> None:
    recorded = on_the_way(("desk", "checking"), ("pricing", "it costs 5"))
    found = METRICS["intermediate_responses_v1"](recorded, {"turns": [{"expect": expected}]}, 1.0)
    assert found.status == status, found.reasons
    assert reason in " ".join(found.reasons)


def test_intermediate_silence_and_normalisation() -> None:
    judge = METRICS["intermediate_responses_v1"]
    found = judge(on_the_way(), {"turns": [{"expect": [{"text": "x"}]}]}, 1.0)
    assert "nothing was said on the way" in found.reasons[0]
    found = judge(on_the_way(("a", "Cafe\u0301")), {"turns": [{"expect": [{"text": "Café"}]}]}, 1.0)
    assert "Unicode normalisation" in found.reasons[0]
    assert judge(on_the_way(), {"turns": [{"expect": [{"text": 5}]}]}, 1.0).status == "not_evaluated"
    assert judge(on_the_way(), {"turns": [None]}, 1.0).status == "not_applicable"


def state(after: dict[str, Any] | None, expect: dict[str, Any]) -> Judgement:
    return METRICS["final_state_v1"](Conversation([Turn("hi")], state_after=after), {"expect": expect}, 1.0)


def test_final_state() -> None:
    assert state({"refund": "submitted", "x": 1}, {"refund": "submitted"}).status == "passed"
    found = state({"refund": "open", "n": 2}, {"refund": "submitted", "n": {"gt": 1}, "gone": 1})
    assert found.status == "failed"
    assert found.score == pytest.approx(1 / 3)
    assert found.reasons == [
        'after the last turn state.refund: "submitted" ≠ "open"',
        "after the last turn state.gone: missing, expected 1",
    ]
    assert state(None, {"refund": "submitted"}).status == "not_evaluated"
    assert state(None, {}).status == "not_applicable"
    assert state({}, {"a": {"regex": "("}}).status == "not_evaluated"
