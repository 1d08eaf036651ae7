"""The scheduler: units flow from acting to judging side by side, and land in plan order.

A unit is (set, case, trial). Each has a seed derived by SHA-256, a watcher of its own, and is stored in the journal as
soon as it has acted and again as soon as it is judged. Nothing a unit does can take another one down.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from adk_split_eval.record import Case, CaseResult, CompiledPlan, TrialResult
from adk_split_eval.record.jsonio import dumps
from adk_split_eval.run import adk as border
from adk_split_eval.run.act import act
from adk_split_eval.run.agents import LoadedAgent
from adk_split_eval.run.combining import combine, rejected
from adk_split_eval.run.journal import Journal, JournalError, Unit
from adk_split_eval.run.judge import Subject, judge_all
from adk_split_eval.run.lanes import Lanes
from adk_split_eval.run.observe import CallPolicy, ModelCall, Watcher, describe, install, watching
from adk_split_eval.run.simulate import role_warnings, simulator_faults
from adk_split_eval.run.verdicts import GOAL, Evidence, decide_fixed, decide_simulated

JUDGED_GOAL = "rubric_based_multi_turn_trajectory_quality_v1"
Progress = Callable[[int, int, str], None]


@dataclass(slots=True)
class EngineOptions:
    """How units are run.

    Attributes:
        trials: trials of each case.
        jobs: units in flight at once; None adapts to the models' answers.
        keep: up to so many units stay in memory with their conversations.
        unit_timeout: seconds for one conversation; None for no limit.
        policy: retries, limits and time-outs of model calls.
        use_live: ADK's live mode (from a raw config's ``live_model_config``).
    """

    trials: int = 1
    jobs: int | None = None
    keep: int = 500
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
        self.lanes = Lanes(options.jobs)
        self.spilled = False

    async def run(self, cases: Sequence[Case], progress: Progress | None = None) -> list[CaseResult]:
        """Act and judge every case, ``options.trials`` times; results in the order of ``cases``.

        Beyond ``options.keep`` units the finished cases go to the journal whole and stay in memory without their
        conversations, so that memory does not grow with them.

        Raises:
            JournalError: finished units can no longer be stored; what was stored is intact.
        """
        install(border.load().BaseLlm)
        results: list[CaseResult | None] = [None] * len(cases)
        open_trials: dict[int, list[TrialResult | None]] = {}
        work = iter([(i, t) for i, case in enumerate(cases) if not case.rejected for t in range(self.options.trials)])
        total = sum(not c.rejected for c in cases) * self.options.trials
        self.spilled = self.journal is not None and total > self.options.keep
        done = 0

        def finish(index: int, result: CaseResult) -> None:
            if self.spilled and self.journal is not None:
                self.journal.store_case(index, result)
                result = without_conversations(result)
            results[index] = result

        async def worker() -> None:
            nonlocal done
            for index, trial in work:
                async with self.lanes:
                    outcome = await self.unit(cases[index], trial)
                trials = open_trials.setdefault(index, [None] * self.options.trials)
                trials[trial] = outcome
                if all(t is not None for t in trials):
                    finish(index, combine(cases[index], [t for t in open_trials.pop(index) if t], self.compiled))
                done += 1
                if progress is not None:
                    progress(done, total, f"{cases[index].set} {cases[index].case_id}")

        for index, case in enumerate(cases):
            if case.rejected:
                finish(index, rejected(case))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.lanes.most, total)):
                    group.create_task(worker())
        except BaseExceptionGroup as several:
            # What stops a run (a journal that cannot be written) is one error, whichever units met it.
            raise several.exceptions[0] from several
        return [r for r in results if r is not None]

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
                result = await self._act_and_judge(case, unit, seed, watcher, None if retry else stored)
            self.lanes.learn(throttled=any(c.retried for c in watcher.calls))
            return result
        except JournalError:
            raise
        except Exception as error:  # noqa: BLE001 - one unit's crash never touches another
            return TrialResult("ERROR", seed, reasons=[describe(error)], error=describe(error))

    async def _act_and_judge(self, case: Case, unit: Unit, seed: int, watcher: Watcher, stored: Any) -> TrialResult:
        if stored is None:
            if self.agent is None:
                return TrialResult(
                    "ERROR", seed, reasons=["there is no agent to run"], error="there is no agent to run"
                )
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


def without_conversations(result: CaseResult) -> CaseResult:
    """The result as it stays in memory once it is stored whole: verdict, reasons and criteria, no conversation."""
    return replace(
        result,
        turns=[],
        trials=[
            replace(t, turns=[], criteria=[] if t.verdict == result.verdict else t.criteria) for t in result.trials
        ],
    )
