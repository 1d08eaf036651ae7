"""forbidden_tools_v1: tools that must never be called, or not until another call has succeeded.

An invariant, not an expectation: it needs no script. ``until`` is satisfied only by a call in an earlier step or turn
whose response is recorded and is no error (see :func:`~adk_split_eval.metrics.patterns.response_error`). One violation
makes the score 0.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adk_split_eval.metrics.base import Parameters, mapping, only, sequence
from adk_split_eval.metrics.patterns import CallPattern, Placed, failure, placed_calls
from adk_split_eval.record import Conversation, Judgement

NAME = "forbidden_tools_v1"
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class _Ban:
    pattern: CallPattern
    until: CallPattern | None

    def violations(self, calls: list[Placed]) -> list[Placed]:
        """The forbidden calls."""
        if self.until is None:
            return [placed for placed in calls if self.pattern.fits(placed.call)]
        until = self.until
        release = next((p.position for p in calls if until.fits(p.call) and failure(p.call) is None), None)
        return [p for p in calls if self.pattern.fits(p.call) and (release is None or p.position <= release)]

    def line(self, forbidden: Placed, calls: list[Placed]) -> str:
        """What to say about one forbidden call; looks through all calls, so it is asked only for what is shown."""
        if self.until is None:
            return f"{forbidden} is forbidden"
        return f"{forbidden} is forbidden until {self.until} has succeeded; {self._so_far(forbidden, calls)}"

    def _so_far(self, forbidden: Placed, calls: list[Placed]) -> str:
        assert self.until is not None
        tries = [
            p for p in calls if self.until.fits(p.call) and p.position <= forbidden.position and p is not forbidden
        ]
        if not tries:
            return "no such call came earlier"
        last = tries[-1]
        if last.position == forbidden.position:
            return "it was called in parallel, not earlier"
        return f"{last} did not: {failure(last.call)}"


def judge(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params``: ``{"forbidden": [{"name", "args"?, "until"?: pattern}]}``."""
    only(params, {"forbidden"}, NAME)
    bans = [_parse(raw, f"forbidden[{i}]") for i, raw in enumerate(sequence(params.get("forbidden", []), "forbidden"))]
    if not bans:
        return Judgement.not_applicable()
    calls = list(placed_calls(conversation))
    violations = [(ban, placed) for ban in bans for placed in ban.violations(calls)]
    lines = [ban.line(placed, calls) for ban, placed in violations[:_SHOWN]]
    if violations and conversation.flat and not _certain(bans, calls):
        return Judgement.not_evaluated(*lines, "the recording does not say which response belongs to which call")
    if len(violations) > _SHOWN:
        lines.append(f"and {len(violations) - _SHOWN} more")
    return Judgement.scored(0.0 if violations else 1.0, threshold, lines)


def _certain(bans: list[_Ban], calls: list[Placed]) -> bool:
    """Whether a violation in a flat recording stands even if every call whose response is not recorded succeeded."""
    for ban in bans:
        until = ban.until
        if until is None:
            if ban.violations(calls):
                return True
            continue
        release = next(
            (p.position for p in calls if until.fits(p.call) and (not p.call.answered or failure(p.call) is None)), None
        )
        if any(ban.pattern.fits(p.call) and (release is None or p.position <= release) for p in calls):
            return True
    return False


def _parse(raw: Any, where: str) -> _Ban:
    if isinstance(raw, str):
        return _Ban(CallPattern(raw), None)
    entry = mapping(raw, where)
    only(entry, {"name", "args", "until"}, where)
    until = entry.get("until")
    pattern = CallPattern.parse({key: entry[key] for key in ("name", "args") if key in entry}, where)
    return _Ban(pattern, None if until is None else CallPattern.parse(until, f"{where}.until"))
