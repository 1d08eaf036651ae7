"""Chinese numerals, alone or mixed with digits: 一百二十八, 两万五, 3万5千, 三点五, 壹佰元's 壹佰.

Vague amounts (三四百, 几千, a lone 千) have no value: they state no number that could be checked.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from adk_split_eval.metrics.numbers.reading import CONTEXT, LONGEST_VALUE

_DIGITS = {
    c: n
    for n, cs in enumerate(("零〇", "一壹", "二两兩贰貳", "三叁叄參", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖"))
    for c in cs
}
_SMALL = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_LARGE = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}

DIGIT_CLASS = "".join(_DIGITS)
NUMERAL_CLASS = "".join((*_DIGITS, *_SMALL, *_LARGE))
_ATOM = re.compile(rf"[0-9]+(?:\.[0-9]+)?|[{NUMERAL_CLASS}]")


def parse_han(text: str) -> Decimal | None:
    """The value of a numeral, or None when it is vague or no numeral at all."""
    if not 0 < len(text) <= LONGEST_VALUE:
        return None
    whole, point, fraction = text.partition("点")
    if point:
        if not fraction or any(c not in _DIGITS for c in fraction):
            return None
        integer = parse_han(whole)
        return None if integer is None else CONTEXT.add(integer, Decimal("0." + _as_digits(fraction)))
    if all(c in _DIGITS for c in text):
        return Decimal(_as_digits(text))
    try:
        return _composed(_ATOM.findall(text))
    except InvalidOperation:
        return None


def _as_digits(text: str) -> str:
    return "".join(str(_DIGITS[c]) for c in text)


def _composed(atoms: list[str]) -> Decimal | None:
    total = section = Decimal(0)
    pending: Decimal | None = None
    last_unit = 1
    zero = False
    for position, atom in enumerate(atoms):
        if atom in _SMALL:
            if pending is None and not (atom in "十拾" and (position == 0 or zero or last_unit > 10)):
                return None
            section = CONTEXT.add(
                section, CONTEXT.multiply(Decimal(1) if pending is None else pending, Decimal(_SMALL[atom]))
            )
            pending, last_unit, zero = None, _SMALL[atom], False
        elif atom in _LARGE:
            section = CONTEXT.add(section, pending or Decimal(0))
            if not section and not total:
                return None
            large = Decimal(_LARGE[atom])
            if total and atom in "万萬":  # 一亿二千万: this 万 multiplies its own section only
                total = CONTEXT.add(total, CONTEXT.multiply(section, large))
            else:
                total = CONTEXT.multiply(CONTEXT.add(total, section), large)
            section, pending, last_unit, zero = Decimal(0), None, _LARGE[atom], False
        elif atom in "零〇":
            zero = True
        elif pending is not None:
            return None
        else:
            pending = Decimal(_DIGITS[atom]) if atom in _DIGITS else Decimal(atom)
    if pending is not None and last_unit >= 100 and not zero and len(atoms[-1]) == 1:
        pending = CONTEXT.multiply(pending, Decimal(last_unit // 10))  # 两百五 is 250
    return CONTEXT.add(CONTEXT.add(total, section), pending or Decimal(0))
