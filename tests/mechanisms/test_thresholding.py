"""Laplace and Gaussian thresholding: the threshold and its privacy from the exact laws, and the samplers."""

import decimal
import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, CONTEXT, chi_square, exp_minus, laplace_cdf
from scipy import stats

from dpsql.mechanisms import gaussian_thresholding, keep_probability, laplace_thresholding
from dpsql.mechanisms.noise.discrete_laplace import DiscreteLaplace
from dpsql.mechanisms.partition.thresholding import (
    gaussian_threshold,
    laplace_threshold,
    release_probability,
    row_threshold,
)

BUDGETS = [
    (Fraction(1), Fraction(1, 10**6), 1),
    (Fraction(1), Fraction(1, 10**6), 5),
    (Fraction(1, 10), Fraction(1, 100), 3),
    (Fraction(4), Fraction(1, 10**9), 2),
    (Fraction(1), Fraction(1, 3), 1),
    (Fraction(1), Fraction(9, 10), 2),
    (Fraction(2), Fraction(1, 10**40), 1000),
    (Fraction(1), 1 - Fraction(1, 10**18), 1),
]


def dropped(rate: Fraction, tau: int, groups: int) -> Decimal:
    """1 - (1 - P(1 + Z >= tau))^g, Z discrete Laplace."""
    with decimal.localcontext(CONTEXT):
        reached = exp_minus(rate * (tau - 1)) / (1 + exp_minus(rate))
        return 1 - (1 - reached) ** groups


@pytest.mark.parametrize(("epsilon", "delta", "groups"), BUDGETS)
def test_the_laplace_threshold_is_the_least_that_is_rare_enough(
    epsilon: Fraction, delta: Fraction, groups: int
) -> None:
    tau = laplace_threshold(epsilon, delta, groups)
    level = Decimal(delta.numerator) / delta.denominator
    assert tau >= 2
    assert dropped(epsilon / groups, tau, groups) <= level
    assert tau == 2 or dropped(epsilon / groups, tau - 1, groups) > level


@pytest.mark.parametrize(
    ("rho", "delta", "groups"),
    [(Fraction(1, 2), Fraction(1, 10**6), 1), (Fraction(1, 200), Fraction(1, 10**4), 3),
     (Fraction(5), Fraction(1, 10**9), 2), (Fraction(1, 2), Fraction(1, 4), 1),
     (Fraction(1, 50), Fraction(1, 10**60), 40)],
)  # fmt: skip
def test_the_gaussian_threshold_is_the_least_that_is_rare_enough(
    rho: Fraction, delta: Fraction, groups: int
) -> None:
    tau, two_sigma_squared = gaussian_threshold(rho, delta, groups), groups / rho
    with decimal.localcontext(CONTEXT):
        reach = 40 * (int(float(two_sigma_squared) ** 0.5) + 1)
        weights = [exp_minus(z * z / two_sigma_squared) for z in range(reach)]
        total = 2 * sum(weights) - 1

        def some(least: int) -> Decimal:
            return 1 - (1 - sum(weights[least - 1 :]) / total) ** groups

        level = Decimal(delta.numerator) / delta.denominator
        assert tau >= 2
        assert some(tau) <= level
        assert tau == 2 or some(tau - 1) > level


Law = dict[tuple[int, ...], float]
REACH = 60


def noisy_law(counts: tuple[int, ...], rate: float, tau: int) -> Law:
    """The law of the released counts (-1: not released), numbers above REACH being left out."""

    def one(n: int) -> dict[int, float]:
        if n == 0:
            return {-1: 1.0}
        share = (1 - math.exp(-rate)) / (1 + math.exp(-rate))
        shown = {v: share * math.exp(-rate * abs(v - n)) for v in range(tau, REACH)}
        return {-1: 1 - math.exp(-rate * (tau - n)) / (1 + math.exp(-rate)), **shown}

    laws = [one(n) for n in counts]
    return {
        values: math.prod(law[v] for law, v in zip(laws, values, strict=True))
        for values in itertools.product(*laws)
    }


def divergence(p: Law, q: Law, growth: float) -> float:
    return math.fsum(max(x - growth * q.get(v, 0.0), 0.0) for v, x in p.items())


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(Fraction(2), Fraction(1, 50)), (Fraction(1), Fraction(1, 5))]
)
def test_what_is_released_of_two_groups_is_private_together(epsilon: Fraction, delta: Fraction) -> None:
    """A unit comes to both of two groups: the hockey-stick divergence is at most delta, and delta is used up."""
    tau, rate, growth = laplace_threshold(epsilon, delta, 2), float(epsilon) / 2, math.exp(epsilon)
    worst = 0.0
    for before in itertools.product(range(min(tau, 5)), repeat=2):
        p, q = noisy_law(before, rate, tau), noisy_law((before[0] + 1, before[1] + 1), rate, tau)
        worst = max(worst, divergence(p, q, growth), divergence(q, p, growth))
    assert float(delta) * 0.3 < worst <= float(delta) + 1e-9
    p, q = noisy_law((0, 0), rate, tau - 1), noisy_law((1, 1), rate, tau - 1)
    assert divergence(q, p, growth) > float(delta)


def splits(rows: int, groups: int) -> set[tuple[int, ...]]:
    """All ways to have at most so many rows in at most so many groups, none empty."""
    return {
        tuple(sorted(n for n in split if n))
        for split in itertools.product(range(rows + 1), repeat=groups)
        if sum(split) <= rows
    }


@pytest.mark.parametrize("delta", [Fraction(1, 10**6), Fraction(1, 50), Fraction(1, 3), Fraction(9, 10)])
@pytest.mark.parametrize(("rows", "groups"), [(1, 1), (1, 4), (2, 2), (3, 2), (5, 1), (6, 3), (8, 4), (5, 5)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 3), Fraction(1), Fraction(20)])
def test_the_threshold_of_rows_is_the_least_for_the_worst_of_all_splits(
    epsilon: Fraction, delta: Fraction, rows: int, groups: int
) -> None:
    """However a unit's rows are split over groups, none of these is released but with probability delta."""
    tau, rate = row_threshold(epsilon, delta, groups, rows), epsilon / rows
    with decimal.localcontext(CONTEXT):
        level = Decimal(delta.numerator) / delta.denominator

        def some(split: tuple[int, ...], least: int) -> Decimal:
            share = 1 + exp_minus(rate)
            return 1 - math.prod((1 - exp_minus(rate * (least - n)) / share for n in split), start=Decimal(1))

        every = splits(rows, groups)
        assert tau > rows
        assert all(some(split, tau) <= level for split in every)
        assert tau == rows + 1 or any(some(split, tau - 1) > level for split in every)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("epsilon", "delta"), [(Fraction(2), Fraction(1, 50)), (Fraction(1), Fraction(1, 5))]
)
def test_rows_of_two_groups_are_private_together(epsilon: Fraction, delta: Fraction) -> None:
    """A unit has up to three rows in two groups: the divergence is at most delta, and delta is used up."""
    tau, rate, growth = row_threshold(epsilon, delta, 2, 3), float(epsilon) / 3, math.exp(epsilon)
    worst = too_low = 0.0
    for before in itertools.product(range(4), repeat=2):
        for rows in ((3, 0), (0, 3), (2, 1), (1, 2), (1, 1), (1, 0)):
            after = (before[0] + rows[0], before[1] + rows[1])
            p, q = noisy_law(before, rate, tau), noisy_law(after, rate, tau)
            worst = max(worst, divergence(p, q, growth), divergence(q, p, growth))
            p, q = noisy_law(before, rate, tau - 1), noisy_law(after, rate, tau - 1)
            too_low = max(too_low, divergence(q, p, growth))
    assert float(delta) * 0.3 < worst <= float(delta) + 1e-9
    assert too_low > float(delta)


def test_counts_are_released_at_the_exact_rate_and_no_other(samples: int) -> None:
    epsilon, delta, groups, n = Fraction(3, 4), Fraction(1, 50), 3, 15
    given = {"epsilon": epsilon, "delta": delta, "groups_per_unit": groups}
    tau = laplace_threshold(**given)
    counts = laplace_thresholding(np.full(samples, n), **given).counts
    seen = [samples - counts.size, *((counts == v).sum() for v in range(tau, 40)), (counts >= 40).sum()]

    def chances(rate: Fraction) -> np.ndarray:
        ends = [laplace_cdf(rate, v - n) for v in range(tau - 1, 40)]
        return np.diff([0.0, *ends, 1.0])

    assert chi_square(seen, chances(epsilon / groups)) > ALARM
    for factor in (Fraction(13, 10), Fraction(10, 13)):
        assert chi_square(seen, chances(epsilon / groups * factor)) < ALARM
    assert stats.binomtest(counts.size, samples, release_probability(n, **given)).pvalue > ALARM


def test_gaussian_counts_are_released_at_the_exact_rate_and_no_other(samples: int) -> None:
    rho, groups, n = Fraction(1, 40), 2, 25
    given = {"rho": rho, "delta": Fraction(1, 50), "groups_per_unit": groups}
    tau = gaussian_threshold(**given)
    counts = gaussian_thresholding(np.full(samples, n), **given).counts
    seen = [samples - counts.size, *((counts == v).sum() for v in range(tau, 45)), (counts >= 45).sum()]

    def chances(sigma_squared: float) -> np.ndarray:
        z = np.arange(-400, 401)
        weights = np.exp(-(z**2) / (2 * sigma_squared))
        running = np.cumsum(weights / weights.sum())
        return np.diff([0.0, *(running[400 + v - n] for v in range(tau - 1, 45)), 1.0])

    assert chi_square(seen, chances(40)) > ALARM
    for factor in (1.3**2, 1.3**-2):
        assert chi_square(seen, chances(40 * factor)) < ALARM


@pytest.mark.parametrize("release", [
    lambda counts: laplace_thresholding(counts, epsilon=1, delta=Fraction(1, 3), groups_per_unit=1),
    lambda counts: gaussian_thresholding(counts, rho=1, delta=Fraction(1, 3), groups_per_unit=1),
])  # fmt: skip
def test_a_group_of_nobody_is_never_released_and_a_crowd_always(release: object) -> None:
    counts = np.array([0, 10**18] * 5_000)
    released = release(counts)  # type: ignore[operator]
    assert released.groups.tolist() == list(range(1, 10_000, 2))
    assert np.abs(released.counts - 10**18).max() < 100
    assert release(np.empty(0, np.int64)).groups.size == 0  # type: ignore[operator]
    with pytest.raises(ValueError, match="cannot be negative"):
        release(np.array([1, -1]))  # type: ignore[operator]
    with pytest.raises(ValueError, match="one-dimensional"):
        release(np.ones((2, 2), np.int64))  # type: ignore[operator]


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(4)])
def test_truncated_noise_keeps_more_groups(epsilon: Fraction) -> None:
    """Which is why thresholding is for where a noisy count is released anyway."""
    given = {"epsilon": epsilon, "delta": Fraction(1, 10**6), "groups_per_unit": 1}
    sizes = range(2 * laplace_threshold(**given))
    kept, released = ([of(n, **given) for n in sizes] for of in (keep_probability, release_probability))
    assert math.fsum(kept) > math.fsum(released)
    assert all(more >= fewer - 1e-12 for more, fewer in zip(kept[1:], released, strict=False))


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [({"epsilon": 0}, ValueError, "epsilon"), ({"epsilon": 1.0}, TypeError, "epsilon"),
     ({"delta": 0}, ValueError, "delta"), ({"delta": 1e-6}, TypeError, "delta"),
     ({"groups_per_unit": 0}, ValueError, "at least 1"), ({"groups_per_unit": True}, TypeError, "integer")],
)  # fmt: skip
def test_bad_parameters_are_refused(change: dict[str, object], error: type, words: str) -> None:
    given = {"epsilon": 1, "delta": Fraction(1, 9), "groups_per_unit": 1, **change}
    with pytest.raises(error, match=words):
        laplace_thresholding(np.ones(3, np.int64), **given)  # type: ignore[arg-type]
    rest = {("rho" if name == "epsilon" else name): value for name, value in given.items()}
    with pytest.raises(error, match=words.replace("epsilon", "rho")):
        gaussian_thresholding(np.ones(3, np.int64), **rest)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [0, 1, 5, 14, 15, 30])
def test_the_release_probability_is_the_law(n: int) -> None:
    given = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6), "groups_per_unit": 1}
    expected = 0.0 if n == 0 else 1 - laplace_cdf(Fraction(1), laplace_threshold(**given) - n - 1)
    assert release_probability(n, **given) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("rows", "moved"), [(None, 2), (6, 6)])
def test_the_noise_is_for_what_a_unit_adds(rows: int | None, moved: int) -> None:
    rates: list[Fraction] = []

    def law(rate: Fraction) -> DiscreteLaplace:
        rates.append(rate)
        return DiscreteLaplace.of(rate)

    counts = np.full(2_000, 10**6)  # for few numbers no table is made
    asked = {"epsilon": Fraction(1, 2), "delta": Fraction(1, 100), "groups_per_unit": 2}
    laplace_thresholding(counts, **asked, rows_per_unit=rows, laws=law)
    assert set(rates) == {Fraction(1, 2) / moved}
