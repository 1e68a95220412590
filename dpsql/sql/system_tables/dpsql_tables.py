"""The rows of the schema `dpsql` and of information_schema, made anew whenever a query reads them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from dpsql.accounting.calibration_charges import ABOUT
from dpsql.accounting.types import Payment
from dpsql.algebra.catalog import ColumnInfo, TableInfo
from dpsql.algebra.scan import quoted
from dpsql.algebra.system_tables import MAIN, SYSTEM_TABLES
from dpsql.algebra.types import sql_type
from dpsql.engines.base import OutputColumn
from dpsql.engines.sources.column_types import ENGINE_TYPE
from dpsql.plan.partitions import every_part, part_text
from dpsql.policy.model import Column, ColumnType, Scalar
from dpsql.privacy import FITTED_TO, Cost
from dpsql.sql.system_tables.system_context import SystemContext

Rows = Sequence[tuple[object, ...]]

# As canonical text is written (`algebra.forms`), whatever the classes are called.
_SCANS: Final = re.compile(r"Scan\(table='([^']*)'")
_MEASURES: Final = re.compile(
    r"Measure\(aggregate=<Aggregate\.\w+: '([^']*)'>, arg=(?:Column\(scan=\d+, name='([^']*)')?"
)
_MOST_WORDS: Final = 6


def system_rows(name: str, s: SystemContext) -> Rows:
    """The rows of a system table as the session's analyst may see them, at this moment."""
    return _ROWS[name](s)


def _budget(s: SystemContext) -> Rows:
    own = s.ledger.standing(s.request)
    costs = (own.account.limit, own.spent, own.remaining, s.request.per_query)
    epsilons, deltas = (float(c.epsilon) for c in costs), (float(c.delta) for c in costs)
    return [(*epsilons, *deltas, own.ends, s.ledger.repeats_left(s.request))]


def _parts(s: SystemContext) -> Rows:
    """A row for each part of the policy's partition."""
    own = s.ledger.standing(s.request)
    return [_part(part, own.spent_in(part), own.remaining_in(part)) for part in every_part(s.catalog)]


def _part(part: str, spent: Cost, left: Cost) -> tuple[object, ...]:
    numbers = (spent.epsilon, left.epsilon, spent.delta, left.delta)
    return (part_text(part), *map(float, numbers))


def _history(s: SystemContext) -> Rows:
    """Numbered per analyst: the ledger's own numbers would disclose how much others ask."""
    return [_payment(i, p) for i, p in enumerate(s.ledger.payments(s.request.analyst), 1)]


def _payment(number: int, payment: Payment) -> tuple[object, ...]:
    at = datetime.fromtimestamp(payment.time, UTC).replace(tzinfo=None)
    texts = [text.partition(FITTED_TO)[0] for text in payment.canonical]
    question = "; ".join(dict.fromkeys(map(_short, texts)))
    cost, releases = payment.cost, len(texts)
    canonical = "\n".join(texts)
    return (
        number,
        at,
        question,
        float(cost.epsilon),
        float(cost.delta),
        releases,
        payment.stored,
        canonical,
        payment.free_answers,
    )


def _short(canonical: str) -> str:
    """A release in a few words: its aggregates and its tables."""
    if canonical == ABOUT:
        return canonical
    measures = [_call(name, arg) for name, arg in dict.fromkeys(_MEASURES.findall(canonical))]
    shown = ", ".join(measures[:_MOST_WORDS]) + (", ..." if len(measures) > _MOST_WORDS else "")
    tables = ", ".join(dict.fromkeys(_SCANS.findall(canonical)))
    return f"{shown or 'groups'} of {tables}"


def _call(name: str, column: str) -> str:
    return f"{name}({column})" if column and "(" not in name else name


def _columns(s: SystemContext) -> Rows:
    """The columns that a query may name, each with its place in its table."""
    tables = s.catalog.tables.values()
    visible = ((t, enumerate((c for c in t.columns if not c.hidden), 1)) for t in tables)
    return [_column(at, table, column, s) for table, columns in visible for at, column in columns]


def _column(at: int, table: TableInfo, column: ColumnInfo, s: SystemContext) -> tuple[object, ...]:
    listed = s.catalog.policy(table.name).column(column.name)
    given = listed if listed is not None else Column(column.name, _TYPES[column.type])
    nullable = column.fact.nullable if listed is None else listed.nullable
    values = None
    if given.is_listed:
        values = json.dumps([_plain(v) for v in given.values or _keys(column)], ensure_ascii=False)
    is_key = table.unit_key is not None and column.name.lower() == table.unit_key.lower()
    about = (given.type.value, nullable, _shown(given.lower), _shown(given.upper), values)
    return (*schema_and_name(table.name), column.name, at, *about, table.public, is_key)


def _keys(column: ColumnInfo) -> tuple[Scalar, ...]:
    """The keys of a public table that a column references, which are integers, texts or dates."""
    return tuple(v for v in column.values or () if isinstance(v, int | str | date))


def _plain(value: Scalar) -> bool | int | float | str:
    if isinstance(value, bool | int | str):
        return value
    return float(value) if isinstance(value, Fraction) else str(value)


def _shown(bound: Scalar | None) -> str | None:
    return None if bound is None else str(_plain(bound))


def schema_and_name(name: str) -> tuple[str, str]:
    """The schema of a table and its name in it."""
    schema, _, table = name.rpartition(".")
    return schema or MAIN, table


def _schemata(s: SystemContext) -> Rows:
    schemas = {schema_and_name(t.name)[0] for t in s.catalog.tables.values()}
    schemas |= {MAIN, *(schema_and_name(name)[0] for name in SYSTEM_TABLES)}
    return [(s.client.database, schema, *(None,) * 5) for schema in sorted(schemas)]


def _tables(s: SystemContext) -> Rows:
    """Without those of information_schema, which does not list itself."""
    tables = [(*schema_and_name(t.name), "BASE TABLE") for t in s.catalog.tables.values()]
    tables += [(*schema_and_name(n), "VIEW") for n in SYSTEM_TABLES if n.startswith("dpsql.")]
    return [(s.client.database, *table, *(None,) * 5, "NO", "NO", None, None) for table in tables]


def columns_in_queries(table: TableInfo, s: SystemContext) -> tuple[OutputColumn, ...]:
    """The visible columns in the types that queries see: the policy's, or those of a public table it does not list."""
    given = s.catalog.policy(table.name).columns
    if given:
        return tuple(OutputColumn(c.name, ENGINE_TYPE[c.type]) for c in given if not c.hidden)
    return s.public.describe(f"SELECT * FROM {'.'.join(map(quoted, table.name.split('.')))}", ())


_TYPES: Final = MappingProxyType({sql_type(kind): kind for kind in ColumnType})
_ROWS: Final = MappingProxyType[str, Callable[[SystemContext], Rows]](
    {
        "dpsql.budget": _budget,
        "dpsql.parts": _parts,
        "dpsql.history": _history,
        "dpsql.columns": _columns,
        "information_schema.schemata": _schemata,
        "information_schema.tables": _tables,
    }
)
