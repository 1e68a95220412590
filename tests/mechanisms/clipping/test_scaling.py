"""After scaling no unit is larger than tau: for every small vector, and for random ones up to the clamps."""

import math
import random
from itertools import product

import numpy as np
import pytest

from dpsql.mechanisms.clipping.scaling import root_above, root_from, scaled, scaled_by_root
from dpsql.mechanisms.clipping.unit_bins import sizes, squared_sizes

SIZES = ((1, 40), (2, 12), (3, 6), (4, 4), (5, 2))
TAUS = (1, 2, 3, 4, 5, 7, 8, 11, 16)


def every_vector(cells: int, largest: int) -> np.ndarray:
    return np.array(list(product(range(-largest, largest + 1), repeat=cells)))


def check(before: np.ndarray, after: np.ndarray, larger: np.ndarray) -> None:
    """What holds of both norms: the small stay as they are, no cell grows or changes its sign."""
    assert (after[~larger] == before[~larger]).all()
    assert (np.abs(after) <= np.abs(before)).all()
    assert (after * before >= 0).all()


@pytest.mark.parametrize(("cells", "largest"), SIZES)
def test_every_small_vector_has_at_most_tau_in_l1(cells: int, largest: int) -> None:
    vectors = every_vector(cells, largest)
    for tau in TAUS:
        after = scaled(vectors, tau=tau)
        assert sizes(after).max() <= tau
        check(vectors, after, sizes(vectors) > tau)


@pytest.mark.parametrize(("cells", "largest"), SIZES)
def test_every_small_vector_has_at_most_tau_in_l2(cells: int, largest: int) -> None:
    vectors = every_vector(cells, largest)
    for tau in TAUS:
        after = scaled_by_root(vectors, tau=tau)
        assert squared_sizes(after).max() <= tau**2
        check(vectors, after, squared_sizes(vectors) > tau**2)


def test_the_formula_is_the_one_that_an_engine_computes() -> None:
    for vector in every_vector(2, 9).tolist():
        for tau in TAUS:
            t, s = sum(map(abs, vector)), root_above(sum(c * c for c in vector))
            down = [(1 if c > 0 else -1) * (abs(c) * tau // max(t, 1)) for c in vector]
            round_down = [(1 if c > 0 else -1) * (abs(c) * tau // max(s, 1)) for c in vector]
            one = np.array([vector])
            assert scaled(one, tau=tau).tolist() == [down if t > tau else vector]
            assert scaled_by_root(one, tau=tau).tolist() == [
                round_down if sum(c * c for c in vector) > tau**2 else vector
            ]


@pytest.mark.parametrize("seed", range(20))
def test_random_vectors_up_to_the_clamps(seed: int) -> None:
    rng = random.Random(seed)
    cells = rng.choice((1, 2, 3, 8, 50))
    most = 62 if seed % 2 else min(62, (126 - (cells - 1).bit_length()) // 2)
    vectors = np.array(
        [
            [rng.choice((-1, 1)) * rng.randint(0, 2 ** rng.randint(0, most)) for _ in range(cells)]
            for _ in range(300)
        ]
    )
    vectors[0] = 2**most
    for tau in (1, 2 ** rng.randint(1, 61), 2**62, rng.randint(1, 2**62)):
        assert sizes(scaled(vectors, tau=tau)).max() <= tau
        assert squared_sizes(scaled_by_root(vectors, tau=tau)).max() <= tau**2


def test_scaling_loses_less_than_one_a_cell() -> None:
    vectors = np.random.default_rng(3).integers(-(10**6), 10**6, (500, 6))
    for tau in (10**5, 2**20):
        divisors = np.maximum(tau, sizes(vectors))[:, np.newaxis]
        lost = np.abs(vectors) * tau - np.abs(scaled(vectors, tau=tau)) * divisors
        assert ((lost >= 0) & (lost < divisors)).all()


def test_products_of_cells_and_tau_are_computed_on_python_ints() -> None:
    vectors = np.array([[2**62, -(2**62), 2**61]])
    t = 2**63 + 2**61
    assert scaled(vectors, tau=2**62).tolist() == [[2**124 // t, -(2**124 // t), 2**123 // t]]


def hard_squares() -> list[int]:
    """Where roots are rounded: squares and their neighbours, powers of two and theirs, and random numbers."""
    rng = random.Random(11)
    found = [2**j + d for j in range(2, 126) for d in (-1, 0, 1)] + [2**126 - 1, 2**126, 1, 2, 3]
    for bits in range(1, 64):
        for _ in range(150):
            root = rng.getrandbits(bits) | 1 << bits - 1
            found += [root * root + d for d in (-1, 0, 1)]
            found.append(rng.getrandbits(2 * bits) | 1)
    return [ss for ss in found if 1 <= ss <= 2**126]


def test_the_root_is_the_least_whole_number_that_suffices() -> None:
    for ss in [0, *range(1, 3000), *hard_squares()]:
        s = root_above(ss)
        assert s * s >= ss and (s == 0 or (s - 1) ** 2 < ss)


def test_any_hint_gives_a_root_that_suffices() -> None:
    for ss in range(1, 400):
        assert all(root_from(ss, hint=h) ** 2 >= ss for h in range(1, 60))
    rng = random.Random(7)
    for ss in hard_squares():
        assert root_from(ss, hint=rng.getrandbits(rng.randint(1, 70)) + 1) ** 2 >= ss


def test_the_root_of_a_double_is_hint_enough_for_the_least_one() -> None:
    for ss in hard_squares():
        for near in (math.floor, round, math.ceil):
            assert root_from(ss, hint=max(near(math.sqrt(ss)), 1)) == root_above(ss)


def in_halves(ss: int) -> float:
    """A double of an integer of 128 bits, the two halves rounded on their own."""
    return float(ss >> 64) * 2.0**64 + float(ss & 2**64 - 1)


def test_a_root_in_doubles_suffices_with_its_margin_and_not_without() -> None:
    short = 0
    for ss in hard_squares():
        for converted in (float(ss), in_halves(ss)):
            assert math.ceil(math.sqrt(converted) * (1 + 2.0**-50)) ** 2 >= ss
            short += math.ceil(math.sqrt(converted)) ** 2 < ss
    assert short > 1000
