"""One run from start to finish: what is asked, where it is kept, the agent and its helpers, the engine, the end."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from adk_split_eval import __version__
from adk_split_eval.record import Case, CaseResult, CompiledPlan, RunResult
from adk_split_eval.run import adk as border
from adk_split_eval.run.agents import AgentLoadError, LoadedAgent, load_agent
from adk_split_eval.run.asked import Prepared, RunError, RunOptions, select
from adk_split_eval.run.closing import assemble, changed_notes, finish, stored_conversations
from adk_split_eval.run.engine import Engine, EngineOptions, Progress
from adk_split_eval.run.folders import prepare
from adk_split_eval.run.helpers import Helper, hire, wanted
from adk_split_eval.run.journal import Journal, JournalError
from adk_split_eval.run.limits import unused_limit_notes
from adk_split_eval.run.loop import run_loop
from adk_split_eval.run.marks import marks_of
from adk_split_eval.run.packed import pack_plan
from adk_split_eval.run.tools import unknown_tool_notes


def run_compiled(compiled: CompiledPlan, options: RunOptions) -> RunResult:
    """Run a compiled plan. One of many cases is packed for it: its ``cases`` become a read-only sequence.

    Raises:
        RunError: nothing to run, no agent, or an agent that cannot be loaded.
    """
    if any(f.level == "error" and f.case_id is None for f in compiled.findings):
        raise RunError("the plan cannot be run", [f for f in compiled.findings if f.level == "error"])
    cases = select(compiled, options)
    directory = _agent_folder(compiled)
    pack_plan(compiled)
    helpers: list[Helper] = []
    try:
        with _refusing():
            border.load()
            helpers = _hire(compiled, cases, options, lambda: load_agent(directory))
            agent = load_agent(directory, shared=options.shared_agent)
        return execute(prepare(compiled, options), options, agent, helpers)
    finally:
        for helper in helpers:
            helper.end()


def _agent_folder(compiled: CompiledPlan) -> Path:
    if not compiled.agent_dir:
        raise RunError("ASE903 the plan names no agent; add `agent: FOLDER` (relative to the plan)")
    return Path(compiled.agent_dir)


@contextlib.contextmanager
def _refusing() -> Generator[None]:
    """An agent or an ADK that cannot be loaded means that the run cannot start."""
    try:
        yield
    except AgentLoadError as error:
        raise RunError(f"ASE904 {error}") from error
    except border.AdkMissingError as error:
        raise RunError(f"ASE905 {error}") from error


def _hire(
    compiled: CompiledPlan, cases: Sequence[Case], options: RunOptions, load: Callable[[], LoadedAgent]
) -> list[Helper]:
    """Fork the processes that may take units over, before an agent is loaded and a thread started."""
    units = sum(not c.rejected for c in cases) * (options.trials or compiled.trials)
    bound = options.jobs == 1 or options.shared_agent or options.engine.on_call is not None
    number = wanted(options.processes, units, bound=bound or bool(options.engine.policy.limits))
    return hire(number, cases, compiled, load)


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
            ("selection", options.selection(compiled)),
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
        directory = _agent_folder(compiled)
        with _refusing():
            border.load()
            agent = load_agent(directory)
    engine = Engine(compiled, agent, EngineOptions(trials=trials))
    return list(run_loop(lambda: engine.run(cases, progress), blocked_after=engine.patience))
