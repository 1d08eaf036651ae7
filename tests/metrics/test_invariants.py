"""tool_order_v1 and forbidden_tools_v1, also against a naive reading of their rules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_split_eval.metrics.patterns import response_error
from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.record import Call, Conversation, Judgement, Turn

OK = {"result": "done"}


def call(name: str, step: int, response: Any = OK, answered: bool = True, **args: Any) -> Call:
    return Call(name, args, response if answered else None, step, answered=answered)


def talk(*turns: list[Call], flat: bool = False) -> Conversation:
    return Conversation([Turn("hi", list(calls)) for calls in turns], flat=flat)


def order(conversation: Conversation, *rules: tuple[Any, Any]) -> Judgement:
    params = {"rules": [{"before": before, "after": after} for before, after in rules]}
    return METRICS["tool_order_v1"](conversation, params, 1.0)


def forbid(conversation: Conversation, *forbidden: dict[str, Any]) -> Judgement:
    return METRICS["forbidden_tools_v1"](conversation, {"forbidden": list(forbidden)}, 1.0)


LOOKUP, UPDATE = {"name": "order_lookup"}, {"name": "address_update"}


@pytest.mark.parametrize(
    ("conversation", "status", "said"),
    [
        (talk([call("order_lookup", 0), call("address_update", 1)]), "passed", ""),
        (talk([call("order_lookup", 0)], [call("address_update", 0)]), "passed", ""),
        (
            talk([call("address_update", 0, city="杭州"), call("order_lookup", 1)]),
            "failed",
            'order_lookup must come before address_update: turn 1: address_update(city="杭州") comes before '
            "turn 1: order_lookup()",
        ),
        (talk([call("address_update", 0), call("order_lookup", 0)]), "failed", "in parallel"),
        (talk([call("order_lookup", 0)]), "failed", "address_update is never called"),
        (talk([call("address_update", 0)]), "failed", "order_lookup is never called"),
        (talk([]), "failed", "never called"),
        (
            talk([call("order_lookup", 1), call("address_update", 2), call("address_update", 0)]),
            "failed",
            "comes before",
        ),
    ],
)
def test_order(conversation: Conversation, status: str, said: str) -> None:
    found = order(conversation, (LOOKUP, UPDATE))
    assert found.status == status
    assert found.score == (1.0 if status == "passed" else 0.0)
    assert said in " ".join(found.reasons)


def test_order_score_is_the_share_of_rules() -> None:
    found = order(talk([call("a", 0), call("b", 1)]), ({"name": "a"}, {"name": "b"}), ({"name": "b"}, {"name": "a"}))
    assert found.score == 0.5
    assert len(found.reasons) == 1


def test_order_by_arguments() -> None:
    recorded = talk([call("step", 0, n=1), call("step", 1, n=2)])
    first, second = {"name": "step", "args": {"n": 1}}, {"name": "step", "args": {"n": {"gt": 1}}}
    assert order(recorded, (first, second)).status == "passed"
    assert order(recorded, (second, first)).status == "failed"


@pytest.mark.parametrize(
    ("conversation", "ban", "status", "said"),
    [
        (talk([call("lookup", 0)]), {"name": "pay"}, "passed", ""),
        (talk([call("pay", 0, sum=5)]), {"name": "pay"}, "failed", "turn 1: pay(sum=5) is forbidden"),
        (talk([call("pay", 0, sum=5)]), {"name": "pay", "args": {"sum": {"gt": 5}}}, "passed", ""),
        (talk([call("pay", 0, sum=6)]), {"name": "pay", "args": {"sum": {"gt": 5}}}, "failed", "pay(sum=6)"),
        (talk([call("pay", 0, sum=6, to="me")]), {"name": "pay", "args": {"sum": 6}}, "failed", "pay(sum=6"),
        (talk([call("look", 0)], [call("pay", 0)]), {"name": "pay", "until": {"name": "look"}}, "passed", ""),
        (talk([call("look", 0), call("pay", 1)]), {"name": "pay", "until": {"name": "look"}}, "passed", ""),
        (talk([call("look", 0), call("pay", 0)]), {"name": "pay", "until": {"name": "look"}}, "failed", "in parallel"),
        (talk([call("pay", 0), call("look", 1)]), {"name": "pay", "until": {"name": "look"}}, "failed", "no such call"),
        (
            talk([call("look", 0, {"error": "no order"}), call("pay", 1)]),
            {"name": "pay", "until": {"name": "look"}},
            "failed",
            'its response has error: "no order"',
        ),
        (
            talk([call("look", 0, answered=False), call("pay", 1)]),
            {"name": "pay", "until": {"name": "look"}},
            "failed",
            "not recorded",
        ),
        (
            talk([call("look", 0, {"error": "x"}), call("look", 1), call("pay", 2)]),
            {"name": "pay", "until": {"name": "look"}},
            "passed",
            "",
        ),
        (
            talk([call("look", 0, id="A"), call("pay", 1)]),
            {"name": "pay", "until": {"name": "look", "args": {"id": "B"}}},
            "failed",
            'until look(id="B") has succeeded',
        ),
        (talk([call("pay", 0), call("pay", 1)]), {"name": "pay", "until": {"name": "pay"}}, "failed", "pay()"),
    ],
)
def test_forbidden(conversation: Conversation, ban: dict[str, Any], status: str, said: str) -> None:
    found = forbid(conversation, ban)
    assert found.status == status, found.reasons
    assert found.score == (1.0 if status == "passed" else 0.0)
    assert said in " ".join(found.reasons)


@pytest.mark.parametrize(
    "response",
    [
        {"error": "x"},
        {"errors": [1]},
        {"error_message": "x"},
        {"errorCode": 5},
        {"ok": False},
        {"success": False},
        {"status": "FAILED"},
        {"status": "error"},
        {"status_code": 404},
        {"status": 500},
        {"status": 400},
        {"status_code": 599},
        {"result": "done", "error": "x"},
        {"isError": True},
        {"result": {"error": "x"}},
        {"result": "Error: no such order"},
        "error: x",
    ],
)
def test_errors(response: Any) -> None:
    assert response_error(response)


@pytest.mark.parametrize(
    "response",
    [
        None,
        {},
        {"error": None},
        {"error": ""},
        {"errors": []},
        {"ok": True},
        {"status": "submitted"},
        {"status": 200},
        {"status": 399},
        {"status_code": 600},
        {"status": True},
        {"result": None},
        {"result": "no error: fine"},
        {"success": None},
        [],
        "done",
        0,
    ],
)
def test_no_errors(response: Any) -> None:
    assert response_error(response) is None


def test_flat_recordings_without_responses_cannot_tell() -> None:
    until = {"name": "pay", "until": {"name": "look"}}
    unanswered = talk([call("look", 0, answered=False), call("pay", 1)], flat=True)
    unanswered.turns[0].tool_calls[1].answered = False
    found = forbid(unanswered, until)
    assert found.status == "not_evaluated"
    assert "which response belongs to which call" in found.reasons[-1]
    assert forbid(talk([call("pay", 0, answered=False)], flat=True), until).status == "failed"
    assert forbid(unanswered, until, {"name": "look"}).status == "failed"


def test_nothing_declared_is_not_applicable() -> None:
    assert order(talk([])).status == "not_applicable"
    assert forbid(talk([])).status == "not_applicable"


@pytest.mark.parametrize(
    "params",
    [
        {"forbidden": [{"nam": "x"}]},
        {"forbidden": "pay"},
        {"forbidden": [{"name": "x", "until": {"args": {}}}]},
        {"forbidden": [{"name": "x", "args": {"sum": {"regex": "("}}}]},
        {"forbidden": [{"name": "x", "args": ["sum"]}]},
        {"forbidden": [{"name": "x", "until": {"name": "y", "arg": {"sum": 1}}}]},
        {"forbidden": [{"name": "x", "until": {"name": 5}}]},
        {"forbidden": [{"name": "x", "until": {"name": "y", "args": {"sum": {"one_of": []}}}}]},
        {"x": 1},
    ],
)
def test_bad_parameters(params: dict[str, Any]) -> None:
    assert METRICS["forbidden_tools_v1"](talk([]), params, 1.0).status == "not_evaluated"


names = st.sampled_from("abc")
calls = st.lists(
    st.builds(
        call,
        names,
        st.integers(0, 3),
        st.sampled_from([OK, {"error": "x"}, None]),
        st.booleans(),
    ),
    max_size=5,
)
talks = st.lists(calls, max_size=3).map(lambda turns: talk(*turns))


def _when(conversation: Conversation) -> list[tuple[tuple[int, int], Call]]:
    return [((i, c.step), c) for i, turn in enumerate(conversation.turns) for c in turn.tool_calls]


@settings(deadline=None)
@given(talks, names, names)
def test_order_as_naively_read(conversation: Conversation, before: str, after: str) -> None:
    placed = _when(conversation)
    afters = [when for when, c in placed if c.name == after]
    befores = [when for when, c in placed if c.name == before]
    good = bool(afters) and bool(befores) and all(any(b < a for b in befores) for a in afters)
    assert (order(conversation, ({"name": before}, {"name": after})).status == "passed") is good


@settings(deadline=None)
@given(talks, names, names)
def test_until_as_naively_read(conversation: Conversation, banned: str, until: str) -> None:
    placed = _when(conversation)
    succeeded = [w for w, c in placed if c.name == until and c.answered and not (c.response or {}).get("error")]
    good = all(any(w < when for w in succeeded) for when, c in placed if c.name == banned)
    found = forbid(conversation, {"name": banned, "until": {"name": until}})
    assert (found.status == "passed") is good
    assert bool(found.reasons) is not good
