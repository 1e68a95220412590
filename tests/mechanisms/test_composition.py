"""Composition theorems: against the exact laws of composed releases, and against one another."""

import doctest
import importlib
import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from dpsql.mechanisms.analysis.composition import (
    Guarantee,
    advanced,
    optimal,
    parallel,
    post_processing,
    renyi_epsilon,
    renyi_of_pure,
    renyi_of_zcdp,
    renyi_sequential,
    renyi_to_delta,
    renyi_to_epsilon,
    sequential,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_of_exponential_mechanism,
    zcdp_of_pure,
    zcdp_rho,
    zcdp_sequential,
    zcdp_simple_epsilon,
)
from dpsql.mechanisms.analysis.gaussian import delta as gaussian_delta

HALF, TENTH, MILLIONTH = Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**6)
PAIR = (Guarantee(HALF, MILLIONTH), Guarantee(Fraction(2), Fraction(1, 10**5)))

Outcomes = list[tuple[float, float]]


def worst_release(guarantee: Guarantee) -> Outcomes:
    """The probabilities of four outputs under two neighbours: a telltale of probability delta, or randomized
    response."""
    d, e = float(guarantee.delta), math.exp(guarantee.epsilon)
    truth, lie = (1 - d) * e / (1 + e), (1 - d) / (1 + e)
    return [(d, 0.0), (truth, lie), (lie, truth), (0.0, d)]


def product(releases: list[Outcomes]) -> Outcomes:
    return [
        (math.prod(p for p, _ in chosen), math.prod(q for _, q in chosen))
        for chosen in itertools.product(*releases)
    ]


def delta_of(outcomes: Outcomes, epsilon: float) -> float:
    """The sum of the positive parts of p - e^epsilon q."""
    return math.fsum(max(p - math.exp(epsilon) * q, 0.0) for p, q in outcomes)


def folded(epsilon: float, k: int) -> Outcomes:
    """k randomized responses: the number of lies decides, each with its binomial weight."""
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    lie = 1 - truth
    return [
        (math.comb(k, j) * truth ** (k - j) * lie**j, math.comb(k, j) * lie ** (k - j) * truth**j)
        for j in range(k + 1)
    ]


def test_the_exact_law_of_two_releases_is_within_their_sum() -> None:
    total = sequential(PAIR)
    assert (total.epsilon, total.delta) == (Fraction(5, 2), Fraction(11, 10**6))
    exact = delta_of(product([worst_release(g) for g in PAIR]), float(total.epsilon))
    assert 0.5 * float(total.delta) < exact <= float(total.delta)
    pure = [worst_release(Guarantee(TENTH)), worst_release(Guarantee(HALF))]
    assert delta_of(product(pure), 0.6 - 1e-9) > 0 and delta_of(product(pure), 0.6 + 1e-9) == 0


def test_parallel_parts_cost_the_most_of_those_a_unit_touches() -> None:
    assert parallel(PAIR) == Guarantee(Fraction(2), Fraction(1, 10**5))
    assert parallel(PAIR, parts_per_unit=2) == sequential(PAIR)
    assert parallel(()) == sequential(()) == Guarantee(Fraction(0))


def test_a_unit_that_moves_between_parts_tells_more_than_the_maximum() -> None:
    """One bit a part, one person in one of them: under substitute two released bits change."""
    release = worst_release(Guarantee(HALF))
    moved = product([release, [(q, p) for p, q in release]])
    assert delta_of(moved, float(parallel([Guarantee(HALF)] * 2).epsilon)) > 0.01
    assert delta_of(moved, float(parallel([Guarantee(HALF)] * 2, parts_per_unit=2).epsilon) + 1e-12) == 0


def test_merging_outputs_never_raises_delta() -> None:
    outcomes = product([worst_release(g) for g in PAIR])
    merged = [tuple(map(sum, zip(a, b, strict=True))) for a, b in itertools.pairwise(outcomes)][::2]
    for epsilon in (0.0, 0.5, 2.0):
        assert delta_of([(p, q) for p, q in merged], epsilon) <= delta_of(outcomes, epsilon) + 1e-15
    assert post_processing(PAIR[0]) == PAIR[0]


@pytest.mark.parametrize("k", [1, 2, 7, 40])
@pytest.mark.parametrize("epsilon", [TENTH, Fraction(1)], ids=str)
def test_the_optimal_theorem_is_attained_by_randomized_response(k: int, epsilon: Fraction) -> None:
    """At each of its epsilons (k - 2i) epsilon a slack just above the exact delta gives it, one below does not."""
    for i in range(k // 2 + 1):
        target = (k - 2 * i) * epsilon
        exact = delta_of(folded(float(epsilon), k), float(target))
        if exact < 1e-12:
            continue
        enough, short = (Fraction(exact * factor) for factor in (1 + 1e-9, 1 - 1e-9))
        assert optimal(Guarantee(epsilon), folds=k, slack=enough).epsilon <= target
        assert optimal(Guarantee(epsilon), folds=k, slack=short).epsilon > target


@pytest.mark.parametrize("rule", [optimal, advanced])
@pytest.mark.parametrize(
    "given", [Guarantee(HALF, Fraction(1, 50)), Guarantee(Fraction(1), Fraction(1, 1000))]
)
def test_composed_guarantees_hold_for_the_exact_law(rule: Callable[..., Guarantee], given: Guarantee) -> None:
    exact = product([worst_release(given)] * 5)
    for slack in (Fraction(1, 10), Fraction(1, 1000)):
        total = rule(given, folds=5, slack=slack)
        assert delta_of(exact, float(total.epsilon)) <= float(total.delta) + 1e-12


def test_the_optimal_theorem_is_no_worse_than_the_sum_or_the_advanced_one() -> None:
    for k, epsilon in ((3, Fraction(1)), (100, TENTH), (1000, Fraction(1, 50))):
        best = optimal(Guarantee(epsilon), folds=k, slack=MILLIONTH)
        assert best.epsilon <= k * epsilon
        assert best.epsilon <= advanced(Guarantee(epsilon), folds=k, slack=MILLIONTH).epsilon
        assert best.delta == MILLIONTH


def test_the_advanced_theorem_is_its_formula_rounded_upwards() -> None:
    total = advanced(Guarantee(TENTH, Fraction(1, 10**9)), folds=100, slack=MILLIONTH)
    formula = 0.1 * math.sqrt(200 * math.log(1e6)) + 10 * math.expm1(0.1)
    assert float(total.epsilon) == pytest.approx(formula, rel=1e-14)
    assert total.delta == Fraction(11, 10**7)


def grid_epsilon(rho: float, delta: float) -> float:
    """The least over a fine grid of orders."""
    orders = (1 + 10 ** (i / 400) for i in range(-2400, 3200))
    return min(a * rho + math.log1p(-1 / a) - math.log(a * delta) / (a - 1) for a in orders)


RHOS = [Fraction(1, 1000), Fraction(1, 8), Fraction(3), Fraction(50)]


@pytest.mark.parametrize("rho", RHOS, ids=str)
@pytest.mark.parametrize("delta", [Fraction(1, 1000), MILLIONTH, Fraction(1, 10**12)], ids=str)
def test_the_conversion_of_zcdp_is_the_best_over_all_orders_and_safe(rho: Fraction, delta: Fraction) -> None:
    epsilon = zcdp_epsilon(rho, delta)
    assert float(epsilon) == pytest.approx(max(grid_epsilon(float(rho), float(delta)), 0), rel=1e-5)
    assert epsilon < zcdp_simple_epsilon(rho, delta)
    assert gaussian_delta(epsilon, squared_sensitivity=2 * rho, sigma_squared=1) <= delta
    shorter = epsilon * Fraction(8, 10)
    assert gaussian_delta(shorter, squared_sensitivity=2 * rho, sigma_squared=1) > delta


@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_both_conversions_of_zcdp_are_inverse_to_each_other(rho: Fraction) -> None:
    epsilon = zcdp_epsilon(rho, MILLIONTH)
    assert float(zcdp_delta(rho, epsilon)) == pytest.approx(1e-6, rel=1e-6)
    allowed = zcdp_rho(epsilon, MILLIONTH)
    assert zcdp_epsilon(allowed, MILLIONTH) <= epsilon
    assert allowed == pytest.approx(float(rho), rel=1e-6)


def test_the_simple_conversion_is_its_formula() -> None:
    formula = 0.125 + 2 * math.sqrt(0.125 * math.log(1e6))
    assert float(zcdp_simple_epsilon(Fraction(1, 8), MILLIONTH)) == pytest.approx(formula, rel=1e-14)


def test_a_vanishing_rho_converts_to_no_epsilon_at_all() -> None:
    assert zcdp_epsilon(Fraction(1, 10**13), MILLIONTH) == 0
    assert zcdp_delta(Fraction(100), Fraction(1, 10)) == 1


def test_a_thousand_small_queries() -> None:
    """Epsilon 0.01 each, delta 1e-6: added up 10, simple zCDP 1.71, its best conversion 1.47."""
    rho = zcdp_sequential([zcdp_of_pure(Fraction(1, 100))] * 1000)
    assert rho == Fraction(1, 20)
    assert sequential([Guarantee(Fraction(1, 100))] * 1000).epsilon == 10
    assert float(zcdp_simple_epsilon(rho, MILLIONTH)) == pytest.approx(1.712, abs=1e-3)
    assert float(zcdp_epsilon(rho, MILLIONTH)) == pytest.approx(1.4716, abs=1e-3)
    best = optimal(Guarantee(Fraction(1, 100)), folds=1000, slack=MILLIONTH)
    assert best.epsilon < zcdp_epsilon(rho, MILLIONTH)


def renyi(outcomes: Outcomes, order: float) -> float:
    return math.log(math.fsum(p**order * q ** (1 - order) for p, q in outcomes if p)) / (order - 1)


@pytest.mark.parametrize("epsilon", [TENTH, Fraction(1), Fraction(6)], ids=str)
@pytest.mark.parametrize("order", [Fraction(101, 100), Fraction(2), Fraction(30)], ids=str)
def test_pure_releases_cost_the_divergence_of_randomized_response(epsilon: Fraction, order: Fraction) -> None:
    found = renyi_of_pure(epsilon)(order)
    exact = renyi(worst_release(Guarantee(epsilon))[1:3], float(order))
    assert float(found) == pytest.approx(exact, rel=1e-9)
    assert found <= epsilon and found <= order * zcdp_of_pure(epsilon)


def test_divergences_of_a_composition_add_up_at_each_order() -> None:
    curve = renyi_sequential([renyi_of_pure(HALF), renyi_of_pure(Fraction(1)), renyi_of_zcdp(TENTH)])
    pair = product([worst_release(Guarantee(e))[1:3] for e in (HALF, Fraction(1))])
    assert float(curve(Fraction(3))) == pytest.approx(renyi(pair, 3.0) + 0.3, rel=1e-12)


def test_an_account_of_several_orders_takes_the_best_and_holds_for_the_exact_law() -> None:
    curve = renyi_sequential([renyi_of_pure(HALF)] * 20)
    orders = [Fraction(n, 2) for n in range(3, 40)]
    epsilon = renyi_epsilon(curve, MILLIONTH, orders=orders)
    assert epsilon == min(renyi_to_epsilon(a, curve(a), MILLIONTH) for a in orders)
    exact = delta_of(folded(0.5, 20), float(epsilon))
    assert exact <= 1e-6
    assert epsilon < zcdp_epsilon(20 * zcdp_of_pure(HALF), MILLIONTH)


@pytest.mark.parametrize("order", [Fraction(11, 10), Fraction(2), Fraction(40)], ids=str)
def test_the_constant_of_the_conversion_is_the_least_that_bounds_the_loss(order: Fraction) -> None:
    """max(0, 1 - e^-x) <= c e^((alpha - 1) x), with equality somewhere; D = epsilon leaves c itself."""
    constant = float(renyi_to_delta(order, 1, 1))
    slope = float(order - 1)
    best = max(-math.expm1(-x / 1000) * math.exp(-slope * x / 1000) for x in range(1, 20_000))
    assert best <= constant == pytest.approx(best, rel=1e-3)


@pytest.mark.parametrize("order", [Fraction(11, 10), Fraction(2), Fraction(40)], ids=str)
def test_conversions_of_renyi_divergence_are_inverse_to_each_other(order: Fraction) -> None:
    epsilon = renyi_to_epsilon(order, HALF, MILLIONTH)
    back = renyi_to_delta(order, HALF, epsilon)
    assert float(back) == pytest.approx(1e-6, rel=1e-12)


@pytest.mark.parametrize("epsilon", [HALF, Fraction(1), Fraction(3)], ids=str)
def test_the_exponential_mechanism_costs_an_eighth_and_permute_and_flip_more(epsilon: Fraction) -> None:
    """Exact laws of two or three candidates on all neighbours whose changes spread by at most 1."""
    bound = float(zcdp_of_exponential_mechanism(epsilon))
    e = math.exp(epsilon)
    for shares in ((1, 1), (1, 3), (e, 1), (1, 1, 1), (e, e, 1)):
        for lifted in range(1, len(shares)):
            changed = [s * e if i < lifted else s for i, s in enumerate(shares)]
            pair = [(a / sum(shares), b / sum(changed)) for a, b in zip(shares, changed, strict=True)]
            for order in (1.01, 2.0, 9.0):
                assert renyi(pair, order) <= order * bound + 1e-12
                assert renyi([(q, p) for p, q in pair], order) <= order * bound + 1e-12
    flip = [(0.5, 1 / e / 2), (0.5, 1 - 1 / e / 2)]
    assert renyi(flip, 1.01) > 1.01 * bound * 1.02


def test_the_worked_examples_are_executed() -> None:
    result = doctest.testmod(importlib.import_module("dpsql.mechanisms.analysis.composition"))
    assert result.attempted > 2 and result.failed == 0


@pytest.mark.parametrize("bad", [-1, Fraction(-1, 2)])
def test_negative_guarantees_are_refused(bad: Fraction) -> None:
    for use in (
        lambda: Guarantee(bad),
        lambda: Guarantee(Fraction(1), bad),
        lambda: zcdp_epsilon(bad, MILLIONTH),
    ):
        with pytest.raises(ValueError, match="must be above 0"):
            use()


@pytest.mark.parametrize("bad", [0.5, 0.0, float("nan"), float("inf"), True, False, "1", None])
def test_inexact_guarantees_are_refused(bad: object) -> None:
    for use in (
        lambda: Guarantee(bad), lambda: Guarantee(Fraction(1), bad), lambda: zcdp_epsilon(bad, MILLIONTH),
        lambda: renyi_of_pure(bad), lambda: advanced(Guarantee(HALF), folds=3, slack=bad),
        lambda: renyi_to_delta(2, bad, 1), lambda: zcdp_sequential([HALF, bad]),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="must be an exact int or Fraction"):
            use()


def test_parameters_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="protects nobody"):
        sequential([Guarantee(HALF, HALF)] * 2)
    with pytest.raises(ValueError, match="order of Renyi divergence must be above 1"):
        renyi_to_epsilon(1, HALF, MILLIONTH)
    with pytest.raises(ValueError, match="folds must be at least 1"):
        advanced(Guarantee(HALF), folds=0, slack=MILLIONTH)
    with pytest.raises(ValueError, match="use a smaller epsilon"):
        advanced(Guarantee(Fraction(10**6)), folds=2, slack=MILLIONTH)
