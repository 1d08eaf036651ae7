"""The scheduler: units flow from acting to judging side by side, and land in plan order.

A unit is (set, case, trial). Each has a seed derived by SHA-256, a watcher of its own, and is stored in the journal as
soon as it has acted and again as soon as it is judged. Nothing a unit does can take another one down.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import hashlib
import importlib
import os
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from adk_split_eval.metrics.team_loading import look_first_in
from adk_split_eval.record import Case, CaseResult, CompiledPlan, TrialResult
from adk_split_eval.run import adk as border
from adk_split_eval.run import journal as stores
from adk_split_eval.run.act import act
from adk_split_eval.run.agents import LoadedAgent
from adk_split_eval.run.combining import combine, rejected
from adk_split_eval.run.helpers import WORTHWHILE, Assignment, Helper, HelperLostError
from adk_split_eval.run.journal import Journal, JournalError, StoredUnit, Unit
from adk_split_eval.run.judge import Subject, judge_all
from adk_split_eval.run.lanes import Lanes
from adk_split_eval.run.loop import end_tasks, isolated
from adk_split_eval.run.marks import Marks, acting_hash, judging_hash
from adk_split_eval.run.observe import CallPolicy, ModelCall, Watcher, install, watching
from adk_split_eval.run.outcome import Outcome, Tally
from adk_split_eval.run.packed import Packed, pack
from adk_split_eval.run.pulse import SUSTAINED, Pulse
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
        marks: what all units depend on; a stored unit with another mark is run again.
    """

    trials: int = 1
    jobs: int | None = None
    keep: int = 500
    unit_timeout: float | None = 1800.0
    policy: CallPolicy = field(default_factory=CallPolicy)
    use_live: bool = False
    on_call: Callable[[Unit, ModelCall], None] | None = None
    marks: Marks = field(default_factory=Marks)


@contextlib.contextmanager
def rarer_collections() -> Generator[None]:
    """While conversations run, the collector looks for cycles ten times more rarely: nearly all they make goes without it."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], 7_000) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def seed_of(unit: Unit, salt: str | None = None) -> int:
    """A 31-bit seed from the unit's name alone: the same on every machine and in every process.

    Args:
        salt: another one gives other seeds; the environment's ``ADK_SPLIT_EVAL_SEED`` when None.
    """
    salt = os.environ.get("ADK_SPLIT_EVAL_SEED", "") if salt is None else salt
    digest = hashlib.sha256(f"{salt}|{unit.half}|{unit.case_id}|{unit.trial}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") >> 1


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
        self,
        compiled: CompiledPlan,
        agent: LoadedAgent | None,
        options: EngineOptions,
        journal: Journal | None = None,
        helpers: Sequence[Helper] = (),
        *,
        at_once: bool = False,
    ) -> None:
        self.compiled = compiled
        self.agent = agent
        self.options = options
        self.journal = journal
        self.gates: dict[str, asyncio.Semaphore] = {}
        self.pulse = Pulse()
        self.lanes = Lanes(options.jobs, busy=lambda: self.pulse.busy)
        self.spilled = False
        self.tally = Tally()
        self.helpers = helpers
        self.at_once = at_once
        self._known: set[Unit] = set()
        self._here = 0

    @property
    def patience(self) -> float | None:
        """Seconds code may block the event loop: half a unit's time, so that the other units outlive it."""
        return None if self.options.unit_timeout is None else self.options.unit_timeout / 2

    async def run(self, cases: Sequence[Case], progress: Progress | None = None) -> Sequence[CaseResult]:
        """Act and judge every case, ``options.trials`` times; results in the order of ``cases``.

        Beyond ``options.keep`` units the finished cases go to the journal whole and stay in memory packed and without
        their conversations, so that memory hardly grows with them.

        Raises:
            JournalError: finished units can no longer be stored; what was stored is intact.
        """
        self.begin()
        to_run = sum(not case.rejected for case in cases)
        total = to_run * self.options.trials
        self.spilled = self.journal is not None and total > self.options.keep
        results: list[CaseResult | bytes | None] = [None] * len(cases)
        open_trials: dict[int, list[TrialResult | None]] = {}
        work = ((i, t) for i, case in enumerate(cases) if not case.rejected for t in range(self.options.trials))
        done = 0

        async def finish(index: int, result: CaseResult) -> None:
            if self.spilled and self.journal is not None:
                await self.journal.durable(stores.whole_case(index, result))
                results[index] = pack(without_conversations(result))
            else:
                results[index] = result

        async def worker() -> None:
            nonlocal done
            for index, trial in work:
                async with self.lanes:
                    outcome = await self._here_or_there(cases[index], index, trial)
                trials = open_trials.setdefault(index, [None] * self.options.trials)
                trials[trial] = outcome.result
                if all(t is not None for t in trials):
                    await finish(index, combine(cases[index], [t for t in open_trials.pop(index) if t], self.compiled))
                done += 1
                if progress is not None:
                    progress(done, total, f"{cases[index].set} {cases[index].case_id}")

        for index, case in enumerate(cases):
            if case.rejected:
                await finish(index, rejected(case))
        if progress is not None:
            progress(0, total, "")
        beating = asyncio.create_task(self.pulse.beat())
        waker = asyncio.create_task(self._wake_helpers(lambda: total - done)) if self.helpers else None
        try:
            with rarer_collections():
                async with asyncio.TaskGroup() as group:
                    for _ in range(min(self.lanes.most, total)):
                        group.create_task(worker())
        except BaseExceptionGroup as several:
            # What stops a run (a journal that cannot be written) is one error, whichever units met it.
            raise several.exceptions[0] from several
        finally:
            aside = [beating, *([waker] if waker is not None else [])]
            for task in aside:
                task.cancel()
            await asyncio.gather(*aside, return_exceptions=True)
            await self._dismiss_helpers()
            if self.agent is not None:
                await self.agent.close()
        lost = sum(r is None for r in results)
        if lost:
            raise RuntimeError(f"{lost} case(s) ended without a result: a defect of adk-split-eval")
        if self.spilled:
            return Packed[CaseResult](blobs=cast("list[bytes]", results))
        return cast("list[CaseResult]", results)

    def begin(self) -> None:
        """Get ready for units: models are observed, the team's metrics are found, what is stored is known."""
        install(border.load().BaseLlm)
        # The seed of scripted models is set for every unit, so they have to be there before the first one; and what every
        # unit needs is no part of the first one's time.
        for needed in ("models.scripted", "metrics.registry", "metrics.adapter", "run.replay"):
            importlib.import_module(f"adk_split_eval.{needed}")
        look_first_in(self.compiled.root)
        self._known = self.journal.known() if self.journal is not None else set()

    async def _here_or_there(self, case: Case, index: int, trial: int) -> Outcome:
        """Run a unit in the process that has the fewest."""
        helper = min((h for h in self.helpers if h.ready), key=lambda h: len(h.given), default=None)
        if helper is not None and len(helper.given) <= self._here:
            began = time.monotonic()
            try:
                outcome = await helper.unit(index, trial)
                if outcome.throttled is not None:
                    (self.lanes.throttled if outcome.throttled else self.lanes.answered)(began)
                return outcome
            except HelperLostError as lost:
                cause = f"{lost}; which of its cases did that is not known: --processes 1 and --resume run them again"
                return Outcome(
                    TrialResult("ERROR", seed_of(Unit(case.set, case.case_id, trial)), reasons=[cause], error=cause)
                )
        self._here += 1
        try:
            return await self.unit(case, trial)
        finally:
            self._here -= 1

    async def _wake_helpers(self, left: Callable[[], int]) -> None:
        """Wake one helper after the other (``at_once``: all) while this process is the limit and work is left to share."""
        assert self.journal is not None
        for helper in self.helpers:
            if not self.at_once:
                await self.pulse.wait_until_busy_for(SUSTAINED)
                self.pulse.busy_for = 0.0
                if left() < WORTHWHILE // 2:
                    return
            await helper.wake(Assignment(self.journal.path, self.options))
            while not helper.ready and not helper.refused:
                await asyncio.sleep(0.01)
            if helper.ready:
                self.lanes.widen()

    async def _dismiss_helpers(self) -> None:
        for helper in self.helpers:
            await helper.part()
            if helper.tally:
                self.tally.add(helper.tally)

    async def unit(self, case: Case, trial: int) -> Outcome:
        """One unit, from the journal as far as it goes; raises only JournalError and cancellation."""
        unit = Unit(case.set, case.case_id, trial)
        seed = seed_of(unit)
        watcher = Watcher(str(unit), seed, self.options.policy, self.gates)
        watcher.pace = self.lanes
        if self.options.on_call is not None:
            report = self.options.on_call
            watcher.on_call = lambda call: report(unit, call)
        try:
            stored = self._stored(unit, case)
            if stored is not None and stored.result is not None and self._settled(stored, case):
                self.tally.taken_over += 1
                return Outcome(stored.result)
            with watching(watcher):
                result = await self._act_and_judge(case, unit, seed, watcher, stored)
            if self.agent is None or not self.agent.kept.closers:
                # A toolset that units share may have tasks of its own in any of them.
                await end_tasks(watcher)
            return Outcome(result, throttled=any(c.retried for c in watcher.calls))
        except JournalError:
            raise
        except BaseException as error:  # noqa: BLE001 - one unit's crash never touches another
            cause = isolated(error)
            return Outcome(TrialResult("ERROR", seed, reasons=[cause], error=cause))

    def _stored(self, unit: Unit, case: Case) -> StoredUnit | None:
        """What the journal has of this unit, if its conversation still fits the case and the agent."""
        if self.journal is None or unit not in self._known:
            return None
        stored = self.journal.get(unit)
        if stored is not None and stored.case_hash not in ("", self._acting_hash(case)):
            self.tally.acted_again += 1
            return None
        return stored

    def _settled(self, stored: StoredUnit, case: Case) -> bool:
        """Whether a stored result stands: an ERROR is tried again, other criteria judge again."""
        assert stored.result is not None
        same = stored.judged_hash in ("", judging_hash(case, self.compiled.votes, self.options.marks))
        if not same:
            self.tally.judged_again += 1
        return same and stored.result.verdict != "ERROR"

    def _acting_hash(self, case: Case) -> str:
        return acting_hash(case, simulator_config(self.compiled, case), self.options.marks)

    async def _act_and_judge(
        self, case: Case, unit: Unit, seed: int, watcher: Watcher, stored: StoredUnit | None
    ) -> TrialResult:
        earlier = stored.result if stored is not None else None
        live: list[Any] | None = None
        writes: list[stores.Statement] = []
        if stored is None or stored.conversation.error is not None:
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
            live = acted.live
            writes = [stores.acted(unit, seed, conversation, invocations, warnings, self._acting_hash(case))]
        else:
            conversation, invocations, warnings = stored.conversation, stored.invocations, stored.warnings
        if writes and earlier is None and self.journal is not None and waits_for_a_judge(case, conversation.error):
            # A conversation has cost money: it is safe before a judge is asked. Without a judge one write is enough,
            # and a result of an earlier try is replaced only by a result.
            await self.journal.durable(*writes)
            writes = []
        subject = Subject(
            case, conversation, invocations, self.compiled.votes, self.agent.app_name if self.agent else "agent"
        )
        subject.timeout, subject.live = self.options.unit_timeout, live
        result = await judge_subject(subject, seed)
        result.warnings = list(dict.fromkeys([*warnings, *result.warnings, *retry_warnings(watcher)]))
        if earlier is not None and earlier.verdict == "ERROR" and earlier.reasons[:1] != result.reasons[:1]:
            result.warnings.append(f"an earlier try ended in an ERROR: {'; '.join(earlier.reasons[:1])}")
        if self.journal is not None:
            mark = judging_hash(case, self.compiled.votes, self.options.marks)
            await self.journal.durable(*writes, stores.judged(unit, result, mark))
        return result


def waits_for_a_judge(case: Case, error: str | None) -> bool:
    """Whether judging this conversation asks a model or a team's code, so takes long or can break."""
    return error is None and any(c.kind == "judged" or c.source == "team" for c in case.criteria)


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
