"""The rows of a plain public query (`sql/public/trivial_query.py`), without an engine, where DuckDB gives the same.

A stored answer takes three statements of DuckDB otherwise. What DuckDB would convert is left to it, and so is the order
of rows that are equal in all that they are sorted by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from dpsql.engines.base import ReleasedTable, Row
from dpsql.sql.public.trivial_query import By, Plain

# More rows than these are DuckDB's work.
_MOST_ROWS = 100_000


def _within(bits: int) -> Callable[[object], bool]:
    most = 2 ** (bits - 1)
    return lambda value: type(value) is int and -most < value < most


def _of(kind: type) -> Callable[[object], bool]:
    return lambda value: type(value) is kind


# What stands in a column of that type, comes out of it as it is.
_SHOWN: Final[Mapping[str, Callable[[object], bool]]] = MappingProxyType(
    {
        "BIGINT": _within(64),
        "HUGEINT": _within(128),
        "DOUBLE": _of(float),
        "VARCHAR": _of(str),
        "BOOLEAN": _of(bool),
        "DATE": _of(date),
        "TIMESTAMP": _of(datetime),
    }
)
Key = tuple[int, object]


def plain_rows(plain: Plain, table: ReleasedTable) -> tuple[Row, ...] | None:
    """The rows that a plain public query shows of its released table, each with its place there as a last value.

    None where DuckDB has to say what they are.
    """
    at = {name: place for place, (name, _) in enumerate(table.columns)}
    kinds = dict(table.columns)
    read = dict.fromkeys((*plain.columns, *(by.column for by in plain.order), "i"))
    if len(table.rows) > _MOST_ROWS or not all(_is_shown(kinds[n], table.rows, at[n]) for n in read):
        return None
    rows = _ordered(table.rows, [(by, at[by.column]) for by in plain.order])
    if rows is None:
        return None
    end = None if plain.limit is None else plain.offset + plain.limit
    places = [*(at[name] for name in plain.columns), at["i"]]
    return tuple(tuple(row[p] for p in places) for row in rows[plain.offset : end])


def _is_shown(kind: str, rows: Sequence[Sequence[object]], at: int) -> bool:
    """Whether DuckDB shows the values of a column as they are."""
    shown = _SHOWN.get(kind)
    return shown is not None and all(row[at] is None or shown(row[at]) for row in rows)


def _ordered(
    rows: Sequence[Sequence[object]], order: Sequence[tuple[By, int]]
) -> Sequence[Sequence[object]] | None:
    """The rows in the order asked for; None where some are equal in all that they are sorted by."""
    if not order:
        return rows
    ordered = list(rows)
    for by, at in reversed(order):
        ordered.sort(key=lambda row, by=by, at=at: _key(row[at], by), reverse=by.descending)  # type: ignore[misc]
    keys = [[_key(row[at], by) for by, at in order] for row in ordered]
    return None if any(one == other for one, other in pairwise(keys)) else ordered


def _key(value: object, by: By) -> Key:
    """DuckDB's order: NULL last unless it is to be first, in both directions, and NaN above every number."""
    if value is None:
        return (1 if by.nulls_first == by.descending else -1, 0)
    return (0, (value != value, 0.0 if value != value else value) if isinstance(value, float) else value)
