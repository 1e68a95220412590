"""Clamps of a table's columns that an engine leaves out where every value lies within its column's bounds.

DuckDB takes as long for the CASE that clamps a column as for all else that a sum asks of a row. Whether any value lies
outside is asked once for a version of the data, and the clamp is a macro that returns its argument where none does: SQL
and what it finds are the same in both cases.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dpsql.algebra.canonical import digest
from dpsql.algebra.catalog import ColumnInfo, TableInfo
from dpsql.algebra.scan import column_sql, ends_of, quoted, with_one_zero
from dpsql.engines.base import LISTS, Either, UnitList
from dpsql.engines.sqlgen.relation import SOURCE
from dpsql.policy.model import Table
from dpsql.policy.table_sources import SourceKind
from dpsql.slotted import dataclass

# Others would have to be parsed for the question whether what they hold lies within its bounds.
_ASKED = frozenset({SourceKind.DUCKDB, SourceKind.PARQUET})
_MOST = 8


@dataclass(frozen=True, slots=True)
class Clamp(UnitList):
    """The macro that clamps a column of a table; `read` is the column through it, where its table is t."""

    read: str = ""


NO_CLAMPS: Mapping[str, Clamp] = MappingProxyType({})


def clamps_of(table: Table, info: TableInfo, names: frozenset[str]) -> Mapping[str, Clamp]:
    """The clamps of columns of a table by their names; of a few at most."""
    if info.prepared is not None or table.source.kind not in _ASKED or any(c.field for c in table.columns):
        return NO_CLAMPS
    bounded = ((c, ends_of(c)) for c in info.columns if c.name in names and c.values is None)
    found = [(c, ends) for c, ends in bounded if ends is not None]
    return {c.name: _clamp(info, c, ends) for c, ends in found[:_MOST]}


def _clamp(info: TableInfo, column: ColumnInfo, ends: tuple[str, str]) -> Clamp:
    """The clamp of a column to the ends of its bounds; of two zeros it makes one in any case."""
    value, (least, most) = f"t.{quoted(column.name)}", ends
    # An aggregate reads every value: of a condition DuckDB believes what a file says of the values of a block.
    outside = f"bool_or({value} NOT BETWEEN {least} AND {most}) AS o"
    found = f"SELECT 1 FROM (SELECT {outside} FROM {SOURCE}.{quoted(info.name)} AS t) WHERE o"
    name = digest("clamp", info.name, column.name, *ends)[:24]
    macro = f'{LISTS}."clamp_{name}"'
    made, inside = f"CREATE OR REPLACE MACRO {macro}(v) AS ", with_one_zero(column.type, "v")
    either = Either(found, made + inside, made + column_sql(column, "v"))
    return Clamp(name, (either,), counts="SELECT 0, 0", lasting=True, read=f"{macro}({value})")
