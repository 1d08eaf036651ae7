"""tool_order_v1: one tool before another, over the whole conversation.

A rule fails when a call that fits ``after`` has no call that fits ``before`` in an earlier step or turn, and when either
never comes at all. Calls of one step are parallel: neither is earlier. The score is the share of rules that hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adk_split_eval.metrics.base import Parameters, mapping, only, sequence
from adk_split_eval.metrics.patterns import CallPattern, Placed, placed_calls
from adk_split_eval.record import Conversation, Judgement

NAME = "tool_order_v1"


@dataclass(frozen=True, slots=True)
class _Rule:
    before: CallPattern
    after: CallPattern

    def complaint(self, calls: list[Placed]) -> str | None:
        befores = [placed for placed in calls if self.before.fits(placed.call)]
        afters = [placed for placed in calls if self.after.fits(placed.call)]
        if not afters:
            return f"{self.after} is never called"
        if not befores:
            return f"{self.before} is never called, but {afters[0]}"
        if befores[0].position < afters[0].position:
            return None
        if befores[0].position == afters[0].position:
            return f"{afters[0]} is called in parallel with {befores[0].call.name}, not after it"
        return f"{afters[0]} comes before {befores[0]}"


def judge(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params``: ``{"rules": [{"before": pattern, "after": pattern}]}``."""
    only(params, {"rules"}, NAME)
    rules = [_parse(raw, f"rules[{index}]") for index, raw in enumerate(sequence(params.get("rules", []), "rules"))]
    if not rules:
        return Judgement.not_applicable()
    calls = list(placed_calls(conversation))
    reasons: list[str] = []
    for rule in rules:
        complaint = rule.complaint(calls)
        if complaint:
            reasons.append(f"{rule.before} must come before {rule.after}: {complaint}")
    return Judgement.scored(1 - len(reasons) / len(rules), threshold, reasons)


def _parse(raw: Any, where: str) -> _Rule:
    entry = mapping(raw, where)
    only(entry, {"before", "after"}, where)
    return _Rule(
        CallPattern.parse(entry.get("before"), f"{where}.before"),
        CallPattern.parse(entry.get("after"), f"{where}.after"),
    )
