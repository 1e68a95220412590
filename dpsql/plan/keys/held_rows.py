"""The rows of a public query, listed as they were read when the query was planned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from dpsql.algebra.expressions import Column, LiteralValue
from dpsql.algebra.relations import Released
from dpsql.algebra.released_values import input_query
from dpsql.algebra.scan import list_sql, quoted


def held_rows(source: Released, columns: Sequence[Column], names: Sequence[str]) -> Callable[[], str] | None:
    """What writes a SELECT of the rows that are read, under these names; None for a text that no SQL can hold."""
    named = [quoted(name) for name in names]
    if source.held is None:
        listed = ", ".join(f"c{i} AS {name}" for i, name in enumerate(named))
        return lambda: f"SELECT {listed} FROM ({input_query(source)})"
    values = source.held
    if any(isinstance(v, str) and "\0" in v for of_column in values for v in of_column):
        return None
    return cache(lambda: _listed(columns, named, values))


def _listed(
    columns: Sequence[Column], names: Sequence[str], values: Sequence[tuple[LiteralValue, ...]]
) -> str:
    """The values of the columns side by side; of no rows their types alone."""
    every = zip(columns, names, values, strict=True)
    if not values[0]:
        return f"SELECT {', '.join(f'CAST(NULL AS {c.type.value}) AS {n}' for c, n, _ in every)} WHERE FALSE"
    return f"SELECT {', '.join(f'unnest({list_sql(v, c.type)}) AS {n}' for c, n, v in every)}"
