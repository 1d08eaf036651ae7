"""Candidate files as text: YAML a person can read and edit, and that reads back to the very same data.

PyYAML's own emitter folds long lines, quotes what needs no quotes and cannot write a lone surrogate, so the few styles
needed are written here: block mappings, short flow collections, literal blocks for text of several lines, and double
quotes wherever a plain scalar could be mistaken for something else.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

FLOW_WIDTH = 96
MAX_DEPTH = 60
LONG_KEY = 120
TURN = "user"
"""A mapping with this key is a turn: it gets a line for each of its entries, however short."""

# Only what can be read as nothing but a string, by YAML 1.1 and 1.2 alike.
_PLAIN = re.compile(r"[^\W\d_](?:[\w ./+=，。、？！；（）《》“”-]*[\w/+，。、？！；）》”])?\Z")
_AMBIGUOUS = frozenset({"null", "none", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"})
_SURROGATE = re.compile("[\ud800-\udfff]")
# Controls, line separators, the byte order mark, noncharacters; bidirectional controls because a diff must not deceive.
_ESCAPED = re.compile(
    '[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufdd0-\ufdef\ufeff\ufffe\uffff"\\\\'
    + "".join(chr(plane * 0x10000 + low) for plane in range(1, 17) for low in (0xFFFE, 0xFFFF))
    + "]"
)
_NOT_LITERAL = re.compile(_ESCAPED.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f").replace('"\\\\', ""))
_BREAK = re.compile(r"[\t\n\r]")
_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\x00": "\\0"}


def emit(data: Mapping[str, Any]) -> str:
    """``data`` as a YAML document (ends with a newline). Keys keep their order; every string survives exactly."""
    if not data:
        return "{}\n"
    return "\n".join(_mapping(data, 0, 0)) + "\n"


def emit_item(data: Mapping[str, Any], indent: int) -> str:
    """``data`` as one item of a block sequence that is indented by ``indent`` blanks (ends with a newline)."""
    return "\n".join(_item(data, indent, 1)) + "\n"


def as_mapping(value: Any) -> dict[str, Any]:
    """``value`` when it is a mapping, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """``value`` when it is a list, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def one_line(value: Any) -> str:
    """``value`` on one line, however long: what people read in a listing."""
    parts: list[str] = []
    return "".join(parts) if _flow(value, parts, [10**9], -MAX_DEPTH) else json.dumps(value, ensure_ascii=False)


def plain_data(value: Any, depth: int = 0) -> Any:
    """``value`` as JSON-like data: string keys, lists for tuples and sets, text for anything else."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if depth > 400:
        return "(nested too deeply to keep)"
    if isinstance(value, Mapping):
        return {str(k): plain_data(v, depth + 1) for k, v in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [plain_data(v, depth + 1) for v in cast("list[Any]", value)]
    if isinstance(value, (set, frozenset)):
        return sorted((plain_data(v, depth + 1) for v in cast("set[Any]", value)), key=repr)
    return str(value)


def has_lone_surrogate(value: Any) -> bool:
    """Whether any text in ``value`` holds a code point that UTF-8, and therefore ADK's models, cannot carry."""
    if isinstance(value, str):
        return bool(_SURROGATE.search(value))
    if isinstance(value, Mapping):
        return any(has_lone_surrogate(k) or has_lone_surrogate(v) for k, v in cast("Mapping[Any, Any]", value).items())
    if isinstance(value, (list, tuple)):
        return any(has_lone_surrogate(v) for v in cast("list[Any]", value))
    return False


def depth_exceeded(value: Any, depth: int = 0) -> bool:
    """Whether ``value`` nests deeper than a plan can carry."""
    if depth >= MAX_DEPTH - 8:
        return True
    if isinstance(value, Mapping):
        return any(depth_exceeded(v, depth + 1) for v in cast("Mapping[Any, Any]", value).values())
    if isinstance(value, (list, tuple)):
        return any(depth_exceeded(v, depth + 1) for v in cast("list[Any]", value))
    return False


def portable(value: Any, depth: int = 0) -> bool:
    """Whether a plan can carry ``value``: valid Unicode, finite numbers, no deeper than this emitter writes as plain YAML."""
    if depth >= MAX_DEPTH - 8:
        return False
    if isinstance(value, str):
        return not _SURROGATE.search(value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        entries = cast("Mapping[Any, Any]", value)
        return all(portable(k, depth + 1) and portable(v, depth + 1) for k, v in entries.items())
    if isinstance(value, (list, tuple)):
        return all(portable(v, depth + 1) for v in cast("list[Any]", value))
    return True


def _mapping(data: Mapping[str, Any], indent: int, depth: int) -> Iterator[str]:
    pad = " " * indent
    for key, value in data.items():
        name = scalar(key)
        if len(name) > LONG_KEY:
            yield f"{pad}? {name}"
            name = ""
        yield from _entry(f"{pad}{name}:", value, indent, depth)


def _entry(head: str, value: Any, indent: int, depth: int) -> Iterator[str]:
    if isinstance(value, str) and _literal_fits(value):
        yield from _literal(head, value, indent + 2)
        return
    inline = _inline(value, FLOW_WIDTH - indent)
    if inline is None and depth >= MAX_DEPTH:
        inline = _as_json(value)
    if inline is not None:
        yield f"{head} {inline}"
        return
    yield head
    if isinstance(value, Mapping):
        yield from _mapping(cast("Mapping[str, Any]", value), indent + 2, depth + 1)
    else:
        for entry in cast("list[Any]", value):
            yield from _item(entry, indent + 2, depth + 1)


def _item(value: Any, indent: int, depth: int) -> Iterator[str]:
    pad = " " * indent
    if isinstance(value, Mapping) and value and _inline(value, FLOW_WIDTH - indent) is None and depth < MAX_DEPTH:
        lines = _mapping(cast("Mapping[str, Any]", value), indent + 2, depth)
        yield f"{pad}- {next(lines)[indent + 2 :]}"
        yield from lines
        return
    yield from _entry(f"{pad}-", value, indent, depth)


def _literal_fits(text: str) -> bool:
    """Whether a literal block gives back exactly ``text`` without an indentation indicator."""
    if "\n" not in text or text.endswith("\n\n") or _NOT_LITERAL.search(text) or _SURROGATE.search(text):
        return False
    lines = text.removesuffix("\n").split("\n")
    return bool(lines[0]) and lines[0][0] not in " \t" and all(not line or not line.isspace() for line in lines)


def _literal(head: str, text: str, indent: int) -> Iterator[str]:
    yield f"{head} |" if text.endswith("\n") else f"{head} |-"
    pad = " " * indent
    for line in text.removesuffix("\n").split("\n"):
        yield pad + line if line else ""


def _inline(value: Any, width: int) -> str | None:
    """``value`` on one line, or None when a collection is too wide or holds text that deserves its own lines."""
    if not isinstance(value, (Mapping, list)):
        return scalar(value)
    parts: list[str] = []
    return "".join(parts) if _flow(value, parts, [max(width, 24)], 0) else None


def _flow(value: Any, parts: list[str], room: list[int], depth: int) -> bool:
    def put(text: str) -> bool:
        parts.append(text)
        room[0] -= len(text)
        return room[0] >= 0

    if isinstance(value, Mapping):
        entries = cast("Mapping[str, Any]", value)
        if TURN in entries or depth > 4 or not put("{"):
            return False
        for n, (key, entry) in enumerate(entries.items()):
            if not put(f"{', ' if n else ''}{scalar(key)}: ") or not _flow(entry, parts, room, depth + 1):
                return False
        return put("}")
    if isinstance(value, list):
        if depth > 4 or not put("["):
            return False
        for n, entry in enumerate(cast("list[Any]", value)):
            if (n and not put(", ")) or not _flow(entry, parts, room, depth + 1):
                return False
        return put("]")
    if isinstance(value, str) and _literal_fits(value):
        return False
    return put(scalar(value))


def scalar(value: Any) -> str:
    """One scalar on one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    return _string(str(value))


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    mantissa, mark, exponent = text.partition("e")
    # YAML 1.1 reads 1e+16 as a string: the mantissa needs its point.
    return f"{mantissa}.0e{exponent}" if mark and "." not in mantissa else text


def _string(text: str) -> str:
    if _SURROGATE.search(text):
        spelt = _SURROGATE.sub(lambda m: f"\\u{ord(m.group()):04x}", text.replace("\\", "\\\\"))
        return f"!escaped {_quoted(spelt)}"
    if len(text) < 400 and _PLAIN.match(text) and text.casefold() not in _AMBIGUOUS:
        return text
    return _quoted(text)


def _quoted(text: str) -> str:
    if '"' in text and "'" not in text and not _NOT_LITERAL.search(text) and not _BREAK.search(text):
        return f"'{text}'"
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    c = match.group()
    if c in _NAMED:
        return _NAMED[c]
    code = ord(c)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _as_json(value: Any) -> str:
    return f"!json {_quoted(json.dumps(value, ensure_ascii=True))}"
