"""Which folder a run is kept in: that of an interrupted one of the same inputs, the one asked for, or a new one."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path

from adk_split_eval import __version__
from adk_split_eval.record import CompiledPlan
from adk_split_eval.record.runs import RunFolder, list_runs, resolve_run, run_folder
from adk_split_eval.run import adk as border
from adk_split_eval.run.asked import Prepared, RunError, RunOptions, new_run_id, select
from adk_split_eval.run.inputs import fingerprint
from adk_split_eval.run.journal import Journal, JournalError
from adk_split_eval.run.marks import agent_files, metric_files

RESUMABLE_SECONDS = 24 * 3600


def prepare(compiled: CompiledPlan, options: RunOptions) -> Prepared:
    """Choose cases and the run folder; an interrupted run of the same inputs is taken up again."""
    cases = select(compiled, options)
    trials = options.trials or compiled.trials
    marks = [border.adk_version(), __version__, compiled.plan_id]
    print_of_inputs = fingerprint(input_files(compiled), marks)
    on_request = options.resume is not None
    if options.resume is not None:
        folder = _asked_for(options.resume, options, compiled)
    else:
        folder = None if options.fresh else _resumable(options, compiled, print_of_inputs, trials)
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    if folder is not None:
        with Journal(folder.journal) as journal:
            started_at = journal.meta("started_at") or started_at
        notes: list[str] = []
    else:
        notes = _outdated(options, compiled)
        folder = run_folder(new_run_id(), options.root)
    return Prepared(compiled, cases, folder, print_of_inputs, started_at, on_request=on_request, notes=notes)


def input_files(compiled: CompiledPlan) -> list[Path]:
    """Every file whose change makes a stored conversation stale."""
    files: list[Path] = [Path(p) for p in compiled.extra.get("files", [])]
    if compiled.extra.get("plan_path"):
        plan = Path(str(compiled.extra["plan_path"]))
        files += [plan, plan.with_name(f"{compiled.plan_id}.frozen.yaml")]
    files += metric_files(compiled)
    files += agent_files(compiled)
    return [f for f in files if f.is_file()]


def _resumable(options: RunOptions, compiled: CompiledPlan, print_of_inputs: str, trials: int) -> RunFolder | None:
    """The newest unfinished run of the same inputs that is not older than a day and not running elsewhere."""
    for folder in reversed(list_runs(options.root, finished=False)):
        if folder.finished or not folder.journal.is_file():
            continue
        if time.time() - folder.journal.stat().st_mtime > RESUMABLE_SECONDS:
            continue
        try:
            with Journal(folder.journal) as journal:
                wanted = {"fingerprint": print_of_inputs, "plan_id": compiled.plan_id, "trials": str(trials)}
                # A run of a part would finish the run of all, whose other units would then be lost to it.
                wanted["selection"] = options.selection(compiled)
                same = all(journal.meta(key) == value for key, value in wanted.items())
                if same and journal.claim(str(os.getpid()), _alive):
                    return folder
        except JournalError:
            continue
    return None


def _outdated(options: RunOptions, compiled: CompiledPlan) -> list[str]:
    """What to say when the run before this one was interrupted and is not taken up, because its inputs have changed."""
    before = list_runs(options.root, finished=False)[-1:]
    if options.fresh or not before or before[0].finished or not before[0].journal.is_file():
        return []
    run_id = before[0].run_id
    try:
        with Journal(before[0].journal) as journal:
            wanted = {"plan_id": compiled.plan_id, "selection": options.selection(compiled)}
            others = any(journal.meta(key) != value for key, value in wanted.items())
            if others or not journal.count() or _alive(journal.meta("pid")):
                return []
    except JournalError:
        return []
    return [
        f"run {run_id} was interrupted, and its inputs have changed since, so this one started anew; "
        f"`--resume {run_id}` takes over what the change does not touch"
    ]


def _asked_for(reference: str, options: RunOptions, compiled: CompiledPlan) -> RunFolder:
    """The run named by ``--resume``.

    Raises:
        RunError: it is another plan's or selection's, it has no journal, nobody acted in it, or it is still running.
        RunNotFoundError: there is no such run.
    """
    folder = resolve_run(reference, options.root)
    if not folder.journal.is_file():
        raise RunError(f"ASE909 {folder.path}: this run has no journal, there is nothing to resume")
    with Journal(folder.journal) as journal:
        if (of := journal.meta("plan_id")) != compiled.plan_id:
            raise RunError(f"ASE910 run {folder.run_id} is of plan {of!r}, not of {compiled.plan_id!r}")
        if journal.meta("fingerprint") is None:
            raise RunError(
                f"ASE909 run {folder.run_id} was scored: nobody acted in it, there is nothing to resume; "
                f"`score --run {folder.run_id}` judges its conversations anew"
            )
        selection, wanted = journal.meta("selection"), options.selection(compiled)
        if selection not in (None, wanted):
            raise RunError(
                f"ASE917 run {folder.run_id} is of {selection}, and what it came to would be replaced by that of "
                f"{wanted}; resume it with the selection it has, or start a new run with --fresh"
            )
        if not journal.claim(str(os.getpid()), _alive):
            raise RunError(f"ASE911 run {folder.run_id} is still running (process {journal.meta('pid')})")
    return folder


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
