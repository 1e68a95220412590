"""Rows within the bounds of their columns apart from the others: where a column is only added up, few are clamped.

DuckDB takes as long for a CASE as for all else that a sum asks of a row, and nothing for a condition that all values
of a block meet, or none, by the least and the greatest of them that it keeps. So rows are read in parts that exclude
each other: those whose columns all lie within their bounds, as they are, and for each column those that are not in the
parts before and lie outside of its bounds, or have no value.

A column is read so only where it is a key as it stands, or where its values are counted or their grid integers added
up, and nothing else: what is computed of it then raises for no value, whether or not a condition is asked before.
"""

from __future__ import annotations

from collections.abc import Callable

from dpsql.algebra.catalog import ColumnInfo, TableInfo
from dpsql.algebra.expressions import Column, Expr
from dpsql.algebra.scan import ends_of, quoted
from dpsql.algebra.types import SqlType
from dpsql.engines.sqlgen.read import names_read
from dpsql.engines.sqlgen.relation import stored_of
from dpsql.plan.types import Sum, Term
from dpsql.policy.model import Table
from dpsql.policy.table_sources import SourceKind

_BLOCKS = frozenset({SourceKind.DUCKDB, SourceKind.PARQUET})
_MOST = 3
_CLAMPED = frozenset({SqlType.DOUBLE, SqlType.INTEGER})
_ADDED = frozenset({Sum.VALUES, Sum.TOTAL, Sum.SHIFTED})
Ends = tuple[str, str]


def is_read_in_blocks(table: Table) -> bool:
    """Whether the source has the least and the greatest value of each block; others would be read for each part."""
    return table.source.kind in _BLOCKS and all(c.field is None for c in table.columns)


def only_added(
    info: TableInfo, index: int, keys: tuple[Expr, ...], terms: tuple[Term, ...], others: tuple[Expr, ...]
) -> dict[ColumnInfo, Ends]:
    """The clamped columns of a scan that are keys, or are counted or added up, and that nothing else reads.

    A few at most.
    """
    sums = [t for t in terms if t.sum in _ADDED and (t.grid is None or not t.grid.reach)]
    values = [*keys, *(t.arg for t in sums if t.arg is not None)]
    bare = {e.name for e in values if isinstance(e, Column) and e.scan == index}
    computed = [e for e in values if not isinstance(e, Column)]
    rest = [e for t in terms for e in ((t.where,) if t in sums else t.reads)]
    alone = bare - names_read((*computed, *rest, *others), index)
    found = ((c, ends_of(c)) for c in info.columns if c.name in alone and _is_number(c))
    return dict([(c, ends) for c, ends in found if ends is not None][:_MOST])


def read_in_parts(
    columns: dict[ColumnInfo, Ends], rows: Callable[[frozenset[str], tuple[str, ...]], str]
) -> str:
    """All rows of a scan t. `rows` reads those that meet conditions, with the columns of some names as they are."""
    inside = [f"{_stored(c)} BETWEEN {least} AND {most}" for c, (least, most) in columns.items()]
    names = [c.name for c in columns]
    parts = [rows(frozenset(names), tuple(inside))]
    for at, (column, (least, most)) in enumerate(columns.items()):
        value = _stored(column)
        outside = f"({value} < {least} OR {value} > {most} OR {value} IS NULL)"
        parts.append(rows(frozenset(names[:at]), (*inside[:at], outside)))
    return " UNION ALL ".join(parts)


def _is_number(column: ColumnInfo) -> bool:
    return column.type in _CLAMPED and column.values is None


def _stored(column: ColumnInfo) -> str:
    """The column as its source has it: of what a cast gives DuckDB does not know the values of a block."""
    return f"t.{quoted(stored_of(column.name) if column.type is SqlType.INTEGER else column.name)}"
