"""Which columns of which table a query reads, and how each of its private tables is read under its own cap."""

from __future__ import annotations

from dpsql.algebra.canonical import digest
from dpsql.algebra.catalog import Catalog, TableInfo
from dpsql.algebra.expressions import Expr, columns_of
from dpsql.algebra.relations import Scan
from dpsql.algebra.scan import quoted
from dpsql.algebra.shape import table_of
from dpsql.engines.sqlgen.bounding import ORDER, Ranked, Table, first_places, heavy, light, listed
from dpsql.engines.sqlgen.relation import Rows, Tables, plain
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.policy.model import Policy


def names_read(exprs: tuple[Expr, ...], index: int) -> frozenset[str]:
    """The columns of one source that expressions read."""
    return frozenset(c.name for e in exprs for c in columns_of(e) if c.scan == index)


def bounded_table(scan: Scan, policy: Policy, catalog: Catalog) -> Table:
    """A private table, with the salt that its choice of rows is keyed by; the same object for every query."""
    info = table_of(scan, catalog)
    table = catalog.bounded.made(info, lambda: salted(info, policy, catalog.tables))
    assert isinstance(table, Table)
    return table


def salted(info: TableInfo, policy: Policy, tables: Tables) -> Table:
    """The same by the table itself."""
    return Table(info, digest(policy.digest, info.name)[:16], tables)


def capped(table: Table, names: frozenset[str], policy: Policy, any_listed: bool = True) -> Rows:
    """The rows of a private table that its own cap keeps: the same in every query. All where no unit is listed."""
    rows = plain(table.info, names, table.tables, owned=not table.info.row_is_unit)
    limits = policy.table(table.info.name)
    assert limits is not None
    if limits.max_rows_per_unit is None or limits.one_row_per_unit:
        return Rows(rows)
    units = heavy(table, limits.max_rows_per_unit, limits.max_rows_per_unit)
    if isinstance(units, Ranked):
        return first_places(rows, units, limits.max_rows_per_unit)
    if not any_listed:
        return Rows(rows, (units,))
    few = light(rows, units)
    columns = ", ".join([UNIT, *(quoted(n) for n in sorted(names))])
    kept = listed(units, f"{ORDER} <= {limits.max_rows_per_unit}")
    return Rows(f"SELECT {columns} FROM ({few.sql}) UNION ALL SELECT {columns} FROM ({kept.sql})", (units,))
