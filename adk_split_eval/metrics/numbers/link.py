"""What neighbouring numbers lend each other: "1-3 days" is two durations, "$10-20" two amounts, "1 h 30 min" one."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from adk_split_eval.metrics.numbers.draft import Draft
from adk_split_eval.metrics.numbers.reading import BARE, CONTEXT, Reading, Unit

_RANGE = re.compile(r"\s{0,2}(?:-|–|—|~|至|到|to|bis|à|-to-|x|×)\s{0,2}", re.IGNORECASE)
_LIST = re.compile(r"\s{1,2}(?:and|or|und|oder|et|ou|y|o)\s{1,2}|或|和", re.IGNORECASE)
_TOGETHER = re.compile(r"\s{0,2}(?:,|and|und|et|y|零)?\s{0,2}", re.IGNORECASE)
_LONGEST_GAP = 8
_HOUR = Decimal(3600)
_MINUTES = Unit("duration", Decimal(60))


def link(text: str, drafts: list[Draft]) -> list[Draft]:
    """Drafts with units lent across ranges and compound durations merged; ``drafts`` in order of start."""
    for left, right in reversed(list(pairwise(drafts))):  # from the right: in 30 x 20 x 10 cm the last lends to all
        gap = text[left.end : right.start]
        if len(gap) > _LONGEST_GAP:
            continue
        if _RANGE.fullmatch(gap):
            _lend(left, right)
        elif _LIST.fullmatch(gap) and left.plain and right.units and not right.before:
            left.units = (*right.units, BARE)
    return _merged(text, drafts)


def _lend(left: Draft, right: Draft) -> None:
    if left.plain and right.values and not right.before and (right.units or right.multiplier != 1):
        if right.multiplier != 1 and left.multiplier == 1:
            scaled = tuple(CONTEXT.multiply(v, Decimal(right.multiplier)) for v in left.values)
            left.values = (*scaled, *left.values)
        left.units = right.units
    elif right.plain and left.before:
        right.units = left.units
    elif left.plain and right.fixed:
        left.fixed = _like(left, right)
    elif right.plain and left.fixed:
        right.fixed = _like(right, left)


def _like(plain: Draft, moment: Draft) -> tuple[Reading, ...]:
    """The plain number as another day of the month, or another full hour, of the moment beside it."""
    readings: list[Reading] = []
    for value in plain.values:
        if value != value.to_integral_value() or not 0 <= value <= 31:
            continue
        for reading in moment.fixed:
            if reading.date is not None and reading.date[2] is not None:
                readings.append(replace(reading, date=(*reading.date[:2], int(value))))
            elif reading.kind == "time" and value <= 24:
                hour = _same_half(int(value), int(reading.key), before=plain.start < moment.start)
                readings.append(replace(reading, key=str(hour % 24 * 3600)))
    return tuple(dict.fromkeys(readings))


def _same_half(hour: int, seconds: int, *, before: bool) -> int:
    """The hour beside a time of day as a range means it: 2 in "2-4 pm" is 14, 11 in "11-1 pm" is 11, 5 in "9 am-5" 17."""
    if hour > 12:
        return hour
    later = (hour + 12) * 3600 <= seconds if before else hour * 3600 < seconds
    return hour + 12 if later else hour


def _merged(text: str, drafts: list[Draft]) -> list[Draft]:
    merged: list[Draft] = []
    for draft in drafts:
        last = merged[-1] if merged else None
        if last is not None:
            _as_minutes(text, last, draft)
        if last is not None and _compound(text, last, draft):
            total = CONTEXT.add(_seconds(last), _seconds(draft))
            reading = Reading("duration", value=total, stated=total)
            merged[-1] = Draft(last.start, draft.end, fixed=(reading,), parts=(*(last.parts or (last,)), draft))
        else:
            merged.append(draft)
    return merged


def _compound(text: str, left: Draft, right: Draft) -> bool:
    if not _is_duration(right) or right.fixed or right.start - left.end > _LONGEST_GAP:
        return False
    smallest = left.parts[-1] if left.parts and left.fixed else left
    if not _is_duration(smallest) or smallest.units[0].factor <= right.units[0].factor:
        return False
    return _TOGETHER.fullmatch(text[left.end : right.start]) is not None


def _is_duration(draft: Draft) -> bool:
    return len(draft.values) == 1 and len(draft.units) == 1 and draft.units[0].kind == "duration"


def _seconds(draft: Draft) -> Decimal:
    if draft.fixed and draft.fixed[0].value is not None:
        return draft.fixed[0].value
    return CONTEXT.multiply(draft.values[0], draft.units[0].factor)


def _as_minutes(text: str, left: Draft, right: Draft) -> None:
    """The m of "11h 45m" is no million and no metre."""
    short = text[right.end - 1] in "mM" and text[right.end - 2].isdigit() and len(right.values) == 2 and not right.units
    if short and _is_duration(left) and left.units[0].factor == _HOUR and right.start - left.end <= 2:
        right.values, right.units, right.multiplier = right.values[1:], (_MINUTES,), 1
