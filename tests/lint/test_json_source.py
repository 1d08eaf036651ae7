"""Places: found again exactly, however the JSON is written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_split_eval.lint.json_source import Locator, diagnose, parse

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=15,
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    found = [(path, value)]
    if isinstance(value, dict):
        for key, item in value.items():
            found += paths(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += paths(item, (*path, index))
    return found


@given(values, st.sampled_from([None, 1, 4]), st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_every_value_is_where_its_text_is(value: Any, indent: int | None, ascii_only: bool, end: str) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only).replace("\n", end)
    locator = Locator(text)
    for path, item in paths(value):
        if not path:
            continue
        start, stop = locator.span(path)
        assert json.loads(text[start:stop]) == item
        if isinstance(path[-1], str):
            start, stop = locator.key_span(path)
            assert json.loads(text[start:stop]) == path[-1]
        line, column = locator.line_column(start)
        assert text.splitlines(keepends=True) == [] or locator.line_text(line)[column - 1 : column] == text[start]


@given(values)
def test_absent_paths_give_the_nearest_parent(value: Any) -> None:
    text = json.dumps({"a": value})
    assert Locator(text).span(("a", "no such key", 7))[0] >= 0
    assert not Locator(text).exists(("a", "no such key", 7))


def test_camel_case_spelling_is_found() -> None:
    assert Locator('{"evalId": "x"}').span(("eval_id",)) == (11, 14)


def test_duplicate_keys_at_every_depth() -> None:
    text = '{"a": 1, "b": [{"c": 1, "c": 2}], "a": 3}'
    data, duplicates, problem = parse(text)
    assert problem is None and duplicates == {"a", "c"} and data["a"] == 3
    assert [(name, text[s:e]) for name, (s, e) in Locator(text).duplicates()] == [("c", '"c"'), ("a", '"a"')]


@pytest.mark.parametrize(
    ("text", "cause", "at"),
    [
        ('{"a": 1,}', "trailing-comma", ","),
        ("[1, 2,\n]", "trailing-comma", ","),
        ('{"a": 1, // x\n "b": 2}', "comment", "//"),
        ('{"a": 1 /* x */}', "comment", "/*"),
        ("# x\n{}", "comment", "#"),
        ("{'a': 1}", "single-quotes", "'"),
        ('{"a": True}', "literal", "True"),
        ('{"a": undefined}', "literal", "undefined"),
        ('{"a": "b\nc"}', "control-character", "\n"),
        ('{"a": "\\q"}', "escape", "\\q"),
        ('{"a": [1, 2', "truncated", "2"),
        ('{"a": "b', "truncated", '"b'),
        ("{} {}", "extra-data", "{}"),
        ("{a: 1}", "key", "a"),
        ('{"a" 1}', "syntax", "1"),
        ('["a" "b"]', "comma", '"b"'),
        ("", "empty", ""),
        ("   \n", "empty", ""),
    ],
)
def test_causes_are_named_and_located(text: str, cause: str, at: str) -> None:
    data, _, problem = parse(text)
    assert data is None and problem is not None
    assert problem.cause == cause
    assert text[problem.start :].startswith(at) or not at


@given(st.text(max_size=40))
def test_any_text_is_diagnosed(text: str) -> None:
    data, _, problem = parse(text)
    if problem is not None:
        assert data is None and 0 <= problem.start <= len(text) and problem.message and problem.help
    else:
        assert json.loads(text) == data or data != data


def test_messages_of_newer_pythons() -> None:
    """Python 3.13 words a trailing comma differently and points at the comma."""
    assert diagnose('{"a": 1,}', 7, "Illegal trailing comma before end of object").cause == "trailing-comma"
