"""A mention in the making: positions in the folded text, values and units still apart until ranges are linked."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from adk_split_eval.metrics.numbers.fold import Folded
from adk_split_eval.metrics.numbers.reading import BARE, Mention, Reading, Unit, reading_of


@dataclass(slots=True)
class Draft:
    """What the scanner found.

    Attributes:
        start, end: span with sign and units.
        values: alternatives; each is read in each of ``units`` (bare when there is none).
        before: the units came from a sign or code before the number.
        multiplier: what a multiplier word after the number already did to ``values``.
        fixed: dates, times, identifiers: readings without unit.
        parts: several numbers this may be instead.
        suffix: digits announced as the end of a longer number.
    """

    start: int
    end: int
    values: tuple[Decimal, ...] = ()
    units: tuple[Unit, ...] = ()
    before: bool = False
    multiplier: int = 1
    fixed: tuple[Reading, ...] = ()
    parts: tuple[Draft, ...] = ()
    suffix: str = ""

    @property
    def plain(self) -> bool:
        """A number and nothing else: no unit, no date, no identifier."""
        return bool(self.values) and not self.units and not self.fixed

    def mention(self, folded: Folded) -> Mention:
        made = [reading_of(v, u) for v in self.values for u in (self.units or (BARE,))]
        start, end = folded.span(self.start, self.end)
        parts = tuple(p.mention(folded) for p in self.parts)
        return Mention(start, end, folded.original[start:end], (*made, *self.fixed), parts, self.suffix)
