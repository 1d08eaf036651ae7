"""One spelling for every script's digits: folds a text so that patterns need to know ASCII digits and signs only.

Folding maps character to character, so positions stay; invisible characters (zero-width, bidirectional controls,
variation selectors) are dropped, because a reader does not see them, and positions are mapped back.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field

THIN = "\u202f"
"""All spaces that typographers put inside numbers become this one."""

_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]+")
_WIDE_COMMA = re.compile("(?<=[０-９])，(?=[０-９]{3}(?![０-９]))")

_SIGNS = {
    "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2212": "-", "\ufe63": "-", "\ufe58": "—", "\u301c": "~",
    "\u066b": ".", "\u066c": ",", "\u066a": "%", "\ufe6a": "%", "\u2019": "'", "\uffe5": "¥", "\uffe1": "£",
    "\u00a0": THIN, "\u2007": THIN, "\u2009": THIN, "\u3000": " ", "\uff0c": "，",
}  # fmt: skip


def _folded_character(character: str) -> str:
    if character in _SIGNS:
        return _SIGNS[character]
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    if "\uff01" <= character <= "\uff5e":
        return chr(ord(character) - 0xFEE0)
    if unicodedata.category(character) in ("Lu", "Ll"):
        plain = unicodedata.normalize("NFKC", character)
        if len(plain) == 1 and plain.isascii():
            return plain
    return character


class _Table(dict[int, str]):
    """Looked up by ``str.translate``; filled as characters turn up."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _folded_character(chr(code))
        return folded


_TABLE = _Table()


@dataclass(slots=True)
class Folded:
    """A folded text and the way back to the positions of the original."""

    original: str
    text: str
    _folded_starts: list[int] = field(default_factory=list[int])
    _shifts: list[int] = field(default_factory=list[int])

    def position(self, index: int) -> int:
        """Position in the original of the folded character at ``index``."""
        if not self._folded_starts:
            return index
        return index + self._shifts[bisect_right(self._folded_starts, index) - 1]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Span in the original of the folded span; characters dropped at its end stay outside."""
        return self.position(start), self.position(end - 1) + 1 if end > start else self.position(start)


def fold(original: str) -> Folded:
    """Fold ``original``; linear in its length."""
    if original.isascii():
        return Folded(original, original)
    text = _WIDE_COMMA.sub(",", original)
    if _INVISIBLE.search(text) is None:
        return Folded(original, text.translate(_TABLE))
    pieces: list[str] = []
    starts: list[int] = []
    shifts: list[int] = []
    position = length = 0
    for hidden in _INVISIBLE.finditer(text):
        if hidden.start() > position or not starts:
            starts.append(length)
            shifts.append(position - length)
            pieces.append(text[position : hidden.start()])
            length += hidden.start() - position
        position = hidden.end()
    starts.append(length)
    shifts.append(position - length)
    pieces.append(text[position:])
    return Folded(original, "".join(pieces).translate(_TABLE), starts, shifts)
