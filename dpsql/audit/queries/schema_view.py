"""What a generator of queries sees of a policy: its tables, and their columns by type, bounds and values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field, replace
from fractions import Fraction

from dpsql.algebra.catalog import ColumnInfo, TableInfo
from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.facts import NATURAL, value_at
from dpsql.algebra.scan import column_sql, quoted
from dpsql.algebra.types import SqlType
from dpsql.engines.generated.source_files import reserved_words
from dpsql.engines.public_engine import FinishEngine
from dpsql.engines.sources.referenced_keys import open_catalog
from dpsql.policy.model import Policy, Table
from dpsql.privacy import Interval, Neighbours
from dpsql.slotted import dataclass

KINDS = {
    SqlType.INTEGER: "int",
    SqlType.DOUBLE: "float",
    SqlType.TEXT: "text",
    SqlType.BOOLEAN: "bool",
    SqlType.DATE: "date",
    SqlType.TIMESTAMP: "ts",
}
# So many values of a public column stand in queries and in generated rows.
_SAMPLED = 12
_SIMPLE = re.compile(r"[a-z_][a-z0-9_]*\Z", re.IGNORECASE)
_OURS = re.compile(r"[a-z][0-9]*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ColumnView:
    """A column that a query may name.

    `sql` is how it is written at a place in a query, and `name` its name in the policy, empty where it is computed.
    `kind` is one of int, float, text, bool, date, ts, unit for the column that names the owner of a row, or key for one
    that leads from one private table to another. `interval` is a declared range and `values` a list of values: the
    policy's of a private column, some of those that occur in a public one. `partition`: all rows of a unit have one.
    `once`: it is of a table with one row of a unit.
    """

    name: str
    sql: str
    kind: str
    interval: Interval | None = None
    values: tuple[LiteralValue, ...] = ()
    total: bool = False
    public: bool = False
    partition: bool = False
    once: bool = False

    @property
    def width(self) -> int:
        """The width of its range, 0 without one."""
        return int(self.interval.width) if self.interval is not None else 0

    @property
    def private(self) -> bool:
        """Whether it is a column of a private table, as it stands there."""
        return bool(self.name) and not self.public

    @property
    def summable(self) -> bool:
        """Whether the column is a number of the policy's with a finite range."""
        return self.kind in ("int", "float") and self.interval is not None and not self.public

    @property
    def constants(self) -> tuple[LiteralValue, ...]:
        """Values worth comparing the column with: its list, or its bounds and the middle."""
        if self.values or self.interval is None:
            return self.values
        lo, hi = self.interval.lo, self.interval.hi
        kind = next(t for t, k in KINDS.items() if k == self.kind)
        return tuple(value_at(end, kind) for end in (lo, Fraction((lo + hi) // 2), hi))


Scope = tuple[ColumnView, ...]


def qualified(scope: Scope, alias: str) -> Scope:
    """The columns as columns of `alias`."""
    return tuple(replace(c, sql=f"{alias}.{c.sql}") for c in scope)


def computed(sql: str, kind: str) -> ColumnView:
    """An expression as a column."""
    return ColumnView("", sql, kind)


@dataclass(frozen=True, slots=True)
class TableView:
    """A table of a policy; `unit` is the column that names the owner of a row, where a query may name it.

    `path` is the column that leads to the owner instead, with the table and the name of the column it leads to.
    """

    name: str
    sql: str
    columns: tuple[ColumnView, ...]
    unit: ColumnView | None = None
    size: int = 0
    path: tuple[ColumnView, str, str] | None = None

    @property
    def owner(self) -> ColumnView:
        """The column that names the owner of a row; only of tables with one."""
        assert self.unit is not None
        return self.unit

    @property
    def rows(self) -> Scope:
        """All columns, the one that names the owner of a row first."""
        return self.columns if self.unit is None else (self.unit, *self.columns)


@dataclass(frozen=True, slots=True)
class View:
    """A policy's tables. `prefix` begins every name that a generated query makes up, so that none is a column's.

    `local` is the table whose rows may be released one by one, where there is one.
    """

    privates: tuple[TableView, ...]
    publics: tuple[TableView, ...]
    prefix: str = ""
    literals: tuple[tuple[str, tuple[LiteralValue, ...]], ...] = field(default=())
    local: TableView | None = None


def view(policy: Policy, public: FinishEngine) -> View:
    """The view of a policy; of its sources only the public tables are read."""
    reserved = reserved_words()
    unique = frozenset((p.table, p.key) for t in policy.tables if (p := t.unit_path) is not None)
    tables = open_catalog(policy, public).tables
    privates = tuple(
        _private(t, tables[t.name.lower()], unique, reserved) for t in policy.tables if not t.public
    )
    publics = tuple(_public(t, public, reserved) for t in policy.tables if t.public)
    every = privates + publics
    names = {t.name.lower() for t in every} | {c.name.lower() for t in every for c in t.rows}
    prefix = ""
    while any(n.startswith(prefix) and _OURS.match(n[len(prefix) :]) for n in names):
        prefix += "q_"
    return View(privates, publics, prefix, _literals(every), _local(policy, privates))


def _local(policy: Policy, privates: tuple[TableView, ...]) -> TableView | None:
    """The table of the unit, where the number of units is public and each has one row in it."""
    name = policy.privacy.unit.rpartition(".")[0].lower()
    table = next((t for t in policy.tables if t.name.lower() == name), None)
    if policy.privacy.neighbours is not Neighbours.SUBSTITUTE or table is None:
        return None
    if not (table.one_row_per_unit or table.row_is_unit):
        return None
    return next(v for v in privates if v.name == table.name)


def identifier(name: str, reserved: frozenset[str]) -> str:
    """A name as a query writes it, in double quotes where it needs them."""
    return name if _SIMPLE.match(name) and name.lower() not in reserved else quoted(name)


def table_name(name: str, reserved: frozenset[str]) -> str:
    """A table's name as a query writes it; one dot separates a schema from the table."""
    return ".".join(identifier(part, reserved) for part in name.split("."))


def _private(
    table: Table, info: TableInfo, unique: frozenset[tuple[str, str]], reserved: frozenset[str]
) -> TableView:
    infos = [c for c in info.columns if not c.hidden]
    totals = {c.name for c in table.columns if c.unit_total is not None}
    columns = [
        ColumnView(i.name, identifier(i.name, reserved), _kind(table, i, unique), _declared(i), i.values or (),
                   i.name in totals, partition=i.partition, once=table.one_row_per_unit)
        for i in infos
    ]  # fmt: skip
    unit = next((c for c in columns if c.name == table.unit_key), None)
    others = tuple(c for c in columns if c is not unit)
    unit = replace(unit, kind="unit") if unit is not None else None
    path = None
    if table.unit_path is not None:
        leads = next((c for c in columns if c.name == table.unit_path.column), None)
        path = (leads, table.unit_path.table, table.unit_path.key) if leads is not None else None
    return TableView(table.name, table_name(table.name, reserved), others, unit, path=path)


def _kind(table: Table, info: ColumnInfo, unique: frozenset[tuple[str, str]]) -> str:
    leads = table.unit_path is not None and table.unit_path.column == info.name
    return "key" if leads or (table.name, info.name) in unique else KINDS[info.type]


def _declared(info: ColumnInfo) -> Interval | None:
    """The range of a column, where the policy limits it more than the column's type does."""
    return info.fact.interval if info.fact.interval != NATURAL.get(info.type) else None


def _public(table: Table, public: FinishEngine, reserved: frozenset[str]) -> TableView:
    columns = tuple(
        ColumnView(i.name, identifier(i.name, reserved), KINDS[i.type], None, _sample(table, i, public), public=True)
        for i in public.columns(table.name)
    )  # fmt: skip
    return TableView(
        table.name, table_name(table.name, reserved), columns, None, public.fan_out(table.name, ())
    )


def _sample(table: Table, column: ColumnInfo, public: FinishEngine) -> tuple[LiteralValue, ...]:
    """Some values of a public column, always the same ones."""
    value = column_sql(column, f"t.{quoted(column.name)}")
    rows = public.evaluate(
        f"SELECT DISTINCT {value} AS v FROM {quoted(table.name)} AS t WHERE {value} IS NOT NULL "
        f"ORDER BY 1 LIMIT {_SAMPLED}"
    )
    return tuple(row[0] for row in rows)


def _literals(tables: Iterable[TableView]) -> tuple[tuple[str, tuple[LiteralValue, ...]], ...]:
    """For each kind, the constants of all columns of that kind."""
    by_column: dict[str, dict[LiteralValue, None]] = {}
    for table in tables:
        for column in table.columns:
            by_column.setdefault(column.kind, {}).update(
                (v, None) for v in column.constants if not isinstance(v, str) or v.isprintable()
            )
    return tuple((kind, tuple(values)) for kind, values in by_column.items())
