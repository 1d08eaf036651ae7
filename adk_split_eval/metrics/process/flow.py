"""Stages in legal order: the course a conversation took through them, and every step of it that was not allowed.

Words used in all rules about stages:

* The *stage* is what the last stage event entered; every event counts, in raw order, also one that names the stage it is
  already in.
* *User turns spent in a stage* are the user's messages received while in it: entered in turn 2 and left in turn 5 is
  three. A stage re-entered goes on counting.
* From A the conversation may go to A's ``next`` (else the following stage of the list), to a stage A lists under
  ``back``, and past stages that may be skipped, with their reason recorded.
* Once the user has asked to stop, ``leads_to`` stages may follow directly from anywhere, and must within ``within_turns``
  user turns (the one in which it was said included). Coverage and minimum turns are then no longer asked for.
* A final stage ends the conversation: in later turns no stage event, tool call or transfer may come. Words may: an
  agent that is spoken to has to answer.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from adk_split_eval.metrics.base import mapping, only, sequence, text
from adk_split_eval.metrics.process.events import NOTHING, Seen, Selector, Timeline, optional_path
from adk_split_eval.metrics.text import quote, show
from adk_split_eval.metrics.values import ParameterError, compiled

FLOW_KEYS = {"event", "stage", "reason", "initial", "order", "early_end"}
_STAGE_KEYS = {"name", "next", "back", "skip", "required", "repeat", "min_turns", "max_turns", "final"}


@dataclass(frozen=True, slots=True)
class StageRule:
    """One stage as declared; ``skip`` is the pattern its skipping must be explained with, "" for any reason."""

    name: str
    next: tuple[str, ...]
    back: tuple[str, ...] = ()
    skip: str | None = None
    required: bool = True
    repeat: bool = False
    min_turns: int = 0
    max_turns: int | None = None
    final: bool = False


@dataclass(frozen=True, slots=True)
class EarlyEndRule:
    """What a user who ends early leads to."""

    says: re.Pattern[str] | None
    event: Selector | None
    leads_to: tuple[str, ...]
    within_turns: int


@dataclass(frozen=True, slots=True)
class FlowRules:
    """The parameters of ``stage_flow_v1``, read."""

    event: Selector
    stage: str
    reason: str | None
    initial: str | None
    stages: dict[str, StageRule]
    early_end: EarlyEndRule | None

    @classmethod
    def parse(cls, value: Any, where: str) -> FlowRules:
        """Read the section ``stages`` of a plan's ``process``.

        Raises:
            ParameterError: it makes no sense.
        """
        params = mapping(value, where)
        only(params, FLOW_KEYS, where)
        event = Selector.parse(params.get("event"), f"{where}.event")
        path = optional_path({"stage": params.get("stage", "args.stage")}, "stage", event, where)
        stages = _stages(params.get("order"), f"{where}.order")
        initial = params.get("initial")
        if initial is not None and initial not in stages:
            raise ParameterError(f"{where}.initial: no stage is named {show(initial)}")
        assert path is not None
        early = params.get("early_end")
        return cls(
            event,
            path,
            optional_path(params, "reason", event, where),
            initial,
            stages,
            None if early is None else _early_end(early, stages, f"{where}.early_end"),
        )

    @property
    def selectors(self) -> list[Selector | None]:
        return [self.event, self.early_end.event if self.early_end else None]

    def finals(self) -> list[str]:
        """The final stages: those marked, else the last of the list."""
        return [name for name, rule in self.stages.items() if rule.final] or [list(self.stages)[-1]]


def _stages(value: Any, where: str) -> dict[str, StageRule]:
    raw = [mapping(entry, f"{where}[{index}]") for index, entry in enumerate(sequence(value, where))]
    names = [text(entry.get("name"), f"{where}[{index}].name") for index, entry in enumerate(raw)]
    if not names or len(set(names)) != len(names):
        raise ParameterError(f"{where} must hold stages, each name once")
    stages: dict[str, StageRule] = {}
    for index, (name, entry) in enumerate(zip(names, raw, strict=True)):
        place = f"{where}[{index}]"
        only(entry, _STAGE_KEYS, place)
        final = bool(entry.get("final", False))
        following = [] if final else names[index + 1 : index + 2]
        stages[name] = StageRule(
            name,
            _names(entry, "next", names, place, following),
            _names(entry, "back", names, place, []),
            _skip(entry.get("skip", False), f"{place}.skip"),
            bool(entry.get("required", True)),
            bool(entry.get("repeat", False)),
            _count(entry.get("min_turns", 0), f"{place}.min_turns"),
            None if entry.get("max_turns") is None else _count(entry["max_turns"], f"{place}.max_turns"),
            final,
        )
    return stages


def _names(entry: dict[str, Any], key: str, known: list[str], where: str, default: list[str]) -> tuple[str, ...]:
    given = entry.get(key)
    if given is None:
        return tuple(default)
    listed = [text(name, f"{where}.{key}") for name in sequence(given, f"{where}.{key}")]
    unknown = [name for name in listed if name not in known]
    if unknown:
        raise ParameterError(f"{where}.{key}: no stage is named {quote(unknown[0], 60)}")
    return tuple(listed)


def _skip(value: Any, where: str) -> str | None:
    if value is True or value is False:
        return "" if value else None
    reason = mapping(value, where).get("reason")
    only(value, {"reason"}, where)
    if reason is None:
        return ""
    return compiled(text(reason, f"{where}.reason")).pattern


def _count(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ParameterError(f"{where} must be a whole number, zero or more")
    return value


def _early_end(value: Any, stages: dict[str, StageRule], where: str) -> EarlyEndRule:
    entry = mapping(value, where)
    only(entry, {"says", "event", "leads_to", "within_turns"}, where)
    says, event = entry.get("says"), entry.get("event")
    if says is None and event is None:
        raise ParameterError(f"{where} needs says or event")
    leads_to = _names(entry, "leads_to", list(stages), where, [])
    if not leads_to:
        raise ParameterError(f"{where}.leads_to must name a stage")
    return EarlyEndRule(
        None if says is None else compiled(text(says, f"{where}.says")),
        None if event is None else Selector.parse(event, f"{where}.event"),
        leads_to,
        max(1, _count(entry.get("within_turns", 1), f"{where}.within_turns")),
    )


@dataclass(slots=True)
class Entered:
    """One stage event and what came of it.

    Attributes:
        before: the stage it left; None at the start.
        stage: the stage it names; None when it names none that exists.
        fault: why it was not allowed; None when it was.
    """

    seen: Seen
    before: str | None
    stage: str | None
    reason: str | None
    fault: str | None = None


@dataclass(slots=True)
class Course:
    """The way a conversation took through its stages.

    Attributes:
        faults: sentences, each with its turn, in the order of the conversation.
        missing: what had not happened by the end and could have come later.
    """

    entered: list[Entered] = field(default_factory=list[Entered])
    faults: list[str] = field(default_factory=list[str])
    missing: list[str] = field(default_factory=list[str])
    last: str | None = None
    early_since: int | None = None

    def path(self) -> str:
        """The stages entered with their turns and reasons, on one line."""
        shown = [f"{e.stage} (turn {e.seen.turn + 1}{_because(e.reason)})" for e in self.entered[:24]]
        more = len(self.entered) - len(shown)
        return " → ".join(shown) + (f" … and {more} more" if more else "")


def follow(timeline: Timeline, rules: FlowRules) -> Course:
    """The course of the conversation under the rules; one pass over its events."""
    walk = _Walk(timeline, rules)
    for moment in timeline.kept:
        walk.begin_turns(moment.turn)
        if rules.early_end and rules.early_end.event and rules.early_end.event.meant(moment):
            walk.user_ends(moment.turn)
        seen = rules.event.meant(moment)
        if seen is not None:
            walk.enter(seen)
        elif moment.kind in ("call", "transfer") and moment.name != "transfer_to_agent":
            walk.act(moment.turn, f"{moment.kind} of {quote(moment.name, 60)}")
    walk.begin_turns(timeline.turns - 1)
    walk.finish()
    return walk.course


class _Walk:
    """Follows the events, one stage at a time."""

    def __init__(self, timeline: Timeline, rules: FlowRules) -> None:
        self.timeline, self.rules = timeline, rules
        self.course = Course(last=rules.initial)
        self.turn = -1
        self.since = -1  # the turn in which the present stage was entered; -1 is before the first
        self.spent: dict[str, int] = dict.fromkeys(rules.stages, 0)
        self.visited: set[str] = {rules.initial} if rules.initial else set()
        self.skipped: set[str] = set()
        self.overdue: set[str] = set()
        self.answered_early = False
        self.act_turns: set[int] = set()

    def begin_turns(self, turn: int) -> None:
        """Note what the user says in every turn up to this one, and what is overdue by then."""
        while self.turn < turn:
            self._check_deadline()
            self.turn += 1
            early = self.rules.early_end
            if early and early.says and early.says.search(self.timeline.user(self.turn)):
                self.user_ends(self.turn)

    def user_ends(self, turn: int) -> None:
        if self.course.early_since is None and self.rules.early_end is not None:
            self.course.early_since = turn
            self.answered_early = self.course.last in self.rules.early_end.leads_to

    def _check_deadline(self) -> None:
        early, since = self.rules.early_end, self.course.early_since
        if early is None or since is None or self.answered_early:
            return
        if self.turn >= since + early.within_turns - 1:
            self.answered_early = True
            wanted = " or ".join(early.leads_to)
            self.course.faults.append(
                f"turn {self.turn + 1}: the user asked to stop in turn {since + 1}, and {wanted} was not entered; "
                f"the stage is still {self.course.last}"
            )

    def enter(self, seen: Seen) -> None:
        named = seen.pick(self.rules.stage)
        reason = seen.word(self.rules.reason)
        before = self.course.last
        stage = named if isinstance(named, str) and named in self.rules.stages else None
        entry = Entered(seen, before, stage, reason)
        self.course.entered.append(entry)
        if stage is None:
            what = "names no stage" if named is NOTHING or named == "" else f"names {show(named)}, which is no stage"
            entry.fault = f"the stage event {what}; the stage was {before}"
        else:
            entry.fault = self._transition(before, stage, reason)
        if entry.fault is not None:
            said = "no reason recorded" if reason is None else f"recorded reason {quote(reason)}"
            suffix = f" ({said})" if self.rules.reason else ""
            self.course.faults.append(f"turn {seen.turn + 1}: {entry.fault}{suffix}")
        if stage is not None and stage != before:
            self._leave(before, seen.turn)
            self.course.last, self.since = stage, seen.turn
            self.visited.add(stage)
            if self.course.early_since is not None and self.rules.early_end and stage in self.rules.early_end.leads_to:
                self.answered_early = True

    def _transition(self, before: str | None, stage: str, reason: str | None) -> str | None:
        """Why going from ``before`` to ``stage`` is not allowed; None when it is."""
        stages, early = self.rules.stages, self.rules.early_end
        if before is not None and stage == before:
            return None if stages[before].repeat else f"{before} → {stage}: it was in that stage already"
        if self.course.early_since is not None and early is not None and stage in early.leads_to:
            return None
        if before is not None and stages[before].final:
            return f"{before} → {stage}: {before} is final, nothing follows after the end"
        if before is not None and (stage in stages[before].next or stage in stages[before].back):
            return None
        if before is None and stage == next(iter(stages)):
            return None
        passed = self._jump(before, stage)
        if passed is not None:
            return self._skip_reasons(before, stage, passed, reason)
        return f"{before or 'the start'} → {stage} is not allowed: {self._why(before, stage)}"

    def _jump(self, before: str | None, stage: str) -> list[str] | None:
        """The stages passed over on the shortest way that skips only what may be skipped; None when there is no way."""
        stages = self.rules.stages
        start = [next(iter(stages))] if before is None else list(stages[before].next)
        queue: deque[tuple[str, ...]] = deque((name,) for name in start)
        seen: set[str] = set(start)
        while queue:
            way = queue.popleft()
            if way[-1] == stage:
                return list(way[:-1])
            rule = stages[way[-1]]
            if rule.skip is None:
                continue
            for name in rule.next:
                if name not in seen:
                    seen.add(name)
                    queue.append((*way, name))
        return None

    def _skip_reasons(self, before: str | None, stage: str, passed: list[str], reason: str | None) -> str | None:
        way = f"{before or 'the start'} → {stage}"
        for name in passed:
            pattern = self.rules.stages[name].skip
            if self.rules.reason is not None and reason is None:
                return f"{way} skips {name} without a reason"
            if pattern and not compiled(pattern).search(reason or ""):
                return f"{way} skips {name} for another reason than {quote(pattern, 80)}"
        self.skipped.update(passed)
        return None

    def _why(self, before: str | None, stage: str) -> str:
        names = list(self.rules.stages)
        allowed = [names[0]] if before is None else [*self.rules.stages[before].next, *self.rules.stages[before].back]
        after = f"allowed next: {', '.join(allowed) or 'nothing'}"
        if before is not None and names.index(stage) < names.index(before):
            return f"it goes back; {after}"
        between = names[0 if before is None else names.index(before) + 1 : names.index(stage)]
        return f"it skips {', '.join(between)}; {after}" if between else after

    def _leave(self, stage: str | None, turn: int) -> None:
        if stage is None:
            return
        self.spent[stage] += turn - self.since
        rule = self.rules.stages[stage]
        self._check_longest(rule, turn)
        if self.spent[stage] < rule.min_turns and self.course.early_since is None:
            self.course.faults.append(
                f"turn {turn + 1}: {stage} was left after {self.spent[stage]} user turns, at least {rule.min_turns} are due"
            )

    def _check_longest(self, rule: StageRule, turn: int) -> None:
        if rule.max_turns is not None and self.spent[rule.name] > rule.max_turns and rule.name not in self.overdue:
            self.overdue.add(rule.name)
            self.course.faults.append(
                f"turn {turn + 1}: {self.spent[rule.name]} user turns in {rule.name}, at most {rule.max_turns} are allowed"
            )

    def act(self, turn: int, what: str) -> None:
        """Anything the agent does beside speaking and changing the stage."""
        last = self.course.last
        if last is None or not self.rules.stages[last].final or turn <= self.since or turn in self.act_turns:
            return
        self.act_turns.add(turn)
        self.course.faults.append(f"turn {turn + 1}: {what} after the end: {last} was entered in turn {self.since + 1}")

    def finish(self) -> None:
        """What the end of the recording shows."""
        last, turns = self.course.last, self.timeline.turns
        if turns and last is not None and not self.rules.stages[last].final:
            self.spent[last] += turns - 1 - self.since
            self._check_longest(self.rules.stages[last], turns - 1)
        if turns:
            self._check_deadline()
        if self.course.early_since is not None:
            return
        due = [r.name for r in self.rules.stages.values() if r.required and r.name not in self.visited | self.skipped]
        if due:
            where = f"the conversation ends in {last}" if last else "no stage event was recorded"
            sentence = f"never entered: {', '.join(due)}; {where} after {turns} turns"
            over = last is not None and last in self.rules.finals()
            (self.course.faults if over else self.course.missing).append(sentence)


def _because(reason: str | None) -> str:
    return "" if reason is None else f", {quote(reason, 80)}"
