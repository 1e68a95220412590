"""The weights of groups as numbers: where units are whole numbers, a pair of a unit and a group is one number.

Sorted, the pairs of a unit stand side by side, each as often as it was read. That takes a fraction of the time of
DuckDB's tables of pairs, and gives the same integers: a unit with d groups adds isqrt(2^40 // d) to each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import duckdb
import numpy as np
import numpy.typing as npt

from dpsql.engines.base import Weighing, part_of_units
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.mechanisms.partition.weighted_selection import MOST_GROUPS

_EACH, _PASSES = 1_000_000, 16
"""How many pairs are read in a pass, and how many passes are made at most."""
_MOST_AT_ONCE = 2**24
"""More pairs that are not read in passes are left to SQL, which can do with less memory."""
_UNITS: Final = 2**42
_PLACES: Final = 2**20
"""A pair is a unit, from -_UNITS to _UNITS - 1, times _PLACES, and behind that the place of a group."""
_SLICE = 2**16
_WHOLE: Final = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"})
_Numbers = npt.NDArray[np.int64]
_Weights = dict[int | None, int]
"""By the number of a group, or None for NULL."""


class _TooMany(Exception):
    """The pairs are more than there is room for, or than numbers hold."""


def weighed(connection: duckdb.DuckDBPyConnection, made: Weighing) -> bool:
    """Makes the table of weights. False where numbers do not hold the pairs: then nothing is made that is read.

    *Guarantees*: the integers of `made.by_sql`. *Because*: equal numbers are equal pairs, and weights are integers of
    at most 2^20, of which 64 bits hold the sum of 2^42.
    """
    unit, *keys = (str(kind) for kind in connection.sql(made.pairs()).types)
    if unit not in _WHOLE:
        return False
    if len(keys) == 1 and keys[0] in _WHOLE and _is_written_by_key(connection, made, keys[0]):
        return True
    return _is_written_by_place(connection, made)


def _is_written_by_key(connection: duckdb.DuckDBPyConnection, made: Weighing, kind: str) -> bool:
    """Where the key of a group is a small whole number, it is what stands for the group."""
    groups = f"SELECT unnest($groups::{kind}[]) AS k0, unnest($weights::BIGINT[]) AS g0"
    return _is_written(connection, made, groups, "SELECT u, k0 AS n FROM ({})")


def _is_written_by_place(connection: duckdb.DuckDBPyConnection, made: Weighing) -> bool:
    """Otherwise groups are numbered, by a table in the place of the one that is to be made."""
    table, names = made.by_sql.table, [f"k{i}" for i in range(made.keys)]
    groups = f"SELECT DISTINCT {', '.join(names)} FROM ({made.pairs()})"
    connection.execute(
        f"CREATE OR REPLACE TABLE {table} AS SELECT *, row_number() OVER () AS n FROM ({groups})"
    )
    same = " AND ".join(f"p.{name} IS NOT DISTINCT FROM g.{name}" for name in names)
    weights = "SELECT unnest($groups::BIGINT[]) AS n, unnest($weights::BIGINT[]) AS g0"
    return _is_written(
        connection,
        made,
        f"SELECT {', '.join(names)}, g0 FROM {table} JOIN ({weights}) USING (n)",
        f"SELECT u, n FROM ({{}}) AS p JOIN {table} AS g ON {same}",
    )


def _is_written(connection: duckdb.DuckDBPyConnection, made: Weighing, groups: str, numbered: str) -> bool:
    """Writes what `groups` selects, of the weights of pairs whose groups are numbered."""
    try:
        weights = _added(connection, made, numbered)
    except _TooMany:
        return False
    values = {"groups": list(weights), "weights": list(weights.values())}
    connection.execute(f"CREATE OR REPLACE TABLE {made.by_sql.table} AS {groups}", values)
    return True


def _added(connection: duckdb.DuckDBPyConnection, made: Weighing, numbered: str) -> _Weights:
    """What all units add to each group; `numbered` selects u and n, the number of a group, around pairs."""
    added: _Weights = {}
    fits = f"u BETWEEN {-_UNITS} AND {_UNITS - 1} AND coalesce(n, 0) BETWEEN 0 AND {_PLACES - 2}"
    pair = f"CAST(u AS BIGINT) * {_PLACES} + coalesce(CAST(n AS BIGINT) + 1, 0)"
    # DuckDB reads rows up to a limit by one thread.
    limit = "" if made.by_sql.counted else f" LIMIT {_MOST_AT_ONCE + 1}"
    for pairs in _passes(connection, made):
        rows = f"SELECT CASE WHEN {fits} THEN {pair} END AS pair FROM ({numbered.format(pairs)}){limit}"
        found = connection.sql(rows).fetchnumpy()["pair"]
        if (limit and len(found) > _MOST_AT_ONCE) or np.ma.is_masked(found):
            raise _TooMany
        for place, weight in _weights(np.ma.getdata(found)):
            group = place - 1 if place else None
            added[group] = added.get(group, 0) + weight
    return added


def _passes(connection: duckdb.DuckDBPyConnection, made: Weighing) -> Iterator[str]:
    """The pairs of all units in as many parts as their rows ask for, where these are cheap to tell apart."""
    rows = 0
    if made.by_sql.counted:
        ((rows,),) = connection.execute(made.by_sql.counted).fetchall()
    passes = max(1, min(-(-rows // _EACH), _PASSES))
    for at in range(passes):
        yield made.pairs(part_of_units(UNIT, at, passes) if passes > 1 else "TRUE")


def _weights(pairs: _Numbers) -> Iterator[tuple[int, int]]:
    """What the units of these pairs add to each place in which they are; the pairs are sorted where they stand."""
    pairs.sort()
    added = np.zeros(_PLACES, np.int64)
    for few in _slices(pairs):
        distinct = few[_begins(few)]
        _add(added, distinct // _PLACES, distinct % _PLACES)
    for place in np.flatnonzero(added).tolist():
        yield place, int(added[place])


def _slices(pairs: _Numbers) -> Iterator[_Numbers]:
    """Parts of sorted pairs that are small enough for a processor's cache; all pairs of a unit are in one."""
    begin = 0
    while begin < len(pairs):
        last = int(pairs[min(begin + _SLICE, len(pairs)) - 1])
        end = int(np.searchsorted(pairs, (last // _PLACES + 1) * _PLACES))
        yield pairs[begin:end]
        begin = end


def _add(added: _Numbers, units: _Numbers, places: _Numbers) -> None:
    """Adds the weights of sorted units that stand once for each of their places."""
    starts = np.flatnonzero(_begins(units))
    counts = np.diff(starts, append=len(units))
    weight_of = np.zeros(int(counts.max()) + 1, np.int64)
    for d in np.unique(counts).tolist():
        weight_of[d] = math.isqrt(MOST_GROUPS // d)
    np.add.at(added, places, np.repeat(weight_of[counts], counts))


def _begins(values: _Numbers) -> npt.NDArray[np.bool_]:
    """Where a sorted array has another value than before."""
    begins = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return begins
