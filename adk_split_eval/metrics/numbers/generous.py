"""What only sources are read for: ISO 8601 durations and identifiers written with a space ("LH 456")."""

from __future__ import annotations

import re
from decimal import Decimal

from adk_split_eval.metrics.numbers.draft import Draft
from adk_split_eval.metrics.numbers.reading import CONTEXT, Reading

_ISO_DURATION = re.compile(
    r"(?<![A-Za-z0-9])P(?=[0-9T])(?:([0-9]{1,4})Y)?(?:([0-9]{1,4})M)?(?:([0-9]{1,4})W)?(?:([0-9]{1,5})D)?"
    r"(?:T(?:([0-9]{1,6})H)?(?:([0-9]{1,6})M)?(?:([0-9]{1,9}(?:\.[0-9]{1,9})?)S)?)?(?![A-Za-z0-9])"
)
_SPACED = re.compile(r"(?<![A-Za-z0-9])([A-Z]{1,5})\x20([0-9]{1,8})(?![A-Za-z0-9])")
_MONTHS = (12, 1)
_SECONDS = (604800, 86400, 3600, 60, 1)


def generous_drafts(text: str) -> list[Draft]:
    """Further readings of a source; they overlap with those of the scanner, which stay."""
    drafts = [
        Draft(*m.span(), fixed=(Reading("identifier", key=f"{m[1]}{m[2]}".casefold()),)) for m in _SPACED.finditer(text)
    ]
    drafts += [Draft(*m.span(), fixed=_durations(m)) for m in _ISO_DURATION.finditer(text)]
    return drafts


def _durations(match: re.Match[str]) -> tuple[Reading, ...]:
    """The total, and each component by itself."""
    readings: list[Reading] = []
    total = Decimal(0)
    for text, factor in zip(match.groups()[:2], _MONTHS, strict=True):
        if text:
            readings.append(Reading("months", CONTEXT.multiply(Decimal(text), Decimal(factor)), Decimal(text)))
    for text, factor in zip(match.groups()[2:], _SECONDS, strict=True):
        if text:
            value = CONTEXT.multiply(Decimal(text), Decimal(factor))
            total = CONTEXT.add(total, value)
            readings.append(Reading("duration", value, Decimal(text)))
    if total:
        readings.append(Reading("duration", total, total))
    return tuple(readings)
