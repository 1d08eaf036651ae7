"""Events, selectors and paths; and stage rules over random courses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_split_eval.metrics.process.events import NOTHING, Seen, Selector, Timeline
from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.metrics.values import ParameterError
from adk_split_eval.record import Call, Conversation, Event, Turn


def seen(selector: dict[str, Any], *turns: Turn, state: dict[str, Any] | None = None) -> list[Seen]:
    conversation = Conversation(list(turns), state_before=state or {}, state_after={})
    return Selector.parse(selector, "event").select(Timeline.of(conversation).moments)


TALK = Turn(
    "hi",
    [
        Call("ask", {"id": "a"}, {"n": 1}, 0, "coach", True),
        Call("ask", {"id": "b"}, {"n": 2}, 0, "coach", True),
        Call("ask", {"id": "c"}, {"error": "busy"}, 1, "coach", True),
        Call("ask", {"id": "d"}, None, 2, "coach", False),
    ],
    events=[
        Event("call", "ask", {"id": "a"}, "coach"),
        Event("call", "ask", {"id": "b"}, "coach"),
        Event("response", "ask", {"n": 2}, "coach"),
        Event("response", "ask", {"n": 1}, "coach"),
        Event("call", "ask", {"id": "c"}, "coach", 1),
        Event("response", "ask", {"error": "busy"}, "coach", 1),
        Event("transfer", "expert", {"agent_name": "expert"}, "coach"),
        Event("text", data="Stage 2: fundamentals (question 7)", author="expert"),
        Event("call", "ask", {"id": "d"}, "coach", 2),
    ],
)


def test_calls_know_their_answers_though_they_come_in_another_order() -> None:
    assert [(s.pick("args.id"), s.pick("response.n")) for s in seen({"tool": "ask"}, TALK)][:2] == [("a", 1), ("b", 2)]
    assert [(s.pick("response.n"), s.pick("args.id")) for s in seen({"response": "ask"}, TALK)][:2] == [
        (2, "b"),
        (1, "a"),
    ]


def test_success_failure_and_no_answer_are_three_things() -> None:
    assert [s.pick("args.id") for s in seen({"tool": "ask"}, TALK)] == ["a", "b", "c", "d"]
    assert [s.pick("args.id") for s in seen({"tool": "ask", "ok": True}, TALK)] == ["a", "b"]
    assert [s.pick("args.id") for s in seen({"tool": "ask", "ok": False}, TALK)] == ["c"]


def test_transfers_and_texts() -> None:
    assert [s.pick(None) for s in seen({"transfer": "*"}, TALK)] == ["expert"]
    assert seen({"transfer": "other"}, TALK) == []
    (found,) = seen({"says": r"Stage (?P<n>\d): (?P<stage>\w+)"}, TALK)
    assert (found.pick("match.stage"), found.pick("match.1"), found.pick("match")) == (
        "fundamentals",
        "2",
        "Stage 2: fundamentals",
    )
    assert (found.pick("match.none"), found.pick("match.9"), found.pick("author")) == (NOTHING, NOTHING, "expert")


def test_where_narrows_by_value_and_matcher() -> None:
    assert [s.pick("args.id") for s in seen({"tool": "ask", "where": {"args.id": {"one_of": ["b", "c"]}}}, TALK)] == [
        "b",
        "c",
    ]
    assert seen({"tool": "ask", "where": {"args.none": {"any": True}}}, TALK) == []


def test_a_state_event_is_a_change() -> None:
    turns = [
        Turn("x", events=[Event("state", data=delta)])
        for delta in ({"k": 1}, {"k": 1, "z": 0}, {"k": 1.0}, {"k": True}, {"k": 2})
    ]
    found = seen({"state": "k"}, *turns, state={"k": 0})
    assert [(s.turn, s.pick("before"), s.pick("value")) for s in found] == [(0, 0, 1), (3, 1.0, True), (4, True, 2)]
    assert seen({"state": "new"}, Turn("x", events=[Event("state", data={"new": None})]))[0].pick("before") is NOTHING


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("response.items.1.id", "b"),
        ("response.items.0.id", "a"),
        ("response.items.2.id", NOTHING),
        ("response.items.9.id", NOTHING),
        (f"response.items.{'9' * 5000}", NOTHING),
        ("response.items.-1", NOTHING),
        ("response.nothing.there", NOTHING),
        ("response.null", None),
        ("response.null.x", NOTHING),
        ("response.text.0", NOTHING),
    ],
)
def test_paths(path: str, value: Any) -> None:
    response = {"items": [{"id": "a"}, {"id": "b"}], "null": None, "text": "abc"}
    (found,) = seen({"tool": "t"}, Turn("x", [Call("t", {}, response, answered=True)]))
    assert found.pick(path) == value


@pytest.mark.parametrize(
    "selector",
    [
        {}, {"tool": "a", "says": "b"}, {"tool": 5}, {"says": "("}, {"tool": "a", "where": {"text": 1}}, {"state": "a", "ok": True},
        {"tool": "a", "wher": {}}, {"tool": "a", "where": {"args.x": {"regex": "("}}},
    ],
)  # fmt: skip
def test_selectors_that_make_no_sense(selector: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Selector.parse(selector, "event")


# --- stages over random courses ------------------------------------------------------------------------------------------

NAMES = ["a", "b", "c", "d", "e"]
GRAPHS = st.lists(st.lists(st.sampled_from(NAMES), max_size=3, unique=True), min_size=5, max_size=5)


def rules(graph: list[list[str]]) -> dict[str, Any]:
    order = [
        {"name": name, "next": nexts, "required": False, "repeat": True}
        for name, nexts in zip(NAMES, graph, strict=True)
    ]
    return {"event": {"tool": "enter"}, "order": order}


def course(stages: list[str], per_turn: int) -> Conversation:
    turns = [stages[i : i + per_turn] for i in range(0, len(stages), per_turn)]
    return Conversation(
        [Turn("x", [Call("enter", {"stage": s}, {}, step, answered=True) for step, s in enumerate(t)]) for t in turns]
    )


@given(GRAPHS, st.data())
@settings(max_examples=150, deadline=None)
def test_every_legal_walk_passes_and_one_step_beside_it_fails(graph: list[list[str]], data: st.DataObject) -> None:
    walk = ["a"]
    for _ in range(data.draw(st.integers(0, 12))):
        nexts = [*graph[NAMES.index(walk[-1])], walk[-1]]
        walk.append(data.draw(st.sampled_from(nexts)))
    per_turn = data.draw(st.integers(1, 3))
    assert METRICS["stage_flow_v1"](course(walk, per_turn), rules(graph), 1.0).status == "passed"
    wrong = [name for name in NAMES if name not in (*graph[NAMES.index(walk[-1])], walk[-1])]
    if wrong:
        found = METRICS["stage_flow_v1"](
            course([*walk, data.draw(st.sampled_from(wrong))], per_turn), rules(graph), 1.0
        )
        assert found.status == "failed" and not found.unfinished
        assert f"turn {len(walk) // per_turn + 1}: {walk[-1]} → " in found.reasons[0]


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
EVENTS = st.builds(
    Event,
    st.sampled_from(["call", "response", "text", "transfer", "state", "interrupt"]),
    st.sampled_from(["enter", "ask", "end"]),
    JSONISH,
)
HOSTILE: dict[str, dict[str, Any]] = {
    "stage_flow_v1": rules([["b"]] * 5),
    "repeated_questions_v1": {"event": {"tool": "ask"}, "id": "args.id", "text": "args.text"},
    "evidence_links_v1": {"event": {"tool": "ask"}, "cites": "args.id", "quote": "args.quote"},
    "ending_v1": {"event": {"tool": "end"}, "nothing_after": [{"tool": "ask"}]},
    "recovery_v1": {"side_effects": ["ask"], "questions": {"event": {"tool": "ask"}, "id": "args.id"}},
}


@given(st.lists(st.lists(EVENTS, max_size=5), min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_whatever_was_recorded_nothing_raises(turns: list[list[Event]]) -> None:
    conversation = Conversation([Turn("x", events=events) for events in turns], state_before={}, state_after={})
    for name, params in HOSTILE.items():
        found = METRICS[name](conversation, params, 1.0)
        assert found.status in ("passed", "failed", "not_applicable", "not_evaluated")
        assert not any("Error: " in reason for reason in found.reasons), (name, found.reasons)
