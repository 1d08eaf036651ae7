"""Shows text of a conversation in a reason: short, on one line, with nothing in it that could fool a reader."""

from __future__ import annotations

import re
import unicodedata

_BREAK = re.compile(r"[。！？!?\n\r\u2028\u2029；]|[.;](?=\s)")
_REACH = 120
_LONGEST = 2 * _REACH + 200
_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def quote(text: str, longest: int = 80) -> str:
    r"""``text`` with control, bidirectional and unpaired characters as ``\uXXXX``, cut to ``longest`` characters."""
    shown = text if len(text) <= longest else text[: longest - 1] + "…"
    shown = " ".join(shown.split())
    if shown.isascii() and shown.isprintable():
        return shown
    return "".join(_escaped(c) if unicodedata.category(c) in _HARMFUL else c for c in shown)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def sentence_around(text: str, start: int, end: int) -> str:
    """The sentence that holds ``[start, end)``, at most 120 characters to each side, ready to be shown."""
    left = max(0, start - _REACH)
    cut_left = left > 0
    for boundary in _BREAK.finditer(text, left, start):
        left, cut_left = boundary.end(), False
    right = min(len(text), end + _REACH)
    boundary = _BREAK.search(text, end, right)
    if boundary is not None:
        right = boundary.end()
    cut_right = boundary is None and right < len(text)
    sentence = quote(text[left:right].strip(), longest=_LONGEST)
    return ("…" if cut_left else "") + sentence + ("…" if cut_right else "")
