"""Sums under a unit total as SQL: what an argument is of a column that is clipped to the rest of its unit's total."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpsql.algebra.expr import Column, Expr
from dpsql.algebra.types import SqlType
from dpsql.functions.spell import double
from dpsql.plan.totals import factor
from dpsql.plan.types import SHARES, Grid, UnitTotal


@dataclass(frozen=True, slots=True)
class Inherited:
    """The values of a sum that inherits a total, on its grid; `emit` writes an expression, `name` names what it reads.

    Every row's value is at most `share` |k| in size, by integers alone, where k is the column's clipped integer.
    """

    grid: Grid
    total: UnitTotal
    emit: Callable[[Expr], str]
    name: Callable[[str], str]

    def of(self, k: str) -> str:
        """The value where the column's integer is `k`: NULL where that or the factor is NULL; it never raises."""
        column = self.total.grid.arg
        assert isinstance(column, Column)
        if self.grid.arg == column:
            return self.name(k)
        f = factor(self.grid.arg, column)
        assert f is not None, "an argument inherits a total as a multiple of its column"
        return _clipped(self.name(self._times(k, f)), self.name(k), self.grid.share)

    def _times(self, k: str, f: Expr) -> str:
        if f.type is SqlType.INTEGER:
            return f"({k} * {self.emit(f)})"
        finer = double(float(self.total.grid.step / self.grid.step))
        return f"CAST(round(CAST({k} AS DOUBLE) * {self.emit(f)} * {finer}) AS BIGINT)"


def _clipped(value: str, k: str, share: Fraction) -> str:
    most = f"abs({k})"
    if share.denominator > 1:
        most = f"(({most} * {share * SHARES}) // {SHARES})"
    elif share != 1:
        most = f"({most} * {share})"
    return f"CASE WHEN {value} > {most} THEN {most} WHEN {value} < -{most} THEN -{most} ELSE {value} END"
