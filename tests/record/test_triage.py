"""Triage: every verdict that is not green has an owner and a next step, and each fault points at its mechanism."""

import itertools

import pytest

from adk_split_eval.criteria.catalogue import CATALOGUE
from adk_split_eval.record.triage import GREEN, JUDGED, triage

VERDICTS = {
    "fixed": ("PASS", "FAIL", "ERROR", "REJECTED"),
    "simulated": ("OK", "HIT", "SIMULATOR", "INCONCLUSIVE", "ERROR", "REJECTED"),
}
OWNERS = {"agent", "plan", "simulator", "judge", "metric", "environment"}


def test_the_judged_names_are_those_of_the_catalogue() -> None:
    assert {name for name, row in CATALOGUE.items() if row.kind == "judged"} == JUDGED


@pytest.mark.parametrize("half", VERDICTS)
def test_red_has_an_owner_and_a_step_and_green_has_none(half: str) -> None:
    names = [None, "team_metric", *CATALOGUE]
    flags = [(), ("simulator_suspect",), ("agent_error",), ("unknown_flag",)]
    for verdict, name, flag in itertools.product(VERDICTS[half], names, flags):
        owner, step = triage(half, verdict, [name] if name else [], flag)  # type: ignore[arg-type]
        if verdict in GREEN:
            assert (owner, step) == ("", "")
        else:
            assert owner in OWNERS
            assert step.endswith((".", "?")), step


@pytest.mark.parametrize(
    ("criterion", "words"),
    [
        ("stage_flow_v1", ("transition conditions", "counters")),
        ("repeated_questions_v1", ("event that asks", "de-duplication")),
        ("evidence_links_v1", ("read", "passed on")),
        ("report_review_v1", ("quotable evidence", "kept")),
        ("grounded_numbers_v1", ("tool result", "user message")),
        ("tool_order_v1", ("guard",)),
    ],
)
def test_each_fault_names_its_mechanism(criterion: str, words: tuple[str, ...]) -> None:
    for half, verdict in (("fixed", "FAIL"), ("simulated", "HIT")):
        owner, step = triage(half, verdict, [criterion])  # type: ignore[arg-type]
        assert owner == "agent"
        assert all(word in step for word in words), step


def test_a_suspect_simulator_is_looked_at_before_the_agent() -> None:
    assert triage("simulated", "HIT", ["grounded_numbers_v1"], ["simulator_suspect"])[0] == "simulator"
    assert triage("simulated", "SIMULATOR", [], ["empty_turn"])[1].startswith("The simulated user sent an empty turn")


def test_an_error_belongs_to_what_broke() -> None:
    assert triage("fixed", "ERROR", ["tool_args_v1"], ["agent_error"])[0] == "agent"
    assert triage("simulated", "ERROR", [], ["simulator_error"])[0] == "simulator"
    assert triage("fixed", "ERROR", ["hallucinations_v1"])[0] == "judge"
    assert triage("fixed", "ERROR", ["team_metric"])[0] == "metric"
    assert triage("fixed", "ERROR")[0] == "environment"


def test_a_deterministic_criterion_keeps_the_judge_out_of_the_step() -> None:
    step = triage("simulated", "HIT", ["hallucinations_v1", "grounded_numbers_v1"])[1]
    assert "Follow the number" in step
    assert "judge" not in step


def test_a_pending_case_that_turned_green_asks_for_its_promotion() -> None:
    owner, step = triage("fixed", "PASS", [], ["pending_green"])
    assert owner == "plan"
    assert "promote" in step


def test_a_pending_case_that_passes_is_told_apart_from_one_that_fails() -> None:
    assert "promote" in triage("fixed", "PASS", [], ["pending"])[1]
    assert triage("fixed", "FAIL", ["tool_order_v1"], ["pending"])[1].startswith("Known fault")
