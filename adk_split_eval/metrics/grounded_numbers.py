"""``grounded_numbers_v1``: every number, date and identifier the agent states has a source.

Sources are what tools returned, what the user said and, when asked for, the agent's instructions or the session's
start state; always only what came before the statement. The agent's own words and tool arguments are no source.

Score: grounded mentions / all mentions (1.0 when nothing is stated). What counts as a mention, what as the same value
and what needs no source is told in docs/grounded-numbers.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from adk_split_eval.metrics.numbers import Mention, Sources, Spans, extract, ignored_spans, own_list_lengths
from adk_split_eval.metrics.numbers.quote import quote, sentence_around
from adk_split_eval.record.conversation import Conversation, Turn
from adk_split_eval.record.judgement import Judgement, Row

NAME = "grounded_numbers_v1"

SOURCES = ("tools", "user", "instructions", "state")
DEFAULT_SOURCES = ("tools", "user")
_SOURCE_WORDS = {
    "tools": "tool results",
    "user": "the user's words",
    "instructions": "the instructions",
    "state": "the state",
}
_MOST_REASONS = 25
_PARAMETERS = ("enabled", "sources", "ignore", "rounding", "tolerance", "derived", "turns")


class ParameterError(ValueError):
    """A parameter that cannot be used; its message names the parameter and the mend."""


@dataclass(slots=True)
class Settings:
    """Parameters of a case.

    Attributes:
        enabled: false makes the metric not applicable.
        sources: subset of :data:`SOURCES`.
        ignore: a mention that overlaps a match needs no source.
        rounding: a source grounds its own rounding to any number of places.
        tolerance: values whose ratio is at most ``1 + tolerance`` are the same.
        derived: sums, differences and products of two grounded numbers count as grounded.
        disabled_turns: turns (0-based) that are not judged.
    """

    enabled: bool = True
    sources: tuple[str, ...] = DEFAULT_SOURCES
    ignore: list[re.Pattern[str]] = field(default_factory=list[re.Pattern[str]])
    rounding: bool = False
    tolerance: float = 0.0
    derived: bool = False
    disabled_turns: frozenset[int] = frozenset()


def read_settings(params: Mapping[str, Any]) -> Settings:
    """Check ``params``.

    Raises:
        ParameterError: unknown name, wrong type, unknown source, broken regular expression.
    """
    for name in params:
        if name not in _PARAMETERS:
            raise ParameterError(f"unknown parameter {quote(str(name))}; known are {', '.join(_PARAMETERS)}")
    flags = {name: params.get(name, name == "enabled") for name in ("enabled", "rounding", "derived")}
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise ParameterError(f"{name} must be true or false, not {quote(repr(value))}")
    tolerance = params.get("tolerance", 0.0)
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < 1:
        raise ParameterError(
            f"tolerance must be a number from 0 up to, not including, 1 (a share), not {quote(repr(tolerance))}"
        )
    return Settings(
        enabled=flags["enabled"],
        sources=_read_sources(params.get("sources", DEFAULT_SOURCES)),
        ignore=[_compiled(p) for p in _strings("ignore", params.get("ignore", []))],
        rounding=flags["rounding"],
        tolerance=float(tolerance),
        derived=flags["derived"],
        disabled_turns=_disabled_turns(params.get("turns")),
    )


def _strings(name: str, value: Any) -> list[str]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ParameterError(f"{name} must be a list of texts, not {quote(repr(value))}")
    items = list(cast("Sequence[Any]", value))
    for item in items:
        if not isinstance(item, str):
            raise ParameterError(f"{name} must be a list of texts; {quote(repr(item))} is none")
    return items


def _read_sources(value: Any) -> tuple[str, ...]:
    names = _strings("sources", value)
    for name in names:
        if name not in SOURCES:
            raise ParameterError(f"sources: {quote(name)} is unknown; known are {', '.join(SOURCES)}")
    return tuple(names)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as broken:
        raise ParameterError(f"ignore: {quote(pattern)} is no regular expression: {broken}") from broken


def _disabled_turns(value: Any) -> frozenset[int]:
    if value is None:
        return frozenset()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ParameterError(f"turns must be a list, not {quote(repr(value))}")
    disabled: set[int] = set()
    for number, entry in enumerate(cast("Sequence[Any]", value)):
        if entry is None:
            continue
        options = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {"?": None}
        if set(options) - {"enabled"} or not isinstance(options.get("enabled", True), bool):
            raise ParameterError(f"turns[{number}] may only say enabled: true or false")
        if not options.get("enabled", True):
            disabled.add(number)
    return frozenset(disabled)


@dataclass(slots=True)
class _Complaint:
    """A mention without a source, kept until the end, when it is known whether its source only came later."""

    turn: int
    author: str | None
    mention: Mention
    sentence: str
    hint: str


@dataclass(slots=True)
class _Tally:
    total: int = 0
    grounded: int = 0
    complaints: list[_Complaint] = field(default_factory=list[_Complaint])


class _Reader:
    """Goes through a conversation in order: grows the sources, checks the statements."""

    def __init__(self, conversation: Conversation, settings: Settings) -> None:
        self.settings = settings
        self.sources = Sources(rounding=settings.rounding, tolerance=settings.tolerance)
        self.arguments = Sources()
        self._instructions: set[str] = set()
        self._kept = 0
        if "state" in settings.sources and conversation.state_before is not None:
            self.sources.add_result(conversation.state_before)

    def read(self, number: int, turn: Turn) -> _Tally:
        """Judge one turn; its sources stay for the turns after it."""
        tally = _Tally()
        if "user" in self.settings.sources:
            self.sources.add_text(turn.user)
        if "instructions" in self.settings.sources:
            for text in turn.instructions:
                if text not in self._instructions:
                    self._instructions.add(text)
                    self.sources.add_text(text)
        for result in turn.loose_results:
            self._add_result(result)
        judged = number not in self.settings.disabled_turns
        said: set[str] = set()
        for author, text in self._statements(turn):
            if judged and text not in said:
                said.add(text)
                self._check(number, author, text, tally)
        return tally

    def _add_result(self, result: Any) -> None:
        if "tools" in self.settings.sources:
            self.sources.add_result(result)

    def _statements(self, turn: Turn) -> Iterator[tuple[str | None, str]]:
        """The agent's texts in order; results in between become sources as they come.

        Without recorded events the order inside the turn is unknown, so all its results count for all its texts.
        """
        recorded = bool(turn.events)
        if not (recorded and any(e.kind == "response" for e in turn.events)):
            for call in turn.tool_calls:
                self._add_result(call.response)
        if not recorded:
            for call in turn.tool_calls:
                self.arguments.add_result(call.args)
            for text in turn.intermediate:
                yield text.author, text.text
        for event in turn.events:
            if event.kind == "response":
                self._add_result(event.data)
            elif event.kind == "call":
                self.arguments.add_result(event.data)
            elif event.kind == "state" and "state" in self.settings.sources:
                self.sources.add_result(event.data)
            elif event.kind == "text" and isinstance(event.data, str):
                yield event.author, event.data
        if turn.response:
            yield None, turn.response

    def _check(self, number: int, author: str | None, text: str, tally: _Tally) -> None:
        mentions = extract(text)
        if not mentions:
            return
        lengths = own_list_lengths(text)
        ignored = Spans(ignored_spans(text, self.settings.ignore))
        for mention in mentions:
            if ignored.touch(mention.start, mention.end):
                continue
            tally.total += 1
            if self.sources.grounds(mention, lengths) or (self.settings.derived and self.sources.derives(mention)):
                tally.grounded += 1
            elif self._kept < _MOST_REASONS:
                self._kept += 1
                sentence = sentence_around(text, mention.start, mention.end)
                tally.complaints.append(_Complaint(number, author, mention, sentence, self._hint(mention)))

    def _hint(self, mention: Mention) -> str:
        if self.sources.states_elsewhere(mention):
            return "the number occurs there, but with another unit"
        if self.arguments.grounds(mention):
            return "only the agent's own tool arguments carry it"
        return ""


def judge(conversation: Conversation, params: dict[str, Any], threshold: float) -> Judgement:
    """Judge every text the agent said; see the module's docstring for the score."""
    try:
        settings = read_settings(params)
    except ParameterError as wrong:
        return Judgement.not_evaluated(f"{NAME}: {wrong}")
    if not settings.enabled:
        return Judgement.not_applicable()
    if not conversation.turns:
        return Judgement.not_evaluated(f"{NAME}: the conversation has no turns, so nothing could be checked")
    reader = _Reader(conversation, settings)
    tallies = [reader.read(number, turn) for number, turn in enumerate(conversation.turns)]
    rows = [_row(reader, tally, threshold, number) for number, tally in enumerate(tallies)]
    total = sum(t.total for t in tallies)
    grounded = sum(t.grounded for t in tallies)
    reasons = [reason for row in rows for reason in row.reasons]
    shown = sum(len(t.complaints) for t in tallies)
    if total - grounded > shown:
        reasons.append(f"and {total - grounded - shown} more without a source")
    return Judgement.scored(_share(grounded, total), threshold, reasons, rows)


def _row(reader: _Reader, tally: _Tally, threshold: float, number: int) -> Row:
    if number in reader.settings.disabled_turns:
        return Row("not_applicable")
    score = _share(tally.grounded, tally.total)
    reasons = [_reason(reader, c) for c in tally.complaints]
    return Row("passed" if score >= threshold else "failed", score, reasons)


def _share(grounded: int, total: int) -> float:
    return grounded / total if total else 1.0


def _reason(reader: _Reader, complaint: _Complaint) -> str:
    hint = complaint.hint
    if reader.sources.grounds(complaint.mention):
        hint = "it appears there only after it was stated"
    speaker = f"{quote(complaint.author)} states " if complaint.author else ""
    places = (
        " or ".join(_SOURCE_WORDS[s] for s in SOURCES if s in reader.settings.sources) or "any source (none is allowed)"
    )
    note = f" ({hint})" if hint else ""
    return (
        f"turn {complaint.turn + 1}: {speaker}{quote(complaint.mention.text)} without a source in {places}{note}: "
        f'"{complaint.sentence}"'
    )
