"""Verdicts and exit codes as total functions, against a naive reading of the design's two tables."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from adk_split_eval.record import CaseResult, CriterionResult
from adk_split_eval.run.verdicts import GOAL, QUALITY, Evidence, decide_fixed, decide_simulated, exit_code

VERDICTS = {"fixed": ("PASS", "FAIL", "ERROR", "REJECTED"), "simulated": ("OK", "HIT", "ERROR", "SIMULATOR", "INCONCLUSIVE", "REJECTED")}  # fmt: skip
STATUSES = ("passed", "failed", "not_evaluated", "not_applicable", "informational")


@st.composite
def results(draw: st.DrawFn) -> CaseResult:
    half: Any = draw(st.sampled_from(sorted(VERDICTS)))
    result = CaseResult(half, draw(st.text(max_size=3)), draw(st.sampled_from(VERDICTS[half])))
    if draw(st.booleans()):
        result.extra["not_blocking"] = True
    return result


@given(st.lists(results(), max_size=6), st.booleans())
def test_the_exit_code_is_the_designs(cases: list[CaseResult], fail_on_hit: bool) -> None:
    seen = [c.verdict for c in cases if not c.extra.get("not_blocking")]
    expected = 0
    if "ERROR" in seen or "REJECTED" in seen:
        expected = 3
    if "FAIL" in seen or (fail_on_hit and "HIT" in seen):
        expected = 1
    assert exit_code(cases, fail_on_hit=fail_on_hit) == expected


@given(st.lists(results(), max_size=6))
def test_more_cases_never_make_a_run_greener(cases: list[CaseResult]) -> None:
    for length in range(len(cases)):
        if exit_code(cases[:length]) != 0:
            assert exit_code(cases) != 0


def criterion(name: str, kind: Any, status: Any) -> CriterionResult:
    return CriterionResult(name, kind, status, 1.0 if status == "passed" else 0.0, 1.0)


def naive_fixed(statuses: tuple[str, ...], error: str | None) -> str:
    if "failed" in statuses:
        return "FAIL"
    if error or "not_evaluated" in statuses or "passed" not in statuses:
        return "ERROR"
    return "PASS"


def test_every_fixed_combination() -> None:
    for first, second in itertools.product(STATUSES, repeat=2):
        for error in (None, "it broke"):
            criteria = [criterion("a", "deterministic", first), criterion("b", "judged", second)]
            decision = decide_fixed(Evidence(criteria, error))
            assert decision.verdict == naive_fixed((first, second), error)
            assert bool(decision.reasons) == (decision.verdict != "PASS")


def naive_simulated(
    invariant: str, goal: str, judged: str, quality: str, error: str | None, stop: str, fault: bool, required: bool
) -> str:
    statuses = (invariant, goal, judged, quality)
    if invariant == "failed":
        return "HIT"
    if error or "not_evaluated" in statuses:
        return "ERROR"
    if not {"passed", "failed"} & set(statuses):
        return "SIMULATOR" if fault else "ERROR"
    if fault or quality == "failed":
        return "SIMULATOR"
    if judged == "failed":
        return "HIT"
    if stop == "max_turns" and goal != "passed":
        return "INCONCLUSIVE"
    return "HIT" if goal == "failed" and required else "OK"


def test_every_simulated_combination() -> None:
    some = ("passed", "failed", "not_evaluated", "not_applicable")
    count = 0
    for invariant, goal, judged, quality in itertools.product(some, repeat=4):
        criteria = [
            criterion("forbidden_tools_v1", "deterministic", invariant),
            criterion(GOAL, "deterministic", goal),
            criterion("hallucinations_v1", "judged", judged),
            criterion(QUALITY, "judged", quality),
        ]
        for error, stop, fault, required in itertools.product(
            (None, "it broke"), ("stop_signal", "max_turns"), (False, True), (True, False)
        ):
            evidence = Evidence(criteria, error, stop, ["ill"] if fault else [], frozenset({GOAL}), required, 5)
            decision = decide_simulated(evidence)
            expected = naive_simulated(invariant, goal, judged, quality, error, stop, fault, required)
            assert decision.verdict == expected, (invariant, goal, judged, quality, error, stop, fault, required)
            assert bool(decision.reasons) == (expected != "OK")
            count += 1
    assert count == 4**4 * 16
