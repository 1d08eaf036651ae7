"""What is asked of a run: its options, the cases it selects, and a run that is about to start."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from adk_split_eval.record import Case, CompiledPlan, Finding
from adk_split_eval.record.runs import RunFolder
from adk_split_eval.run.engine import EngineOptions, Progress
from adk_split_eval.run.packed import pick


class RunError(Exception):
    """The run cannot start (exit code 2). ``findings`` say why, with places, when files are at fault."""

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = list(findings)


@dataclass(slots=True)
class RunOptions:
    """How to run a plan.

    Attributes:
        only: run one half only.
        case_ids: run these cases only; an id that matches nothing is a :class:`RunError`.
        trials: overrides the plan's.
        fresh: never resume an interrupted run.
        resume: take up this run (an id, its beginning, ``latest``), finished or not, whatever has changed since: units
            that the change touches run again, as do those that ended in an ERROR.
        root: project root for the runs folder; looked up from the working directory when None.
        processes: in how many units run; None wakes up to 4, one for each processor, once one of them is the limit.
        write_candidates: put hits into the plan's probe pool.
    """

    only: Literal["fixed", "simulated"] | None = None
    case_ids: Sequence[str] = ()
    trials: int | None = None
    jobs: int | None = None
    processes: int | None = 1
    fresh: bool = False
    resume: str | None = None
    fail_on_hit: bool = False
    shared_agent: bool = False
    write_candidates: bool = True
    root: Path | None = None
    progress: Progress | None = None
    engine: EngineOptions = field(default_factory=EngineOptions)

    def selection(self, compiled: CompiledPlan) -> str:
        """What is run, in the words of the command line: runs of another selection are other runs."""
        only = [f"--only {self.only}"] if self.only else []
        cases = [f"--case {case_id}" for case_id in sorted(set(self.case_ids))]
        return " ".join([*compiled.extra.get("selectors", []), *only, *cases]) or "the whole plan"


@dataclass(slots=True)
class Prepared:
    """A run about to start."""

    compiled: CompiledPlan
    cases: Sequence[Case]
    folder: RunFolder
    fingerprint: str
    started_at: str
    resumed: int = 0
    on_request: bool = False
    notes: list[str] = field(default_factory=list[str])


def select(compiled: CompiledPlan, options: RunOptions) -> Sequence[Case]:
    """The cases that run, in the plan's order.

    Raises:
        RunError: a case id matches nothing, or nothing is left to run.
    """
    cases = pick(compiled.cases, lambda c: options.only is None or c.set == options.only)
    if options.case_ids:
        known = {c.case_id for c in cases}
        unknown = [i for i in options.case_ids if i not in known]
        if unknown:
            import difflib

            folded = {i.casefold(): i for i in sorted(known)}
            near = [folded[n] for n in difflib.get_close_matches(unknown[0].casefold(), folded, 1)]
            hint = f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(sorted(known)) or 'none'}"
            where = f" in the {options.only} set" if options.only else ""
            raise RunError(f"ASE901 no case {unknown[0]!r}{where}{hint}")
        asked = frozenset(options.case_ids)
        cases = pick(cases, lambda c: c.case_id in asked)
    if not cases:
        what = f"{options.only} cases" if options.only else "cases"
        raise RunError(f"ASE902 {compiled.plan_id}: there are no {what} to run")
    return cases


def new_run_id() -> str:
    """Sortable by time, unique without a clock that never stands still: ``20261130T154500Z-3fa9c1``."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
