"""The rules of `references`: a private column whose listed values are the keys of a public table."""

from __future__ import annotations

from dpsql.policy.findings import Spot
from dpsql.policy.model import Column, Reference, Table
from dpsql.policy.names import did_you_mean, same_name
from dpsql.policy.rules.unit_paths import table_of
from dpsql.policy.yaml_positions import Entry, column_names


def read_reference(written: str, tables: tuple[Entry, ...], spot: Spot) -> Reference | None:
    """The column that `table.column` names, as the policy lists it; None where there is none.

    A public table may leave its columns out: then the source says, once it is open, whether there is one.
    """
    named = table_of(written, tables)
    if named is None:
        table, dot, _ = written.rpartition(".")
        hint = did_you_mean(table, (t.key for t in tables)) if dot else "; write table.column"
        spot.add(f"there is no table of this name in `tables`{hint}")
        return None
    entry, column = named
    listed = column_names(entry)
    key = same_name(column, listed) if listed else column
    if key is None:
        spot.add(f"{entry.key} lists no column {column}{did_you_mean(column, listed)}")
    return Reference(entry.key, key) if key else None


def check_references(tables: tuple[Table, ...], spot: Spot) -> None:
    """Each leads from a private column to a column of a public table that has the same type."""
    by_name = {t.name: t for t in tables}
    for table in tables:
        for column in table.columns:
            target = by_name.get(column.references.table) if column.references is not None else None
            if target is not None:
                _check(table, column, target, spot.under(table.name, "columns", *column.keys, "references"))


def _check(table: Table, column: Column, target: Table, spot: Spot) -> None:
    assert column.references is not None
    if table.public:
        spot.add("a public table is read exactly; leave it out")
    if not target.public:
        spot.add(f"{target.name} is private: its keys are no public list")
    if column.partition:
        spot.add("a partition has its list of `values` in the policy")
    key = target.column(column.references.column)
    if key is not None and key.type is not column.type:
        spot.add(f"{column.name} is {column.type}, but {column.references} is {key.type}")
