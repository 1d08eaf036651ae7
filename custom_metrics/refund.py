"""A metric of one's own: copy this file, change :func:`judge_text`, name the function in a plan's ``custom_metrics``.

What every metric under ADK must get right, and where this one does it:

* **the signature** is ADK's, positional: ``(eval_metric, actual_invocations, expected_invocations,
  conversation_scenario)``;
* **the threshold** is in ``eval_metric.criterion.threshold``. ``eval_metric.threshold`` is None when ADK calls;
* **the rows**: exactly one ``PerInvocationResult`` for every invocation. Another number aborts the whole run;
* **the status**: PASSED or FAILED with a score when something was judged, INFORMATIONAL with no score when there was
  nothing to judge. NOT_EVALUATED is left out of ADK's verdict, so a metric that answers it is never noticed;
* **the reason** goes into ``overall_rubric_scores``: ADK prints it with ``--print_detailed_results``, and so do we.

A metric that works for both sets may not read ``expected_invocations``: simulated cases have none.
"""

from __future__ import annotations

import re

from google.adk.evaluation.eval_case import ConversationScenario, Invocation
from google.adk.evaluation.eval_metrics import EvalMetric, EvalStatus
from google.adk.evaluation.eval_rubrics import RubricScore
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult

_SENTENCE_END = re.compile(r"(?<=[。！？!?])|(?<=\.)\s|\n")
_PROMISE = re.compile(r"\b(?:will|should) (?:arrive|reach you|be with you)\b|到账|送达", re.IGNORECASE)
_NO_PROMISE = re.compile(r"[?？]\s*$|(?:尚未|还没|没有|未)(?:到账|送达)")
_WHEN = re.compile(
    r"\d+\s*(?:个)?(?:工作日|天|日|小时)"
    r"|[一二两三四五六七八九十]+\s*(?:个)?(?:工作日|天|小时)"
    r"|\d+\s*(?:business |working )?(?:days?|hours?)\b"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten) (?:business |working )?(?:days?|hours?)\b"
    r"|\d{4}-\d{2}-\d{2}|\d{1,2}\s*月\s*\d{1,2}\s*[日号]"
    r"|\b\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December)\b",
    re.IGNORECASE,
)


def judge_text(text: str) -> list[tuple[str, bool]]:
    """Every sentence of ``text`` that promises an arrival, and whether it says when. Questions promise nothing."""
    sentences = [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]
    promises = [part for part in sentences if _PROMISE.search(part) and not _NO_PROMISE.search(part)]
    return [(part, bool(_WHEN.search(part))) for part in promises]


def promises_a_date(
    eval_metric: EvalMetric,
    actual_invocations: list[Invocation],
    expected_invocations: list[Invocation] | None = None,
    conversation_scenario: ConversationScenario | None = None,
) -> EvaluationResult:
    """A promise of arrival ("will arrive", 到账, 送达) comes with a date or a number of days.

    Score: the share of promises that do, over the conversation; rows carry the share of their own turn.
    """
    del expected_invocations, conversation_scenario  # an invariant needs neither
    threshold = _threshold(eval_metric)
    rows: list[PerInvocationResult] = []
    reasons: list[RubricScore] = []
    kept = made = 0
    for number, invocation in enumerate(actual_invocations, 1):
        promises = judge_text(_final_text(invocation))
        made += len(promises)
        kept += sum(dated for _, dated in promises)
        rows.append(_row(invocation, promises, threshold))
        for index, (sentence, dated) in enumerate(promises, 1):
            said = "says when" if dated else "gives neither a date nor a number of days"
            reasons.append(
                RubricScore(
                    rubric_id=f"turn_{number}_promise_{index}",
                    score=1.0 if dated else 0.0,
                    rationale=f"turn {number}: {sentence!r} {said}",
                )
            )
    if not made:
        # Nothing was promised, so there is nothing to be right or wrong about: say so, instead of a free 1.0.
        return EvaluationResult(overall_eval_status=EvalStatus.INFORMATIONAL, per_invocation_results=rows)
    score = kept / made
    return EvaluationResult(
        overall_score=score,
        overall_eval_status=EvalStatus.PASSED if score >= threshold else EvalStatus.FAILED,
        per_invocation_results=rows,
        overall_rubric_scores=reasons,
    )


def _row(invocation: Invocation, promises: list[tuple[str, bool]], threshold: float) -> PerInvocationResult:
    """The one row of this invocation, judged or not."""
    if not promises:
        return PerInvocationResult(actual_invocation=invocation, eval_status=EvalStatus.INFORMATIONAL)
    score = sum(dated for _, dated in promises) / len(promises)
    status = EvalStatus.PASSED if score >= threshold else EvalStatus.FAILED
    return PerInvocationResult(actual_invocation=invocation, score=score, eval_status=status)


def _threshold(eval_metric: EvalMetric) -> float:
    """The criterion's threshold; a metric without one is a mistake of the config and shall not pass by accident."""
    criterion = eval_metric.criterion
    if criterion is None or criterion.threshold is None:
        raise ValueError(f"{eval_metric.metric_name} needs a threshold in `criteria`")
    return criterion.threshold


def _final_text(invocation: Invocation) -> str:
    """What the agent answered in the end; thoughts are not said to anybody."""
    response = invocation.final_response
    parts = (response.parts if response else None) or []
    return "\n".join(part.text for part in parts if part.text and not part.thought)
