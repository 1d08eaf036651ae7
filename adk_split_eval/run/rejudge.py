"""Stored conversations judged anew, with the plan as it is now: a new run in which nobody acts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from adk_split_eval import __version__
from adk_split_eval.record import Case, CompiledPlan, RunResult, TrialResult
from adk_split_eval.record.runs import RunFolder, run_folder
from adk_split_eval.run import adk as border
from adk_split_eval.run import journal as stores
from adk_split_eval.run.asked import Prepared, RunError, RunOptions, new_run_id, select
from adk_split_eval.run.closing import assemble, finish, stored_conversations
from adk_split_eval.run.engine import Engine, EngineOptions, judge_subject, retry_warnings
from adk_split_eval.run.journal import Journal, StoredUnit, Unit
from adk_split_eval.run.judge import Subject
from adk_split_eval.run.loop import run_loop
from adk_split_eval.run.marks import judging_hash, marks_of, words_hash
from adk_split_eval.run.observe import Watcher
from adk_split_eval.run.packed import pack_plan, pick
from adk_split_eval.run.score import NO_TRACE, judge_recorded, ready_models

CHANGED = (
    "the case has changed since this conversation was held (words, persona, goal or state): let the agent act again"
)
CHUNK = 50


def score_stored(compiled: CompiledPlan, source: RunFolder, options: RunOptions) -> RunResult:
    """Judge every trial of a stored run anew and store the result as a run of its own.

    Raises:
        RunError: the run holds no conversations or is another plan's, nothing is to be judged, or ADK is missing.
    """
    try:
        border.load()
    except border.AdkMissingError as error:
        raise RunError(f"ASE905 {error}") from error
    if not source.journal.is_file():
        raise RunError(f"ASE909 {source.path}: this run has no journal, its conversations are not stored")
    folder = run_folder(new_run_id(), options.root)
    with Journal(source.journal) as stored:
        _check_plan(stored, source, compiled)
        known = stored.known()
        if not known:
            raise RunError(f"ASE909 {source.path}: this run holds no conversation, there is nothing to judge")
        cases = select(compiled, options)
        halves = {unit.half for unit in known}
        if not options.case_ids:
            cases = pick(cases, lambda c: c.set in halves)
        if not cases:
            raise RunError(f"ASE902 run {source.run_id} has no conversation of any case of {compiled.plan_id}")
        pack_plan(compiled)
        ready_models(compiled, cases)
        prepared = Prepared(compiled, cases, folder, "", datetime.now(UTC).isoformat(timespec="seconds"))
        engine_options = options.engine
        engine_options.trials = max(unit.trial for unit in known) + 1
        engine_options.jobs = options.jobs
        engine_options.marks = marks_of(compiled, border.adk_version())
        with Journal(folder.journal) as journal:
            _introduce(journal, prepared, source, engine_options.trials)
            changed = _take_over(stored, journal, cases, known)
            engine = _Rejudging(compiled, engine_options, journal, changed)
            results = run_loop(lambda: engine.run(cases, options.progress), blocked_after=engine.patience)
            result = assemble(prepared, results, options)
            result.notes += _notes(compiled, source, known, halves, options)
            finish(prepared, result, options, stored_conversations(journal), None, journal if engine.spilled else None)
    return result


class _Rejudging(Engine):
    """The scheduler without an agent: a unit is the stored conversation, judged."""

    def __init__(
        self, compiled: CompiledPlan, options: EngineOptions, journal: Journal, changed: frozenset[Unit]
    ) -> None:
        super().__init__(compiled, None, options, journal)
        self._changed = changed
        self._app_name = Path(compiled.agent_dir).name if compiled.agent_dir else "agent"

    def _stored(self, unit: Unit, case: Case) -> StoredUnit | None:
        return self.journal.get(unit) if self.journal is not None and unit in self._known else None

    async def _act_and_judge(
        self, case: Case, unit: Unit, seed: int, watcher: Watcher, stored: StoredUnit | None
    ) -> TrialResult:
        if stored is None:
            cause = CHANGED if unit in self._changed else NO_TRACE
            return TrialResult("ERROR", seed, reasons=[cause], error=cause)
        if stored.recorded:
            result = await judge_recorded(case, stored.conversation, self.compiled.votes, stored.seed)
        else:
            subject = Subject(case, stored.conversation, stored.invocations, self.compiled.votes, self._app_name)
            subject.timeout = self.options.unit_timeout
            result = await judge_subject(subject, stored.seed)
        result.warnings = list(dict.fromkeys([*stored.warnings, *result.warnings, *retry_warnings(watcher)]))
        if self.journal is not None:
            mark = judging_hash(case, self.compiled.votes, self.options.marks)
            await self.journal.durable(stores.judged(unit, result, mark))
        return result


def _check_plan(stored: Journal, source: RunFolder, compiled: CompiledPlan) -> None:
    of_plan = stored.meta("plan_id")
    # A run of ADK sets as they are was made from no plan; any plan may judge it, and its cases are compared below.
    if stored.meta("plan_path") and of_plan != compiled.plan_id:
        raise RunError(f"ASE910 run {source.run_id} is of plan {of_plan!r}, not of {compiled.plan_id!r}")


def _introduce(journal: Journal, prepared: Prepared, source: RunFolder, trials: int) -> None:
    for key, value in (
        ("plan_id", prepared.compiled.plan_id),
        ("started_at", prepared.started_at),
        ("trials", str(trials)),
        ("adk_version", border.adk_version()),
        ("tool_version", __version__),
        ("plan_path", str(prepared.compiled.extra.get("plan_path", ""))),
        ("conversations_of", source.run_id),
    ):
        journal.set_meta(key, value)


def _take_over(stored: Journal, journal: Journal, cases: Sequence[Case], known: set[Unit]) -> frozenset[Unit]:
    """Copy the conversations of these cases; answers the units whose case is another one now."""
    changed: set[Unit] = set()

    def statements() -> Iterator[stores.Statement]:
        for case in cases:
            words = words_hash(case)
            for unit in (Unit(case.set, case.case_id, n) for n in range(max(u.trial for u in known) + 1)):
                found = stored.get(unit) if unit in known else None
                if found is None:
                    continue
                if not found.recorded and found.case_hash.partition(".")[0] != words:
                    changed.add(unit)
                    continue
                yield stores.acted(
                    unit, found.seed, found.conversation, found.invocations, found.warnings, found.case_hash
                )

    for chunk in _chunks(statements()):
        journal.store(chunk)
    return frozenset(changed)


def _chunks(items: Iterable[Any]) -> Iterator[list[Any]]:
    chunk: list[Any] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _notes(
    compiled: CompiledPlan, source: RunFolder, known: set[Unit], halves: set[str], options: RunOptions
) -> list[str]:
    notes = [f"judged anew: the conversations of run {source.run_id}"]
    planned = {(c.set, c.case_id) for c in compiled.cases}
    if not options.case_ids:
        left_out = sorted({half for half, _ in planned} - halves)
        notes += [f"run {source.run_id} has no conversation of the {half} set: it is not judged" for half in left_out]
    strays = sorted({u.case_id for u in known if (u.half, u.case_id) not in planned})
    if strays:
        notes.append(f"recorded conversations that belong to no case: {', '.join(strays)}")
    return notes
