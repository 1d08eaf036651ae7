"""The trend over stored runs: verdicts, hit rate, flaky cases, and a warning when the probe has gone dry."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adk_split_eval.record.result import RunResult
from adk_split_eval.record.runs import RunNotFoundError, list_runs, load_result

DRY_SPELL = 10
"""After so many probe runs in a row without a hit the probe itself is questioned."""
LAST = 20
SCAN_LIMIT = 200
"""Runs read at most (beyond those shown) to find out how long a dry spell is."""

_DRY_SPELL_MEND = (
    "A probe that never hits may have gone stale rather than the agent sound. Vary what it varies: other personas "
    "(`adk-split-eval personas`), new starting prompts and goals taken from real complaints, another simulator model or "
    "temperature, more `trials`; then plant a known fault in the agent and see that the probe finds it."
)


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run in a line. ``hit_rate`` is HIT over HIT and OK (the conversations that say something), None without any."""

    run_id: str
    plan_id: str
    started_at: str
    exit_code: int
    counts: dict[str, dict[str, int]]
    flaky: tuple[str, ...]

    @property
    def probed(self) -> int:
        simulated = self.counts.get("simulated", {})
        return simulated.get("HIT", 0) + simulated.get("OK", 0)

    @property
    def hits(self) -> int:
        return self.counts.get("simulated", {}).get("HIT", 0)

    @property
    def hit_rate(self) -> float | None:
        return self.hits / self.probed if self.probed else None

    def to_json(self) -> dict[str, Any]:
        return {
            "run_id": self.run_id,
            "plan_id": self.plan_id,
            "started_at": self.started_at,
            "exit_code": self.exit_code,
            "counts": self.counts,
            "hit_rate": self.hit_rate,
            "flaky": list(self.flaky),
        }


@dataclass(slots=True)
class History:
    """Runs of one project, oldest first, ``schema_version`` 1."""

    runs: list[RunLine] = field(default_factory=list[RunLine])
    dry_spells: dict[str, int] = field(default_factory=dict[str, int])
    warnings: list[str] = field(default_factory=list[str])

    def flaky(self) -> dict[str, int]:
        """``plan/set/case`` → number of runs in which its trials disagreed, the most frequent first."""
        counted: dict[str, int] = {}
        for run in self.runs:
            for name in run.flaky:
                counted[f"{run.plan_id}/{name}"] = counted.get(f"{run.plan_id}/{name}", 0) + 1
        return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))

    def to_json(self) -> dict[str, Any]:
        return {
            "schema_version": 1,
            "runs": [run.to_json() for run in self.runs],
            "flaky": self.flaky(),
            "dry_spells": self.dry_spells,
            "warnings": self.warnings,
        }


def read_history(
    root: Path | None = None, *, plan_id: str | None = None, last: int = LAST, dry_spell: int = DRY_SPELL
) -> History:
    """The last runs under a project root.

    Args:
        root: project root; looked up when None.
        plan_id: only runs of this plan.
        last: how many runs to show; more are read where the dry spell needs them.
        dry_spell: probe runs in a row without a hit that raise the warning; 0 never warns.
    """
    history = History()
    lines: list[RunLine] = []
    for folder in reversed(list_runs(root)):
        if len(lines) >= last and (len(lines) >= SCAN_LIMIT or _settled(lines, dry_spell)):
            break
        try:
            result = load_result(folder)
        except RunNotFoundError as error:
            history.warnings.append(f"left out: {error}")
            continue
        if plan_id is None or result.plan_id == plan_id:
            lines.append(_line(result))
    lines.reverse()
    history.runs = lines[-last:] if last > 0 else []
    history.dry_spells = dry_spells(lines)
    if dry_spell:
        history.warnings += [
            f"{plan}: the last {length} probe runs found nothing. {_DRY_SPELL_MEND}"
            for plan, length in history.dry_spells.items()
            if length >= dry_spell
        ]
    return history


def _settled(newest_first: list[RunLine], dry_spell: int) -> bool:
    """Whether older runs can no longer change who has a dry spell: each plan had a hit, or enough runs without one."""
    without: dict[str, int] = {}
    hit: set[str] = set()
    for run in newest_first:
        without.setdefault(run.plan_id, 0)
        if run.hits:
            hit.add(run.plan_id)
        elif run.probed:
            without[run.plan_id] += 1
    return all(plan in hit or count >= dry_spell for plan, count in without.items())


def _line(result: RunResult) -> RunLine:
    flaky = tuple(f"{case.set}/{case.case_id}" for case in result.cases if case.flaky)
    return RunLine(result.run_id, result.plan_id, result.started_at, result.exit_code, result.counts(), flaky)


def dry_spells(runs: list[RunLine]) -> dict[str, int]:
    """For each plan, how many of its latest probe runs in a row had no hit; runs in which the probe said nothing do not count."""
    spells: dict[str, int] = {}
    for run in runs:
        if run.probed:
            spells[run.plan_id] = 0 if run.hits else spells.get(run.plan_id, 0) + 1
    return spells
