"""Gate policies over trials, against counting by hand; and what a verdict says when a criterion gave no reason."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_split_eval.record import CriterionResult
from adk_split_eval.run.verdicts import GOAL, Evidence, combine_fixed, decide_fixed, decide_simulated

trials = st.lists(st.sampled_from(["PASS", "FAIL", "ERROR"]), min_size=1, max_size=6)


def bad(verdicts: list[str]) -> str:
    return "FAIL" if "FAIL" in verdicts else "ERROR"


@given(trials, st.integers(1, 7))
def test_at_least(verdicts: Any, k: int) -> None:
    expected = bad(verdicts) if verdicts.count("PASS") < k else "ERROR" if "ERROR" in verdicts else "PASS"
    assert combine_fixed(verdicts, {"at_least": k})[0] == expected


@given(trials, st.integers(1, 7), st.sampled_from([0.1, 0.5, 0.9, 1.0]))
def test_pass_hat_is_the_share_of_draws_that_all_pass(verdicts: Any, k: int, minimum: float) -> None:
    draws = list(combinations(verdicts, k))
    enough = bool(draws) and sum(set(d) == {"PASS"} for d in draws) / len(draws) >= minimum
    expected = bad(verdicts) if not enough else "ERROR" if "ERROR" in verdicts else "PASS"
    verdict, notes = combine_fixed(verdicts, {"pass_hat": k, "min": minimum})
    assert verdict == expected
    assert f"{len(verdicts)}" in notes[0]


def test_pass_hat_asks_for_half_unless_it_says_otherwise() -> None:
    assert combine_fixed(["PASS", "FAIL"], {"pass_hat": 1})[0] == "PASS"
    assert combine_fixed(["PASS", "FAIL", "FAIL"], {"pass_hat": 1})[0] == "FAIL"


def test_no_trial_is_an_error() -> None:
    assert combine_fixed([], "all") == ("ERROR", [])
    assert combine_fixed(["REJECTED"], {"at_least": 0})[0] == "REJECTED"


@pytest.mark.parametrize(
    ("status", "score", "threshold", "says"),
    [
        ("failed", 0.25, 0.5, "a: score 0.25, threshold 0.5"),
        ("failed", 0.25, None, "a: score 0.25"),
        ("failed", None, 0.5, "a: no score, threshold 0.5"),
        ("not_evaluated", None, 0.5, "a: could not be judged"),
    ],
)
def test_a_criterion_without_a_reason_says_its_score(status: Any, score: Any, threshold: Any, says: str) -> None:
    criterion = CriterionResult("a", "deterministic", status, score, threshold)
    assert decide_fixed(Evidence([criterion])).reasons == [says]


def test_an_open_goal_counts_unless_the_case_says_otherwise() -> None:
    criteria = [CriterionResult(GOAL, "deterministic", "failed", 0.0, 1.0)]
    assert decide_simulated(Evidence(criteria, stop_reason="stop_signal")).verdict == "HIT"
    assert "(4)" in decide_simulated(Evidence(criteria, stop_reason="max_turns", max_turns=4)).reasons[0]
    assert "(" not in decide_simulated(Evidence(criteria, stop_reason="max_turns")).reasons[0]
