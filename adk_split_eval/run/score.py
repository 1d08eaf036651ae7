"""The same criteria over recorded conversations: trace files, the flat form, stored runs. No model is asked to act."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from adk_split_eval import __version__
from adk_split_eval.metrics.team_loading import look_first_in
from adk_split_eval.record import Case, CaseResult, CompiledPlan, Conversation, Criterion, TrialResult
from adk_split_eval.record.runs import RunFolder, run_folder
from adk_split_eval.record.text import shorten
from adk_split_eval.run import adk as border
from adk_split_eval.run.agents import AgentLoadError, load_agent
from adk_split_eval.run.asked import Prepared, RunError, RunOptions, new_run_id, select
from adk_split_eval.run.closing import assemble, finish
from adk_split_eval.run.combining import combine, rejected
from adk_split_eval.run.engine import judge_subject, seed_of
from adk_split_eval.run.journal import Journal, Unit
from adk_split_eval.run.judge import Subject
from adk_split_eval.run.observe import Watcher, install, watching
from adk_split_eval.run.trajectory_reasons import names_only

NO_TRACE = "there is no recorded conversation for this case"


def invocations_of(conversation: Conversation) -> list[dict[str, Any]]:
    """ADK invocations (JSON) that say the same as the conversation, for ADK's own metrics."""
    return [_invocation(turn, index) for index, turn in enumerate(conversation.turns)]


def _invocation(turn: Any, index: int) -> dict[str, Any]:
    events: list[dict[str, Any]] = [
        {"author": t.author or "agent", "content": {"role": "model", "parts": [{"text": t.text}]}}
        for t in turn.intermediate
    ]
    for step in sorted({c.step for c in turn.tool_calls}):
        calls = [(n, c) for n, c in enumerate(turn.tool_calls) if c.step == step]
        author = calls[0][1].author or "agent"
        asked = [{"function_call": {"id": f"{index}-{n}", "name": c.name, "args": c.args}} for n, c in calls]
        events.append({"author": author, "content": {"role": "model", "parts": asked}})
        answers = [
            {"function_response": {"id": f"{index}-{n}", "name": c.name, "response": _as_dict(c.response)}}
            for n, c in calls
            if c.answered
        ]
        if answers:
            events.append({"author": author, "content": {"role": "user", "parts": answers}})
    invocation: dict[str, Any] = {
        "invocation_id": f"recorded-{index}",
        "user_content": {"role": "user", "parts": [{"text": turn.user}]},
        "intermediate_data": {"invocation_events": events},
    }
    if turn.response:
        invocation["final_response"] = {"role": "model", "parts": [{"text": turn.response}]}
    return invocation


def _as_dict(response: Any) -> dict[str, Any]:
    # ADK wraps whatever is no dict in the same way when a tool returns it.
    return dict(cast("Mapping[str, Any]", response)) if isinstance(response, Mapping) else {"result": response}


def _for_flat(case: Case) -> Case:
    """A flat recording assigns no call to a turn, so the names are compared over the whole conversation, by our matcher."""
    args = next((c for c in case.criteria if c.name == "tool_args_v1"), None)
    criteria: list[Criterion] = []
    for criterion in case.criteria:
        if criterion.name == "tool_trajectory_avg_score" and args is not None:
            annotated: list[dict[str, Any] | None] = args.params.get("turns") or []
            turns = [names_only(t) for t in annotated]
            criterion = Criterion(
                criterion.name,
                criterion.kind,
                criterion.source,
                criterion.threshold,
                criterion.options,
                {"match_type": args.params.get("match_type", "EXACT"), "turns": turns},
            )
        criteria.append(criterion)
    return Case(
        case.set, case.case_id, case.eval_case, criteria, case.group, case.scene, case.max_turns, case.goal_required,
        case.findings, case.provenance, case.runner,
    )  # fmt: skip


def _needs_judge(case: Case) -> bool:
    return any(c.kind == "judged" for c in case.criteria)


async def score_case(case: Case, conversation: Conversation | None, compiled: CompiledPlan) -> TrialResult:
    """Judge one recorded conversation; a missing one is an ERROR."""
    seed = seed_of(Unit(case.set, case.case_id, 0))
    if conversation is None:
        return TrialResult("ERROR", seed, reasons=[NO_TRACE], error=NO_TRACE)
    with watching(Watcher(f"{case.set}/{case.case_id}/0", seed)):
        return await judge_recorded(case, conversation, compiled.votes, seed)


async def judge_recorded(case: Case, conversation: Conversation, votes: int, seed: int) -> TrialResult:
    """Judge a conversation that was recorded elsewhere, of which only its words and calls are known."""
    other = _other_words(case, conversation)
    if other and case.set == "fixed":
        return TrialResult("ERROR", seed, conversation.turns, reasons=[other], error=other)
    subject = Subject(case, conversation, invocations_of(conversation), votes, extra={"efficiency": False})
    if conversation.flat:
        subject.case = _for_flat(case)
    result = await judge_subject(subject, seed)
    if other:
        result.warnings.append(other)
    return result


def _other_words(case: Case, conversation: Conversation) -> str | None:
    """A recording whose user says something else than the case does is a recording of another conversation."""
    if case.set == "fixed":
        turns: list[dict[str, Any]] = case.eval_case.get("conversation") or []
        expected = [_text_of(turn) for turn in turns]
    else:
        scenario: dict[str, Any] = case.eval_case.get("conversation_scenario") or {}
        expected = [str(scenario.get("starting_prompt") or "")]
    for number, (words, turn) in enumerate(zip(expected, conversation.turns, strict=False), start=1):
        if words.strip() != turn.user.strip():
            return (
                f"turn {number}: the recorded user says {shorten(turn.user, 80)!r}, the case says {shorten(words, 80)!r}: "
                "this is a recording of another conversation"
            )
    if case.set == "fixed" and not conversation.flat and conversation.error is None:
        there, wanted = len(conversation.turns), len(expected)
        if there != wanted:
            return (
                f"the recording has {there} turn(s), the case has {wanted}: this is a recording of another conversation"
            )
    return None


def _text_of(turn: dict[str, Any]) -> str:
    content: dict[str, Any] = turn.get("user_content") or {}
    parts: list[dict[str, Any]] = content.get("parts") or []
    return "".join(str(part.get("text") or "") for part in parts)


async def _score_all(
    cases: Sequence[Case], traces: Mapping[str, Conversation], compiled: CompiledPlan
) -> list[CaseResult]:
    results: list[CaseResult] = []
    for case in cases:
        if case.rejected:
            results.append(rejected(case))
        else:
            trial = await score_case(case, traces.get(case.case_id), compiled)
            results.append(combine(case, [trial], compiled))
    return results


def ready_models(compiled: CompiledPlan, cases: Sequence[Case]) -> None:
    """A judge's model may be registered by the agent folder, so that is loaded when something is to be judged by one."""
    if compiled.agent_dir and Path(compiled.agent_dir).is_dir() and any(_needs_judge(c) for c in cases):
        try:
            load_agent(Path(compiled.agent_dir))
        except AgentLoadError as error:
            raise RunError(f"ASE904 {error}") from error


def score_compiled(
    compiled: CompiledPlan, traces: Mapping[str, Conversation], options: RunOptions | None = None
) -> Any:
    """Score a compiled plan against recorded conversations and store the result as a run.

    Returns:
        RunResult

    Raises:
        RunError: nothing to score, or ADK is missing.
    """
    options = options or RunOptions()
    try:
        install(border.load().BaseLlm)
    except border.AdkMissingError as error:
        raise RunError(f"ASE905 {error}") from error
    cases = select(compiled, options)
    ready_models(compiled, cases)
    look_first_in(compiled.root)
    from datetime import UTC, datetime

    folder: RunFolder = run_folder(new_run_id(), options.root)
    prepared = Prepared(compiled, cases, folder, "", datetime.now(UTC).isoformat(timespec="seconds"))
    results = asyncio.run(_score_all(cases, traces, compiled))
    result = assemble(prepared, results, options)
    known = {c.case_id for c in compiled.cases}
    strays = sorted(set(traces) - known)
    if strays:
        result.notes.append(f"recorded conversations that belong to no case: {', '.join(strays)}")
    _store(folder, prepared, results, traces)
    finish(prepared, result, options, lambda c: traces.get(c.case_id), None)
    return result


def _store(
    folder: RunFolder, prepared: Prepared, results: list[CaseResult], traces: Mapping[str, Conversation]
) -> None:
    with Journal(folder.journal) as journal:
        journal.set_meta("plan_id", prepared.compiled.plan_id)
        journal.set_meta("started_at", prepared.started_at)
        journal.set_meta("tool_version", __version__)
        journal.set_meta("plan_path", str(prepared.compiled.extra.get("plan_path", "")))
        for case in results:
            conversation = traces.get(case.case_id)
            if conversation is None or not case.trials:
                continue
            unit = Unit(case.set, case.case_id, 0)
            journal.store_acted(unit, case.trials[0].seed, conversation, invocations_of(conversation), [])
            journal.store_judged(unit, case.trials[0])


def stored_plan_path(folder: RunFolder) -> str | None:
    """The plan a stored run was made from, if the journal says so."""
    if not folder.journal.is_file():
        return None
    with Journal(folder.journal) as journal:
        return journal.meta("plan_path") or None
