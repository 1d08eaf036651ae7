"""Numbers without digits: Chinese numerals and, in sources only, number words of four languages."""

from __future__ import annotations

import re
from decimal import Decimal

from adk_split_eval.metrics.numbers.draft import Draft
from adk_split_eval.metrics.numbers.han import DIGIT_CLASS, NUMERAL_CLASS, parse_han
from adk_split_eval.metrics.numbers.reading import CONTEXT
from adk_split_eval.metrics.numbers.units import AFTER, VAGUE, unit_after

_NUMERAL = re.compile(rf"[{NUMERAL_CLASS}]+(?:点[{DIGIT_CLASS}]{{1,12}})?")
_NO_MONEY = re.compile(r"元(?:[旦宵素老首帅件器组化论方]|[一二三]?次)|块儿")
_TENTH = re.compile(r"[块塊]([一二三四五六七八九])(?![个個年月天件万千百十])")
_TENTHS = re.compile(r"([一二两三四五六七八九])[角毛](?:([一二三四五六七八九])分)?")

_UNITS_EN = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS_EN = "twenty thirty forty fifty sixty seventy eighty ninety"
_OTHERS = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
)
_TENS = {w: n * 10 for n, w in enumerate(_TENS_EN.split(), 2)}
_SMALL: dict[str, int] = {w: n for words in _OTHERS for n, w in enumerate(words.split())}
_SMALL.update({w: n for n, w in enumerate(_UNITS_EN.split())})
_WORD = re.compile(
    r"\b(?:("
    + "|".join(_TENS)
    + r")(?:[- ]("
    + "|".join(_UNITS_EN.split()[1:10])
    + r"))?|("
    + "|".join(_SMALL)
    + r"))\b",
    re.IGNORECASE,
)


def word_drafts(text: str, *, source: bool) -> list[Draft]:
    """Drafts of numbers without digits, in order. Of a statement only Chinese numerals before money and percent."""
    drafts = [d for m in _NUMERAL.finditer(text) if (d := _han(text, m, source)) is not None]
    if source:
        drafts += [_english(text, m) for m in _WORD.finditer(text)]
    return drafts


def _han(text: str, match: re.Match[str], source: bool) -> Draft | None:
    start, end = match.span()
    if start and (text[start - 1].isascii() and text[start - 1].isdigit()):
        return None
    numeral = match.group()
    percent = text[max(0, start - 3) : start] == "百分之"
    if percent:
        value = Decimal(100) if numeral == "百" else parse_han(numeral)
        return Draft(start - 3, end, (value,), AFTER["%"], before=True) if value is not None else None
    value = parse_han(numeral)
    if value is None or text[end : end + 1] in tuple(VAGUE):
        return None
    after = unit_after(text, end)
    if after is None:
        return Draft(start, end, (value,)) if source else None
    if source or after.units[0].kind == "percent":
        return _tenths(text, Draft(start, after.end, (value,), after.units))
    return _money(text, Draft(start, after.end, (value,), after.units), end) if after.units[0].kind == "money" else None


def _money(text: str, draft: Draft, numeral_end: int) -> Draft | None:
    """Not every 元 and 块 is money: 三元素, 一块儿, 三块蛋糕."""
    unit = text[numeral_end : draft.end]
    if _NO_MONEY.match(text, numeral_end):
        return None
    with_tenths = _tenths(text, draft)
    if unit in ("块", "塊", "刀") and with_tenths is draft and numeral_end - draft.start < 2:
        return None
    return with_tenths


def _tenths(text: str, draft: Draft) -> Draft:
    loose = _TENTH.match(text, draft.end - 1)
    exact = _TENTHS.match(text, draft.end) if text[draft.end - 1] in "元块塊圆" else None
    match = exact or loose
    if match is None:
        return draft
    hundredths = parse_han(match[2]) if exact is not None and match[2] else None
    extra = Decimal(f"0.{parse_han(match[1])}{hundredths or ''}")
    values = tuple(CONTEXT.add(v, extra) for v in draft.values)
    return Draft(draft.start, match.end(), values, draft.units)


def _english(text: str, match: re.Match[str]) -> Draft:
    if match[1]:
        value = _TENS[match[1].lower()] + (_SMALL[match[2].lower()] if match[2] else 0)
    else:
        value = _SMALL[match[3].lower()]
    after = unit_after(text, match.end())
    if after is None or after.multiplier != 1:
        scaled = (Decimal(value * after.multiplier),) if after is not None else ()
        return Draft(match.start(), match.end(), scaled or (Decimal(value),), after.units if after is not None else ())
    return Draft(match.start(), after.end, (Decimal(value),), after.units)
