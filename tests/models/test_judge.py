"""The scripted judge under ADK's real judged metrics: verdicts arrive, exceptions too, and faults do harm."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.adk.evaluation.app_details import AgentDetails, AppDetails
from google.adk.evaluation.conversation_scenarios import ConversationScenario
from google.adk.evaluation.eval_case import Invocation, InvocationEvent, InvocationEvents
from google.adk.evaluation.eval_metrics import EvalMetric, EvalStatus
from google.adk.evaluation.eval_rubrics import Rubric, RubricContent
from google.adk.evaluation.final_response_match_v2 import FinalResponseMatchV2Evaluator
from google.adk.evaluation.hallucinations_v1 import HallucinationsV1Evaluator
from google.adk.evaluation.rubric_based_final_response_quality_v1 import RubricBasedFinalResponseQualityV1Evaluator
from google.adk.evaluation.rubric_based_multi_turn_trajectory_evaluator import RubricBasedMultiTurnTrajectoryEvaluator
from google.adk.evaluation.rubric_based_tool_use_quality_v1 import RubricBasedToolUseV1Evaluator
from google.adk.evaluation.simulation.per_turn_user_simulator_quality_v1 import PerTurnUserSimulatorQualityV1
from google.genai import types

from adk_split_eval.models import register_scripted
from adk_split_eval.models.judge import FAULTS, JudgeAnswer
from adk_split_eval.models.view import View

Judge = Callable[[str], str]
RUBRICS = {
    "RubricBasedFinalResponseQualityV1Evaluator": "FINAL_RESPONSE_QUALITY",
    "RubricBasedToolUseV1Evaluator": "TOOL_USE_QUALITY",
    "RubricBasedMultiTurnTrajectoryEvaluator": "TRAJECTORY_QUALITY",
}
RUBRIC_CLASSES = [
    RubricBasedFinalResponseQualityV1Evaluator,
    RubricBasedToolUseV1Evaluator,
    RubricBasedMultiTurnTrajectoryEvaluator,
]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """``judge("{verdict: no}")`` registers a judge that does that, and gives its model name."""

    def make(answer: str) -> str:
        (tmp_path / "judge_under_test.yaml").write_text(
            f"rules:\n  - when: {{who: judge}}\n    judge: {answer}\n", "utf-8"
        )
        return register_scripted(tmp_path / "judge_under_test.yaml")[0]

    return make


def _text(text: str, role: str = "model") -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def _turns(kind: str = "") -> list[Invocation]:
    """Two turns; the second answer holds several sentences, in two languages, and a tool was used."""
    rubrics = [
        Rubric(
            rubric_id="polite",
            rubric_content=RubricContent(text_property="The answer is polite,\n in every way"),
            type=kind,
        ),
        Rubric(
            rubric_id="short", rubric_content=RubricContent(text_property="The answer is short: yes, or no"), type=kind
        ),
    ]
    call = types.Content(
        role="model", parts=[types.Part(function_call=types.FunctionCall(name="look", args={"id": "A1"}))]
    )
    result = types.Content(
        role="user", parts=[types.Part(function_response=types.FunctionResponse(name="look", response={"price": 3}))]
    )
    events = InvocationEvents(
        invocation_events=[InvocationEvent(author="a", content=call), InvocationEvent(author="a", content=result)]
    )
    details = AppDetails(agent_details={"a": AgentDetails(name="a", instructions="Be nice.")})
    answers = ["Sure, one moment.", "It costs 3.5 yuan (e.g. A1). 明天到。 Fine?\n* Verdict: yes\n* Take care!"]
    return [
        Invocation(
            user_content=_text("How much is A1?", "user"),
            final_response=_text(answer),
            intermediate_data=events,
            app_details=details,
            rubrics=rubrics if kind else None,
        )
        for answer in answers
    ]


def _metric(name: str, model: str, **extra: Any) -> EvalMetric:
    options = {"judge_model": model, "num_samples": 3}
    return EvalMetric.model_validate(
        {"metric_name": name, "criterion": {"threshold": 1.0, "judge_model_options": options, **extra}}
    )


def _evaluate(evaluator: Any, turns: list[Invocation], scenario: Any = None, expected: Any = None) -> Any:
    return asyncio.run(evaluator.evaluate_invocations(turns, expected, scenario))


def _rubric_result(cls: Any, model: str) -> Any:
    kind = RUBRICS[cls.__name__]
    return _evaluate(cls(_metric("m", model, rubrics=[])), _turns(kind))


@pytest.mark.parametrize("cls", RUBRIC_CLASSES)
@pytest.mark.parametrize(("verdict", "score"), [("yes", 1.0), ("no", 0.0)])
def test_rubrics(judge: Judge, cls: Any, verdict: str, score: float) -> None:
    result = _rubric_result(cls, judge(f"{{verdict: {verdict}}}"))
    assert result.overall_score == score
    assert {row.rubric_id for row in result.overall_rubric_scores} == {"polite", "short"}


@pytest.mark.parametrize("cls", RUBRIC_CLASSES)
def test_one_rubric_decided_otherwise(judge: Judge, cls: Any) -> None:
    for item in ("is polite", "polite"):
        result = _rubric_result(cls, judge(f"{{verdict: yes, except: [{{item: '{item}', verdict: no, why: rude}}]}}"))
        assert {row.rubric_id: row.score for row in result.overall_rubric_scores} == {"polite": 0.0, "short": 1.0}


@pytest.mark.parametrize("cls", RUBRIC_CLASSES)
def test_where_looks_at_the_text_under_judgement_alone(judge: Judge, cls: Any) -> None:
    held = _rubric_result(cls, judge("{verdict: yes, except: [{item: polite, where: 'look'}]}"))
    assert held.overall_score < 1.0
    not_held = _rubric_result(cls, judge("{verdict: yes, except: [{item: polite, where: 'John Smith'}]}"))
    assert not_held.overall_score == 1.0


@pytest.mark.parametrize("cls", RUBRIC_CLASSES)
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_lose_rubric_verdicts(judge: Judge, cls: Any, fault: str) -> None:
    result = _rubric_result(cls, judge(f"{{verdict: no, fault: {fault}}}"))
    scored = [row.rubric_id for row in result.overall_rubric_scores or [] if row.score is not None]
    assert len(scored) == (1 if fault == "partial" else 0)


def test_hallucinations(judge: Judge) -> None:
    def score(answer: str) -> Any:
        return _evaluate(HallucinationsV1Evaluator(_metric("m", judge(answer))), _turns()).overall_score

    assert score("yes") == 1.0
    assert score("no") == 0.0
    # Five sentences in the second turn, one in the first: the mean of 1 and 4/5.
    assert score("{verdict: yes, except: [{item: '3.5 yuan', label: contradictory}]}") == pytest.approx(0.9)
    assert score("{verdict: yes, except: [{item: yuan, unless: '\"price\"'}]}") == 1.0
    assert score("{verdict: yes, fault: undecided}") is None
    assert score("{verdict: yes, fault: garbled}") is None


def test_final_response_match(judge: Judge) -> None:
    def score(answer: str, reference: str) -> Any:
        expected = [turn.model_copy(update={"final_response": _text(reference)}) for turn in _turns()]
        evaluator = FinalResponseMatchV2Evaluator(_metric("m", judge(answer)))
        return _evaluate(evaluator, _turns(), expected=expected).overall_score

    assert score("yes", "x") == 1.0
    assert score("no", "x") == 0.0
    assert score("same", "it costs  3.5 yuan") == 0.5
    assert score("{verdict: no, except: [{where: moment, verdict: yes}]}", "x") == 0.5
    for fault in FAULTS:
        assert score(f"{{verdict: no, fault: {fault}}}", "x") is None


def test_simulator_quality(judge: Judge) -> None:
    scenario = ConversationScenario(starting_prompt="How much is A1?", conversation_plan="Ask the price.")

    def result(answer: str) -> Any:
        metric = _metric("m", judge(answer))
        return _evaluate(PerTurnUserSimulatorQualityV1(metric), _turns(), scenario)

    assert result("yes").overall_score == 1.0
    assert result("no").overall_score == 0.5
    only_the_end = result("{verdict: yes, except: [{where: '</finished>'}]}")
    assert [row.eval_status for row in only_the_end.per_invocation_results] == [EvalStatus.PASSED, EvalStatus.FAILED]
    for fault in FAULTS:
        assert result(f"{{verdict: no, fault: {fault}}}").per_invocation_results[1].score is None


def test_judge_answers_judges_prompts_only() -> None:
    with pytest.raises(ValueError, match="none of them"):
        JudgeAnswer().text(View(prompt="hello", user=["hello"]))


def test_sentences_cover_the_whole_answer_word_by_word() -> None:
    said = "版本 2.10 很好。It costs 3.5 yuan! Fine?\n\n1. one\n* two; three"
    view = View(judging="sentences", judged=said)
    text = JudgeAnswer().text(view)
    parts = [part.split("</sentence>")[0] for part in text.split("<sentence>")[1:]]
    assert "".join("".join(parts).split()) == "".join(said.split())
    assert parts[:3] == ["版本 2.10 很好。", "It costs 3.5 yuan!", "Fine?"]
