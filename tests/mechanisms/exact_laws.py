"""The laws by an independent route (decimals of 80 digits), and the chi-square test against them.

A statistical test rejects below p = 1e-11. There are fewer than a hundred of them, so that a false alarm in a
whole run has a probability below 1e-8 under the asymptotic law (cells hold at least 100 expected draws), far
below 1e-6 with room for its inaccuracy in the tail.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
from chances import ALARM as ALARM
from scipy import stats

LEAST_EXPECTED = 100

CONTEXT = decimal.Context(prec=80, Emin=-(10**9), Emax=10**9)


def exp_minus(ratio: Fraction) -> Decimal:
    """exp(-ratio) to 80 digits."""
    return CONTEXT.exp(CONTEXT.divide(Decimal(-ratio.numerator), Decimal(ratio.denominator)))


def laplace_pmf(rate: Fraction, z: int) -> Decimal:
    """P(Z = z) of the discrete Laplace law."""
    with decimal.localcontext(CONTEXT):
        a = exp_minus(rate)
        return (1 - a) / (1 + a) * exp_minus(rate * abs(z))


def laplace_cdf(rate: Fraction, z: int) -> float:
    """P(Z <= z) of the discrete Laplace law."""
    with decimal.localcontext(CONTEXT):
        share = 1 / (1 + exp_minus(rate))
        return float(1 - exp_minus(rate * (z + 1)) * share if z >= 0 else exp_minus(rate * -z) * share)


def truncated_pmf(rate: Fraction, k: int) -> list[Decimal]:
    """P(Z = z) for z = -k .. k, Z discrete Laplace conditioned on [-k, k], by summing the weights."""
    with decimal.localcontext(CONTEXT):
        weights = [exp_minus(rate * abs(z)) for z in range(-k, k + 1)]
        total = sum(weights, Decimal(0))
        return [w / total for w in weights]


def chi_square(observed: Sequence[int], probabilities: Sequence[float]) -> float:
    """The p-value of the counts under the probabilities; thin neighbouring cells are merged."""
    counts, chances = np.asarray(observed, dtype=float), np.asarray(probabilities, dtype=float)
    assert abs(chances.sum() - 1) < 1e-9
    size = counts.sum()
    merged: list[tuple[float, float]] = []
    seen = expected = 0.0
    for count, chance in zip(counts, chances, strict=True):
        seen, expected = seen + count, expected + chance * size
        if expected >= LEAST_EXPECTED:
            merged.append((seen, expected))
            seen = expected = 0.0
    last = merged.pop()
    merged.append((last[0] + seen, last[1] + expected))
    assert len(merged) >= 2, "a test with one cell cannot fail"
    statistic = sum((o - e) ** 2 / e for o, e in merged)
    return float(stats.chi2.sf(statistic, len(merged) - 1))


def laplace_p_value(noise: np.ndarray, rate: Fraction) -> float:
    """Chi-square of noise against the discrete Laplace law, in up to 80 cells of about equal probability."""
    scale = float(1 / rate)
    sizes = {int(-math.log(1 - i / 40) * scale) for i in range(1, 40)}
    cuts = sorted(sizes | {-s - 1 for s in sizes} | {0, -1})
    return binned_p_value(noise, cuts, lambda z: laplace_cdf(rate, z))


def binned_p_value(noise: np.ndarray, cuts: list[int], cdf: Callable[[int], float]) -> float:
    """Chi-square of the cells (-inf, c0], (c0, c1], ..., (cn, inf) against a distribution function."""
    places = np.searchsorted(np.array(cuts, dtype=noise.dtype), noise, side="left")
    ends = [0.0, *(cdf(c) for c in cuts), 1.0]
    return chi_square(np.bincount(places, minlength=len(cuts) + 1), np.diff(ends))
