"""A desk for the tests of the freeze: a plan on disk, and an agent that is a table, judged by the real metrics."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from adk_split_eval import pool
from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.record import (
    Call,
    Case,
    CaseResult,
    CompiledPlan,
    Conversation,
    Criterion,
    CriterionResult,
    RunResult,
    TrialResult,
    Turn,
)

PLAN = """\
plan_id: desk
agent: desk_agent
models: {simulator: scripted/user, judge: scripted/judge}
fixed_set:
  criteria: {tool_trajectory_avg_score: 1.0}
  cases:
    - case_id: F-01
      turns: [{user: hello, expect_tools: []}]
sim_set:
  criteria: {goal_reached_v1: 1.0, grounded_numbers_v1: 1.0}
  cases:
    - {case_id: S-02, persona: hurried, starting_prompt: refund, goal: money, goal_evidence: [{says: money}]}
"""

Answer = Callable[[str, int], Turn]

RECORDED = [
    Turn("refund L1 please", [Call("look", {"id": "L1"}, {"id": "L1", "amount": 12}, 0, answered=True)], response="It is 12."),
    Turn("never mind", response="Fine."),
    Turn("what does the insurance pay", response="Sure. It pays 25 yuan."),
]  # fmt: skip


def broken(user: str, _trial: int) -> Turn:
    """The agent with the bug: it answers as recorded."""
    return next((t for t in RECORDED if t.user == user), Turn(user, response="Hello."))


def mended(user: str, trial: int) -> Turn:
    """The agent that looks the payout up."""
    if user == RECORDED[2].user:
        return Turn(user, [Call("quote", {"id": "L1"}, {"pays": 9}, 0, answered=True)], response="It pays 9 yuan.")
    return broken(user, trial)


def flaky(user: str, trial: int) -> Turn:
    return (broken if trial % 2 else mended)(user, trial)


def otherwise(user: str, trial: int) -> Turn:
    """Mended, but it calls something else."""
    turn = mended(user, trial)
    return Turn(user, [Call("other")], response="I cannot say.") if user == RECORDED[2].user else turn


def crashing(_user: str, _trial: int) -> Turn:
    raise RuntimeError("the shop is closed")


def runner(answer: Answer) -> Callable[[CompiledPlan, list[Case], int], list[CaseResult]]:
    """What stands in for ``run_cases``: the table answers, this package's own metrics judge."""
    trials_made = itertools.count()

    def run(_compiled: CompiledPlan, cases: list[Case], trials: int) -> list[CaseResult]:
        return [_result(case, [_trial(case, answer, next(trials_made)) for _ in range(trials)]) for case in cases]

    return run


def _result(case: Case, trials: list[TrialResult]) -> CaseResult:
    worst = next((t for v in ("ERROR", "FAIL") for t in trials if t.verdict == v), trials[0])
    return CaseResult(
        "fixed", case.case_id, worst.verdict, worst.reasons, error=worst.error, turns=worst.turns, criteria=worst.criteria,
        trials=trials,
    )  # fmt: skip


def _trial(case: Case, answer: Answer, number: int) -> TrialResult:
    users = [i["user_content"]["parts"][0]["text"] for i in case.eval_case["conversation"]]
    try:
        turns = [answer(user, number) for user in users]
    except RuntimeError as error:
        return TrialResult("ERROR", number, error=str(error), reasons=[str(error)])
    conversation = Conversation(turns, "script_end")
    criteria: list[CriterionResult] = []
    for criterion in case.criteria:
        if criterion.name in METRICS:
            found = METRICS[criterion.name](conversation, criterion.params, criterion.threshold or 1.0)
            criteria.append(
                CriterionResult(criterion.name, "deterministic", found.status, found.score, 1.0, None, found.reasons)
            )
    failed = [c for c in criteria if c.status == "failed"]
    reasons = [f"{c.name}: {r}" for c in failed for r in c.reasons]
    return TrialResult("FAIL" if failed else "PASS", number, turns, criteria, reasons)


def make_plan(folder: Path) -> Path:
    path = folder / "desk.plan.yaml"
    path.write_text(PLAN, "utf-8")
    return path


def hit_candidate(case_id: str = "S-02", run_id: str = "r1", **conversation: Any) -> pool.Candidate:
    """The candidate that the recorded conversation becomes: its third turn states a number without a source."""
    record = Conversation(
        list(RECORDED), **{"stop_reason": "stop_signal", "state_before": {"tier": "gold"}, **conversation}
    )
    params = {"enabled": True, "sources": ["tools", "user"], "ignore": []}
    judged = METRICS["grounded_numbers_v1"](record, params, 1.0)
    failed = CriterionResult("grounded_numbers_v1", "deterministic", "failed", 0.0, 1.0, None, judged.reasons)
    criteria = [
        Criterion("forbidden_tools_v1", "deterministic", "ours", params={"forbidden": [{"name": "pay"}]}),
        Criterion("grounded_numbers_v1", "deterministic", "ours", params=params),
    ]
    case = Case("simulated", case_id, {"eval_id": case_id}, criteria)
    result = CaseResult("simulated", case_id, "HIT", criteria=[failed])
    run = RunResult(run_id, "desk", "2026-11-30T00:00:00Z", "2.13.0", "0.1.0")
    made = pool.candidates_from(run, case, result, record, plan_dir=Path(), context={"run_id": run_id})
    assert made is not None
    return made


def goal_candidate(folder: Path, draft: dict[str, Any]) -> Path:
    """An approved candidate whose goal was not reached: no criterion of a fixed case says so, the draft must."""
    record = Conversation(list(RECORDED), "stop_signal", state_before={"tier": "gold"})
    failed = CriterionResult("goal_reached_v1", "deterministic", "failed", 0.0, 1.0, None, ["no call of quote"])
    criteria = [Criterion("goal_reached_v1", "deterministic", "ours", params={"goal": "money"})]
    case = Case("simulated", "S-02", {"eval_id": "S-02"}, criteria)
    result = CaseResult("simulated", "S-02", "HIT", criteria=[failed])
    run = RunResult("r1", "desk", "2026-11-30T00:00:00Z", "2.13.0", "0.1.0")
    made = pool.candidates_from(run, case, result, record, plan_dir=Path(), context={"run_id": "r1"})
    assert made is not None and made.draft is not None
    made.draft = {"case_id": "F-S-02", **draft}
    made.status = "approved"
    return pool.store(made, folder)


def approved(folder: Path, fill: str = "[{name: quote, args: {id: L1}}]", **more: Any) -> Path:
    """A stored candidate whose hole is filled and whose status is approved, as a person would edit it."""
    path = pool.store(hit_candidate(**more), folder)
    text = path.read_text("utf-8")
    text = text.replace("expect_tools: TODO", f"expect_tools: {fill}").replace("status: open", "status: approved")
    path.write_text(text, "utf-8")
    return path
