"""The team's own metric of the example: what counts as a promise, and what it answers to ADK."""

from __future__ import annotations

from typing import Any

import pytest
from google.adk.evaluation.eval_case import Invocation
from google.adk.evaluation.eval_metrics import BaseCriterion, EvalMetric, EvalStatus
from google.genai import types

from custom_metrics.refund import judge_text, promises_a_date


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("128 元会在 3 个工作日内到账。", [True]),
        ("钱很快会到账。", [False]),
        ("两天内送达。", [True]),
        ("大约什么时候到账？", []),
        ("退款尚未到账。", []),
        ("12月3日送达。", [True]),
        ("Your money will arrive soon.", [False]),
        ("Your money will arrive within 3 business days.", [True]),
        ("It should reach you in two working days. The refund will arrive.", [True, False]),
        ("It will arrive on 4 December.", [True]),
        ("The parcel arrived yesterday.", []),
        ("Will it arrive? It will be with you by 2026-12-03.", [True]),
        ("", []),
    ],
)
def test_promises_and_dates(text: str, verdicts: list[bool]) -> None:
    assert [dated for _, dated in judge_text(text)] == verdicts


def _answer(*texts: str | None, threshold: float = 1.0) -> Any:
    invocations = [
        Invocation(
            user_content=types.Content(role="user", parts=[types.Part(text="?")]),
            final_response=None if text is None else types.Content(role="model", parts=[types.Part(text=text)]),
        )
        for text in texts
    ]
    metric = EvalMetric(metric_name="promises_a_date", criterion=BaseCriterion(threshold=threshold))
    return promises_a_date(metric, invocations, None, None)


def test_one_row_an_invocation_whatever_was_said() -> None:
    result = _answer("hello", None, "It will arrive soon.", "It will arrive in 2 days.")
    assert [row.eval_status for row in result.per_invocation_results] == [
        EvalStatus.INFORMATIONAL,
        EvalStatus.INFORMATIONAL,
        EvalStatus.FAILED,
        EvalStatus.PASSED,
    ]
    assert result.overall_score == 0.5
    assert result.overall_eval_status == EvalStatus.FAILED
    assert "turn 3: 'It will arrive soon.' gives neither" in result.overall_rubric_scores[0].rationale


def test_threshold_is_the_criterions() -> None:
    assert _answer("It will arrive soon.", "到账需要 2 天。", threshold=0.5).overall_eval_status == EvalStatus.PASSED


def test_nothing_promised_is_no_free_pass() -> None:
    result = _answer("hello")
    assert result.overall_eval_status == EvalStatus.INFORMATIONAL
    assert result.overall_score is None


def test_a_config_without_threshold_is_an_error() -> None:
    with pytest.raises(ValueError, match="needs a threshold"):
        promises_a_date(EvalMetric(metric_name="promises_a_date"), [], None, None)


def test_every_promise_of_the_example_is_dated(talks: dict[str, Any]) -> None:
    found = [verdict for talk in talks.values() for answer in talk.answers for verdict in judge_text(answer)]
    assert len(found) >= 4
    assert all(dated for _, dated in found)
