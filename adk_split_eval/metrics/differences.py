"""Differences between an expected and an actual value, and how they read: types said, Unicode lookalikes told apart."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from adk_split_eval.metrics.text import quote, show

# CPython sorts combining marks by insertion, so normalising a hostile megabyte could take quadratic time.
_NORMALISED_LENGTH = 10_000


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where a value is not what was expected: ``path`` (``args.items[2].sku``) and what is wrong there."""

    path: str
    expected: Any
    actual: Any
    kind: str = "value"

    def __str__(self) -> str:
        text = _DESCRIPTIONS[self.kind](self.expected, self.actual)
        return f"{self.path}: {text}" if self.path else text


def is_number(value: Any) -> bool:
    """A JSON number: no boolean, no numeric string."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _type_name(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if is_number(value):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list | tuple):
        return "list"
    return "object" if isinstance(value, Mapping) else type(value).__name__


def _value_text(expected: Any, actual: Any) -> str:
    if isinstance(expected, str) and isinstance(actual, str):
        return _string_text(expected, actual)
    left, right = _type_name(expected), _type_name(actual)
    note = f" (expected {left}, got {right})" if left != right else ""
    return f"{show(expected)} ≠ {show(actual)}{note}"


def _string_text(expected: str, actual: str) -> str:
    note = normalisation_note(expected, actual)
    if note:
        return f"{_composed_shown(expected)} ≠ {_composed_shown(actual)} ({note})"
    common = next(
        (i for i, (a, b) in enumerate(zip(expected, actual, strict=False)) if a != b),
        len(min(expected, actual, key=len)),
    )
    if common <= 80:
        return f"{quote(expected, 120)} ≠ {quote(actual, 120)}"
    cut = common - 20
    return f"…{quote(expected[cut:], 100)} ≠ …{quote(actual[cut:], 100)} (the first {common} characters agree)"


def normalisation_note(expected: str, actual: str) -> str | None:
    """Says so when two different strings differ only in Unicode normalisation (composed, decomposed, compatibility)."""
    if max(len(expected), len(actual)) > _NORMALISED_LENGTH or (expected.isascii() and actual.isascii()):
        return None
    if unicodedata.normalize("NFC", expected) == unicodedata.normalize("NFC", actual):
        return f"differ only in Unicode normalisation: expected {_form(expected)}, got {_form(actual)}"
    if unicodedata.normalize("NFKC", expected) == unicodedata.normalize("NFKC", actual):
        return "differ only in Unicode compatibility forms (NFKC), such as full-width letters"
    return None


def _form(text: str) -> str:
    for form in ("NFC", "NFD"):
        if unicodedata.is_normalized(form, text):  # type: ignore[arg-type]
            return "composed (NFC)" if form == "NFC" else "decomposed (NFD)"
    return "neither composed nor decomposed"


def _composed_shown(text: str) -> str:
    """Quoted with combining marks escaped: otherwise the two sides of the difference would look the same."""
    shown = quote(text, 120)
    return "".join(f"\\u{ord(c):04x}" if unicodedata.combining(c) else c for c in shown)


def _matcher_text(matcher: dict[str, Any], actual: Any) -> str:
    have = show(actual)
    kind = _type_name(actual)
    if "regex" in matcher:
        if not isinstance(actual, str):
            return f"expected a string that matches regex {quote(matcher['regex'])}, got {have} ({kind})"
        return f"{have} does not match regex {quote(matcher['regex'])}"
    if "one_of" in matcher:
        return f"{have} ({kind}) is none of {show(matcher['one_of'])}"
    if "contains" in matcher:
        return f"{have} ({kind}) does not contain {show(matcher['contains'])}"
    bounds = " and ".join(
        f"{words} {show(matcher[key])}"
        for key, words in (("gt", "greater than"), ("lt", "less than"))
        if key in matcher
    )
    if "approx" in matcher:
        within = show(matcher["within"]) if "within" in matcher else "a relative 1e-9"
        bounds = f"within {within} of {show(matcher['approx'])}"
    if not is_number(actual):
        return f"expected a number {bounds}, got {have} ({kind})"
    return f"{have} is not {bounds}"


def _missing_text(expected: Any, _actual: Any) -> str:
    return f"missing, expected {show(expected)}"


def _extra_text(_expected: Any, actual: Any) -> str:
    return f"not expected, got {show(actual)}"


def _length_text(expected: list[Any], actual: list[Any]) -> str:
    return f"expected {len(expected)} elements, got {len(actual)}"


_DESCRIPTIONS = {
    "value": _value_text,
    "matcher": _matcher_text,
    "missing": _missing_text,
    "extra": _extra_text,
    "length": _length_text,
}


def summary(differences: list[Difference], limit: int = 5) -> str:
    """The first ``limit`` differences in one line, and how many more there are."""
    shown = "; ".join(str(d) for d in differences[:limit])
    more = len(differences) - limit
    return f"{shown}; and {more} more" if more > 0 else shown
