"""expected_response_v1: ADK's own response criterion, applied to just the turns that carry a reference.

ADK scores a turn without a reference 0.0 (response_match_score) or shows its judge an empty one; here such a turn is
left out. A turn that ADK leaves without a score makes the whole answer not_evaluated: ADK would average over the rest.
"""

from __future__ import annotations

import inspect
from typing import Any

from google.adk.evaluation.eval_case import IntermediateData, Invocation
from google.adk.evaluation.eval_metrics import BaseCriterion, EvalMetric, LlmAsAJudgeCriterion
from google.adk.evaluation.evaluator import EvaluationResult, Evaluator
from google.genai import types

from adk_split_eval.metrics.base import Parameters, mapping, missing_turn, only, text, turn_parameters
from adk_split_eval.metrics.text import quote
from adk_split_eval.metrics.values import ParameterError
from adk_split_eval.record import Conversation, Judgement, Row, Turn

NAME = "expected_response_v1"
METHODS = ("response_match_score", "final_response_match_v2")


async def judge_async(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines.

    ``params``: ``{"method": one of METHODS, "options": {ADK's criterion}, "turns": [{"text": str} | null]}``. The score
    is the one ADK's evaluator gives over those turns.
    """
    only(params, {"method", "options", "turns"}, NAME)
    references = _references(params)
    if not references:
        return Judgement.not_applicable()
    if conversation.flat and set(references) != {len(conversation.turns) - 1}:
        return Judgement.not_evaluated("the recording does not say which response belongs to which turn")
    absent = [index for index in references if index >= len(conversation.turns)]
    if absent:
        return Judgement.scored(0.0, threshold, [f"turn {index + 1}: {missing_turn(conversation)}" for index in absent])
    method = params.get("method", METHODS[0])
    result = await _evaluate(method, _options(params, threshold), conversation, references)
    return _judgement(method, result, conversation, references, threshold)


def _references(params: Parameters) -> dict[int, str]:
    """Turn index → reference text."""
    found: dict[int, str] = {}
    for index, entry in enumerate(turn_parameters(params)):
        if entry is not None:
            only(entry, {"text"}, f"turns[{index}]")
            found[index] = text(entry.get("text"), f"turns[{index}].text")
    return found


def _options(params: Parameters, threshold: float) -> dict[str, Any]:
    return {**mapping(params.get("options") or {}, "options"), "threshold": threshold}


async def _evaluate(
    method: str, options: dict[str, Any], conversation: Conversation, references: dict[int, str]
) -> EvaluationResult:
    evaluator = _evaluator(method, options)
    actual = [_invocation(conversation.turns[index]) for index in references]
    expected = [
        Invocation(user_content=invocation.user_content, final_response=_content(reference, "model"))
        for invocation, reference in zip(actual, references.values(), strict=True)
    ]
    result = evaluator.evaluate_invocations(actual, expected)
    return await result if inspect.isawaitable(result) else result


def _evaluator(method: str, options: dict[str, Any]) -> Evaluator:
    if method == "response_match_score":
        from google.adk.evaluation.final_response_match_v1 import RougeEvaluator

        criterion = BaseCriterion.model_validate(options)
        return RougeEvaluator(EvalMetric(metric_name=method, threshold=criterion.threshold, criterion=criterion))
    if method == "final_response_match_v2":
        from google.adk.evaluation.final_response_match_v2 import FinalResponseMatchV2Evaluator

        judged = LlmAsAJudgeCriterion.model_validate(options)
        return FinalResponseMatchV2Evaluator(
            EvalMetric(metric_name=method, threshold=judged.threshold, criterion=judged)
        )
    raise ParameterError(f"method {quote(str(method), 60)} is none of {', '.join(METHODS)}")


def _invocation(turn: Turn) -> Invocation:
    said: list[tuple[str, list[types.Part]]] = [(t.author, [types.Part(text=t.text)]) for t in turn.intermediate]
    return Invocation(
        user_content=_content(turn.user, "user"),
        final_response=_content(turn.response, "model"),
        intermediate_data=IntermediateData(intermediate_responses=said),
    )


def _content(words: str, role: str) -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=words)])


def _judgement(
    method: str, result: EvaluationResult, conversation: Conversation, references: dict[int, str], threshold: float
) -> Judgement:
    rows = [Row("not_applicable") for _ in conversation.turns]
    reasons: list[str] = []
    unscored = [
        f"turn {i + 1}" for i, row in zip(references, result.per_invocation_results, strict=True) if row.score is None
    ]
    if unscored or result.overall_score is None:
        return Judgement.not_evaluated(f"{method} gave no score for {', '.join(unscored) or 'the conversation'}")
    for (index, reference), found in zip(references.items(), result.per_invocation_results, strict=True):
        assert found.score is not None
        lines: list[str] = []
        if found.score < threshold:
            response = quote(conversation.turns[index].response)
            lines = [
                f"turn {index + 1}: {method} {found.score:.4g} is below {threshold:g}: "
                f"expected {quote(reference)}, got {response}"
            ]
        reasons.extend(lines)
        rows[index] = Row("failed" if lines else "passed", found.score, lines)
    return Judgement.scored(result.overall_score, threshold, reasons, rows)
