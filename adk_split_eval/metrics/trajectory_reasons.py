"""Why the calls of a turn are not the expected ones: missing, too many, other arguments, wrong order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from adk_split_eval.metrics.differences import summary
from adk_split_eval.metrics.matching import FREE, maximum_matching
from adk_split_eval.metrics.text import escape, show_call
from adk_split_eval.record import Call

if TYPE_CHECKING:
    from adk_split_eval.metrics.trajectory import ExpectedCall

_SHOWN = 8
_COUNT_WORDS = {1: "once", 2: "twice"}
_NEAREST_TRIED = 50


def explain(
    expected: Sequence[ExpectedCall], actual: Sequence[Call], edges: list[list[int]], match_type: str
) -> tuple[list[str], list[tuple[int, int]]]:
    """Reasons of a mismatch, and a largest matching of the calls regardless of order."""
    partner = maximum_matching(edges, len(actual))
    pairs = [(left, right) for left, right in enumerate(partner) if right != FREE]
    taken = {right for _, right in pairs}
    spare = [right for right in range(len(actual)) if right not in taken]
    missing = [left for left, right in enumerate(partner) if right == FREE]
    if not expected:
        return [f"{line} called, but the turn expects no calls" for line in _counted(actual, spare)], pairs
    fitting = {right for found in edges for right in found}
    reasons, explained = _missing_reasons(expected, actual, missing, spare, fitting)
    left_over = [right for right in spare if right not in explained]
    if match_type != "EXACT":
        # Extra calls are allowed here; a surplus of a tool that lacks a call is said because it explains the lack.
        lacking = {expected[left].name for left in missing}
        left_over = [right for right in left_over if right in fitting and actual[right].name in lacking]
    reasons.extend(_spare_reasons(actual, left_over, fitting))
    if not reasons:
        reasons.append(_order_reason(expected, actual, match_type))
    return _cut(reasons) + _hints(expected, actual, missing), pairs


def _missing_reasons(
    expected: Sequence[ExpectedCall],
    actual: Sequence[Call],
    missing: list[int],
    spare: list[int],
    fitting: set[int],
) -> tuple[list[str], set[int]]:
    """One reason a missing call, with the difference of the nearest spare call of the same tool, if there is one."""
    reasons: list[str] = []
    explained: set[int] = set()
    for left in missing:
        # A surplus of another expected call is reported as such; it is no failed attempt at this one.
        candidates = [
            right
            for right in spare
            if actual[right].name == expected[left].name and right not in explained and right not in fitting
        ][:_NEAREST_TRIED]
        if not candidates:
            reasons.append(f"{expected[left]} missing")
            continue
        differences = {right: expected[left].differences(actual[right]) for right in candidates}
        nearest = min(candidates, key=lambda right: len(differences[right]))
        explained.add(nearest)
        call = show_call(actual[nearest].name, actual[nearest].args)
        reasons.append(f"{expected[left]} missing; nearest call {call} differs: {summary(differences[nearest])}")
    return reasons, explained


def _spare_reasons(actual: Sequence[Call], spare: list[int], fitting: set[int]) -> list[str]:
    surplus = [right for right in spare if right in fitting]
    unknown = [right for right in spare if right not in fitting]
    lines = [f"{text} {_COUNT_WORDS.get(count, f'{count} times')} too many" for text, count in _tally(actual, surplus)]
    return lines + [f"{line} not expected" for line in _counted(actual, unknown)]


def _tally(actual: Sequence[Call], indices: list[int]) -> list[tuple[str, int]]:
    return list(Counter(show_call(actual[index].name, actual[index].args) for index in indices).items())


def _counted(actual: Sequence[Call], indices: list[int]) -> list[str]:
    return [text if count == 1 else f"{text} ({count} times)" for text, count in _tally(actual, indices)]


def _order_reason(expected: Sequence[ExpectedCall], actual: Sequence[Call], match_type: str) -> str:
    """All calls are there, so only their order can be wrong."""
    names = [call.name for call in expected]
    same_tool = len(set(names)) < len(names)
    wanted = [str(call) if same_tool else escape(call.name) for call in expected]
    relevant = set(names)
    had = [
        show_call(call.name, call.args if same_tool else None)
        for call in actual
        if match_type == "EXACT" or call.name in relevant
    ]
    return f"wrong order: expected {_sequence(wanted)}, got {_sequence(had)}"


def _sequence(texts: list[str]) -> str:
    shown = ", ".join(texts[:12])
    return f"{shown}, … ({len(texts)} calls)" if len(texts) > 12 else shown


def _cut(reasons: list[str]) -> list[str]:
    if len(reasons) <= _SHOWN:
        return reasons
    return [*reasons[:_SHOWN], f"and {len(reasons) - _SHOWN} more"]


def _hints(expected: Sequence[ExpectedCall], actual: Sequence[Call], missing: list[int]) -> list[str]:
    """ADK records the call of an agent used as a tool (its only argument is ``request``), not what happens inside."""
    called = {call.name for call in actual}
    hidden = sorted({expected[left].name for left in missing} - called)
    outer = sorted({call.name for call in actual if set(call.args) == {"request"}})
    if not hidden or not outer:
        return []
    return [
        f"hint: {escape(', '.join(hidden)[:200])} is never seen; {escape(', '.join(outer)[:200])} looks like an agent used as a tool, and "
        "calls inside an agent used as a tool are not recorded by ADK"
    ]
