"""Dates and times of day, as numerals or with month names, and their readings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from adk_split_eval.metrics.numbers.reading import Date, Reading

_MONTH_NAMES = (
    "jan january januar janvier janv enero janeiro gennaio januari",
    "feb february februar février fevrier févr febrero fevereiro febbraio februari",
    "mar march märz mär mars marzo março maart",
    "apr april avril avr abril aprile",
    "may mai mayo maio maggio mei",
    "jun june juni juin junio junho giugno",
    "jul july juli juillet juil julio julho luglio",
    "aug august août aout agosto augustus",
    "sep sept september septembre septiembre setembro settembre",
    "oct october oktober okt octobre octubre outubro ottobre",
    "nov november novembre noviembre novembro",
    "dec december dezember dez décembre decembre déc diciembre dezembro dicembre",
)
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
_VERBS = frozenset({"may", "march", "mar", "mars", "mai"})
_TIME_FOLLOWS = r"(?:T(?=[0-9]{2}:[0-9]{2}))?"

_ISO = re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})(?![0-9])" + _TIME_FOLLOWS)
_YEAR_LAST = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})(?![0-9]|[-/.][0-9])")
_HAN = re.compile(
    r"(?:([0-9]{4}|[0-9]{2})\s?[年년]\s?)?([0-9]{1,2})\s?[月월](?:\s?([0-9]{1,2})\s?[日号號일])?(?![份间])"
)
_HAN_MONTH_WORD = re.compile(r"(?:([0-9]{4})\s?年\s?)?([0-9]{1,2})月份")
_HAN_YEAR = re.compile(r"((?:19|20)[0-9]{2})\s?[年년]")
_DAY_FIRST = re.compile(
    r"([0-9]{1,2})(?:st|nd|rd|th|er|\.|º)?[\s\-]{1,2}(?:of\s|de\s)?([^\W\d_]{3,10})\.?(?:,?[\s\-](?:de\s)?([0-9]{4}))?(?![0-9])"
)
_MONTH_BEFORE = re.compile(r"(?<![^\W_])([^\W\d_]{3,10})(?:\.?\s{1,2}|\.|-)(?:the\s)?$")
_AFTER_MONTH = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)?(?![0-9:]|[.,][0-9])(?:(?:,?\s|-)([0-9]{4})(?![0-9]))?")
_YEAR_AFTER_MONTH = re.compile(r"((?:19|20)[0-9]{2})(?![0-9]|[.,][0-9])")
_SLASHED = re.compile(r"([0-9]{1,2})/([0-9]{1,2})(?![0-9/])")
_DAY = re.compile(r"([0-9]{1,2})\s?[日号號](?!线|楼|门|店|仓|机|库|内|元)")

_CLOCK = re.compile(
    r"([0-9]{1,2})[:h]([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]+)?(?:\s?[+-][0-9]{2}:?[0-9]{2}|Z\b)?|Z\b)?(?![0-9]|:[0-9])"
    r"(?:\s?(?P<half>[ap])\.?\s?m\b\.?)?",
    re.IGNORECASE,
)
_HOUR = re.compile(r"([0-9]{1,2})\s?(?:(?P<half>[ap])\.?m\b\.?|uhr\b|o'clock\b)", re.IGNORECASE)
_HAN_CLOCK = re.compile(r"([0-9]{1,2})\s?[点點时時시](?:\s?(?:([0-9]{1,2})\s?[分분]?|(半)|整|钟))?")
_HAN_HALF = re.compile(r"(?:(上午|早上|凌晨|早晨|清晨|今早|明早|오전|午前)|(下午|晚上|傍晚|今晚|明晚|오후|午後))\s?$")


@dataclass(frozen=True, slots=True)
class Moment:
    """Readings found at a digit; ``start`` may lie left of it (month name first)."""

    start: int
    end: int
    readings: tuple[Reading, ...]
    halves: tuple[tuple[int, int], ...] = ()


def _valid(year: int | None, month: int | None, day: int | None) -> bool:
    in_year = year is None or 1000 <= year <= 2999
    return in_year and (month is None or 1 <= month <= 12) and (day is None or 1 <= day <= 31)


def date_reading(date: Date) -> Reading:
    return Reading("date", date=date)


def _year(text: str | None) -> int | None:
    if not text:
        return None
    return int(text) if len(text) == 4 else 2000 + int(text)


def _readings(*dates: Date) -> tuple[Reading, ...]:
    return tuple(date_reading(d) for d in dict.fromkeys(dates) if _valid(*d))


def compact_date(digits: str) -> tuple[Reading, ...]:
    """20261130 as a date, when it can be one."""
    if len(digits) != 8 or digits[:2] not in ("19", "20"):
        return ()
    return _readings((int(digits[:4]), int(digits[4:6]), int(digits[6:])))


def date_at(text: str, index: int, floor: int) -> Moment | None:
    """The date that a digit at ``index`` belongs to; a month name before it counts from ``floor`` on."""
    return _numeric(text, index) or _han(text, index) or _named(text, index, floor) or _short(text, index)


def _numeric(text: str, index: int) -> Moment | None:
    match = _ISO.match(text, index)
    if match is not None:
        found = _readings((int(match[1]), int(match[3]), int(match[4])))
        return Moment(index, match.end(), found) if found else None
    match = _YEAR_LAST.match(text, index)
    if match is None:
        return None
    first, second, year = int(match[1]), int(match[3]), _year(match[4])
    found = _readings((year, second, first), (year, first, second))
    return Moment(index, match.end(), found) if found else None


def _han(text: str, index: int) -> Moment | None:
    match = _HAN_MONTH_WORD.match(text, index) or _HAN.match(text, index)
    if match is not None:
        day = match[3] if match.re is _HAN else None
        found = _readings((_year(match[1]), int(match[2]), int(day) if day else None))
        if found:
            return Moment(index, match.end(), found)
    match = _HAN_YEAR.match(text, index)
    return Moment(index, match.end(), _readings((int(match[1]), None, None))) if match is not None else None


def _month(word: str) -> int | None:
    month = MONTHS.get(word.lower())
    return None if month is not None and word in _VERBS else month


def _named(text: str, index: int, floor: int) -> Moment | None:
    match = _DAY_FIRST.match(text, index)
    if match is not None:
        month = _month(match[2])
        found = _readings((_year(match[3]), month, int(match[1]))) if month else ()
        if found:
            return Moment(index, match.end(), found)
    start = max(floor, index - 16)
    before = _MONTH_BEFORE.search(text[start:index])
    month = _month(before[1]) if before is not None else None
    if before is None or month is None:
        return None
    match = _YEAR_AFTER_MONTH.match(text, index)
    if match is not None:
        return Moment(start + before.start(), match.end(), _readings((int(match[1]), month, None)))
    match = _AFTER_MONTH.match(text, index)
    found = _readings((_year(match[2]), month, int(match[1]))) if match is not None else ()
    return Moment(start + before.start(), match.end(), found) if match is not None and found else None


def _short(text: str, index: int) -> Moment | None:
    match = _SLASHED.match(text, index)
    if match is not None:
        first, second = int(match[1]), int(match[2])
        found = _readings((None, first, second), (None, second, first))
        return Moment(index, match.end(), found, (match.span(1), match.span(2))) if found else None
    match = _DAY.match(text, index)
    if match is not None:
        found = _readings((None, None, int(match[1])))
        return Moment(index, match.end(), found, (match.span(1),)) if found else None
    return None


def time_at(text: str, index: int) -> Moment | None:
    """The time of day that starts with the digit at ``index``."""
    match = _CLOCK.match(text, index)
    if match is not None:
        found = _times(int(match[1]), int(match[2]), int(match[3] or 0), match["half"])
        return Moment(index, match.end(), found) if found else None
    match = _HOUR.match(text, index)
    if match is not None:
        found = _times(int(match[1]), 0, 0, match["half"])
        return Moment(index, match.end(), found) if found else None
    match = _HAN_CLOCK.match(text, index)
    if match is None:
        return None
    marker = _HAN_HALF.search(text[max(0, index - 4) : index])
    half = None if marker is None else ("a" if marker[1] else "p")
    minute = 30 if match[3] else int(match[2] or 0)
    found = _times(int(match[1]), minute, 0, half)
    # "以下2点" counts points rather than hours, so the bare number stays a second way to be grounded.
    bare = (match.span(1),) if not (match[2] or match[3] or marker) else ()
    return Moment(index, match.end(), found, bare) if found else None


def _times(hour: int, minute: int, second: int, half: str | None) -> tuple[Reading, ...]:
    """Seconds of the day; without a. m. or p. m. an hour up to 12 is either."""
    if hour > 24 or minute > 59 or second > 59 or (half and not 1 <= hour <= 12):
        return ()
    if half:
        hours = [hour % 12 + (12 if half.lower() == "p" else 0)]
    else:
        hours = [hour % 24] if hour == 0 or hour > 12 else [hour % 24, (hour + 12) % 24]
    return tuple(Reading("time", key=str(h * 3600 + minute * 60 + second)) for h in hours)
