"""What is drawn on a path of noise: its laws in fractions, and draws against them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from exact_laws import ALARM, chi_square, exp_minus, laplace_p_value

from dpsql.mechanisms import Coins, between, coarsen, discrete_laplace
from dpsql.mechanisms.noise.noise_path import _part_of, _weights

CHAINS = [
    (Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)),
    (Fraction(9, 10), Fraction(4, 5), Fraction(1, 3)),
    (Fraction(7, 8), Fraction(6, 7), Fraction(5, 6)),
]


def point(number: Fraction) -> tuple[Fraction, Fraction]:
    return number, number


def laplace(c: Fraction, z: int) -> Fraction:
    """P(Z = z) of the discrete Laplace law with e^-rate = c."""
    return (1 - c) / (1 + c) * c ** abs(z)


def added(a: Fraction, b: Fraction, w: int) -> Fraction:
    """P(W = w) for what noise at e^-rate = a has beyond that at b < a."""
    p0 = (b / a) * (1 - a) ** 2 / (1 - b) ** 2
    return (p0 if w == 0 else 0) + (1 - p0) * laplace(a, w)


def law_between(a: Fraction, b: Fraction, c: Fraction, y: int, u: int) -> Fraction:
    """P(U = u | U + V = y) by definition: U + V is what noise at a has beyond that at c."""
    return added(b, c, u) * added(a, b, y - u) / added(a, c, y)


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("y", [0, 1, 2, 7])
def test_the_pieces_are_the_law_between_two_releases_exactly(chain: tuple[Fraction, ...], y: int) -> None:
    a, b, c = chain
    s = (b / a) ** y
    pieces = [lo for lo, _ in _weights(point(a), point(b), point(c), point(s), zero=y == 0)]
    left, inside, right, atom_of_v, atom_of_u = (piece / sum(pieces) for piece in pieces)
    whole = sum((b / a) ** u for u in range(y + 1))
    for u in range(-9, y + 10):
        share = (atom_of_v if u == y else Fraction(0)) + (atom_of_u if u == 0 else Fraction(0))
        if u < 0:
            share += left * (1 - a * b) * (a * b) ** (-u - 1)
        elif u > y:
            share += right * (1 - a * b) * (a * b) ** (u - y - 1)
        else:
            share += inside * (b / a) ** u / whole
        assert share == law_between(a, b, c, y, u)


def path_law(rates: tuple[Fraction, ...], outputs: tuple[int, ...], value: int) -> Fraction:
    """The probability of releases of one value on a path, the coarsest first."""
    found = laplace(rates[-1], outputs[-1] - value)
    for (a, b), (coarse, fine) in zip(pairwise(rates), pairwise(outputs), strict=True):
        found *= added(a, b, coarse - fine)
    return found


@pytest.mark.parametrize("chain", CHAINS)
def test_releases_drawn_in_any_order_have_the_law_of_the_path(chain: tuple[Fraction, ...]) -> None:
    """The first as a fresh draw, the second refined or coarsened, the third between: probabilities are products."""
    a, b, c = chain
    for ya, yb, yc in product(range(-3, 4), repeat=3):
        whole = path_law((a, b, c), (ya, yb, yc), 0)
        refined_twice = laplace(a, ya) * (path_law((a, b), (ya, yb), 0) / laplace(a, ya))
        refined_twice *= path_law((b, c), (yb, yc), 0) / laplace(b, yb)
        coarsened = laplace(c, yc) * added(a, c, ya - yc) * law_between(a, b, c, ya - yc, yb - yc)
        assert refined_twice == coarsened == whole


@pytest.mark.parametrize("chain", CHAINS)
def test_all_releases_of_a_path_lose_together_what_the_finest_alone_loses(
    chain: tuple[Fraction, ...],
) -> None:
    """Pointwise, so that it holds for every set of them, and whatever is chosen to be drawn next."""
    finest = 1 / chain[-1]
    losses = {
        path_law(chain, outputs, 1) / path_law(chain, outputs, 0)
        for outputs in product(range(-3, 5), repeat=3)
    }
    assert max(losses) == finest and min(losses) == 1 / finest


def p_value(counts: Counter[int], law: list[Fraction], lo: int) -> float:
    seen = [counts[lo + i] for i in range(len(law))]
    rest = sum(counts.values()) - sum(seen)
    return chi_square([*seen, rest], [*map(float, law), max(0.0, 1 - float(sum(law)))])


@pytest.mark.one_in(12)
@pytest.mark.parametrize("y", [0, 2, -5])
def test_what_is_drawn_between_two_releases_has_its_law_and_the_test_has_power(y: int, samples: int) -> None:
    rates = Fraction(1, 3), Fraction(1, 2), Fraction(1)
    a, b, c = (Fraction(exp_minus(r)) for r in rates)
    drawn = Counter(_part_of(y, rates, Coins()) for _ in range(samples // 40))
    places = range(-12, 13)
    assert p_value(drawn, [law_between(a, b, c, y, u) for u in places], -12) > ALARM
    assert p_value(drawn, [added(b, c, u) for u in places], -12) < ALARM  # the coarse release left out


def test_a_coarser_release_is_the_fine_one_plus_what_it_lacks(samples: int) -> None:
    rough, fine, size = Fraction(1, 2), Fraction(2, 3), samples // 40
    values = np.full(size, 1000)
    known = discrete_laplace(values, sensitivity=3, epsilon=3 * fine)
    found = coarsen(known, sensitivity=3, epsilon=3 * rough, finer=3 * fine)
    assert laplace_p_value(found - values, rough) > ALARM
    assert laplace_p_value(found - values, rough * Fraction(13, 10)) < ALARM
    a, b = Fraction(exp_minus(rough)), Fraction(exp_minus(fine))
    drawn = Counter((found - known).tolist())
    assert p_value(drawn, [added(a, b, w) for w in range(-12, 13)], -12) > ALARM
    assert p_value(drawn, [laplace(a, w) for w in range(-12, 13)], -12) < ALARM


@pytest.mark.slow
def test_a_release_between_two_has_the_noise_of_its_own_epsilon(samples: int) -> None:
    values = np.full(samples // 40, -7)
    fine = discrete_laplace(values, sensitivity=2, epsilon=2)
    coarse = coarsen(fine, sensitivity=2, epsilon=Fraction(1, 2), finer=2)
    found = between(coarse, fine, sensitivity=2, epsilon=Fraction(1, 2), middle=1, finer=2)
    assert laplace_p_value(found - values, Fraction(1, 2)) > ALARM
    assert laplace_p_value(found - values, Fraction(2, 3)) < ALARM


@pytest.mark.parametrize("epsilons", [(1, 1, 2), (1, 2, 2), (2, 1, 3), (1, 3, 2)])
def test_epsilons_on_a_path_grow_from_the_coarser_to_the_finer(epsilons: tuple[int, int, int]) -> None:
    low, middle, high = epsilons
    with pytest.raises(ValueError, match="grow"):
        between(np.array([1]), np.array([2]), sensitivity=1, epsilon=low, middle=middle, finer=high)
    with pytest.raises(ValueError, match="grow"):
        coarsen(np.array([1]), sensitivity=1, epsilon=2, finer=2)


def test_wide_values_and_shapes_are_kept_and_must_agree() -> None:
    wide = np.array([[2**80, -(2**80)]], dtype=object)
    found = between(wide + 3, wide, sensitivity=2**70, epsilon=Fraction(1, 10**6), middle=1, finer=2)
    assert found.shape == (1, 2) and found.dtype == object
    assert coarsen(wide, sensitivity=2**70, epsilon=1, finer=2).shape == (1, 2)
    with pytest.raises(ValueError, match="different shapes"):
        between(np.array([1]), np.array([1, 2]), sensitivity=1, epsilon=1, middle=2, finer=3)
    with pytest.raises(TypeError):
        coarsen(np.array([1]), sensitivity=1, epsilon=0.5, finer=2)  # type: ignore[arg-type]
