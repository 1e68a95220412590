"""FROM and WHERE of engine SQL, with each table's rows read in the way that bounding needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import assert_never

from dpsql.algebra.catalog import Catalog, ColumnInfo, TableInfo
from dpsql.algebra.expressions import Column, Expr
from dpsql.algebra.facts import Facts
from dpsql.algebra.functions import emit, fact_rule
from dpsql.algebra.relations import (
    MARK,
    Filter,
    Join,
    JoinKind,
    Mark,
    PerUnit,
    Relation,
    Released,
    Scan,
    Union,
    Windows,
    marks,
    sources,
)
from dpsql.algebra.scan import column_sql, quoted
from dpsql.algebra.shape import shape, table_of
from dpsql.algebra.types import SqlType
from dpsql.engines.base import Either, UnitList
from dpsql.engines.sqlgen.unit_aggregates import UNIT, one_zero, per_unit_sql, typed
from dpsql.engines.sqlgen.unit_windows import windows_sql
from dpsql.slotted import dataclass

TOTAL = "#total"
OFF = "#off"
SOURCE = "src"
PREPARED = "prepared"
"""The schema of the policy's tables as they are in their sources, and the database of those that were prepared."""
SIZE = '"#size"'
PLACE = '"#place"'
"""What the rows of a prepared table say: how many rows their unit owns in it, and which of them this one is."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a table as a derived table: the SQL inside the parentheses and the lists it reads."""

    sql: str
    lists: tuple[UnitList, ...] = ()


_INTEGERS = 2**31
"""What an INTEGER of DuckDB holds, as an absolute value."""
# The policy's tables by lower-case name.
Tables = Mapping[str, TableInfo]
AS_USUAL: Mapping[str, str] = MappingProxyType({})
# How a scan is read: from a scan to the rows that stand for it.
Read = Callable[[Scan], Rows]


def plain(
    info: TableInfo,
    names: frozenset[str],
    tables: Tables,
    *,
    owned: bool,
    unchecked: frozenset[str] = frozenset(),
    passing: tuple[str, ...] = (),
    view: str = "",
    read: Mapping[str, str] = AS_USUAL,
) -> str:
    """All rows of a table with the named columns made canonical; rows without an owner are left out.

    Columns in `unchecked` are read as they are: what reads them must check their values later. Of a prepared table
    that is their code. Rows that do not meet the conditions in `passing`, which are on the columns as they are stored,
    are left out, too. Of a prepared table the integers of columns are listed beside them. `view`: where to read the
    rows that have an owner; `read`: how to read some columns, by their names.
    """
    listed = []
    for c in info.columns:
        if c.name in names:
            value = read.get(c.name) or _value(info, c, coded=c.name in unchecked)
            listed.append(f"{value} AS {quoted(c.name)}")
    if info.prepared is not None:
        listed += [f"t.{quoted(grid_of(name))}" for name, _ in info.prepared.grids if name in names]
    conditions = list(passing)
    unit = unit_sql(info, tables)
    if unit is not None:
        listed += _owner(info, unit) if owned else []
        conditions += [f"{unit} IS NOT NULL"] if info.prepared is None and not view else []
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    source = f"FROM {view} AS t" if view else owned_from(info, tables)
    return f"SELECT {', '.join(listed or ['1'])} {source}{where}"


@dataclass(frozen=True, slots=True)
class Owned(UnitList):
    """A view of the rows of a table that have an owner, which asks nothing of a row where every row has one."""

    view: str = ""


def owned_view(info: TableInfo, tables: Tables) -> Owned | None:
    """The view of a table whose rows name their owner; None where rows are joined to find it, or all have one."""
    unit = unit_sql(info, tables)
    if unit is None or info.path is not None or info.prepared is not None:
        return None
    view = f"{SOURCE}.{quoted(f'#owned {info.name}')}"
    made = f"CREATE OR REPLACE VIEW {view} AS SELECT t.* {owned_from(info, tables)}"
    orphan = f"SELECT 1 {owned_from(info, tables)} WHERE {unit} IS NULL LIMIT 1"
    either = Either(orphan, made, f"{made} WHERE {unit} IS NOT NULL")
    return Owned(f"owned {info.name}", (either,), counts="SELECT 0, 0", lasting=True, view=view)


def code_of(name: str) -> str:
    """The column of a prepared table that holds the codes of another one."""
    return f"#code {name}"


def stored_of(info: TableInfo, name: str) -> str:
    """The column of a table that holds the integers of another one in the type that they are stored in."""
    return name if info.prepared is not None else stored_beside(name)


def stored_beside(name: str) -> str:
    """That column of a source."""
    return f"#stored {name}"


def source_of(info: TableInfo) -> str:
    """A table in SQL: as it is in its source, or as it was prepared."""
    return f"{SOURCE}.{quoted(info.name)}" if info.prepared is None else prepared_of(info.name)


def prepared_of(name: str) -> str:
    """A prepared table in SQL."""
    return f"{PREPARED}.main.{quoted(name)}"


def is_narrow(column: ColumnInfo) -> bool:
    """Whether a prepared table has the integers of a column in four bytes: they take less time to read."""
    interval = column.fact.interval
    return column.type is SqlType.INTEGER and interval is not None and interval.magnitude < _INTEGERS


def grid_of(name: str) -> str:
    """The column of a prepared table that holds the integers of another one on its grid."""
    return f"#grid {name}"


def _value(info: TableInfo, column: ColumnInfo, *, coded: bool) -> str:
    """A column made canonical; a prepared one is. `coded` reads it as it is in the source, or its code."""
    raw = f"t.{quoted(column.name)}"
    if info.prepared is None:
        return raw if coded else column_sql(column, raw)
    if is_narrow(column):
        return f"CAST({raw} AS BIGINT)"
    return f"t.{quoted(code_of(column.name))}" if coded and column.name in info.prepared.coded else raw


def _owner(info: TableInfo, unit: str) -> list[str]:
    """The unit of a row; of a prepared table also how many rows it has, and which of them this one is."""
    stored = [] if info.prepared is None else [f"t.{SIZE}", f"t.{PLACE}"]
    return [f"{unit} AS {UNIT}", *stored]


def owned_from(info: TableInfo, tables: Tables) -> str:
    """FROM a table, joined along its path to the table that names the owner of its rows; a prepared one has them."""
    sql, alias, at = f"FROM {source_of(info)} AS t", "t", info
    while at.path is not None and info.prepared is None:
        parent = tables[at.path.table.lower()]
        above = f"{alias}p"
        step = f"{alias}.{quoted(at.path.column)} = {above}.{quoted(at.path.key)}"
        sql += f" JOIN {source_of(parent)} AS {above} ON {step}"
        alias, at = above, parent
    return sql


def unit_sql(info: TableInfo, tables: Tables) -> str | None:
    """The privacy unit of a row of `owned_from`, or None where every row is a unit of its own or has none."""
    if info.prepared is not None:
        return None if info.row_is_unit else f"t.{UNIT}"
    alias = "t"
    while info.path is not None:
        parent = tables[info.path.table.lower()]
        info, alias = parent, f"{alias}p"
    key = info.column(info.unit_key) if info.unit_key is not None else None
    return column_sql(key, f"{alias}.{quoted(key.name)}") if key is not None else None


@dataclass(frozen=True, slots=True)
class FromWhere:
    """The FROM and WHERE clauses of a relation and the lists that they read."""

    sql: str
    lists: tuple[UnitList, ...]


def base_facts(relation: Relation, catalog: Catalog) -> Facts:
    """The facts at the scan of every column that any part of a relation can read."""
    facts: dict[Column, object] = {}
    stack = [relation]
    while stack:
        node = stack.pop()
        facts |= shape(node, catalog).base
        stack += [m.inner for m in marks(node)]
        for source in sources(node):
            if isinstance(source, PerUnit | Windows):
                stack.append(source.source)
            elif isinstance(source, Union):
                stack += [b.relation for b in source.branches]
            elif not isinstance(source, Scan | Released):
                assert_never(source)
    return Facts(facts, fact_rule)  # type: ignore[arg-type]


class Writer:
    """Writes relations as SQL: every scan read by `read`, every expression emitted under base facts."""

    def __init__(self, facts: Facts, catalog: Catalog, read: Read) -> None:
        self._facts = facts
        self._catalog = catalog
        self._read = read
        self._marks: dict[int, str] = {}
        self._lists: list[UnitList] = []

    def reference(self, column: Column) -> str:
        """A column of a source, or the condition behind a mark."""
        if column.name == MARK and column.scan in self._marks:
            return self._marks[column.scan]
        return reference(column)

    def emit(self, expr: Expr) -> str:
        """An expression over the relation's columns."""
        return emit(expr, self._facts, self.reference)

    def from_where(self, relation: Relation) -> FromWhere:
        """A relation as `FROM ... WHERE ...`."""
        sql = self._select(relation)
        return FromWhere(sql, tuple(dict.fromkeys(self._lists)))

    def _select(self, relation: Relation, more: tuple[Expr, ...] = ()) -> str:
        conditions: list[str] = []
        source = self._tables(relation, conditions)
        conditions += [self.emit(c) for c in more]
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"FROM {source}{where}"

    def _tables(self, node: Relation, conditions: list[str]) -> str:
        match node:
            case Scan():
                rows = self._read(node)
                self._lists.extend(rows.lists)
                return f"({rows.sql}) AS s{node.index}"
            case Filter():
                source = self._tables(node.source, conditions)
                conditions += [self.emit(c) for c in node.conjuncts]
                return source
            case Mark():
                source = self._tables(node.source, conditions)
                self._marks[node.index] = self._mark(node)
                return source
            case PerUnit():
                return f"({self._per_unit(node)}) AS s{node.index}"
            case Windows():
                return f"({self._windows(node)}) AS s{node.index}"
            case Union():
                return f"({self._union(node)}) AS s{node.index}"
            case Released():
                return f"({released_rows(node)}) AS s{node.index}"
            case Join():
                return self._join(node, conditions)
            case _:
                assert_never(node)

    def _join(self, node: Join, conditions: list[str]) -> str:
        """Conditions on the right side of an outer join decide what matches, so that they stand with its own."""
        outer = node.kind is JoinKind.LEFT
        left = self._tables(node.left, conditions)
        inside: list[str] = []
        right = self._tables(node.right, inside if outer else conditions)
        if len(list(sources(node.right))) > 1:
            right = f"({right})"
        on = " AND ".join([*(self.emit(c) for c in node.on), *inside]) or "true"
        return f"{left} {'LEFT JOIN' if outer else 'JOIN'} {right} ON {on}"

    def _mark(self, node: Mark) -> str:
        if node.arg is None or node.output is None:
            return f"EXISTS (SELECT 1 {self._select(node.inner, node.on)})"
        rows = self._select(node.inner, node.on)
        return f"({self.emit(node.arg)} IN (SELECT {self.emit(node.output)} {rows}))"

    def _per_unit(self, node: PerUnit) -> str:
        rows = self._select(node.source)
        return per_unit_sql(node, shape(node.source, self._catalog), self.emit, self._unit(node.source), rows)

    def _windows(self, node: Windows) -> str:
        rows, unit = self._select(node.source), self._unit(node.source)
        return windows_sql(node, shape(node.source, self._catalog), self.emit, unit, rows)

    def _union(self, node: Union) -> str:
        facts = shape(node, self._catalog).base
        branches = []
        for b in node.branches:
            rows = self._select(b.relation)
            columns = [
                f"{one_zero(e, typed(self.emit(e), facts[node.column(i)]))} AS c{i}"
                for i, e in enumerate(b.outputs)
            ]
            branches.append(f"SELECT {', '.join([f'{self._unit(b.relation)} AS {UNIT}', *columns])} {rows}")
        return " UNION ALL ".join(branches)

    def _unit(self, relation: Relation) -> str:
        owner = shape(relation, self._catalog).owner
        assert owner is not None
        return f"s{owner.index}.{UNIT}"


_HOLE, _LISTS = "\0", UnitList("", ())
"""What stands for rows, and for the lists that they read, where these are put in later: SQL has no NUL, since texts are
written without it."""


def written_around(write: Callable[[Rows], str]) -> Callable[[str], str]:
    """What `write` gives for any rows, written once. Raises ValueError where the rows do not stand in it once."""
    before, after = write(Rows(_HOLE, (_LISTS,))).split(_HOLE)
    return lambda rows: f"{before}{rows}{after}"


class Around:
    """A relation written once, for different rows of one of its scans."""

    __slots__ = ("_lists", "_sql", "reference")

    def __init__(self, relation: Relation, scan: Scan, facts: Facts, catalog: Catalog, read: Read) -> None:
        def write(rows: Rows) -> str:
            writer = Writer(facts, catalog, lambda s: rows if s == scan else read(s))
            source = writer.from_where(relation)
            self.reference, self._lists = writer.reference, source.lists
            return source.sql

        self._sql = written_around(write)

    def over(self, rows: Rows) -> FromWhere:
        """The relation where these are the rows of the scan."""
        lists = (x for found in self._lists for x in (rows.lists if found is _LISTS else (found,)))
        return FromWhere(self._sql(rows.sql), tuple(dict.fromkeys(lists)))


def input_name(node: Released, at: int) -> str:
    """The name of the parameter that holds the values of a column of a released table, row by row."""
    return f"f{node.index}_{at}"


def released_rows(node: Released) -> str:
    """The rows of a released table, out of a list for each column."""
    lists = (f"CAST(${input_name(node, i)} AS {c.type.value}[])" for i, c in enumerate(node.columns))
    return f"SELECT {', '.join(f'unnest({values}) AS c{i}' for i, values in enumerate(lists))}"


def reference(column: Column) -> str:
    """A column of a source in engine SQL."""
    return f"s{column.scan}.{quoted(column.name)}"


def public_rows(scan: Scan, catalog: Catalog) -> Rows:
    """Every row of a public table, every column canonical."""
    info = table_of(scan, catalog)
    every = frozenset(c.name for c in info.columns)
    return Rows(catalog.texts.made(info, lambda: plain(info, every, catalog.tables, owned=False)))
