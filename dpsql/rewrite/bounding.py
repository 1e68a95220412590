"""Contribution bounding as SQL: which rows of a unit are kept, by content alone.

Rows are ordered by a salted hash of every listed column and then by the columns themselves: a total order on
content up to equal rows, which are interchangeable. Most units own few rows; only those above the limit (*heavy*
units) are ever ordered, and the list of them is built once and kept beside the data.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpsql.algebra.canonical import digest
from dpsql.algebra.expr import Column
from dpsql.algebra.facts import Facts
from dpsql.catalog import TableInfo
from dpsql.engines.base import UnitList
from dpsql.functions import fact_rule
from dpsql.plan.types import UnitTotal
from dpsql.rewrite.grid import clipped, grid_sql
from dpsql.rewrite.relation import TOTAL, UNIT, Rows, plain
from dpsql.scan import quoted

LISTS = "lists"
_NUMBER = '"#n"'
_TOTAL = quoted(TOTAL)


@dataclass(frozen=True, slots=True)
class Table:
    """A private table whose rows are to be bounded; `salt` keys the choice of rows."""

    info: TableInfo
    salt: str

    @property
    def order(self) -> str:
        """The order in which a unit's rows are kept."""
        return content_order([quoted(c.name) for c in self.info.columns], self.salt)

    @property
    def every(self) -> frozenset[str]:
        """The names of all listed columns, hidden ones included."""
        return frozenset(c.name for c in self.info.columns)


def content_order(columns: list[str], salt: str) -> str:
    """An ORDER BY list: salted hash of all columns, then each of them."""
    return f"hash('{salt}', {', '.join(columns)}), {', '.join(columns)}"


def capped(table: Table, names: frozenset[str], cap: int) -> Rows:
    """The table under its own row cap: rows of light units as they are, kept rows of heavy ones from the list."""
    everything = plain(table.info, table.every, owned=True)
    heavy = _heavy(everything, cap)
    numbered = f"row_number() OVER (PARTITION BY {UNIT} ORDER BY {table.order}) AS {_NUMBER}"
    rows = _build(
        "rows",
        f"SELECT * EXCLUDE ({_NUMBER}) FROM (SELECT t.*, {numbered} {_of(everything, heavy)}) WHERE {_NUMBER} <= {cap}",
    )
    return Rows(_merged(everything, names, heavy, rows), (heavy, rows))


def totalled(table: Table, names: frozenset[str], total: UnitTotal) -> Rows:
    """The table with a column `#total`: grid integers clipped to what is left of their unit's total."""
    column = total.grid.arg
    assert isinstance(column, Column)
    info = table.info.column(column.name)
    assert info is not None
    value = grid_sql(total.grid, Facts({column: info.fact}, fact_rule), lambda c: quoted(c.name))
    table_rows = plain(table.info, table.every, owned=True)
    everything = f"SELECT *, {clipped(value, total.grid)} AS {_TOTAL} FROM ({table_rows})"
    size = f"abs({_TOTAL}::HUGEINT)"
    heavy = _build(
        "units", f"SELECT {UNIT} AS u FROM ({everything}) GROUP BY {UNIT} HAVING sum({size}) > {total.limit}"
    )
    window = f"PARTITION BY {UNIT} ORDER BY {table.order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
    left = f"greatest({total.limit} - coalesce(sum({size}) OVER ({window}), 0), 0)"
    kept = f"CASE WHEN {_TOTAL} IS NOT NULL THEN CAST(sign({_TOTAL}) * least({size}, {left}) AS BIGINT) END"
    rows = _build("rows", f"SELECT t.* REPLACE ({kept} AS {_TOTAL}) {_of(everything, heavy)}")
    return Rows(_merged(everything, names | {TOTAL}, heavy, rows), (heavy, rows))


def _of(rows: str, heavy: UnitList) -> str:
    return f"FROM ({rows}) AS t SEMI JOIN {_name(heavy)} AS h ON t.{UNIT} = h.u"


def _merged(everything: str, names: frozenset[str], heavy: UnitList, rows: UnitList) -> str:
    """Light units' rows from the table, heavy units' from the list of kept rows; the engine reads the named columns."""
    columns = ", ".join([UNIT, *(quoted(n) for n in sorted(names))])
    light = f"SELECT {columns} FROM ({everything}) AS t ANTI JOIN {_name(heavy)} AS h ON t.{UNIT} = h.u"
    return f"{light} UNION ALL SELECT {columns} FROM {_name(rows)}"


def light(rows: Rows, heavy: UnitList) -> Rows:
    """The rows of all units but the listed ones."""
    kept = f"SELECT t.* FROM ({rows.sql}) AS t ANTI JOIN {_name(heavy)} AS h ON t.{UNIT} = h.u"
    return Rows(kept, (*rows.lists, heavy))


def heavy(rows: Rows, units: UnitList) -> Rows:
    """The rows of the listed units only."""
    return Rows(f"SELECT t.* {_of(rows.sql, units)}", (*rows.lists, units))


def units_above(rows: Rows, limit: int) -> UnitList:
    """The list of the units that own more than `limit` of the rows."""
    return _heavy(rows.sql, limit)


def _heavy(rows: str, limit: int) -> UnitList:
    return _build("units", f"SELECT {UNIT} AS u FROM ({rows}) GROUP BY {UNIT} HAVING count(*) > {limit}")


def _build(kind: str, sql: str) -> UnitList:
    name = f"{kind}_{digest(sql)[:24]}"
    return UnitList(name, (f'CREATE TABLE {LISTS}."{name}" AS {sql}',))


def _name(units: UnitList) -> str:
    return f'{LISTS}."{units.name}"'
