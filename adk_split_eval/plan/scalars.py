"""What a plain YAML scalar means, and which ones mean something else than they seem to.

A plain scalar means what YAML 1.1 and YAML 1.2 both say it means. Where they disagree, or where YAML 1.1 would silently
turn a word into something else (``no``, ``012``, ``1:30``, an unquoted date), it is a surprise.
"""

from __future__ import annotations

import re
from typing import Any

_TRUE = frozenset({"true", "True", "TRUE"})

_FALSE = frozenset({"false", "False", "FALSE"})

_NULL = frozenset({"null", "Null", "NULL", ""})

_YAML_1_1_BOOLEANS = frozenset(
    {"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"},
)

_LOOKS_SPECIAL = re.compile(r"[-+.~0-9]")

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")

_FLOAT = re.compile(r"(?:-?(?:0|[1-9][0-9]*)\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")

_SURPRISES: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?"),
        "a date, which YAML turns into something that is not text",
    ),
    (re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"), "a number in base 60 to YAML 1.1"),
    (
        re.compile(r"[-+]?0[0-9_]+(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?"),
        "a number whose leading zero is lost or makes it octal",
    ),
    (re.compile(r"[-+]?0o?[0-7_]+"), "an octal number to YAML"),
    (re.compile(r"[-+]?0x[0-9a-fA-F_]+"), "a hexadecimal number to YAML"),
    (re.compile(r"[-+]?0b[01_]+"), "a binary number to YAML"),
    (
        re.compile(r"(?=.*_)[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9_]+)(?:[eE][-+][0-9]+)?"),
        "a number to YAML 1.1, which drops the underscores",
    ),
    (re.compile(r"\+(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"), "a number to YAML, which drops the plus sign"),
    (re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+"), "a number to some YAML readers and text to others"),
    (re.compile(r"-\.[0-9]+(?:[eE][-+]?[0-9]+)?"), "a number to some YAML readers and text to others"),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"), "infinity or not-a-number to YAML"),
    (re.compile(r"~"), "nothing (null) to YAML"),
)


def resolve(text: str) -> tuple[Any, str | None]:
    """What a plain scalar means, and what is surprising about it (then the value is the text itself)."""
    if text in _NULL:
        return None, None
    if text in _TRUE:
        return True, None
    if text in _FALSE:
        return False, None
    if text in _YAML_1_1_BOOLEANS:
        return text, "true or false to YAML 1.1"
    if not _LOOKS_SPECIAL.match(text):
        return text, None
    if _INTEGER.fullmatch(text):
        # Python refuses longer literals; nobody means a number here.
        return (int(text), None) if len(text) < 300 else (text, "a number of hundreds of digits")
    if _FLOAT.fullmatch(text):
        value = float(text)
        return (value, None) if value - value == 0 else (text, "a number too large to hold")
    for pattern, what in _SURPRISES:
        if pattern.fullmatch(text):
            return text, what
    return text, None


def mend_of(text: str) -> str:
    if text in _YAML_1_1_BOOLEANS:
        return ", or true" if text.lower() in ("yes", "on") else ", or false"
    if text == "~":
        return ", or null"
    return "; write a plain decimal number if it is a number" if text[-1:].isdigit() and "-" not in text[1:] else ""
