"""Scans folded text digit by digit: decides for each run whether it is a date, a time, an identifier or a number."""

from __future__ import annotations

import re
from decimal import Decimal

from adk_split_eval.metrics.numbers import dates
from adk_split_eval.metrics.numbers.digits import FRACTIONS, RUN, read_run
from adk_split_eval.metrics.numbers.draft import Draft
from adk_split_eval.metrics.numbers.han import NUMERAL_CLASS, parse_han
from adk_split_eval.metrics.numbers.reading import BARE, CONTEXT, LONGEST_VALUE, Reading, Unit, reading_of
from adk_split_eval.metrics.numbers.units import ORDINAL_ENDINGS, After, is_letter, unit_after, unit_before

_DIGIT = re.compile(r"[0-9]")
_ALNUM = r"[0-9A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u052f]"
_TOKEN = re.compile(rf"{_ALNUM}++(?:[-_]{_ALNUM}++|(?<=[0-9])\.[0-9]++){{0,120}}+")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"[0-9]+")
_DIMENSIONS = re.compile(r"(?:[xX][0-9.]+){1,3}")
_SECOND = re.compile(r"-[0-9]+(?:[.,][0-9]+)?")
_LOWER_TAIL = re.compile(r"(?:-[a-zß-ÿ]+)+")
_WORDY = re.compile(
    r"[a-zß-ÿ]{3,}[-_]?[0-9]+|[a-zß-ÿ]{2,}(?:[-_][a-zß-ÿ]+)*[-_][0-9]+"  # order128, top-10
    r"|[1-9][0-9]*(?:[-_][1-9][0-9]*)+"  # 1-2-3
    r"|(?:v[1-9][0-9]{0,2}|V[1-9][0-9]?|[vV]0)(?:\.[0-9]+)?"  # v2.1, v120, V2; V000 and V123 are order numbers
)
_VERSION_MARK = re.compile(r"[vV][0-9]+(?:\.[0-9]+)+")
_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_HAN_MIXED = re.compile(
    r"[0-9]++(?:,[0-9]{3}){0,13}+(?:\.[0-9]++)?[百佰千仟万萬亿億](?![克米瓦卡位])"
    rf"(?:[{NUMERAL_CLASS}]|[0-9]{{1,9}}(?:\.[0-9]{{1,9}})?(?=[百佰千仟万萬])|[0-9](?![0-9.,])){{0,40}}+"
)
_PHONE = re.compile(
    r"(?:\([0-9]{2,4}\)|[0-9]{1,4})(?:[ \-.] ?(?:\([0-9]{2,4}\)|[0-9]{2,4})){1,5}(?![0-9])|\([0-9]{2,4}\)[0-9]{5,8}(?![0-9])"
)
_AREA_CODE = re.compile(r"\([0-9]{2,4}\)")
_VERSION = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6}){2,5}(?![0-9])")
_MASK = re.compile(r"(?:\*{3,}|[•·●]{2,}|[xX]{3,}|#{3,})[ \-]?$")
_MASKED = re.compile(r"[0-9]{1,6}(?:\*{2,}|[•·●]{2,}|[xX]{3,})([0-9]{3,6})(?![0-9])")
_ENDING_IN = re.compile(
    r"(?:\b(?:ending|ends|end)(?:\sin|\swith)?|尾号|尾號|末尾|[后後末][四4]位)[\s:是为為*_`]{0,4}$", re.IGNORECASE
)
_TENTHS = re.compile(r"([0-9])[角毛](?:([0-9])分?)?")
_LOOSE_TENTH = re.compile(r"([0-9])(?![0-9]|[.,][0-9]|\s?[个個年月天件万千百号日次])")
_SCIENTIFIC = re.compile(r"[eE][+-]?[0-9]{1,2}(?![0-9A-Za-z_.])")
_CARD_OR_ORDER_DIGITS = 5
_LONGEST_LEFT = 200  # with the bound in _TOKEN: no identifier is looked at more than a few times


def scan(text: str) -> list[Draft]:
    """Everything with a digit in it, in order."""
    drafts: list[Draft] = []
    position = 0
    while (match := _DIGIT.search(text, position)) is not None:
        draft = _at(text, match.start(), position)
        drafts.append(draft)
        position = max(draft.end, match.start() + 1)
    return drafts


def _at(text: str, index: int, floor: int) -> Draft:
    left = _attached_from(text, index, floor)
    attached = text[left:index]
    if attached and not _opens_number(text, attached, left, index):
        return _masked(text, left, index) or _identifier(text, left)
    draft = _moment(text, index, floor, left) or _special(text, index, floor) or _number(text, index, floor)
    if attached.isalpha() and draft.before and draft.start == left:
        draft.fixed = (*draft.fixed, *_code(text, left, index))
    return draft


def _code(text: str, left: int, index: int) -> tuple[Reading, ...]:
    """kr123 and USD128 may also be identifiers that begin like a currency."""
    token = _TOKEN.match(text, left)
    if token is None or token.end() != index + len(_run(text, index)):
        return ()
    return (Reading("identifier", key=token.group().casefold()),)


def _attached_from(text: str, index: int, floor: int) -> int:
    """Where the token begins whose first digit is at ``index``."""
    start = index
    floor = max(floor, index - _LONGEST_LEFT)
    while start > floor:
        character = text[start - 1]
        joins = (
            character in "-_" and start - 1 > floor and (is_letter(text[start - 2]) or "0" <= text[start - 2] <= "9")
        )
        if not (joins or is_letter(character)):
            break
        start -= 1
    while start < index and text[start] in "-_":
        start += 1
    return start


def _opens_number(text: str, attached: str, left: int, index: int) -> bool:
    """Whether the letters before the digit are a currency or a month rather than part of an identifier."""
    if attached in ("x", "X") and text[left - 1 : left].isdigit():
        return True  # 30x20
    if len(attached) > 12:
        return False
    before = unit_before(text, index)
    if before is not None and before[1] == left:
        token = _TOKEN.match(text, left)
        rest = "" if token is None else re.sub(r"^[^0-9]*[0-9.]+", "", token.group())
        return not rest or unit_after(text, index + len(_run(text, index))) is not None or not any(map(is_letter, rest))
    return attached[-1] == "-" and attached[:-1].lower() in dates.MONTHS


def _run(text: str, index: int) -> str:
    match = RUN.match(text, index)
    return match.group() if match is not None else ""


def _moment(text: str, index: int, floor: int, left: int) -> Draft | None:
    found = dates.date_at(text, index, min(floor, left)) or dates.time_at(text, index)
    if found is None or _runs_on(text, index, found.end):
        return None
    parts = tuple(Draft(a, b, (Decimal(text[a:b]),)) for a, b in found.halves)
    readings = (*found.readings, *_quotient(parts)) if text[found.end - 1].isdigit() else found.readings
    return Draft(max(found.start, floor), found.end, fixed=readings, parts=parts)


def _quotient(parts: tuple[Draft, ...]) -> tuple[Reading, ...]:
    """3/4 may be the fraction that a source calls 0.75."""
    if len(parts) != 2 or not parts[1].values[0]:
        return ()
    return (reading_of(CONTEXT.divide(parts[0].values[0], parts[1].values[0]), BARE),)


def _runs_on(text: str, index: int, end: int) -> bool:
    """Whether a numeric date is only the head of an identifier such as 2024-11-30-007 or 20241130A."""
    if end >= len(text) or text[end - 1] == "T":
        return False
    if is_letter(text[end]) and text[end - 1].isdigit():
        return True
    hyphened = text[end] in "-_" and end + 1 < len(text) and (text[end + 1].isdigit() or is_letter(text[end + 1]))
    return hyphened and "-" in text[index:end]


def _special(text: str, index: int, floor: int) -> Draft | None:
    return (
        _masked_middle(text, index)
        or _phone(text, index, floor)
        or _version(text, index)
        or _han_mixed(text, index, floor)
    )


def _masked_middle(text: str, index: int) -> Draft | None:
    """138****5678: what is known of a longer number."""
    match = _MASKED.match(text, index)
    if match is None:
        return None
    return Draft(index, match.end(), fixed=(Reading("identifier", key=match.group().casefold()),), suffix=match[1])


def _phone(text: str, index: int, floor: int) -> Draft | None:
    start = index
    while start > floor and index - start < 2 and text[start - 1] in "(+":
        start -= 1
    opened = _PHONE.match(text, index - 1) if index > start and text[index - 1] == "(" else None
    match = opened or _PHONE.match(text, index)
    if opened is None and text[start] == "(":
        start += 1
    if match is None:
        return None
    pieces = _DIGITS.findall(match.group())
    count = sum(map(len, pieces))
    plus = "+" in text[start:index]
    if not 7 <= count <= 19 or not _phone_shape(match.group(), pieces, plus):
        return None
    if unit_after(text, match.end()) is not None or is_letter(text[match.end() : match.end() + 1] or " "):
        return None
    parts = tuple(Draft(m.start(), m.end(), (Decimal(m.group()),)) for m in _DIGITS.finditer(text, index, match.end()))
    run = _run(text, index)
    values = read_run(run).values if index + len(run) == match.end() else ()
    fixed = [Reading("digits", key=("+" if plus else "") + "".join(pieces))]
    if all(c in "0123456789-" for c in match.group()):
        fixed.append(Reading("identifier", key=match.group()))
    listed = not plus and all(p[0] != "0" for p in pieces)  # nobody lists 2024 and 007
    return Draft(start, match.end(), values, fixed=tuple(fixed), parts=parts if listed else ())


def _phone_shape(matched: str, pieces: list[str], plus: bool) -> bool:
    lengths = [len(p) for p in pieces]
    if plus or _AREA_CODE.match(matched):
        return True
    if len(pieces) == 2:
        if "." in matched:
            return False
        return lengths == [3, 4] or pieces[0][0] == "0" or ("-" not in matched and lengths == [4, 4])
    if "." in matched and lengths != [3, 3, 4]:
        return False
    return len(pieces) >= 3 and max(lengths[1:]) >= 3


def _version(text: str, index: int) -> Draft | None:
    match = _VERSION.match(text, index)
    if match is None or is_letter(text[match.end() : match.end() + 1] or " "):
        return None
    if read_run(_run(text, index)).values:  # 1.234.567 or 1.234.567,89
        return None
    return Draft(index, match.end(), fixed=(Reading("identifier", key=match.group()),))


def _han_mixed(text: str, index: int, floor: int) -> Draft | None:
    match = _HAN_MIXED.match(text, index)
    value = parse_han(match.group().replace(",", "")) if match is not None else None
    if match is None or value is None:
        return None
    return _with_units(text, index, match.end(), floor, (value,), ())


def _number(text: str, index: int, floor: int) -> Draft:
    run = _run(text, index)
    read = read_run(run)
    end = index + len(run)
    if not read.values and read.pieces:  # a list such as "1,22,3": the first number now, the others in turn
        end = index + read.pieces[0][1]
        run = text[index:end]
        read = read_run(run)
    values = read.values
    if not values:
        return Draft(index, end, fixed=(Reading("digits", key=run),))
    scientific = _SCIENTIFIC.match(text, end)
    if scientific is not None and _PLAIN.fullmatch(run):
        return Draft(index, scientific.end(), (Decimal(run + scientific.group()),))
    if end < len(text) and text[end] in FRACTIONS:
        values = tuple(CONTEXT.add(v, Decimal(FRACTIONS[text[end]])) for v in values)
        return _with_units(text, index, end + 1, floor, values, ())
    if _is_identifier(text, index, end):
        return _identifier(text, index)
    parts = tuple(Draft(index + a, index + b, read_run(run[a:b]).values) for a, b in read.pieces)
    draft = _with_units(text, index, end, floor, values, parts)
    return _announced(text, index, run, draft)


def _announced(text: str, index: int, run: str, draft: Draft) -> Draft:
    """Adds what long digit strings, compact dates and card endings may mean besides a value."""
    if run.isdigit() and not draft.units:
        draft.fixed = dates.compact_date(run)
        window = text[max(0, index - 18) : index]
        if 3 <= len(run) <= 6 and (_ENDING_IN.search(window) or _MASK.search(window)):
            draft.suffix = run
        if len(run) >= _CARD_OR_ORDER_DIGITS:
            plus = "+" if text[index - 1 : index] == "+" else ""
            draft.fixed = (*draft.fixed, Reading("digits", key=plus + run))
    return draft


def _is_identifier(text: str, index: int, end: int) -> bool:
    """Whether what is glued to the digits on the right makes an identifier of them."""
    if end >= len(text):
        return False
    token = _TOKEN.match(text, index)
    tail = text[end : token.end()] if token is not None else ""
    if not tail:
        return False
    if is_letter(tail[0]):
        letters = _LETTERS.match(tail)
        word = letters.group().lower() if letters is not None else ""
        alone = len(tail) == len(word) and (word in ORDINAL_ENDINGS or word == "x")
        return not alone and _DIMENSIONS.fullmatch(tail) is None and unit_after(text, end) is None
    if _DIGITS.fullmatch(tail[1:]):
        return tail[0] == "_" or (tail[0] == "-" and len(tail) > 2 and tail[1] == "0")
    if tail[0] == "-" and (_LOWER_TAIL.match(tail) is not None or unit_after(text, end) is not None):
        return False
    second = _SECOND.match(tail)  # "1-2-day" and "1-2days" are ranges
    return second is None or unit_after(text, end + second.end()) is None


def _identifier(text: str, left: int) -> Draft:
    match = _TOKEN.match(text, left)
    assert match is not None
    token = match.group()
    parts: tuple[Draft, ...] = ()
    if len(token) <= LONGEST_VALUE and _WORDY.fullmatch(token):
        found = re.finditer(r"[0-9]+(?:\.[0-9]+)?(?![0-9.])", token)
        parts = tuple(Draft(left + m.start(), left + m.end(), (Decimal(m.group()),)) for m in found)
    keys = [token.casefold(), *([token[1:]] if _VERSION_MARK.fullmatch(token) else [])]
    return Draft(left, match.end(), fixed=tuple(Reading("identifier", key=k) for k in keys), parts=parts)


def _masked(text: str, left: int, index: int) -> Draft | None:
    """xxxx1234, XXXX-1234: the end of a longer number."""
    if not _MASK.fullmatch(text[left:index]):
        return None
    run = _DIGITS.match(text, index)
    assert run is not None
    if not 3 <= len(run.group()) <= 6:
        return None
    token = Reading("identifier", key=text[left : run.end()].casefold())
    return Draft(left, run.end(), fixed=(token,), suffix=run.group())


def _with_units(
    text: str, index: int, end: int, floor: int, values: tuple[Decimal, ...], parts: tuple[Draft, ...]
) -> Draft:
    """The number with its sign, the currency before it and the units after it."""
    before = unit_before(text, index)
    if before is not None and before[1] < floor:
        before = None
    after = unit_after(text, end)
    start = index
    negative = _is_sign(text, index - 1, floor)
    start -= negative
    if negative and before is None:
        before = unit_before(text, start)
    if before is not None:
        start = before[1]
        if _is_sign(text, start - 1, floor):
            negative, start = True, start - 1
    if negative:
        values = tuple(CONTEXT.minus(v) for v in values)
    multiplier = 1
    units = before[0] if before is not None else ()
    if before is not None and after is not None and _opens_next(text, end, after):
        after = None
    if after is not None:
        end = after.end
        multiplier = after.multiplier
        values = _multiplied(values, after)
        units = _narrowed(units, after.units)
        if after.alternative and not after.units:
            multiplier = 1
    draft = Draft(start, end, values, units, before is not None, multiplier, parts=() if units else parts)
    return _with_tenths(text, draft)


def _opens_next(text: str, end: int, after: After) -> bool:
    """Whether a currency code after a number that has one already belongs to the next number ("USD 1 Rs 500")."""
    apart = text[end : end + 1].isspace() and bool(after.units) and after.units[0].kind == "money"
    return apart and text[after.end : after.end + 3].strip(" .:")[:1].isdigit()


def _is_sign(text: str, index: int, floor: int) -> bool:
    """A minus, not a range dash after the previous number, a hyphen in a word, a bullet or a double dash."""
    if index < floor or index < 0 or text[index] != "-":
        return False
    if index == 0:
        return True
    if floor and not text[floor:index].strip():
        return False
    return not (text[index - 1].isalnum() or text[index - 1] in "-)]_")


def _multiplied(values: tuple[Decimal, ...], after: After) -> tuple[Decimal, ...]:
    if after.multiplier == 1:
        return values
    scaled = tuple(CONTEXT.multiply(v, Decimal(after.multiplier)) for v in values)
    return (*scaled, *values) if after.alternative else scaled


def _narrowed(before: tuple[Unit, ...], after: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """Units of a number that has some on both sides ("US$128 USD", "¥128元"): the narrower currency."""
    if not before:
        return after
    money = [u for u in after if u.kind == "money"]
    if not money:
        return before
    return (min((*before, *money), key=lambda u: len(u.name)),)


def _with_tenths(text: str, draft: Draft) -> Draft:
    """3元5角, 49块5."""
    if not draft.units or draft.units[0].kind != "money" or text[draft.end - 1] not in "元块塊圆":
        return draft
    match = _TENTHS.match(text, draft.end)
    if match is None and text[draft.end - 1] in "块塊":
        match = _LOOSE_TENTH.match(text, draft.end)
    if match is None:
        return draft
    hundredths = match[2] if match.re is _TENTHS and match[2] else ""
    draft.values = tuple(CONTEXT.add(v, Decimal(f"0.{match[1]}{hundredths}")) for v in draft.values)
    draft.end = match.end()
    draft.parts = ()
    return draft
