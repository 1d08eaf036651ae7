"""Any data survives the candidate file, and the file stays readable."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_split_eval.pool.emit import emit, emit_item, has_lone_surrogate, plain_data
from adk_split_eval.pool.reading import PoolError, parse

HOSTILE = [
    "no", "NO", "012", "1:30", "~", "", "-", "- a", "? x", "a: b", "2026-11-30", "<<", "=", "1e5", "0x1f", "null", "a #b",
    " a", "a ", "\n", "a\n\n", "e\u0301", "\u00e9", "---", "...", "a\n---\nb", "\ud83d\ude00", "\udc00\ud800", "\U0001f680",
    "a\u2028b", "a\u0085b", "\r\n", "a\rb", "\tb", "b\t", "\ufeffx", "'", '"', "it's", 'say "x"', "\\u0041", "\\", "a\n b\n",
    " a\nb", "a\n \nb", "\u202eabc", "👩‍🚀", "&a", "*a", "!x", "%x", "@x", "`x", "{a", "[a", "a,b", "True", "ＹＥＳ", "𝟙", ".inf",
]  # fmt: skip

text = st.text(st.characters(exclude_categories=())) | st.sampled_from(HOSTILE) | st.text("ab \n'\"\\:#-\u2028|>{}[],")
scalars = text | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.none()
data = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4), max_leaves=15
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(text, data, max_size=5))
def test_any_data_comes_back_exactly(document: dict[str, Any]) -> None:
    written = emit(document)
    written.encode("utf-8")
    assert repr(parse(written, "x")) == repr(document)
    item = parse("cases:\n" + emit_item({"first": document, **document}, 2), "x")
    assert repr(item["cases"][0]) == repr({"first": document, **document})


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_text_as_key_and_value(value: str) -> None:
    document = {value: {"user": value, "nested": [value, {value: value}]}}
    assert parse(emit(document), "x") == document


def test_deep_nesting_survives() -> None:
    value: Any = "bottom"
    for _ in range(200):
        value = {"k": [value]}
    assert parse(emit({"a": value}), "x") == {"a": value}


def test_text_of_several_lines_is_a_literal_block_and_other_scripts_stay_readable() -> None:
    written = emit({"user": "第一行\n- 第二行: “x”\n", "reply": "Saved ✅"})
    assert written == 'user: |\n  第一行\n  - 第二行: “x”\nreply: "Saved ✅"\n'


def test_long_keys_and_special_numbers() -> None:
    document = {"k" * 2000: 1e16, "tiny": 5e-324, "big": 10**30, "inf": float("inf"), "minus": float("-inf")}
    assert parse(emit(document), "x") == document
    assert "!!" not in emit(document)


def test_what_is_no_json_becomes_text() -> None:
    assert plain_data({1: (b"x", {3, 2}), "n": None}) == {"1": ["b'x'", [2, 3]], "n": None}
    assert has_lone_surrogate({"a": ["\ud800"]}) and not has_lone_surrogate({"a": ["\U0001f680"]})


@pytest.mark.parametrize(
    ("written", "place", "says"),
    [
        ("a: 1\na: 2\n", "f:2:1", "appears twice"),
        ("a: &x [1]\nb: *x\n", "f:", "aliases"),
        ("a: !!python/object:os.system 1\n", "f:1:4", "unknown tag"),
        ("a: [1\n", "f:2:1", "no valid YAML"),
        ("- 1\n", "f:1:1", "no mapping"),
        ("", "f:1:1", "empty"),
        ("? [1]\n: 2\n", "f:1:3", "key must be text"),
    ],
)
def test_what_cannot_be_read_is_located(written: str, place: str, says: str) -> None:
    with pytest.raises(PoolError) as caught:
        parse(written, "f")
    assert str(caught.value).startswith(place)
    assert says in str(caught.value)


def test_dates_and_yes_stay_words() -> None:
    assert parse("a: 2026-11-30\nb: yes\nc: 012\nd: 1:30\ne: 1.5\nf: true\n", "x") == {
        "a": "2026-11-30", "b": "yes", "c": "012", "d": "1:30", "e": 1.5, "f": True,
    }  # fmt: skip
