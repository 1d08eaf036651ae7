"""Properties against an oracle that builds both sides from known values: formats x languages x units.

The oracle formats values (never parses), so it shares nothing with what it checks.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from adk_split_eval.metrics.grounded_numbers import judge
from adk_split_eval.record import Call, Conversation, Judgement, Turn

FRAMES = [
    "Your result is {} as requested.", "{}", "We have arranged {}, thank you!", "已为您处理：{}。", "您好，{}，请查收。", "（{}）",
    "Der Wert beträgt {}, danke.", "Le résultat est {} au total.", "El valor es {} ahora.", "結果は {} です。", "결과는 {} 입니다.",
    "النتيجة {} شكرا", "**{}**", "| total | {} |", "- {}", "\u202b{}\u202c", "Сумма: {}",
]  # fmt: skip


def judged(response: str, tool: Any = None, user: str = "hi") -> Judgement:
    turn = Turn(user, [Call("t", {}, tool, answered=True)], response=response)
    return judge(Conversation([turn]), {}, 1.0)


def grouped(digits: str, separator: str) -> str:
    head = len(digits) % 3
    groups = ([digits[:head]] if head else []) + [digits[i : i + 3] for i in range(head, len(digits), 3)]
    return separator.join(groups)


def notations(value: Decimal) -> list[str]:
    """``value`` (two places at most) as people write it."""
    whole, _, cents = f"{value:.2f}".partition(".")
    plain = [whole] if cents == "00" else []
    return [
        *plain, f"{whole}.{cents}", f"{whole},{cents}", f"{grouped(whole, ',')}.{cents}", f"{grouped(whole, '.')},{cents}",
        f"{grouped(whole, chr(0x202F))},{cents}", f"{grouped(whole, chr(0xA0))},{cents}", f"{grouped(whole, chr(39))}.{cents}",
        *([grouped(whole, ",")] if cents == "00" else []),
    ]  # fmt: skip


DIGIT_SETS = ["0123456789", "０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "০১২৩৪৫৬৭৮৯", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗"]


def in_script(text: str, digits: str) -> str:
    return text.translate({ord(str(n)): d for n, d in enumerate(digits)})


def han(number: int) -> str:
    """The oracle's own Chinese numeral for 1…99,999,999."""
    if number >= 10000:
        rest = number % 10000
        return han(number // 10000) + "万" + (("零" if rest < 1000 else "") + han(rest) if rest else "")
    text, zero = "", False
    for power, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // power % 10
        if digit:
            text += ("零" if zero and text else "") + "零一二三四五六七八九"[digit] + sign
        zero = digit == 0
    return text


MONEY: dict[str, list[str]] = {
    "CNY": ["{}元", "¥{}", "{} 元", "人民币{}元", "RMB {}", "{} CNY", "￥{}", "CNY{}"],
    "USD": ["${}", "{} USD", "US${}", "USD {}", "{} dollars", "{}美元"],
    "EUR": ["{} €", "€{}", "{} EUR", "EUR {}", "{} euros", "{}欧元"],
}
PERCENT = ["{}%", "{} %", "{}％", "{} percent", "百分之{}", "{} Prozent", "{}٪"]
DURATION: dict[int, list[str]] = {
    60: ["{} minutes", "{}分钟", "{} min", "{} Minuten"],
    3600: ["{} hours", "{}小时", "{}个小时", "{} Stunden", "{} heures"],
    86400: ["{} days", "{}天", "{}个工作日", "{} business days", "{} Tage", "{} jours", "{}-day"],
    604800: ["{} weeks", "{}周", "{} Wochen"],
}

values = st.decimals(min_value=Decimal("1"), max_value=Decimal("9999999.99"), places=2)
integers = st.integers(min_value=1, max_value=9_999_999).map(Decimal)
amounts = st.one_of(values, integers)


def significant(value: Decimal) -> tuple[int, ...]:
    """Digits without place value: readings of one notation never differ in them."""
    return value.normalize().as_tuple().digits


@st.composite
def money_text(draw: st.DrawFn, value: Decimal, currency: str) -> str:
    if value == value.to_integral_value() and currency == "CNY" and draw(st.booleans()):
        whole = int(value)
        choices = [han(whole) + "元", han(whole) + "元整"]
        if whole % 100 == 0 and whole >= 10000:
            choices.append(f"{Decimal(whole) / 10000}万元")
        return draw(st.sampled_from(choices))
    number = in_script(draw(st.sampled_from(notations(value))), draw(st.sampled_from(DIGIT_SETS)))
    return draw(st.sampled_from(MONEY[currency])).format(number)


@st.composite
def money_source(draw: st.DrawFn, value: Decimal, currency: str) -> tuple[Any, str]:
    """A tool result and a user's words, one of which states the value."""
    text = draw(money_text(value, currency))
    json_number: Any = int(value) if value == value.to_integral_value() else float(value)
    forms: list[tuple[Any, str]] = [
        ({"amount": json_number}, "hi"), ({"data": [{"amount": str(value)}]}, "hi"), ({"note": draw(st.sampled_from(FRAMES)).format(text)}, "hi"),
        ({"amount": json_number, "currency": currency}, "hi"), ({}, draw(st.sampled_from(FRAMES)).format(text)), (f'{{"v": {value}}}', "hi"),
    ]  # fmt: skip
    return draw(st.sampled_from(forms))


@settings(max_examples=400, deadline=None)
@given(st.data(), amounts, st.sampled_from(sorted(MONEY)), st.sampled_from(FRAMES))
def test_money_from_any_source_in_any_notation_is_grounded(
    data: st.DataObject, value: Decimal, currency: str, frame: str
) -> None:
    tool, user = data.draw(money_source(value, currency))
    response = frame.format(data.draw(money_text(value, currency)))
    assert judged(response, tool, user).reasons == []


@settings(max_examples=400, deadline=None)
@given(st.data(), amounts, amounts, st.sampled_from(sorted(MONEY)), st.sampled_from(FRAMES))
def test_another_amount_is_always_caught(
    data: st.DataObject, known: Decimal, stated: Decimal, currency: str, frame: str
) -> None:
    assume(significant(known) != significant(stated))
    tool, user = data.draw(money_source(known, currency))
    response = frame.format(data.draw(money_text(stated, currency)))
    judgement = judged(response, tool, user)
    assert judgement.status == "failed", (response, tool, user)
    assert len(judgement.reasons) == 1


@settings(max_examples=200, deadline=None)
@given(st.data(), amounts)
def test_another_currency_is_caught(data: st.DataObject, value: Decimal) -> None:
    one, other = data.draw(st.sampled_from([("USD", "EUR"), ("EUR", "CNY"), ("EUR", "USD")]))
    source = data.draw(money_text(value, one))
    assert judged(data.draw(money_text(value, other)), {"note": f"total {source}."}).status == "failed"


def unit_formats() -> list[tuple[str, list[str]]]:
    named = [("percent", PERCENT), ("money", MONEY["CNY"][:2])]
    return named + [(f"duration {factor}", formats) for factor, formats in DURATION.items()]


@settings(max_examples=300, deadline=None)
@given(st.data(), st.integers(1, 999), st.sampled_from(unit_formats()), st.sampled_from(FRAMES))
def test_units_in_any_language_are_the_same_unit(
    data: st.DataObject, number: int, unit: tuple[str, list[str]], frame: str
) -> None:
    source = data.draw(st.sampled_from(unit[1])).format(number)
    stated = data.draw(st.sampled_from(unit[1])).format(in_script(str(number), data.draw(st.sampled_from(DIGIT_SETS))))
    assert judged(frame.format(stated), {"note": frame.format(source)}).reasons == []
    assert judged(frame.format(stated), {"value": number}).reasons == []


@settings(max_examples=300, deadline=None)
@given(st.data(), st.integers(1, 999), st.sampled_from(unit_formats()), st.sampled_from(unit_formats()))
def test_units_are_kept_apart(
    data: st.DataObject, number: int, one: tuple[str, list[str]], other: tuple[str, list[str]]
) -> None:
    assume(one[0] != other[0])
    source, stated = (data.draw(st.sampled_from(u[1])).format(number) for u in (one, other))
    assert judged(f"It is {stated}.", {"note": f"It is {source}."}).status == "failed", (source, stated)


@settings(max_examples=200, deadline=None)
@given(st.data(), st.integers(1, 99), st.integers(1, 99), st.sampled_from(sorted(DURATION)))
def test_ranges_lend_their_unit(data: st.DataObject, low: int, span: int, factor: int) -> None:
    dash = st.sampled_from(["-", "–", "~", " - ", "至", " to ", "到"])
    formats = st.sampled_from(DURATION[factor])
    source = data.draw(formats).format(f"{low}{data.draw(dash)}{low + span}")
    stated = data.draw(formats).format(f"{low}{data.draw(dash)}{low + span}")
    assert judged(f"请等待 {stated}。", {"eta": source}).reasons == []
    wrong = data.draw(formats).format(f"{low}{data.draw(dash)}{low + span + 1000}")
    assert len(judged(f"请等待 {wrong}。", {"eta": source}).reasons) == 1
    assert judged(f"{stated}", {"price": f"{low}元 {low + span}元"}).status == "failed"


DATE_FORMATS: list[Callable[[date], str]] = [
    lambda d: d.isoformat(), lambda d: f"{d:%d.%m.%Y}", lambda d: f"{d:%m/%d/%Y}", lambda d: f"{d.year}年{d.month}月{d.day}日",
    lambda d: f"{d.month}月{d.day}日", lambda d: f"{d:%b} {d.day}, {d.year}", lambda d: f"{d.day} {d:%B} {d.year}", lambda d: f"{d:%B} {d.day}",
    lambda d: f"{d.year}/{d.month}/{d.day}", lambda d: f"{d.isoformat()}T14:30:00Z",
]  # fmt: skip
dates = st.dates(date(2001, 1, 1), date(2098, 12, 31))


@settings(max_examples=300, deadline=None)
@given(dates, st.sampled_from(DATE_FORMATS), st.sampled_from(DATE_FORMATS[:-1]), st.sampled_from(FRAMES))
def test_dates_in_any_notation(
    day: date, source: Callable[[date], str], stated: Callable[[date], str], frame: str
) -> None:
    assert judged(frame.format(stated(day)), {"at": source(day)}).reasons == []


@settings(max_examples=300, deadline=None)
@given(
    dates,
    st.integers(1, 300),
    st.sampled_from(DATE_FORMATS),
    st.sampled_from(DATE_FORMATS[:-1]),
    st.sampled_from(FRAMES),
)
def test_another_date_is_caught(
    day: date, offset: int, source: Callable[[date], str], stated: Callable[[date], str], frame: str
) -> None:
    other = day + timedelta(days=offset)
    assume((other.month, other.day) not in ((day.month, day.day), (day.day, day.month)))
    assert len(judged(frame.format(stated(other)), {"at": source(day)}).reasons) == 1


identifiers = st.from_regex(
    r"[A-Z]{1,4}[0-9]{3,8}|[A-Z]{2,4}-20[0-9]{2}-[0-9]{3,5}|[a-f][0-9][a-f0-9]{6}", fullmatch=True
)


@settings(max_examples=300, deadline=None)
@given(identifiers, identifiers, st.sampled_from(FRAMES), st.sampled_from(FRAMES))
@example("A000", "V000", "{}", "{}")
def test_identifiers(one: str, other: str, frame: str, source: str) -> None:
    assume("XXX" not in other)  # that is a masked number
    assert judged(frame.format(one), {"id": one}).reasons == []
    assert judged(frame.format(one.lower()), {"note": source.format(one)}).reasons == []
    assume(one.casefold() != other.casefold())
    assert len(judged(frame.format(other), {"note": source.format(one)}).reasons) == 1


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 10**6), st.booleans()), min_size=1, max_size=12, unique_by=lambda t: t[0]))
def test_the_score_counts_what_was_planted(numbers: list[tuple[int, bool]]) -> None:
    stated = [n for n, _ in numbers]
    known = [n for n, is_known in numbers if is_known]
    assume(all(significant(Decimal(s)) != significant(Decimal(k)) for s in stated for k in known if s != k))
    judgement = judged("; ".join(f"value {n}元" for n in stated), {f"k{chr(97 + i)}": n for i, n in enumerate(known)})
    assert judgement.score == len(known) / len(stated)
    assert len(judgement.reasons) == len(stated) - len(known)


@settings(max_examples=400, deadline=None)
@given(
    st.text(),
    st.text(),
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda c: st.lists(c) | st.dictionaries(st.text(), c),
        max_leaves=8,
    ),
)
def test_any_text_is_judged_and_its_own_source(text: str, user: str, result: Any) -> None:
    judgement = judged(text, result, user)
    assert judgement.score is not None and 0 <= judgement.score <= 1
    assert judged(text, {"echo": text}).reasons == []


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="0123456789.,-/: %$€元万千百点年月日至xXkTZ()+~'\u202f\u00a0abL#*\n|", max_size=60))
def test_number_soup_grounds_itself(text: str) -> None:
    assert judged(text, {"echo": text}).reasons == []
