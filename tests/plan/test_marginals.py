"""Least squares over marginals in closed form, against matrices; and the shares of a budget that it makes best."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest

from dpsql.plan.rollup.marginals import Axes, Marginals, estimated, noise_of, rounded
from dpsql.plan.rollup.shares import best_shares

SIZES: tuple[tuple[tuple[int, ...], tuple[Axes, ...]], ...] = (
    ((4,), ((0,), ())),
    ((4, 3), ((0, 1), (0,), (1,), ())),
    ((4, 3, 2), ((0, 1), (1, 2), (0,))),
    ((5, 2, 3), ((0, 1, 2), (0, 1), (0,), ())),
    ((3, 4), ((0,), (1,))),
)


@lru_cache
def adding(sizes: tuple[int, ...], axes: Axes) -> np.ndarray:
    """The matrix that adds the cells of a table up to those of a marginal."""
    cells = list(itertools.product(*(range(n) for n in sizes)))
    groups = list(itertools.product(*(range(sizes[a]) for a in axes)))
    return np.array([[tuple(c[a] for a in axes) == g for c in cells] for g in groups], dtype=float)


def shaped(values: np.ndarray, sizes: Sequence[int], axes: Axes) -> np.ndarray:
    return values.reshape(*(n if a in axes else 1 for a, n in enumerate(sizes)), 1)


@pytest.mark.parametrize(("sizes", "sets"), SIZES)
def test_estimates_and_their_noise_are_those_of_the_pseudo_inverse(
    sizes: tuple[int, ...], sets: tuple[Axes, ...]
) -> None:
    rng = np.random.default_rng(7)
    weights = rng.random(len(sets)) + 0.2
    m = Marginals(sizes, tuple(zip(sets, map(float, weights), strict=True)))
    matrices = [adding(sizes, s) for s in sets]
    inverse = np.linalg.pinv(sum(w * a.T @ a for w, a in zip(weights, matrices, strict=True)))
    seen = [rng.normal(size=len(a)) for a in matrices]
    wanted = inverse @ sum(w * a.T @ y for w, a, y in zip(weights, matrices, seen, strict=True))
    found = estimated(m, [shaped(y, sizes, s) for y, s in zip(seen, sets, strict=True)])
    assert np.allclose(found.ravel(), wanted)
    for asked in (*sets, m.every):
        for k, (w, a) in enumerate(zip(weights, matrices, strict=True)):
            row = w * (adding(sizes, asked) @ inverse @ a.T)[0]
            mine = [c.factor for c in noise_of(m, asked) if c.released == k for _ in range(c.times)]
            assert np.allclose(sorted([*mine, *[0.0] * (len(row) - len(mine))]), sorted(row))


@pytest.mark.parametrize(("sizes", "sets"), SIZES)
def test_rounding_moves_a_marginal_over_k_axes_by_at_most_two_to_the_k_minus_1(
    sizes: tuple[int, ...], sets: tuple[Axes, ...]
) -> None:
    table = np.random.default_rng(3).normal(scale=20, size=(*sizes, 2))
    whole = rounded(table, len(sizes))
    assert np.array_equal(whole, np.rint(whole))
    for axes in (*sets, tuple(range(len(sizes)))):
        others = tuple(a for a in range(len(sizes)) if a not in axes)
        assert np.abs((whole - table).sum(axis=others)).max() <= 2 ** len(axes) / 2 + 1e-9


def test_marginals_that_are_whole_numbers_stay_what_they_are() -> None:
    sizes, sets = (3, 4), ((0,), (1,), ())
    table = np.arange(12.0).reshape(3, 4, 1)
    m = Marginals(sizes, tuple((s, 1.0) for s in sets))
    sums = [shaped(adding(sizes, s) @ table.ravel(), sizes, s) for s in sets]
    found = rounded(estimated(m, sums), 2)
    assert all(
        np.array_equal(adding(sizes, s) @ found.ravel(), y.ravel()) for s, y in zip(sets, sums, strict=True)
    )


def laplace(share: Fraction) -> float:
    return 1 / float(share) ** 2


def gaussian(share: Fraction) -> float:
    return 1 / float(share)


def mean_variance(
    sizes: tuple[int, ...], shares: Sequence[tuple[Axes, float]], asked: Sequence[Axes], power: int
) -> float:
    """By matrices: the mean over marginals of the mean variance of their cells."""
    sums = {a: adding(sizes, a) for a in (*asked, *(a for a, _ in shares))}
    inverse = np.linalg.pinv(sum(s**power * sums[a].T @ sums[a] for a, s in shares), hermitian=True)
    each = [float(np.einsum("ij,jk,ik->", sums[a], inverse, sums[a])) / len(sums[a]) for a in asked]
    return float(np.mean(each))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize(
    ("sizes", "asked"),
    [((12,), ((0,), ())), ((4,), ((0,), ())), ((3, 4), ((0,), (1,))), ((9, 7), ((0, 1), (0,), ()))],
)
def test_no_shares_of_a_fine_grid_are_clearly_better_than_those_that_are_chosen(
    sizes: tuple[int, ...], asked: tuple[Axes, ...], power: int
) -> None:
    found = best_shares(sizes, asked, power == 1, laplace if power == 2 else gaussian)
    assert sum(s for _, s in found) == 1
    chosen = mean_variance(sizes, [(a, float(s)) for a, s in found], asked, power)
    table = tuple(range(len(sizes)))
    sets = tuple(dict.fromkeys((table, *asked)))
    grid = (p for p in itertools.product(range(21), repeat=len(sets)) if sum(p) == 20)
    tried = [[(s, n / 20) for s, n in zip(sets, p, strict=True) if n] for p in grid]
    complete = (t for t in tried if all(any(set(a) <= set(s) for s, _ in t) for a in asked))
    assert chosen <= 1.06 * min(mean_variance(sizes, t, asked, power) for t in complete)


def test_the_table_alone_is_released_where_nothing_is_clearly_better() -> None:
    assert best_shares((4,), ((0,), ()), False, laplace) == (((0,), Fraction(1)),)
    assert len(best_shares((40,), ((0,), ()), False, laplace)) == 2
    sizes = tuple(range(2, 9))
    many = [s for n in range(8) for s in itertools.combinations(range(7), n)]
    assert best_shares(sizes, many, False, laplace) == ((tuple(range(7)), Fraction(1)),)
    assert math.prod(sizes) == 40320
