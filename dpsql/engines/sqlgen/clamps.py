"""Clamps of a table's columns that an engine leaves out where every value lies within its column's bounds.

DuckDB takes as long for the CASE that clamps a column as for all else that a sum asks of a row. Whether any value lies
outside is asked once for a version of the data, of what DuckDB keeps of each block's values, and the clamp is a macro
that returns its argument where none does: SQL and what it finds are the same in both cases.

A column is read so only where it is a key as it stands, or where its values are counted or their grid integers added
up, and nothing else: what is computed of it then raises for no value whatever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dpsql.algebra.canonical import digest
from dpsql.algebra.catalog import ColumnInfo, TableInfo
from dpsql.algebra.expressions import Column, Expr
from dpsql.algebra.relations import Relation, Scan
from dpsql.algebra.scan import column_sql, ends_of, quoted
from dpsql.algebra.types import SqlType
from dpsql.engines.base import LISTS, Either, UnitList
from dpsql.engines.sqlgen.read import expressions, names_read
from dpsql.engines.sqlgen.relation import SOURCE, stored_of
from dpsql.engines.sqlgen.task import Task
from dpsql.plan.types import Sum, Term
from dpsql.policy.model import Table
from dpsql.policy.table_sources import SourceKind

# What others hold would have to be parsed for the question whether it lies within its bounds.
_BLOCKS = frozenset({SourceKind.DUCKDB, SourceKind.PARQUET})
_MOST = 8
_NUMBERS = frozenset({SqlType.DOUBLE, SqlType.INTEGER})
_ADDED = frozenset({Sum.VALUES, Sum.TOTAL, Sum.SHIFTED})


@dataclass(frozen=True, slots=True)
class Clamp(UnitList):
    """The macro that clamps a column of a table; `read` is the column through it, where its table is t."""

    read: str = ""


NO_CLAMPS: Mapping[str, Clamp] = MappingProxyType({})


def clamps_of(task: Task, owner: Scan, info: TableInfo, relation: Relation) -> Mapping[str, Clamp]:
    """The clamps of a scan's columns by their names, of those that may be read as they are; a few at most."""
    table = task.policy.table(info.name)
    assert table is not None
    if info.prepared is not None or not _is_read_in_blocks(table) or task.by_unit or task.over_keys:
        return NO_CLAMPS
    bins = [] if task.bins is None else [task.bins.grid.arg]
    alone = _only_added(task.keys, task.terms, (*expressions(relation), *bins), owner)
    numbers = [c for c in info.columns if c.name in alone and c.type in _NUMBERS and c.values is None]
    found = ((c.name, _clamp(info, c)) for c in numbers[:_MOST])
    return {name: clamp for name, clamp in found if clamp is not None}


def _is_read_in_blocks(table: Table) -> bool:
    """Whether the source has the least and the greatest value of each block."""
    return table.source.kind in _BLOCKS and all(c.field is None for c in table.columns)


def _only_added(
    keys: tuple[Expr, ...], terms: tuple[Term, ...], others: tuple[Expr, ...], scan: Scan
) -> frozenset[str]:
    """The columns of a scan that are keys, or are counted or added up, and that nothing else reads."""
    sums = [t for t in terms if t.sum in _ADDED and (t.grid is None or not t.grid.reach)]
    values = [*keys, *(t.arg for t in sums if t.arg is not None)]
    bare = frozenset(e.name for e in values if isinstance(e, Column) and e.scan == scan.index)
    computed = [e for e in values if not isinstance(e, Column)]
    rest = [e for t in terms for e in ((t.where,) if t in sums else t.reads)]
    return bare - names_read((*computed, *rest, *others), scan.index)


def _clamp(info: TableInfo, column: ColumnInfo) -> Clamp | None:
    """The clamp of a number; None where there is nothing to clamp."""
    ends = ends_of(column)
    if ends is None:
        return None
    # Of what a cast gives DuckDB does not know the values of a block.
    stored = stored_of(column.name) if column.type is SqlType.INTEGER else column.name
    rows = f"{SOURCE}.{quoted(info.name)} AS t"
    outside = f"SELECT 1 FROM {rows} WHERE t.{quoted(stored)} NOT BETWEEN {ends[0]} AND {ends[1]} LIMIT 1"
    name = digest("clamp", info.name, column.name, *ends)[:24]
    macro = f'{LISTS}."clamp_{name}"'
    made = f"CREATE OR REPLACE MACRO {macro}(v) AS "
    either = Either(outside, f"{made}v", made + column_sql(column, "v"))
    read = f"{macro}(t.{quoted(column.name)})"
    return Clamp(name, (either,), (f"DROP MACRO IF EXISTS {macro}",), counts="SELECT 0, 0", read=read)
