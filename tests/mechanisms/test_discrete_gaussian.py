"""The discrete Gaussian mechanism: its law, its two guarantees from the exact law, and its accuracy."""

import decimal
import doctest
import itertools
import math
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, CONTEXT, binned_p_value, chi_square, exp_minus
from tree_coins import SeededCoins

from dpsql.mechanisms import Coins
from dpsql.mechanisms.analysis.composition import zcdp_epsilon
from dpsql.mechanisms.noise.discrete_gaussian import (
    FEW,
    SUMMED,
    _euler_maclaurin,
    _Proposal,
    _summed,
    delta,
    discrete_gaussian,
    interval_half_width,
    sample,
    sigma_squared_for,
    tail,
    tail_bounds,
    variance,
)

MODULE = sys.modules["dpsql.mechanisms.noise.discrete_gaussian"]
SQUARES = [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(400), Fraction(10**5, 7)]
HUGE = [Fraction(10**14), Fraction(10**18, 7), Fraction(2**70)]
N = 1_000_000
MILLIONTH = Fraction(1, 10**6)


def weights(sigma_squared: Fraction) -> np.ndarray:
    """The law on -reach .. reach in floats."""
    reach = int(12 * math.sqrt(sigma_squared)) + 4
    masses = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * float(sigma_squared)))
    return np.asarray(masses / masses.sum())


def cdf_of(sigma_squared: Fraction) -> Callable[[int], float]:
    if sigma_squared > 10**8:  # the theta sum and the middle of a step are exact to 1e-10 here
        return lambda z: math.erfc(-(z + 0.5) / math.sqrt(2 * float(sigma_squared))) / 2
    masses = weights(sigma_squared)
    sums, reach = np.cumsum(masses), len(masses) // 2
    return lambda z: float(sums[min(max(z + reach, 0), 2 * reach)])


def p_value(noise: np.ndarray, sigma_squared: Fraction) -> float:
    sigma = math.sqrt(sigma_squared)
    cuts = sorted(
        {int(sigma * x) for x in np.linspace(0, 3, 40)} | {-int(sigma * x) - 1 for x in np.linspace(0, 3, 40)}
    )
    return binned_p_value(noise, cuts, cdf_of(sigma_squared))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("sigma_squared", SQUARES, ids=str)
def test_a_million_values_have_the_law_and_no_other_scale(sigma_squared: Fraction) -> None:
    noise = sample(N, sigma_squared, Coins())
    assert p_value(noise, sigma_squared) > ALARM
    for factor in (Fraction(13, 10), Fraction(10, 13)):
        assert p_value(noise, sigma_squared * factor**2) < ALARM


@pytest.mark.parametrize("sigma_squared", HUGE, ids=str)
def test_values_of_a_large_scale_have_the_law_and_no_other(sigma_squared: Fraction) -> None:
    noise = sample(50_000, sigma_squared, Coins())
    assert p_value(noise, sigma_squared) > ALARM
    for factor in (Fraction(13, 10), Fraction(10, 13)):
        assert p_value(noise, sigma_squared * factor**2) < ALARM


@pytest.mark.one_in(4)
@pytest.mark.parametrize("sigma_squared", [SQUARES[0], SQUARES[2], HUGE[0]], ids=str)
def test_single_values_have_the_law_and_no_other_scale(sigma_squared: Fraction) -> None:
    coins = Coins()
    noise = np.array([int(sample(1, sigma_squared, coins)[0]) for _ in range(12_000)])
    assert p_value(noise, sigma_squared) > ALARM
    for factor in (Fraction(13, 10), Fraction(10, 13)):
        assert p_value(noise, sigma_squared * factor**2) < ALARM


@pytest.mark.parametrize("sigma_squared", [*SQUARES, *HUGE, Fraction(99, 100), Fraction(10**30, 3)], ids=str)
def test_proposal_and_coin_multiply_to_the_law_exactly(sigma_squared: Fraction) -> None:
    """r |y| plus the coin's exponent is y^2 / (2 sigma^2) plus a constant, in fractions."""
    proposal = _Proposal.of(sigma_squared)

    def exponent(y: int) -> Fraction:
        gap = abs(y) * proposal.unit - proposal.centre
        return proposal.rate * abs(y) + Fraction(gap**2 * proposal.factor, proposal.whole)

    constants = {
        exponent(y) - Fraction(y**2) / (2 * sigma_squared) for y in (*range(-20, 20), 10**9, -(10**20))
    }
    assert len(constants) == 1


@pytest.mark.parametrize("sigma_squared", [Fraction(1, 50), *SQUARES, Fraction(399, 100)], ids=str)
def test_fewer_than_five_proposals_in_nine_are_rejected(sigma_squared: Fraction) -> None:
    proposal, rate = _Proposal.of(sigma_squared), float(_Proposal.of(sigma_squared).rate)
    ys = np.arange(0, 60 * int(math.sqrt(sigma_squared) + 1))
    proposed = (1 - math.exp(-rate)) / (1 + math.exp(-rate)) * np.exp(-rate * ys) * np.where(ys, 2, 1)
    accepted = np.exp(-((ys - float(proposal.rate * sigma_squared)) ** 2) / (2 * float(sigma_squared)))
    assert 4 / 9 < (proposed * accepted).sum() <= 1


@pytest.mark.one_in(6)
@pytest.mark.parametrize("sigma_squared", [Fraction(1, 3), Fraction(2), Fraction(20)], ids=str)
@pytest.mark.parametrize("alpha", [Fraction(3, 2), Fraction(2), Fraction(7)], ids=str)
def test_rho_bounds_the_renyi_divergence_and_is_attained(sigma_squared: Fraction, alpha: Fraction) -> None:
    """From the exact law shifted by 1, 2 and 3: equality wherever alpha times the shift is whole."""
    with decimal.localcontext(CONTEXT):
        for shift in (1, 2, 3):
            allowed = Decimal(alpha.numerator) / alpha.denominator * shift**2
            allowed *= Decimal(sigma_squared.denominator) / (2 * sigma_squared.numerator)
            divergence = renyi(sigma_squared, alpha, shift)
            assert divergence <= allowed + Decimal(10) ** -60
            if (alpha * shift).denominator == 1:
                assert divergence >= allowed - Decimal(10) ** -60


def renyi(sigma_squared: Fraction, alpha: Fraction, shift: int) -> Decimal:
    """ln(sum of p(y)^alpha p(y - shift)^(1 - alpha)) / (alpha - 1)."""
    reach = int(30 * math.sqrt(sigma_squared) * float(alpha) + 60)
    norm = sum(
        (exp_minus(Fraction(y * y) / (2 * sigma_squared)) for y in range(-reach, reach + 1)), Decimal(0)
    )
    moment = Decimal(0)
    for y in range(-reach, reach + 1):
        exponent = alpha * y * y + (1 - alpha) * (y - shift) ** 2
        moment += exp_minus(exponent / (2 * sigma_squared))
    return CONTEXT.ln(moment / norm) / (Decimal((alpha - 1).numerator) / (alpha - 1).denominator)


def divergence(epsilon: float, moves: tuple[int, ...], sigma_squared: Fraction) -> float:
    """The sum of the positive parts of p(y) - e^epsilon p(y - moves) over all vectors y."""
    law = weights(sigma_squared)
    here, there = np.ones(()), np.ones(())
    for move in moves:
        padded = np.pad(law, 10)
        here = np.multiply.outer(here, padded)
        there = np.multiply.outer(there, np.roll(padded, move))
    return float(np.maximum(here - math.exp(epsilon) * there, 0).sum())


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(4)], ids=str)
@pytest.mark.parametrize("sigma_squared", [Fraction(1, 3), Fraction(3), Fraction(50)], ids=str)
def test_delta_is_the_divergence_of_the_exact_law_for_every_move(
    epsilon: Fraction, sigma_squared: Fraction
) -> None:
    last = 0.0
    for move in (1, 2, 3):
        exact = delta(epsilon, sensitivity=move, sigma_squared=sigma_squared)
        for sign in (1, -1):
            assert float(exact) == pytest.approx(
                divergence(float(epsilon), (sign * move,), sigma_squared), abs=1e-13
            )
        assert exact >= last  # so that smaller moves are covered
        last = exact


@pytest.mark.parametrize("sensitivity", [1, 3])
@pytest.mark.parametrize("epsilon", [Fraction(1, 3), Fraction(2)], ids=str)
def test_one_cell_gets_the_least_noise_its_exact_law_allows(epsilon: Fraction, sensitivity: int) -> None:
    least = sigma_squared_for(squared_sensitivity=sensitivity**2, epsilon=epsilon, delta=MILLIONTH)
    assert delta(epsilon, sensitivity=sensitivity, sigma_squared=least) <= MILLIONTH
    less = least * (1 - Fraction(1, 2**28))
    assert delta(epsilon, sensitivity=sensitivity, sigma_squared=less) > MILLIONTH


def test_many_cells_of_which_one_moves_by_one_need_no_more_noise_than_one() -> None:
    given = {"epsilon": Fraction(1), "delta": MILLIONTH}
    one = sigma_squared_for(squared_sensitivity=1, **given)
    assert sigma_squared_for(squared_sensitivity=1, cells=1000, **given) == one
    assert sigma_squared_for(squared_sensitivity=2, cells=1000, **given) > 2 * one


@pytest.mark.parametrize("moves", [(1, 1), (1, -1), (1, 0)])
def test_two_cells_are_private_whatever_the_direction(moves: tuple[int, int]) -> None:
    level = Fraction(1, 1000)
    enough = sigma_squared_for(squared_sensitivity=2, epsilon=1, delta=level, cells=2)
    found = divergence(1.0, moves, enough)
    assert found <= level
    if moves[1]:
        assert found > level / 4  # the conversion of zCDP is not exact, but not far


def test_rho_gives_sigma_exactly() -> None:
    assert sigma_squared_for(squared_sensitivity=2, rho=Fraction(1, 7)) == 7


def test_the_guarantee_of_rho_holds_for_one_cell() -> None:
    epsilon = zcdp_epsilon(Fraction(1, 2), MILLIONTH)
    assert delta(epsilon, sensitivity=1, sigma_squared=1) <= MILLIONTH


@pytest.mark.parametrize("sigma_squared", [Fraction(1, 5), Fraction(1), Fraction(90)], ids=str)
def test_tails_lie_between_their_bounds(sigma_squared: Fraction) -> None:
    with decimal.localcontext(CONTEXT):
        masses = [exp_minus(Fraction(y * y) / (2 * sigma_squared)) for y in range(400)]
        norm = 2 * sum(masses, Decimal(0)) - 1
        for m in (1, 2, 5, 40):
            exact = Fraction(sum(masses[m:], Decimal(0)) / norm)
            low, high = tail_bounds(m, sigma_squared)
            assert low * (1 - Fraction(1, 10**35)) <= low <= exact <= high
            assert high - low <= exact / 10**30
            assert tail_bounds(1 - m, sigma_squared) == (1 - high, 1 - low)


@pytest.mark.parametrize("m", [1, 20, 200, 900, 3000])
@pytest.mark.parametrize("sigma_squared", [SUMMED, SUMMED // 4, 300], ids=str)
def test_both_ways_of_summing_agree(m: int, sigma_squared: int) -> None:
    exact_low, exact_high = _summed(m, Fraction(sigma_squared))
    low, high = _euler_maclaurin(m, Fraction(sigma_squared))
    assert low <= exact_low <= exact_high <= high
    if sigma_squared == SUMMED:
        assert high - low <= exact_low / 1000


def test_delta_changes_smoothly_where_the_way_of_summing_changes() -> None:
    below, above = (
        delta(Fraction(1, 40), sensitivity=1, sigma_squared=s) for s in (SUMMED, SUMMED + Fraction(1, 10**6))
    )
    assert below < above < below * Fraction(101, 100)


@pytest.mark.parametrize(
    "sigma_squared", [Fraction(1, 5), Fraction(3), Fraction(100), Fraction(10**6)], ids=str
)
@pytest.mark.parametrize("beta", [0.3, 0.05, Fraction(1, 10**9)])
def test_the_half_width_is_the_least_that_covers(sigma_squared: Fraction, beta: float) -> None:
    k = interval_half_width(beta, sigma_squared=sigma_squared)
    assert tail(k + 1, sigma_squared=sigma_squared) <= beta
    assert k == 0 or tail(k, sigma_squared=sigma_squared) > beta
    assert interval_half_width(beta, sigma_squared=sigma_squared, cells=9) >= k


def test_intervals_cover_at_their_stated_rate() -> None:
    noise = sample(N, Fraction(30), Coins())
    k = interval_half_width(0.05, sigma_squared=30)
    beyond = tail(k + 1, sigma_squared=30)
    assert 0.03 < beyond <= 0.05 and tail(0, sigma_squared=30) == 1
    outside = int((abs(noise) > k).sum())
    assert chi_square([outside, N - outside], [beyond, 1 - beyond]) > ALARM
    joint = interval_half_width(0.05, sigma_squared=30, cells=10)
    missed = float(np.mean(abs(noise.reshape(-1, 10)).max(axis=1) > joint))
    assert 0.03 < missed < 0.05


@pytest.mark.parametrize(
    "sigma_squared", [Fraction(1, 5), Fraction(1), Fraction(100), Fraction(10**4)], ids=str
)
def test_the_variance_is_that_of_the_law(sigma_squared: Fraction) -> None:
    law = weights(sigma_squared)
    second = float((law * (np.arange(len(law)) - len(law) // 2) ** 2).sum())
    assert variance(sigma_squared=sigma_squared) == pytest.approx(second, rel=1e-9)
    assert variance(sigma_squared=sigma_squared) <= sigma_squared * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("size", [FEW, 100])
def test_sums_beyond_int64_are_python_ints(size: int) -> None:
    for values in (np.full(size, 2**63 - 1), np.full(size, 10**40, dtype=object)):
        noisy = discrete_gaussian(values, sensitivity=1, rho=Fraction(1, 100))
        assert noisy.dtype == object
        assert all(type(v) is int and abs(v - int(values[0])) < 1000 for v in noisy)


@pytest.mark.parametrize("shape", [(), (0,), (3,), (40, 5)])
def test_shapes_are_kept_and_noise_follows_the_coins(shape: tuple[int, ...]) -> None:
    values = np.zeros(shape, np.int64)
    first, second = (
        discrete_gaussian(values, squared_sensitivity=2, rho=Fraction(1, 9), coins=SeededCoins(4))
        for _ in range(2)
    )
    assert first.shape == shape and (first == second).all()


def test_parameters_reach_the_noise() -> None:
    """The spread of the public function's noise is that of sigma^2 = Delta^2 / (2 rho), however it was asked."""
    zeros = np.zeros(200_000, np.int64)
    for given in ({"sensitivity": 6}, {"squared_sensitivity": 36}):
        noise = discrete_gaussian(zeros, rho=Fraction(1, 2), **given)
        assert p_value(noise, Fraction(36)) > ALARM
    epsilon_delta = {"epsilon": Fraction(1), "delta": MILLIONTH}
    noise = discrete_gaussian(zeros, squared_sensitivity=4, **epsilon_delta)
    assert p_value(noise, sigma_squared_for(squared_sensitivity=4, cells=200_000, **epsilon_delta)) > ALARM


def test_the_worked_example_is_executed() -> None:
    result = doctest.testmod(MODULE)
    assert result.attempted > 0 == result.failed


VALUES = np.array([1, 2, 3])


@pytest.mark.parametrize(
    "given",
    [
        {}, {"sensitivity": 1}, {"rho": 1}, {"sensitivity": 1, "squared_sensitivity": 1, "rho": 1},
        {"sensitivity": 1, "epsilon": 1}, {"sensitivity": 1, "delta": MILLIONTH},
        {"sensitivity": 1, "rho": 1, "delta": MILLIONTH}, {"sensitivity": 1, "rho": 1, "epsilon": 1},
    ],
)  # fmt: skip
def test_too_few_or_too_many_parameters_are_refused(given: dict[str, Fraction]) -> None:
    with pytest.raises(TypeError, match="takes either"):
        discrete_gaussian(VALUES, **given)


WITH_NUMBER: list[Callable[[object], object]] = [
    lambda x: discrete_gaussian(VALUES, sensitivity=x, rho=1),
    lambda x: discrete_gaussian(VALUES, squared_sensitivity=x, rho=1),
    lambda x: discrete_gaussian(VALUES, sensitivity=1, rho=x),
    lambda x: discrete_gaussian(VALUES, sensitivity=1, epsilon=x, delta=MILLIONTH),
    lambda x: sample(3, x, Coins()),
    lambda x: tail(1, sigma_squared=x),
    lambda x: variance(sigma_squared=x),
]


@pytest.mark.parametrize("use", WITH_NUMBER)
def test_bad_numbers_are_refused(use: Callable[[object], object]) -> None:
    for bad in (0, -1):
        with pytest.raises(ValueError, match="must be above 0"):
            use(bad)
    for worse in (1.0, float("inf"), float("nan"), True, "1"):
        with pytest.raises(TypeError, match="must be an exact int or Fraction"):
            use(worse)


def test_a_sensitivity_below_one_is_refused_on_integers() -> None:
    with pytest.raises(ValueError, match="at least 1, since integers move by 1 or not at all"):
        discrete_gaussian(VALUES, sensitivity=Fraction(1, 2), rho=1)
    for values in (np.array([1.0]), [1, 2], np.array([True])):
        with pytest.raises(TypeError, match="integers"):
            discrete_gaussian(values, sensitivity=1, rho=1)


def test_every_pair_of_a_small_domain_is_within_its_epsilon_and_delta() -> None:
    """Three counts of people in two cells: all neighbours under substitute, in both directions."""
    databases = [(a, 3 - a) for a in range(4)]
    enough = sigma_squared_for(squared_sensitivity=2, epsilon=Fraction(1), delta=Fraction(1, 100), cells=2)
    for x, y in itertools.permutations(databases, 2):
        if abs(x[0] - y[0]) == 1:
            assert divergence(1.0, (y[0] - x[0], y[1] - x[1]), enough) <= 0.01
