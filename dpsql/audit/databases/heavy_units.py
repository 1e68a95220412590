"""Rows of units whose values add up to about a column's `unit_total`, to a little more, or to far more.

Rows at random hardly do: with a few values at the column's bounds a unit is far beyond its total at once, and an error
of up to a factor of the total would never show.
"""

from __future__ import annotations

import random
from fractions import Fraction

from dpsql.audit.databases.values import fits, text_of
from dpsql.policy.model import Column, ColumnType

_SPENDING = 0.7
_UNTOUCHED = 0.2
_STEP = Fraction(1, 4)
# A unit gets at most so many rows more for the sake of a total.
_MORE = 10


def spent(
    column: Column, raw: str, values: tuple[str | None, ...], more: bool, draw: random.Random
) -> tuple[str | None, ...]:
    """The values of a column in the rows of one unit, most units having a sum near the column's total.

    `raw` is the source's type. With `more` there may be values of further rows behind those of the given ones.
    """
    if column.unit_total is None or not values or draw.random() > _SPENDING:
        return values
    step = Fraction(1) if column.type is ColumnType.INTEGER else column.step or _STEP
    most, wanted = _most(column, raw, draw), _wanted(column.unit_total, step, draw)
    needed = -(-wanted // abs(most)) if most else 0
    if not 0 < needed <= len(values) + (_MORE if more else 0):
        return values
    rows = max(len(values), needed)
    at = draw.sample(range(rows), draw.randint(needed, rows))
    sizes = _shared(wanted, abs(most), len(at), step, draw)
    given = {i: _text(column, size if most > 0 else -size) for i, size in zip(at, sizes, strict=True)}
    kept = (*values, *(draw.choice(values) for _ in range(rows - len(values))))
    nothing = None if column.nullable else _text(column, Fraction(0))
    return tuple(given.get(i, v if draw.random() < _UNTOUCHED else nothing) for i, v in enumerate(kept))


def _wanted(total: Fraction, step: Fraction, draw: random.Random) -> Fraction:
    """What the values of a unit add up to: mostly more than the total and less than twice of it."""
    between = total * Fraction(draw.randint(105, 195), 100)
    far = total * draw.randint(2, 9) + step
    return draw.choice((total / 2, total, total + step, between, between, between, between, far))


def _most(column: Column, raw: str, draw: random.Random) -> Fraction:
    """A bound of the column that its source can hold, mostly the larger one; 0 where there is none."""
    ends = [Fraction(v) for v in (column.lower, column.upper) if isinstance(v, int | Fraction)]
    usable = sorted((e for e in ends if fits(_text(column, e), raw)), key=abs)
    return draw.choice((usable[0], *[usable[-1]] * 3)) if usable else Fraction(0)


def _shared(
    total: Fraction, most: Fraction, count: int, step: Fraction, draw: random.Random
) -> list[Fraction]:
    """Sizes up to `most` that add up to the total: as large as can be one after another, or nearly the same."""
    size = most if draw.random() < 0.5 else min(-(-total // count // step) * step, most)
    sizes = []
    for _ in range(count):
        sizes.append(min(size, total))
        total -= sizes[-1]
    return sizes


def _text(column: Column, value: Fraction) -> str:
    return text_of(int(value) if column.type is ColumnType.INTEGER else value)
