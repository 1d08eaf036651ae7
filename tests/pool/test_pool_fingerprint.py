"""The same fault has the same fingerprint, whatever varies between two conversations."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from adk_split_eval.pool.fingerprint import calls_that_matter, content_hash, fingerprint, kin, normalised_reason
from adk_split_eval.record import Call, Turn


def mark(reason: str, *, case: str = "S-1", criterion: str = "grounded_numbers_v1", calls: tuple[str, ...] = ()) -> str:
    return fingerprint(case, criterion, "deterministic", [reason], calls)


@settings(max_examples=100, deadline=None)
@given(st.uuids(), st.uuids(), st.datetimes(), st.datetimes(), st.integers(0, 99999), st.integers(0, 99999))
def test_ids_times_numbers_and_turns_do_not_count(a: Any, b: Any, t: Any, u: Any, n: int, m: int) -> None:
    one = f"turn {n}: call {a} at {t.isoformat()} adk-{a.hex}: 'he owes {n} yuan, by {t.date()}' has no source"
    two = f"turn {m}: call {b} at {u.isoformat()} adk-{b.hex}: 'she owes {m}.50 dollars soon' has no source"
    assert mark(one) == mark(two)


def test_case_criterion_kind_of_reason_and_calls_count() -> None:
    base = mark("turn 1: 'payment_charge' was called")
    assert base != mark("turn 1: 'payment_charge' was called", case="S-2")
    assert base != mark("turn 1: 'payment_charge' was called", criterion="x")
    assert base != mark("turn 1: 'address_update' was called")
    assert base != mark("turn 1: 'payment_charge' was called", calls=("order_lookup",))


def test_a_judged_reason_does_not_count() -> None:
    first = fingerprint("S-1", "hallucinations_v1", "judged", ["The agent made up a date."], [])
    assert first == fingerprint("S-1", "hallucinations_v1", "judged", ["An invented date, says the judge"], [])


def test_equal_kin_in_two_cases() -> None:
    assert kin("c", "deterministic", ["turn 1: x"], []) == kin("c", "deterministic", ["turn 2: x"], [])


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.lists(st.integers()), max_size=6))
def test_order_of_keys_does_not_count(data: dict[str, Any]) -> None:
    keys = list(data)
    random.Random(7).shuffle(keys)
    assert content_hash(data) == content_hash({k: data[k] for k in keys})


def test_widths_and_cases_of_letters_do_not_count() -> None:
    assert normalised_reason("Turn ２: ＡＢＣ  said") == normalised_reason("turn 2: abc said")


def test_calls_by_name_without_arguments() -> None:
    turn = Turn(
        "u", [Call("a", {"id": 1}), Call("a", {"id": 2}), Call("transfer_to_agent", {"agent_name": "x"}), Call("a")]
    )
    assert calls_that_matter(turn) == ["a", "transfer_to_agent(x)", "a"]
    assert calls_that_matter(None) == []


def test_it_is_the_same_in_every_process() -> None:
    assert mark("turn 3: no source") == "037bb8601f38104523b90d66cf0b0974"
