"""Showing hostile text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_split_eval.metrics.text import escape, excerpt, quote, show, show_call


@pytest.mark.parametrize(
    "hostile", ["\x1b[2J", "\u202e", "\u2066", "\ud800", "\u2028", "\x00", "\ufeff", "\U000e0041", "\r"]
)
def test_dangerous_characters_are_escaped(hostile: str) -> None:
    for shown in (escape(hostile), quote(hostile), show({hostile: [hostile]}), show_call(hostile, {hostile: hostile})):
        assert hostile not in shown
        assert "\\" in shown
        shown.encode("utf-8")


@pytest.mark.parametrize("plain", ["Café", "سلام", "你好", "🧑🏽‍🚀", "a\u0301"])
def test_people_s_text_stays_readable(plain: str) -> None:
    assert quote(plain) == f'"{plain}"'


@given(st.text())
def test_quotes_are_one_printable_line(text: str) -> None:
    shown = quote(text)
    shown.encode("utf-8")
    assert "\n" not in shown and "\x1b" not in shown


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), st.lists))
def test_anything_can_be_shown_within_bounds(value: Any) -> None:
    assert len(show(value, 80)) < 400


def test_long_and_endless_values_are_cut() -> None:
    ring: list[Any] = []
    ring.append(ring)
    assert "…" in show(ring)
    assert len(show(["x" * 10**6] * 1000)) < 400
    assert show(object()) == "<object>"
    assert "(+999840 characters)" in quote("x" * 10**6)
    assert show_call("f", {f"k{i}": i for i in range(1000)}).endswith(", …)")


@pytest.mark.parametrize(
    ("text", "word", "sentence"),
    [
        ("One. It costs 9.5 euros today. Two.", "9.5", '"It costs 9.5 euros today."'),
        ("第一句。赔49.5元，三天内到账。第三句", "49.5", '"赔49.5元，三天内到账。"'),
        ("no end", "end", '"no end"'),
        ("a\nb c\nd", "b", '"b c"'),
    ],
)
def test_excerpt_is_the_sentence(text: str, word: str, sentence: str) -> None:
    at = text.index(word)
    assert excerpt(text, at, at + len(word)) == sentence
