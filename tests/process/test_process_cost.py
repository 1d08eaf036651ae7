"""Ten thousand events cost ten times what a thousand cost, and not a hundred times."""

from __future__ import annotations

import time
from typing import Any

import pytest

from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.record import Call, Conversation, Event, Turn

STAGES = [{"name": f"s{n}", "next": [f"s{(n + 1) % 50}"], "required": False, "repeat": True} for n in range(50)]
CV = {"id": "cv", "version": "1", "fragments": {f"p{n}": f"project number {n} in Go" for n in range(20)}}
PARAMS: dict[str, dict[str, Any]] = {
    "stage_flow_v1": {"event": {"tool": "enter"}, "order": STAGES},
    "repeated_questions_v1": {"event": {"tool": "ask"}, "id": "args.id", "text": "args.text", "kinds": {}},
    "evidence_links_v1": {
        "event": {"tool": "ask"}, "cites": "args.cites", "quote": "args.quote", "text": "args.text", "source": CV,
    },
    "ending_v1": {
        "event": {"tool": "end"}, "stages": ["s1"], "entering": {"event": {"tool": "enter"}},
        "report": {"event": {"response": "report"}, "not_before": "s1"}, "nothing_after": [{"tool": "never"}],
    },
    "recovery_v1": {
        "interrupt": {"after_turn": 1}, "side_effects": ["ask"],
        "stages": {"event": {"tool": "enter"}, "order": STAGES}, "questions": {"event": {"tool": "ask"}, "id": "args.id"},
    },
}  # fmt: skip


def conversation(events: int, *, free: bool, per_turn: int = 20) -> Conversation:
    turns: list[Turn] = []
    made = 0
    while made < events:
        calls: list[Call] = []
        raw: list[Event] = [Event("interrupt", data={})] if len(turns) == 1 else []
        while len(raw) < per_turn:
            number = made + len(raw)
            args = {
                "id": "" if free else f"q{number}",
                "text": f"What about the {number * 7919 % 100003} case of {number}?",
                "cites": f"p{number % 20}",
                "quote": f"project number {number % 20}",
            }
            name = "enter" if number % 8 == 0 else "ask"
            args = {"stage": f"s{number // 8 % 50}"} if name == "enter" else args
            calls.append(Call(name, args, {"ok": True}, answered=True))
            raw += [Event("call", name, args), Event("response", name, {"ok": True})]
        made += len(raw)
        turns.append(Turn("go on", calls, events=raw, response="…"))
    return Conversation(turns, state_before={}, state_after={})


def _seconds(name: str, events: int, *, free: bool) -> float:
    talk = conversation(events, free=free)
    best = 60.0
    for _ in range(2):
        started = time.process_time()
        found = METRICS[name](talk, PARAMS[name], 1.0)
        best = min(best, time.process_time() - started)
        assert found.status in ("passed", "failed"), found.reasons
    return best


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("name", list(PARAMS))
def test_linear_in_events(name: str, free: bool) -> None:
    _seconds(name, 200, free=free)
    small, large = _seconds(name, 2_000, free=free), _seconds(name, 10_000, free=free)
    assert large < max(5 * small * 3, 0.5), f"{small:.3f} s for 2,000 events, {large:.3f} s for 10,000"
    assert large < 6


def test_many_parallel_calls_of_one_turn() -> None:
    talk = conversation(10_000, free=False, per_turn=10_000)
    started = time.process_time()
    METRICS["repeated_questions_v1"](talk, PARAMS["repeated_questions_v1"], 1.0)
    assert time.process_time() - started < 3


def test_a_repeat_is_found_among_thousands() -> None:
    talk = conversation(4_000, free=True)
    words = talk.turns[3].tool_calls[1].args["text"]
    last = Call("ask", {"id": "", "text": f"So, {words}", "cites": "", "quote": ""}, {"ok": True}, answered=True)
    talk.turns.append(Turn("and?", [last], events=[Event("call", "ask", last.args)], response="…"))
    found = METRICS["repeated_questions_v1"](talk, PARAMS["repeated_questions_v1"], 1.0)
    assert any(f"turn 4 and turn {len(talk.turns)}" in reason for reason in found.reasons), found.reasons[:5]


def test_texts_of_any_length() -> None:
    words = [f"{'why ' * 300_000}{number}" for number in range(6)]
    asked = [Call("ask", {"id": "", "text": text}, {"ok": True}, answered=True) for text in [*words, words[0]]]
    talk = Conversation([Turn("x", [one], response="…") for one in asked])
    started = time.process_time()
    found = METRICS["repeated_questions_v1"](talk, {"event": {"tool": "ask"}, "text": "args.text"}, 1.0)
    assert time.process_time() - started < 10
    assert found.status == "failed" and len(found.reasons) == 1
    assert "turn 7: the same words asked a second time after turn 1" in found.reasons[0]
