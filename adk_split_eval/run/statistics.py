"""The few statistics that reports state, by hand: intervals of a proportion, pass^k, agreement with people."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

Z95 = 1.959963984540054


def wilson(successes: int, trials: int, z: float = Z95) -> tuple[float, float]:
    """Wilson score interval of a proportion (Wilson 1927), 95 % unless ``z`` says otherwise; (0, 1) without trials."""
    if trials <= 0:
        return 0.0, 1.0
    share = successes / trials
    centre = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Exact interval of a proportion (Clopper and Pearson 1934): never narrower than it claims; (0, 1) without trials."""
    if trials <= 0:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else _root(lambda p: 1 - binomial_cdf(successes - 1, trials, p) - tail)
    high = 1.0 if successes == trials else _root(lambda p: tail - binomial_cdf(successes, trials, p))
    return low, high


def binomial_cdf(most: int, trials: int, share: float) -> float:
    """The chance of at most ``most`` successes."""
    if most >= trials:
        return 1.0
    if share <= 0.0 or share >= 1.0:
        return 1.0 if share <= 0.0 else 0.0
    logs = math.log(share), math.log1p(-share)
    return math.fsum(
        math.exp(
            math.lgamma(trials + 1)
            - math.lgamma(k + 1)
            - math.lgamma(trials - k + 1)
            + k * logs[0]
            + (trials - k) * logs[1]
        )
        for k in range(most + 1)
    )


def _root(rising: Callable[[float], float]) -> float:
    """Where a function that rises on [0, 1] is zero, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def pass_hat(passes: int, trials: int, k: int) -> float:
    """pass^k: the unbiased estimate of "k independent trials all pass", C(passes, k) / C(trials, k).

    As in tau-bench (Yao et al. 2024), from the estimator of pass@k (Chen et al. 2021).

    Raises:
        ValueError: ``k`` is not in 1..trials.
    """
    if not 1 <= k <= trials:
        raise ValueError(f"pass^{k} needs at least {k} trials, there are {trials}")
    return math.comb(passes, k) / math.comb(trials, k)


def too_few(successes: int, trials: int, *, worth: float = 0.9) -> float | None:
    """The lower Wilson bound when every trial succeeded and that still allows a rate under ``worth``; else None."""
    low, _ = wilson(successes, trials)
    return low if trials and successes == trials and low < worth else None


def krippendorff_alpha(units: Iterable[Sequence[Hashable | None]]) -> float | None:
    """Krippendorff's alpha for nominal values (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability").

    Args:
        units: one sequence a judged thing, holding what each judge said of it; None where one said nothing.

    Returns:
        1 for full agreement, 0 for what chance gives, below 0 for worse; None when nothing can be compared or when all
        values are the same, where alpha is not defined.
    """
    weights: dict[tuple[Hashable, Hashable], float] = {}
    for unit in units:
        counts = Counter(value for value in unit if value is not None)
        said = sum(counts.values())
        if said < 2:
            continue
        for one, ones in counts.items():
            for other, others in counts.items():
                number = ones * (others - 1) if one == other else ones * others
                weights[one, other] = weights.get((one, other), 0.0) + number / (said - 1)
    totals: dict[Hashable, float] = {}
    for (one, _), weight in weights.items():
        totals[one] = totals.get(one, 0.0) + weight
    everything = math.fsum(totals.values())
    observed = math.fsum(weight for (one, other), weight in weights.items() if one != other)
    expected = everything * everything - math.fsum(total * total for total in totals.values())
    if everything <= 1 or expected == 0:
        return None
    return 1 - (everything - 1) * observed / expected
