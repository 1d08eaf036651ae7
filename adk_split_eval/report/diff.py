"""What changed between two runs: verdicts, hits, criteria and scores, case by case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from adk_split_eval.record.case import Half
from adk_split_eval.record.result import CaseResult, CriterionResult, RunResult
from adk_split_eval.report import view

ChangeKind = Literal["regressed", "new_hit", "fixed", "hit_gone", "changed", "added", "removed", "criteria"]

CHANGE_ORDER: tuple[ChangeKind, ...] = (
    "regressed", "new_hit", "changed", "fixed", "hit_gone", "added", "removed", "criteria",
)  # fmt: skip
CHANGE_WORDS: dict[ChangeKind, str] = {
    "regressed": "regressed: green before, not green now",
    "new_hit": "new hits of the probe",
    "changed": "another verdict, not green before or now",
    "fixed": "fixed: green now",
    "hit_gone": "hits no longer found (a probe improvises: not found is not yet fixed)",
    "added": "only in the second run",
    "removed": "only in the first run",
    "criteria": "same verdict, criteria changed",
}
SCORE_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class CriterionChange:
    """One criterion before and after; a status of None means the run did not have it."""

    name: str
    kind: str
    before: str | None
    after: str | None
    score_before: float | None
    score_after: float | None

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "before": self.before,
            "after": self.after,
            "score_before": self.score_before,
            "score_after": self.score_after,
        }

    def text(self) -> str:
        """``name: passed 1.00 → failed 0.50``."""
        return f"{self.name}: {_state(self.before, self.score_before)} → {_state(self.after, self.score_after)}"


@dataclass(frozen=True, slots=True)
class CaseChange:
    """One case that differs. ``reasons`` are those of the second run, of the first where the case is gone."""

    kind: ChangeKind
    set: Half
    case_id: str
    before: str | None
    after: str | None
    reasons: tuple[str, ...] = ()
    criteria: tuple[CriterionChange, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "change": self.kind,
            "set": self.set,
            "case_id": self.case_id,
            "before": self.before,
            "after": self.after,
            "reasons": list(self.reasons),
            "criteria": [c.to_json() for c in self.criteria],
        }


@dataclass(slots=True)
class RunDiff:
    """The whole comparison, ``schema_version`` 1. ``circumstances`` names what else differed (versions, plan)."""

    first: str
    second: str
    exit_before: int
    exit_after: int
    changes: list[CaseChange] = field(default_factory=list[CaseChange])
    unchanged: int = 0
    circumstances: list[str] = field(default_factory=list[str])

    def to_json(self) -> dict[str, Any]:
        return {
            "schema_version": 1,
            "first": self.first,
            "second": self.second,
            "exit_code": {"before": self.exit_before, "after": self.exit_after},
            "circumstances": self.circumstances,
            "changes": [c.to_json() for c in self.changes],
            "unchanged": self.unchanged,
        }


def diff_runs(first: RunResult, second: RunResult) -> RunDiff:
    """Compare two runs, the older first. Changes come worst first, within one kind in the plan's order."""
    diff = RunDiff(first.run_id, second.run_id, first.exit_code, second.exit_code)
    diff.circumstances = _circumstances(first, second)
    before = {(c.set, c.case_id): c for c in first.cases}
    after = {(c.set, c.case_id): c for c in second.cases}
    for key in [*after, *(k for k in before if k not in after)]:
        change = _case_change(before.get(key), after.get(key))
        if change is None:
            diff.unchanged += 1
        else:
            diff.changes.append(change)
    diff.changes.sort(key=lambda change: CHANGE_ORDER.index(change.kind))
    return diff


def _circumstances(first: RunResult, second: RunResult) -> list[str]:
    pairs = {
        "plan": (first.plan_id, second.plan_id),
        "google-adk": (first.adk_version, second.adk_version),
        "adk-split-eval": (first.tool_version, second.tool_version),
    }
    for key in ("models", "agent_version"):
        pairs[key] = (str(first.extra.get(key, "")), str(second.extra.get(key, "")))
    return [f"{name}: {old or '-'} → {new or '-'}" for name, (old, new) in pairs.items() if old != new]


def _case_change(old: CaseResult | None, new: CaseResult | None) -> CaseChange | None:
    case = new or old
    if case is None:
        return None
    verdicts = (old.verdict if old else None, new.verdict if new else None)
    reasons = tuple(view.reasons_of(case))
    if old is None or new is None:
        return CaseChange("removed" if new is None else "added", case.set, case.case_id, *verdicts, reasons)
    criteria = _criterion_changes(old.criteria, new.criteria)
    if old.verdict == new.verdict:
        return CaseChange("criteria", case.set, case.case_id, *verdicts, reasons, criteria) if criteria else None
    return CaseChange(_kind(old.verdict, new.verdict), case.set, case.case_id, *verdicts, reasons, criteria)


def _kind(old: str, new: str) -> ChangeKind:
    if new == "HIT":
        return "new_hit"
    if new in view.GREEN:
        return "hit_gone" if old == "HIT" else "fixed"
    if old in view.GREEN:
        return "regressed"
    return "hit_gone" if old == "HIT" else "changed"


def _criterion_changes(old: list[CriterionResult], new: list[CriterionResult]) -> tuple[CriterionChange, ...]:
    before = {c.name: c for c in old if c.status != "informational"}
    after = {c.name: c for c in new if c.status != "informational"}
    changes: list[CriterionChange] = []
    for name in dict.fromkeys([*before, *after]):
        was, now = before.get(name), after.get(name)
        known = now or was
        if known is None or (was and now and was.status == now.status and _same(was.score, now.score)):
            continue
        changes.append(
            CriterionChange(
                name,
                known.kind,
                was.status if was else None,
                now.status if now else None,
                was.score if was else None,
                now.score if now else None,
            )
        )
    return tuple(changes)


def _same(old: float | None, new: float | None) -> bool:
    if old is None or new is None:
        return old is new
    return old == new or abs(old - new) <= SCORE_TOLERANCE or (old != old and new != new)


def _state(status: str | None, score: float | None) -> str:
    if status is None:
        return "not there"
    word = view.STATUS_WORDS.get(status, status)
    return word if score is None else f"{word} {view.number_text(score)}"
