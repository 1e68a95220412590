"""Long answers as DuckDB gives them column by column, where that loses nothing; values are those of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, Final

import duckdb
import numpy as np
import numpy.typing as npt

from dpsql.engines.base import Row
from dpsql.engines.column_rows import (
    Column,
    ColumnRows,
    Nulls,
    NumberColumn,
    NumberKind,
    Numbers,
    TextColumn,
    within_dates,
)
from dpsql.slotted import dataclass

FEW: Final = 1_000
"""So many rows are read as rows."""
_TEXT: Final = "VARCHAR"
# Integers of 64 bits without a sign, decimals and the like would lose digits, or come as objects anyway.
_KINDS: Final = MappingProxyType(
    {
        "BOOLEAN": NumberKind.BOOLEAN,
        "TINYINT": NumberKind.INTEGER,
        "SMALLINT": NumberKind.INTEGER,
        "INTEGER": NumberKind.INTEGER,
        "BIGINT": NumberKind.INTEGER,
        "UTINYINT": NumberKind.INTEGER,
        "USMALLINT": NumberKind.INTEGER,
        "UINTEGER": NumberKind.INTEGER,
        "FLOAT": NumberKind.DOUBLE,
        "DOUBLE": NumberKind.DOUBLE,
        "DATE": NumberKind.DAYS,
        "TIMESTAMP": NumberKind.MICROSECONDS,
    }
)
_UNITS: Final = MappingProxyType({NumberKind.DAYS: "M8[D]", NumberKind.MICROSECONDS: "M8[us]"})


@dataclass(frozen=True, slots=True)
class Fetched:
    """The rows of a result; None where columns do not hold a value: a date that Python has not, a text with a zero."""

    rows: Sequence[Row] | None


class _NotAsColumns(Exception):
    """A value that columns do not hold."""


def fetched(result: duckdb.DuckDBPyConnection, most: int) -> Fetched:
    """All rows of a result that has at most `most`, as columns where they are many.

    Whoever runs the query sees to it that there are no more: columns are read whole.
    """
    try:
        return Fetched(_fetched(result, most))
    except _NotAsColumns:
        return Fetched(None)


def _fetched(result: duckdb.DuckDBPyConnection, most: int) -> Sequence[Row]:
    types = [str(column[1]) for column in result.description or ()]
    if not types or not all(t == _TEXT or t in _KINDS for t in types):
        return result.fetchmany(most)
    rows = result.fetchmany(FEW)
    if len(rows) < FEW:
        return rows
    rest = tuple(_rest(result).values())
    if len(rest) != len(types):
        raise _NotAsColumns
    firsts = zip(*rows, strict=True)
    return ColumnRows(tuple(_column(t, f, r) for t, f, r in zip(types, firsts, rest, strict=True)))


def _rest(result: duckdb.DuckDBPyConnection) -> dict[str, npt.NDArray[Any]]:
    try:
        return result.fetchnumpy()
    except duckdb.ConversionException:  # an infinite date
        raise _NotAsColumns from None


def _column(kind: str, first: Sequence[object], rest: npt.NDArray[Any]) -> Column:
    """A column of its first values and an array of the others."""
    nulls = np.concatenate([[v is None for v in first], np.ma.getmaskarray(rest)])
    marked = nulls if nulls.any() else None
    if kind == _TEXT:
        return _texts([*first, *np.ma.getdata(rest).tolist()], marked)
    return _numbers(_KINDS[kind], first, rest, marked)


def _texts(values: list[Any], nulls: Nulls | None) -> TextColumn:
    for place in np.flatnonzero(nulls).tolist() if nulls is not None else ():
        values[place] = ""
    data = ("\0".join(values) + "\0").encode()
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 0)
    if len(ends) != len(values):
        raise _NotAsColumns
    return TextColumn(data, 0, ends, nulls)


def _numbers(
    kind: NumberKind, first: Sequence[object], rest: npt.NDArray[Any], nulls: Nulls | None
) -> NumberColumn:
    unit = _UNITS.get(kind)
    others = np.ma.getdata(rest)
    made: npt.NDArray[Any]
    if unit is not None:
        if any(isinstance(v, str) for v in first):
            raise _NotAsColumns
        made = np.concatenate([np.array(first, dtype=unit), others.astype(unit)]).view(np.int64)
    else:
        of = np.float64 if kind is NumberKind.DOUBLE else np.int64
        made = np.concatenate([np.array([0 if v is None else v for v in first], of), others.astype(of)])
    if nulls is not None:
        made[nulls] = 0
    numbers: Numbers = made
    if not within_dates(kind, numbers):
        raise _NotAsColumns
    return NumberColumn(kind, numbers, nulls)
