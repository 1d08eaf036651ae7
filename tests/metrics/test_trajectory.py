"""tool_args_v1: verdicts, scores, reasons."""

from __future__ import annotations

from typing import Any

import pytest

from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.metrics.trajectory import exact_steps, match_trajectory
from adk_split_eval.record import Call, Conversation, Judgement, Turn


def steps(*raw: Any) -> dict[str, Any]:
    """Expected calls of one turn: a name, a call, or a list of either for a parallel set."""
    made: list[dict[str, Any]] = []
    for step in raw:
        calls = step if isinstance(step, list) else [step]
        made.append({"calls": [{"name": call} if isinstance(call, str) else call for call in calls]})
    return {"expect": made}


def conversation(*turns: list[tuple[int, str, dict[str, Any]]], flat: bool = False) -> Conversation:
    return Conversation(
        [Turn("hello", [Call(name, args, step=step) for step, name, args in calls]) for calls in turns], flat=flat
    )


def judge(recorded: Conversation, match_type: str, *turns: dict[str, Any] | None) -> Judgement:
    return METRICS["tool_args_v1"](recorded, {"match_type": match_type, "turns": list(turns)}, 1.0)


def hours(branch: str) -> dict[str, Any]:
    return {"name": "opening_hours", "args": {"branch": branch}}


@pytest.mark.parametrize("match_type", ["EXACT", "IN_ORDER", "ANY_ORDER"])
def test_calls_of_one_step_have_no_order(match_type: str) -> None:
    recorded = conversation([(0, "opening_hours", {"branch": "south"}), (0, "opening_hours", {"branch": "north"})])
    assert judge(recorded, match_type, steps(hours("north"), hours("south"))).status == "passed"
    assert judge(recorded, match_type, steps([hours("north"), hours("south")])).status == "passed"


@pytest.mark.parametrize("match_type", ["EXACT", "IN_ORDER", "ANY_ORDER"])
def test_missing_and_once_too_many(match_type: str) -> None:
    recorded = conversation([(0, "opening_hours", {"branch": "south"}), (0, "opening_hours", {"branch": "south"})])
    found = judge(recorded, match_type, steps(hours("north"), hours("south")))
    assert found.status == "failed"
    assert found.score == 0.0
    assert found.reasons == [
        'turn 1: opening_hours(branch="north") missing; opening_hours(branch="south") once too many'
    ]


@pytest.mark.parametrize(
    ("expected", "calls", "match_type", "reason"),
    [
        (steps("a", "b"), [(0, "b", {}), (1, "a", {})], "EXACT", "wrong order: expected a, b, got b, a"),
        (
            steps("a", "b"),
            [(0, "b", {}), (1, "x", {}), (2, "a", {})],
            "IN_ORDER",
            "wrong order: expected a, b, got b, a",
        ),
        (steps("a"), [(0, "a", {}), (1, "b", {"k": 1})], "EXACT", "b(k=1) not expected"),
        (steps("a"), [(0, "a", {}), (1, "a", {}), (2, "a", {})], "EXACT", "a() twice too many"),
        (steps(), [(0, "a", {})], "ANY_ORDER", "a() called, but the turn expects no calls"),
        (steps("a"), [], "ANY_ORDER", "a missing"),
        (steps({"name": "a", "args": {}}), [], "EXACT", "a missing"),
        (
            steps({"name": "pay", "args": {"sum": 1}}),
            [(0, "pay", {"sum": "1"})],
            "EXACT",
            'pay(sum=1) missing; nearest call pay(sum="1") differs: args.sum: 1 ≠ "1" (expected number, got string)',
        ),
        (
            steps({"name": "pay", "args": {}, "args_exact": True}),
            [(0, "pay", {"sum": 2})],
            "IN_ORDER",
            "pay() missing; nearest call pay(sum=2) differs: args.sum: not expected, got 2",
        ),
    ],
)
def test_reasons(expected: dict[str, Any], calls: list[Any], match_type: str, reason: str) -> None:
    found = judge(conversation(calls), match_type, expected)
    assert found.status == "failed"
    assert found.reasons == [f"turn 1: {reason}"]


def test_nearest_call_is_the_one_with_fewest_differences() -> None:
    calls = [(0, "pay", {"sum": 9, "to": "x"}), (1, "pay", {"sum": 1, "to": "y"})]
    found = judge(conversation(calls), "ANY_ORDER", steps({"name": "pay", "args": {"sum": 1, "to": "z"}}))
    assert 'args.to: "z" ≠ "y"' in found.reasons[0]
    assert "args.sum" not in found.reasons[0]


@pytest.mark.parametrize(("wrong", "said"), [(5, ""), (6, "; and 1 more"), (9, "; and 4 more")])
def test_the_first_differences_are_said_and_the_others_counted(wrong: int, said: str) -> None:
    call = {"name": "pay", "args": {f"k{n}": 1 for n in range(wrong)}}
    found = judge(conversation([(0, "pay", {f"k{n}": 2 for n in range(wrong)})]), "EXACT", steps(call))
    assert found.reasons[0].endswith(f"args.k4: 1 ≠ 2{said}")


@pytest.mark.parametrize("match_type", ["EXACT", "IN_ORDER", "ANY_ORDER"])
def test_expecting_no_calls_can_fail_under_every_match_type(match_type: str) -> None:
    held = conversation([(0, "place_hold", {"item_id": "B-17"})])
    found = judge(held, match_type, steps())
    assert found.status == "failed"
    assert 'place_hold(item_id="B-17")' in found.reasons[0]
    assert judge(held, match_type, None).status == "not_applicable"
    assert judge(conversation([]), match_type, steps()).status == "passed"


@pytest.mark.parametrize(
    ("match_type", "status"), [("EXACT", "failed"), ("IN_ORDER", "passed"), ("ANY_ORDER", "passed")]
)
def test_extra_calls(match_type: str, status: str) -> None:
    recorded = conversation([(0, "a", {}), (1, "x", {}), (2, "b", {})])
    assert judge(recorded, match_type, steps("a", "b")).status == status


def test_score_is_the_share_of_annotated_turns_and_rows_are_per_turn() -> None:
    recorded = conversation([(0, "a", {})], [(0, "x", {})], [(0, "c", {})])
    found = judge(recorded, "EXACT", steps("a"), None, steps("b"))
    assert found.score == 0.5
    assert [(row.status, row.score) for row in found.rows] == [
        ("passed", 1.0),
        ("not_applicable", None),
        ("failed", 0.0),
    ]
    assert METRICS["tool_args_v1"](recorded, {"turns": [steps("a"), None, steps("b")]}, 0.5).status == "passed"


def test_a_turn_that_never_came_is_a_failure() -> None:
    recorded = conversation([(0, "a", {})])
    recorded.error = "ValueError: boom"
    found = judge(recorded, "EXACT", steps("a"), steps())
    assert found.status == "failed"
    assert found.score == 0.5
    assert "turn 2: never happened" in found.reasons[0] and "boom" in found.reasons[0]
    assert len(found.rows) == 1


def test_every_turn_that_never_came_counts() -> None:
    found = judge(conversation([(0, "a", {})]), "EXACT", steps("a"), None, steps("b"), steps("c"))
    assert found.score == pytest.approx(1 / 3)
    assert [reason.split(":")[0] for reason in found.reasons] == ["turn 3", "turn 4"]


@pytest.mark.parametrize("match_type", ["EXACT", "IN_ORDER", "ANY_ORDER"])
def test_a_step_without_calls_asks_for_nothing(match_type: str) -> None:
    for expected in (steps([], "a"), steps("a", []), steps([], [])):
        wanted = 0 if expected == steps([], []) else 1
        recorded = conversation([(0, "a", {})][:wanted])
        assert judge(recorded, match_type, expected).status == "passed"
        assert judge(conversation([(0, "b", {})]), match_type, expected).status == "failed"


def test_partial_arguments_and_matchers() -> None:
    recorded = conversation([(0, "pay", {"order_id": "L8823", "amount": 128.0, "channel": "chat"})])
    call = {"name": "pay", "args": {"order_id": {"regex": "^L"}, "amount": {"approx": 128, "within": 0.01}}}
    assert judge(recorded, "EXACT", steps(call)).status == "passed"
    assert judge(recorded, "EXACT", steps({**call, "args_exact": True})).status == "failed"


def test_calls_inside_an_agent_used_as_a_tool_get_a_hint() -> None:
    recorded = conversation([(0, "catalog_agent", {"request": "look up Dune"})])
    outer = {"name": "catalog_agent", "args": {"request": "look up Dune"}}
    found = judge(recorded, "EXACT", steps(outer, {"name": "find_title", "args": {"title": "Dune"}}))
    assert 'find_title(title="Dune") missing' in found.reasons[0]
    assert "calls inside an agent used as a tool are not recorded by ADK" in found.reasons[0]
    assert judge(recorded, "EXACT", steps(outer)).status == "passed"


def test_flat_recordings_are_compared_as_a_whole() -> None:
    flat = conversation([(0, "a", {}), (1, "b", {}), (2, "c", {})], flat=True)
    assert judge(flat, "EXACT", steps("a"), steps("b", "c"), steps()).status == "passed"
    found = judge(flat, "EXACT", steps("b"), steps("a"), steps("c"))
    assert found.status == "failed"
    assert "whole conversation: wrong order" in found.reasons[0]
    assert judge(flat, "EXACT", steps("a"), None).status == "not_evaluated"


def test_flat_recordings_keep_the_order_of_their_turns() -> None:
    flat = conversation([(0, "b", {})], [(0, "a", {})], flat=True)
    assert judge(flat, "EXACT", steps("b"), steps("a")).status == "passed"
    assert judge(flat, "EXACT", steps("a"), steps("b")).status == "failed"


def test_raw_calls_compare_whole_and_literally() -> None:
    wanted = exact_steps([("find", {"filter": {"regex": "x"}})])
    assert match_trajectory(wanted, [Call("find", {"filter": {"regex": "x"}})], "EXACT").matched
    assert not match_trajectory(wanted, [Call("find", {"filter": "x"})], "EXACT").matched
    assert not match_trajectory(wanted, [Call("find", {"filter": {"regex": "x"}, "k": 1})], "EXACT").matched


@pytest.mark.parametrize(
    "params",
    [
        {"match_type": "SUPERSET", "turns": [steps("a")]},
        {"match_typ": "EXACT", "turns": [steps("a")]},
        {"turns": {"expect": []}},
        {"turns": [{"expects": []}]},
        {"turns": [{}]},
        {"turns": [{"expect": ["a"]}]},
        {"turns": [{"expect": [{"calls": [{"nam": "a"}]}]}]},
        {"turns": [{"expect": [{"calls": [{"name": "a"}], "call": []}]}]},
        {"turns": [steps({"name": "a", "arg": {"x": 1}})]},
        {"turns": [{"expect": [], "expects": []}]},
        {"turns": [steps({"name": "a", "args": {"x": {"regex": "("}}})]},
        {"turns": [steps({"name": 5})]},
    ],
)
def test_bad_parameters_are_not_evaluated(params: dict[str, Any]) -> None:
    found = METRICS["tool_args_v1"](conversation([]), params, 1.0)
    assert found.status == "not_evaluated"
    assert found.score is None
    assert found.reasons[0].startswith("bad parameters: ")


def test_reasons_stay_short_and_printable() -> None:
    hostile = "\u202e" + "x" * 1_000_000 + "\x1b[2J"
    calls = [(i, f"t{i}" + hostile, {"k" + hostile: [hostile] * 3}) for i in range(60)]
    found = judge(conversation(calls), "EXACT", steps(*(f"e{i}" for i in range(60))))
    assert len(found.reasons[0]) < 20_000
    assert found.reasons[0].isprintable()
