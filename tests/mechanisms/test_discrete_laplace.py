"""The discrete Laplace mechanism: its law on both samplers, its types, and its accuracy functions."""

import decimal
import math
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from exact_laws import (
    ALARM,
    CONTEXT,
    binned_p_value,
    chi_square,
    exp_minus,
    laplace_cdf,
    laplace_p_value,
    laplace_pmf,
)
from tree_coins import ScriptedCoins, SeededCoins, words

from dpsql.mechanisms import Coins, discrete_laplace, interval_half_width, tail, variance
from dpsql.mechanisms.noise.discrete_laplace import FEW, SAFE, DiscreteLaplace, draw_one, geometric_mechanism

SCALES = [Fraction(3, 10), Fraction(1), Fraction(7), Fraction(70), Fraction(2001, 2), Fraction(10**7)]
HUGE = [Fraction(10**12, 7), Fraction(10**17), Fraction(2**62), Fraction(2**100, 3)]
OFF = [Fraction(13, 10), Fraction(10, 13)]


def noise_of_scale(scale: Fraction, size: int) -> np.ndarray:
    """Noise from the public function: sensitivity / epsilon = scale."""
    zeros = np.zeros(size, dtype=np.int64)
    return discrete_laplace(zeros, sensitivity=scale.numerator, epsilon=Fraction(scale.denominator))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("scale", SCALES + HUGE, ids=str)
def test_many_values_have_the_law_and_no_other_scale(scale: Fraction, samples: int) -> None:
    noise = noise_of_scale(scale, samples)
    assert laplace_p_value(noise, 1 / scale) > ALARM
    for factor in OFF:
        assert laplace_p_value(noise, 1 / (scale * factor)) < ALARM


@pytest.mark.one_in(4)
@pytest.mark.parametrize("scale", [SCALES[0], SCALES[2], SCALES[4], HUGE[-1]], ids=str)
def test_single_values_have_the_law_and_no_other_scale(scale: Fraction, samples: int) -> None:
    coins = Coins()
    noise = np.array([draw_one(1 / scale, coins) for _ in range(samples // 10)], dtype=object)
    assert laplace_p_value(noise, 1 / scale) > ALARM
    for factor in OFF:
        assert laplace_p_value(noise, 1 / (scale * factor)) < ALARM


@pytest.mark.one_in(9)
@pytest.mark.parametrize("scale", [1024, 1500])
def test_the_low_bits_have_their_law(scale: int, samples: int) -> None:
    """Residues modulo 32 see the part below the table; only many draws show that it is not uniform."""
    noise = noise_of_scale(Fraction(scale), max(samples, 10_000_000))
    support = np.arange(-60 * scale, 60 * scale + 1)
    weights = np.exp(-np.abs(support) / scale)
    residues = np.bincount(np.abs(support) % 32, weights=weights / weights.sum(), minlength=32)
    observed = np.bincount(np.abs(noise) % 32, minlength=32)
    assert chi_square(observed, residues) > ALARM
    assert chi_square(observed, uniform_low_bits(residues, scale)) < ALARM


def uniform_low_bits(residues: np.ndarray, scale: int) -> np.ndarray:
    """The residues if the low bits of a magnitude were uniform: without the factors exp(-l / scale)."""
    uniform = residues * np.exp(np.arange(32) / scale)
    return uniform / uniform.sum()


def test_every_single_value_has_its_probability(samples: int) -> None:
    """At scale 40 each value is a cell of its own."""
    cells = list(range(-80, 81))
    rate = Fraction(1, 40)
    assert (
        binned_p_value(noise_of_scale(Fraction(40), samples), cells, lambda z: laplace_cdf(rate, z)) > ALARM
    )


def test_neighbouring_cells_are_independent(samples: int) -> None:
    noise = noise_of_scale(Fraction(7), 2 * samples)
    kinds = np.searchsorted([-5, -1, 4], noise)
    single = np.diff([0.0, *(laplace_cdf(Fraction(1, 7), c) for c in (-5, -1, 4)), 1.0])
    pairs = np.bincount(4 * kinds[::2] + kinds[1::2], minlength=16)
    assert chi_square(pairs, np.outer(single, single).ravel()) > ALARM


def test_the_geometric_mechanism_is_that_of_sensitivity_one(samples: int) -> None:
    noise = geometric_mechanism(np.zeros(samples, np.int64), epsilon=Fraction(1, 3))
    assert laplace_p_value(noise, Fraction(1, 3)) > ALARM
    observed = [int((abs(noise) >= k).sum()) for k in (0, 1, 3, 9)]
    exact = [tail(k, sensitivity=1, epsilon=Fraction(1, 3)) for k in (0, 1, 3, 9)]
    cells, chances = -np.diff([*observed, 0]), -np.diff([*exact, 0])
    assert chi_square(cells.tolist(), chances.tolist()) > ALARM


@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(1, 1000), Fraction(3, 2**70)], ids=str)
def test_one_sided_values_have_the_geometric_law(rate: Fraction, samples: int) -> None:
    values = DiscreteLaplace.of(rate).geometric(samples // 4, Coins())
    cuts = sorted({int(-math.log(1 - i / 30) / rate) for i in range(30)})
    for factor in (1, *OFF):
        cdf = [float(1 - exp_minus(rate * factor * (z + 1))) for z in cuts]
        fits = binned_p_value(values, cuts, dict(zip(cuts, cdf, strict=True)).__getitem__) > ALARM
        assert fits is (factor == 1)


def test_tiny_scales_are_exact() -> None:
    """At epsilon / sensitivity = 1000 only zeros are seen."""
    assert not noise_of_scale(Fraction(1, 1000), 50_000).any()
    assert not noise_of_scale(Fraction(1, 1000), FEW).any()


def test_minus_zero_is_drawn_again() -> None:
    """The word with all bits set is (minus, 0); the one with the lowest bit clear is (plus, 0)."""
    law = DiscreteLaplace.of(Fraction(1))
    top, one = (
        2**64 - 1,
        int(law.high.floors[-2]) << 1,
    )  # one: just at the second floor, so that |Z| is 1 or 2
    script = words(top, top - 1, one + 3, one + 2) + words(top) + words(top - 1)
    assert law.sample(4, ScriptedCoins(script)).tolist() == [0, 0, -1, 1]


def test_the_law_itself_is_private() -> None:
    """pmf(z) <= exp(epsilon / sensitivity) * pmf(z + 1), with equality on one side of zero."""
    rate = Fraction(3, 20)
    with decimal.localcontext(CONTEXT):
        bound = 1 / exp_minus(rate)
        ratios = [laplace_pmf(rate, z) / laplace_pmf(rate, z + 1) for z in range(-50, 50)]
        slack = Decimal(10) ** -70
        assert all(1 / bound - slack <= r <= bound + slack for r in ratios)
        assert max(ratios) > bound - slack


@pytest.mark.parametrize("sensitivity", [1, 2, 3])
def test_no_neighbouring_vectors_are_told_apart_by_more_than_epsilon_and_some_attain_it(
    sensitivity: int,
) -> None:
    """Two cells: all pairs that are at most the sensitivity apart in L1, and all outputs around them."""
    rate = Fraction(2, sensitivity)
    vectors, outputs = list(product(range(4), repeat=2)), list(product(range(-3, 7), repeat=2))
    masses = {z: laplace_pmf(rate, z) for z in range(-6, 7)}
    with decimal.localcontext(CONTEXT):
        ratios = [
            masses[y[0] - x[0]] * masses[y[1] - x[1]] / (masses[y[0] - v[0]] * masses[y[1] - v[1]])
            for x, v in product(vectors, repeat=2)
            if abs(x[0] - v[0]) + abs(x[1] - v[1]) <= sensitivity
            for y in outputs
        ]
        bound = 1 / exp_minus(Fraction(2))
        assert abs(max(ratios) - bound) < Decimal(10) ** -60


@pytest.mark.parametrize("size", [5, 100])
def test_noise_does_not_depend_on_the_values(size: int) -> None:
    zeros, values = np.zeros(size, np.int64), np.arange(size, dtype=np.int64) ** 2 - 50
    first, second = (
        discrete_laplace(v, sensitivity=3, epsilon=Fraction(1, 9), coins=SeededCoins(8))
        for v in (zeros, values)
    )
    assert (second - first).tolist() == values.tolist()


@pytest.mark.parametrize("size", [0, 1, FEW, FEW + 1, 100_000])
@pytest.mark.parametrize("scale", [1, 10**6])
def test_int64_stays_int64_and_the_input_stays_as_it_was(size: int, scale: int) -> None:
    values = np.full(size, -(10**15), dtype=np.int64)
    noisy = discrete_laplace(values, sensitivity=scale, epsilon=1)
    assert noisy.dtype == np.int64 and noisy.shape == (size,)
    assert (values == -(10**15)).all()
    assert np.abs(noisy + 10**15).max(initial=0) < 100 * scale


@pytest.mark.parametrize("size", [3, 100])
@pytest.mark.parametrize("edge", [2**63 - 1, -(2**63), SAFE])
def test_sums_beyond_int64_become_python_ints(size: int, edge: int) -> None:
    noisy = discrete_laplace(np.full(size, edge, dtype=np.int64), sensitivity=5, epsilon=1)
    assert noisy.dtype == object
    assert all(type(v) is int and abs(v - edge) < 1000 for v in noisy)


@pytest.mark.parametrize("size", [3, 100])
def test_python_ints_of_any_size_are_exact(size: int) -> None:
    values = np.array([10**40 + i for i in range(size)], dtype=object)
    noisy = discrete_laplace(values, sensitivity=5, epsilon=1)
    assert noisy.dtype == object
    assert all(type(v) is int and abs(v - w) < 1000 for v, w in zip(noisy, values, strict=True))


@pytest.mark.parametrize("size", [3, 100])
def test_noise_beyond_int64_becomes_python_ints(size: int) -> None:
    noisy = discrete_laplace(np.zeros(size, np.int64), sensitivity=2**100, epsilon=1)
    assert noisy.dtype == object and all(type(v) is int for v in noisy)
    assert max(abs(v) for v in noisy) > 2**90


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.uint64])
def test_every_integer_type_is_taken(dtype: type) -> None:
    noisy = discrete_laplace(np.full((4, 30), 100, dtype=dtype), sensitivity=1, epsilon=1000)
    assert noisy.shape == (4, 30) and (noisy == 100).all()


@pytest.mark.parametrize("sensitivity", [1, 5, 10**6])
@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), Fraction(1, 3), Fraction(1), Fraction(30)])
@pytest.mark.parametrize("beta", [Fraction(1, 20), 0.05, 1e-9, Fraction(1, 10**40), 0.999])
def test_half_width_is_the_least_that_covers(
    sensitivity: int, epsilon: Fraction, beta: Fraction | float
) -> None:
    rate = epsilon / sensitivity
    k = interval_half_width(beta, sensitivity=sensitivity, epsilon=epsilon)
    with decimal.localcontext(CONTEXT):
        a, level = exp_minus(rate), Decimal(Fraction(beta).numerator) / Fraction(beta).denominator
        assert 2 * exp_minus(rate * (k + 1)) / (1 + a) <= level
        assert k == 0 or 2 * exp_minus(rate * k) / (1 + a) > level


@pytest.mark.parametrize("rate", [Fraction(1, 50), Fraction(1), Fraction(20)], ids=str)
def test_tail_and_variance_are_sums_over_the_law(rate: Fraction) -> None:
    given = {"sensitivity": rate.denominator, "epsilon": Fraction(rate.numerator)}
    reach = int(120 / rate) + 2
    pmf = [float(laplace_pmf(rate, z)) for z in range(reach)]
    assert tail(0, **given) == 1.0
    for k in (1, 2, 5, 40):
        assert math.isclose(tail(k, **given), 2 * math.fsum(pmf[k:]), rel_tol=1e-9)
    second_moment = 2 * math.fsum(z * z * p for z, p in enumerate(pmf))
    assert math.isclose(variance(**given), second_moment, rel_tol=1e-9)


def test_the_interval_covers_at_its_stated_rate(samples: int) -> None:
    k = interval_half_width(0.05, sensitivity=1, epsilon=Fraction(1, 30))
    outside = int((np.abs(noise_of_scale(Fraction(30), samples)) > k).sum())
    beyond = tail(k + 1, sensitivity=1, epsilon=Fraction(1, 30))
    assert 0.045 < beyond <= 0.05
    assert chi_square([outside, samples - outside], [beyond, 1 - beyond]) > ALARM
