"""What a stated number can mean: readings (a value in a unit) and the mention in a text that carries them.

A mention may have several readings ("1,280" is 1280 to some readers and 1.28 to others, "5 pounds" is money or weight).
It is grounded when any reading has a source, so ambiguity never raises an alarm by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Literal

Kind = Literal[
    "bare", "money", "percent", "duration", "months", "measure", "count", "date", "time", "identifier", "digits"
]

CONTEXT = Context(prec=60)
"""Exact for every number extracted here: longer ones than 40 digits are identifiers, not values."""

LONGEST_VALUE = 40

Date = tuple[int | None, int | None, int | None]
"""Year, month, day; None where the text does not say."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What stands beside a number.

    Attributes:
        kind: units of different kinds are never compared.
        factor: canonical value = stated value x factor (seconds, months, percent, main currency unit, base measure).
        name: currency codes joined by "|" (an ambiguous sign lists all), or the dimension of a measure.
    """

    kind: Kind
    factor: Decimal = Decimal(1)
    name: str = ""


BARE = Unit("bare")


@dataclass(frozen=True, slots=True)
class Reading:
    """One meaning of a mention.

    Attributes:
        kind: see :class:`Unit`; ``digits`` is a phone-like run compared by its digits alone.
        value: the value in canonical units; None for dates, times and identifiers.
        stated: the number as written, multipliers applied: what a source without any unit must state.
        unit: as ``Unit.name``.
        key: identifier (case-folded), digits, seconds of the day as text.
        date: for dates.
    """

    kind: Kind
    value: Decimal | None = None
    stated: Decimal | None = None
    unit: str = ""
    key: str = ""
    date: Date | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A number, date, time or identifier in a text.

    Attributes:
        start, end: half-open span in the original text, unit included.
        text: the text there, verbatim.
        readings: alternatives; any one grounded is enough.
        parts: if not empty, all of these grounded is enough too ("555-1234" as a range, "11/30" as two numbers).
        suffix: the digits are announced as the end of a longer number ("ending in 1234").
    """

    start: int
    end: int
    text: str
    readings: tuple[Reading, ...]
    parts: tuple[Mention, ...] = ()
    suffix: str = ""


def reading_of(value: Decimal, unit: Unit) -> Reading:
    """The reading of ``value`` written beside ``unit``."""
    return Reading(unit.kind, CONTEXT.multiply(value, unit.factor), value, unit.name)
