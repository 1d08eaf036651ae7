"""Pairs of cases that differ in one input: what must differ in their course, and what must not, compared after both ran.

=========  =============================================================================================
verdict    when
=========  =============================================================================================
PASS       everything named differs, and everything else named is equal
FAIL       it is not so; with two fixed cases it counts as a failed gate (exit code 1), with a simulated one only
           under ``--fail-on-hit``, as a hit does
ERROR      a case broke off, or nothing was there to compare (exit code 3, unless something failed)
SKIPPED    not both cases were chosen for this run
=========  =============================================================================================
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from adk_split_eval.metrics.process.events import NOTHING, Selector, Timeline, state_unknown
from adk_split_eval.metrics.text import show
from adk_split_eval.record import CaseResult, CompiledPlan, Conversation, RunResult

ContrastVerdict = Literal["PASS", "FAIL", "ERROR", "SKIPPED"]
_SHOWN = 160
_NEXT = (
    "Look at how the one input reaches the agent: what must follow it did not, or something else moved with it. The prompt "
    "is only one of the places; reading and passing of the input is the first."
)


@dataclass(slots=True)
class ContrastResult:
    """What came of one contrast; ``blocking``: both cases are fixed ones."""

    name: str
    cases: list[str]
    differ_in: str = ""
    verdict: ContrastVerdict = "PASS"
    reasons: list[str] = field(default_factory=list[str])
    blocking: bool = True

    def to_json(self) -> dict[str, Any]:
        failed = self.verdict in ("FAIL", "ERROR")
        return {
            "name": self.name,
            "cases": self.cases,
            "differ_in": self.differ_in,
            "verdict": self.verdict,
            "reasons": self.reasons,
            "blocking": self.blocking,
            "owner": "agent" if self.verdict == "FAIL" else "",
            "next_step": _NEXT if failed else "",
        }


def judge_contrasts(
    compiled: CompiledPlan, results: list[CaseResult], conversation_of: Callable[[CaseResult], Conversation | None]
) -> list[ContrastResult]:
    """The plan's contrasts over the results of one run, in the plan's order."""
    by_id = {result.case_id: result for result in results}
    stated = cast("list[dict[str, Any]]", compiled.extra.get("contrasts") or [])
    return [_judge(contrast, by_id, conversation_of) for contrast in stated]


def apply_contrasts(
    compiled: CompiledPlan,
    result: RunResult,
    conversation_of: Callable[[CaseResult], Conversation | None],
    *,
    fail_on_hit: bool = False,
) -> None:
    """Put the contrasts' verdicts into the run's result and its exit code."""
    found = judge_contrasts(compiled, result.cases, conversation_of)
    if not found:
        return
    result.extra["contrasts"] = [contrast.to_json() for contrast in found]
    if any(c.verdict == "FAIL" and (c.blocking or fail_on_hit) for c in found):
        result.exit_code = 1
    elif result.exit_code == 0 and any(c.verdict == "ERROR" for c in found):
        result.exit_code = 3


def _judge(
    raw: dict[str, Any],
    by_id: Mapping[str, CaseResult],
    conversation_of: Callable[[CaseResult], Conversation | None],
) -> ContrastResult:
    found = ContrastResult(raw["name"], list(raw["cases"]), raw.get("differ_in", ""))
    missing = [case_id for case_id in found.cases if case_id not in by_id]
    if missing:
        found.verdict = "SKIPPED"
        found.reasons = [f"{', '.join(missing)} did not run"]
        return found
    pair = [by_id[case_id] for case_id in found.cases]
    found.blocking = all(result.set == "fixed" for result in pair)
    conversations: list[Conversation] = []
    for result in pair:
        conversation = conversation_of(result)
        if result.verdict in ("ERROR", "REJECTED") or conversation is None:
            found.verdict = "ERROR"
            found.reasons.append(f"{result.case_id} is {result.verdict}: there is nothing to compare")
        else:
            conversations.append(conversation)
    if len(conversations) == len(pair):
        _compare(raw, found, conversations)
    return found


def _compare(raw: dict[str, Any], found: ContrastResult, pair: list[Conversation]) -> None:
    faults: list[str] = []
    lacking: list[str] = []
    for key, must_differ in (("must_differ", True), ("must_not_differ", False)):
        for entry in cast("list[dict[str, Any]]", raw.get(key) or []):
            selector = Selector.parse(entry["event"], f"{found.name}.{key}")
            what = f"{selector} {entry.get('pick', '')}".strip()
            if any(state_unknown(conversation, [selector]) for conversation in pair):
                lacking.append(f"{what}: the session state is not known")
                continue
            left, right = (picked(conversation, selector, entry.get("pick")) for conversation in pair)
            if not left and not right:
                lacking.append(f"{what}: neither case has any")
            elif _equal(left, right, unordered=bool(entry.get("unordered"))) is must_differ:
                faults.append(_sentence(found, what, left, right, must_differ))
    found.reasons = [*faults, *lacking]
    found.verdict = "FAIL" if faults else "ERROR" if lacking else "PASS"


def picked(conversation: Conversation, selector: Selector, path: str | None) -> list[Any]:
    """The values at ``path`` of the events meant, in raw order; events without a value there are left out."""
    values = [seen.pick(path) for seen in selector.select(Timeline.of(conversation).kept)]
    return [value for value in values if value is not NOTHING]


def _equal(left: list[Any], right: list[Any], *, unordered: bool) -> bool:
    mine, theirs = ([json.dumps(value, sort_keys=True, default=str) for value in values] for values in (left, right))
    return Counter(mine) == Counter(theirs) if unordered else mine == theirs


def _sentence(found: ContrastResult, what: str, left: list[Any], right: list[Any], must_differ: bool) -> str:
    if must_differ:
        return f"{what} must differ and is the same in both: {show(left, _SHOWN)}"
    first, second = found.cases
    return f"{what} must be the same; {first}: {show(left, _SHOWN)}, {second}: {show(right, _SHOWN)}"
