"""Text that came from a conversation, made harmless for a terminal and short enough for a line."""

from __future__ import annotations

import unicodedata

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\x1b"}
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LINE_SEPARATORS = frozenset("\u2028\u2029")


def safe_terminal(text: str, *, newlines: bool = False) -> str:
    """``text`` with everything escaped that could steer a terminal or deceive the eye.

    C0 and C1 controls (ANSI escapes start with one), bidirectional controls, line separators, noncharacters and lone
    surrogates become visible ``\\x..``/``\\u....`` escapes; ordinary text of every script and emoji stays as it is.

    Args:
        text: any string, lone surrogates included.
        newlines: keep ``\\n`` and ``\\t`` (for multi-line output); else they are escaped too.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_safe_character(c, newlines) for c in text)


def _safe_character(c: str, newlines: bool) -> str:
    if newlines and c in "\n\t":
        return c
    if c in _NAMED:
        return _NAMED[c]
    code = ord(c)
    if code < 0x20 or 0x7F <= code < 0xA0:
        return f"\\x{code:02x}"
    if c in _BIDI or c in _LINE_SEPARATORS or 0xD800 <= code <= 0xDFFF or (code & 0xFFFE) == 0xFFFE:
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return c


def visible_surrogates(text: str) -> str:
    """``text`` with lone surrogates spelt out as ``\\ud8..``, so that it can be encoded as UTF-8; the rest untouched."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join(f"\\u{ord(c):04x}" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)
    return text


def shorten(text: str, width: int, *, ellipsis: str = "...") -> str:
    """``text`` cut to at most ``width`` characters; never in the middle of a combining sequence.

    Args:
        text: any string.
        width: at least the length of ``ellipsis``.
        ellipsis: what stands for the cut part.
    """
    if len(text) <= width:
        return text
    cut = max(width - len(ellipsis), 0)
    while cut > 0 and (unicodedata.combining(text[cut]) or text[cut] in "\u200d\ufe0f" or text[cut - 1] == "\u200d"):
        cut -= 1
    return text[:cut].rstrip() + ellipsis


def one_line(text: str) -> str:
    """``text`` with every run of white space as one blank, so that a sentence fits into a table."""
    return " ".join(text.split())
