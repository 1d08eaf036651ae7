"""Small inputs that grew out of public reports: what the linter must say about each, and what it must not."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_split_eval.lint import lint_paths, lint_sets, rejecting_codes
from adk_split_eval.lint.settings import Options
from adk_split_eval.record.finding import Finding

CASES = Path(__file__).parent / "data" / "cases"


def lint(folder: str, eval_set: str, config: str) -> list[Finding]:
    root = CASES / folder
    return lint_paths([root / eval_set], Options(config=str(root / config), adk_version="2.13")).findings


def has(findings: list[Finding], code: str, level: str, case: str | None = None) -> bool:
    return any(f.code == code and f.level == level and (case is None or f.case_id == case) for f in findings)


def test_scenario_under_a_reference_criterion() -> None:
    found = lint("01-scenario-plus-trajectory", "evalset.json", "eval_config.json")
    assert has(found, "ASE102", "error", "sim_hold")
    assert not any(f.code == "ASE102" and f.case_id == "fixed_hold" for f in found)
    message = next(f.message for f in found if f.code == "ASE102")
    assert "tool_trajectory_avg_score" in message


@pytest.mark.parametrize("config", ["eval_config.in_order.json", "eval_config.any_order.json"])
def test_empty_expectation_under_a_lenient_match(config: str) -> None:
    found = lint("03-empty-expectation", "evalset.json", config)
    assert has(found, "ASE304", "error", "explicit_empty")
    assert has(found, "ASE304", "error", "absent")
    stated = next(f for f in found if f.case_id == "explicit_empty")
    absent = next(f for f in found if f.case_id == "absent")
    assert "explicitly empty" in stated.message and "no expected calls are annotated" in absent.message
    assert "ASE304" not in rejecting_codes()


def test_empty_expectation_under_exact() -> None:
    found = lint("03-empty-expectation", "evalset.json", "eval_config.exact.json")
    assert not any(f.level == "error" for f in found)
    assert has(found, "ASE305", "warning", "absent")


def test_turn_limits() -> None:
    assert has(lint("08-turn-limit-cutoff", "evalset.json", "eval_config.zero.json"), "ASE406", "error")
    assert has(lint("08-turn-limit-cutoff", "evalset.json", "eval_config.json"), "ASE408", "warning", "three_goals")


def test_call_inside_an_agent_tool() -> None:
    found = lint("11-transfer-and-agenttool", "evalset.json", "eval_config.json")
    assert [f.case_id for f in found if f.code == "ASE315" and f.level == "warning"] == ["agent_as_tool_inner_expected"]
    assert has(found, "ASE312", "info", "agent_as_tool_outer_only")


def test_state_that_is_already_there() -> None:
    wrong = lint("12-session-state-carry", "wrong_frozen_end_state.evalset.json", "eval_config.json")
    assert has(wrong, "ASE506", "error", "my_branch__wrong")
    assert "`branch`" in next(f.message for f in wrong if f.code == "ASE506")
    assert has(wrong, "ASE507", "warning") and "temp:trace" in next(f.message for f in wrong if f.code == "ASE507")
    right = lint("12-session-state-carry", "expected_frozen.evalset.json", "eval_config.json")
    assert not any(f.level == "error" for f in right)
    assert has(right, "ASE225", "warning")


def test_unicode_is_read_with_and_without_a_mark() -> None:
    plain = lint("13-unicode-roundtrip", "evalset.json", "eval_config.json")
    assert not any(f.level == "error" for f in plain)
    marked = lint("13-unicode-roundtrip", "evalset.bom.json", "eval_config.json")
    assert [f.code for f in marked if f.level == "error"] == ["ASE632"]


def test_rubrics_whose_verdict_gets_lost() -> None:
    found = lint("15-rubric-verdict-lost", "evalset.json", "eval_config.json")
    assert has(found, "ASE216", "error") and "number_given" in next(f.message for f in found if f.code == "ASE216")
    found = lint("15-rubric-verdict-lost", "evalset.case_level.json", "eval_config.case_level.json")
    assert has(found, "ASE213", "error", "typed_wrong")


def test_sets_for_the_runner_carry_the_case() -> None:
    """What ``run --agent DIR SET --config FILE`` asks: errors that refuse one case name it."""
    root = CASES / "01-scenario-plus-trajectory"
    found = lint_sets([root / "evalset.json"], root / "eval_config.json", adk_version="2.13")
    refused = {f.case_id for f in found if f.level == "error" and f.code in rejecting_codes() and f.case_id}
    assert refused == {"sim_hold"}
    whole = {f.code for f in found if f.level == "error" and f.code in rejecting_codes() and f.case_id is None}
    assert whole == set()
