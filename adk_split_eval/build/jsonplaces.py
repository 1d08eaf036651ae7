"""Where a value stands in a JSON text: line and column for error messages about files that parsed but mean nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def locate(text: str, path: Sequence[str | int]) -> tuple[int, int]:
    """1-based line and column of the value at ``path``, or of the deepest part of it that exists.

    ``text`` must be JSON that parses. Of a repeated key the last one counts, as for ``json.loads``.
    """
    position = _skip(text, 0)
    for element in path:
        inner = _child(text, position, element)
        if inner is None:
            break
        position = inner
    return line_and_column(text, position)


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """1-based line and column of a character offset."""
    start = text.rfind("\n", 0, position) + 1
    return text.count("\n", 0, position) + 1, position - start + 1


def _skip(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    return found.end() if found else position


def _child(text: str, position: int, element: str | int) -> int | None:
    opening = text[position : position + 1]
    if opening not in ("{", "["):
        return None
    cursor = _skip(text, position + 1)
    index = 0
    found: int | None = None
    while text[cursor] not in "}]":
        label: str | int = index
        if opening == "{":
            label, cursor = _DECODER.raw_decode(text, cursor)
            cursor = _skip(text, _skip(text, cursor) + 1)
        if label == element:
            found = cursor
        _, cursor = _DECODER.raw_decode(text, cursor)
        cursor = _skip(text, cursor)
        if text[cursor] == ",":
            cursor = _skip(text, cursor + 1)
        index += 1
    return found
