"""Whether every unit is in one part: as SQL that counts those that are not."""

from __future__ import annotations

from collections.abc import Mapping

from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.scan import column_sql, quoted
from dpsql.engines.sqlgen.relation import owned_from, unit_sql


def partition_check(tables: Mapping[str, TableInfo]) -> tuple[tuple[str, ...], str | None]:
    """The columns of the partition, and how many units have two values of it over all rows of all of them.

    Values are compared as queries see them: those that are not listed are NULL, and NULL is a value. None where there
    is nothing to count: rows that are units themselves have one value each.
    """
    names, rows = [], []
    for info in tables.values():
        unit = unit_sql(info, tables)
        for column in info.columns:
            if not column.partition or info.public:
                continue
            names.append(f"{info.name}.{column.name}")
            if unit is not None:
                value = column_sql(column, f"t.{quoted(column.name)}")
                rows.append(
                    f"SELECT {unit} AS u, {value} AS p {owned_from(info, tables)} WHERE {unit} IS NOT NULL"
                )
    if not rows:
        return tuple(names), None
    twice = "SELECT u FROM ({}) GROUP BY u HAVING count(DISTINCT p) + bool_or(p IS NULL)::INTEGER > 1"
    return tuple(names), f"SELECT count(*) FROM ({twice.format(' UNION ALL '.join(rows))})"
