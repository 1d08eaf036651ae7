"""What is read out of a text: one row a notation."""

from __future__ import annotations

from decimal import Decimal

import pytest

from adk_split_eval.metrics.numbers import Mention, extract

D = Decimal


def shown(mention: Mention) -> list[tuple[str, object]]:
    return [(r.kind, r.value if r.value is not None else (r.date or r.key)) for r in mention.readings]


SINGLE = [
    ("128", "bare", D(128)),
    ("128.0", "bare", D(128)),
    ("１２８", "bare", D(128)),
    ("١٢٨", "bare", D(128)),
    ("१२८", "bare", D(128)),
    ("𝟏𝟐𝟖", "bare", D(128)),
    ("1\u200b2\u200b8", "bare", D(128)),
    ("128.0元", "money", D(128)),
    ("¥128", "money", D(128)),
    ("￥128", "money", D(128)),
    ("US$128", "money", D(128)),
    ("128 USD", "money", D(128)),
    ("USD128", "money", D(128)),
    ("RMB 128", "money", D(128)),
    ("人民币128", "money", D(128)),
    ("128美元", "money", D(128)),
    ("128円", "money", D(128)),
    ("50 cents", "money", D("0.5")),
    ("$1,280.50", "money", D("1280.50")),
    ("1.234,56 €", "money", D("1234.56")),
    ("1\u202f234,56 €", "money", D("1234.56")),
    ("1 234,56 €", "money", D("1234.56")),
    ("CHF 1'280.50", "money", D("1280.50")),
    ("₹1,28,000", "money", D(128000)),
    ("1.28万元", "money", D(12800)),
    ("3万5千元", "money", D(35000)),
    ("2亿元", "money", D(200000000)),
    ("$5 million", "money", D(5000000)),
    ("2,5 Mio. €", "money", D(2500000)),
    ("10k", "bare", D(10000)),
    ("49块5", "money", D("49.5")),
    ("3元5角", "money", D("3.5")),
    ("三块五", "money", D("3.5")),
    ("一百二十八元", "money", D(128)),
    ("两万五千元", "money", D(25000)),
    ("两百五十块", "money", D(250)),
    ("两百五元", "money", D(250)),
    ("一万二元", "money", D(12000)),
    ("壹佰贰拾捌圆整", "money", D(128)),
    ("百分之三十", "percent", D(30)),
    ("百分之三点五", "percent", D("3.5")),
    ("百分之30", "percent", D(30)),
    ("30%", "percent", D(30)),
    ("30 ％", "percent", D(30)),
    ("5‰", "percent", D("0.5")),
    ("٣٠٪", "percent", D(30)),
    ("30 percent", "percent", D(30)),
    ("12,5 Prozent", "percent", D("12.5")),
    ("3天", "duration", D(3 * 86400)),
    ("3个工作日", "duration", D(3 * 86400)),
    ("3 business days", "duration", D(3 * 86400)),
    ("3-day", "duration", D(3 * 86400)),
    ("24小时", "duration", D(86400)),
    ("90 min", "duration", D(5400)),
    ("2½ hours", "duration", D(9000)),
    ("1 hour 30 minutes", "duration", D(5400)),
    ("1小时30分钟", "duration", D(5400)),
    ("2 weeks", "duration", D(1209600)),
    ("3个月", "months", D(3)),
    ("2 years", "months", D(24)),
    ("2 items", "count", D(2)),
    ("2件", "count", D(2)),
    ("3 kg", "measure", D(3000)),
    ("3千克", "measure", D(3000)),
    ("-5°C", "measure", D(-5)),
    ("5-star", "bare", D(5)),
    ("L8823", "identifier", "l8823"),
    ("ORD-2024-001", "identifier", "ord-2024-001"),
    ("123e4567-e89b-12d3-a456-426614174000", "identifier", "123e4567-e89b-12d3-a456-426614174000"),
    ("2024-001", "identifier", "2024-001"),
    ("2024-11-30-007", "identifier", "2024-11-30-007"),
    ("1.2.3", "identifier", "1.2.3"),
    ("192.168.1.10", "identifier", "192.168.1.10"),
    ("128abc", "identifier", "128abc"),
    ("+86 138-1234-5678", "digits", "+8613812345678"),
    ("(555) 123-4567", "digits", "5551234567"),
    ("400-800-1234", "digits", "4008001234"),
    ("2026-11-30", "date", (2026, 11, 30)),
    ("30.11.2026", "date", (2026, 11, 30)),
    ("11/30/2026", "date", (2026, 11, 30)),
    ("2026年11月30日", "date", (2026, 11, 30)),
    ("2026년 11월 30일", "date", (2026, 11, 30)),
    ("11月30日", "date", (None, 11, 30)),
    ("11月30号", "date", (None, 11, 30)),
    ("Nov 30, 2026", "date", (2026, 11, 30)),
    ("November 30th, 2026", "date", (2026, 11, 30)),
    ("30th of November 2026", "date", (2026, 11, 30)),
    ("30 November", "date", (None, 11, 30)),
    ("30. November 2026", "date", (2026, 11, 30)),
    ("30 de noviembre de 2026", "date", (2026, 11, 30)),
    ("30-Nov-2026", "date", (2026, 11, 30)),
    ("May 2026", "date", (2026, 5, None)),
    ("2026年", "date", (2026, None, None)),
    ("14:30", "time", str(14 * 3600 + 1800)),
    ("2:30 pm", "time", str(14 * 3600 + 1800)),
    ("2 p.m.", "time", str(14 * 3600)),
    ("下午2点半", "time", str(14 * 3600 + 1800)),
    ("14点30分", "time", str(14 * 3600 + 1800)),
    ("14 Uhr", "time", str(14 * 3600)),
    ("14h30", "time", str(14 * 3600 + 1800)),
]


@pytest.mark.parametrize(
    ("text", "kind", "value"), SINGLE, ids=[row[0].encode("unicode_escape").decode() for row in SINGLE]
)
def test_one_mention(text: str, kind: str, value: object) -> None:
    for around in ("{}", "It is {} now.", "共 {} 吧。", "（{}）", "**{}**", "x: {}, y"):
        mentions = extract(around.format(text))
        assert len(mentions) == 1, (around, mentions)
        assert (kind, value) in shown(mentions[0]), (around, mentions)


AMBIGUOUS = [
    ("1,280", {D(1280), D("1.280")}),
    ("1.280", {D(1280), D("1.280")}),
    ("9,5", {D("9.5")}),
    ("0.128", {D("0.128")}),
    ("1,280,500", {D(1280500)}),
    ("1.280.500", {D(1280500)}),
]


@pytest.mark.parametrize(("text", "values"), AMBIGUOUS)
def test_every_sensible_reading(text: str, values: set[Decimal]) -> None:
    (mention,) = extract(f"total {text} ok")
    assert {r.value for r in mention.readings} == values


MANY = [
    ("128.0元的退款已提交，1-3个工作日内到账。", ["128.0元", "1", "3个工作日"]),
    ("运费险也替你申请了，赔49.5元，三天内到账。", ["49.5元"]),
    ("between $10-20 and 10–20元, 5 to 7 days", ["$10", "20", "10", "20元", "5", "7 days"]),
    ("1 至 3 天，10%～20%", ["1", "3 天", "10%", "20%"]),
    ("from 9:00-17:00 on 2026-11-30T14:30:00Z", ["9:00", "17:00", "2026-11-30T", "14:30:00Z"]),
    ("USD 1 Rs 500 5元/3件", ["USD 1", "Rs 500", "5元", "3件"]),
    ("A1/B2, SKU-7: 3", ["A1", "B2", "SKU-7", "3"]),
    ("订单L8823的退款128元", ["L8823", "128元"]),
    ("退款——128元", ["128元"]),
    ("you have 2 or 3 days", ["2", "3 days"]),
    ("1, 2 and 3", ["1", "2", "3"]),
]


@pytest.mark.parametrize(("text", "expected"), MANY)
def test_several_mentions(text: str, expected: list[str]) -> None:
    assert [m.text for m in extract(text)] == expected


NOTHING = [
    "1. first\n2. second\n10) tenth\n**3.** bold\n- 4. nested\n(5) five\n（6）six",
    "步骤1：登录\n步骤 2：提交\nStep 3: done\nOption 1 is best\n方案2更好",
    "# 1. Title\n## 2.1 Sub\n### 3 Third",
    "① 一\n② 二\n1️⃣ keycap\n2⃣ keycap",
    "| 1 | apple |\n| 2 | pear |",
    "the 1st, 2nd and 21st time; 第3次，第 4 天",
    "三天内到账，两件，一个，第二，三五个，几千元，十几元，三四百块",
    "we go together 一块去, 一块儿, 三元素, 二元一次, 元旦",
    "see https://shop.example/orders/2024/L8823?x=128 or mail a128@shop.example",
    '<b class="n128">bold</b> &#8212; &nbsp;',
    "as said in [1] and [12]",
    "open 24/7, 7×24, 2FA, B2B, MP3, A4",
    "the last 4 digits; a 6-digit code; 后4位; 6位数密码",
    "Do this: 1. log in 2. submit; 1、登录；2、提交",
    "one, two, three items",
    "out of 5 stars, 满分10",
    "½ and ② and Ⅻ and x²",
    "",
    "\ud800 \u202e no digits",
]


@pytest.mark.parametrize("text", NOTHING)
def test_needs_no_source(text: str) -> None:
    assert extract(text) == []


STILL_NEEDS_ONE = [
    ("Your balance is\n128. Thanks", "128"),
    ("1. 3元", "3元"),
    ("建议3天内处理", "3天"),
    ("| 7 | apples |", "7"),
    ("Mein Termin:\n30. November 2026", "30. November 2026"),
    ("Items (3)", "3"),
    ("step 2 costs $5", "$5"),
]


@pytest.mark.parametrize(("text", "expected"), STILL_NEEDS_ONE)
def test_looks_like_numbering_but_states_something(text: str, expected: str) -> None:
    assert [m.text for m in extract(text)] == [expected]


def test_sources_are_read_generously() -> None:
    assert {r.value for m in extract("三天", source=True) for r in m.readings} == {D(3 * 86400)}
    assert {r.value for m in extract("twenty-five days", source=True) for r in m.readings} == {D(25 * 86400)}
    assert [m.text for m in extract("https://x.example/L8823", source=True)] == ["L8823"]


def test_spans_point_into_the_original() -> None:
    text = "a\u200bb \u202e１\u200b２８\u200b元\u202c end"
    (mention,) = extract(text)
    assert text[mention.start : mention.end] == mention.text
    assert mention.text == "１\u200b２８\u200b元"
