"""Truncated geometric partition selection: privacy from the exact law, and the sampler against it."""

import decimal
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, CONTEXT, exp_minus, truncated_pmf
from scipy import stats

from dpsql.mechanisms import keep_probability, select_partitions, threshold

BUDGETS = [
    (Fraction(1), Fraction(1, 10**6), 1),
    (Fraction(1), Fraction(1, 10**6), 3),
    (Fraction(1, 10), Fraction(1, 10**5), 1),
    (Fraction(1, 10), Fraction(1, 10), 2),
    (Fraction(5), Fraction(1, 10**9), 4),
    (Fraction(1, 10**6), Fraction(1, 5), 1),
    (Fraction(30), Fraction(9, 10), 1),
    (Fraction(1, 3), Fraction(2, 3), 1),
    (Fraction(1, 3), Fraction(1, 17), 1),
]
ROUNDING = Decimal(10) ** -70


def keep_law(rate: Fraction, k: int) -> list[Decimal]:
    """P(n + Z >= k + 1) for n = 0 .. 2k + 3, by summing the truncated law."""
    pmf = truncated_pmf(rate, k)
    with decimal.localcontext(CONTEXT):
        return [sum(pmf[max(2 * k + 1 - n, 0) :], Decimal(0)) for n in range(2 * k + 4)]


def violates(keep: list[Decimal], rate: Fraction, level: Fraction) -> bool:
    """Whether some neighbouring counts, in either direction, break (rate, level) for keeping or for
    dropping."""
    with decimal.localcontext(CONTEXT):
        growth, delta = 1 / exp_minus(rate), Decimal(level.numerator) / level.denominator + ROUNDING
        pairs = [(x, y) for n in range(len(keep) - 1) for x, y in (keep[n : n + 2], keep[n : n + 2][::-1])]
        return any(x > growth * y + delta or 1 - x > growth * (1 - y) + delta for x, y in pairs)


@pytest.mark.parametrize(("epsilon", "delta", "groups"), BUDGETS)
def test_every_pair_of_neighbouring_counts_is_private(
    epsilon: Fraction, delta: Fraction, groups: int
) -> None:
    k = threshold(epsilon, delta, groups) - 1
    assert not violates(keep_law(epsilon / groups, k), epsilon / groups, delta / groups)


@pytest.mark.parametrize(("epsilon", "delta", "groups"), BUDGETS)
def test_the_threshold_is_the_least_that_is_private(epsilon: Fraction, delta: Fraction, groups: int) -> None:
    k = threshold(epsilon, delta, groups) - 1
    assert k >= 1
    assert violates(keep_law(epsilon / groups, k - 1), epsilon / groups, delta / groups)


def test_two_groups_of_one_unit_together_are_private() -> None:
    """The joint law of g = 2 groups, a unit coming to both: hockey-stick divergence at most delta, both
    ways."""
    epsilon, delta = Fraction(2), Fraction(1, 20)
    k = threshold(epsilon, delta, 2) - 1
    keep = keep_law(epsilon / 2, k)
    with decimal.localcontext(CONTEXT):
        growth = 1 / exp_minus(epsilon)
        worst = max(
            max(divergence(joint(keep, n, m), joint(keep, n + 1, m + 1), growth),
                divergence(joint(keep, n + 1, m + 1), joint(keep, n, m), growth))
            for n in range(2 * k + 2) for m in range(2 * k + 2)
        )  # fmt: skip
        assert Decimal("0.01") < worst <= Decimal(1) / 20


def joint(keep: list[Decimal], n: int, m: int) -> list[Decimal]:
    return [x * y for x in (keep[n], 1 - keep[n]) for y in (keep[m], 1 - keep[m])]


def divergence(p: list[Decimal], q: list[Decimal], growth: Decimal) -> Decimal:
    return sum((max(x - growth * y, Decimal(0)) for x, y in zip(p, q, strict=True)), Decimal(0))


@pytest.mark.parametrize(("epsilon", "delta", "groups"), BUDGETS)
def test_keep_probability_is_the_law(epsilon: Fraction, delta: Fraction, groups: int) -> None:
    k = threshold(epsilon, delta, groups) - 1
    for n, wanted in enumerate(keep_law(epsilon / groups, k)):
        found = keep_probability(n, epsilon=epsilon, delta=delta, groups_per_unit=groups)
        assert found == pytest.approx(float(wanted), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("epsilon", "delta", "groups"), [BUDGETS[i] for i in (0, 3, 5, 7, 8)])
def test_groups_are_kept_at_the_exact_rate_and_no_other(
    epsilon: Fraction, delta: Fraction, groups: int, samples: int
) -> None:
    k = threshold(epsilon, delta, groups) - 1
    repeats = samples // 10
    counts = np.repeat(np.arange(2 * k + 3), repeats)
    kept = select_partitions(counts, epsilon=epsilon, delta=delta, groups_per_unit=groups).reshape(
        -1, repeats
    )
    totals = [int(row.sum()) for row in kept]
    assert lowest_p_value(totals, keep_law(epsilon / groups, k), repeats) > ALARM
    assert lowest_p_value(totals, keep_law(epsilon / groups, k + 1), repeats) < ALARM


def test_the_rate_test_sees_a_scale_off_by_a_third() -> None:
    rate, repeats = Fraction(1), 20_000
    k = threshold(1, Fraction(1, 10**6), 1) - 1
    counts = np.repeat(np.arange(2 * k + 3), repeats)
    kept = select_partitions(counts, epsilon=1, delta=Fraction(1, 10**6), groups_per_unit=1)
    totals = [int(row.sum()) for row in kept.reshape(-1, repeats)]
    for factor in (Fraction(13, 10), Fraction(10, 13)):
        assert lowest_p_value(totals, keep_law(rate * factor, k), repeats) < ALARM


def lowest_p_value(totals: list[int], keep: list[Decimal], repeats: int) -> float:
    return min(
        float(stats.binomtest(total, repeats, min(float(chance), 1.0)).pvalue)
        for total, chance in zip(totals, keep, strict=False)
    )


def test_nobody_is_never_kept_and_a_crowd_always() -> None:
    counts = np.array([0] * 20_000 + [10**18] * 20_000)
    kept = select_partitions(counts, epsilon=1, delta=Fraction(1, 3), groups_per_unit=1)
    assert not kept[:20_000].any() and kept[20_000:].all()


def test_counts_of_any_type_and_shape_are_taken() -> None:
    given = {"epsilon": 1, "delta": Fraction(1, 10**6), "groups_per_unit": 1}
    for counts in (
        np.full((2, 40), 2**62),
        np.full((2, 40), 2**70, dtype=object),
        np.full((2, 40), 200, np.uint8),
    ):
        kept = select_partitions(counts, **given)
        assert kept.shape == (2, 40) and kept.dtype == np.bool_ and kept.all()
    assert select_partitions(np.empty(0, np.int64), **given).shape == (0,)


def test_supports_beyond_int64_are_exact() -> None:
    """At epsilon 2^-80 the support is some 2^80 wide: a count of 2^62 is far below it, one of 2^90 above."""
    given = {"epsilon": Fraction(1, 2**80), "delta": Fraction(1, 2**84), "groups_per_unit": 1}
    counts = np.array([2**62] * 50 + [2**90] * 50, dtype=object)
    kept = select_partitions(counts, **given)
    assert not kept[:50].all() and kept[50:].all()
    assert not select_partitions(np.full(5, 1), **given).any()


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        select_partitions(np.array([3, -1]), epsilon=1, delta=Fraction(1, 9), groups_per_unit=1)
