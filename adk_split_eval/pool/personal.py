"""Personal data in what would be frozen: found for the reviewer, replaced on request. State only, never the user's turns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)")
_DIGITS = re.compile(r"(?<![A-Za-z0-9_.@-])\+?\(?\d[\d ().-]{5,24}\d[Xx]?(?![A-Za-z0-9_@])")
_NATIONAL = re.compile(r"\d{17}[\dXx]\Z|\d{3}-\d{2}-\d{4}\Z")
_MOBILE = re.compile(r"1[3-9]\d{9}\Z")


def private(key: str) -> bool:
    """Whether a state key never leaves its session: ``temp:`` keys and private ones (a leading underscore)."""
    return key.startswith(("temp:", "_")) or key.partition(":")[2].startswith("_")


def start_state(state: dict[str, Any]) -> dict[str, Any]:
    """The part of a session state that may start a frozen case."""
    return {key: value for key, value in state.items() if not private(key)}


def found(text: str) -> list[str]:
    """Kinds of personal data in ``text``: e-mail, phone, card, id number."""
    return sorted({kind for kind, _, _ in _places(text)})


def redact(value: Any) -> Any:
    """``value`` with every e-mail address, phone, card and id number replaced by its kind in angle brackets."""
    if isinstance(value, str):
        return _redact_text(value)
    if isinstance(value, dict):
        return _with_unique_keys((_redact_text(k), redact(v)) for k, v in cast("dict[str, Any]", value).items())
    if isinstance(value, list):
        return [redact(v) for v in cast("list[Any]", value)]
    if isinstance(value, int) and not isinstance(value, bool) and found(str(value)):
        return _redact_text(str(value))
    return value


def _with_unique_keys(entries: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """A mapping whose keys may have become equal: two addresses stay two entries."""
    result: dict[str, Any] = {}
    for key, value in entries:
        name, number = key, 2
        while name in result:
            name, number = f"{key} {number}", number + 1
        result[name] = value
    return result


def kinds_in(value: Any) -> list[str]:
    """Kinds of personal data anywhere in ``value``, keys included."""
    return sorted({kind for text in _texts(value) for kind in found(text)})


def report(state: dict[str, Any], users: list[str]) -> list[str]:
    """What a reviewer must look at: every ``user:``/``app:`` key, and every place that looks like personal data."""
    lines: list[str] = []
    for key, value in state.items():
        kinds = sorted({*found(key), *kinds_in(value)})
        if key.startswith(("user:", "app:")):
            lines.append(
                f"state key {key}: " + (", ".join(kinds) if kinds else "outlives the session, may be personal")
            )
        elif kinds:
            lines.append(f"state key {key}: {', '.join(kinds)}")
    for number, user in enumerate(users, 1):
        if kinds := found(user):
            lines.append(
                f"user turn {number}: {', '.join(kinds)} (turns stay word for word; change it by hand if it is real)"
            )
    return lines


def elsewhere(
    end_state: dict[str, Any] | None, user_id: Any, transcript: list[dict[str, Any]], start: dict[str, Any] | None
) -> list[str]:
    """Places besides the start state and the user's words that look like personal data."""
    lines: list[str] = []
    for key, value in (end_state or {}).items():
        if (start or {}).get(key) != value and (kinds := sorted({*found(key), *kinds_in(value)})):
            lines.append(f"end state key {key}: {', '.join(kinds)}")
    if kinds := kinds_in(user_id):
        lines.append(f"user id: {', '.join(kinds)}")
    for number, turn in enumerate(transcript, 1):
        for call in cast("list[dict[str, Any]]", turn.get("tool_calls") or []):
            for key in ("args", "response", "state"):
                if kinds := kinds_in(call.get(key)):
                    lines.append(f"turn {number}, {key} of {call.get('name')}: {', '.join(kinds)}")
        if kinds := kinds_in(turn.get("response")):
            lines.append(f"turn {number}, answer: {', '.join(kinds)}")
    return lines


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for k, v in cast("dict[str, Any]", value).items():
            yield k
            yield from _texts(v)
    elif isinstance(value, list):
        for v in cast("list[Any]", value):
            yield from _texts(v)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _places(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _EMAIL.finditer(text):
        yield "e-mail", match.start(), match.end()
    for match in _DIGITS.finditer(text):
        if kind := _number_kind(match.group()):
            yield kind, match.start(), match.end()


def _number_kind(spelt: str) -> str | None:
    if _DATE.match(spelt):
        return None
    if _NATIONAL.match(spelt):
        return "id number"
    digits = re.sub(r"\D", "", spelt)
    if 13 <= len(digits) <= 19 and _luhn(digits):
        return "card"
    separated = spelt.startswith("+") or any(c in spelt for c in " ()-")
    if 9 <= len(digits) <= 15 and (separated or _MOBILE.match(digits)):
        return "phone"
    return None


def _luhn(digits: str) -> bool:
    total = 0
    for position, c in enumerate(reversed(digits)):
        doubled = int(c) * (2 if position % 2 else 1)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def _redact_text(text: str) -> str:
    spots = sorted(_places(text), key=lambda spot: spot[1])
    result: list[str] = []
    end = 0
    put: Callable[[str], None] = result.append
    for kind, start, stop in spots:
        if start >= end:
            put(text[end:start])
            put(f"<{kind}>")
            end = stop
    put(text[end:])
    return "".join(result)
