"""The example's scripted judge under ADK's judged metrics: content with every conversation except the one with the bug."""

from __future__ import annotations

import asyncio
from typing import Any

from google.adk.evaluation.conversation_scenarios import ConversationScenario
from google.adk.evaluation.eval_metrics import EvalMetric
from google.adk.evaluation.hallucinations_v1 import HallucinationsV1Evaluator
from google.adk.evaluation.simulation.per_turn_user_simulator_quality_v1 import PerTurnUserSimulatorQualityV1


def _metric(plan: dict[str, Any], name: str) -> EvalMetric:
    options = {"judge_model": plan["models"]["judge"], "num_samples": 1}
    return EvalMetric.model_validate(
        {"metric_name": name, "criterion": {"threshold": 1.0, "judge_model_options": options}}
    )


def _score(evaluator: Any, talk: Any, scenario: Any = None) -> float | None:
    return asyncio.run(evaluator.evaluate_invocations(talk.invocations, None, scenario)).overall_score


def _hallucinations(plan: dict[str, Any], talks: dict[str, Any]) -> dict[str, float | None]:
    evaluator = HallucinationsV1Evaluator(_metric(plan, "hallucinations_v1"))
    return {case_id: _score(evaluator, talk) for case_id, talk in talks.items()}


def test_only_the_invented_payout_is_called_unsupported(plan: dict[str, Any], talks: dict[str, Any]) -> None:
    scores = _hallucinations(plan, talks)
    assert [case_id for case_id, score in scores.items() if score != 1.0] == ["S-02"]
    assert scores["S-02"] is not None


def test_the_mended_agent_is_believed(plan: dict[str, Any], mended_talks: dict[str, Any]) -> None:
    assert set(_hallucinations(plan, mended_talks).values()) == {1.0}


def test_simulated_users_are_found_in_order(plan: dict[str, Any], talks: dict[str, Any]) -> None:
    evaluator = PerTurnUserSimulatorQualityV1(_metric(plan, "per_turn_user_simulator_quality_v1"))
    for case in plan["sim_set"]["cases"]:
        scenario = ConversationScenario(starting_prompt=case["starting_prompt"], conversation_plan=case["goal"])
        assert _score(evaluator, talks[case["case_id"]], scenario) == 1.0
