"""The SQL that fills prepared tables from the typed views: rows as queries read them, with their owners and ranks.

What is stored is what `plain` of `dpsql.engines.sqlgen.relation` computes, and its order of a unit's rows is that of
`heavy` of `dpsql.engines.sqlgen.bounding`: the same columns under the same salt, so that a cap keeps the same rows. An
owner is the value of its key, and no number of ours in its place: queries compare it with columns of other tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from dpsql.algebra.canonical import digest
from dpsql.algebra.catalog import Catalog, ColumnInfo, PreparedRows, TableInfo
from dpsql.algebra.expressions import Column
from dpsql.algebra.facts import Facts
from dpsql.algebra.functions import fact_rule
from dpsql.algebra.scan import quoted, text_literal
from dpsql.algebra.types import SqlType
from dpsql.engines.base import LISTS
from dpsql.engines.prepared.manifest import PreparedFile, PreparedTable
from dpsql.engines.prepared.stored_order import ranked_order, stored_order, time_span
from dpsql.engines.sqlgen.bounding import content_terms
from dpsql.engines.sqlgen.grid import grid_sql
from dpsql.engines.sqlgen.read import salted
from dpsql.engines.sqlgen.relation import (
    PLACE,
    PREPARED,
    SIZE,
    code_of,
    grid_of,
    is_narrow,
    plain,
    prepared_of,
)
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.plan.sums.grids import column_grid
from dpsql.plan.types import Grid
from dpsql.policy.model import Policy
from dpsql.slotted import dataclass

SIZES = f'{LISTS}."sizes of units"'
_MOST_CODES = 65_535
_OWNER = '"#u"'


@dataclass(frozen=True, slots=True)
class Filling:
    """What makes one prepared table: its types, how many rows each unit owns, and its rows in one or two parts.

    `span` fills what the order of rows reads, and `sizes` fills `SIZES`; None where no row has an owner. `rest` are the
    rows of units that are ranked.
    """

    table: PreparedTable
    types: tuple[str, ...]
    span: str | None
    sizes: str | None
    rows: str
    rest: str | None


def filling(info: TableInfo, policy: Policy, tables: Mapping[str, TableInfo]) -> Filling:
    """How a private table, which is read from its source in this catalog, is prepared under a policy."""
    coded = [c for c in info.columns if is_coded(c)]
    types = tuple(f"CREATE TYPE {_type(info, c)} AS ENUM ({_words(c)})" for c in coded)
    listed = [f"{_narrow(c)} AS {quoted(c.name)}" for c in info.columns]
    listed += [f"CAST(t.{quoted(c.name)} AS {_type(info, c)}) AS {quoted(code_of(c.name))}" for c in coded]
    listed += [f"{_integer(info, g)} AS {quoted(grid_of(name))}" for name, g in _grids(info, policy)]
    above = ranked_above(info, policy)
    salted_table = salted(info, policy, tables)
    from_rows, rest, sizes = f"FROM ({salted_table.rows}) AS t", None, None
    codes = frozenset(c.name for c in coded)
    if not info.row_is_unit:
        sizes = _sizes(info, tables)
        from_rows += f" JOIN {SIZES} AS n ON t.{UNIT} = n.{_OWNER}"
        listed += [f"t.{UNIT} AS {UNIT}", f"n.{SIZE} AS {SIZE}"]
        content = ", ".join(content_terms([f"t.{quoted(c.name)}" for c in info.columns], salted_table.salt))
        place = f"row_number() OVER (PARTITION BY t.{UNIT} ORDER BY {content}) AS {PLACE}"
        ranked = f"SELECT {', '.join([*listed, place])} {from_rows} WHERE n.{SIZE} > {above}"
        if above is not None:
            share = f"(SELECT sum({SIZE}) FILTER ({SIZE} > {above}) / sum({SIZE}) FROM {SIZES})"
            # No query reads rows beyond the table's own cap: apart, whole blocks of them are passed over.
            own = [] if info.rows_per_unit is None else [f"{PLACE} > {info.rows_per_unit}"]
            order = [*own, *ranked_order(info, codes, UNIT, PLACE, share)]
            rest = f"INSERT INTO {prepared_of(info.name)} {_ordered(ranked, order)}"
        listed.append(f"0::BIGINT AS {PLACE}")
    where = f" WHERE n.{SIZE} <= {above}" if above is not None else ""
    copied = _ordered(f"SELECT {', '.join(listed)} {from_rows}{where}", stored_order(info, codes))
    rows, span = f"CREATE TABLE {prepared_of(info.name)} AS {copied}", time_span(info, tables)
    made = digest(*types, span or "", sizes or "", rows, rest or "")
    return Filling(PreparedTable(info.name, made, above), types, span, sizes, rows, rest)


def _ordered(rows: str, order: list[str]) -> str:
    return f"FROM ({rows}) ORDER BY {', '.join(order)}" if order else rows


def _narrow(column: ColumnInfo) -> str:
    """A column as it is stored."""
    value = f"t.{quoted(column.name)}"
    return f"CAST({value} AS INTEGER)" if is_narrow(column) else value


def ranked_above(info: TableInfo, policy: Policy) -> int | None:
    """The least cap of the policy on rows of the table: of units with no more rows none has to be left out."""
    own = policy.table(info.name)
    if own is None or info.row_is_unit or own.one_row_per_unit:
        return None
    return min(
        (c for c in (policy.privacy.max_rows_per_unit, own.max_rows_per_unit) if c is not None), default=None
    )


def is_coded(column: ColumnInfo) -> bool:
    """Whether a column is stored a second time as codes: text with a list of values."""
    return column.type is SqlType.TEXT and column.values is not None and len(column.values) <= _MOST_CODES


def _grids(info: TableInfo, policy: Policy) -> Iterator[tuple[str, Grid]]:
    """The columns that are stored a second time as what is added up of them: floats with a finite range."""
    own = policy.table(info.name)
    for c in info.columns:
        if c.type is SqlType.DOUBLE and c.fact.interval is not None:
            declared = own.column(c.name) if own is not None else None
            step = declared.step if declared is not None else None
            yield c.name, column_grid(Column(0, c.name, c.type), c.fact.interval, step)


def _integer(info: TableInfo, grid: Grid) -> str:
    facts = Facts({Column(0, c.name, c.type): c.fact for c in info.columns}, fact_rule)
    return grid_sql(grid, facts, lambda column: f"t.{quoted(column.name)}")


def with_prepared(tables: Catalog, policy: Policy, file: PreparedFile) -> Catalog | None:
    """The catalog whose private tables are read from a prepared file; None where one of them was made by other SQL."""
    stored = {t.name: t for t in file.tables}
    prepared_tables = dict(tables.tables)
    for key, info in tables.tables.items():
        if info.public:
            continue
        made = filling(info, policy, tables.tables).table
        if stored.get(info.name) != made:
            return None
        coded = frozenset(c.name for c in info.columns if is_coded(c))
        steps = tuple((name, grid.step) for name, grid in _grids(info, policy))
        prepared_tables[key] = replace(info, prepared=PreparedRows(made.ranked_above, coded, steps))
    return replace(tables, tables=prepared_tables)


def _sizes(info: TableInfo, tables: Mapping[str, TableInfo]) -> str:
    owned = plain(info, frozenset(), tables, owned=True)
    counted = f"SELECT {UNIT} AS {_OWNER}, count(*) AS {SIZE} FROM ({owned}) GROUP BY {UNIT}"
    return f"CREATE OR REPLACE TABLE {SIZES} AS {counted}"


def _type(info: TableInfo, column: ColumnInfo) -> str:
    """The type of a column's codes. A name may have dots, but no part of it begins with this."""
    return f"{PREPARED}.main.{quoted(f'{info.name}.#{column.name}')}"


def _words(column: ColumnInfo) -> str:
    """The values of a list as those of an ENUM: each once."""
    return ", ".join(text_literal(v) for v in dict.fromkeys(column.values or ()) if isinstance(v, str))
