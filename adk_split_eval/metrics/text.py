"""Showing hostile text in reasons: quoted, truncated, with control and direction characters escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

_UNSAFE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters, terminal escapes among them
    "\u00ad\u061c\u180e\u200b\u200e\u200f"  # soft hyphen, zero width space, direction marks
    "\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"  # separators, direction overrides and isolates, BOM
    "\ud800-\udfff"  # lone surrogates cannot be encoded
    "\U000e0000-\U000e007f"  # tag characters: invisible text
    "]"
)
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SENTENCE_END = re.compile(r"[。！？!?\n；]|[.;](?=\s)")
_DEPTH_SHOWN = 6
_REACH = 240


def escape(text: str) -> str:
    """``text`` with every character that could move the cursor, hide or reorder text replaced by its escape."""
    return _UNSAFE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def quote(text: str, limit: int = 160) -> str:
    """``text`` as one quoted line of at most about ``limit`` characters; what was cut off is counted."""
    if len(text) <= limit:
        return _literal(text)
    return f"{_literal(text[:limit])}… (+{len(text) - limit} characters)"


def _literal(text: str) -> str:
    body = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escape(body)}"'


def show(value: Any, limit: int = 120) -> str:
    """Any JSON-like value on one line, as JSON where it fits; deep and long values are cut, never followed to the end."""
    pieces: list[str] = []
    length = 0
    for piece in _pieces(value, 0, limit):
        pieces.append(piece)
        length += len(piece)
        if length > limit + 60:
            return "".join(pieces)[:limit] + "…"
    return "".join(pieces)


def _pieces(value: Any, depth: int, limit: int) -> Iterator[str]:
    if isinstance(value, str):
        yield quote(value, limit)
    elif value is None or isinstance(value, bool | int | float):
        yield _scalar(value, limit)
    elif isinstance(value, Mapping):
        mapping = cast(Mapping[Any, Any], value)
        yield from _container(mapping.items(), "{", "}", depth, limit)
    elif isinstance(value, list | tuple):
        items = cast("list[Any] | tuple[Any, ...]", value)
        yield from _container(((None, item) for item in items), "[", "]", depth, limit)
    else:
        yield escape(f"<{type(value).__name__}>")


def _container(items: Any, opening: str, closing: str, depth: int, limit: int) -> Iterator[str]:
    if depth >= _DEPTH_SHOWN:
        yield f"{opening}…{closing}"
        return
    yield opening
    for index, (key, item) in enumerate(items):
        if index:
            yield ", "
        if opening == "{":
            yield quote(str(key), 60) + ": "
        yield from _pieces(item, depth + 1, limit)
    yield closing


def _scalar(value: Any, limit: int) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 3 * limit:
        return f"<integer of {value.bit_length()} bits>"  # str() of a huge integer is slow, and refused by CPython
    return json.dumps(value)


def show_call(name: str, args: Mapping[str, Any] | None, limit: int = 160) -> str:
    """A call as ``name(key=value, ...)``; without ``args`` (any arguments will do) just the name."""
    head = escape(name[:80])
    if args is None:
        return head
    shown: list[str] = []
    length = 0
    for key, value in args.items():
        piece = f"{escape(str(key)[:60])}={show(value, 60)}"
        length += len(piece) + 2
        if length > limit:
            shown.append("…")
            break
        shown.append(piece)
    return f"{head}({', '.join(shown)})"


def excerpt(text: str, start: int, end: int) -> str:
    """The sentence of ``text`` around ``[start, end)``, quoted: what a person looks for to check a reason."""
    low = max(0, start - _REACH)
    high = min(len(text), end + _REACH)
    for match in _SENTENCE_END.finditer(text, low, start):
        low = match.end()
    closing = _SENTENCE_END.search(text, max(start, end - 1), high)
    if closing:
        high = closing.end()
    return quote(text[low:high].strip(), 2 * _REACH)
