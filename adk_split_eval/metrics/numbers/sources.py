"""The index of everything that has been said or returned so far: grounds a mention in constant time."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from adk_split_eval.metrics.numbers.extract import extract
from adk_split_eval.metrics.numbers.reading import CONTEXT, LONGEST_VALUE, Date, Mention, Reading
from adk_split_eval.metrics.numbers.structured import Number, walk
from adk_split_eval.metrics.numbers.valueset import ValueSet

_DIGIT_RUN = re.compile(rf"(?<![0-9])[0-9]{{1,{LONGEST_VALUE}}}(?![0-9])")
_JOINTS = re.compile(r"[-_]")
_MOST_PIECES = 6
_SHORTEST_PHONE = 7
_HUNDRED = Decimal(100)
_SPREAD = 20


class Sources:
    """Values with a source. Grows as a conversation goes on; never forgets.

    Args:
        rounding, tolerance: as :class:`ValueSet`.
    """

    def __init__(self, *, rounding: bool = False, tolerance: float = 0.0) -> None:
        self._options = {"rounding": rounding, "tolerance": tolerance}
        self._bare = self._new()
        self._any = self._new()
        self._shares = ValueSet(rounding=True)  # 0.12349 shown as a percentage is always rounded
        self._money: dict[str, ValueSet] = {}
        self._of_unit: dict[str, ValueSet] = {}
        self._counts: set[Decimal] = set()
        self._identifiers: set[str] = set()
        self._identifier_digits: set[Decimal] = set()
        self._digits: set[str] = set()
        self._endings: set[str] = set()
        self._dates: set[Date] = set()
        self._times: set[str] = set()
        self._years: set[Decimal] = set()

    def _new(self) -> ValueSet:
        return ValueSet(rounding=bool(self._options["rounding"]), tolerance=self._options["tolerance"])

    def add_text(self, text: str) -> None:
        """Everything a free text states."""
        for mention in extract(text, source=True):
            self._add(mention)

    def add_result(self, result: Any) -> None:
        """Everything in a tool result or a state: nested values, keys, lengths of lists, JSON inside strings."""
        for item in walk(result):
            if isinstance(item, str):
                self.add_text(item)
            elif isinstance(item, int):
                self._counts.add(Decimal(item))
            else:
                self._add_number(item)

    def _add_number(self, number: Number) -> None:
        for reading in number.readings:
            self._add_reading(reading)

    def _add(self, mention: Mention) -> None:
        for reading in mention.readings:
            self._add_reading(reading)
        for part in mention.parts:
            self._add(part)
        if mention.suffix:
            self._endings.add(mention.suffix)

    def _add_reading(self, reading: Reading) -> None:
        if reading.value is not None and reading.stated is not None:
            self._add_value(reading, reading.value, reading.stated)
        elif reading.date is not None:
            self._add_date(reading.date)
        elif reading.kind == "time":
            self._times.add(reading.key)
            self._times.add(str(int(reading.key) // 60 * 60))
        elif reading.kind == "digits":
            self._add_digits(reading.key)
        elif reading.kind == "identifier":
            self._add_identifier(reading.key)

    def _add_value(self, reading: Reading, value: Decimal, stated: Decimal) -> None:
        self._any.add(stated)
        if reading.kind == "bare":
            self._bare.add(value)
            if abs(value) <= 1 or value != value.to_integral_value():
                self._shares.add(CONTEXT.multiply(value, _HUNDRED))
        elif reading.kind == "money":
            self._any.add(value)
            self._money.setdefault(reading.unit, self._new()).add(value)
        else:
            self._of_unit.setdefault(f"{reading.kind} {reading.unit}", self._new()).add(value)

    def _add_date(self, date: Date) -> None:
        year, month, day = date
        self._dates.update(
            {date, (None, month, day), (year, month, None), (year, None, None), (None, month, None), (None, None, day)}
        )
        if year is not None:
            self._years.add(Decimal(year))
        else:
            self._dates.add((-1, month, day))  # the source names no year, so any stated year goes with it

    def _add_digits(self, key: str) -> None:
        digits = key.lstrip("+")
        self._digits.add(digits)
        if len(digits) >= _SHORTEST_PHONE:
            self._endings.update(digits[-n:] for n in (3, 4, 5, 6))
        if key[0] == "+":
            self._digits.update(_without_country(digits))

    def _add_identifier(self, key: str) -> None:
        self._identifiers.update((key, _JOINTS.sub("", key)))
        pieces = _JOINTS.split(key)
        if 1 < len(pieces) <= _MOST_PIECES:
            spans = [(a, b) for a in range(len(pieces)) for b in range(a + 1, len(pieces) + 1)]
            joined = key.replace("_", "-")
            whole = joined.split("-")
            self._identifiers.update("-".join(whole[a:b]) for a, b in spans)
        for match in _DIGIT_RUN.finditer(key):
            self._identifier_digits.add(Decimal(match.group()))
            if len(match.group()) >= _SHORTEST_PHONE:
                self._endings.update(match.group()[-n:] for n in (3, 4, 5, 6))

    def grounds(self, mention: Mention, own_lengths: frozenset[int] = frozenset()) -> bool:
        """Whether any reading of ``mention``, or all of its parts, have a source.

        ``own_lengths``: lengths of lists that the same text shows, which ground a count.
        """
        if mention.suffix and mention.suffix in self._endings:
            return True
        if any(self._grounds(r, own_lengths) for r in mention.readings):
            return True
        return bool(mention.parts) and all(self.grounds(p, own_lengths) for p in mention.parts)

    def _grounds(self, reading: Reading, own_lengths: frozenset[int]) -> bool:
        if reading.value is not None and reading.stated is not None:
            return self._grounds_value(reading, reading.value, reading.stated, own_lengths)
        if reading.date is not None:
            return reading.date in self._dates or (-1, *reading.date[1:]) in self._dates
        if reading.kind == "time":
            return reading.key in self._times
        if reading.kind == "digits":
            digits = reading.key.lstrip("+")
            return digits in self._digits or (
                reading.key[0] == "+" and not self._digits.isdisjoint(_without_country(digits))
            )
        return reading.key in self._identifiers or _JOINTS.sub("", reading.key) in self._identifiers

    def _grounds_value(self, reading: Reading, value: Decimal, stated: Decimal, own_lengths: frozenset[int]) -> bool:
        kind = reading.kind
        if kind == "bare":
            return (
                self._any.has(value)
                or value in self._counts
                or value in self._identifier_digits
                or value in self._years
                or _length(value) in own_lengths
            )
        strict = reading.unit.startswith("°")
        if self._bare.has(stated, sign_counts=strict):
            return True
        if kind == "money":
            size = abs(value)
            shared = [s for unit, s in self._money.items() if not _codes(unit).isdisjoint(_codes(reading.unit))]
            return self._bare.has(abs(stated)) or any(s.has(size) for s in shared)
        if kind == "percent" and self._shares.has(value):
            return True
        if kind == "count" and (value in self._counts or _length(value) in own_lengths):
            return True
        known = self._of_unit.get(f"{kind} {reading.unit}")
        return known is not None and known.has(value, sign_counts=strict)

    def states_elsewhere(self, mention: Mention) -> bool:
        """Whether the mere number occurs, if with another unit: the likely mix-up to tell a person about."""
        return any(r.stated is not None and self._any.has(abs(r.stated)) for r in mention.readings)

    def derives(self, mention: Mention, most: int = 1000) -> bool:
        """Whether an amount or bare number is the sum, difference or product of two known ones (or a known list total).

        Costs time in the number of known values; beyond ``most`` of them nothing is derived.
        """
        known = {abs(v) for s in (self._bare, *self._money.values()) for v in s}
        if len(known) > most:
            return False
        targets = [abs(r.stated) for r in mention.readings if r.stated is not None and r.kind in ("bare", "money")]
        factors = known | self._counts | {abs(v) for v in self._of_unit.get("count ", ())}
        return any(_derived(t, known, factors) for t in targets)


def _derived(target: Decimal, known: set[Decimal], factors: set[Decimal]) -> bool:
    for value in known:
        if abs(value.adjusted() - target.adjusted()) > _SPREAD:
            continue  # beyond the precision of the sum
        if CONTEXT.subtract(target, value) in known or CONTEXT.add(target, value) in known:
            return True
        if value:
            quotient = CONTEXT.divide(target, value)
            if quotient in factors and CONTEXT.multiply(quotient, value) == target:
                return True
    return False


def _codes(unit: str) -> frozenset[str]:
    return frozenset(unit.split("|"))


def _length(value: Decimal) -> int:
    return int(value) if value.adjusted() < 9 and value == value.to_integral_value() else -1


def _without_country(digits: str) -> list[str]:
    return [digits[n:] for n in (1, 2, 3) if len(digits) - n >= _SHORTEST_PHONE]
