"""What tools see of a policy's tables: columns, primary and foreign keys."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.system_tables import SYSTEM_TABLES
from dpsql.policy.model import Column, Scalar, Table
from dpsql.slotted import dataclass
from dpsql.sql.system_tables.dpsql_tables import columns_in_queries, schema_and_name
from dpsql.sql.system_tables.system_context import SystemContext

_MOST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """A column that a query may name: its DuckDB type, whether it may be NULL, and its bounds or values in words."""

    name: str
    type: str
    nullable: bool
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns that hold the key of another table's row."""

    columns: tuple[str, ...]
    schema: str
    table: str
    referred: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableReport:
    """A table that a query may name, as the policy has it.

    `primary_key` is a column that is declared to be unique, or empty. `foreign_keys` follow the policy's paths to the
    owner of a row, and lead to the public tables whose keys columns reference. `system` tables tell of budget,
    history and schema.
    """

    schema: str
    name: str
    columns: tuple[ColumnReport, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    public: bool = False
    system: bool = False
    comment: str | None = None


def table_reports(s: SystemContext) -> tuple[TableReport, ...]:
    """Every table that a query may name, the policy's and the system's, without hidden columns."""
    tables = s.catalog.tables.values()
    return (*(_of_policy(t, s) for t in tables), *(_of_system(name) for name in SYSTEM_TABLES))


def _of_policy(table: TableInfo, s: SystemContext) -> TableReport:
    policy = s.catalog.policy(table.name)
    columns = tuple(
        ColumnReport(c.name, c.type, _nullable(table, policy.column(c.name), c.name), _about(policy, c.name))
        for c in columns_in_queries(table, s)
    )
    visible = {c.name for c in columns}
    return TableReport(
        *schema_and_name(table.name),
        columns,
        _primary_key(table, visible),
        tuple(k for k in (*_foreign_keys(table, s), *_references(policy)) if visible >= {*k.columns}),
        public=table.public,
        comment=_comment(table, policy),
    )


def _of_system(name: str) -> TableReport:
    columns = tuple(ColumnReport(column, kind, True) for column, kind in SYSTEM_TABLES[name])
    return TableReport(*schema_and_name(name), columns, public=True, system=True)


def _nullable(table: TableInfo, listed: Column | None, name: str) -> bool:
    if listed is not None:
        return listed.nullable
    column = table.column(name)
    return column is None or column.fact.nullable


def _primary_key(table: TableInfo, visible: set[str]) -> tuple[str, ...]:
    """A unique column: the unit's key where it is unique, else one that a path leads to."""
    unique = sorted(table.unique & visible)
    if table.unit_key in unique:
        return (table.unit_key,)
    return tuple(unique[:1])


def _foreign_keys(table: TableInfo, s: SystemContext) -> Sequence[ForeignKey]:
    """The step of the table's path, or the unit's own table where this one has a unit key."""
    if table.path is not None:
        target, columns, key = table.path.table, (table.path.column,), table.path.key
    elif table.unit_key is not None:
        units = s.unit
        target, _, key = units.rpartition(".")
        columns = (table.unit_key,)
    else:
        return ()
    other = s.catalog.table(target)
    column = other.column(key) if other is not None else None
    if other is None or other is table or column is None or column.hidden or column.name not in other.unique:
        return ()
    return (ForeignKey(columns, *schema_and_name(other.name), (column.name,)),)


def _references(policy: Table) -> Sequence[ForeignKey]:
    """The columns whose values are the keys of a public table, as queries see them."""
    return tuple(
        ForeignKey((c.name,), *schema_and_name(r.table), (r.column,))
        for c in policy.columns
        if (r := c.references) is not None
    )


def _comment(table: TableInfo, policy: Table) -> str:
    if table.public:
        return "public"
    cap = f", at most {policy.max_rows_per_unit} rows of a person" if policy.max_rows_per_unit else ""
    return f"private: aggregates only{cap}"


def _about(policy: Table, name: str) -> str | None:
    """The bounds or the values that the policy gives a column, in a few words."""
    column = policy.column(name)
    if column is None:
        return None
    if column.values is not None:
        shown = [_plain(v) for v in column.values[:_MOST_SHOWN]]
        return f"one of {', '.join(shown)}" + (", ..." if len(column.values) > _MOST_SHOWN else "")
    if column.references is not None:
        return f"one of the keys {column.references}"
    if column.lower is not None and column.upper is not None:
        return f"from {_plain(column.lower)} to {_plain(column.upper)}"
    return None


def _plain(value: Scalar) -> str:
    return f"{float(value):g}" if isinstance(value, Fraction) else str(value)
