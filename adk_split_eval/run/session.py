"""One run from start to finish: lint, build, infer, judge, store, pool the hits."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, cast

from adk_split_eval import __version__
from adk_split_eval.record import Case, CaseResult, CompiledPlan, Conversation, Finding, RunResult
from adk_split_eval.record.jsonio import dumps, write_atomically
from adk_split_eval.record.runs import RunFolder, list_runs, resolve_run, run_folder
from adk_split_eval.run import adk as border
from adk_split_eval.run.agents import AgentLoadError, LoadedAgent, load_agent
from adk_split_eval.run.audit import SAMPLE_NAME, doubtful_judges, draw_sample
from adk_split_eval.run.combining import few_trials_note
from adk_split_eval.run.contrasts import apply_contrasts
from adk_split_eval.run.engine import Engine, EngineOptions, Progress, Tally
from adk_split_eval.run.frozen import remark_on_frozen
from adk_split_eval.run.helpers import Helper, hire, wanted
from adk_split_eval.run.inputs import fingerprint, git_commit
from adk_split_eval.run.journal import Journal, JournalError, Unit, write_error
from adk_split_eval.run.limits import unused_limit_notes
from adk_split_eval.run.loop import run_loop
from adk_split_eval.run.low_scores import low_score_notes
from adk_split_eval.run.marks import agent_files, marks_of, metric_files
from adk_split_eval.run.packed import Packed, pack_plan, pick
from adk_split_eval.run.tools import unknown_tool_notes
from adk_split_eval.run.verdicts import exit_code

RESUMABLE_SECONDS = 24 * 3600


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


def input_files(compiled: CompiledPlan) -> list[Path]:
    """Every file whose change makes a stored conversation stale."""
    files: list[Path] = [Path(p) for p in compiled.extra.get("files", [])]
    if compiled.extra.get("plan_path"):
        plan = Path(str(compiled.extra["plan_path"]))
        files += [plan, plan.with_name(f"{compiled.plan_id}.frozen.yaml")]
    files += metric_files(compiled)
    files += agent_files(compiled)
    return [f for f in files if f.is_file()]


def _resumable(options: RunOptions, plan_id: str, print_of_inputs: str, trials: int) -> RunFolder | None:
    """The newest unfinished run of the same inputs that is not older than a day and not running elsewhere."""
    for folder in reversed(list_runs(options.root, finished=False)):
        if folder.finished or not folder.journal.is_file():
            continue
        if time.time() - folder.journal.stat().st_mtime > RESUMABLE_SECONDS:
            continue
        try:
            with Journal(folder.journal) as journal:
                wanted = {"fingerprint": print_of_inputs, "plan_id": plan_id, "trials": str(trials)}
                # A run of a part would finish the run of all, whose other units would then be lost to it.
                wanted["selection"] = _selection(options)
                same = all(journal.meta(key) == value for key, value in wanted.items())
                if same and journal.claim(str(os.getpid()), _alive):
                    return folder
        except JournalError:
            continue
    return None


def _outdated(options: RunOptions, plan_id: str) -> list[str]:
    """What to say when the run before this one was interrupted and is not taken up, because its inputs have changed."""
    before = list_runs(options.root, finished=False)[-1:]
    if options.fresh or not before or before[0].finished or not before[0].journal.is_file():
        return []
    run_id = before[0].run_id
    try:
        with Journal(before[0].journal) as journal:
            others = journal.meta("plan_id") != plan_id or journal.meta("selection") != _selection(options)
            if others or not journal.count() or _alive(journal.meta("pid")):
                return []
    except JournalError:
        return []
    return [
        f"run {run_id} was interrupted, and its inputs have changed since, so this one started anew; "
        f"`--resume {run_id}` takes over what the change does not touch"
    ]


def _selection(options: RunOptions) -> str:
    return " ".join([options.only or "all", *sorted(set(options.case_ids))])


def _alive(pid: str | None) -> bool:
    """Whether another process is still working on that run."""
    if not pid or not pid.isdigit() or int(pid) == os.getpid():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def prepare(compiled: CompiledPlan, options: RunOptions) -> Prepared:
    """Choose cases and the run folder; an interrupted run of the same inputs is taken up again."""
    cases = select(compiled, options)
    trials = options.trials or compiled.trials
    marks = [border.adk_version(), __version__, compiled.plan_id]
    print_of_inputs = fingerprint(input_files(compiled), marks)
    on_request = options.resume is not None
    if options.resume is not None:
        folder = _asked_for(options.resume, options, compiled.plan_id)
    else:
        folder = None if options.fresh else _resumable(options, compiled.plan_id, print_of_inputs, trials)
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    if folder is not None:
        with Journal(folder.journal) as journal:
            started_at = journal.meta("started_at") or started_at
        notes: list[str] = []
    else:
        notes = _outdated(options, compiled.plan_id)
        folder = run_folder(new_run_id(), options.root)
    return Prepared(compiled, cases, folder, print_of_inputs, started_at, on_request=on_request, notes=notes)


def _asked_for(reference: str, options: RunOptions, plan_id: str) -> RunFolder:
    """The run named by ``--resume``.

    Raises:
        RunError: it is another plan's, it has no journal, or it is still running.
        RunNotFoundError: there is no such run.
    """
    folder = resolve_run(reference, options.root)
    if not folder.journal.is_file():
        raise RunError(f"ASE909 {folder.path}: this run has no journal, there is nothing to resume")
    with Journal(folder.journal) as journal:
        if journal.meta("plan_id") != plan_id:
            raise RunError(f"ASE910 run {folder.run_id} is of plan {journal.meta('plan_id')!r}, not of {plan_id!r}")
        if not journal.claim(str(os.getpid()), _alive):
            raise RunError(f"ASE911 run {folder.run_id} is still running (process {journal.meta('pid')})")
    return folder


def execute(prepared: Prepared, options: RunOptions, agent: LoadedAgent, helpers: Sequence[Helper] = ()) -> RunResult:
    """Run the prepared units and store the result.

    Raises:
        KeyboardInterrupt: interrupted; finished units are stored and the same command resumes.
        JournalError: finished units could not be stored.
    """
    compiled = prepared.compiled
    engine_options = options.engine
    engine_options.trials = options.trials or compiled.trials
    engine_options.jobs = options.jobs
    engine_options.marks = marks_of(compiled, border.adk_version())
    with Journal(prepared.folder.journal) as journal:
        for key, value in (
            ("plan_id", compiled.plan_id),
            ("fingerprint", prepared.fingerprint),
            ("started_at", prepared.started_at),
            ("trials", str(engine_options.trials)),
            ("selection", _selection(options)),
            ("adk_version", border.adk_version()),
            ("tool_version", __version__),
            ("pid", str(os.getpid())),
            ("plan_path", str(compiled.extra.get("plan_path", ""))),
        ):
            journal.set_meta(key, value)
        journal.forget_cases()
        engine = Engine(compiled, agent, engine_options, journal, helpers, at_once=options.processes is not None)
        try:
            results = run_loop(lambda: engine.run(prepared.cases, options.progress), blocked_after=engine.patience)
        except KeyboardInterrupt:
            total = sum(not case.rejected for case in prepared.cases) * engine_options.trials
            finished = min(journal.count(), total)
            raise KeyboardInterrupt(f"{finished} of {total} units are finished and stored") from None
        # Only of what was selected: what else that run has finished is no matter here.
        prepared.resumed = engine.tally.taken_over
        result = assemble(prepared, results, options)
        result.notes += prepared.notes
        result.notes += unknown_tool_notes(agent, prepared.cases)
        result.notes += unused_limit_notes(engine_options.policy.limits, compiled, agent)
        result.notes += [f"a process that was to help did not: {h.refused}" for h in helpers if h.refused]
        if prepared.on_request:
            result.notes += changed_notes(engine.tally)
        stored = journal if engine.spilled else None
        finish(prepared, result, options, stored_conversations(journal), agent.directory, stored)
        with contextlib.suppress(JournalError):
            # The disk is full to the last byte: that this process has ended shows without it.
            journal.set_meta("pid", "")
    return result


def stored_conversations(journal: Journal) -> Callable[[CaseResult], Conversation | None]:
    """Looks up the stored conversation that decided a case."""

    def find(case: CaseResult) -> Conversation | None:
        for number, trial in enumerate(case.trials):
            if trial.verdict == case.verdict:
                # Looked up only for hits, so a large run reads back only what it pools.
                stored = journal.get(Unit(case.set, case.case_id, number))
                return stored.conversation if stored else None
        return None

    return find


def changed_notes(tally: Tally) -> list[str]:
    """What a resumed run did anew because its inputs have changed."""
    notes: list[str] = []
    if tally.acted_again:
        notes.append(f"{tally.acted_again} unit(s) acted again: the case, the agent or google-adk has changed since")
    if tally.judged_again:
        notes.append(f"{tally.judged_again} unit(s) judged again: the criteria have changed since")
    return notes


def assemble(prepared: Prepared, results: Sequence[CaseResult], options: RunOptions) -> RunResult:
    """The run's result out of its cases'."""
    compiled = prepared.compiled
    result = RunResult(
        run_id=prepared.folder.run_id,
        plan_id=compiled.plan_id,
        started_at=prepared.started_at,
        adk_version=border.adk_version(),
        tool_version=__version__,
        cases=cast("list[CaseResult]", results),
    )
    remark_on_frozen(prepared.cases, results, compiled.plan_id, options.root)
    result.exit_code = exit_code(results, fail_on_hit=options.fail_on_hit)
    result.extra["models"] = compiled.models
    if compiled.extra.get("plan_path"):
        result.extra["plan_path"] = str(compiled.extra["plan_path"])
    result.notes = [f.message for f in compiled.findings if f.level != "error" and f.case_id is None]
    if (few := few_trials_note(results)) is not None:
        result.notes.append(few)
    result.notes += low_score_notes(results)
    result.notes += doubtful_judges(results, compiled.models.get("judge", ""), options.root)
    if prepared.resumed:
        units = "1 finished unit was" if prepared.resumed == 1 else f"{prepared.resumed} finished units were"
        result.notes.append(f"resumed: {units} taken over from the interrupted run")
    return result


def finish(
    prepared: Prepared,
    result: RunResult,
    options: RunOptions,
    conversation_of: Callable[[CaseResult], Conversation | None],
    agent_dir: Path | None,
    stored: Journal | None = None,
) -> None:
    """Store the result, then pool the hits: the result is on disk before anything after it can fail.

    Raises:
        JournalError: it cannot be written (full disk); what is in the journal is intact and the run counts as unfinished.
    """
    try:
        _finish(prepared, result, options, conversation_of, agent_dir, stored)
    except OSError as error:
        # What looks finished would not be taken up again, and what it still owes would never come.
        for leftover in (prepared.folder.result, prepared.folder.result.with_suffix(".json.partial")):
            with contextlib.suppress(OSError):
                leftover.unlink(missing_ok=True)
        raise write_error(Path(error.filename or prepared.folder.result), error) from error


def _finish(
    prepared: Prepared,
    result: RunResult,
    options: RunOptions,
    conversation_of: Callable[[CaseResult], Conversation | None],
    agent_dir: Path | None,
    stored: Journal | None,
) -> None:
    apply_contrasts(prepared.compiled, result, conversation_of, fail_on_hit=options.fail_on_hit)
    write_result(prepared.folder, result, stored)
    share = prepared.compiled.extra.get("audit")
    if share and draw_sample(prepared.folder, float(share)) is not None:
        result.notes.append(f"a sample of the judged verdicts waits for people: {prepared.folder.path / SAMPLE_NAME}")
        write_result(prepared.folder, result, stored)
    if not options.write_candidates:
        return
    noted = len(result.notes)
    result.candidates = pool_hits(prepared, result, conversation_of, agent_dir)
    if result.candidates or len(result.notes) > noted:
        write_result(prepared.folder, result, stored)


def write_result(folder: RunFolder, result: RunResult, stored: Journal | None = None) -> None:
    """Write ``result.json``; a large run's cases come one by one out of its journal."""
    folder.path.mkdir(parents=True, exist_ok=True)
    if stored is None:
        write_atomically(folder.result, dumps(result.to_json()) + "\n")
        return
    marker = '"cases": []'
    head, _, tail = dumps(replace(result, cases=[], extra={**result.extra}).to_json()).partition(marker)
    counts = dumps(result.counts())
    head = head.replace(dumps({"fixed": {}, "simulated": {}}).replace("\n", "\n  "), counts.replace("\n", "\n  "))
    partial = folder.result.with_suffix(".json.partial")
    with partial.open("w", encoding="utf-8") as file:
        file.write(head + '"cases": [')
        remarked: Any = result.cases
        for number, text in enumerate(stored.cases()):
            if isinstance(remarked, Packed) and number in cast("Packed[CaseResult]", remarked).replaced:
                text = dumps(json.loads(text) | {"warnings": result.cases[number].warnings})
            file.write(("," if number else "") + "\n    " + text.replace("\n", "\n    "))
        file.write("\n  ]" + tail + "\n")
        file.flush()
        os.fsync(file.fileno())
    partial.replace(folder.result)


def pool_hits(
    prepared: Prepared,
    result: RunResult,
    conversation_of: Callable[[CaseResult], Conversation | None],
    agent_dir: Path | None,
) -> list[str]:
    """Every HIT becomes a candidate in the plan's probe pool; what cannot be written there is kept in the run folder.

    What people rejected or froze already is counted there and noted, not returned: nobody has to review it again.
    """
    from adk_split_eval import pool

    compiled = prepared.compiled
    places = {(c.set, c.case_id): number for number, c in enumerate(compiled.cases)}
    context: dict[str, Any] = {
        "run_id": result.run_id,
        "started_at": result.started_at,
        "adk_version": result.adk_version,
        "tool_version": result.tool_version,
        "agent_commit": git_commit(agent_dir) if agent_dir else None,
        "simulator_model": compiled.models.get("simulator"),
        "judge_model": compiled.models.get("judge"),
    }
    written: list[str] = []
    plan_dir = Path(compiled.root)
    for case_result in result.cases:
        conversation = conversation_of(case_result) if case_result.verdict == "HIT" else None
        if conversation is None:
            continue
        case = compiled.cases[places[case_result.set, case_result.case_id]]
        candidate = pool.candidates_from(result, case, case_result, conversation, plan_dir=plan_dir, context=context)
        if candidate is None:
            continue
        try:
            path = pool.store(candidate, plan_dir)
        except (OSError, pool.PoolError) as error:
            # A candidate file broken by hand, or a folder that cannot be written, must not cost the hit.
            path = pool.store(candidate, prepared.folder.path)
            result.notes.append(
                f"{plan_dir}: the probe pool cannot be written ({error}); kept in {path}, "
                f"listed with `pool list --plan {prepared.folder.path}`"
            )
        if known := pool.decided(path):
            result.notes.append(known)
        else:
            written.append(str(path))
    return written


def run_compiled(compiled: CompiledPlan, options: RunOptions) -> RunResult:
    """Run a compiled plan. One of many cases is packed for it: its ``cases`` become a read-only sequence.

    Raises:
        RunError: nothing to run, no agent, or an agent that cannot be loaded.
    """
    if any(f.level == "error" and f.case_id is None for f in compiled.findings):
        raise RunError("the plan cannot be run", [f for f in compiled.findings if f.level == "error"])
    cases = select(compiled, options)
    if not compiled.agent_dir:
        raise RunError("ASE903 the plan names no agent; add `agent: FOLDER` (relative to the plan)")
    pack_plan(compiled)
    os.environ["ADK_SPLIT_EVAL_ROOT"] = str(compiled.extra.get("metrics_root") or compiled.root)
    directory = Path(compiled.agent_dir)
    helpers: list[Helper] = []
    try:
        border.load()
        helpers = _hire(compiled, cases, options, lambda: load_agent(directory))
        agent = load_agent(directory, shared=options.shared_agent)
        return execute(prepare(compiled, options), options, agent, helpers)
    except AgentLoadError as error:
        raise RunError(f"ASE904 {error}") from error
    except border.AdkMissingError as error:
        raise RunError(f"ASE905 {error}") from error
    finally:
        for helper in helpers:
            helper.end()


def _hire(
    compiled: CompiledPlan, cases: Sequence[Case], options: RunOptions, load: Callable[[], LoadedAgent]
) -> list[Helper]:
    """Fork the processes that may take units over, before an agent is loaded and a thread started."""
    units = sum(not c.rejected for c in cases) * (options.trials or compiled.trials)
    bound = options.jobs == 1 or options.shared_agent or options.engine.on_call is not None
    number = wanted(options.processes, units, bound=bound or bool(options.engine.policy.limits))
    return hire(number, cases, compiled, load)


def run_cases(
    compiled: CompiledPlan,
    cases: list[Case],
    *,
    trials: int,
    progress: Progress | None = None,
    agent: LoadedAgent | None = None,
) -> list[CaseResult]:
    """Run these cases and nothing else: no journal, no pool. What ``freeze`` proves its cases with.

    Raises:
        RunError: no agent, or one that cannot be loaded.
    """
    if agent is None:
        if not compiled.agent_dir:
            raise RunError("ASE903 the plan names no agent; add `agent: FOLDER` (relative to the plan)")
        try:
            border.load()
            agent = load_agent(Path(compiled.agent_dir))
        except AgentLoadError as error:
            raise RunError(f"ASE904 {error}") from error
        except border.AdkMissingError as error:
            raise RunError(f"ASE905 {error}") from error
    engine = Engine(compiled, agent, EngineOptions(trials=trials))
    return list(run_loop(lambda: engine.run(cases, progress), blocked_after=engine.patience))
