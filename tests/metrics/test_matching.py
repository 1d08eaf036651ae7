"""Matching against brute force: every order both sides allow, tried one by one."""

from __future__ import annotations

import time
from itertools import combinations, groupby, permutations, product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from adk_split_eval.metrics.matching import FREE, match_in_order, maximum_matching
from adk_split_eval.metrics.trajectory import ExpectedCall, MatchType, match_trajectory
from adk_split_eval.record import Call

accepted = st.sets(st.integers(0, 3), min_size=1, max_size=3)
step_sizes = st.lists(st.integers(1, 3), min_size=0, max_size=4).filter(lambda sizes: sum(sizes) <= 5)


@st.composite
def conversations(draw: Any) -> tuple[list[list[ExpectedCall]], list[Call]]:
    expected = [
        [ExpectedCall("tool", {"x": {"one_of": sorted(draw(accepted))}}) for _ in range(size)]
        for size in draw(step_sizes)
    ]
    actual = [
        Call("tool", {"x": draw(st.integers(0, 3))}, step=3 * index)
        for index, size in enumerate(draw(step_sizes))
        for _ in range(size)
    ]
    return expected, actual


def _orders(groups: list[list[Any]]) -> list[list[Any]]:
    return [
        [call for order in choice for call in order]
        for choice in product(*(list(permutations(group)) for group in groups))
    ]


def _brute(expected: list[list[ExpectedCall]], actual: list[Call], match_type: MatchType) -> bool:
    steps = [list(calls) for _, calls in groupby(actual, key=lambda call: call.step)]
    flat = [call for group in expected for call in group]
    if not flat:
        return not actual
    if match_type == "ANY_ORDER":
        return any(
            all(e.fits(a) for e, a in zip(flat, chosen, strict=True)) for chosen in permutations(actual, len(flat))
        )
    for wanted in _orders(expected):
        for had in _orders(steps):
            if match_type == "EXACT" and len(wanted) != len(had):
                return False
            for chosen in combinations(had, len(wanted)):
                if all(e.fits(a) for e, a in zip(wanted, chosen, strict=True)):
                    return True
    return False


@settings(max_examples=250, deadline=None)
@given(conversations(), st.sampled_from(["EXACT", "IN_ORDER", "ANY_ORDER"]))
def test_trajectories_match_as_brute_force_says(
    case: tuple[list[list[ExpectedCall]], list[Call]], match_type: MatchType
) -> None:
    expected, actual = case
    found = match_trajectory(expected, actual, match_type)
    assert found.matched is _brute(expected, actual, match_type)
    flat = [call for group in expected for call in group]
    if found.matched:
        assert sorted(left for left, _ in found.pairs) == list(range(len(flat)))
        assert not found.reasons
    else:
        assert found.reasons
    assert len({right for _, right in found.pairs}) == len(found.pairs)
    assert all(flat[left].fits(actual[right]) for left, right in found.pairs)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sets(st.integers(0, 4)), max_size=5))
def test_matching_is_a_largest_one(neighbours: list[set[int]]) -> None:
    edges = [sorted(n) for n in neighbours]
    partner = maximum_matching(edges, 5)
    used = [right for right in partner if right != FREE]
    assert len(used) == len(set(used))
    assert all(right == FREE or right in edges[left] for left, right in enumerate(partner))
    best = max(
        sum(1 for x in choice if x is not None)
        for choice in product(*([None, *e] for e in edges))
        if len([x for x in choice if x is not None]) == len({x for x in choice if x is not None})
    )
    assert len(used) == best


def test_a_loose_expectation_does_not_take_the_strict_ones_call() -> None:
    loose, strict = ExpectedCall("tool"), ExpectedCall("tool", {"x": 1})
    for match_type in ("IN_ORDER", "ANY_ORDER", "EXACT"):
        actual = [Call("tool", {"x": 1}, step=0), Call("tool", {"x": 2}, step=0)]
        assert match_trajectory([[loose], [strict]], actual, match_type).matched
    assert match_trajectory(
        [[loose, strict]], [Call("tool", {"x": 1}, step=0), Call("tool", {"x": 2}, step=1)], "EXACT"
    ).matched


def test_two_sets_may_share_a_step_and_a_set_may_span_steps() -> None:
    a, b, c = (ExpectedCall(name) for name in "abc")
    assert match_trajectory([[a, b], [c]], [Call("b", step=0), Call("c", step=1), Call("a", step=1)], "EXACT").matched
    assert not match_trajectory(
        [[a, b], [c]], [Call("c", step=0), Call("a", step=1), Call("b", step=1)], "EXACT"
    ).matched


def _asked(pairs: int) -> int:
    """How many comparisons a hopeless in-order match of ``pairs`` expected and actual calls makes."""
    asked = 0

    def fits(left: int, right: int) -> bool:
        nonlocal asked
        asked += 1
        return left != pairs - 1

    assert match_in_order([1] * pairs, [1] * pairs, fits) is None
    return asked


def test_in_order_asks_about_each_call_a_bounded_number_of_times() -> None:
    assert _asked(400) <= 4 * _asked(200) <= 4 * 200 * 4


def test_hundreds_of_alike_calls_take_no_exponential_time() -> None:
    size = 300
    start = time.process_time()
    expected = [[ExpectedCall("tool", {"x": {"lt": size}}) for _ in range(size)]]
    actual = [Call("tool", {"x": index}, step=index) for index in range(size - 1)] + [
        Call("tool", {"x": size}, step=size)
    ]
    for match_type in ("EXACT", "IN_ORDER", "ANY_ORDER"):
        assert not match_trajectory(expected, actual, match_type).matched
    long_chain = [sorted({index, min(index + 1, 1999)}) for index in range(2000)] + [[0]]
    assert maximum_matching(long_chain, 2000).count(FREE) == 1
    assert time.process_time() - start < 20
