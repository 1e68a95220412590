"""A limit is the same, and the same is told of it, whichever of the last bins were counted first."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import cast

import numpy as np
import pytest

from dpsql.engines.base import Exact
from dpsql.mechanisms.clipping.clipping_noise import Noise, gaussian, laplace
from dpsql.mechanisms.clipping.clipping_threshold import clipping_threshold
from dpsql.mechanisms.clipping.unit_bins import Bins
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.types import Bounding, Clipping, Family, Histogram, ScaledSums, Sum, Term
from dpsql.privacy import Neighbours
from dpsql.release.draw import thresholds
from dpsql.release.draw.noise import FoundLimit
from dpsql.release.draw.thresholds import find_limit, rows_counted, told_limit

BINS = Bins(8, 30)
TERMS = (Term(Sum.ROWS), Term(Sum.VALUES))
FAMILY = Family(TERMS, ((3, 0), (0, 1)), 1, Fraction(1), "")
MANY = (thresholds.MANY_ROWS + 1, thresholds.MANY_ROWS)


class Given:
    """A sampler whose noise of each bin is given: of the last bins first, then of those before."""

    def __init__(self, noise: np.ndarray) -> None:
        self.left = noise

    def discrete_laplace(self, values: np.ndarray, **law: object) -> np.ndarray:
        drawn, self.left = (
            self.left[len(self.left) - len(values) :],
            self.left[: len(self.left) - len(values)],
        )
        return np.asarray(values + drawn)

    def discrete_gaussian(self, values: np.ndarray, **law: object) -> np.ndarray:
        return self.discrete_laplace(values)


def _parts(noise: Noise, bins: Bins = BINS) -> tuple[Histogram, ScaledSums]:
    clipping = Clipping(1 << 40, bins, 4, 3)
    return (
        Histogram(Bounding(), TERMS, FAMILY.cells, clipping, noise),
        ScaledSums(Bounding(), FAMILY, clipping, noise),
    )


def _exact(counts: np.ndarray, read: int) -> Exact:
    keys = tuple((BINS.lowest + i,) for i in range(read, len(counts)))
    return Exact(keys, counts[read:].reshape(-1, 1))


def _found(
    noise: Noise, counts: np.ndarray, drawn: np.ndarray, read: int, rows: Fraction | None
) -> tuple[FoundLimit, bool]:
    part, wanted = _parts(noise)
    sampler = cast(Sampler, Given(drawn))

    def every() -> Exact:
        return _exact(counts, 0)

    limit, enough = find_limit(part, wanted, _exact(counts, read), every, 3, sampler)
    return told_limit(part, limit, rows, every, sampler), enough


def _histograms(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Units of sizes that fall off in one way or another, and noise."""
    draw = random.Random(seed)
    top, fall = draw.randrange(2, len(BINS)), draw.choice((1.2, 2, 4, 8))
    most = draw.choice((30, 300, 20_000, 10**6))
    counts = [
        most / fall ** abs(top - i) if i <= top else draw.choice((0, 0, 3, 40)) for i in range(len(BINS))
    ]
    noise = [draw.choice((-9, -1, 0, 2, 25, 70)) for _ in BINS.powers]
    return np.array(counts, dtype=np.int64), np.array(noise, dtype=np.int64)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("rows", [None, *map(Fraction, MANY)])
@pytest.mark.parametrize(
    "noise", [laplace(Fraction(1, 5), Neighbours.ADD_REMOVE), gaussian(1, Neighbours.ADD_REMOVE)]
)
def test_the_same_is_found_and_told(noise: Noise, rows: Fraction | None) -> None:
    quick = told = 0
    for seed in range(100):
        counts, drawn = _histograms(seed)
        whole, _ = _found(noise, counts, drawn, len(BINS), rows)
        for read in range(len(BINS)):
            limit, enough = _found(noise, counts, drawn, read, rows)
            assert limit == whole
            quick += enough and read > 0
        told += len(whole.counts) < len(BINS)
    assert quick > 100
    assert told > 5


def test_bins_below_the_first_that_has_a_say_have_none() -> None:
    """Whatever they hold: what is in them can only make a smaller limit worse."""
    noise, some = laplace(Fraction(1, 5), Neighbours.ADD_REMOVE), 0
    for seed in range(200):
        counts, drawn = _histograms(seed)
        noisy = counts + drawn
        for groups in (1, 50):
            law = {"bins": BINS, "groups": groups, "histogram": noise, "answer": noise, "row_weight": 4}
            found = clipping_threshold(noisy, **law)  # type: ignore[arg-type]
            for others in (0, 1, 10**3, 10**9, -(10**4)):
                changed = noisy.copy()
                changed[: found.first] = others
                assert clipping_threshold(changed, **law) == found  # type: ignore[arg-type]
            some += found.first > 2
    assert some > 100


def test_all_bins_are_told_of_an_answer_that_counts_few() -> None:
    noise = laplace(Fraction(1, 5), Neighbours.ADD_REMOVE)
    few = np.zeros(len(BINS), dtype=np.int64)
    few[10:15] = 400, 300, 200, 100, 80
    many = few * 100
    assert [
        len(_found(noise, counts, few * 0, 4, Fraction(rows))[0].counts) == len(BINS)
        for counts, rows in ((few, MANY[1]), (few, MANY[0]), (many, MANY[1]))
    ] == [True, False, False]
    assert len(_found(noise, few, few * 0, 4, None)[0].counts) < len(BINS)


@pytest.mark.parametrize(("cells", "rows"), [([[600, 50], [300, 10]], 300), ([[-600, 50], [300, 10]], -60)])
def test_rows_are_counted_by_the_cells_that_count_them(cells: list[list[int]], rows: int) -> None:
    """Three for each row in the first cell; of a sum that counts no rows at most four are of one row."""
    _, part = _parts(laplace(1, Neighbours.ADD_REMOVE))
    assert rows_counted(part, np.array(cells) << BINS.lowest) == rows
    of_dataclasses = replace(part, family=replace(FAMILY, cells=((0, 1),)))
    assert rows_counted(of_dataclasses, np.array([[600], [200]]) << BINS.lowest) == 200


def test_a_histogram_that_is_read_whole_is_asked_for_once() -> None:
    asked = []
    counts, drawn = _histograms(1)
    part, wanted = _parts(laplace(1, Neighbours.ADD_REMOVE))

    def every() -> Exact:
        asked.append(1)
        return _exact(counts, 0)

    nothing = _exact(counts, len(BINS))
    sampler = cast(Sampler, Given(drawn))
    limit, enough = find_limit(part, wanted, nothing, every, 3, sampler)
    told_limit(part, limit, Fraction(10), every, sampler)
    assert (asked, enough) == ([1], False)
