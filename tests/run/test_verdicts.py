"""Verdict precedence as a total function: every combination against an independent reading of the rules."""

from __future__ import annotations

import itertools
import math

import pytest

from adk_split_eval.record import CaseResult, CriterionResult
from adk_split_eval.run.statistics import wilson
from adk_split_eval.run.verdicts import (
    GOAL,
    QUALITY,
    Evidence,
    combine_fixed,
    decide_fixed,
    decide_simulated,
    exit_code,
    worst,
)

STATUSES = ("passed", "failed", "not_evaluated", "not_applicable", "informational")


def criterion(name: str, kind: str, status: str) -> CriterionResult:
    score = {"passed": 1.0, "failed": 0.0}.get(status)
    return CriterionResult(name, kind, status, score, 1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("deterministic", STATUSES)
@pytest.mark.parametrize("judged", STATUSES)
@pytest.mark.parametrize("error", [None, "the agent raised"])
def test_fixed_is_total(deterministic: str, judged: str, error: str | None) -> None:
    statuses = {deterministic, judged}
    if "failed" in statuses:
        expected = "FAIL"
    elif error or "not_evaluated" in statuses or "passed" not in statuses:
        expected = "ERROR"
    else:
        expected = "PASS"
    evidence = Evidence(
        [
            criterion("tool_args_v1", "deterministic", deterministic),
            criterion("final_response_match_v2", "judged", judged),
        ],
        error=error,
    )
    decision = decide_fixed(evidence)
    assert decision.verdict == expected
    assert decision.reasons or expected == "PASS", "whatever is not green says why"


def oracle(det: str, goal: str, judged: str, quality: str, error: bool, faults: bool, cut: bool, required: bool) -> str:
    if det == "failed":
        return "HIT"
    everything = (det, goal, judged, quality)
    if error or "not_evaluated" in everything:
        return "ERROR"
    if not any(s in ("passed", "failed") for s in everything) and not faults:
        return "ERROR"
    if faults or quality == "failed":
        return "SIMULATOR"
    if judged == "failed":
        return "HIT"
    if cut and goal != "passed":
        return "INCONCLUSIVE"
    if goal == "failed" and required:
        return "HIT"
    return "OK"


def test_simulated_is_total() -> None:
    seen: set[str] = set()
    booleans = (False, True)
    for det, goal, judged, quality in itertools.product(STATUSES, repeat=4):
        for error, faults, cut, required in itertools.product(booleans, repeat=4):
            evidence = Evidence(
                [
                    criterion("grounded_numbers_v1", "deterministic", det),
                    criterion(GOAL, "deterministic", goal),
                    criterion("hallucinations_v1", "judged", judged),
                    criterion(QUALITY, "judged", quality),
                ],
                error="the agent raised" if error else None,
                stop_reason="max_turns" if cut else "stop_signal",
                simulator_faults=["empty turn"] if faults else [],
                goal_required=required,
            )
            decision = decide_simulated(evidence)
            expected = oracle(det, goal, judged, quality, error, faults, cut, required)
            assert decision.verdict == expected, (det, goal, judged, quality, error, faults, cut, required)
            assert decision.reasons or expected == "OK"
            ill = faults or quality == "failed"
            assert decision.simulator_suspect == (det == "failed" and ill), "only a hit found all the same is doubtful"
            seen.add(expected)
    assert seen == {"HIT", "ERROR", "SIMULATOR", "INCONCLUSIVE", "OK"}


def test_a_judged_goal_counts_as_the_goal() -> None:
    name = "rubric_based_multi_turn_trajectory_quality_v1"
    results = [criterion("grounded_numbers_v1", "deterministic", "passed"), criterion(name, "judged", "failed")]
    cut = Evidence(results, stop_reason="max_turns", goal_names=frozenset({GOAL, name}))
    assert decide_simulated(cut).verdict == "INCONCLUSIVE"
    assert decide_simulated(Evidence(results, stop_reason="max_turns")).verdict == "HIT"


def test_nothing_judged_is_never_green() -> None:
    assert decide_fixed(Evidence([])).verdict == "ERROR"
    assert decide_simulated(Evidence([])).verdict == "ERROR"
    assert combine_fixed([], {"at_least": 0}) == ("ERROR", [])
    assert combine_fixed([], {"pass_hat": 1, "min": 0.0}) == ("ERROR", [])


def test_a_verdict_tells_the_criterions_own_reasons() -> None:
    failed = CriterionResult("tool_args_v1", "deterministic", "failed", 0.0, 1.0, reasons=["turn 1: a", "turn 2: b"])
    decision = decide_fixed(Evidence([criterion("tool_order_v1", "deterministic", "passed"), failed]))
    assert decision.reasons == ["tool_args_v1: turn 1: a", "tool_args_v1: turn 2: b"]
    assert decision.criteria == ["tool_args_v1"]


def test_what_is_green_rests_on_what_passed() -> None:
    results = [criterion(f"{status}_v1", "deterministic", status) for status in STATUSES if "fail" not in status]
    results = [r for r in results if r.status != "not_evaluated"]
    fixed, simulated = decide_fixed(Evidence(results)), decide_simulated(Evidence(results))
    assert (fixed.verdict, fixed.criteria, fixed.reasons) == ("PASS", ["passed_v1"], [])
    assert (simulated.verdict, simulated.criteria, simulated.reasons) == ("OK", ["passed_v1"], [])


@pytest.mark.parametrize(
    ("goal", "stopped", "names"),
    [
        ("passed", "stopped at max_turns (12)", ["stage_flow_v1"]),
        ("failed", "stopped at max_turns (12) with the goal open", ["stage_flow_v1", GOAL]),
    ],
)
def test_at_the_cap_what_is_still_missing_is_open_and_nothing_else(goal: str, stopped: str, names: list[str]) -> None:
    flow = CriterionResult("stage_flow_v1", "deterministic", "failed", 0.0, 1.0, reasons=["never entered: closed"])
    flow.unfinished = True
    met = [criterion(GOAL, "deterministic", goal), flow]
    decision = decide_simulated(Evidence(met, stop_reason="max_turns", max_turns=12))
    assert decision.verdict == "INCONCLUSIVE"
    assert decision.reasons == [stopped, "stage_flow_v1: never entered: closed"]
    assert decision.criteria == names
    assert decide_simulated(Evidence(met, stop_reason="stop_signal")).verdict == "HIT"
    flow.unfinished = False
    assert decide_simulated(Evidence(met, stop_reason="max_turns", max_turns=12)).verdict == "HIT"


@pytest.mark.parametrize(
    ("gate", "verdicts", "expected"),
    [
        ("all", ["PASS", "PASS"], "PASS"),
        ("all", ["PASS", "FAIL"], "FAIL"),
        ("all", ["PASS", "ERROR"], "ERROR"),
        ({"at_least": 2}, ["PASS", "FAIL", "PASS"], "PASS"),
        ({"at_least": 3}, ["PASS", "FAIL", "PASS"], "FAIL"),
        ({"at_least": 1}, ["PASS", "ERROR"], "ERROR"),
        ({"at_least": 2}, ["PASS", "ERROR"], "ERROR"),
        ({"pass_hat": 2}, ["PASS", "PASS", "PASS", "FAIL"], "PASS"),
        ({"pass_hat": 2}, ["PASS", "PASS", "FAIL", "FAIL"], "FAIL"),
        ({"pass_hat": 3}, ["PASS", "PASS"], "ERROR"),
        ("all", ["REJECTED"], "REJECTED"),
    ],
)
def test_gate_policies(gate: object, verdicts: list[str], expected: str) -> None:
    assert combine_fixed(verdicts, gate)[0] == expected  # type: ignore[arg-type]


def test_worst_follows_the_precedence() -> None:
    assert worst("simulated", ["OK", "SIMULATOR", "INCONCLUSIVE"]) == "SIMULATOR"
    assert worst("fixed", ["PASS", "ERROR"]) == "ERROR"


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], 0),
        (["PASS", "OK", "HIT", "SIMULATOR", "INCONCLUSIVE"], 0),
        (["FAIL", "ERROR"], 1),
        (["PASS", "ERROR"], 3),
        (["OK", "REJECTED"], 3),
    ],
)
def test_exit_code_is_a_function_of_verdicts(verdicts: list[str], expected: int) -> None:
    cases = [
        CaseResult("fixed" if v in ("PASS", "FAIL") else "simulated", str(n), v)  # type: ignore[arg-type]
        for n, v in enumerate(verdicts)
    ]
    assert exit_code(cases) == expected


def test_hits_count_only_on_request() -> None:
    cases = [CaseResult("simulated", "S", "HIT")]
    assert exit_code(cases) == 0
    assert exit_code(cases, fail_on_hit=True) == 1


def test_wilson_known_values() -> None:
    # 5 of 5: the lower bound is 1 / (1 + z^2 / 5), about 57 %.
    low, high = wilson(5, 5)
    assert math.isclose(low, 1 / (1 + 1.959963984540054**2 / 5), rel_tol=1e-12)
    assert round(low, 2) == 0.57
    assert high == 1.0
    assert wilson(0, 0) == (0.0, 1.0)
