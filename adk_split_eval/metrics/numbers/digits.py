"""Values of a run of digits and separators, whichever country's separators they are.

"1,280" is 1280 or 1.28, "1.234,56" is 1234.56, "1 234" is 1234 or two numbers, "1,28,000" is 128000, "9,5" is 9.5 or a
list of two. Every sensible reading is returned; none of them ever drops or joins digits in a way nobody writes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from adk_split_eval.metrics.numbers.fold import THIN
from adk_split_eval.metrics.numbers.reading import LONGEST_VALUE

RUN = re.compile(
    rf"[0-9]{{1,3}}(?:\x20[0-9]{{3}}){{1,13}}(?![0-9])(?:[.,][0-9]++)?(?![.,][0-9])"
    rf"|[0-9]++(?:[.,'{THIN}][0-9]++){{0,13}}+"
)
"""Digits with separators inside, at most 13 of them (40 digits in threes), so that a long chain costs its length once.
A plain space separates only groups of exactly three digits."""

FRACTIONS = {"½": "0.5", "¼": "0.25", "¾": "0.75", "⅓": "0.333333333333", "⅔": "0.666666666667", "⅛": "0.125"}
_PIECE = re.compile(r"[^,\x20]+")


@dataclass(frozen=True, slots=True)
class Run:
    """Readings of one run.

    Attributes:
        values: as one number; empty when it cannot be one.
        pieces: half-open spans, relative to the run, of several numbers it may be instead.
    """

    values: tuple[Decimal, ...]
    pieces: tuple[tuple[int, int], ...] = ()


def read_run(text: str) -> Run:
    """All readings of ``text``, which :data:`RUN` matched; no value for more than 40 digits."""
    groups = re.split(rf"[.,'{THIN}\x20]", text)
    if sum(map(len, groups)) > LONGEST_VALUE:
        return Run((), _pieces(text))
    if len(groups) == 1:
        return Run((Decimal(text),))
    separators = [c for c in text if not "0" <= c <= "9"]
    if len(groups) == 2:
        return _two_groups(text, groups, separators[0])
    grouped = separators[0]
    if all(c == grouped for c in separators):
        return Run((Decimal("".join(groups)),) if _grouping(groups, grouped) else (), _pieces(text))
    *front, last = groups
    if separators[-1] in ".," and all(c == grouped for c in separators[:-1]) and _grouping(front, grouped):
        return Run((Decimal("".join(front) + "." + last),))
    return Run((), _pieces(text))


def _two_groups(text: str, groups: list[str], separator: str) -> Run:
    left, right = groups
    joined = (Decimal(left + right),) if _grouping(groups, separator) else ()
    if separator == ".":
        return Run((Decimal(text), *joined))
    if separator == ",":
        return Run((*joined, Decimal(f"{left}.{right}")), _pieces(text) if not joined else ())
    return Run(joined, _pieces(text.replace(separator, " ")))


def _grouping(groups: list[str], separator: str) -> bool:
    """Whether these are thousands groups (or Indian ones, with a comma)."""
    first, *others = groups
    if not 1 <= len(first) <= 3 or (first[0] == "0" and others) or not others:
        return not others and len(first) > 0
    if all(len(g) == 3 for g in others):
        return True
    return separator == "," and len(first) <= 2 and len(others[-1]) == 3 and all(len(g) == 2 for g in others[:-1])


def _pieces(text: str) -> tuple[tuple[int, int], ...]:
    spaced = text.replace("'", " ").replace(THIN, " ")
    pieces = tuple(m.span() for m in _PIECE.finditer(spaced))
    return pieces if len(pieces) > 1 else ()
