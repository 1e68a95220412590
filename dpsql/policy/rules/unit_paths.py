"""The rules of `unit_path`: a table whose rows are owned through a foreign key to another private table."""

from __future__ import annotations

from dpsql.policy.findings import Spot
from dpsql.policy.model import Table, Unit, UnitPath
from dpsql.policy.names import did_you_mean, same_name
from dpsql.policy.shapes import TableShape
from dpsql.policy.yaml_positions import Entry, column_names


def read_path(
    entry: Entry, shape: TableShape, unit: Unit | None, tables: tuple[Entry, ...], spot: Spot
) -> UnitPath | None:
    """The step that leads from a table towards its owner, with the names as they are listed; None where it is wrong."""
    assert shape.unit_path is not None
    here = spot.under("unit_path")
    written, target = shape.unit_path
    if shape.unit_key is not None:
        here.add("a row has one owner: give `unit_key` or `unit_path`, not both")
    if unit is not None and unit.table == entry.key:
        here.add(f"privacy.unit is {unit}: this table names the unit itself; leave `unit_path` out")
    listed = column_names(entry)
    column = same_name(written, listed)
    if column is None:
        here.add(f"the table lists no column {written}{did_you_mean(written, listed)}")
    table = table_of(target, tables)
    if table is None:
        here.add("there is no table of this name in `tables`; write {column: table.column}")
        return None
    parent, key = table[0].key, same_name(table[1], column_names(table[0]))
    if key is None:
        here.add(f"{parent} lists no such column; write {{column: {parent}.its_unique_column}}")
    return UnitPath(column, parent, key) if column is not None and key is not None else None


def table_of(written: str, tables: tuple[Entry, ...]) -> tuple[Entry, str] | None:
    """The table that `table.column` names (the longest: a name may hold a dot), and the column as written."""
    named = [t for t in tables if written.lower().startswith(t.key.lower() + ".")]
    longest = max(named, key=lambda t: len(t.key), default=None)
    return None if longest is None else (longest, written[len(longest.key) + 1 :])


def check_paths(tables: tuple[Table, ...], spot: Spot) -> None:
    """Each path ends at a table with a unit key, without a cycle, over keys of one type that are not clamped."""
    by_name = {t.name: t for t in tables}
    for table in tables:
        if table.unit_path is not None:
            _check_path(table, table.unit_path, by_name, spot.under(table.name, "unit_path"))


def _check_path(table: Table, path: UnitPath, tables: dict[str, Table], spot: Spot) -> None:
    parent = tables.get(path.table)
    if parent is None:
        return
    own, key = table.column(path.column), parent.column(path.key)
    if own is not None and key is not None and own.type is not key.type:
        spot.add(f"{own.name} is {own.type}, but {path.table}.{path.key} is {key.type}")
    for column in (own, key):
        if column is not None and (column.is_listed or (column.lower, column.step) != (None, None)):
            spot.add(f"{column.name} has bounds, values or a step: clamping would join rows of several units")
    if parent.public or parent.row_is_unit:
        spot.add(
            f"{parent.name} is {'public' if parent.public else 'its own unit'}: it owns no rows of others"
        )
    elif _circular(table, tables):
        spot.add("the paths lead in a circle; one of the tables needs a `unit_key`")


def _circular(table: Table, tables: dict[str, Table]) -> bool:
    seen: set[str] = set()
    at: Table | None = table
    while at is not None and at.unit_path is not None:
        if at.name in seen:
            return True
        seen.add(at.name)
        at = tables.get(at.unit_path.table)
    return False
