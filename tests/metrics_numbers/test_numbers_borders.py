"""Numbers at the borders of what is read as one thing or another."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from adk_split_eval.metrics.grounded_numbers import judge
from adk_split_eval.metrics.numbers import extract
from adk_split_eval.metrics.numbers.quote import sentence_around
from adk_split_eval.metrics.numbers.valueset import ValueSet
from adk_split_eval.record import Call, Conversation, Event, Turn


def kinds(text: str) -> set[str]:
    (mention,) = extract(text)
    return {reading.kind for reading in mention.readings}


def ungrounded(response: str, tool: Any = None) -> list[str]:
    turn = Turn("hi", [Call("look_up", {}, tool, answered=True)], response=response)
    return [r.split(": ", 1)[1].split(" without a source")[0] for r in judge(Conversation([turn]), {}, 1.0).reasons]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("30.11.26", "date", (2026, 11, 30)),
        ("26年11月30日", "date", (2026, 11, 30)),
        ("1000-01-01", "date", (1000, 1, 1)),
        ("2999-12-31", "date", (2999, 12, 31)),
        ("14:30:15", "time", str(14 * 3600 + 30 * 60 + 15)),
        ("𝐋8823", "identifier", "l8823"),
        ("030 12 34 567", "digits", "0301234567"),
        ("555-1234", "digits", "5551234"),
        ("128_days", "identifier", "128_days"),
        ("三十个百分点", "percent", Decimal(30)),
        ("三萬元", "money", Decimal(30_000)),
        ("兩億元", "money", Decimal(200_000_000)),
        ("貳拾元", "money", Decimal(20)),
        ("參佰元", "money", Decimal(300)),
        ("叄佰元", "money", Decimal(300)),
        ("陸佰元", "money", Decimal(600)),
        ("肆拾伍元", "money", Decimal(45)),
        ("柒仟捌佰玖拾元", "money", Decimal(7890)),
        ("3斤", "measure", Decimal(1500)),
        ("三元五角", "money", Decimal("3.5")),
        ("三元五角八分", "money", Decimal("3.58")),
        ("3元5角8分", "money", Decimal("3.58")),
        ("5x", "bare", Decimal(5)),
        ("3ème", "bare", Decimal(3)),
        ("9" * 40, "bare", Decimal("9" * 40)),
        ("9" * 41, "digits", "9" * 41),
    ],
)
def test_read_as(text: str, kind: str, value: object) -> None:
    (mention,) = extract(f"it is {text} now")
    assert (kind, value) in [(r.kind, r.value if r.value is not None else (r.date or r.key)) for r in mention.readings]


MULTIPLIED = {
    100: "hundred",
    10**3: "k thousand tsd mille",
    10**5: "lakh lakhs",
    10**6: "million millions mn mio millones millionen",
    10**7: "crore crores",
    10**9: "bn billion billions mrd",
    10**12: "trillion",
}


@pytest.mark.parametrize(("factor", "word"), [(n, word) for n, words in MULTIPLIED.items() for word in words.split()])
def test_a_word_after_a_number_multiplies_it(factor: int, word: str) -> None:
    (mention,) = extract(f"about 5{'' if len(word) == 1 else ' '}{word}, they say")
    assert {r.value for r in mention.readings} == {Decimal(5 * factor)}


EQUAL = [
    "5000 mg = 5 g",
    "5 kg = 5000 g",
    "5公斤 = 10斤",
    "100 lb = 45.359237 kg",
    "16 oz = 1 lb",
    "50 mm = 5 cm",
    "50 cm = 0.5 m",
    "5 km = 5000 m",
    "5 miles = 8046.72 m",
    "10 ft = 3.048 m",
    "10 inches = 25.4 cm",
    "50 ml = 0.05 l",
    "5 gb = 5000 mb",
    "5 mb = 5000 kb",
    "5 tb = 5000 gb",
    "50‰ = 5%",
    "120 seconds = 2 minutes",
    "120 minutes = 2 hours",
    "48 hours = 2 days",
    "14 days = 2 weeks",
    "24 months = 2 years",
    "50 cents = 0.5 USD",
    "50 pence = 0.5 GBP",
]


@pytest.mark.parametrize("equation", EQUAL)
def test_units_of_one_kind_are_converted(equation: str) -> None:
    left, right = ({(r.kind, r.value) for r in extract(side)[0].readings} for side in equation.split(" = "))
    assert left & right
    assert ungrounded(equation.split(" = ")[0], {"text": equation.split(" = ")[1]}) == []


@pytest.mark.parametrize("text", ["68°F", "68℉", "68华氏度"])
def test_degrees_of_two_scales_are_not_one(text: str) -> None:
    assert kinds(text) == {"measure"}
    assert ungrounded(text, {"text": "68°C"}) == [text]
    assert ungrounded(text, {"text": "68 °F"}) == []


@pytest.mark.parametrize("text", ["3000-01-01", "0999-01-01", "2026-13-01", "2026-11-32", "9" * 41])
def test_not_a_date_nor_a_value(text: str) -> None:
    (mention,) = extract(f"it is {text} now")
    assert not {r.kind for r in mention.readings} & {"date", "bare"}


@pytest.mark.parametrize("text", ["you may 5 see", "we march 10 on"])
def test_a_verb_is_no_month(text: str) -> None:
    assert kinds(text) == {"bare"}
    assert kinds("on May 5") == {"date"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("128元三百元", ["128元", "三百元"]),
        ("USD10-20 each", ["USD10", "20"]),
        ("5 million dollars, 3 €", ["5 million dollars", "3 €"]),
    ],
)
def test_amounts_side_by_side_are_two(text: str, expected: list[str]) -> None:
    mentions = extract(text)
    assert [m.text for m in mentions] == expected
    assert all(r.kind == "money" for m in mentions for r in m.readings)


TABLE = "| plan | price |\n|---|---|\n| basic | low |\n| plus | high |\n| max | top |"


@pytest.mark.parametrize(
    ("response", "tool", "expected"),
    [
        (f"Here are 3 plans:\n{TABLE}", {}, []),
        (f"Here are 2 plans:\n{TABLE}", {}, ["2"]),
        (f"Here are 4 plans:\n{TABLE}", {}, ["4"]),
        ("1-2 million users", {"low": 1_000_000, "high": 2_000_000}, []),
        ("1-2 million users", {"low": 3_000_000, "high": 2_000_000}, ["1"]),
        ("1-2k, so far", {"low": 1000, "high": 2000}, []),
        ("125% of it", {"rate": 1.25}, []),
        ("300% of it", {"rate": 3}, ["300%"]),
        ("part CD34 is due", {"id": "AB12-CD34"}, []),
        ("part CD35 is due", {"id": "AB12-CD34"}, ["CD35"]),
        ("order V123 is due", {"order": "A123"}, ["V123"]),
        ("order V000 is due", {"order": "A000"}, ["V000"]),
        ("v2 and V12, v120, v2.1", "versions 2, 12, 120 and 2.1", []),
        ("order kr123 is due", {"order": "KR123"}, []),
        ("order KR123 is due", {"order": "kr123"}, []),
        ("order usd128 is due", {"order": "USD128"}, []),
        ("order kr124 is due", {"order": "KR123"}, ["kr124"]),
        ("kr123 to pay", {"amount": 123, "currency": "SEK"}, []),
        ("USD128-130 to pay", {"low": 128, "high": 130, "currency": "USD"}, []),
        ("call +380 44 123 4567", {"phone": "441234567"}, []),
        ("2000 in total", "two thousand", []),
        ("2001 in total", "two thousand", ["2001"]),
        ("account ending in 042", {"account": "0000998042"}, []),
        ("$128", {"currency": "EUR", "amount": 128, "note": "paid"}, ["$128"]),
        ("$128", {"currency": "USD", "amount": 128, "note": "paid"}, []),
        ("12.3% or 12%", {"rate": 0.12349}, []),
        ("12.4%", {"rate": 0.12349}, ["12.4%"]),
        ("account ending in 5678", {"account": "ACC12345678"}, []),
        ("account ending in 5679", {"account": "ACC12345678"}, ["5679"]),
        ("$128 CAD", {"amount": 128, "currency": "CAD"}, []),
        ("$128 CAD", {"amount": 128, "currency": "USD"}, ["$128 CAD"]),
        ("1k-2 million users", {"low": 1000, "high": 2_000_000}, []),
        ("1k-2 million users", {"low": 10**9, "high": 2_000_000}, ["1k"]),
        ("It costs 1. Thanks", {}, ["1"]),
        ("open 14-16:30", {"hours": "14:00-16:30"}, []),
        ("open 11-12:30 pm", {"hours": "11 am to 12:30 pm"}, []),
        ("open 11-1 pm", {"hours": "11 am to 1 pm"}, []),
        ("open 2-4 pm", {"hours": "2 pm to 4 pm"}, []),
        ("open 2-4 pm", {"hours": "2 am to 4 pm"}, ["2"]),
        ("open 9 am-5, not 12-1 pm", {"hours": "9 am to 5 pm", "lunch": "12 pm to 1 pm"}, []),
        ("open 9 am-5", {"hours": "5 am to 9 am"}, ["5"]),
        ("open 2-2:30 pm", {"hours": "2 pm to 2:30 pm"}, []),
        ("open 11 pm-12", {"hours": "11 pm to 12 am"}, []),
        ("open 9 am-12", {"hours": "9 am to 12 pm"}, []),
        ("open 12-1 pm", {"hours": "12 pm to 1 pm"}, []),
        ("100 days", {"days": 1}, ["100 days"]),
        ("call +1 555-1234", {"phone": "5551234"}, []),
        ("open 9-10 am", {"hours": "09:00-10:00"}, []),
        ("open 9-10 am", {"hours": "21:00, 10:00"}, ["9"]),
        ("after 11h, then walk 45m", "11 hours, 45 meters", []),
    ],
)
def test_against_sources(response: str, tool: Any, expected: list[str]) -> None:
    assert ungrounded(response, tool) == expected


@pytest.mark.parametrize("tolerance", [0.001, 0.02, 0.3])
def test_a_tolerance_is_a_ratio_either_way_and_no_more(tolerance: float) -> None:
    for known in (0.37, 1.0, 49.5, 128.4, 9_999.0, 3.3e7):
        values = ValueSet(tolerance=tolerance)
        values.add(Decimal(str(known)))
        for ratio, within in ((1 + 0.98 * tolerance, True), (1 + 1.02 * tolerance, False)):
            assert values.has(Decimal(str(known * ratio))) is within, (known, ratio)
            assert values.has(Decimal(str(known / ratio))) is within, (known, ratio)
        assert not values.has(Decimal(str(known * (1 + tolerance) ** 2 * 1.01)))


def test_a_sentence_is_shown_with_its_cuts() -> None:
    text = "One. It costs 5 euros. Two."
    at = text.index("5")
    assert sentence_around(text, at, at + 1) == "It costs 5 euros."
    long = "a" * 200 + " 5 " + "b" * 200
    assert sentence_around(long, 201, 202) == "…" + "a" * 119 + " 5 " + "b" * 119 + "…"


def test_rounding_goes_down_to_six_places() -> None:
    values = ValueSet(rounding=True)
    values.add(Decimal("1.23456789"))
    for rounded in ("1", "1.2", "1.23", "1.235", "1.2346", "1.23457", "1.234568", "1.23456789"):
        assert values.has(Decimal(rounded)), rounded
    for other in ("1.2345679", "1.3", "2", "1.234567"):
        assert not values.has(Decimal(other)), other


@pytest.mark.parametrize(
    "params",
    [
        {"ignore": 5}, {"ignore": "x"}, {"ignore": [5]}, {"ignore": ["("]}, {"sources": 5}, {"sources": ["web"]},
        {"turns": 5}, {"turns": "x"}, {"turns": [5]}, {"turns": [{"enable": False}]}, {"turns": [{"enabled": 0}]},
        {"enabled": 1}, {"rounding": "yes"}, {"derived": None}, {"tolerance": 1}, {"tolerance": -0.1}, {"tolerance": True},
        {"ignored": []},
    ],
)  # fmt: skip
def test_parameters_that_make_no_sense_judge_nothing(params: dict[str, Any]) -> None:
    found = judge(Conversation([Turn("hi", response="128")]), params, 1.0)
    assert found.status == "not_evaluated"
    assert found.reasons[0].startswith("grounded_numbers_v1: ")
    assert next(iter(params)) in found.reasons[0]


def test_a_change_of_state_is_a_source_only_when_asked_for() -> None:
    events = [
        Event("text", data="You get 128."),
        Event("state", data={"n": 130}),
        Event("text", data="Or 130, or 131."),
    ]
    conversation = Conversation([Turn("hi", events=events)], state_before={"n": 128})
    stated = [r.split(" without")[0] for r in judge(conversation, {"sources": ["state"]}, 1.0).reasons]
    assert stated == ["turn 1: 131"]
    assert len(judge(conversation, {"sources": ["tools"]}, 1.0).reasons) == 3
    conversation.state_before = None
    assert len(judge(conversation, {"sources": ["state"]}, 1.0).reasons) == 2
