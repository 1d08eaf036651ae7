"""Events of a conversation in raw order, selectors that say which are meant, and fields picked from them by path.

Everything here looks at what *happened*: a call, an answer, a transfer, something said, a change of the session state.
A value that merely stays in the state happened once, however often it is seen again; so a state event is a write that
changes the value. Nothing is collected into sets and no last state is consulted, because both forget what was repeated.

=============  ====================================================================================
selector       roots of a path
=============  ====================================================================================
``tool``       ``args``, ``response`` (once answered), ``name``, ``author``
``response``   ``response``, ``args`` (of the call it answers), ``name``, ``author``
``transfer``   ``agent``, ``args``, ``author``; ``{"transfer": "*"}`` means any agent
``says``       ``text``, ``match`` (named groups, ``match.0`` as a whole), ``author``
``state``      ``value``, ``before``, ``key``; only our runner records these
=============  ====================================================================================
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from adk_split_eval.metrics.base import mapping, only, text
from adk_split_eval.metrics.differences import is_number
from adk_split_eval.metrics.patterns import response_error
from adk_split_eval.metrics.values import ParameterError, compiled, matches, require_sound
from adk_split_eval.record import Call, Conversation, Event, Turn

SelectorKind = Literal["tool", "response", "transfer", "says", "state"]
MomentKind = Literal["call", "response", "text", "transfer", "state", "interrupt"]

KINDS: tuple[SelectorKind, ...] = ("tool", "response", "transfer", "says", "state")
ROOTS: dict[SelectorKind, tuple[str, ...]] = {
    "tool": ("args", "response", "name", "author"),
    "response": ("response", "args", "name", "author"),
    "transfer": ("agent", "args", "author"),
    "says": ("text", "match", "author"),
    "state": ("value", "before", "key"),
}
_WHOLE: dict[SelectorKind, str] = {
    "tool": "args",
    "response": "response",
    "transfer": "agent",
    "says": "text",
    "state": "value",
}
_MOMENT_OF: dict[SelectorKind, MomentKind] = {
    "tool": "call",
    "response": "response",
    "transfer": "transfer",
    "says": "text",
    "state": "state",
}
_LOOK_AHEAD = 32


class _Nothing:
    """What a path yields that leads nowhere; different from a recorded null."""

    def __repr__(self) -> str:
        return "no value"

    def __bool__(self) -> bool:
        return False


NOTHING: Any = _Nothing()


@dataclass(slots=True)
class Moment:
    """One thing that happened.

    Attributes:
        turn: 0-based turn.
        position: place in the whole conversation, counted over all events.
        name: tool, target agent or state key.
        args: of a call, of the call a response answers, or of a transfer.
        response: of a call once answered, or the response itself.
        data: text said, or the new value of a state key.
        before: the value a state key had; NOTHING when it had none.
        delivered: False for what happened in the part of a turn that an interruption cut off: the user never saw it.
    """

    turn: int
    position: int
    kind: MomentKind
    name: str = ""
    author: str | None = None
    args: Any = NOTHING
    response: Any = NOTHING
    data: Any = None
    before: Any = NOTHING
    delivered: bool = True

    @property
    def answered(self) -> bool:
        return self.response is not NOTHING

    @property
    def lost(self) -> bool:
        """Whether an interruption left nothing of it in the session: a call cut off before its answer was stored."""
        return self.kind == "call" and not self.delivered and not self.answered


@dataclass(slots=True)
class Timeline:
    """All moments of a conversation in raw order, one pass over its events."""

    conversation: Conversation
    moments: list[Moment]

    @classmethod
    def of(cls, conversation: Conversation) -> Timeline:
        reader = _Reader(conversation)
        return cls(conversation, reader.moments)

    @property
    def turns(self) -> int:
        return len(self.conversation.turns)

    @property
    def kept(self) -> list[Moment]:
        """The moments the session knows of: without calls that an interruption made unheard-of."""
        return [moment for moment in self.moments if not moment.lost]

    def user(self, turn: int) -> str:
        """The user's words of a turn."""
        return self.conversation.turns[turn].user

    def interruptions(self) -> list[Moment]:
        return [moment for moment in self.moments if moment.kind == "interrupt"]


class _Reader:
    """Reads events once: calls learn their responses, state keys their former values."""

    def __init__(self, conversation: Conversation) -> None:
        self.moments: list[Moment] = []
        self.state: dict[str, Any] = dict(conversation.state_before or {})
        for index, turn in enumerate(conversation.turns):
            self._read(index, turn)

    def _read(self, index: int, turn: Turn) -> None:
        events = turn.raw_events()
        calls = _calls_of(events, turn.tool_calls)
        waiting: dict[str, deque[Moment]] = {}
        first = len(self.moments)
        for event in events:
            if event.kind == "state":
                self._state(index, event)
                continue
            moment = Moment(index, len(self.moments), event.kind, event.name, event.author)
            if event.kind == "call":
                moment.args = event.data
                call = next(calls, None)
                if call is not None and call.answered:
                    moment.response = call.response
                waiting.setdefault(event.name, deque()).append(moment)
            elif event.kind == "response":
                moment.response = event.data
                asked = _asked(waiting.get(event.name), event.data)
                if asked is not None:
                    moment.args = asked.args
                    asked.response = event.data
            elif event.kind == "transfer":
                moment.args = event.data
            else:
                moment.data = event.data
            self.moments.append(moment)
            if event.kind == "interrupt":
                self._cut_off(first)

    def _cut_off(self, first: int) -> None:
        for moment in self.moments[first:-1]:
            moment.delivered = False

    def _state(self, index: int, event: Event) -> None:
        delta: Any = event.data
        for key, value in cast("dict[str, Any]", delta).items() if isinstance(delta, dict) else ():
            before = self.state.get(key, NOTHING)
            self.state[key] = value
            if before is NOTHING or not matches(before, value, as_literal=True):
                self.moments.append(
                    Moment(index, len(self.moments), "state", key, event.author, data=value, before=before)
                )


def _calls_of(events: list[Event], calls: list[Call]) -> Iterator[Call]:
    """The recorded calls, when they are the same as those of the events: they know which response is whose."""
    names = [event.name for event in events if event.kind == "call"]
    return iter(calls if names == [call.name for call in calls] else ())


def _asked(waiting: deque[Moment] | None, response: Any) -> Moment | None:
    """The call a response answers: the next of that name which had this response or none, looking a little ahead."""
    if not waiting:
        return None
    for place in range(min(len(waiting), _LOOK_AHEAD)):
        candidate = waiting[place]
        if candidate.answered and (
            candidate.response is response or matches(candidate.response, response, as_literal=True)
        ):
            del waiting[place]
            return candidate
    return waiting.popleft()


@dataclass(frozen=True, slots=True)
class Seen:
    """A moment that a selector means."""

    moment: Moment
    kind: SelectorKind
    match: re.Match[str] | None = None

    @property
    def turn(self) -> int:
        return self.moment.turn

    @property
    def position(self) -> int:
        return self.moment.position

    def pick(self, path: str | None) -> Any:
        """The value at ``path``; NOTHING when it leads nowhere. No path: the event's own content as a whole."""
        segments = (path or _WHOLE[self.kind]).split(".")
        value = self._root(segments[0])
        rest = segments[1:]
        if segments[0] == "match" and isinstance(value, re.Match):
            found = cast(re.Match[str], value)
            if not rest:
                return found.group()
            value, rest = _group(found, rest[0]), rest[1:]
        for segment in rest:
            value = _step(value, segment)
        return value

    def word(self, path: str | None) -> str | None:
        """The value at ``path`` as text: a number as written, blank text and no value as None.

        A list or an object is no word; :meth:`pick` gives it.
        """
        if path is None:
            return None
        value = self.pick(path)
        if isinstance(value, str):
            return value.strip() or None
        return str(value) if is_number(value) else None

    def _root(self, root: str) -> Any:
        moment = self.moment
        if root == "author":
            return moment.author if moment.author is not None else NOTHING
        if root == "args":
            return moment.args
        if root == "response":
            return moment.response
        if root in ("name", "agent", "key"):
            return moment.name
        if root == "before":
            return moment.before
        if root == "match":
            return self.match if self.match is not None else NOTHING
        return moment.data


def _group(found: re.Match[str], name: str) -> Any:
    try:
        value = found.group(int(name) if name.isdecimal() else name)
    except (IndexError, ValueError):
        return NOTHING
    return NOTHING if value is None else value


def _step(value: Any, segment: str) -> Any:
    if isinstance(value, Mapping):
        return cast(Mapping[str, Any], value).get(segment, NOTHING)
    if isinstance(value, list | tuple) and segment.isdecimal() and len(segment) < 9:
        items = cast("list[Any] | tuple[Any, ...]", value)
        place = int(segment)
        return items[place] if place < len(items) else NOTHING
    return NOTHING


@dataclass(frozen=True, slots=True)
class Selector:
    """Which events are meant: one kind of event, narrowed by ``where`` and by whether the tool succeeded."""

    kind: SelectorKind
    subject: str
    where: dict[str, Any]
    ok: bool | None = None

    @classmethod
    def parse(cls, value: Any, where: str) -> Selector:
        """Read ``{"tool": name, "where"?: {path: value or matcher}, "ok"?: bool}`` and its kin.

        Raises:
            ParameterError: it is none, names no kind or two, or reads from a root its events do not have.
        """
        entry = mapping(value, where)
        kinds: list[SelectorKind] = [kind for kind in KINDS if entry.get(kind) is not None]
        if len(kinds) != 1:
            raise ParameterError(f"{where} must have exactly one of {', '.join(KINDS)}")
        kind = kinds[0]
        only(entry, {*KINDS, "where", "ok"}, where)
        narrowed = mapping(entry.get("where") or {}, f"{where}.where")
        for path, expected in narrowed.items():
            check_path(path, kind, f"{where}.where")
            require_sound(expected, f"{where}.where.{path}")
        ok = entry.get("ok")
        if ok is not None and (not isinstance(ok, bool) or kind not in ("tool", "response")):
            raise ParameterError(f"{where}.ok must be true or false, on a tool or a response")
        subject = text(entry[kind], f"{where}.{kind}")
        if kind == "says":
            compiled(subject)
        return cls(kind, subject, narrowed, ok)

    def select(self, moments: Iterable[Moment]) -> list[Seen]:
        """The moments meant, in raw order."""
        wanted = _MOMENT_OF[self.kind]
        return [seen for moment in moments if moment.kind == wanted and (seen := self.meant(moment)) is not None]

    def meant(self, moment: Moment) -> Seen | None:
        """This moment as seen through the selector; None when it is not meant."""
        if moment.kind != _MOMENT_OF[self.kind]:
            return None
        match: re.Match[str] | None = None
        if self.kind == "says":
            match = compiled(self.subject).search(moment.data) if isinstance(moment.data, str) else None
            if match is None:
                return None
        elif moment.name != self.subject and not (self.kind == "transfer" and self.subject == "*"):
            return None
        if self.ok is not None and not (moment.answered and self.ok is (response_error(moment.response) is None)):
            return None
        seen = Seen(moment, self.kind, match)
        for path, expected in self.where.items():
            value = seen.pick(path)
            if value is NOTHING or not matches(expected, value):
                return None
        return seen

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


def check_path(path: str, kind: SelectorKind, where: str) -> str:
    """``path`` itself when events of this kind have its root.

    Raises:
        ParameterError: they do not.
    """
    if path.split(".")[0] not in ROOTS[kind]:
        raise ParameterError(f"{where}: {path} cannot be read from a {kind} event")
    return path


def optional_path(params: Mapping[str, Any], key: str, selector: Selector, where: str) -> str | None:
    """The path under ``key``, checked against the selector; None when there is none."""
    value = params.get(key)
    return None if value is None else check_path(text(value, f"{where}.{key}"), selector.kind, f"{where}.{key}")


def state_unknown(conversation: Conversation, selectors: Iterable[Selector | None]) -> bool:
    """Whether a selector asks for state events that this recording cannot have."""
    return conversation.state_after is None and any(s is not None and s.kind == "state" for s in selectors)


def nothing_asked(selector: Selector, conversation: Conversation) -> str:
    """Why a rule about events that never came is no verdict: a misspelt name would else make it green for ever."""
    return f"no event is {selector} in {len(conversation.turns)} turns, so nothing was judged; is the name right?"


STATE_UNKNOWN = "state changes are not in this recording; only our own runner records them"
FLAT = "the recording does not say what belongs to which turn"
