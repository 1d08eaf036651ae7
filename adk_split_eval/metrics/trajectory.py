"""tool_args_v1: expected calls with their arguments, by value or matcher, parallel calls as a set.

Expected calls come in steps; a step with several calls is a parallel set and has no order inside. Calls of one actual
step (one model answer) have no order among them either, and a set need not arrive in one step, nor a step hold one set.

* EXACT: the expected calls and no others, in an order both sides allow.
* IN_ORDER: the expected calls in an order both sides allow; others may come between.
* ANY_ORDER: the expected calls, in whatever order; others may come.

Pairs are a maximum matching, never a first fit. A turn that expects no calls must have none under any match type. The
score is the share of annotated turns that match. A flat recording, whose calls belong to no turn, is compared as a
whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal, cast, get_args

from adk_split_eval.metrics.base import Parameters, mapping, missing_turn, only, sequence, text, turn_parameters
from adk_split_eval.metrics.differences import Difference
from adk_split_eval.metrics.matching import FREE, match_in_order, maximum_matching
from adk_split_eval.metrics.text import quote, show_call
from adk_split_eval.metrics.values import ParameterError, iter_key_differences, require_sound
from adk_split_eval.record import Call, Conversation, Judgement, Row

NAME = "tool_args_v1"
MatchType = Literal["EXACT", "IN_ORDER", "ANY_ORDER"]


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """One expected call.

    Attributes:
        args: expected arguments by value or matcher; None accepts any.
        exact: the call has these arguments and no others.
        as_literal: values are compared as they are; nothing in them is a matcher.
    """

    name: str
    args: Mapping[str, Any] | None = None
    exact: bool = False
    as_literal: bool = False

    def fits(self, call: Call) -> bool:
        """Whether ``call`` is the one expected."""
        return call.name == self.name and next(self._iterate(call), None) is None

    def differences(self, call: Call) -> list[Difference]:
        """Where the arguments of ``call`` are not the expected ones."""
        return list(self._iterate(call))

    def _iterate(self, call: Call) -> Any:
        expected = self.args or {}
        return iter_key_differences(expected, call.args, "args", exact=self.exact, as_literal=self.as_literal)

    def __str__(self) -> str:
        return show_call(self.name, self.args if self.exact else self.args or None)


ExpectedSteps = Sequence[Sequence[ExpectedCall]]


@dataclass(slots=True)
class TurnMatch:
    """How the calls of one turn compare.

    Attributes:
        matched: whether they are what was expected.
        reasons: on a mismatch what is missing, too many, in the wrong order, and where the nearest call differs.
        pairs: (expected, actual) indices of the matching, calls counted in order; on a mismatch a largest one.
    """

    matched: bool
    reasons: list[str] = field(default_factory=list[str])
    pairs: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


def exact_steps(calls: Sequence[tuple[str, Mapping[str, Any]]]) -> list[list[ExpectedCall]]:
    """Expected steps of a plain list of calls: each its own step, arguments as a whole and literally."""
    return [[ExpectedCall(name, args, exact=True, as_literal=True)] for name, args in calls]


def parse_steps(raw: Any, where: str = "expect") -> list[list[ExpectedCall]]:
    """Read ``[{"calls": [{"name", "args"?, "args_exact"?}, ...]}, ...]``.

    Raises:
        ParameterError: it is not of that shape, or holds an unusable matcher.
    """
    steps: list[list[ExpectedCall]] = []
    for index, step in enumerate(sequence(raw, where)):
        place = f"{where}[{index}]"
        entry = mapping(step, place)
        only(entry, {"calls"}, place)
        calls = sequence(entry.get("calls"), f"{place}.calls")
        steps.append([_parse_call(call, f"{place}.calls[{number}]") for number, call in enumerate(calls)])
    return steps


def _parse_call(raw: Any, where: str) -> ExpectedCall:
    entry = mapping(raw, where)
    only(entry, {"name", "args", "args_exact"}, where)
    args = entry.get("args")
    if args is not None:
        for key, value in mapping(args, f"{where}.args").items():
            require_sound(value, f"{where}.args.{key}")
    return ExpectedCall(text(entry.get("name"), f"{where}.name"), args, exact=entry.get("args_exact") is True)


def match_trajectory(expected_steps: ExpectedSteps, actual_calls: Sequence[Call], match_type: MatchType) -> TurnMatch:
    """Compare the calls of one turn with the expected ones. ``actual_calls`` may come in any list order."""
    steps = [step for step in expected_steps if step]
    expected = [call for step in steps for call in step]
    actual = sorted(actual_calls, key=lambda call: call.step)
    fits = _Fits(expected, actual)
    if not expected and not actual:
        return TurnMatch(True)
    if expected:
        groups = [len(step) for step in steps]
        sizes = [len(list(calls)) for _, calls in groupby(actual, key=lambda call: call.step)]
        pairs = _pairs(groups, sizes, fits, match_type)
        if pairs is not None:
            return TurnMatch(True, pairs=pairs)
    from adk_split_eval.metrics.trajectory_reasons import explain

    reasons, pairs = explain(expected, actual, fits.edges(), match_type)
    return TurnMatch(False, reasons, pairs)


class _Fits:
    """Which expected call fits which actual one, each pair compared once."""

    def __init__(self, expected: Sequence[ExpectedCall], actual: Sequence[Call]) -> None:
        self.expected = expected
        self.actual = actual
        self.known: dict[tuple[int, int], bool] = {}

    def __call__(self, left: int, right: int) -> bool:
        answer = self.known.get((left, right))
        if answer is None:
            answer = self.expected[left].fits(self.actual[right])
            self.known[left, right] = answer
        return answer

    def edges(self) -> list[list[int]]:
        by_name: dict[str, list[int]] = {}
        for index, call in enumerate(self.actual):
            by_name.setdefault(call.name, []).append(index)
        return [
            [right for right in by_name.get(call.name, []) if self(left, right)]
            for left, call in enumerate(self.expected)
        ]


def _pairs(groups: list[int], sizes: list[int], fits: _Fits, match_type: MatchType) -> list[tuple[int, int]] | None:
    """The matching that the match type asks for; None when there is none."""
    left, right = sum(groups), sum(sizes)
    if left > right or (match_type == "EXACT" and left != right):
        return None
    if match_type == "IN_ORDER":
        partner = match_in_order(groups, sizes, fits)
    elif match_type == "ANY_ORDER":
        partner = maximum_matching(fits.edges(), right)
    else:
        partner = maximum_matching(_overlapping(groups, sizes, fits), right)
    if partner is None or FREE in partner:
        return None
    return list(enumerate(partner))


def _overlapping(groups: list[int], sizes: list[int], fits: _Fits) -> list[list[int]]:
    """Edges between calls whose set and step share a position.

    Sets and steps cut the same row of positions into intervals. Where a perfect matching uses only overlapping pairs,
    set and step exchange exactly as many calls as they overlap (their overlaps form a forest, on which the amounts are
    determined), so an order that both sides allow exists; and every such order gives such a matching.
    """
    steps = _intervals(sizes)
    edges: list[list[int]] = []
    start = 0
    for size in groups:
        end = start + size
        low, high = steps[start][0], steps[end - 1][1]
        edges.extend([right for right in range(low, high) if fits(left, right)] for left in range(start, end))
        start = end
    return edges


def _intervals(sizes: list[int]) -> list[tuple[int, int]]:
    """For each position the interval it lies in."""
    intervals: list[tuple[int, int]] = []
    start = 0
    for size in sizes:
        intervals.extend([(start, start + size)] * size)
        start += size
    return intervals


def judge(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params``: ``{"match_type": ..., "turns": [{"expect": [step, ...]} | null]}``."""
    only(params, {"match_type", "turns"}, NAME)
    match_type = _match_type(params.get("match_type", "EXACT"))
    turns: list[list[list[ExpectedCall]] | None] = []
    for index, entry in enumerate(turn_parameters(params)):
        if entry is not None:
            only(entry, {"expect"}, f"turns[{index}]")
        turns.append(None if entry is None else parse_steps(entry.get("expect"), f"turns[{index}].expect"))
    annotated = [index for index, steps in enumerate(turns) if steps is not None]
    if not annotated:
        return Judgement.not_applicable()
    if conversation.flat:
        return _judge_flat(conversation, turns, match_type, threshold)
    return _judge_turns(conversation, turns, match_type, threshold)


def _judge_turns(
    conversation: Conversation,
    turns: list[list[list[ExpectedCall]] | None],
    match_type: MatchType,
    threshold: float,
) -> Judgement:
    rows = [Row("not_applicable") for _ in conversation.turns]
    reasons: list[str] = []
    good = count = 0
    for index, steps in enumerate(turns):
        if steps is None:
            continue
        count += 1
        if index >= len(rows):
            reasons.append(f"turn {index + 1}: {missing_turn(conversation)}")
            continue
        found = match_trajectory(steps, conversation.turns[index].tool_calls, match_type)
        good += found.matched
        lines = [] if found.matched else [f"turn {index + 1}: {'; '.join(found.reasons)}"]
        reasons.extend(lines)
        rows[index] = Row("passed" if found.matched else "failed", float(found.matched), lines)
    return Judgement.scored(good / count, threshold, reasons, rows)


def _judge_flat(
    conversation: Conversation,
    turns: list[list[list[ExpectedCall]] | None],
    match_type: MatchType,
    threshold: float,
) -> Judgement:
    if any(steps is None for steps in turns):
        return Judgement.not_evaluated(
            "the recording does not say which call belongs to which turn, and some turns have no expected calls"
        )
    expected = [step for steps in turns for step in steps or []]
    calls: list[Call] = []
    for turn in conversation.turns:
        offset = calls[-1].step + 1 if calls else 0
        calls.extend(
            Call(call.name, call.args, call.response, offset + call.step, call.author, call.answered)
            for call in sorted(turn.tool_calls, key=lambda c: c.step)
        )
    found = match_trajectory(expected, calls, match_type)
    reasons = [] if found.matched else [f"whole conversation: {'; '.join(found.reasons)}"]
    return Judgement.scored(float(found.matched), threshold, reasons)


def _match_type(value: Any) -> MatchType:
    if value not in get_args(MatchType):
        raise ParameterError(f"match_type {quote(str(value), 40)} is none of {', '.join(get_args(MatchType))}")
    return cast(MatchType, value)
