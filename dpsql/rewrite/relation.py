"""FROM and WHERE of engine SQL, with the owner's rows read in the way that bounding needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpsql.algebra.expr import Column
from dpsql.algebra.facts import Facts
from dpsql.algebra.relation import Filter, Join, JoinKind, Relation, Scan
from dpsql.algebra.shape import table_of
from dpsql.catalog import Catalog, TableInfo
from dpsql.engines.base import UnitList
from dpsql.functions import emit
from dpsql.scan import column_sql, quoted

UNIT = '"#unit"'
TOTAL = "#total"
SOURCE = "src"


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a table as a derived table: the SQL inside the parentheses and the lists it reads."""

    sql: str
    lists: tuple[UnitList, ...] = ()


# How a scan is read: from a scan to the rows that stand for it.
Read = Callable[[Scan], Rows]


def reference(column: Column) -> str:
    """A column of a scan in engine SQL."""
    return f"s{column.scan}.{quoted(column.name)}"


def plain(
    info: TableInfo, names: frozenset[str], *, owned: bool, unchecked: frozenset[str] = frozenset()
) -> str:
    """All rows of a table with the named columns made canonical; rows without an owner are left out.

    Columns in `unchecked` are read as they are: what reads them must check their values later.
    """
    listed = []
    for c in info.columns:
        if c.name in names:
            raw = f"t.{quoted(c.name)}"
            listed.append(f"{raw if c.name in unchecked else column_sql(c, raw)} AS {quoted(c.name)}")
    where = ""
    key = unit_sql(info) if owned else None
    if key is not None:
        listed.append(f"{key} AS {UNIT}")
        where = f" WHERE {key} IS NOT NULL"
    elif info.unit_key is not None:
        where = f" WHERE t.{quoted(info.unit_key)} IS NOT NULL"
    return f"SELECT {', '.join(listed or ['1'])} FROM {SOURCE}.{quoted(info.name)} AS t{where}"


def unit_sql(info: TableInfo) -> str | None:
    """The privacy unit of a row of a table, or None where every row is a unit of its own."""
    key = info.column(info.unit_key) if info.unit_key is not None else None
    return column_sql(key, f"t.{quoted(key.name)}") if key is not None else None


@dataclass(frozen=True, slots=True)
class FromWhere:
    """The FROM and WHERE clauses of a relation and the lists that they read."""

    sql: str
    lists: tuple[UnitList, ...]


def from_where(relation: Relation, facts: Facts, read: Read) -> FromWhere:
    """A relation as `FROM ... WHERE ...`, every scan read by `read`, every expression emitted under base facts."""
    conditions: list[str] = []
    lists: list[UnitList] = []

    def tables(node: Relation) -> str:
        if isinstance(node, Scan):
            rows = read(node)
            lists.extend(rows.lists)
            return f"({rows.sql}) AS s{node.index}"
        if isinstance(node, Filter):
            inner = tables(node.source)
            conditions.extend(emit(c, facts, reference) for c in node.conjuncts)
            return inner
        return join(node)

    def join(node: Join) -> str:
        left, before = tables(node.left), len(conditions)
        right = tables(node.right)
        assert node.kind is JoinKind.INNER or before == len(conditions), (
            "a filter below an outer join cannot be hoisted"
        )
        on = " AND ".join(emit(c, facts, reference) for c in node.on) or "true"
        word = "LEFT JOIN" if node.kind is JoinKind.LEFT else "JOIN"
        return f"{left} {word} {right} ON {on}"

    source = tables(relation)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return FromWhere(f"FROM {source}{where}", tuple(lists))


def public_rows(scan: Scan, catalog: Catalog) -> Rows:
    """Every row of a public table, every column canonical."""
    info = table_of(scan, catalog)
    return Rows(plain(info, frozenset(c.name for c in info.columns), owned=False))
