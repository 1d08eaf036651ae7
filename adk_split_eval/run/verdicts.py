"""From criterion results to verdicts: the precedence, as total functions over plain data.

fixed: REJECTED, FAIL, ERROR, PASS. simulated: REJECTED, HIT by a deterministic criterion other than the goal, ERROR,
SIMULATOR, HIT by a judged criterion, INCONCLUSIVE, HIT on the goal, OK. The first that applies wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from adk_split_eval.record.result import CaseResult, CriterionResult, Verdict
from adk_split_eval.run.statistics import pass_hat

QUALITY = "per_turn_user_simulator_quality_v1"
GOAL = "goal_reached_v1"

FIXED_ORDER: tuple[Verdict, ...] = ("REJECTED", "FAIL", "ERROR", "PASS")
SIMULATED_ORDER: tuple[Verdict, ...] = ("REJECTED", "HIT", "ERROR", "SIMULATOR", "INCONCLUSIVE", "OK")


@dataclass(slots=True)
class Evidence:
    """All a verdict depends on.

    Attributes:
        error: why acting broke off, if it did (agent, tool, simulator model or environment).
        stop_reason: see ``Conversation.stop_reason``.
        simulator_faults: empty turn, opening repeated, glued text: sentences.
        goal_names: criteria that stand for the user's goal (a goal without evidence is a judged rubric).
        goal_required: whether missing the goal is a HIT.
    """

    criteria: list[CriterionResult]
    error: str | None = None
    stop_reason: str | None = None
    simulator_faults: list[str] = field(default_factory=list[str])
    goal_names: frozenset[str] = frozenset({GOAL})
    goal_required: bool = True
    max_turns: int | None = None


@dataclass(slots=True)
class Decision:
    """A verdict, the sentences that carry it, and the criteria it rests on."""

    verdict: Verdict
    reasons: list[str]
    criteria: list[str] = field(default_factory=list[str])
    simulator_suspect: bool = False


def _named(results: Sequence[CriterionResult]) -> tuple[list[str], list[str]]:
    reasons = [f"{r.name}: {reason}" for r in results for reason in (r.reasons or [_plain(r)])]
    return reasons, [r.name for r in results]


def _plain(result: CriterionResult) -> str:
    if result.status == "not_evaluated":
        return "could not be judged"
    score = "no score" if result.score is None else f"score {result.score:g}"
    return score if result.threshold is None else f"{score}, threshold {result.threshold:g}"


def decide_fixed(evidence: Evidence) -> Decision:
    """FAIL, ERROR or PASS of one trial of a fixed case."""
    failed = [c for c in evidence.criteria if c.status == "failed"]
    if failed:
        return Decision("FAIL", *_named(failed))
    broken = _broken(evidence)
    if broken is not None:
        return broken
    return Decision("PASS", [], [c.name for c in evidence.criteria if c.status == "passed"])


def _broken(evidence: Evidence) -> Decision | None:
    reasons: list[str] = []
    names: list[str] = []
    if evidence.error:
        reasons.append(evidence.error)
    unjudged = [c for c in evidence.criteria if c.status == "not_evaluated"]
    more, names = _named(unjudged)
    reasons += more
    if not reasons and not any(c.status in ("passed", "failed") for c in evidence.criteria):
        reasons.append("nothing was judged: no criterion that governs this case gave a verdict")
    return Decision("ERROR", reasons, names) if reasons else None


def decide_simulated(evidence: Evidence) -> Decision:
    """HIT, ERROR, SIMULATOR, INCONCLUSIVE or OK of one trial of a simulated case."""
    failed = [c for c in evidence.criteria if c.status == "failed"]
    quality = [c for c in failed if c.name == QUALITY]
    goal = [c for c in failed if c.name in evidence.goal_names]
    others = [c for c in failed if c.name != QUALITY and c.name not in evidence.goal_names]
    suspect = bool(quality or evidence.simulator_faults)
    # The cap on turns is a guard: what could still have come is neither there nor missing.
    unfinished = [c for c in others if c.unfinished and evidence.stop_reason == "max_turns"]
    others = [c for c in others if c not in unfinished]
    deterministic = [c for c in others if c.kind == "deterministic"]
    if deterministic:
        return Decision("HIT", *_named(deterministic), simulator_suspect=suspect)
    simulator_ill = bool(evidence.simulator_faults)
    broken = _broken(evidence)
    # A conversation the simulator never really began gives the criteria nothing; that is the simulator's fault.
    nothing_to_judge = broken is not None and not evidence.error and not broken.criteria and simulator_ill
    if broken is not None and not nothing_to_judge:
        return broken
    if suspect:
        reasons, names = _named(quality)
        return Decision("SIMULATOR", evidence.simulator_faults + reasons, names)
    judged = [c for c in others if c.kind == "judged"]
    if judged:
        return Decision("HIT", *_named(judged))
    goal_met = any(c.status == "passed" and c.name in evidence.goal_names for c in evidence.criteria)
    if evidence.stop_reason == "max_turns" and (unfinished or not goal_met):
        limit = f" ({evidence.max_turns})" if evidence.max_turns is not None else ""
        stopped = f"stopped at max_turns{limit}" + ("" if goal_met else " with the goal open")
        still_open, names = _named(unfinished)
        return Decision("INCONCLUSIVE", [stopped, *still_open], [*names, *(c.name for c in goal)])
    if goal and evidence.goal_required:
        return Decision("HIT", *_named(goal))
    return Decision("OK", [], [c.name for c in evidence.criteria if c.status == "passed"])


def worst(half: str, verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict that stands for several trials when each of them must be good."""
    order = FIXED_ORDER if half == "fixed" else SIMULATED_ORDER
    return min(verdicts, key=order.index)


def combine_fixed(verdicts: Sequence[Verdict], gate: Any) -> tuple[Verdict, list[str]]:
    """One verdict for all trials of a fixed case under the gate policy, and what to say about it.

    ``all``: every trial must PASS. ``{at_least: k}``: at least k trials PASS. ``{pass_hat: k}``: the unbiased estimate
    of "k independent trials all pass", C(passes, k) / C(trials, k) (Chen et al. 2021 for pass@k; pass^k as in tau-bench),
    must reach ``min`` (0.5 unless stated). An ERROR is never voted away: it stands unless a FAIL stands already.
    """
    if not verdicts or gate == "all" or "REJECTED" in verdicts:
        return (worst("fixed", verdicts) if verdicts else "ERROR"), []
    passes = sum(v == "PASS" for v in verdicts)
    trials = len(verdicts)
    enough, note = _policy(gate, passes, trials)
    if not enough:
        return ("FAIL" if "FAIL" in verdicts else "ERROR"), [note]
    return ("ERROR" if "ERROR" in verdicts else "PASS"), [note]


def _policy(gate: Any, passes: int, trials: int) -> tuple[bool, str]:
    kind, k = next(iter(gate.items()))
    k = int(k)
    if kind == "at_least":
        return passes >= k, f"{passes} of {trials} trials passed; the gate asks for at least {k}"
    minimum = float(gate.get("min", 0.5))
    if k > trials:
        return False, f"pass_hat {k} needs at least {k} trials, {trials} ran"
    estimate = pass_hat(passes, trials, k)
    return estimate >= minimum, (
        f"{passes} of {trials} trials passed; chance that {k} in a row pass is estimated at {estimate:.2f}, "
        f"the gate asks for {minimum:g}"
    )


def exit_code(cases: Sequence[CaseResult], *, fail_on_hit: bool = False) -> int:
    """1 on a FAIL in the fixed set, 3 on an ERROR or REJECTED case, else 0; a HIT counts only on request (1).

    A case marked ``pending`` (expected to fail, with an owner and a date) does not block while its date holds.
    """
    found = {c.verdict for c in cases if not c.extra.get("not_blocking")}
    if "FAIL" in found:
        return 1
    if fail_on_hit and "HIT" in found:
        return 1
    if found & {"ERROR", "REJECTED"}:
        return 3
    return 0
