"""How a run ends: its result out of those of the cases, on disk before anything after it can fail, and its hits pooled."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from adk_split_eval import __version__
from adk_split_eval.record import CaseResult, Conversation, RunResult
from adk_split_eval.record.jsonio import dumps, write_atomically
from adk_split_eval.record.runs import RunFolder
from adk_split_eval.run import adk as border
from adk_split_eval.run.asked import Prepared, RunOptions
from adk_split_eval.run.audit import SAMPLE_NAME, doubtful_judges, draw_sample
from adk_split_eval.run.combining import few_trials_note
from adk_split_eval.run.contrasts import apply_contrasts
from adk_split_eval.run.engine import Tally
from adk_split_eval.run.frozen import remark_on_frozen
from adk_split_eval.run.inputs import git_commit
from adk_split_eval.run.journal import Journal, Unit, write_error
from adk_split_eval.run.low_scores import low_score_notes
from adk_split_eval.run.packed import Packed
from adk_split_eval.run.verdicts import exit_code


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
    finished_before = prepared.folder.finished
    try:
        _finish(prepared, result, options, conversation_of, agent_dir, stored)
    except OSError as error:
        leftovers = [prepared.folder.result.with_suffix(".json.partial")]
        if not finished_before:
            # What looks finished would not be taken up again by itself, and what it still owes would never come.
            leftovers.append(prepared.folder.result)
        for leftover in leftovers:
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
