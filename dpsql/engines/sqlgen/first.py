"""The first rows of each unit in an order, in one pass and without holding the others.

DuckDB sorts all rows of a partition before `row_number() <= n` leaves any out, and fails where one unit's do not fit.
`min(x, n)` keeps a heap of n values for each group, whatever comes by. It compares STRUCTs field by field in the order
of ORDER BY, NULL last, so that the fields are the terms of the order and then what is to be read of a row.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpsql.engines.sqlgen.unit_aggregates import UNIT

MOST_FIRST = 999_999
"""The most values that DuckDB's `min(x, n)` keeps; beyond, it raises."""


def first_rows(columns: Sequence[str], order: Sequence[str], count: int, rows: str) -> str:
    """SELECT the columns, then "#order", of the first `count` rows of each "#unit" of `rows` by the terms of an order.

    Equal to `row_number() OVER (PARTITION BY "#unit" ORDER BY ...) <= count`. Memory: `count` rows a unit, with room
    for them taken at once: for units that have so many rows in their table.
    """
    assert 0 < count <= MOST_FIRST
    fields = {term: f"f{i}" for i, term in enumerate(dict.fromkeys([*order, *columns]))}
    row = ", ".join(f"{name} := {term}" for term, name in fields.items())
    least = f"SELECT min(struct_pack({row}), {count}) AS l FROM ({rows}) GROUP BY {UNIT}"
    each = f"SELECT unnest(l) AS r, generate_subscripts(l, 1) AS n FROM ({least})"
    read = ", ".join(f"r.{fields[c]} AS {c}" for c in columns)
    return f'SELECT {read}, n AS "#order" FROM ({each})'
