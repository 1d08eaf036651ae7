"""goal_reached_v1."""

from __future__ import annotations

from typing import Any

import pytest

from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.record import Call, Conversation, Judgement, Text, Turn

SUBMITTED = {"refund": "ok", "amount": "128.0", "eta": "1-3个工作日"}


def recorded(**changes: Any) -> Conversation:
    submit = Call("refund_submit", {"order_id": "L8823"}, SUBMITTED, 0, answered=True)
    turns = [
        Turn("我赶时间", [Call("order_lookup", {}, {"orders": ["L8823"]}, 0, answered=True)], response="是这一单吗？"),
        Turn("对", [submit], [Text("desk", "马上查")], "128.0元的退款已提交，1-3个工作日内到账。再见。"),
    ]
    return Conversation(turns, **changes)


def reached(conversation: Conversation, *evidence: Any, **params: Any) -> Judgement:
    return METRICS["goal_reached_v1"](conversation, {"goal": "refund", "evidence": list(evidence), **params}, 1.0)


@pytest.mark.parametrize(
    ("evidence", "status", "said"),
    [
        ({"tool": "refund_submit", "response": {"refund": "ok"}}, "passed", "turn 2: refund_submit"),
        ({"tool": "refund_submit", "args": {"order_id": {"regex": "^L"}}}, "passed", ""),
        ({"tool": "refund_submit", "args": {"order_id": "L1"}}, "failed", 'args.order_id: "L1" ≠ "L8823"'),
        ({"tool": "refund_submit", "response": {"refund": "no"}}, "failed", 'is not {"refund": "no"}'),
        ({"tool": "refund_submit", "response": {"amount": {"regex": "^128"}, "refund": "ok"}}, "passed", ""),
        ({"tool": "refund_submit", "response": {"amount": {"regex": "^129"}}}, "failed", "is not"),
        ({"tool": "refund_submit", "response": {"contains": {"refund": "ok"}}}, "passed", ""),
        ({"tool": "refund_submit", "response": {"contains": {"refund": "no"}}}, "failed", "is not"),
        ({"tool": "refund_cancel"}, "failed", "refund_cancel is never called"),
        ({"says": "工作日"}, "passed", 'turn 2: an agent says "128.0元的退款已提交，1-3个工作日内到账。"'),
        ({"says": "马上"}, "passed", "turn 2"),
        ({"says": "人工"}, "failed", 'no agent says "人工"'),
        ({"state": {"refund_status": "submitted"}}, "passed", ""),
        ({"state": {"refund_status": "open"}}, "failed", 'state.refund_status: "open" ≠ "submitted"'),
    ],
)
def test_evidence(evidence: Any, status: str, said: str) -> None:
    found = reached(recorded(state_after={"refund_status": "submitted"}), evidence)
    assert found.status == status, found.reasons
    assert said in found.reasons[0]


def test_all_of_it_must_hold() -> None:
    found = reached(
        recorded(), {"says": "工作日"}, {"says": "人工"}, {"tool": "ticket_create"}, {"tool": "order_lookup"}
    )
    assert found.status == "failed"
    assert found.score == 0.5
    assert len(found.reasons) == 2


def test_unknown_state_cannot_be_judged_unless_other_evidence_is_missing_anyway() -> None:
    assert reached(recorded(), {"says": "工作日"}, {"state": {"a": 1}}).status == "not_evaluated"
    assert reached(recorded(), {"says": "人工"}, {"state": {"a": 1}}).status == "failed"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (Call("refund_submit", {}, {"error": "closed"}, answered=True), 'error: "closed"'),
        (Call("refund_submit", {}, None, answered=False), "not recorded"),
        (Call("refund_submit", {}, {"refund": "ok", "status": "failed"}, answered=True), 'status: "failed"'),
    ],
)
def test_a_call_that_failed_is_no_evidence(call: Call, said: str) -> None:
    found = reached(Conversation([Turn("x", [call])]), {"tool": "refund_submit"})
    assert found.status == "failed"
    assert said in found.reasons[0]


def test_an_error_is_said_before_a_response_that_does_not_fit() -> None:
    talk = Conversation([Turn("x", [Call("pay", {}, {"error": "closed"}, answered=True)])])
    assert 'error: "closed"' in reached(talk, {"tool": "pay", "response": {"paid": True}}).reasons[0]


def test_a_later_success_counts() -> None:
    bad = Call("refund_submit", {}, {"error": "closed"}, 0, answered=True)
    good = Call("refund_submit", {}, {"refund": "ok"}, 1, answered=True)
    assert reached(Conversation([Turn("x", [bad, good])]), {"tool": "refund_submit"}).status == "passed"


def test_wrapped_results_match_without_their_wrapping() -> None:
    wrapped = Call("quote", {}, {"result": "fee 5"}, answered=True)
    for response in ("fee 5", {"contains": "fee"}, {"result": "fee 5"}):
        assert reached(Conversation([Turn("x", [wrapped])]), {"tool": "quote", "response": response}).status == "passed"
    assert reached(Conversation([Turn("x", [wrapped])]), {"tool": "quote", "response": "fee"}).status == "failed"
    more = Call("quote", {}, {"result": "fee 5", "currency": "EUR"}, answered=True)
    assert reached(Conversation([Turn("x", [more])]), {"tool": "quote", "response": "fee 5"}).status == "failed"


@pytest.mark.parametrize("response", [None, "ok", ["refund"], 5])
def test_a_response_that_is_no_object_has_no_keys(response: Any) -> None:
    talk = Conversation([Turn("x", [Call("quote", {}, response, answered=True)])])
    found = reached(talk, {"tool": "quote", "response": {"refund": "ok"}})
    assert found.status == "failed"


def test_a_goal_that_need_not_be_reached_is_informational() -> None:
    found = reached(recorded(), {"says": "人工"}, required=False)
    assert found.status == "informational"
    assert found.score == 0.0
    assert reached(recorded(), {"says": "工作日"}, required=False).status == "passed"


def test_a_recording_that_states_the_goal_is_believed_without_evidence() -> None:
    assert reached(recorded(goal_reached=True)).status == "passed"
    assert reached(recorded(goal_reached=False)).status == "failed"
    assert reached(recorded()).status == "not_applicable"
    assert reached(recorded(goal_reached=True), {"says": "人工"}).status == "failed"


def flat(*results: Any) -> Conversation:
    return Conversation([Turn("x", [Call("refund_submit", {})], loose_results=list(results))], flat=True)


@pytest.mark.parametrize(
    ("results", "evidence", "status"),
    [
        ([SUBMITTED], {"tool": "refund_submit", "response": {"refund": "ok"}}, "passed"),
        ([SUBMITTED], {"tool": "refund_submit", "response": {"refund": "no"}}, "failed"),
        ([{"refund": "ok", "error": "x"}], {"tool": "refund_submit", "response": {"refund": "ok"}}, "failed"),
        ([], {"tool": "refund_submit"}, "passed"),
        ([SUBMITTED, {"error": "x"}], {"tool": "refund_submit"}, "not_evaluated"),
        ([SUBMITTED], {"tool": "ticket_create"}, "failed"),
    ],
)
def test_flat_recordings_keep_results_apart_from_calls(results: list[Any], evidence: Any, status: str) -> None:
    assert reached(flat(*results), evidence).status == status


@pytest.mark.parametrize(
    "evidence",
    [
        {},
        {"tool": "a", "says": "b"},
        {"says": "("},
        {"says": "a", "args": {}},
        {"tool": 5},
        {"state": []},
        "refund_submit",
    ],
)
def test_bad_evidence_is_not_evaluated(evidence: Any) -> None:
    assert reached(recorded(state_after={}), evidence).status == "not_evaluated"


def test_evidence_in_a_megabyte_is_quoted_by_its_sentence() -> None:
    filler = "Lorem ipsum dolor. " * 50_000
    talk = Conversation([Turn("x", response=filler + "Your refund of 5 is done. " + filler)])
    found = reached(talk, {"says": "refund of 5"})
    assert found.reasons == ['turn 1: an agent says "Your refund of 5 is done."']
