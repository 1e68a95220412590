"""Sums under a unit total as SQL: what an argument is of a column that is clipped to the rest of its unit's total."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dpsql.algebra.expressions import Column, Expr
from dpsql.algebra.functions.spell import double
from dpsql.algebra.types import SqlType
from dpsql.plan.sums.unit_totals import multiples
from dpsql.plan.types import SHARES, Grid, UnitTotal
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Inherited:
    """The values of a sum that inherits totals, on its grid; `emit` writes an expression, `name` names what it reads.

    Every row's value is at most `share` |k| in size, by integers alone, where k is a column's clipped integer; of
    several columns it is the sum of such values. With `nullable` the argument may be NULL, and the value is then.
    """

    grid: Grid
    totals: tuple[UnitTotal, ...]
    emit: Callable[[Expr], str]
    name: Callable[[str], str]
    nullable: bool = True

    def of(self, ks: tuple[str, ...]) -> str:
        """The value where the columns' integers are `ks`: NULL where the argument is; it never raises."""
        parts = [self._part(at, k) for at, k in enumerate(ks)]
        return parts[0] if len(parts) == 1 else self._where_known(" + ".join(_or_zero(p) for p in parts))

    def taken_off(self, at: int, whole: str, off: str) -> str:
        """What the value loses where the integer of one column is `whole` less `off`."""
        lost = f"({self._part(at, whole)} - {self._part(at, f'({whole} - {off})')})"
        return lost if len(self.totals) == 1 else self._where_known(_or_zero(lost))

    def _where_known(self, value: str) -> str:
        if not self.nullable:
            return f"({value})"
        return f"CASE WHEN {self.name(f'({self.emit(self.grid.arg)} IS NOT NULL)')} THEN {value} END"

    def _part(self, at: int, k: str) -> str:
        """The multiple of one column: NULL where that or its factor is."""
        columns = tuple(t.grid.arg for t in self.totals if isinstance(t.grid.arg, Column))
        if (self.grid.arg,) == columns:
            return self.name(k)
        factors = multiples(self.grid.arg, columns)
        assert factors is not None, "an argument inherits totals as a sum of multiples of their columns"
        value = self._times(k, factors[at], self.totals[at].grid.step)
        return _clipped(self.name(value), self.name(k), self.grid.reach[at].share)

    def _times(self, k: str, f: Expr, step: Fraction) -> str:
        if f.type is SqlType.INTEGER and step == self.grid.step:
            return f"({k} * {self.emit(f)})"
        finer = double(float(step / self.grid.step))
        return f"CAST(round(CAST({k} AS DOUBLE) * {self.emit(f)} * {finer}) AS BIGINT)"


def _or_zero(value: str) -> str:
    return f"coalesce({value}, 0)"


def _clipped(value: str, k: str, share: Fraction) -> str:
    most = f"abs({k})"
    if share.denominator > 1:
        most = f"(({most} * {share * SHARES}) // {SHARES})"
    elif share != 1:
        most = f"({most} * {share})"
    return f"(CASE WHEN {value} > {most} THEN {most} WHEN {value} < -{most} THEN -{most} ELSE {value} END)"
