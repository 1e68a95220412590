"""What the docstring of the exponential mechanism says of D_R, by enumeration of all small databases.

A database is a list of rows (group, value); the scores are a sum for each group. D_R is the largest |d_i - d_j|
over all neighbours, and the mechanisms that use it are private, while those that use less are not.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np
import pytest

Row = tuple[int, int]
Rows = tuple[Row, ...]
Scores = tuple[int, ...]

GROUPS = 3


def disjoint(rows: Rows) -> Scores:
    return tuple(sum(x for g, x in rows if g == group) for group in range(GROUPS))


def ascending(rows: Rows) -> Scores:
    return tuple(-u for u in disjoint(rows))


def overlapping(rows: Rows) -> Scores:
    """A row counts for its own group and, turned round, for the next one."""
    return tuple(a - b for a, b in zip(disjoint(rows), np.roll(disjoint(rows), 1).tolist(), strict=True))


def databases(values: Sequence[int], most: int) -> Iterator[Rows]:
    rows = list(itertools.product(range(GROUPS), values))
    for size in range(most + 1):
        yield from itertools.combinations_with_replacement(rows, size)


def neighbours(values: Sequence[int], rows_per_unit: int) -> list[tuple[Rows, Rows]]:
    """Databases with up to two more rows, without and with a unit."""
    units = list(databases(values, rows_per_unit))
    return [(rest, rest + unit) for rest in databases(values, 2) for unit in units]


def change_range(score: Callable[[Rows], Scores], pairs: list[tuple[Rows, Rows]]) -> int:
    changes = [np.subtract(score(more), score(fewer)) for fewer, more in pairs]
    return max(int(d.max() - d.min()) for d in changes)


def worst_ratio(score: Callable[[Rows], Scores], pairs: list[tuple[Rows, Rows]]) -> Fraction:
    """The largest ratio of probabilities proportional to 2^u, in either direction."""

    def chances(rows: Rows) -> list[Fraction]:
        masses = [Fraction(2) ** u for u in score(rows)]
        return [m / sum(masses) for m in masses]

    ratios = []
    for fewer, more in pairs:
        for p, q in zip(chances(fewer), chances(more), strict=True):
            ratios += [p / q, q / p]
    return max(ratios)


CASES = [
    (disjoint, (1,), 1, 1),  # counts: Delta, although 2 Delta is the classical factor
    (disjoint, (1,), 3, 3),
    (ascending, (1,), 3, 3),  # the least first
    (disjoint, (0, 2), 2, 4),  # sums of values that are not negative
    (disjoint, (-1, 2), 1, 2),  # signed sums over disjoint groups: m max(|lo|, |hi|)
    (disjoint, (-1, 2), 2, 4),
    (disjoint, (-2, 1), 2, 4),
    (overlapping, (1,), 1, 2),  # groups that overlap, signed: 2 Delta
    (overlapping, (-1, 1), 1, 2),
]


@pytest.mark.parametrize(("score", "values", "rows_per_unit", "expected"), CASES)
def test_the_range_of_the_change_is_what_is_claimed(
    score: Callable[[Rows], Scores], values: Sequence[int], rows_per_unit: int, expected: int
) -> None:
    assert change_range(score, neighbours(values, rows_per_unit)) == expected


@pytest.mark.parametrize(("score", "values", "rows_per_unit", "expected"), CASES)
def test_weights_of_that_range_are_private_and_of_less_are_not(
    score: Callable[[Rows], Scores], values: Sequence[int], rows_per_unit: int, expected: int
) -> None:
    """With weights 2^u the loss is at most expected * ln 2, and more than (expected - 1) * ln 2 is needed
    somewhere, once the other candidates weigh little."""
    pairs = neighbours(values, rows_per_unit)
    assert worst_ratio(score, pairs) <= 2**expected
    heavy = (2, -40 if score is ascending else 40)
    apart = [((*fewer, heavy), (*more, heavy)) for fewer, more in pairs]
    assert worst_ratio(score, apart) > 2**expected * Fraction(99, 100)


def test_monotone_scores_are_those_that_never_move_apart() -> None:
    """Counts fall together; signed sums do not, and their range is nevertheless that of one row."""
    for fewer, more in neighbours((1,), 2):
        assert all(a <= b for a, b in zip(disjoint(fewer), disjoint(more), strict=True))
    assert any(
        min(np.subtract(disjoint(more), disjoint(fewer)))
        < 0
        < max(np.subtract(disjoint(more), disjoint(fewer)))
        for fewer, more in neighbours((-1, 2), 2)
    )
