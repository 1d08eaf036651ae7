"""Running a frozen case against the agent as it is: red first, and red for the reason of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from adk_split_eval.criteria import catalogue
from adk_split_eval.freeze.naive import EXPECTATIONS, NAIVE
from adk_split_eval.pool.candidate import Hit
from adk_split_eval.pool.fingerprint import same_reason
from adk_split_eval.pool.locate import failing_turn
from adk_split_eval.pool.reading import PoolError, refuse
from adk_split_eval.record import Case, CaseResult, CompiledPlan, TrialResult

if TYPE_CHECKING:
    from adk_split_eval.plan import LoadedPlan

Outcome = Literal["red", "green", "other", "error"]
Runner = Callable[[CompiledPlan, list[Case], int], list[CaseResult]]

REJECTED = "ASE959"


@dataclass(slots=True)
class Proof:
    """What the trials of a case showed.

    Attributes:
        outcomes: one a trial: red for its own reason, green, red for another reason, or an error.
        reasons: what was red, or broken, in the first trial that was not green.
        trials: the trials themselves.
        model_calls: of the agent, counted from what was recorded: one for each step and each answer.
    """

    outcomes: list[Outcome]
    reasons: list[str] = field(default_factory=list[str])
    trials: list[TrialResult] = field(default_factory=list[TrialResult])
    model_calls: int = 0

    @property
    def red(self) -> int:
        return self.outcomes.count("red")

    @property
    def summary(self) -> str:
        """``3/3``: red trials out of all."""
        return f"{self.red}/{len(self.outcomes)}"


def real_runner(compiled: CompiledPlan, cases: list[Case], trials: int) -> list[CaseResult]:
    """Run through ``run/``. Raises PoolError when there is no agent to run."""
    from adk_split_eval.run import RunError, run_cases

    try:
        return run_cases(compiled, cases, trials=trials)
    except RunError as error:
        raise NoAgentError(str(error)) from error


class NoAgentError(Exception):
    """There is no agent at hand to run the case against (exit code 2)."""


def compile_with(loaded: LoadedPlan, case: dict[str, Any], where: str) -> tuple[CompiledPlan, Case]:
    """The plan compiled with ``case`` in its fixed set. Raises PlanError when the plan, PoolError when the case is rejected."""
    from adk_split_eval.build import compile_plan
    from adk_split_eval.plan import PlanError
    from adk_split_eval.plan.models import FixedSet, FrozenCase

    plan = loaded.plan
    fixed = plan.fixed_set or FixedSet()
    others = [c for c in fixed.cases if c.case_id != case["case_id"]]
    frozen = FrozenCase.model_validate(case)
    grown = plan.model_copy(update={"fixed_set": fixed.model_copy(update={"cases": [*others, frozen]})})
    compiled = compile_plan(replace(loaded, plan=grown))
    if errors := [f for f in compiled.findings if f.level == "error" and f.case_id is None]:
        raise PlanError(errors)
    found = next(c for c in compiled.cases if c.set == "fixed" and c.case_id == case["case_id"])
    if found.rejected:
        raise PoolError(*(replace(f, path=f.path or where) for f in found.findings if f.level == "error"))
    return compiled, found


def prove(
    loaded: LoadedPlan, case: dict[str, Any], hit: Hit, *, trials: int, runner: Runner = real_runner, where: str = ""
) -> Proof:
    """Run ``case`` and compare what is red with ``hit``.

    Raises:
        PoolError: the case is rejected, or the criterion that hit does not govern it.
        NoAgentError: nothing to run.
    """
    compiled, found = compile_with(loaded, case, where)
    governing = {criterion.name for criterion in found.criteria}
    _require_criterion(hit, governing, where)
    result = runner(compiled, [found], trials)[0]
    turn = hit.turn if hit.turn is not None and hit.turn <= len(case["turns"]) else None
    tried = result.trials or [_as_trial(result)]
    proof = Proof([judge_trial(t, hit, governing, turn) for t in tried], trials=tried)
    first = next((t for t, o in zip(tried, proof.outcomes, strict=True) if o != "green"), None)
    if first is not None:
        proof.reasons = list(first.reasons) or ([first.error] if first.error else list(result.reasons))
    proof.model_calls = sum(_calls(t) for t in tried)
    return proof


def _as_trial(result: CaseResult) -> TrialResult:
    return TrialResult(result.verdict, 0, result.turns, result.criteria, result.reasons, error=result.error)


def _require_criterion(hit: Hit, governing: set[str], where: str) -> None:
    if hit.criterion not in governing and (key := switch_of(hit.criterion)):
        message = (
            f"{hit.criterion} hit, and the draft no longer carries it: the case would pass with the bug still there"
        )
        raise refuse(NAIVE, message, path=where, help=f"put back the key that switches it on: {key}")
    if hit.kind == "recorded" or hit.criterion in governing or EXPECTATIONS & governing:
        return
    message = f"{hit.criterion} does not govern the frozen case, and nothing in the draft stands in for it"
    mend = f"add {hit.criterion} to fixed_set.criteria, or say in the draft what the agent must do"
    raise refuse(REJECTED, message, path=where, help=mend)


def switch_of(criterion: str) -> str | None:
    """The key of a fixed case that switches ``criterion`` on, when it takes one and no words of the agent."""
    info = catalogue.get(criterion)
    key = (info.plan_key or "") if info is not None and "fixed" in info.sets else ""
    head = key.partition(".")[0]
    return head if head in ("grounded_numbers", "forbidden_tools", "order_rules", "expect_state", "process") else None


def judge_trial(trial: TrialResult, hit: Hit, governing: set[str], turn: int | None) -> Outcome:
    """Whether one trial is red for the reason of ``hit``."""
    if trial.verdict in ("ERROR", "REJECTED"):
        return "error"
    failed = [c for c in trial.criteria if c.status == "failed"]
    if not failed:
        return "green"
    if hit.kind == "recorded":
        return "other"
    if hit.criterion in governing:
        own = [c for c in failed if c.name == hit.criterion]
        return "red" if any(hit.kind == "judged" or same_reason(c.reasons, hit.reasons) for c in own) else "other"
    # The criterion cannot travel (a goal, a judge's opinion): what the person wrote down in its place must be red, and
    # not before the turn that failed.
    for criterion in failed:
        if criterion.name in EXPECTATIONS:
            blamed = failing_turn(criterion.reasons, trial.turns)
            if turn is None or blamed is None or blamed >= turn:
                return "red"
    return "other"


def _calls(trial: TrialResult) -> int:
    return sum(len({call.step for call in turn.tool_calls}) + 1 for turn in trial.turns)


def verdict_of(proof: Proof, hit: Hit, *, allow_flaky: bool, already_fixed: bool) -> str | None:
    """Why the case may not be frozen; None when it may."""
    total = len(proof.outcomes)
    why = f": {proof.reasons[0]}" if proof.reasons else ""
    if "error" in proof.outcomes:
        return f"it could not be judged in {proof.outcomes.count('error')} of {total} trials{why}"
    if hit.kind == "recorded" and not already_fixed:
        return "a recording without a fault cannot be red first; if it guards what works today, freeze it with --already-fixed"
    if already_fixed:
        if proof.outcomes.count("green") == total:
            return None
        return f"it is not fixed: {total - proof.outcomes.count('green')} of {total} trials are red{why}"
    if proof.red == total:
        return None
    if proof.red:
        return (
            None
            if allow_flaky
            else f"it is red in {proof.summary} trials only; freeze a flaky reproduction with --allow-flaky"
        )
    if "other" in proof.outcomes:
        return f"it is red, but not for its own reason ({hit.criterion}){why}"
    return (
        "it is green: the bug is gone already, or the case misses it; if it is gone, freeze it with --already-fixed,"
        " else compare the draft with the transcript"
    )
