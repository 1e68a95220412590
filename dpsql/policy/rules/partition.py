"""The rules of `partition`: a column that has one value in all rows of a unit, out of a public list."""

from __future__ import annotations

from dpsql.policy.findings import Spot
from dpsql.policy.model import Column, ColumnType, Table

MOST_VALUES = 256
"""More parts would make each line of the ledger long."""


def check_partition(tables: tuple[Table, ...], spot: Spot) -> None:
    """Each such column can be one, and all of them are the same attribute: a policy has one partition."""
    first: tuple[Table, Column] | None = None
    for table in tables:
        for column in (c for c in table.columns if c.partition):
            here = spot.under(table.name, "columns", column.name, "partition")
            _check_column(table, column, here)
            first = first or (table, column)
            if (column.type, _values(column)) != (first[1].type, _values(first[1])):
                here.add(
                    f"differs from {first[0].name}.{first[1].name} in type or values: a policy has one partition, "
                    "and wherever it is, it has the same list"
                )


def _check_column(table: Table, column: Column, spot: Spot) -> None:
    if table.public:
        spot.add("a public table has no units; leave it out")
    elif column.name == table.unit_key:
        spot.add("every unit would be a part of its own; leave it out")
    elif column.hidden:
        spot.add("no query can name a hidden column, so that none would be confined to a value of it")
    elif not _values(column):
        spot.add("a partition needs its public list of `values`")
    elif len(_values(column)) > MOST_VALUES:
        spot.add(f"a partition has at most {MOST_VALUES} values, this one has {len(_values(column))}")


def _values(column: Column) -> frozenset[object]:
    return frozenset({False, True} if column.type is ColumnType.BOOLEAN else column.values or ())
