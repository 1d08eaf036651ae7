"""The bridge to a team's own metric: whatever goes wrong in it becomes FAILED without a score, with the reason.

ADK believes a custom metric that contradicts itself, skips one that raises, and aborts the whole run over a wrong row
count. Behind this bridge each of these is one failed criterion of one case.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

from google.adk.evaluation.eval_case import ConversationScenario, Invocation
from google.adk.evaluation.eval_metrics import EvalMetric
from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult, PerInvocationResult

from adk_split_eval.metrics.adapter import AdkMetric, result_from, threshold_of
from adk_split_eval.metrics.team_loading import TeamMetricError, resolve
from adk_split_eval.metrics.text import quote
from adk_split_eval.record import Judgement

_JUDGED = (EvalStatus.PASSED, EvalStatus.FAILED)


def bridge(path: str, root: str | Path | None = None) -> AdkMetric:
    """A metric with ADK's signature for the team's function at ``path``, found at the first call; it never raises."""

    def metric(
        eval_metric: EvalMetric,
        actual_invocations: list[Invocation],
        expected_invocations: list[Invocation] | None = None,
        conversation_scenario: ConversationScenario | None = None,
    ) -> EvaluationResult | Awaitable[EvaluationResult]:
        refuse = functools.partial(_refusal, path, eval_metric, actual_invocations, expected_invocations)
        check = functools.partial(
            _checked, actual=actual_invocations, threshold=threshold_of(eval_metric), refuse=refuse
        )
        try:
            function = resolve(path, root)
            # Copies: a metric that shortens a list must not shorten ADK's.
            expected = None if expected_invocations is None else list(expected_invocations)
            answer = function(eval_metric, list(actual_invocations), expected, conversation_scenario)
        except TeamMetricError as error:
            return refuse(str(error))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a team's code may fail in any way
            return refuse(_raised(error))
        if inspect.isawaitable(answer):
            return _awaited(answer, check, refuse)
        return check(answer)

    metric.__name__ = metric.__qualname__ = path.rpartition(".")[2]
    return metric


async def _awaited(
    answer: Awaitable[Any], check: Callable[[Any], EvaluationResult], refuse: Callable[[str], EvaluationResult]
) -> EvaluationResult:
    try:
        return check(await answer)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a team's code may fail in any way
        return refuse(_raised(error))


def _raised(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})" if trace is not None else ""
    return f"it raised {type(error).__name__}: {quote(str(error), 300)}{place}"


def _refusal(
    path: str, eval_metric: EvalMetric, actual: list[Invocation], expected: list[Invocation] | None, reason: str
) -> EvaluationResult:
    judgement = Judgement.not_evaluated(f"{path} could not judge: {reason}")
    return result_from(judgement, eval_metric.metric_name, eval_metric, actual, expected)


def _checked(
    answer: Any, *, actual: list[Invocation], threshold: float, refuse: Callable[[str], EvaluationResult]
) -> EvaluationResult:
    """The team's answer as it is when it holds together, else the refusal."""
    if answer is None:
        return refuse("it returned None instead of an EvaluationResult")
    if not isinstance(answer, EvaluationResult):
        return refuse(f"it returned a {type(cast(object, answer)).__name__} instead of an EvaluationResult")
    complaint = _contradiction(answer, len(actual))
    if complaint:
        reasons = [score.rationale for score in answer.overall_rubric_scores or [] if score.rationale]
        return refuse("; ".join([complaint, *reasons[:3]]))
    return _with_rows(answer, threshold)


def _contradiction(answer: EvaluationResult, count: int) -> str | None:
    rows = answer.per_invocation_results
    status = answer.overall_eval_status
    if status == EvalStatus.NOT_EVALUATED:
        return "it answered NOT_EVALUATED"
    if len(rows) != count:
        return f"it returned {len(rows)} per_invocation_results for {count} invocations"
    if status == EvalStatus.INFORMATIONAL:
        return None
    score = answer.overall_score
    if score is not None and not math.isfinite(score):
        return f"its overall score is {score}"
    if status == EvalStatus.PASSED:
        if score is None:
            return "it says PASSED and gives no overall score"
        failed = [str(index) for index, row in enumerate(rows, start=1) if row.eval_status == EvalStatus.FAILED]
        if failed:
            return f"it says PASSED, but FAILED for turn {', '.join(failed)}"
    return None


def _with_rows(answer: EvaluationResult, threshold: float) -> EvaluationResult:
    """Rows that tell another story than the overall answer take it over: under pytest ADK reads the rows alone.

    There the first row decides whether the metric is informational, and the mean of the rows whether it passed.
    """
    status = answer.overall_eval_status
    rows = answer.per_invocation_results
    scores = [row.score for row in rows if row.score is not None]
    if status == EvalStatus.INFORMATIONAL:
        silent = not any(row.eval_status in _JUDGED for row in rows)
        return answer if silent else _repeated(answer, answer.overall_score)
    if not scores or (status == EvalStatus.FAILED and sum(scores) / len(scores) >= threshold):
        return _repeated(answer, 0.0 if answer.overall_score is None else answer.overall_score)
    if any(row.eval_status == EvalStatus.INFORMATIONAL for row in rows):
        return answer.model_copy(update={"per_invocation_results": [_judged_or_none(row) for row in rows]})
    return answer


def _repeated(answer: EvaluationResult, score: float | None) -> EvaluationResult:
    update = {"eval_status": answer.overall_eval_status, "score": score}
    rows = [row.model_copy(update=update) for row in answer.per_invocation_results]
    return answer.model_copy(update={"per_invocation_results": rows})


def _judged_or_none(row: PerInvocationResult) -> PerInvocationResult:
    if row.eval_status != EvalStatus.INFORMATIONAL:
        return row
    return row.model_copy(update={"eval_status": EvalStatus.NOT_EVALUATED, "score": None})


__all__ = ["TeamMetricError", "bridge", "resolve"]
