"""Stage rules at their borders: the last turn that is allowed, the way over several stages, what a stop excuses."""

from __future__ import annotations

from typing import Any

import pytest

from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.record import Call, Conversation, Judgement, Turn

ORDER: list[dict[str, Any]] = [
    {"name": "a"},
    {"name": "b", "skip": {"reason": "(?i)no time"}, "min_turns": 2, "max_turns": 3, "back": ["a"]},
    {"name": "c", "skip": True, "back": ["b"]},
    {"name": "d", "required": False},
    {"name": "e", "final": True},
]


def flow(*turns: str, order: list[dict[str, Any]] | None = None, **rules: Any) -> Judgement:
    """Each turn: the user's words, then after ``|`` the stages entered with reasons (``b:no time``) or tools (``!ask``)."""
    made: list[Turn] = []
    for words in turns:
        user, _, steps = words.partition("|")
        calls: list[Call] = []
        for step, word in enumerate(steps.split()):
            name, _, reason = word.partition(":")
            if name.startswith("!"):
                call = Call(name[1:], {}, {}, step, answered=True)
            else:
                args = {"stage": name, **({"reason": reason.replace("_", " ")} if reason else {})}
                call = Call("enter", args, {}, step, answered=True)
            calls.append(call)
        made.append(Turn(user, calls, response="…"))
    params = {"event": {"tool": "enter"}, "reason": "args.reason", "order": order or ORDER, **rules}
    found = METRICS["stage_flow_v1"](Conversation(made), params, 1.0)
    assert found.status in ("passed", "failed"), found.reasons
    return found


WAY = ["x|a:start", "x|b:next", "x", "x|c:next", "x|d:next", "x|e:next"]


def test_the_shortest_and_the_longest_stay_allowed() -> None:
    assert flow(*WAY).status == "passed"
    assert flow(*WAY[:3], "x", *WAY[3:]).status == "passed"
    assert "3 user turns" not in str(flow(*WAY[:3], "x", *WAY[3:]).reasons)
    assert flow(*WAY[:2], *WAY[3:]).reasons[0] == "turn 3: b was left after 1 user turns, at least 2 are due"
    assert flow(*WAY[:3], "x", "x", *WAY[3:]).reasons[0] == "turn 6: 4 user turns in b, at most 3 are allowed"


def test_a_stage_entered_again_goes_on_counting() -> None:
    again = [*WAY[:4], "x|b:more", "x|c:next", *WAY[4:]]
    assert flow(*again).status == "passed"
    found = flow(*WAY[:4], "x|b:more", "x", "x|c:next", *WAY[4:])
    assert found.reasons[0] == "turn 7: 4 user turns in b, at most 3 are allowed"
    found = flow(*WAY[:2], "x", "x", "x", "x|c:next", "x|b:more", "x|c:next", *WAY[4:])
    assert len([r for r in found.reasons if "at most" in r]) == 1


def test_the_end_of_the_recording_counts_as_leaving_for_the_longest_stay_only() -> None:
    assert flow(*WAY[:2]).unfinished
    assert "at least" not in str(flow(*WAY[:2]).reasons)
    assert flow(*WAY[:2], "x", "x", "x").unfinished
    found = flow(*WAY[:2], "x", "x", "x", "x")
    assert not found.unfinished
    assert "turn 6: 4 user turns in b, at most 3 are allowed" in found.reasons


def test_several_stages_are_passed_over_with_one_reason_that_fits_each() -> None:
    assert flow("x|a:start", "x|d:no_time_left", "x|e:end").status == "passed"
    found = flow("x|a:start", "x|d:bored", "x|e:end")
    assert found.reasons[0].startswith('turn 2: a → d skips b for another reason than "(?i)no time"')
    assert '(recorded reason "bored")' in found.reasons[0]
    found = flow("x|a:start", "x|d", "x|e:end")
    assert found.reasons[0] == "turn 2: a → d skips b without a reason (no reason recorded)"


def test_any_reason_will_do_where_none_is_asked_for() -> None:
    assert flow(*WAY[:3], "x|d:whatever", "x|e:end").status == "passed"
    assert "skips c without a reason" in flow(*WAY[:3], "x|d", "x|e:end").reasons[0]
    order = [{"name": "a"}, {"name": "b", "skip": True}, {"name": "c"}]
    assert flow("x|a", "x|c", order=order, reason=None).status == "passed"


def test_what_may_not_be_skipped_may_not_even_with_a_reason() -> None:
    found = flow("x|a:start", "x|e:no_time")
    assert found.reasons[0].startswith("turn 2: a → e is not allowed: it skips b, c, d; allowed next: b")
    found = flow("x|b:no_time")
    assert found.reasons[0].startswith("turn 1: the start → b is not allowed: it skips a; allowed next: a")


def test_a_first_stage_may_be_skippable_or_already_entered() -> None:
    order = [{"name": "a", "skip": True}, {"name": "b"}]
    assert flow("x|b:known", order=order).status == "passed"
    assert flow("x|b:known", order=[{"name": "a"}, {"name": "b"}], initial="a").status == "passed"
    assert flow("x", order=[{"name": "a"}, {"name": "b", "required": False}], initial="a").status == "passed"
    found = flow("x", "x", order=[{"name": "a", "max_turns": 1}, {"name": "b", "required": False}], initial="a")
    assert found.reasons == ["turn 2: 2 user turns in a, at most 1 are allowed"]


def test_an_event_without_a_stage_says_so_and_changes_nothing() -> None:
    found = flow("x|a:start f:odd", *WAY[1:])
    assert found.reasons[0].startswith('turn 1: the stage event names "f", which is no stage; the stage was a')
    assert len([r for r in found.reasons if r.startswith("turn")]) == 1


@pytest.mark.parametrize("args", [{}, {"stage": ""}, {"stage": None}, {"stage": 5}])
def test_an_event_that_names_nothing(args: dict[str, Any]) -> None:
    conversation = Conversation([Turn("x", [Call("enter", args, {}, 0, answered=True)])])
    found = METRICS["stage_flow_v1"](conversation, {"event": {"tool": "enter"}, "order": ORDER}, 1.0)
    assert found.status == "failed"
    said = "names no stage" if args in ({}, {"stage": ""}) else "which is no stage"
    assert said in found.reasons[0]


@pytest.mark.parametrize(
    "change",
    [
        {"order": []},
        {"order": [{"name": "a"}, {"name": "a"}]},
        {"order": [{"name": "a", "min_turns": True}]},
        {"order": [{"name": "a", "max_turns": -1}]},
        {"order": [{"name": "a", "next": ["b"]}]},
        {"order": [{"name": "a", "nxt": []}]},
        {"order": [{"name": "a", "skip": {"why": "x"}}]},
        {"order": [{"name": "a", "skip": 1}]},
        {"initial": "z"},
        {"early_end": {"leads_to": ["e"]}},
        {"early_end": {"says": "x", "leads_to": []}},
        {"early_end": {"says": "x", "leads_to": ["z"]}},
        {"early_end": {"says": "x", "leads_to": ["e"], "within": 2}},
        {"early_end": {"says": "(", "leads_to": ["e"]}},
        {"stage": "text"},
        {"reason": "match.1"},
    ],
)
def test_stage_rules_that_make_no_sense_judge_nothing(change: dict[str, Any]) -> None:
    params = {"event": {"tool": "enter"}, "order": ORDER, **change}
    found = METRICS["stage_flow_v1"](Conversation([Turn("x")]), params, 1.0)
    assert found.status == "not_evaluated"
    assert found.reasons[0].startswith("bad parameters: ")


STOP = {"says": "(?i)stop", "leads_to": ["e"]}


@pytest.mark.parametrize(
    ("turns", "within", "fault"),
    [
        (["x|a:s", "stop|e:asked"], 1, None),
        (["x|a:s", "stop", "x|e:asked"], 1, "turn 2: the user asked to stop in turn 2, and e was not entered"),
        (["x|a:s", "stop", "x|e:asked"], 2, None),
        (["x|a:s", "stop", "x", "x|e:asked"], 2, "turn 3: the user asked to stop in turn 2, and e was not entered"),
        (["x|a:s", "stop", "stop", "x|e:asked"], 3, None),
        (["x|a:s", "stop", "stop", "x|e:asked"], 2, "turn 3: the user asked to stop in turn 2, and e was not entered"),
        (["stop"], 1, "turn 1: the user asked to stop in turn 1, and e was not entered"),
        (["x|a:s", "stop|b:next", "x|e:asked"], 2, None),
    ],
)
def test_a_stop_leads_to_the_end_in_time(turns: list[str], within: int, fault: str | None) -> None:
    found = flow(*turns, early_end={**STOP, "within_turns": within})
    if fault is None:
        assert found.status == "passed", found.reasons
    else:
        assert found.reasons[0].startswith(fault)
        assert len([r for r in found.reasons if "asked to stop" in r]) == 1
        assert not found.unfinished


def test_a_stop_may_be_an_event_and_comes_too_late_after_the_end() -> None:
    early = {"event": {"tool": "bye"}, "leads_to": ["e"]}
    assert flow("x|a:s", "x|!bye e:asked", early_end=early).status == "passed"
    assert "asked to stop in turn 2" in flow("x|a:s", "x|!bye", early_end=early).reasons[0]
    assert flow(*WAY, "stop", "x", early_end=STOP).status == "passed"


def test_after_the_end_each_turn_with_an_act_is_said_once() -> None:
    found = flow(*WAY[:-1], "x|e:next !note", "x|!ask !ask", "x", "x|!ask")
    assert [r for r in found.reasons if "after the end" in r] == [
        'turn 7: call of "ask" after the end: e was entered in turn 6',
        'turn 9: call of "ask" after the end: e was entered in turn 6',
    ]


def test_a_long_way_is_told_in_part() -> None:
    order = [{"name": "a", "next": ["b"]}, {"name": "b", "next": ["a"]}]
    assert " more" not in flow(*(["x|a:s", "x|b:s"] * 12), order=order).reasons[-1]
    told = flow(*(["x|a:s", "x|b:s"] * 13), order=order).reasons[-1]
    assert told.endswith("… and 2 more")
    assert told.count("→") == 23
