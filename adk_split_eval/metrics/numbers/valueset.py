"""Numbers that have a source, asked by value: exact, by rounding and within a tolerance. Constant time an answer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from adk_split_eval.metrics.numbers.reading import CONTEXT

_MONEY_PLACES = 2
_FINEST_ROUNDING = 6


class ValueSet:
    """A set of decimals.

    Args:
        rounding: a source also grounds itself rounded to any number of places; without it only to two, and only when
            it has more than two (floating-point noise, prices per unit).
        tolerance: values whose ratio is at most ``1 + tolerance`` are the same.
    """

    __slots__ = ("_buckets", "_places", "_values", "_width")

    def __init__(self, *, rounding: bool = False, tolerance: float = 0.0) -> None:
        self._values: set[Decimal] = set()
        self._places = range(_FINEST_ROUNDING, -1, -1) if rounding else (_MONEY_PLACES,)
        self._width = math.log1p(tolerance) if tolerance > 0 else 0.0
        self._buckets: dict[int, tuple[float, float]] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Decimal]:
        return iter(self._values)

    def add(self, value: Decimal) -> None:
        if value in self._values:
            return
        self._values.add(value)
        exponent = value.as_tuple().exponent
        if isinstance(exponent, int) and exponent < 0 and value.adjusted() < 40:
            for places in self._places:
                if -exponent > places:
                    step = Decimal(1).scaleb(-places)
                    self._values.add(value.quantize(step, ROUND_HALF_UP, CONTEXT))
                    self._values.add(value.quantize(step, ROUND_HALF_EVEN, CONTEXT))
        if self._width and value:
            position = _logarithm(value)
            bucket = math.floor(position / self._width)
            low, high = self._buckets.get(bucket, (position, position))
            self._buckets[bucket] = (min(low, position), max(high, position))

    def has(self, value: Decimal, *, sign_counts: bool = False) -> bool:
        """Whether ``value`` has a source. A stated positive number may have a negative source (a refund of -128),
        never the other way round unless the caller asks with the sign removed."""
        if value in self._values or (value > 0 and not sign_counts and CONTEXT.minus(value) in self._values):
            return True
        if not self._width or not value:
            return False
        position = _logarithm(value)
        bucket = math.floor(position / self._width)
        if bucket in self._buckets:
            return True
        above, below = self._buckets.get(bucket + 1), self._buckets.get(bucket - 1)
        reach = self._width * (1 + 1e-9)
        return (above is not None and above[0] - position <= reach) or (
            below is not None and position - below[1] <= reach
        )


def _logarithm(value: Decimal) -> float:
    """Natural logarithm of the size, without overflow for exponents that no float holds."""
    exponent = value.adjusted()
    return math.log(abs(float(value.scaleb(-exponent, CONTEXT)))) + exponent * math.log(10)
