"""Endings and recoveries at their borders: which turn is named, how often is too often, whose stages are read where."""

from __future__ import annotations

from typing import Any

import pytest

from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.record import Call, Conversation, Event, Judgement, Turn


def call(name: str, **args: Any) -> Call:
    return Call(name, args, {"ok": True}, answered=True)


def talk(*turns: list[Call]) -> Conversation:
    made: list[Turn] = []
    for calls in turns:
        for step, one in enumerate(calls):
            one.step = step
        made.append(Turn("x", calls, response="…"))
    return Conversation(made)


def ending(conversation: Conversation, **rules: Any) -> Judgement:
    found = METRICS["ending_v1"](conversation, rules, 1.0)
    assert found.status in ("passed", "failed"), found.reasons
    return found


MOVE = {"event": {"tool": "move"}, "stage": "args.to"}


def test_stages_are_read_where_the_rules_say() -> None:
    conversation = talk([call("move", to="a", stage="z")], [call("move", to="b", stage="z")])
    assert ending(conversation, stages=["b"], entering=MOVE).status == "passed"
    assert "ends in b" in ending(conversation, stages=["a"], entering=MOVE).reasons[0]
    assert ending(conversation, stages=["z"], entering={"event": {"tool": "move"}}).status == "passed"


def test_without_any_stage_event_the_first_stage_counts() -> None:
    assert ending(talk([]), stages=["a"], entering={**MOVE, "initial": "a"}).status == "passed"
    found = ending(talk([]), stages=["a"], entering=MOVE)
    assert found.unfinished
    assert found.reasons == ["the conversation ends in no stage; it may end in: a"]


def test_a_report_is_due_as_often_as_said() -> None:
    report = {"event": {"tool": "report"}}
    assert ending(talk([call("report")]), report=report).status == "passed"
    assert ending(talk([]), report={**report, "times": 0}).status == "passed"
    assert ending(talk([call("report")], [call("report")]), report={**report, "times": 2}).status == "passed"
    found = ending(talk([call("report")], [], [call("report")], [call("report")]), report={**report, "times": 2})
    assert found.reasons == ["turn 4: 3 reports (turns 1, 3, 4), 2 due"]
    found = ending(talk([call("report")], []), report={**report, "times": 2})
    assert found.unfinished
    assert found.reasons == ["1 reports, 2 due: no tool report in 2 turns"]


def test_a_report_may_come_once_its_stage_was_entered() -> None:
    report = {"event": {"tool": "report"}, "not_before": "b"}
    good = talk([call("move", to="a")], [call("move", to="b"), call("report")])
    assert ending(good, report=report, entering=MOVE).status == "passed"
    early = talk([call("move", to="a"), call("report")], [call("move", to="b")])
    assert ending(early, report=report, entering=MOVE).reasons == ["turn 1: the report came before b was entered"]
    never = talk([], [call("report")])
    assert ending(never, report=report, entering=MOVE).reasons == ["turn 2: the report came before b was entered"]
    assert ending(never, report=report, entering={**MOVE, "initial": "b"}).status == "passed"


def test_the_end_is_the_last_stage_where_no_event_says_it() -> None:
    rules: dict[str, Any] = {"stages": ["b"], "entering": MOVE, "nothing_after": [{"tool": "ask"}, {"tool": "note"}]}
    assert ending(talk([call("ask", n=1), call("move", to="b")]), **rules).status == "passed"
    found = ending(talk([call("move", to="b")], [call("ask", n=1), call("note")]), **rules)
    assert found.reasons == [
        "turn 2: tool ask after the end in turn 1: {\"n\": 1}",
        "turn 2: tool note after the end in turn 1: {}",
    ]  # fmt: skip
    left = talk([call("move", to="b")], [call("move", to="c"), call("ask", n=1)], [call("move", to="b")])
    assert ending(left, **rules).status == "passed"


@pytest.mark.parametrize(("reason", "fault"), [("done", None), ("bored", 'the reason "bored"'), (None, "no reason")])
def test_the_reason_of_the_end(reason: str | None, fault: str | None) -> None:
    args = {} if reason is None else {"why": reason}
    found = ending(
        talk([], [call("finish", **args)]), event={"tool": "finish"}, reason="args.why", reasons=["done", "left"]
    )
    if fault is None:
        assert (found.status, found.reasons) == ("passed", ['ended in turn 2: "done"'])
    else:
        assert found.reasons == [f"turn 2: it ends with {fault}; allowed: done, left"]


def test_every_end_after_the_first_is_a_fault_of_its_own_turn() -> None:
    found = ending(talk([], [call("finish")], [call("finish")], [call("finish")]), event={"tool": "finish"})
    assert found.reasons == [f"turn {n}: it ends again, after it ended in turn 2" for n in (3, 4)]
    assert not found.unfinished


@pytest.mark.parametrize(
    "rules",
    [
        {"report": {"event": {"tool": "report"}, "times": -1}},
        {"report": {"event": {"tool": "report"}, "times": True}},
        {"report": {"event": {"tool": "report"}, "time": 1}},
        {"report": {"event": {"tool": "report"}, "not_before": "b"}},
        {"stages": ["a"]},
        {"stages": [5], "entering": MOVE},
        {"entering": {**MOVE, "stag": "x"}},
        {"entering": {"event": {"tool": "move"}, "stage": "text"}},
        {"reasons": ["done"], "event": {"tool": "finish"}},
        {"reasons": ["done"], "reason": "args.why"},
        {"event": {"tool": "finish"}, "reason": "match.1"},
        {"nothing_after": [{"tols": "x"}]},
        {"nothing_after": {"tool": "x"}},
    ],
)
def test_ending_rules_that_make_no_sense_judge_nothing(rules: dict[str, Any]) -> None:
    found = METRICS["ending_v1"](talk([]), rules, 1.0)
    assert found.status == "not_evaluated"
    assert found.reasons[0].startswith("bad parameters: ")


def test_endings_by_state_or_in_flat_recordings_are_not_guessed() -> None:
    by_state = {"event": {"state": "over"}}
    assert METRICS["ending_v1"](talk([]), by_state, 1.0).status == "not_evaluated"
    in_list = {"event": {"tool": "finish"}, "nothing_after": [{"state": "n"}]}
    assert METRICS["ending_v1"](talk([call("finish")]), in_list, 1.0).status == "not_evaluated"
    flat = talk([call("finish")])
    flat.flat = True
    assert METRICS["ending_v1"](flat, {"event": {"tool": "finish"}}, 1.0).status == "not_evaluated"


# --- recovery ------------------------------------------------------------------------------------------------------------


def events(*calls: Call) -> list[Event]:
    return [e for c in calls for e in (Event("call", c.name, c.args), Event("response", c.name, c.response))]


def interrupted(before: list[Call], after: list[Call], later: list[Call] | None = None) -> Conversation:
    """Cut between the first turn and the second; ``later`` is a third."""
    turns = [
        Turn("a", before, events=events(*before)),
        Turn("b", after, events=[Event("interrupt", data={}), *events(*after)]),
    ]
    if later is not None:
        turns.append(Turn("c", later, events=events(*later)))
    return Conversation(turns)


STAGES: dict[str, Any] = {"event": {"tool": "move"}, "stage": "args.to", "order": [{"name": n} for n in "abc"]}
QUESTIONS: dict[str, Any] = {
    "event": {"tool": "ask"},
    "id": "args.id",
    "text": "args.text",
    "kind": "args.kind",
    "kinds": {"again": {"after_user": "b"}, "main": {"per_question": None}},
}


def recovery(conversation: Conversation, **rules: Any) -> Judgement:
    found = METRICS["recovery_v1"](conversation, rules, 1.0)
    assert found.status in ("passed", "failed"), found.reasons
    return found


def test_only_the_first_stage_after_the_interruption_is_the_jump() -> None:
    found = recovery(interrupted([call("move", to="a")], [], [call("move", to="c")]), stages=STAGES)
    assert found.reasons[0].startswith("turn 3: the stage jumped over the interruption: a → c is not allowed")
    later = interrupted([call("move", to="a")], [call("move", to="b")], [call("move", to="a")])
    assert recovery(later, stages=STAGES).status == "passed"
    earlier = interrupted([call("move", to="a"), call("move", to="c")], [])
    assert recovery(earlier, stages=STAGES).status == "passed"


def test_a_question_asked_again_names_both_turns() -> None:
    found = recovery(interrupted([call("ask", id="q")], [], [call("ask", id="q")]), questions=QUESTIONS)
    assert found.reasons[0] == "turn 3: asked again after the interruption: q, asked in turn 1"
    words = interrupted([call("ask", text="Why Go?")], [call("ask", text="why go")])
    assert recovery(words, questions=QUESTIONS).status == "failed"
    assert recovery(interrupted([call("ask")], [call("ask")]), questions=QUESTIONS).status == "passed"
    wished = interrupted([call("ask", id="q")], [call("ask", id="q", kind="again")])
    assert recovery(wished, questions=QUESTIONS).status == "passed"
    both_after = interrupted([], [call("ask", id="q")], [call("ask", id="q")])
    assert recovery(both_after, questions=QUESTIONS).status == "passed"


def test_a_side_effect_repeated_names_both_turns_and_differs_by_its_arguments() -> None:
    done, other = call("book", slot=4, day="mon"), call("book", day="mon", slot=5)
    found = recovery(interrupted([done], [], [call("book", day="mon", slot=4)]), side_effects=["book"])
    assert found.reasons[0] == (
        'turn 3: the side effect book(day="mon", slot=4) is repeated, it was done in turn 1'
    )  # fmt: skip
    assert recovery(interrupted([done], [other]), side_effects=["book"]).status == "passed"
    assert (
        recovery(interrupted([], [done], [call("book", slot=4, day="mon")]), side_effects=["book"]).status == "passed"
    )
    narrow = [{"name": "book", "args": {"slot": 5}}]
    assert recovery(interrupted([done], [call("book", slot=4, day="mon")]), side_effects=narrow).status == "passed"


def test_a_side_effect_recorded_with_odd_arguments_is_still_told() -> None:
    odd = [Event("call", "book", False), Event("interrupt", data={}), Event("call", "book", False)]
    found = recovery(Conversation([Turn("x", events=odd)]), side_effects=["book"])
    assert found.reasons[0] == "turn 1: the side effect book() is repeated, it was done in turn 1"


def test_retries_and_time_outs_are_told_and_fail_nothing() -> None:
    conversation = interrupted([call("retry", n=1)], [call("slow", n=2)])
    found = recovery(conversation, side_effects=["book"], retries={"tool": "retry"}, timeouts={"tool": "slow"})
    assert (found.status, found.reasons) == (
        "passed",
        ["interrupted in turn 2", 'turn 1: retry: {"n": 1}', 'turn 2: time-out: {"n": 2}'],
    )


def test_nothing_to_compare_is_said() -> None:
    found = METRICS["recovery_v1"](interrupted([], []), {"interrupt": {"after_turn": 1}}, 1.0)
    assert found.status == "not_applicable"
    never = METRICS["recovery_v1"](talk([]), {"side_effects": ["book"]}, 1.0)
    assert (never.status, "an interruption" in never.reasons[0]) == ("not_evaluated", True)


@pytest.mark.parametrize(
    "rules", [{"side_effect": ["book"]}, {"side_effects": "book"}, {"side_effects": [5]}, {"interrupt": 5}]
)
def test_recovery_rules_that_make_no_sense_judge_nothing(rules: dict[str, Any]) -> None:
    found = METRICS["recovery_v1"](interrupted([], []), rules, 1.0)
    assert found.status == "not_evaluated"
    assert found.reasons[0].startswith("bad parameters: ")
