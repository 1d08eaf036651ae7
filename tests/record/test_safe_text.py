"""Text of a conversation is harmless on a terminal and short where a line is short."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_split_eval.record.text import one_line, safe_terminal, shorten, visible_surrogates

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("退款 é 👩‍👩‍👧 हिन्दी", "退款 é 👩‍👩‍👧 हिन्दी"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\x9b31mb", "a\\x9b31mb"),
        ("x\u202eevil\u2066", "x\\u202eevil\\u2066"),
        ("\ud800", "\\ud800"),
        ("a\r\nb\tc\x00\x07", "a\\r\\nb\\tc\\x00\\x07"),
        ("\U0001ffff\ufffe", "\\U0001ffff\\ufffe"),
        ("one\u2028two", "one\\u2028two"),
    ],
)
def test_what_could_steer_or_deceive_becomes_visible(text: str, shown: str) -> None:
    assert safe_terminal(text) == shown


def test_newlines_are_kept_on_request() -> None:
    assert safe_terminal("a\n\tb\r", newlines=True) == "a\n\tb\\r"


@given(ANY_TEXT)
def test_no_control_survives_and_it_always_encodes(text: str) -> None:
    shown = safe_terminal(text)
    shown.encode("utf-8")
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in shown)
    assert not any(
        unicodedata.bidirectional(c) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI") for c in shown
    )
    assert safe_terminal(shown) == shown


@given(ANY_TEXT)
def test_visible_surrogates_touches_nothing_else(text: str) -> None:
    shown = visible_surrogates(text)
    shown.encode("utf-8")
    if not any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        assert shown == text


@given(ANY_TEXT, st.integers(3, 40))
def test_shorten_never_exceeds_its_width(text: str, width: int) -> None:
    short = shorten(text, width)
    assert len(short) <= width
    assert short == text or short.endswith("...")


def test_shorten_leaves_combining_sequences_whole() -> None:
    assert shorten("abcde\u0301fgh", 8) == "abcd..."
    assert shorten("ab👩‍👩‍👧cdefgh", 8) == "ab..."


def test_one_line() -> None:
    assert one_line(" a\n\n b\t c ") == "a b c"
