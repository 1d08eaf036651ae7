"""The statistics against scipy, and against values that stand in the literature."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_split_eval.run.statistics import (
    binomial_cdf,
    clopper_pearson,
    krippendorff_alpha,
    pass_hat,
    too_few,
    wilson,
)


@pytest.mark.parametrize("trials", [1, 2, 5, 30, 200])
def test_intervals_against_scipy(trials: int) -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    for successes in sorted({0, 1, trials // 3, trials // 2, trials - 1, trials}):
        test = scipy_stats.binomtest(successes, trials)
        for method, ours in (("wilson", wilson), ("exact", clopper_pearson)):
            theirs = test.proportion_ci(method=method)
            assert ours(successes, trials) == pytest.approx((theirs.low, theirs.high), abs=1e-9), (method, successes)


def test_cdf_against_scipy() -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    for most, trials, share in itertools.product((0, 3, 10), (10, 40), (0.0, 0.1, 0.5, 0.99, 1.0)):
        assert binomial_cdf(most, trials, share) == pytest.approx(scipy_stats.binom.cdf(most, trials, share), abs=1e-12)


def test_five_of_five_is_compatible_with_57_percent() -> None:
    assert wilson(5, 5)[0] == pytest.approx(0.5655, abs=1e-4)
    assert too_few(5, 5) == pytest.approx(0.5655, abs=1e-4)
    assert too_few(4, 5) is None
    assert too_few(35, 35) is None
    assert too_few(34, 34) is not None
    assert wilson(0, 0) == clopper_pearson(0, 0) == (0.0, 1.0)


@given(st.integers(0, 12), st.integers(1, 12), st.integers(1, 12))
def test_pass_hat_is_the_share_of_draws_that_all_pass(passes: int, trials: int, k: int) -> None:
    passes, k = min(passes, trials), min(k, trials)
    outcomes = [True] * passes + [False] * (trials - passes)
    draws = list(itertools.combinations(outcomes, k))
    assert pass_hat(passes, trials, k) == pytest.approx(sum(all(d) for d in draws) / len(draws))


@pytest.mark.parametrize("trials", [1, 2, 5, 40, 500])
def test_pass_hat_against_scipy(trials: int) -> None:
    """Drawing k of the trials without putting them back: the chance that all k passed is hypergeometric."""
    scipy_stats = pytest.importorskip("scipy.stats")
    for passes in sorted({0, 1, trials // 2, trials - 1, trials}):
        for k in sorted({1, 2, trials // 3 + 1, trials} & set(range(1, trials + 1))):
            oracle = scipy_stats.hypergeom.pmf(k, trials, passes, k)
            assert pass_hat(passes, trials, k) == pytest.approx(oracle, abs=1e-9), (passes, k)


def test_pass_hat_refuses_more_than_there_are() -> None:
    with pytest.raises(ValueError, match=r"pass\^3 needs at least 3 trials, there are 2"):
        pass_hat(2, 2, 3)


# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability": examples B (two observers, binary), C (two observers,
# nominal) and D (four observers, missing values).
BINARY = ("0100000000", "1110010010")
NOMINAL = ("aabbdcccedda", "babbbccceddd")
MISSING = ("123321412***", "1233224125*3", "*3332342251*", "12332441251*")


def columns(rows: tuple[str, ...]) -> list[list[str | None]]:
    return [[None if v == "*" else v for v in column] for column in zip(*rows, strict=True)]


def test_alpha_of_the_published_examples() -> None:
    assert krippendorff_alpha(columns(BINARY)) == pytest.approx(0.095, abs=5e-4)
    assert krippendorff_alpha(columns(NOMINAL)) == pytest.approx(0.692, abs=5e-4)
    assert krippendorff_alpha(columns(MISSING)) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha([list("aa"), list("bb"), list("ab"), list("bb")]) == pytest.approx(by_hand(), abs=1e-12)


def by_hand() -> float:
    """Four units, two observers: a a, b b, a b, b b. Coincidences aa 2, ab 1, ba 1, bb 4; totals a 3, b 5, n 8."""
    return 1 - (8 - 1) * 2 / (3 * 5 * 2)


@settings(deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=3, max_size=3), min_size=2, max_size=15),
)
def test_alpha_against_nltk(units: list[list[str | None]]) -> None:
    """NLTK computes it from disagreements between pairs of annotators, not from a table of coincidences."""
    agreement = pytest.importorskip("nltk.metrics.agreement")
    comparable = [unit for unit in units if sum(value is not None for value in unit) >= 2]
    data = [
        (str(coder), str(number), value)
        for number, unit in enumerate(comparable)
        for coder, value in enumerate(unit)
        if value is not None
    ]
    ours = krippendorff_alpha(units)
    if len({value for _, _, value in data}) < 2:
        assert ours is None
        return
    assert ours == pytest.approx(agreement.AnnotationTask(data=data).alpha(), abs=1e-9)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=20))
def test_alpha_of_two_judges_is_scotts_pi_for_small_samples(units: list[tuple[str, str]]) -> None:
    """With n values in all: 1 - alpha = (1 - pi) (n - 1) / n (Krippendorff 2004)."""
    values = [value for unit in units for value in unit]
    expected = sum((values.count(v) / len(values)) ** 2 for v in set(values))
    if expected == 1:
        assert krippendorff_alpha(units) is None
        return
    pi = (sum(a == b for a, b in units) / len(units) - expected) / (1 - expected)
    assert krippendorff_alpha(units) == pytest.approx(1 - (1 - pi) * (len(values) - 1) / len(values), abs=1e-9)


def test_alpha_at_its_edges() -> None:
    assert krippendorff_alpha([]) is None
    assert krippendorff_alpha([["a", None], [None, "b"]]) is None, "nothing can be compared"
    assert krippendorff_alpha([["a", "a"]] * 5) is None, "no variation: not defined"
    assert krippendorff_alpha([["a", "a"], ["b", "b"]]) == 1.0
    worse = krippendorff_alpha([["a", "b"], ["b", "a"], ["a", "b"]])
    assert worse is not None
    assert worse < 0


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("ab"), st.sampled_from([None, "a", "b"])), max_size=12)
)
def test_alpha_does_not_depend_on_who_is_who(units: list[tuple[str, str, str | None]]) -> None:
    one = krippendorff_alpha(units)
    other = krippendorff_alpha([tuple(reversed(u)) for u in reversed(units)])
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert math.isclose(one, other, abs_tol=1e-12)
        assert one <= 1.0
