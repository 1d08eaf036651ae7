"""Matchers and typed comparison."""

from __future__ import annotations

import json
import math
import time
import unicodedata
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_split_eval.metrics.values import (
    ParameterError,
    compare,
    compare_keys,
    holds_matcher,
    is_matcher,
    literal,
    matches,
    problems,
)

NAN = float("nan")
INF = float("inf")


class Status(StrEnum):
    """What a tool may return in place of a string."""

    OPEN = "open"


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        (1, 1.0, True),
        (1, "1", False),
        (1, True, False),
        (0, False, False),
        (True, 1, False),
        (False, 0.0, False),
        (True, True, True),
        (True, False, False),
        (None, None, True),
        (None, 0, False),
        ("", None, False),
        (0.0, -0.0, True),
        (NAN, NAN, True),
        (NAN, 0, False),
        (INF, INF, True),
        (INF, -INF, False),
        (2**53 + 1, float(2**53), False),
        ([1, 2], (1, 2), True),
        ([1, 2], [2, 1], False),
        ([], {}, False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1, {"c": 2.0}]}}, True),
        ("Café", "Cafe\u0301", False),
        ("a", "A", False),
        ("open", Status.OPEN, True),
        (Status.OPEN, "open", True),
        ("closed", Status.OPEN, False),
    ],
)
def test_values_are_compared_with_their_types(expected: Any, actual: Any, same: bool) -> None:
    assert matches(expected, actual) is same
    assert matches({"equals": expected}, actual) is same


@pytest.mark.parametrize(
    ("matcher", "good", "bad"),
    [
        ({"any": True}, [None, 0, "", [], {"x": 1}], []),
        ({"regex": "^L[0-9]+$"}, ["L8823"], ["l1", "xL1", 8823, None, ["L1"]]),
        ({"regex": "88"}, ["L8823"], ["L1"]),
        ({"one_of": ["blue", 1, None]}, ["blue", 1, 1.0, None], ["red", "1", True]),
        ({"one_of": [{"regex": "^a"}, {"gt": 5}]}, ["abc", 6], ["b", 5]),
        ({"approx": 128, "within": 0.01}, [128, 128.01, 127.99, 128.0], [128.011, "128", True, None, NAN, INF]),
        ({"approx": 0.3}, [0.1 + 0.2, 0.3], [0.3001]),
        ({"approx": INF}, [INF], [1e308, -INF]),
        ({"approx": 999_999_999}, [1_000_000_000], [1_000_000_001]),
        ({"approx": 1_000_000_000}, [999_999_999], [999_999_998]),
        ({"contains": "bc"}, ["abcd"], ["ab c", 5, None]),
        ({"contains": 2}, [[1, 2.0]], [[1, "2"], "2", 2]),
        ({"contains": [1, 2]}, [[2, 3, 1]], [[1, 3], []]),
        ({"contains": {"a": 1}}, [{"a": 1, "b": 2}, [{"a": 1}]], [{"a": 2}, {}]),
        ({"contains": {"a": 1, "b": 2}}, [{"a": 1, "b": 2, "c": 3}], [{"a": 1, "b": 3}, {"a": 1}]),
        ({"contains": "a"}, [{"a": None}, ["a"]], [{"b": 1}, ["ab"]]),
        ({"contains": ["a"]}, [["b", "a"]], [{"a": 1}, "a"]),
        ({"contains": {"regex": "^x"}}, [["a", "xy"]], [["ax"], {"regex": "^x"}]),
        ({"gt": 1}, [2, 1.5], [1, 0, "2", True]),
        ({"lt": 1}, [0], [1, None, False]),
        ({"gt": 1, "lt": 3}, [2], [1, 3]),
        ({"equals": {"regex": "x"}}, [{"regex": "x"}], ["x"]),
        ({"equals": {"a": {"any": True}}}, [{"a": {"any": True}}], [{"a": 1}]),
    ],
)
def test_matchers(matcher: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    assert is_matcher(matcher)
    assert not problems(matcher)
    for value in good:
        assert matches(matcher, value), value
    for value in bad:
        assert not matches(matcher, value), value
        assert str(compare(matcher, value, "args.x")[0]).startswith("args.x")


@pytest.mark.parametrize(
    "value",
    [{}, {"regex": "x", "any": True}, {"approx": 1, "gt": 2}, {"Regex": "x"}, {"within": 1}, ["regex"], "regex"],
)
def test_other_dicts_are_literals_and_compared_whole(value: Any) -> None:
    assert not is_matcher(value)
    assert matches(value, value)


def test_matchers_inside_literal_containers_are_honoured() -> None:
    expected = {"items": [{"sku": {"regex": "^A"}, "count": {"gt": 0}}]}
    assert matches(expected, {"items": [{"sku": "A1", "count": 2}]})
    assert not matches(expected, {"items": [{"sku": "A1", "count": 2, "note": "x"}]})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"regex": "("}, "cannot be compiled"),
        ({"regex": 5}, "takes a string"),
        ({"any": False}, "takes true"),
        ({"one_of": []}, "at least one"),
        ({"one_of": "ab"}, "takes a list"),
        ({"approx": "128"}, "takes a number"),
        ({"approx": True}, "takes a number"),
        ({"approx": 1, "within": -1}, "zero or more"),
        ({"approx": 1, "within": NAN}, "finite"),
        ({"approx": 1, "within": INF}, "finite"),
        ({"gt": 3, "lt": 3}, "no number"),
        ({"a": [{"contains": {"regex": "["}}]}, "cannot be compiled"),
    ],
)
def test_unusable_matchers_are_named(value: Any, said: str) -> None:
    assert said in problems(value)[0]


@pytest.mark.parametrize(
    "matcher",
    [{"regex": "("}, {"any": False}, {"one_of": []}, {"one_of": 5}, {"approx": "1"}, {"gt": 3, "lt": 3}, {"lt": True}],
)
def test_an_unusable_matcher_raises_rather_than_failing_to_match(matcher: dict[str, Any]) -> None:
    for actual in ("x", 2, None):
        with pytest.raises(ParameterError):
            matches(matcher, actual)


@pytest.mark.parametrize(
    ("expected", "actual", "text"),
    [
        ({"a": 1}, {"a": "1"}, 'args.a: 1 ≠ "1" (expected number, got string)'),
        ({"a": 1}, {"a": True}, "args.a: 1 ≠ true (expected number, got boolean)"),
        ({"a": 1}, {}, "args.a: missing, expected 1"),
        ({"a": None}, {"a": 1}, "args.a: null ≠ 1 (expected null, got number)"),
        ({"items": [1, 2, {"sku": "A1"}]}, {"items": [1, 2, {"sku": "B2"}]}, 'args.items[2].sku: "A1" ≠ "B2"'),
        ({"a": {"x y": 1}}, {"a": {"x y": 2}}, 'args.a["x y"]: 1 ≠ 2'),
        ({"a": [1]}, {"a": [1, 2]}, "args.a: expected 1 elements, got 2"),
        ({"a": {}}, {"a": {"k": 1}}, "args.a.k: not expected, got 1"),
        ({"a": {"approx": 128, "within": 0.5}}, {"a": 130}, "args.a: 130 is not within 0.5 of 128"),
        (
            {"a": {"approx": 128, "within": 0.5}},
            {"a": "128"},
            'args.a: expected a number within 0.5 of 128, got "128" (string)',
        ),
        ({"a": {"gt": 1, "lt": 3}}, {"a": 5}, "args.a: 5 is not greater than 1 and less than 3"),
        ({"a": {"regex": "^L"}}, {"a": "x"}, 'args.a: "x" does not match regex "^L"'),
    ],
)
def test_differences_say_where_and_what(expected: Any, actual: Any, text: str) -> None:
    assert [str(d) for d in compare_keys(expected, actual)] == [text]


def test_differences_come_in_document_order() -> None:
    found = compare_keys({"b": [1, {"y": 1, "x": 2}], "a": 3}, {"b": [2, {"y": 2, "x": 3}], "a": 4})
    assert [d.path for d in found] == ["args.b[0]", "args.b[1].y", "args.b[1].x", "args.a"]


def test_only_given_keys_are_compared_unless_exact() -> None:
    assert compare_keys({"a": 1}, {"a": 1, "b": 2}) == []
    assert [str(d) for d in compare_keys({"a": 1}, {"a": 1, "b": 2}, exact=True)] == ["args.b: not expected, got 2"]


@pytest.mark.parametrize(
    ("expected", "actual", "said"),
    [
        ("Café", "Cafe\u0301", "expected composed (NFC), got decomposed (NFD)"),
        ("Cafe\u0301", "Café", "expected decomposed (NFD), got composed (NFC)"),
        ("L128", "L１２８", "compatibility forms"),
    ],
)
def test_normalisation_alone_is_said_and_visible(expected: str, actual: str, said: str) -> None:
    text = str(compare(expected, actual, "args.x")[0])
    assert said in text
    left, right = text.removeprefix("args.x: ").split(" (")[0].split(" ≠ ")
    assert left != right
    assert not any(unicodedata.combining(c) for c in text)


def test_difference_far_into_long_strings_is_shown() -> None:
    text = str(compare("x" * 5000 + "left" + "y" * 5000, "x" * 5000 + "right" + "y" * 5000)[0])
    assert "left" in text and "right" in text and "first 5000 characters agree" in text
    assert len(text) < 500


def test_literals_that_look_like_matchers_are_wrapped() -> None:
    assert literal({"a": 1}) == {"a": 1}
    wrapped = literal({"filter": {"regex": "x"}})
    assert matches(wrapped, {"filter": {"regex": "x"}})
    assert not matches(wrapped, {"filter": "x"})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["a", "b", "any", "regex", "one_of", "gt", "lt", "approx", "within", "contains", "equals"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@given(json_values)
def test_a_frozen_value_matches_itself(value: Any) -> None:
    frozen = literal(value)
    assert problems(frozen) == []
    assert matches(frozen, value)
    assert matches(value, value, as_literal=True)


@given(json_values, json_values)
def test_literal_comparison_agrees_with_a_recursive_reading(left: Any, right: Any) -> None:
    found = compare(left, right, as_literal=True)
    assert (not found) is _same(left, right)
    for difference in found:
        str(difference).encode()


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    numbers = (int, float)
    if type(left) in numbers and type(right) in numbers:
        return left == right or (left != left and right != right)
    return type(left) is type(right) and left == right


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.integers(0, 10**4))
def test_within_is_exact_in_decimals(target: int, actual: int, within: int) -> None:
    """Cents as floats: the border itself is inside, whatever binary rounding says."""
    matcher = {"approx": target / 100, "within": within / 100}
    assert matches(matcher, actual / 100) is (abs(target - actual) <= within)


def _deep(depth: int, leaf: Any) -> Any:
    value = leaf
    for level in range(depth):
        value = {"k": value} if level % 2 else [value]
    return value


@pytest.mark.parametrize("depth", [200, 20_000])
def test_depth_is_no_danger(depth: int) -> None:
    left, right = _deep(depth, 1), _deep(depth, 2)
    assert matches(left, _deep(depth, 1))
    differences = compare(left, right, "args.x")
    assert len(differences) == 1
    assert len(str(differences[0])) < 1000
    assert not holds_matcher(left)
    assert problems({"one_of": [left]}) == []
    assert len(str(compare({"x": 1}, {"x": left})[0])) < 500


@pytest.mark.parametrize("inner", ["one_of", "contains"])
def test_what_is_sound_can_also_be_compared(inner: str) -> None:
    """Sixty matchers inside each other are allowed, wherever the comparison starts; one more is refused everywhere."""

    def nested(depth: int) -> tuple[Any, Any]:
        expected: Any = 1
        actual: Any = 1
        for _ in range(depth):
            expected = {"one_of": [expected]} if inner == "one_of" else {"contains": [expected]}
            actual = actual if inner == "one_of" else [actual]
        return expected, actual

    expected, actual = nested(60)
    assert problems(expected) == []
    assert matches(expected, actual)
    assert compare(expected, actual) == []
    assert compare_keys({"a": expected}, {"a": actual}) == []
    expected, actual = nested(61)
    assert "deep" in problems(expected)[0]
    with pytest.raises(ParameterError):
        matches(expected, actual)


def test_matchers_nested_without_end_are_refused() -> None:
    value: Any = 1
    for _ in range(500):
        value = {"one_of": [value]}
    assert "deep" in problems(value)[0]
    with pytest.raises(ParameterError):
        matches(value, 1)


def test_cost_grows_with_size_alone() -> None:
    """Ten times the data may cost about ten times the time; a quadratic comparison would take a hundred."""

    def cost(size: int) -> float:
        left = {"items": [{"sku": f"A{i}", "text": "x" * 50} for i in range(size)]}
        right = json.loads(json.dumps(left))
        start = time.process_time()
        for _ in range(3):
            assert matches(left, right)
        return time.process_time() - start

    cost(100)
    assert cost(20_000) < 40 * max(cost(2_000), 0.001)


def test_hostile_strings_neither_stall_nor_leak() -> None:
    marks = "a" + "\u0315\u0300" * 500_000
    start = time.process_time()
    text = str(compare(marks, marks + "x")[0])
    assert time.process_time() - start < 5
    assert len(text) < 1500
    shown = str(compare("safe", "\u202eevil\x1b[2J\ud800\u2028")[0])
    assert shown.isprintable()
    shown.encode("utf-8")


def test_huge_integers_are_shown_by_size() -> None:
    assert "bits" in str(compare(1, 1 << 100_000)[0])
    assert not matches({"approx": 1, "within": 1}, 1 << 5000)
    assert not math.isfinite(INF)


def test_a_long_or_strange_key_is_quoted_in_part() -> None:
    assert len(str(compare_keys({"k" * 10_000: 1}, {})[0])) < 300
    assert str(compare_keys({"k" * 60: 1}, {})[0]) == f"args.{'k' * 60}: missing, expected 1"
