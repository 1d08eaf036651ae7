"""Whatever a conversation held, the JSON is strict, encodes as UTF-8 and comes back."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_split_eval.record.jsonio import MAX_DEPTH, compact, dumps, plain, write_atomically

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))
ANY_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT | st.integers() | st.none(), inner, max_size=3)
    ),
    max_leaves=12,
)


def strict(text: str) -> object:
    def refuse(name: str) -> object:
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text.encode("utf-8").decode("utf-8"), parse_constant=refuse)


@given(ANY_VALUE)
def test_anything_is_written_as_strict_json_and_read_back(value: object) -> None:
    once = strict(dumps(value))
    assert strict(dumps(once)) == once


@given(ANY_VALUE)
def test_the_short_way_means_the_same(value: object) -> None:
    text = compact(value)
    assert "\n" not in text
    assert strict(text) == strict(dumps(value))


def test_the_short_way_leaves_the_rest_to_the_careful_one() -> None:
    deep: list[object] = []
    for _ in range(2 * MAX_DEPTH):
        deep = [deep]
    for value in (deep, ["x" * 1_000_001, float("nan")], {"a": object}, ["\ud800"]):
        assert compact(value) == dumps(value, indent=None)


@given(st.text(st.characters(codec="utf-8")))
def test_text_survives_to_the_character(text: str) -> None:
    assert strict(dumps({"text": text})) == {"text": text}


def test_lone_surrogates_survive() -> None:
    assert strict(dumps(["\ud800x", "\udc00"])) == ["\ud800x", "\udc00"]


def test_readable_text_stays_readable() -> None:
    assert "退款" in dumps({"a": "退款"})


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        ({1: 2, None: 3, False: 4}, {"1": 2, "null": 3, "false": 4}),
        ((1, 2), [1, 2]),
        (b"a\xff", "a\\xff"),
        (10**2000, hex(10**2000)),
        (Path("a"), "a"),
    ],
)
def test_what_json_does_not_know(value: object, written: object) -> None:
    assert plain(value) == written


def test_endless_nesting_is_cut() -> None:
    value: object = 1
    for _ in range(5000):
        value = [value]
    assert f"deeper than {MAX_DEPTH}" in dumps(value, indent=None)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "sub" / "out.json"
    write_atomically(target, "old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(target, "new")
    assert target.read_text(encoding="utf-8") == "old"
    assert [p.name for p in target.parent.iterdir()] == ["out.json"]
