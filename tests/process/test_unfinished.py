"""What is still missing when the cap on turns ends a conversation is neither a hit nor a pass."""

from __future__ import annotations

import pytest

from adk_split_eval.record import CriterionResult
from adk_split_eval.run.verdicts import Evidence, decide_fixed, decide_simulated

GOAL_MET = CriterionResult("goal_reached_v1", "deterministic", "passed", 1.0, 1.0)
GOAL_OPEN = CriterionResult("goal_reached_v1", "deterministic", "failed", 0.0, 1.0, reasons=["not yet"])


def flow(*, unfinished: bool) -> CriterionResult:
    found = CriterionResult("stage_flow_v1", "deterministic", "failed", 0.0, 1.0, reasons=["never entered: closed"])
    found.unfinished = unfinished
    return found


@pytest.mark.parametrize("goal", [GOAL_MET, GOAL_OPEN])
def test_at_the_cap_it_is_inconclusive(goal: CriterionResult) -> None:
    found = decide_simulated(Evidence([goal, flow(unfinished=True)], stop_reason="max_turns", max_turns=12))
    assert found.verdict == "INCONCLUSIVE"
    assert found.reasons[1] == "stage_flow_v1: never entered: closed"
    assert "stage_flow_v1" in found.criteria


def test_a_judged_one_too() -> None:
    report = CriterionResult("report_review_v1", "judged", "failed", 0.0, 0.75, reasons=["there is no report"])
    report.unfinished = True
    assert decide_simulated(Evidence([GOAL_MET, report], stop_reason="max_turns")).verdict == "INCONCLUSIVE"


def test_a_real_fault_at_the_cap_is_a_hit() -> None:
    assert decide_simulated(Evidence([GOAL_MET, flow(unfinished=False)], stop_reason="max_turns")).verdict == "HIT"


def test_without_the_cap_what_is_missing_is_a_hit() -> None:
    assert decide_simulated(Evidence([GOAL_MET, flow(unfinished=True)], stop_reason="stop_signal")).verdict == "HIT"


def test_a_script_that_ends_too_soon_fails() -> None:
    assert decide_fixed(Evidence([flow(unfinished=True)], stop_reason="script_end")).verdict == "FAIL"


def test_it_survives_storage() -> None:
    assert CriterionResult.from_json(flow(unfinished=True).to_json()).unfinished
    assert "unfinished" not in flow(unfinished=False).to_json()
