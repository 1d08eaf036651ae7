"""Under which name and shape ADK calls the metrics of this package.

========================================  ============================  ============================================
situation                                 overall status, score         rows, one per invocation
========================================  ============================  ============================================
the case declares nothing for it          INFORMATIONAL, None           INFORMATIONAL, None
it could not judge                        FAILED, None                  FAILED, 0.0
judged, turn by turn                      PASSED / FAILED, score        the turn's score; NOT_EVALUATED, None for a
                                                                        turn that declares nothing
judged, as a whole                        PASSED / FAILED, score        the overall score repeated
========================================  ============================  ============================================

``AgentEvaluator`` forgets the overall status: it averages the scored rows of all runs, and takes the first row's status
for whether the metric is informational. So a row of a judged metric is never INFORMATIONAL, the average of the rows is
the overall score, and what could not be judged scores 0.0 in its rows, lest another run's score stand for it.
"""

from __future__ import annotations

import functools
import importlib
import json
import pkgutil
from collections.abc import Awaitable, Callable, Sequence
from types import ModuleType
from typing import Any, cast

from google.adk.evaluation.eval_case import ConversationScenario, Invocation
from google.adk.evaluation.eval_metrics import EvalMetric
from google.adk.evaluation.eval_rubrics import RubricScore
from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult, PerInvocationResult

from adk_split_eval import metrics
from adk_split_eval.criteria.catalogue import rubric_type
from adk_split_eval.metrics.adapter_conversation import (
    content_text,
    conversation_from_invocations,
    expected_steps,
    turn_from_invocation,
)
from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.metrics.text import escape, quote
from adk_split_eval.metrics.values import ParameterError
from adk_split_eval.record import Conversation, Judgement, Row

AsyncJudge = Callable[[Conversation, dict[str, Any], float], Awaitable[Judgement]]
AdkMetric = Callable[
    [EvalMetric, list[Invocation], list[Invocation] | None, ConversationScenario | None],
    "EvaluationResult | Awaitable[EvaluationResult]",
]

_ALWAYS_ON: dict[str, dict[str, Any]] = {"grounded_numbers_v1": {"enabled": True}}
_REASONS_SHOWN = 40
_STATUS = {
    "passed": EvalStatus.PASSED,
    "failed": EvalStatus.FAILED,
    "not_evaluated": EvalStatus.FAILED,
    "not_applicable": EvalStatus.INFORMATIONAL,
    "informational": EvalStatus.INFORMATIONAL,
}


@functools.cache
def entry_point(name: str) -> AdkMetric:
    """The function ADK calls for the criterion ``name``. It never raises and always answers one row per invocation."""
    judge_async = async_judge(name)

    def metric(
        eval_metric: EvalMetric,
        actual_invocations: list[Invocation],
        expected_invocations: list[Invocation] | None = None,
        conversation_scenario: ConversationScenario | None = None,
    ) -> EvaluationResult:
        del conversation_scenario  # a conversation is judged by what was said and done
        prepared = _prepare(name, eval_metric, actual_invocations, expected_invocations)
        if isinstance(prepared, Judgement):
            judgement = prepared
        elif name in METRICS:
            judgement = METRICS[name](*prepared)
        else:
            judgement = Judgement.not_evaluated(f"this version of adk-split-eval has no metric {name}")
        return result_from(judgement, name, eval_metric, actual_invocations, expected_invocations)

    async def async_metric(
        eval_metric: EvalMetric,
        actual_invocations: list[Invocation],
        expected_invocations: list[Invocation] | None = None,
        conversation_scenario: ConversationScenario | None = None,
    ) -> EvaluationResult:
        del conversation_scenario
        assert judge_async is not None
        prepared = _prepare(name, eval_metric, actual_invocations, expected_invocations)
        judgement = prepared if isinstance(prepared, Judgement) else await judge_async(*prepared)
        return result_from(judgement, name, eval_metric, actual_invocations, expected_invocations)

    function: AdkMetric = metric if judge_async is None else async_metric
    function.__name__ = function.__qualname__ = name
    return function


def async_judge(name: str) -> AsyncJudge | None:
    """The judge of a criterion that needs ADK or a model, so has to be awaited; None for every other. It never raises.

    Such metrics live in modules ``adapter_*`` that declare ``NAME`` and ``judge_async``.
    """
    for module in _adapter_modules():
        if getattr(module, "NAME", None) == name and hasattr(module, "judge_async"):
            return _isolated(module.judge_async)
    return None


@functools.cache
def _adapter_modules() -> tuple[ModuleType, ...]:
    names = [info.name for info in pkgutil.iter_modules(metrics.__path__) if info.name.startswith("adapter_")]
    return tuple(importlib.import_module(f"{metrics.__name__}.{name}") for name in names)


def _isolated(judge: AsyncJudge) -> AsyncJudge:
    async def judge_safely(conversation: Conversation, params: dict[str, Any], threshold: float) -> Judgement:
        try:
            return await judge(conversation, params, threshold)
        except ParameterError as error:
            return Judgement.not_evaluated(f"bad parameters: {error}")
        except Exception as error:  # noqa: BLE001 - one metric's fault must not reach another
            return Judgement.not_evaluated(f"{type(error).__name__}: {quote(str(error), 300)}")

    return judge_safely


def _prepare(
    name: str, eval_metric: EvalMetric, actual: list[Invocation], expected: list[Invocation] | None
) -> tuple[Conversation, dict[str, Any], float] | Judgement:
    """What the pure metric takes, or at once the answer when it cannot be had."""
    try:
        if not actual:
            return Judgement.not_evaluated("nothing was recorded: the conversation has no turn")
        params = parameters(name, eval_metric, actual, expected)
        if params is None:
            return Judgement.not_applicable()
        return conversation_from_invocations(actual), params, threshold_of(eval_metric)
    except ParameterError as error:
        return Judgement.not_evaluated(f"bad parameters: {error}")
    except Exception as error:  # noqa: BLE001 - ADK would turn it into a silent NOT_EVALUATED
        return Judgement.not_evaluated(f"{type(error).__name__}: {quote(str(error), 300)}")


def threshold_of(eval_metric: EvalMetric) -> float:
    """The threshold: ADK blanks ``eval_metric.threshold`` for custom metrics and leaves the criterion's."""
    criterion = eval_metric.criterion
    threshold = criterion.threshold if criterion is not None else eval_metric.threshold
    return 1.0 if threshold is None else threshold


def parameters(
    name: str, eval_metric: EvalMetric, actual: Sequence[Invocation], expected: Sequence[Invocation] | None
) -> dict[str, Any] | None:
    """What the case gives the metric; None when it declares nothing.

    From rubrics of the metric's own type on the case (ADK copies them to every invocation) and on single turns. With no
    such rubric the criterion's own extra keys serve, so that a team can use the metric in its own config; tool_args_v1
    then takes expected calls from the expected invocations.

    Raises:
        ParameterError: a rubric holds no JSON object.
    """
    case, turns = _rubric_parameters(name, actual, expected)
    if case is not None or any(turn is not None for turn in turns):
        params = dict(case or {})
        if any(turn is not None for turn in turns):
            params["turns"] = turns
        return params
    extras = dict((eval_metric.criterion.model_extra if eval_metric.criterion else None) or {})
    if name == "tool_args_v1" and "turns" not in extras and expected:
        extras["turns"] = [_expected_turn(invocation) for invocation in expected]
    if not extras:
        return _ALWAYS_ON.get(name)
    return extras


def _rubric_parameters(
    name: str, actual: Sequence[Invocation], expected: Sequence[Invocation] | None
) -> tuple[dict[str, Any] | None, list[dict[str, Any] | None]]:
    case: dict[str, Any] | None = None
    turns: list[dict[str, Any] | None] = []
    for index, invocation in enumerate(actual):
        turn: dict[str, Any] | None = None
        rubrics = list(invocation.rubrics or [])
        if not rubrics and expected and index < len(expected):
            rubrics = list(expected[index].rubrics or [])
        for rubric in rubrics:
            if rubric.type != rubric_type(name):
                continue
            if rubric.rubric_id.endswith(".turn"):
                turn = _read_rubric(rubric.rubric_content.text_property, f"turn {index + 1}")
            elif case is None:
                case = _read_rubric(rubric.rubric_content.text_property, "case")
        turns.append(turn)
    return case, turns


def _read_rubric(raw: str | None, where: str) -> dict[str, Any]:
    try:
        value = json.loads(raw or "")
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"the rubric on the {where} holds no JSON: {quote(raw or '', 80)}") from error
    if not isinstance(value, dict):
        raise ParameterError(f"the rubric on the {where} holds no JSON object: {quote(raw or '', 80)}")
    return cast(dict[str, Any], value)


def _expected_turn(invocation: Invocation) -> dict[str, Any] | None:
    steps = expected_steps(invocation)
    if steps is None:
        return None
    return {"expect": [{"calls": [{"name": call.name, "args": call.args} for call in step]} for step in steps]}


def result_from(
    judgement: Judgement,
    name: str,
    eval_metric: EvalMetric,
    actual: Sequence[Invocation],
    expected: Sequence[Invocation] | None,
) -> EvaluationResult:
    """The judgement in ADK's shape, see the module's first lines."""
    threshold = threshold_of(eval_metric)
    rows: list[PerInvocationResult] = []
    for index, invocation in enumerate(actual):
        row = judgement.rows[index] if index < len(judgement.rows) else None
        status, score = _row_answer(judgement, row, threshold)
        reasons = row.reasons if row is not None and judgement.status in ("passed", "failed") else []
        rows.append(
            PerInvocationResult(
                actual_invocation=invocation,
                expected_invocation=expected[index] if expected and index < len(expected) else None,
                score=score,
                eval_status=status,
                rubric_scores=rubric_scores(f"{name}.turn{index + 1}", reasons, score) or None,
            )
        )
    overall = None if judgement.status in ("not_evaluated", "not_applicable") else judgement.score
    return EvaluationResult(
        overall_score=overall,
        overall_eval_status=_STATUS[judgement.status],
        per_invocation_results=rows,
        overall_rubric_scores=rubric_scores(name, judgement.reasons, overall) or None,
    )


def _row_answer(judgement: Judgement, row: Row | None, threshold: float) -> tuple[EvalStatus, float | None]:
    if judgement.status == "not_evaluated":
        # A threshold of zero or less would let 0.0 pass under AgentEvaluator; None then at least says "not evaluated".
        return EvalStatus.FAILED, 0.0 if threshold > 0 else None
    if judgement.status not in ("passed", "failed"):
        return EvalStatus.INFORMATIONAL, judgement.score
    if row is None:
        return _STATUS[judgement.status], judgement.score
    if row.score is None:
        return EvalStatus.NOT_EVALUATED, None
    return (EvalStatus.PASSED if row.score >= threshold else EvalStatus.FAILED), row.score


def rubric_scores(prefix: str, reasons: Sequence[str], score: float | None) -> list[RubricScore]:
    """Reasons as ADK prints them: one rubric score each, ids unique, text that any terminal and file can take."""
    shown = list(reasons[:_REASONS_SHOWN])
    if len(reasons) > _REASONS_SHOWN:
        shown.append(f"and {len(reasons) - _REASONS_SHOWN} more")
    return [
        RubricScore(rubric_id=f"{prefix}.{number}", rationale=escape(reason), score=score)
        for number, reason in enumerate(shown, start=1)
    ]


__all__ = [
    "METRICS",
    "AdkMetric",
    "AsyncJudge",
    "async_judge",
    "content_text",
    "conversation_from_invocations",
    "entry_point",
    "expected_steps",
    "parameters",
    "result_from",
    "rubric_scores",
    "threshold_of",
    "turn_from_invocation",
]
