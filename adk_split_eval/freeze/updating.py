"""Frozen cases over time: a legitimate change of behaviour is taken over with a reason; the bug itself never is."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adk_split_eval.freeze import proving
from adk_split_eval.freeze.frozen_file import (
    fingerprint_of,
    frozen_path,
    grace_of,
    hash_of,
    read_cases,
    replace_case,
    seal_of,
    sealed,
)
from adk_split_eval.freeze.naive import call_names, hit_in, refuse_blind, refuse_naive
from adk_split_eval.freeze.preparing import prepare
from adk_split_eval.freeze.procedure import rebuild
from adk_split_eval.freeze.proving import Proof, Runner, compile_with, prove
from adk_split_eval.pool import files
from adk_split_eval.pool.candidate import Candidate, Hit
from adk_split_eval.pool.draft import observed_steps
from adk_split_eval.pool.emit import as_list, as_mapping, emit
from adk_split_eval.pool.reading import PoolError, refuse
from adk_split_eval.pool.review import now
from adk_split_eval.record import TrialResult

if TYPE_CHECKING:
    from adk_split_eval.plan import LoadedPlan

NOT_FROZEN, OWN_REASON = "ASE967", "ASE968"
TRIALS = 3


@dataclass(slots=True)
class Update:
    """A change of one frozen case.

    Attributes:
        diff: old and new expectation, as a unified diff; empty when nothing changed.
        done: whether it was written (a reason was given).
        by_hand: the file was edited by hand, and that edit is what is taken over.
    """

    case_id: str
    diff: list[str] = field(default_factory=list[str])
    done: bool = False
    by_hand: bool = False


@dataclass(slots=True)
class _Frozen:
    """One frozen case, with all that says what it guards against."""

    loaded: LoadedPlan
    target: Path
    case: dict[str, Any]
    candidate: Candidate | None
    runner: Runner
    trials: int

    @property
    def case_id(self) -> str:
        return str(self.case["case_id"])

    @property
    def provenance(self) -> dict[str, Any]:
        return as_mapping(self.case.get("provenance"))

    def hit(self, case: dict[str, Any]) -> Hit:
        """The fault, with its turn as it stands in ``case``."""
        known = self.provenance
        reasons = [str(r) for r in (known.get("reason"), *as_list(known.get("reasons"))) if r]
        turn = hit_in(self.candidate, case).turn if self.candidate is not None else known.get("turn")
        criterion, kind = str(known.get("criterion") or ""), str(known.get("kind") or "deterministic")
        return Hit(criterion, kind if criterion else "recorded", reasons, None, turn if isinstance(turn, int) else None)

    def prove(self, case: dict[str, Any]) -> Proof:
        """What the agent makes of ``case`` now. Raises PoolError when that is no ground for a decision."""
        hit = self.hit(case)
        proof = prove(self.loaded, case, hit, trials=self.trials, runner=self.runner, where=str(self.target))
        if "error" in proof.outcomes:
            raise self.refuse(f"could not be judged: {'; '.join(proof.reasons)}", "mend what broke off, then try again")
        if "red" in proof.outcomes:
            raise self.refuse(
                f"is red for its own reason ({hit.criterion}): that is the bug it guards against, not a new behaviour",
                "mend the agent, or give the case a time of grace: pending: {owner: ..., until: ...}",
            )
        if len(set(proof.outcomes)) > 1:
            shown = ", ".join(proof.outcomes)
            raise self.refuse(
                f"its {len(proof.outcomes)} trials disagree ({shown})", "an unsteady agent is no reference"
            )
        return proof

    def refuse(self, message: str, mend: str) -> PoolError:
        return refuse(OWN_REASON, f"{self.case_id} {message}", path=str(self.target), help=mend)


def update(
    plan: str | Path,
    case_id: str,
    *,
    why: str | None,
    by: str,
    runner: Runner | None = None,
    trials: int = TRIALS,
) -> Update:
    """Take over what the agent does now as the expectation of a frozen case, or an edit made by hand.

    Raises:
        PoolError: no such frozen case; it is red for its own reason, or takes the failure for what is right (then it is
            the bug, not a change); it could not be judged, or its trials disagree.
        NoAgentError: no agent to observe.
    """
    frozen = _open(Path(plan), case_id, runner, trials)
    old = frozen.case
    by_hand = frozen.provenance.get("content_hash") != hash_of(old)
    regraced = "seal" in frozen.provenance and grace_of(old) != str(frozen.provenance.get("grace") or "")
    new = dict(old) if by_hand or regraced else _observed(frozen)
    before = _as_frozen(frozen) if by_hand else old
    changed = Update(case_id, _diff(before, new), by_hand=by_hand or regraced)
    if regraced:
        changed.diff += [f"-grace: {frozen.provenance.get('grace') or 'none'}", f"+grace: {grace_of(old) or 'none'}"]
    if by_hand and frozen.candidate is not None:
        refuse_naive(frozen.candidate, new)
    if not why or (not changed.diff and not changed.by_hand):
        return changed
    if by_hand:
        _require_guard(frozen, new)
    provenance = dict(frozen.provenance)
    provenance["updates"] = [*as_list(provenance.get("updates")), {"at": now(), "by": by, "why": why}]
    _write(frozen, new | {"provenance": sealed(provenance, new)})
    changed.done = True
    return changed


def promote(plan: str | Path, case_id: str, *, runner: Runner | None = None, trials: int = TRIALS) -> None:
    """End the time of grace of a frozen case that has turned green. Raises PoolError; NoAgentError without an agent."""
    frozen = _open(Path(plan), case_id, runner, trials)
    if "pending" not in frozen.case:
        raise refuse(NOT_FROZEN, f"{case_id} is not pending", path=str(frozen.target))
    grown = {key: value for key, value in frozen.case.items() if key != "pending"}
    proof = frozen.prove(grown)
    if proof.outcomes.count("green") != len(proof.outcomes):
        raise frozen.refuse(f"is not green yet: {'; '.join(proof.reasons)}", "mend the agent first")
    # A hand edit stays visible: only the time of grace ends here.
    provenance = {k: v for k, v in frozen.provenance.items() if k != "grace"} | {"promoted_at": now()}
    _write(frozen, grown | {"provenance": provenance})


def _open(path: Path, case_id: str, runner: Runner | None, trials: int) -> _Frozen:
    from adk_split_eval.plan import load_plan

    loaded = load_plan(path)
    target = frozen_path(path, loaded.plan.plan_id)
    cases = read_cases(target)
    found = next((c for c in cases if c.get("case_id") == case_id), None)
    if found is None:
        known = ", ".join(str(c.get("case_id")) for c in cases) or "none"
        raise refuse(NOT_FROZEN, f"there is no frozen case {case_id!r}; there are: {known}", path=str(target))
    if broken := next((r for r in loaded.rejected if r.case_id == case_id), None):
        raise PoolError(*broken.findings)
    frozen = _Frozen(loaded, target, found, _candidate(path.parent, found), runner or proving.real_runner, trials)
    known = frozen.provenance
    if not fingerprint_of(found) or ("seal" in known and known["seal"] != seal_of(known)):
        raise frozen.refuse(
            "does not say what it guards against: its provenance is gone or was edited",
            "restore the frozen file from version control, or remove the case and freeze its candidate again",
        )
    return frozen


def _candidate(plan_dir: Path, case: dict[str, Any]) -> Candidate | None:
    """What the case was frozen from, while it is still there."""
    name = str(as_mapping(case.get("provenance")).get("candidate") or "")
    try:
        return files.find(plan_dir, name) if name else None
    except PoolError:
        return None


def _write(frozen: _Frozen, case: dict[str, Any]) -> None:
    from adk_split_eval.plan import load_plan

    path = frozen.loaded.path
    with files.locked(path.parent):
        replace_case(frozen.target, frozen.loaded.plan.plan_id, case)
    rebuild(load_plan(path))


def _require_guard(frozen: _Frozen, edited: dict[str, Any]) -> None:
    """An edit by hand must still notice the fault, and must not be what makes the case green. Raises PoolError."""
    candidate = frozen.candidate
    if candidate is not None:
        _, found = compile_with(frozen.loaded, edited, str(frozen.target))
        refuse_blind(candidate, edited, found)
        governs = any(c.name == frozen.hit(edited).criterion for c in found.criteria)
        unedited = _prepared(candidate, frozen)
        # After an earlier update the draft is old news; a criterion of its own still tells the fault apart.
        if unedited is not None and (governs or not frozen.provenance.get("updates")):
            frozen.prove(unedited)
    frozen.prove(edited)


def _prepared(candidate: Candidate, frozen: _Frozen) -> dict[str, Any] | None:
    """The case as its candidate gives it; None when that cannot be made any more."""
    try:
        made = prepare(candidate, frozen.loaded.plan, replay_tools=bool(frozen.case.get("replay_tools")))
        made["case_id"] = frozen.case_id
        compile_with(frozen.loaded, made, str(frozen.target))
    except PoolError:
        return None
    return made


def _observed(frozen: _Frozen) -> dict[str, Any]:
    """The case with what the agent does now in the places where it states an expectation about it."""
    case = frozen.case
    trials = frozen.prove(case).trials
    if len({_calls_made(trial) for trial in trials}) > 1:
        raise frozen.refuse(f"its {len(trials)} trials call different tools", "an unsteady agent is no reference")
    trial = trials[0]
    turns: list[dict[str, Any]] = []
    said = ""
    for number, turn in enumerate(as_mapping(t) for t in as_list(case["turns"])):
        said += str(turn["user"]) + "\n"
        actual = trial.turns[number] if number < len(trial.turns) else None
        if actual is not None:
            turn = dict(turn)
            if "expect_tools" in turn and (
                call_names(as_list(turn["expect_tools"])) != [c.name for c in actual.tool_calls]
                or _blamed(trial, number + 1, ("tool_args_v1", "tool_trajectory_avg_score"))
            ):
                turn["expect_tools"] = observed_steps(actual, said)
            if turn.get("expect_response"):
                turn["expect_response"] = actual.response
        turns.append(turn)
    observed = case | {"turns": turns}
    if frozen.candidate is not None and observed != case:
        refuse_naive(frozen.candidate, observed)
        refuse_blind(frozen.candidate, observed, compile_with(frozen.loaded, observed, str(frozen.target))[1])
    return observed


def _calls_made(trial: TrialResult) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(call.name for call in turn.tool_calls) for turn in trial.turns)


def _blamed(trial: TrialResult, turn: int, names: tuple[str, ...]) -> bool:
    reasons = (r for c in trial.criteria if c.name in names and c.status == "failed" for r in c.reasons)
    return any(f"turn {turn}:" in reason.casefold() for reason in reasons)


def _as_frozen(frozen: _Frozen) -> dict[str, Any]:
    draft = frozen.candidate.draft if frozen.candidate is not None else None
    return (draft or {}) | {"case_id": frozen.case_id}


def _diff(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    kept = [{k: v for k, v in case.items() if k not in ("provenance", "pending")} for case in (old, new)]
    before, after = (emit(dict(sorted(case.items()))).splitlines() for case in kept)
    return list(difflib.unified_diff(before, after, "expected so far", "expected from now on", lineterm=""))
