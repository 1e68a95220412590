"""The cell of a value as SQL: the grid integer at which its cell begins; NULL for NULL; it never raises."""

from __future__ import annotations

from collections.abc import Callable

from dpsql.algebra.expressions import Column
from dpsql.algebra.facts import Facts
from dpsql.algebra.functions import emit
from dpsql.algebra.types import SqlType
from dpsql.engines.sqlgen.grid import clipped, grid_sql
from dpsql.plan.types import Bins


def bin_value(bins: Bins, base: Facts, column: Callable[[Column], str]) -> str:
    """The grid integer of a row's value, before clipping: a BIGINT."""
    arg = bins.grid.arg
    if arg.type is SqlType.DATE:
        return f"CAST({emit(arg, base, column)} - DATE '1970-01-01' AS BIGINT)"
    if arg.type is SqlType.TIMESTAMP:
        return f"epoch_us({emit(arg, base, column)})"
    return grid_sql(bins.grid, base, column)


def bin_start(name: str, bins: Bins) -> str:
    """Where the cell of the grid integer of that name begins."""
    lo, hi = bins.grid.lo, bins.grid.hi
    if bins.bits is not None:
        inside = _by_size(name, bins.bits, lo, hi)
        ends = _rounded(lo, bins.bits), _rounded(hi, bins.bits)
        return f"CASE WHEN {name} < {lo} THEN {ends[0]} WHEN {name} > {hi} THEN {ends[1]} ELSE {inside} END"
    if bins.width == 1:
        return clipped(name, bins.grid)
    offset = f"(({clipped(name, bins.grid)}) - ({lo}))"
    return f"({lo} + {offset} - {offset} % {bins.width})"


def _rounded(value: int, bits: int) -> int:
    over = max(value.bit_length() - bits, 0)
    return value >> over << over


def _by_size(name: str, bits: int, lo: int, hi: int) -> str:
    """The number without its digits after the first so many, found by halving the range of lengths."""
    least, most = (max(n.bit_length() - bits, 0) for n in (lo, hi))
    return _halved(name, bits, least, most)


def _halved(name: str, bits: int, least: int, most: int) -> str:
    if least == most:
        return f"{name} - {name} % {1 << least}" if least else name
    middle = (least + most) // 2
    below, above = _halved(name, bits, least, middle), _halved(name, bits, middle + 1, most)
    return f"CASE WHEN {name} < {1 << (middle + bits)} THEN {below} ELSE {above} END"
