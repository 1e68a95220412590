"""Whether the cells of a family are never negative, whatever the rows are: then two units' vectors have an acute angle.

A cell is looked at condition by condition, as what one row adds that satisfies it. Of a value that is s above the lower
end of a grid of width w that is a + b s + c s**2. In the Bernstein basis of degree 2 its coefficients are a, a + b w /
2 and a + b w + c w**2: where none is negative, neither is the polynomial on [0, w]. That is enough for the families in
use, and a cell of which it says nothing counts as one that may be negative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpsql.algebra.expressions import Expr
from dpsql.plan.sums.cells import Sum, Term


def never_negative(terms: Sequence[Term], cells: Sequence[tuple[int, ...]]) -> bool:
    """Whether no row can add anything below 0 to a cell; cells are combinations of the terms."""
    return all(_adds_nothing_below_0(terms, cell) for cell in cells)


def _adds_nothing_below_0(terms: Sequence[Term], cell: tuple[int, ...]) -> bool:
    by_condition: dict[Expr, dict[Term, int]] = {}
    for term, c in zip(terms, cell, strict=True):
        if c:
            of = by_condition.setdefault(term.where, {})
            of[term] = of.get(term, 0) + c
    return all(
        all(c > 0 and adds_nothing_below_0(t) for t, c in of.items()) or _of_one_column(of)
        for of in by_condition.values()
    )


def adds_nothing_below_0(term: Term) -> bool:
    """Whether no row adds anything below 0 to a term."""
    if term.sum is Sum.TOTAL:
        return term.grid is not None and not term.grid.reach and term.grid.lo >= 0
    return True


def _of_one_column(of: Mapping[Term, int]) -> bool:
    """Whether a row adds nothing below 0 to a combination of counts and moments of one column."""
    grids = {t.grid for t in of if t.grid is not None}
    columns = {t.arg for t in of if t.sum is not Sum.ROWS}
    if len(grids) > 1 or len(columns) > 1 or any(t.sum not in _POWERS for t in of):
        return False
    sums = {s: sum(c for t, c in of.items() if t.sum is s) for s in _POWERS}
    w = next((g.width for g in grids if g is not None), 0)
    null, a = sums[Sum.ROWS], sums[Sum.ROWS] + sums[Sum.VALUES]
    b, c = sums[Sum.SHIFTED], sums[Sum.SQUARES]
    return min(null, a, 2 * a + b * w, a + b * w + c * w * w) >= 0


_POWERS = (Sum.ROWS, Sum.VALUES, Sum.SHIFTED, Sum.SQUARES)
