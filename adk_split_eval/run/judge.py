"""Judging one conversation: every criterion on its own, so that none can take another down.

ADK's and a team's metrics run through ADK's own evaluation service, one metric an evaluation and each on a fresh copy of
the invocations (ADK appends rubrics to the object it scores). Ours run as pure functions, which see more than a metric
under ADK can: session state, why the conversation stopped, what broke it off.
"""

from __future__ import annotations

import asyncio
import copy
import functools
import math
from dataclasses import dataclass, field
from typing import Any

from adk_split_eval.criteria import CATALOGUE, function_path
from adk_split_eval.record import Case, Conversation, Criterion, CriterionResult, Judgement
from adk_split_eval.run import accounting
from adk_split_eval.run import adk as border
from adk_split_eval.run import votes as votes_room
from adk_split_eval.run.accounting import Vote, VoteRow
from adk_split_eval.run.loop import isolated
from adk_split_eval.run.low_scores import low_scores
from adk_split_eval.run.observe import asking_as, current_watcher, describe
from adk_split_eval.run.trajectory_reasons import ADK_JUDGES, trajectory_reasons

EFFICIENCY = ("tool_call_count_v1", "inference_call_count_v1", "token_usage_v1", "invocation_duration_v1")
RESPONSE_CRITERIA = frozenset({"response_match_score", "final_response_match_v2", "response_evaluation_score"})
# Invariants can be judged on the turns there are, however the conversation ended.
ON_PARTIAL = frozenset({"forbidden_tools_v1", "grounded_numbers_v1"})
NAMED_WRONG = "named_wrong"
"""The parameter of a raw config's criterion that says where it stands and what may be meant, in case ADK has no such metric."""


@dataclass(slots=True)
class Subject:
    """What is judged: a case, its conversation, and ADK's invocations of it (JSON; ``live`` as they came from ADK)."""

    case: Case
    conversation: Conversation
    invocations: list[dict[str, Any]]
    votes: int = 3
    app_name: str = "agent"
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
    timeout: float | None = None
    live: list[Any] | None = None


async def judge_all(subject: Subject) -> list[CriterionResult]:
    """One result per criterion of the case, in its order, then the efficiency metrics as informational.

    Never raises for what a metric or a judge does: that criterion is ``not_evaluated`` with the cause.
    """
    criteria = subject.case.criteria
    results = await asyncio.gather(*(_judge_isolated(subject, c) for c in criteria))
    if subject.invocations and subject.extra.get("efficiency", True):
        declared = {c.name for c in criteria}
        results = [*results, *(r for r in await _efficiency(subject) if r.name not in declared)]
    return list(results)


async def _judge_isolated(subject: Subject, criterion: Criterion) -> CriterionResult:
    result = CriterionResult(criterion.name, criterion.kind, "not_evaluated", threshold=criterion.threshold)
    if not subject.conversation.turns:
        result.reasons = ["there is no conversation to judge"]
        return result
    if subject.conversation.error is not None and criterion.name not in ON_PARTIAL:
        result.reasons = ["the conversation broke off before it could be judged"]
        return result
    scope = asyncio.timeout(subject.timeout)
    try:
        async with scope:
            return await _judge(subject, criterion)
    except BaseException as error:  # noqa: BLE001 - a criterion is an isolation point; the cause is its reason
        result.reasons = [f"it did not finish within {subject.timeout:g} s" if scope.expired() else isolated(error)]
        return result


async def _judge(subject: Subject, criterion: Criterion) -> CriterionResult:
    if criterion.source == "ours":
        from adk_split_eval.metrics.registry import METRICS

        pure = METRICS.get(criterion.name)
        if pure is not None:
            threshold = 1.0 if criterion.threshold is None else criterion.threshold
            return _from_judgement(criterion, pure(subject.conversation, criterion.params, threshold))
        if CATALOGUE[criterion.name].kind == "judged":
            return await _judge_ours(subject, criterion)
    lacking = _without_reference(subject, criterion)
    if lacking:
        return CriterionResult(
            criterion.name, criterion.kind, "not_evaluated", threshold=criterion.threshold, reasons=lacking
        )
    if criterion.name == "tool_trajectory_avg_score" and criterion.params and not criterion.params.get(ADK_JUDGES):
        return _replaced_trajectory(subject, criterion)
    if criterion.kind == "judged" and criterion.source == "adk":
        return await _judge_by_votes(subject, criterion)
    return await _judge_once(subject, criterion)


def _from_judgement(criterion: Criterion, judgement: Judgement) -> CriterionResult:
    return CriterionResult(
        criterion.name,
        criterion.kind,
        judgement.status,
        judgement.score,
        criterion.threshold,
        reasons=list(judgement.reasons),
        unfinished=judgement.unfinished,
    )


async def _judge_ours(subject: Subject, criterion: Criterion) -> CriterionResult:
    """A judged criterion of ours: it takes its own votes, and sees the conversation as our pure metrics do."""
    from adk_split_eval.metrics.adapter import async_judge

    judge = async_judge(criterion.name)
    if judge is None:
        return await _judge_once(subject, criterion)
    threshold = 1.0 if criterion.threshold is None else criterion.threshold
    with asking_as("judge", criterion.name):
        result = _from_judgement(criterion, await judge(subject.conversation, criterion.params, threshold))
    result.votes = _votes_told(result.reasons)
    return result


def _votes_told(reasons: list[str]) -> list[str] | None:
    told = next((reason for reason in reasons if reason.startswith("votes: ")), None)
    return None if told is None else [vote.split()[0] for vote in told.removeprefix("votes: ").split(", ")]


def _replaced_trajectory(subject: Subject, criterion: Criterion) -> CriterionResult:
    """Raw sets: ADK cannot tell parallel calls from ordered ones nor "calls nothing" from "not annotated"; ours can."""
    from adk_split_eval.metrics.registry import METRICS

    turns: list[Any] = criterion.params.get("turns") or []
    unannotated = [i + 1 for i, turn in enumerate(turns) if turn is None]
    threshold = 1.0 if criterion.threshold is None else criterion.threshold
    result = _from_judgement(criterion, METRICS["tool_args_v1"](subject.conversation, criterion.params, threshold))
    if unannotated and result.status != "failed":
        result.status, result.score = "not_evaluated", None
        result.reasons = [f"turn {n}: no expected calls are given (intermediate_data is absent)" for n in unannotated]
    if result.status != "passed":
        result.reasons.append("judged by adk-split-eval's matcher in place of ADK's: calls of one step form a set")
    return result


def metric_of(criterion: Criterion) -> tuple[Any, Any]:
    """ADK's EvalMetric for this criterion, and a registry that knows it.

    Raises:
        ValueError, pydantic.ValidationError: when ADK refuses the criterion.
    """
    adk = border.load()
    config: dict[str, Any] = {"criteria": {criterion.name: criterion.options or criterion.threshold}}
    function = criterion.function
    if criterion.source == "ours":
        function = function_path(criterion.name)
    if function is not None:
        config["custom_metrics"] = {criterion.name: {"code_config": {"name": function}}}
    parsed = adk.EvalConfig.model_validate(config)
    metric = next(m for m in adk.get_eval_metrics_from_config(parsed) if m.metric_name == criterion.name)
    return metric, border.metric_registry(parsed)


def invocation_of(adk: Any, data: dict[str, Any]) -> Any:
    """ADK's Invocation out of stored JSON. Tool declarations are a union ADK does not restore by itself."""
    invocation = adk.Invocation.model_validate(data)
    details: dict[str, Any] = invocation.app_details.agent_details if invocation.app_details else {}
    for agent in details.values():
        declared: list[Any] = agent.tool_declarations or []
        agent.tool_declarations = [
            adk.genai_types.Tool.model_validate(t) if isinstance(t, dict) else t for t in declared
        ]
    return invocation


async def evaluate(subject: Subject, metrics: list[Any], registry: Any) -> Any:
    """ADK's EvalCaseResult for these metrics on a fresh copy of the conversation; raises what ADK raises."""
    adk = border.load()
    manager = adk.InMemoryEvalSetsManager()
    manager.create_eval_set(app_name=subject.app_name, eval_set_id="unit")
    eval_case = adk.EvalCase.model_validate(copy.deepcopy(subject.case.eval_case))
    manager.add_eval_case(app_name=subject.app_name, eval_set_id="unit", eval_case=eval_case)
    service = adk.LocalEvalService(root_agent=None, eval_sets_manager=manager, metric_evaluator_registry=registry)
    inference = adk.InferenceResult(
        app_name=subject.app_name,
        eval_set_id="unit",
        eval_case_id=eval_case.eval_id,
        inferences=[invocation_of(adk, data) for data in subject.invocations],
        session_id=None,
        status=adk.InferenceStatus.SUCCESS,
    )
    request = adk.EvaluateRequest(
        inference_results=[inference], evaluate_config=adk.EvaluateConfig(eval_metrics=metrics, parallelism=1)
    )
    async for result in service.evaluate(request):
        return result
    raise RuntimeError("ADK returned no evaluation for this case")


async def _one_vote(subject: Subject, criterion: Criterion) -> Vote:
    watcher = current_watcher()
    calls_before = len(watcher.calls) if watcher else 0
    failures_before = len(watcher.failures) if watcher else 0
    vote_name = criterion.name
    try:
        metric, registry = metric_of(criterion)
        with asking_as("judge", vote_name):
            result = await evaluate(subject, [metric], registry)
    except Exception as error:  # noqa: BLE001 - isolation point, the cause is recorded
        return Vote("NOT_EVALUATED", None, failure=describe(error))
    overall = result.overall_eval_metric_results[0]
    vote = Vote(overall.eval_status.name, overall.score)
    scored: list[Any] = overall.details.rubric_scores or []
    vote.rationales = [s.rationale for s in scored if s.rationale]
    for row in result.eval_metric_result_per_invocation:
        answer = row.eval_metric_results[0]
        of_row: list[Any] = answer.details.rubric_scores or []
        vote.rows.append(VoteRow(answer.score, answer.eval_status.name, {s.rubric_id: s.score for s in of_row}))
        vote.rationales += [s.rationale for s in of_row if s.rationale and s.score == 0]
    if watcher is not None:
        vote.calls = watcher.calls_of("judge", vote_name, since=calls_before)
        logged = [e for _, e in watcher.failures[failures_before:]]
        if vote.status == "NOT_EVALUATED" and logged:
            vote.failure = describe(logged[-1])
    return vote


async def _judge_once(subject: Subject, criterion: Criterion) -> CriterionResult:
    """A deterministic ADK metric, or a team's metric: one evaluation."""
    vote = await _one_vote(subject, criterion)
    result = CriterionResult(criterion.name, criterion.kind, "not_evaluated", vote.score, criterion.threshold)
    result.reasons = list(dict.fromkeys(vote.rationales))
    if any(c.criterion == criterion.name for c in vote.calls):
        result.kind = "judged"
        result.votes = [vote.status.lower()]
    if vote.failure is not None or vote.status == "NOT_EVALUATED":
        result.score = None
        cause = vote.failure or "ADK did not evaluate it (status NOT_EVALUATED)"
        if cause.startswith("NotFoundError") and criterion.source == "adk":
            cause = criterion.params.get(NAMED_WRONG, cause)
        result.reasons = [cause, *result.reasons]
    elif vote.status == "INFORMATIONAL":
        result.status = "not_applicable" if vote.score is None else "informational"
    elif vote.status == "FAILED" and vote.score is None:
        # The protocol of our metrics and of the bridge: failed without a score means it could not judge.
        result.reasons = result.reasons or ["the metric failed without a score"]
    elif vote.score is not None and not math.isfinite(vote.score):
        result.score = None
        result.reasons = [f"the metric returned a score that is no number: {vote.score}", *result.reasons]
    elif vote.status == "PASSED" and _contradicts(criterion, vote):
        result.score = None
        result.reasons = ["the metric says PASSED overall but FAILED on a turn", *result.reasons]
    else:
        result.status = "passed" if vote.status == "PASSED" else "failed"
        if result.status == "failed" and not result.reasons:
            result.reasons = trajectory_reasons(subject.case, subject.conversation, criterion) or _row_reasons(
                vote, criterion
            )
        if criterion.source == "team":
            result.reasons += low_scores(vote, criterion.threshold)
    return result


def _without_reference(subject: Subject, criterion: Criterion) -> list[str]:
    """Turns that give a response criterion nothing to compare with; ADK would score them 0 or ask its judge all the same."""
    if criterion.source != "adk" or criterion.name not in RESPONSE_CRITERIA:
        return []
    expected: list[dict[str, Any]] = subject.case.eval_case.get("conversation") or []
    return [
        f"turn {number}: there is no final_response to compare with"
        for number, turn in enumerate(expected, start=1)
        if not turn.get("final_response")
    ]


def _contradicts(criterion: Criterion, vote: Vote) -> bool:
    return (
        criterion.source == "team"
        and any(row.status == "FAILED" for row in vote.rows)
        and all(row.status in ("FAILED", "NOT_EVALUATED") for row in vote.rows)
    )


def _row_reasons(vote: Vote, criterion: Criterion) -> list[str]:
    return [
        f"turn {number}: score {row.score:g}, threshold {criterion.threshold or 0:g}"
        for number, row in enumerate(vote.rows, start=1)
        if row.score is not None and criterion.threshold is not None and row.score < criterion.threshold
    ]


def _with_one_sample(criterion: Criterion) -> tuple[Criterion, int | None]:
    """The criterion asking its judge once per evaluation, and how many samples it asked for."""
    options: dict[str, Any] = copy.deepcopy(criterion.options)
    judge: dict[str, Any] = options.get("judge_model_options") or options.get("judgeModelOptions") or {}
    asked = judge.get("num_samples", judge.get("numSamples"))
    judge = {k: v for k, v in judge.items() if k not in ("num_samples", "numSamples")}
    options.pop("judgeModelOptions", None)
    if not options:
        options["threshold"] = criterion.threshold
    options["judge_model_options"] = {**judge, "num_samples": 1}
    return (
        Criterion(
            criterion.name,
            criterion.kind,
            criterion.source,
            criterion.threshold,
            options,
            criterion.params,
            criterion.function,
        ),
        asked if isinstance(asked, int) else None,
    )


async def _judge_by_votes(subject: Subject, criterion: Criterion) -> CriterionResult:
    single, asked = _with_one_sample(criterion)
    count = asked or subject.votes
    votes = await asyncio.gather(*(_tagged_vote(subject, single, i) for i in range(count)))
    ids = accounting.effective_rubric_ids(criterion, subject.case.eval_case, len(subject.conversation.turns))
    lacking = [accounting.missing(criterion, vote, subject.conversation, ids) for vote in votes]
    complete = [vote for vote, problems in zip(votes, lacking, strict=True) if not problems]
    result = CriterionResult(criterion.name, "judged", "not_evaluated", None, criterion.threshold)
    talk = subject.conversation
    opening = votes_room.opening_of(subject.case)
    scores = {id(v): votes_room.score(criterion, v, talk, opening) for v in complete}
    threshold = criterion.threshold if criterion.threshold is not None else 0.0
    result.votes = [
        "unreadable" if id(v) not in scores else "passed" if scores[id(v)] >= threshold else "failed" for v in votes
    ]
    unreadable = count - len(complete)
    notes = list(dict.fromkeys(p for problems in lacking for p in problems))
    low, high = votes_room.bounds(criterion, complete, talk, opening, unreadable) if complete else (0.0, 1.0)
    # The votes that could be read decide only when they are the majority and those that could not change nothing.
    if len(complete) * 2 <= count or (low >= threshold) != (high >= threshold):
        result.reasons = [f"{unreadable} of {count} votes could not be counted", *notes]
        return result
    result.score = votes_room.bounds(criterion, complete, talk, opening)[0]
    result.status = "passed" if result.score >= threshold else "failed"
    if result.status == "failed":
        said = [r for v in complete if scores[id(v)] < threshold for r in v.rationales]
        result.reasons = list(dict.fromkeys(said))[:5] or [f"score {result.score:g}, threshold {threshold:g}"]
    if unreadable:
        result.reasons.append(f"{unreadable} of {count} votes could not be counted: {notes[0]}")
    return result


async def _tagged_vote(subject: Subject, criterion: Criterion, index: int) -> Vote:
    """Votes run side by side; each counts only the model calls made in its own task."""
    watcher = current_watcher()
    if watcher is None:
        return await _one_vote(subject, criterion)
    from adk_split_eval.run.observe import Watcher, watching

    own = Watcher(
        unit=watcher.unit,
        seed=watcher.seed + index,
        policy=watcher.policy,
        gates=watcher.gates,
        on_call=watcher.on_call,
    )
    with watching(own):
        vote = await _one_vote(subject, criterion)
    watcher.calls.extend(own.calls)
    watcher.failures.extend(own.failures)
    return vote


async def _efficiency(subject: Subject) -> list[CriterionResult]:
    """ADK's efficiency metrics. They read the invocations and change nothing, so they get the very objects."""
    adk = border.load()
    try:
        actual = subject.live or [invocation_of(adk, data) for data in subject.invocations]
        answers = [(name, _evaluator_of(name).evaluate_invocations(actual)) for name in EFFICIENCY]
    except Exception:  # noqa: BLE001 - numbers for information only; their absence changes no verdict
        return []
    return [
        CriterionResult(name, "deterministic", "informational", answer.overall_score)
        for name, answer in answers
        if answer.overall_eval_status.name == "INFORMATIONAL" and answer.overall_score is not None
    ]


@functools.cache
def _evaluator_of(name: str) -> Any:
    adk = border.load()
    return border.metric_registry(adk.EvalConfig()).get_evaluator(eval_metric=adk.EvalMetric(metric_name=name))
