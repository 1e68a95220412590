"""Selection by weights: how far weights move, the noise they get, the threshold, and the law of what is shown."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM
from scipy import stats

from dpsql.mechanisms import select_by_weights
from dpsql.mechanisms.analysis.composition import zcdp_delta
from dpsql.mechanisms.noise.discrete_gaussian import tail_bounds
from dpsql.mechanisms.partition.weighted_selection import (
    even_units,
    key_weight,
    show_probability,
    weight_threshold,
    weight_variance,
)
from dpsql.privacy import Neighbours

BOTH = tuple(Neighbours)
World = tuple[frozenset[int], ...]


def weights_of(world: World, groups: int) -> list[int]:
    """The weights of a world: for each unit the set of its groups."""
    return [sum(key_weight(len(u)) for u in world if k in u) for k in range(groups)]


def units(groups: int, most: int) -> list[frozenset[int]]:
    return [frozenset(c) for n in range(1, most + 1) for c in itertools.combinations(range(groups), n)]


def test_the_weight_of_a_unit_is_the_largest_whole_number_whose_norm_is_at_most_one() -> None:
    for d in [*range(1, 3000), 10**6, 2**40]:
        w = key_weight(d)
        assert d * w**2 <= 2**40 < d * (w + 1) ** 2


def moves(neighbours: Neighbours) -> Iterator[int]:
    every = [frozenset[int](), *units(5, 5)]
    for one, other in itertools.product(every, repeat=2):
        if neighbours is Neighbours.SUBSTITUTE or not one:
            x, y = (weights_of((u,) if u else (), 5) for u in (one, other))
            yield sum((a - b) ** 2 for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("rho", [Fraction(1, 2), Fraction(1, 300), Fraction(7)])
def test_sigma_is_for_the_farthest_that_weights_move_and_no_more(
    neighbours: Neighbours, rho: Fraction
) -> None:
    """A set of shown groups alone would not tell noise that lacks a root of two."""
    farthest = max(moves(neighbours))
    assert farthest == 2**40 * neighbours.factor
    variance = weight_variance(rho, neighbours)
    assert Fraction(farthest, 2 * variance) <= rho < Fraction(farthest, 2 * (variance - 1))


@pytest.mark.parametrize("neighbours", BOTH)
def test_groups_are_shown_with_noise_of_exactly_that_sigma(neighbours: Neighbours, samples: int) -> None:
    given = {"rho": Fraction(1, 40), "delta": Fraction(1, 100), "groups_per_unit": 7}
    sigma = 2**20 * math.sqrt(20 * neighbours.factor)
    threshold = weight_threshold(*given.values(), neighbours)
    for deviations in (-1.5, -0.5, 0.0, 0.8, 1.7):
        weights = np.full(samples, threshold + int(deviations * sigma))
        shown = select_by_weights(weights, **given, neighbours=neighbours)
        chance = float(stats.norm.cdf(deviations))
        assert stats.binomtest(int(shown.sum()), samples, chance).pvalue > ALARM
        if abs(deviations) > 1:
            for factor in (0.9, 1.1):
                wrong = float(stats.norm.cdf(deviations / factor))
                assert stats.binomtest(int(shown.sum()), samples, wrong).pvalue < ALARM


def test_noise_below_a_weight_of_one_unit_is_drawn_exactly(samples: int) -> None:
    given = {"rho": Fraction(2**39), "delta": Fraction(1, 4), "groups_per_unit": 1}
    assert weight_variance(given["rho"], Neighbours.ADD_REMOVE) == 1
    threshold = weight_threshold(*given.values(), Neighbours.ADD_REMOVE)
    masses = {z: math.exp(-z * z / 2) for z in range(-40, 41)}
    whole = math.fsum(masses.values())
    assert threshold == 2**20 + 1  # P(Z > 0) = 0.30, P(Z > 1) = 0.06
    for gap in (-2, -1, 0, 1, 2):
        shown = select_by_weights(
            np.full(samples, threshold - gap), **given, neighbours=Neighbours.ADD_REMOVE
        )
        chance = math.fsum(m for z, m in masses.items() if z > gap) / whole
        assert stats.binomtest(int(shown.sum()), samples, chance).pvalue > ALARM


@pytest.mark.one_in(8)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("rho", [Fraction(1, 500), Fraction(1, 2), Fraction(50)])
@pytest.mark.parametrize("groups", [1, 2, 3, 40, 257])
def test_the_threshold_is_the_largest_over_every_number_of_groups(
    neighbours: Neighbours, rho: Fraction, groups: int
) -> None:
    delta = Fraction(1, 10**5)
    variance, threshold = weight_variance(rho, neighbours), weight_threshold(rho, delta, groups, neighbours)
    rare = [
        tail_bounds(threshold + 1 - key_weight(t), variance)[1] <= delta / t for t in range(1, groups + 1)
    ]
    assert all(rare)
    rarer = [tail_bounds(threshold - key_weight(t), variance)[0] <= delta / t for t in range(1, groups + 1)]
    assert not all(rarer), "one less would do"


def shown_law(world: World, groups: int, variance: int, threshold: int) -> list[float]:
    """The probability of each set of shown groups: groups of nobody are unknown."""
    scale = math.sqrt(variance)
    each = [
        float(stats.norm.sf((threshold + 0.5 - w) / scale)) if w else 0.0 for w in weights_of(world, groups)
    ]
    return [
        math.prod(p if s else 1 - p for p, s in zip(each, shown, strict=True))
        for shown in itertools.product((False, True), repeat=groups)
    ]


def pairs(neighbours: Neighbours, groups: int) -> Iterator[tuple[World, World]]:
    """Worlds of up to two units besides the one that comes, or of one besides the one that is replaced."""
    every = units(groups, groups)
    for size in range(3 if neighbours is Neighbours.ADD_REMOVE else 2):
        for others in itertools.combinations_with_replacement(every, size):
            if neighbours is Neighbours.ADD_REMOVE:
                yield from ((others, (*others, unit)) for unit in every)
            else:
                yield from (((*others, a), (*others, b)) for a, b in itertools.permutations(every, 2))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize(
    ("rho", "tail"),
    [(Fraction(1, 8), Fraction(1, 50)), (Fraction(2), Fraction(1, 10)), (Fraction(8), Fraction(1, 3))],
)
def test_what_is_shown_of_three_groups_is_private_in_every_small_world(
    neighbours: Neighbours, rho: Fraction, tail: Fraction
) -> None:
    """The hockey-stick divergence of the shown sets is at most the conversion's delta and the threshold's."""
    variance, threshold = weight_variance(rho, neighbours), weight_threshold(rho, tail, 3, neighbours)
    worst = dict.fromkeys((Fraction(1, 10), Fraction(1), Fraction(3)), 0.0)
    for one, other in pairs(neighbours, 3):
        p, q = (shown_law(w, 3, variance, threshold) for w in (one, other))
        for epsilon in worst:
            growth = math.exp(epsilon)
            for a, b in ((p, q), (q, p)):
                lost = math.fsum(max(x - growth * y, 0.0) for x, y in zip(a, b, strict=True))
                worst[epsilon] = max(worst[epsilon], lost)
    for epsilon, lost in worst.items():
        assert lost <= float(tail + zcdp_delta(rho, epsilon)) + 1e-9
    assert max(worst.values()) > 0.7 * float(tail), "the delta of the threshold is used up"


@pytest.mark.one_in(24)
@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("rho", [Fraction(1, 50), Fraction(1, 2), Fraction(4)])
def test_what_one_unit_alone_has_is_shown_with_the_tail_at_most(
    neighbours: Neighbours, rho: Fraction
) -> None:
    """All of its d groups new, or some of them: 1 - (1 - P)^t for each t up to d."""
    tail, most = Fraction(1, 1000), 60
    variance, threshold = weight_variance(rho, neighbours), weight_threshold(rho, tail, most, neighbours)
    worst = Fraction(0)
    for d in range(1, most + 1):
        p = tail_bounds(threshold + 1 - key_weight(d), variance)[1]
        worst = max(worst, *(1 - (1 - p) ** t for t in range(1, d + 1)))
    assert Fraction(9, 10) * tail < worst <= tail


def test_a_group_of_nobody_is_never_shown_and_a_crowd_always() -> None:
    weights = np.array([[0, 2**60] * 1000, [2**60, 0] * 1000])
    shown = select_by_weights(
        weights, rho=1, delta=Fraction(1, 3), groups_per_unit=9, neighbours=Neighbours.SUBSTITUTE
    )
    assert np.array_equal(shown, weights > 0)
    none = select_by_weights(
        np.zeros(0, np.int64),
        rho=1,
        delta=Fraction(1, 3),
        groups_per_unit=9,
        neighbours=Neighbours.SUBSTITUTE,
    )
    assert none.shape == (0,)


def test_probabilities_and_even_units_agree_with_the_threshold() -> None:
    law = {"rho": Fraction(1, 30), "delta": Fraction(1, 10**6), "groups_per_unit": 50}
    for neighbours in BOTH:
        for d in (1, 7, 50):
            n = even_units(d, **law, neighbours=neighbours)
            assert show_probability(n * key_weight(d), **law, neighbours=neighbours) >= 0.5 - 1e-6
            assert show_probability((n - 1) * key_weight(d), **law, neighbours=neighbours) < 0.5
        assert show_probability(0, **law, neighbours=neighbours) == 0.0
        assert show_probability(2**20, **law, neighbours=neighbours) <= 1e-6


def test_more_groups_than_weights_can_be_told_apart_are_refused() -> None:
    with pytest.raises(ValueError, match="groups_per_unit must be at most"):
        weight_threshold(Fraction(1), Fraction(1, 10), 2**40 + 1, Neighbours.ADD_REMOVE)
