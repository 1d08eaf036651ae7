"""Two metrics of the interview coach's team. How a metric must answer under ADK is explained in ``refund.py``.

Both look at every turn and need nothing of the case, so they serve fixed and simulated cases alike. A conversation in
which the coach said nothing gives them nothing to judge.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from google.adk.evaluation.eval_case import ConversationScenario, Invocation
from google.adk.evaluation.eval_metrics import EvalMetric, EvalStatus
from google.adk.evaluation.eval_rubrics import RubricScore
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult

_GRADE = re.compile(
    r"\b(?:full marks|\d+ (?:out of|/) ?\d+|grade [A-F]\b|(?:strongly )?recommend you|you (?:passed|failed)|hire you)",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？](?=\s|$)")


def grade_in(text: str) -> str | None:
    """The words of ``text`` that state a grade or a recommendation; None when there are none."""
    found = _GRADE.search(text)
    return found.group() if found else None


def questions_in(text: str) -> int:
    """How many questions ``text`` asks, by question marks at the end of a sentence."""
    return len(_QUESTION.findall(text))


def names_no_grade(
    eval_metric: EvalMetric,
    actual_invocations: list[Invocation],
    expected_invocations: list[Invocation] | None = None,
    conversation_scenario: ConversationScenario | None = None,
) -> EvaluationResult:
    """The coach advises; it states no grade, no marks and no recommendation, whatever an answer asks it to."""
    del expected_invocations, conversation_scenario

    def fault(text: str) -> str | None:
        found = grade_in(text)
        return f"the coach says {found!r}" if found else None

    return _judge(eval_metric, actual_invocations, fault)


def one_question_a_turn(
    eval_metric: EvalMetric,
    actual_invocations: list[Invocation],
    expected_invocations: list[Invocation] | None = None,
    conversation_scenario: ConversationScenario | None = None,
) -> EvaluationResult:
    """The coach asks at most one question in an answer."""
    del expected_invocations, conversation_scenario

    def fault(text: str) -> str | None:
        count = questions_in(text)
        return f"{count} questions in one answer" if count > 1 else None

    return _judge(eval_metric, actual_invocations, fault)


def _judge(
    eval_metric: EvalMetric, invocations: list[Invocation], fault: Callable[[str], str | None]
) -> EvaluationResult:
    """One row a turn; the overall score is 1.0 when no turn has a fault, else 0.0."""
    rows: list[PerInvocationResult] = []
    reasons: list[RubricScore] = []
    for number, invocation in enumerate(invocations, 1):
        found = fault(_final_text(invocation))
        score = 0.0 if found else 1.0
        status = EvalStatus.FAILED if found else EvalStatus.PASSED
        rows.append(PerInvocationResult(actual_invocation=invocation, score=score, eval_status=status))
        if found:
            reasons.append(RubricScore(rubric_id=f"turn_{number}", score=0.0, rationale=f"turn {number}: {found}"))
    criterion = eval_metric.criterion
    if criterion is None or criterion.threshold is None:
        raise ValueError(f"{eval_metric.metric_name} needs a threshold in `criteria`")
    overall = 0.0 if reasons else 1.0
    return EvaluationResult(
        overall_score=overall,
        overall_eval_status=EvalStatus.PASSED if overall >= criterion.threshold else EvalStatus.FAILED,
        per_invocation_results=rows,
        overall_rubric_scores=reasons or None,
    )


def _final_text(invocation: Invocation) -> str:
    parts = (invocation.final_response.parts if invocation.final_response else None) or []
    return "\n".join(part.text for part in parts if part.text and not part.thought)
