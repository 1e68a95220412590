"""The tables a query may name, as typed columns with facts: the policy's, and what is public about public tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from datetime import date, datetime
from fractions import Fraction
from typing import Generic, Protocol, TypeVar

from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.facts import NATURAL, Fact, number_of
from dpsql.algebra.system_tables import main_schemas
from dpsql.algebra.types import SqlType, sql_type
from dpsql.policy.model import Column as ColumnPolicy
from dpsql.policy.model import Policy, Reference, Scalar, UnitPath
from dpsql.policy.model import Table as TablePolicy
from dpsql.privacy import Interval
from dpsql.slotted import dataclass

_MOST = 64
T = TypeVar("T")


class ByIdentity(Generic[T]):
    """The latest few findings. Threads may share it: each step on it is one of the dictionary's own."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        # What was found stands with its object, which is held so that no other one gets its identity.
        self._found: dict[int, tuple[object, T]] = {}

    def find(self, of: object) -> T | None:
        """What was kept for this very object, or None."""
        known = self._found.get(id(of))
        return known[1] if known is not None and known[0] is of else None

    def made(self, of: object, make: Callable[[], T]) -> T:
        """What was kept for this very object, or what `make` makes of it now."""
        found = self.find(of)
        if found is None:
            found = make()
            self.keep(of, found)
        return found

    def keep(self, of: object, found: T) -> None:
        """Keeps it, and forgets all others where they are many."""
        if len(self._found) >= _MOST:
            self._found.clear()
        self._found[id(of)] = of, found


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A column as a query sees it.

    `fact` holds for the values after the scan (clamped, unlisted values NULL). `values` is the public list of
    values, where there is one. `null_group` is the declaration: whether NULL is a value of its own in groups.
    `partition` says that all rows of a unit have one value, here and in every other column that says so.
    """

    name: str
    type: SqlType
    fact: Fact = field(hash=False)
    values: tuple[LiteralValue, ...] | None = field(default=None, hash=False)
    null_group: bool = False
    hidden: bool = False
    partition: bool = False


@dataclass(frozen=True, slots=True)
class PreparedRows:
    """How a private table is stored whose rows are kept as queries read them: made canonical, each with its unit.

    Of units with more rows than `ranked_above` every row has its place in the order by which a cap keeps rows; None
    where no unit is ranked. `coded` are columns that are stored a second time as codes, to group by; `grids` columns
    that are stored a second time as integers, each with its step, to add up.
    """

    ranked_above: int | None
    coded: frozenset[str]
    grids: tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A table as a query sees it.

    `rows_per_unit` is what the policy guarantees or enforces on the table itself. `unique` are columns of a private
    table of which no two rows have the same value: a declared fact. `prepared`: its rows are read from a copy of that
    kind; nothing that is released depends on it.
    """

    name: str
    public: bool
    columns: tuple[ColumnInfo, ...]
    rows_per_unit: int | None = None
    unit_key: str | None = None
    path: UnitPath | None = None
    unique: frozenset[str] = frozenset()
    prepared: PreparedRows | None = None

    @property
    def row_is_unit(self) -> bool:
        """Whether every row is a unit of its own."""
        return not self.public and self.unit_key is None and self.path is None

    def column(self, name: str) -> ColumnInfo | None:
        """The column of that name in any case, or None."""
        wanted = name.lower()
        return next((c for c in self.columns if c.name.lower() == wanted), None)


class PublicTables(Protocol):
    """What can be read from public tables: their columns, and how many rows share a key."""

    def columns(self, table: str) -> tuple[ColumnInfo, ...]:
        """The columns of a public table, with facts read from its rows."""

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int:
        """The most rows that agree on all these columns; the number of rows for no columns."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """The policy's tables by lower-case name, and the public facts behind them.

    `cap` is the dataset's cap on the rows of a unit. `assumed` is one that per-unit aggregates are taken to keep to,
    where it is asked what their range would be then. `shapes` are those of the relations that were looked at last,
    `texts` the SQL that reads all of a public table, `bounded` the private tables with what lists them.
    """

    tables: Mapping[str, TableInfo]
    policies: Mapping[str, TablePolicy]
    public: PublicTables
    cap: int | None = None
    assumed: int | None = None
    shapes: ByIdentity[object] = field(default_factory=ByIdentity, init=False, repr=False, compare=False)
    texts: ByIdentity[str] = field(default_factory=ByIdentity, init=False, repr=False, compare=False)
    bounded: ByIdentity[object] = field(default_factory=ByIdentity, init=False, repr=False, compare=False)

    def table(self, name: str) -> TableInfo | None:
        """The table of that name in any case, or None."""
        return self.tables.get(name.lower())

    def named(self, schema: str, name: str) -> TableInfo | None:
        """The table that a text names, with its schema or without one (empty); a plain name has more than one."""
        table = self.table(f"{schema}.{name}") if schema else None
        is_plain = table is None and (not schema or schema.lower() in main_schemas(self.tables))
        return self.table(name) if is_plain else table

    def names_of(self, name: str) -> frozenset[str] | None:
        """The names of a table's columns in lower case, or None where there is no such table."""
        table = self.table(name)
        return frozenset(c.name.lower() for c in table.columns) if table is not None else None

    def values_of(self, schema: str, table: str, column: str) -> tuple[LiteralValue, ...] | None:
        """The public list of a column's values; None without one, or without such a column for a query."""
        found = self.named(schema, table)
        columns = found.columns if found is not None else ()
        return next((c.values for c in columns if c.name.lower() == column.lower() and not c.hidden), None)

    def policy(self, name: str) -> TablePolicy:
        """What the policy says of a table that exists."""
        return self.policies[name.lower()]

    @property
    def partition(self) -> ColumnInfo | None:
        """A column that says in which part of the policy's partition a unit is; None where there is no partition."""
        every = (c for t in self.tables.values() if not t.public for c in t.columns)
        return next((c for c in every if c.partition), None)


def catalog(
    policy: Policy, public: PublicTables, keys: Mapping[Reference, tuple[LiteralValue, ...]]
) -> Catalog:
    """The catalog of a policy; `keys` are those of public tables that private columns reference."""
    tables = {}
    for table in policy.tables:
        if table.public:
            columns = public.columns(table.name)
        else:
            columns = tuple(_private_column(c, table, keys) for c in table.columns)
        tables[table.name.lower()] = TableInfo(
            table.name,
            table.public,
            columns,
            rows_per_unit(table),
            table.unit_key,
            table.unit_path,
            unique_columns(policy, table),
        )
    named = {t.name.lower(): t for t in policy.tables}
    return Catalog(tables, named, public, policy.privacy.max_rows_per_unit)


def _private_column(
    column: ColumnPolicy, table: TablePolicy, keys: Mapping[Reference, tuple[LiteralValue, ...]]
) -> ColumnInfo:
    """A column as queries see it: the key of an owner is NULL in no row, since rows without an owner are left out.

    A policy gives the column of a path no list, so that none of its values becomes NULL.
    """
    info = column_info(column, keys[column.references] if column.references else ())
    owning = {table.unit_key, table.unit_path.column if table.unit_path is not None else None}
    if column.name not in owning:
        return info
    return replace(info, fact=replace(info.fact, nullable=False), null_group=False)


def unique_columns(policy: Policy, table: TablePolicy) -> frozenset[str]:
    """The columns that a path leads to, and the unit's key where no unit has two rows."""
    led_to = {p.key for t in policy.tables if (p := t.unit_path) is not None and p.table == table.name}
    if table.one_row_per_unit and table.unit_key is not None:
        led_to.add(table.unit_key)
    return frozenset(led_to)


def rows_per_unit(table: TablePolicy) -> int | None:
    """The most rows a unit owns in the table once its own facts and caps hold, or None without either."""
    if table.row_is_unit or table.one_row_per_unit:
        return 1
    return table.max_rows_per_unit


def column_info(column: ColumnPolicy, keys: tuple[LiteralValue, ...] = ()) -> ColumnInfo:
    """A private column: its declared values or bounds, or the range of its type; `keys` are those it references."""
    kind = sql_type(column.type)
    values = keys if column.references is not None else _values(column)
    nullable = column.nullable or column.is_listed
    return ColumnInfo(
        column.name,
        kind,
        Fact(kind, nullable, _interval(column, kind, values), _longest(column, values)),
        values,
        column.nullable,
        column.hidden,
        column.partition,
    )


def _values(column: ColumnPolicy) -> tuple[LiteralValue, ...] | None:
    if column.values is not None:
        return tuple(literal_value(v) for v in column.values)
    return (False, True) if sql_type(column.type) is SqlType.BOOLEAN else None


def _longest(column: ColumnPolicy, values: tuple[LiteralValue, ...] | None) -> int | None:
    """The most characters of a text that the policy says itself: what holds of every text is no bound for a sum."""
    listed = [len(v) for v in values or () if isinstance(v, str)]
    return max(listed) if listed else column.max_length


def _interval(
    column: ColumnPolicy, kind: SqlType, values: tuple[LiteralValue, ...] | None
) -> Interval | None:
    if kind not in NATURAL:
        return None
    if column.lower is not None and column.upper is not None:
        lo, hi = number_of(literal_value(column.lower)), number_of(literal_value(column.upper))
        assert lo is not None and hi is not None
        return Interval(lo, hi)
    if values:
        numbers = [n for v in values if (n := number_of(v)) is not None]
        return Interval(min(numbers), max(numbers))
    return NATURAL[kind]


def literal_value(value: Scalar) -> LiteralValue:
    """A policy's scalar as the value of a literal."""
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, bool | int | str | datetime | date):
        return value
    raise TypeError(f"no literal for a {type(value).__name__}")
