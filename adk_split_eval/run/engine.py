"""The scheduler: units flow from acting to judging side by side, and land in plan order.

A unit is (set, case, trial). Each has a seed derived by SHA-256, a watcher of its own, and is stored in the journal as
soon as it has acted and again as soon as it is judged. Nothing a unit does can take another one down.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from adk_split_eval.record import Case, CaseResult, CompiledPlan, TrialResult
from adk_split_eval.record.jsonio import dumps
from adk_split_eval.record.triage import triage
from adk_split_eval.run import adk as border
from adk_split_eval.run.act import act
from adk_split_eval.run.agents import LoadedAgent
from adk_split_eval.run.journal import Journal, JournalError, Unit
from adk_split_eval.run.judge import Subject, judge_all
from adk_split_eval.run.observe import CallPolicy, ModelCall, Watcher, describe, install, watching
from adk_split_eval.run.simulate import role_warnings, simulator_faults
from adk_split_eval.run.verdicts import (
    GOAL,
    QUALITY,
    Evidence,
    combine_fixed,
    decide_fixed,
    decide_simulated,
    wilson,
    worst,
)

JUDGED_GOAL = "rubric_based_multi_turn_trajectory_quality_v1"
Progress = Callable[[int, int, str], None]


@dataclass(slots=True)
class EngineOptions:
    """How units are run.

    Attributes:
        trials: trials of each case.
        jobs: units in flight at once.
        unit_timeout: seconds for one conversation; None for no limit.
        policy: retries, limits and time-outs of model calls.
        use_live: ADK's live mode (from a raw config's ``live_model_config``).
    """

    trials: int = 1
    jobs: int = 8
    unit_timeout: float | None = 1800.0
    policy: CallPolicy = field(default_factory=CallPolicy)
    use_live: bool = False
    on_call: Callable[[Unit, ModelCall], None] | None = None


def seed_of(unit: Unit, salt: str = "") -> int:
    """A 31-bit seed from the unit's name alone: the same on every machine and in every process."""
    digest = hashlib.sha256(f"{salt}|{unit.half}|{unit.case_id}|{unit.trial}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def case_hash(case: Case) -> str:
    """What a stored conversation depends on: a case whose hash changed is acted again."""
    return hashlib.sha256(dumps([case.eval_case, case.max_turns], indent=None).encode()).hexdigest()[:16]


def simulator_config(compiled: CompiledPlan, case: Case) -> dict[str, Any] | None:
    """The ``user_simulator_config`` of the set this case is in."""
    if case.set == "fixed":
        return None
    for compiled_set in compiled.sets:
        if compiled_set.set == case.set and compiled_set.group == case.group:
            found: dict[str, Any] | None = compiled_set.config.get("user_simulator_config")
            return found
    return compiled.simulator or None


class Engine:
    """Runs units of one plan with one agent."""

    def __init__(
        self, compiled: CompiledPlan, agent: LoadedAgent | None, options: EngineOptions, journal: Journal | None = None
    ) -> None:
        self.compiled = compiled
        self.agent = agent
        self.options = options
        self.journal = journal
        self.gates: dict[str, asyncio.Semaphore] = {}

    async def run(self, cases: Sequence[Case], progress: Progress | None = None) -> list[CaseResult]:
        """Act and judge every case, ``options.trials`` times; results in the order of ``cases``.

        Raises:
            JournalError: finished units can no longer be stored; what was stored is intact.
        """
        install(border.load().BaseLlm)
        work = [(case, trial) for case in cases if not case.rejected for trial in range(self.options.trials)]
        slots = asyncio.Semaphore(max(1, self.options.jobs))
        done = 0
        trials: dict[tuple[str, str], list[TrialResult | None]] = {
            (c.set, c.case_id): [None] * self.options.trials for c in cases
        }

        async def one(case: Case, trial: int) -> None:
            nonlocal done
            async with slots:
                trials[case.set, case.case_id][trial] = await self.unit(case, trial)
            done += 1
            if progress is not None:
                progress(done, len(work), f"{case.set} {case.case_id}")

        async with asyncio.TaskGroup() as group:
            for case, trial in work:
                group.create_task(one(case, trial))
        return [
            rejected(case) if case.rejected else combine(case, [t for t in trials[case.set, case.case_id] if t], self.compiled)
            for case in cases
        ]

    async def unit(self, case: Case, trial: int) -> TrialResult:
        """One unit, from the journal as far as it goes; raises only JournalError and cancellation."""
        unit = Unit(case.set, case.case_id, trial)
        seed = seed_of(unit)
        stored = self.journal.get(unit) if self.journal else None
        if stored is not None and stored.case_hash not in ("", case_hash(case)):
            stored = None
        retry = stored is not None and stored.result is not None and stored.result.verdict == "ERROR"
        if stored is not None and stored.result is not None and not retry:
            return stored.result
        watcher = Watcher(str(unit), seed, self.options.policy, self.gates)
        if self.options.on_call is not None:
            report = self.options.on_call
            watcher.on_call = lambda call: report(unit, call)
        try:
            with watching(watcher):
                return await self._act_and_judge(case, unit, seed, watcher, None if retry else stored)
        except JournalError:
            raise
        except Exception as error:  # noqa: BLE001 - one unit's crash never touches another
            return TrialResult("ERROR", seed, reasons=[describe(error)], error=describe(error))

    async def _act_and_judge(self, case: Case, unit: Unit, seed: int, watcher: Watcher, stored: Any) -> TrialResult:
        if stored is None:
            if self.agent is None:
                return TrialResult("ERROR", seed, reasons=["there is no agent to run"], error="there is no agent to run")
            acted = await act(
                case,
                self.agent,
                simulator_config(self.compiled, case),
                session_id=f"adk-split-eval-{seed:08x}-{unit.trial}",
                unit_timeout=self.options.unit_timeout,
                use_live=self.options.use_live,
            )
            conversation, invocations, warnings = acted.conversation, acted.invocations, acted.warnings
            if self.journal is not None:
                self.journal.store_acted(unit, seed, conversation, invocations, warnings, case_hash(case))
        else:
            conversation, invocations, warnings = stored.conversation, stored.invocations, stored.warnings
        subject = Subject(
            case, conversation, invocations, self.compiled.votes, self.agent.app_name if self.agent else "agent"
        )
        result = await judge_subject(subject, seed)
        result.warnings = list(dict.fromkeys([*warnings, *result.warnings, *retry_warnings(watcher)]))
        if self.journal is not None:
            self.journal.store_judged(unit, result)
        return result


def retry_warnings(watcher: Watcher) -> list[str]:
    """Retried model calls are reported: they cost time and money, and may hide an ailing service."""
    retried = [c for c in watcher.calls if c.retried]
    return [f"{len(retried)} model call(s) needed a retry, last cause: {retried[-1].retried[-1]}"] if retried else []


def goal_names(case: Case) -> frozenset[str]:
    """The criteria that stand for the user's goal in this case."""
    names = {GOAL}
    if any(c.name == JUDGED_GOAL and c.params.get("goal") for c in case.criteria):
        names.add(JUDGED_GOAL)
    return frozenset(names)


async def judge_subject(subject: Subject, seed: int) -> TrialResult:
    """Judge one conversation and decide its verdict."""
    case, conversation = subject.case, subject.conversation
    criteria = await judge_all(subject)
    warnings = [f.message for f in case.findings if f.level != "error"]
    faults: list[str] = []
    if case.set == "simulated":
        faults = simulator_faults(conversation)
        warnings += role_warnings(conversation)
        if not conversation.turns and faults:
            criteria = []
    evidence = Evidence(
        criteria,
        conversation.error,
        conversation.stop_reason,
        faults,
        goal_names(case),
        case.goal_required,
        case.max_turns,
    )
    decision = decide_fixed(evidence) if case.set == "fixed" else decide_simulated(evidence)
    return TrialResult(
        decision.verdict,
        seed,
        conversation.turns,
        criteria,
        decision.reasons,
        warnings,
        conversation.error,
        conversation.stop_reason,
        decision.simulator_suspect,
    )


def rejected(case: Case) -> CaseResult:
    """The result of a case lint refuses: it is never run."""
    errors = [f for f in case.findings if f.level == "error"]
    owner, step = triage(case.set, "REJECTED", [], [])
    return CaseResult(
        case.set,
        case.case_id,
        "REJECTED",
        reasons=[f"{f.place()}: {f.code} {f.message}" if f.place() else f"{f.code} {f.message}" for f in errors],
        warnings=[f.help for f in errors if f.help],
        owner=owner,
        next_step=step,
        scene=case.scene,
    )


def combine(case: Case, trials: list[TrialResult], compiled: CompiledPlan) -> CaseResult:
    """All trials of one case as one result; turns and criteria are those of the trial that decided the verdict."""
    verdicts = [t.verdict for t in trials]
    notes: list[str] = []
    if case.set == "fixed":
        verdict, notes = combine_fixed(verdicts, compiled.gate)
    else:
        verdict = worst("simulated", verdicts)
    decisive = next((t for t in trials if t.verdict == verdict), trials[0])
    result = CaseResult(
        case.set,
        case.case_id,
        verdict,
        reasons=[*decisive.reasons, *notes] if verdict not in ("PASS", "OK") else [],
        warnings=list(dict.fromkeys(w for t in trials for w in t.warnings)),
        flaky=len(set(verdicts)) > 1,
        error=decisive.error,
        stop_reason=decisive.stop_reason,
        turns=decisive.turns,
        criteria=decisive.criteria,
        trials=trials,
        simulator_suspect=decisive.simulator_suspect,
        scene=case.scene,
    )
    _statistics(case, result, verdicts)
    apply_pending(case, result)
    failing = [c.name for c in decisive.criteria if c.status in ("failed", "not_evaluated")]
    result.owner, result.next_step = triage(case.set, result.verdict, failing, flags_of(result, decisive))
    _describe(case, result)
    return result


def _describe(case: Case, result: CaseResult) -> None:
    """What reports show beside the verdict: whose persona it was, where the case stands."""
    scenario: dict[str, Any] = case.eval_case.get("conversation_scenario") or {}
    persona: Any = scenario.get("user_persona")
    if persona:
        result.extra["persona"] = str(persona.get("id", "")) if isinstance(persona, dict) else str(persona)
    if case.runner.get("place"):
        result.extra["place"] = case.runner["place"]


def _statistics(case: Case, result: CaseResult, verdicts: list[str]) -> None:
    if len(verdicts) < 2:
        return
    good = "PASS" if case.set == "fixed" else "HIT"
    count = sum(v == good for v in verdicts)
    low, high = wilson(count, len(verdicts))
    key = "pass_rate" if case.set == "fixed" else "hit_rate"
    result.extra[key] = {"count": count, "trials": len(verdicts), "low": round(low, 4), "high": round(high, 4)}
    if case.set == "fixed" and count == len(verdicts) and low < 0.9:
        result.warnings.append(
            f"{count}/{len(verdicts)} passed: with so few trials that is compatible with a pass rate of {low:.0%} "
            "(95 % Wilson interval)"
        )


def apply_pending(case: Case, result: CaseResult) -> None:
    """A frozen case that is expected to fail: reported, not blocking, strict about the day it turns green or expires."""
    pending: dict[str, Any] | None = (case.provenance or {}).get("pending") or case.runner.get("pending")
    if not pending:
        return
    from datetime import date

    until = date.fromisoformat(str(pending["until"]))
    result.extra["pending"] = {"owner": pending["owner"], "until": until.isoformat()}
    if result.verdict == "PASS":
        result.verdict = "FAIL"
        result.extra["pending"]["state"] = "pending_green"
        result.reasons = [
            f"expected to fail until {until}, but it passes: remove `pending` so that it guards from now on"
        ]
    elif result.verdict == "FAIL" and date.today() <= until:
        result.extra["not_blocking"] = True
        result.warnings.append(f"expected to fail until {until} ({pending['owner']}); it does not block")
    elif result.verdict == "FAIL":
        result.extra["pending"]["state"] = "pending_expired"
        result.reasons.insert(0, f"was expected to fail until {until}; the date has passed and it blocks now")


def flags_of(result: CaseResult, trial: TrialResult) -> list[str]:
    """What triage wants to know beside the criteria."""
    flags: list[str] = []
    if trial.stop_reason in ("agent_error", "timeout", "simulator_error", "max_turns", "empty_turn"):
        flags.append(trial.stop_reason)
    text = " ".join(trial.reasons)
    if "repeated the opening" in text:
        flags.append("opening_repeated")
    if "glued to the stop signal" in text:
        flags.append("glued_text")
    for c in trial.criteria:
        if c.name == QUALITY and c.status == "failed":
            flags.append("quality_failed")
        if c.status == "not_evaluated":
            flags.append("judge_error" if c.kind == "judged" else "metric_error")
    if result.flaky:
        flags.append("flaky")
    if trial.simulator_suspect:
        flags.append("simulator_suspect")
    if "pending" in result.extra:
        flags.append(result.extra["pending"].get("state", "pending"))
    return list(dict.fromkeys(flags))
