"""Contribution bounding as SQL: which rows of a unit are kept, by content alone.

Rows are ordered by a salted hash of every listed column and then by the columns themselves: a total order on content up
to equal rows, which are interchangeable. Most units own few rows. Only the rows of units above a limit are ever
ordered; they are listed once per data version, with their place in their unit's order, and kept beside the data. A
bounded sum is then the sum over all rows less the sum over the listed rows that are not kept, exactly, since both are
sums of integers.
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
from dpsql.rewrite.per_unit import UNIT
from dpsql.rewrite.relation import OFF, TOTAL, Rows, Tables, plain
from dpsql.scan import quoted

LISTS = "lists"
ORDER = '"#order"'
_TOTAL = quoted(f"{TOTAL}0")
_OFF = quoted(OFF)


@dataclass(frozen=True, slots=True)
class Table:
    """A private table whose rows are to be bounded; `salt` keys the choice of rows."""

    info: TableInfo
    salt: str
    tables: Tables

    @property
    def every(self) -> frozenset[str]:
        """The names of all listed columns, hidden ones included."""
        return frozenset(c.name for c in self.info.columns)

    @property
    def rows(self) -> str:
        """Every owned row with every listed column canonical."""
        return plain(self.info, self.every, self.tables, owned=True)

    @property
    def order(self) -> str:
        """The order in which a unit's rows are kept."""
        return content_order([quoted(c.name) for c in self.info.columns], self.salt)


def content_order(columns: list[str], salt: str) -> str:
    """An ORDER BY list: salted hash of all columns, then each of them."""
    return f"hash('{salt}', {', '.join(columns)}), {', '.join(columns)}"


def heavy(table: Table, limit: int) -> UnitList:
    """The rows of the units that own more than `limit` of them, each with its place in its unit's order."""
    units = f"SELECT {UNIT} AS u FROM ({table.rows}) GROUP BY {UNIT} HAVING count(*) > {limit}"
    place = f"row_number() OVER (PARTITION BY {UNIT} ORDER BY {table.order})"
    return _list(
        f"SELECT t.*, {place} AS {ORDER} FROM ({table.rows}) AS t SEMI JOIN ({units}) AS h ON t.{UNIT} = h.u"
    )


def on_grid(table: Table, names: frozenset[str], totals: tuple[UnitTotal, ...]) -> str:
    """The table's rows with columns `#total0`, ...: the grid integers of the columns that have unit totals."""
    columns = [t.grid.arg for t in totals if isinstance(t.grid.arg, Column)]
    values = (f"{_clipped_column(table, t)} AS {quoted(f'{TOTAL}{i}')}" for i, t in enumerate(totals))
    every = names | {c.name for c in columns}
    return f"SELECT *, {', '.join(values)} FROM ({plain(table.info, every, table.tables, owned=True)})"


def _clipped_column(table: Table, total: UnitTotal) -> str:
    column = total.grid.arg
    assert isinstance(column, Column)
    info = table.info.column(column.name)
    assert info is not None
    value = grid_sql(total.grid, Facts({column: info.fact}, fact_rule), lambda c: quoted(c.name))
    return clipped(value, total.grid)


def excess(table: Table, total: UnitTotal) -> UnitList:
    """The rows of the units whose |x| add up to more than the total; `#off` is what is clipped off `#total0`.

    Each row keeps at most what is left of its unit's total after the rows before it in the unit's order.
    """
    rows = on_grid(table, table.every, (total,))
    size = f"abs({_TOTAL}::HUGEINT)"
    units = f"SELECT {UNIT} AS u FROM ({rows}) GROUP BY {UNIT} HAVING sum({size}) > {total.limit}"
    window = f"PARTITION BY {UNIT} ORDER BY {table.order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
    left = f"greatest({total.limit} - coalesce(sum({size}) OVER ({window}), 0), 0)"
    over = f"CAST(sign({_TOTAL}) * ({size} - least({size}, {left})) AS BIGINT)"
    off = f"CASE WHEN {_TOTAL} IS NOT NULL THEN {over} END AS {_OFF}"
    return _list(f"SELECT t.*, {off} FROM ({rows}) AS t SEMI JOIN ({units}) AS h ON t.{UNIT} = h.u")


def listed(rows: UnitList, where: str = "") -> Rows:
    """The rows of a list, or those of them that pass a condition."""
    return Rows(f"SELECT * FROM {_name(rows)}{f' WHERE {where}' if where else ''}", (rows,))


def light(rows: str, units: UnitList) -> Rows:
    """The rows of the units that are not listed."""
    kept = f"SELECT t.* FROM ({rows}) AS t ANTI JOIN (SELECT DISTINCT {UNIT} AS u FROM {_name(units)}) AS h"
    return Rows(f"{kept} ON t.{UNIT} = h.u", (units,))


def _list(sql: str) -> UnitList:
    name = f"rows_{digest(sql)[:24]}"
    return UnitList(name, (f'CREATE TABLE {LISTS}."{name}" AS {sql}',))


def _name(units: UnitList) -> str:
    return f'{LISTS}."{units.name}"'
