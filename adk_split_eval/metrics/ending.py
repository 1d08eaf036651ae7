"""ending_v1: the conversation ends as allowed, with its report, and nothing is asked afterwards.

* The end event is due exactly once, with a reason that is allowed.
* The stage the conversation ends in (the last one entered) is an allowed one.
* The report is produced exactly as often as due, never before its stage was entered.
* After the end, nothing of ``nothing_after`` happens. The end is the end event; without one, the entry of an allowed
  last stage that is not left again.

The score is 1.0 or 0.0. A failure only of what is still missing is *unfinished*, as in ``stage_flow_v1``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adk_split_eval.metrics.base import Parameters, mapping, only, sequence, text
from adk_split_eval.metrics.process.events import (
    FLAT,
    STATE_UNKNOWN,
    Seen,
    Selector,
    Timeline,
    optional_path,
    state_unknown,
)
from adk_split_eval.metrics.text import quote, show
from adk_split_eval.metrics.values import ParameterError
from adk_split_eval.record import Conversation, Judgement

NAME = "ending_v1"
_KEYS = {"event", "reason", "reasons", "stages", "report", "nothing_after", "entering"}


@dataclass(frozen=True, slots=True)
class _Report:
    event: Selector
    times: int
    not_before: str | None


@dataclass(frozen=True, slots=True)
class _Rules:
    event: Selector | None
    reason: str | None
    reasons: list[str]
    stages: list[str]
    report: _Report | None
    nothing_after: list[Selector]
    entering: Selector | None
    stage: str
    initial: str | None

    @property
    def selectors(self) -> list[Selector | None]:
        return [self.event, self.report.event if self.report else None, self.entering, *self.nothing_after]


def judge(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines.

    ``params``: the plan's ``process.ending``, events written out; ``entering`` ``{event, stage, initial?}`` says how
    stages are entered, where the plan has stages.
    """
    if not params:
        return Judgement.not_applicable()
    rules = _parse(params)
    if conversation.flat:
        return Judgement.not_evaluated(FLAT)
    if state_unknown(conversation, rules.selectors):
        return Judgement.not_evaluated(STATE_UNKNOWN)
    check = _Check(Timeline.of(conversation), rules)
    check.run()
    if check.faults or check.missing:
        judgement = Judgement.scored(0.0, threshold, [*check.faults, *check.missing])
        judgement.unfinished = judgement.status == "failed" and not check.faults
        return judgement
    return Judgement.scored(1.0, threshold, check.notes)


class _Check:
    """Collects what is wrong (``faults``) and what is still missing (``missing``)."""

    def __init__(self, timeline: Timeline, rules: _Rules) -> None:
        self.timeline, self.rules = timeline, rules
        self.moments = timeline.kept
        self.faults: list[str] = []
        self.missing: list[str] = []
        self.notes: list[str] = []
        self.entered = self._entered()

    def _entered(self) -> list[tuple[Seen, str]]:
        rules = self.rules
        if rules.entering is None:
            return []
        picked = [(seen, seen.pick(rules.stage)) for seen in rules.entering.select(self.moments)]
        return [(seen, stage) for seen, stage in picked if isinstance(stage, str)]

    def run(self) -> None:
        end = self._end_event()
        self._last_stage()
        self._report()
        self._afterwards(end if self.rules.event is not None else self._last_entry())
        if end is not None:
            # It has ended: what is missing now will not come any more.
            self.faults, self.missing = [*self.faults, *self.missing], []

    def _end_event(self) -> Seen | None:
        rules = self.rules
        if rules.event is None:
            return None
        ends = rules.event.select(self.moments)
        if not ends:
            self.missing.append(f"the conversation never ended: no {rules.event} in {self.timeline.turns} turns")
            return None
        for again in ends[1:]:
            self.faults.append(f"turn {again.turn + 1}: it ends again, after it ended in turn {ends[0].turn + 1}")
        for end in ends:
            reason = end.word(rules.reason)
            if rules.reasons and reason not in rules.reasons:
                said = "no reason" if reason is None else f"the reason {quote(reason, 60)}"
                allowed = ", ".join(rules.reasons)
                self.faults.append(f"turn {end.turn + 1}: it ends with {said}; allowed: {allowed}")
            elif reason is not None:
                self.notes.append(f"ended in turn {end.turn + 1}: {quote(reason, 60)}")
        return ends[0]

    def _last_entry(self) -> Seen | None:
        if self.entered and self.entered[-1][1] in self.rules.stages:
            return self.entered[-1][0]
        return None

    def _last_stage(self) -> None:
        rules = self.rules
        if not rules.stages:
            return
        last = self.entered[-1][1] if self.entered else rules.initial
        if last not in rules.stages:
            allowed = ", ".join(rules.stages)
            self.missing.append(f"the conversation ends in {last or 'no stage'}; it may end in: {allowed}")

    def _report(self) -> None:
        report = self.rules.report
        if report is None:
            return
        made = report.event.select(self.moments)
        turns = ", ".join(str(seen.turn + 1) for seen in made)
        if len(made) > report.times:
            self.faults.append(
                f"turn {made[report.times].turn + 1}: {len(made)} reports (turns {turns}), {report.times} due"
            )
        elif len(made) < report.times:
            self.missing.append(
                f"{len(made)} reports, {report.times} due: no {report.event} in {self.timeline.turns} turns"
            )
        if report.not_before is None:
            return
        entry = next((seen for seen, stage in self.entered if stage == report.not_before), None)
        for seen in made:
            if report.not_before != self.rules.initial and (entry is None or seen.position < entry.position):
                self.faults.append(f"turn {seen.turn + 1}: the report came before {report.not_before} was entered")

    def _afterwards(self, end: Seen | None) -> None:
        if end is None:
            return
        later = [moment for moment in self.moments if moment.position > end.position]
        for selector in self.rules.nothing_after:
            for seen in selector.select(later):
                what = show(seen.pick(None), 100)
                self.faults.append(f"turn {seen.turn + 1}: {selector} after the end in turn {end.turn + 1}: {what}")


def _parse(params: Parameters) -> _Rules:
    only(params, _KEYS, NAME)
    event = None if params.get("event") is None else Selector.parse(params["event"], "event")
    reasons = [text(reason, "reasons") for reason in sequence(params.get("reasons") or [], "reasons")]
    reason = None if event is None else optional_path(params, "reason", event, NAME)
    if reasons and reason is None:
        raise ParameterError(
            "reasons are allowed, but nothing says where the reason is read: event and reason are needed"
        )
    entering = params.get("entering")
    where, stage, initial = None, "args.stage", None
    if entering is not None:
        entry = mapping(entering, "entering")
        only(entry, {"event", "stage", "initial"}, "entering")
        where = Selector.parse(entry.get("event"), "entering.event")
        stage = optional_path({"stage": entry.get("stage", stage)}, "stage", where, "entering") or stage
        initial = entry.get("initial")
    stages = [text(name, "stages") for name in sequence(params.get("stages") or [], "stages")]
    report = _parse_report(params.get("report"))
    if where is None and (stages or (report and report.not_before)):
        raise ParameterError("stages are named, but nothing says how they are entered")
    after = [
        Selector.parse(entry, f"nothing_after[{index}]")
        for index, entry in enumerate(sequence(params.get("nothing_after") or [], "nothing_after"))
    ]
    return _Rules(event, reason, reasons, stages, report, after, where, stage, initial)


def _parse_report(value: Any) -> _Report | None:
    if value is None:
        return None
    entry = mapping(value, "report")
    only(entry, {"event", "times", "not_before"}, "report")
    times = entry.get("times", 1)
    if not isinstance(times, int) or isinstance(times, bool) or times < 0:
        raise ParameterError("report.times must be a whole number, zero or more")
    before = entry.get("not_before")
    stage = None if before is None else text(before, "report.not_before")
    return _Report(Selector.parse(entry.get("event"), "report.event"), times, stage)
