"""Walks tool results: what each scalar says, helped by its key ("refund_percent": 30) and a currency beside it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from adk_split_eval.metrics.numbers.dates import compact_date
from adk_split_eval.metrics.numbers.reading import BARE, CONTEXT, LONGEST_VALUE, Reading, Unit, reading_of
from adk_split_eval.metrics.numbers.units import AFTER, CODES, words_of

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s_\-.]+")
_PLAIN_NUMBER = re.compile(r"\s*-?[0-9]{1,40}(?:\.[0-9]{1,40})?\s*")
_DIGIT_BITS = 132  # 40 decimal digits
_PRINTABLE_BITS = 14000  # below the interpreter's limit for int -> str
_HINTS: dict[str, tuple[Unit, ...]] = {
    **dict.fromkeys(("percent", "pct", "percentage"), AFTER["%"]),
    **{w: AFTER[w] for w in ("seconds", "secs", "minutes", "mins", "hours", "hrs", "days", "weeks", "months", "years")},
}
_MINOR = frozenset({"cents", "cent", "minor", "pence"})
_AMOUNTS = words_of(
    "amount amounts price total subtotal fee fees cost costs balance tax refund refunded payout value paid due charge "
    "charged discount shipping deposit fare salary limit"
)
_CURRENCY_KEYS = frozenset({"currency", "currencycode", "ccy", "currencyiso"})


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a tool result with everything it can ground."""

    readings: tuple[Reading, ...]


def walk(result: Any) -> Iterator[str | int | Number]:
    """Yields texts, lengths of lists (int) and numbers, whatever the nesting; NaN, infinities, booleans are nothing."""
    stack: list[tuple[Any, str, str]] = [(result, "", "")]
    while stack:
        value, key, currency = stack.pop()
        if isinstance(value, str):
            parsed = _as_json(value)
            if parsed is not None:
                stack.append((parsed, key, currency))
            elif _PLAIN_NUMBER.fullmatch(value) and _meaning(key, currency) is not None:
                yield from _number(Decimal(value.strip()), key, currency)
            else:
                yield value
        elif isinstance(value, Mapping):
            stack.extend(_members(cast("Mapping[Any, Any]", value)))
            yield from (k for k in cast("Mapping[Any, Any]", value) if isinstance(k, str) and any(map(str.isdigit, k)))
        elif isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes | bytearray):
            items = list(cast("Sequence[Any]", value))
            yield len(items)
            stack.extend((item, key, currency) for item in items)
        elif value is not None and not isinstance(value, bool):
            yield from _scalar(value, key, currency)


def _members(mapping: Mapping[Any, Any]) -> list[tuple[Any, str, str]]:
    currency = ""
    for key, value in mapping.items():
        if isinstance(value, str) and "".join(_words(str(key))) in _CURRENCY_KEYS:
            code = value.strip().upper()
            currency = "CNY" if code == "RMB" else code if code in CODES else ""
    return [(value, str(key), currency) for key, value in mapping.items()]


def _scalar(value: Any, key: str, currency: str) -> Iterator[str | Number]:
    if isinstance(value, int):
        if value.bit_length() <= _DIGIT_BITS:
            yield from _number(Decimal(value), key, currency)
        elif value.bit_length() <= _PRINTABLE_BITS:
            yield str(value)
    elif isinstance(value, float):
        if math.isfinite(value):
            yield from _number(Decimal(repr(value)), key, currency)
            # 0.1 + 0.2 is shown as 0.3: what is left of twelve digits is the same number to everybody.
            yield from _number(Decimal(repr(float(f"{value:.12g}"))), key, currency)
    elif isinstance(value, Decimal):
        if value.is_finite():
            yield str(value)
    elif not isinstance(value, bytes | bytearray):
        yield str(value)


def _number(value: Decimal, key: str, currency: str) -> Iterator[Number]:
    meaning = _meaning(key, currency)
    readings = [reading_of(value, unit) for unit in meaning or (BARE,)]
    if meaning is not None and meaning[0].kind == "percent" and abs(value) <= 1:
        readings.append(reading_of(CONTEXT.multiply(value, Decimal(100)), meaning[0]))
    if _words(key)[-1:] and _words(key)[-1] in _MINOR:
        readings.append(reading_of(CONTEXT.divide(value, Decimal(100)), BARE))
    if value == value.to_integral_value() and 5 <= value.adjusted() + 1 <= LONGEST_VALUE:
        digits = f"{abs(value):f}".split(".")[0]
        readings += [Reading("digits", key=digits), *compact_date(digits)]
    yield Number(tuple(readings))


def _meaning(key: str, currency: str) -> tuple[Unit, ...] | None:
    """The unit that key and currency give a number, or None."""
    words = _words(key)
    if not words:
        return None
    if words[-1] in _HINTS:
        return _HINTS[words[-1]]
    if currency and not _AMOUNTS.isdisjoint(words):
        factor = Decimal("0.01") if words[-1] in _MINOR else Decimal(1)
        return (Unit("money", factor, currency),)
    return None


def _words(key: str) -> list[str]:
    return [w.lower() for w in _CAMEL.split(key[:80]) if w]


def _as_json(text: str) -> Any:
    """The object or list that a string holds as JSON, else None."""
    if text[:1] not in ("{", "[") or text[-1:] not in ("}", "]"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
