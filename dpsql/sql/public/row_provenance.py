"""Which cells of which release stand behind each cell of an answer, for its interval.

The public query is given one more column, the place of the released row, wherever every row of the answer comes
from exactly one released row: of a release, or of one of the levels of ROLLUP, CUBE and GROUPING SETS.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from sqlglot import exp

from dpsql.algebra.formula import EXACT, Formula, Measured
from dpsql.slotted import dataclass
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.star_expansion import star_columns
from dpsql.sql.ast.traversal import all_of, every, first_source, in_window, is_star, shallow
from dpsql.sql.dialect import Node
from dpsql.sql.public.formulas import Resolve, formula
from dpsql.sql.public.render import SCHEMA, written
from dpsql.sql.public.rollup_levels import LEVELED, Level

INDEX = "#released row"
_MEASURE = re.compile(r"a(\d+)")
_KEY = re.compile(r"[ikg]\d*")
_RELEASE = re.compile(r"r\d+")
_Named = list[tuple[str, Formula | None]]


@dataclass(frozen=True, slots=True)
class Shown:
    """A released table, or the level of it that has the keys at the places `kept`."""

    release: int
    kept: tuple[int, ...] | None = None


_Sources = tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """The public query with a last column for the released row's place: n * index + i in the i-th of n `sources`.

    `formulas` says what each column is made of, EXACT for keys and constants; None for what is no formula of measures.
    """

    sql: str
    sources: _Sources
    formulas: tuple[Formula | None, ...]

    def place(self, number: int) -> tuple[int, int]:
        """The source of a row, and its index there."""
        index, source = divmod(number, len(self.sources))
        return source, index


def trace(tree: Node, levels: Iterable[Level] = ()) -> Trace | None:
    """The traced form of a finished public query, or None where rows of the answer are not rows of one release."""
    shown_of = {level.name: Shown(level.release, level.kept) for level in levels}
    if any(name.name.lower() == INDEX for name in all_of(tree, exp.Identifier)):
        return None
    copy = tree.copy()
    traced = _trace(copy, shown_of)
    if traced is None:
        return None
    sources, named = traced
    return Trace(written(copy), sources, tuple(f for _, f in named))


def released_source(node: exp.Select) -> exp.Table | None:
    """The released table that a SELECT reads alone, row by row, or None."""
    source = _only_source(node)
    if isinstance(source, exp.Table) and source.db == SCHEMA and _RELEASE.fullmatch(source.name):
        return source
    return None


def _only_source(node: exp.Select) -> Node | None:
    if any(node.args.get(c) for c in ("distinct", "joins", "group")):
        return None
    return first_source(node)


def level_selects(node: exp.Select) -> tuple[exp.Select, ...]:
    """The SELECTs of the levels that a SELECT reads alone, row by row; none where it reads something else."""
    source = _only_source(node)
    if not isinstance(source, exp.Subquery) or LEVELED not in source.meta:
        return ()
    selects, left = [], [source.this]
    while left:
        branch = left.pop()
        if isinstance(branch, exp.Select):
            selects.append(branch)
        else:
            left += [branch.expression, branch.this]
    return tuple(selects)


def source_of(level: exp.Select) -> str:
    """The name of the released table that the SELECT of a level reads."""
    name: str = level.args["from_"].this.name
    return name


def measured_in(table: str) -> Resolve:
    """What the columns of a released table of that name stand for."""

    def column(node: exp.Column) -> Formula | None:
        match = _MEASURE.fullmatch(node.name) if node.table == table else None
        return Measured(int(match.group(1))) if match else None

    return column


def _trace(node: Node, levels: Mapping[str, Shown]) -> tuple[_Sources, _Named] | None:
    if not isinstance(node, exp.Select):
        return None
    table, source = released_source(node), _only_source(node)
    if table is not None:
        return None if _estimates(node) else _released(node, table)
    selects = level_selects(node)
    if selects:
        return None if _estimates(node) else _leveled(node, selects, levels)
    aggregates = any(is_aggregate(n) for e in node.expressions for n in every(e))
    return _derived(node, source, levels) if isinstance(source, exp.Subquery) and not aggregates else None


def _estimates(node: exp.Select) -> bool:
    """Whether the rows of a local release are aggregated: then no row of the answer comes from one of them."""
    return any(is_aggregate(n) and not in_window(n) for e in node.expressions for n in shallow(e))


def _released(node: exp.Select, table: exp.Table) -> tuple[_Sources, _Named]:
    named = _columns(node, table.name)
    node.append("expressions", exp.alias_(exp.column("i", table=table.name, quoted=True), INDEX, quoted=True))
    return (Shown(int(table.name[1:])),), named


def _leveled(
    node: exp.Select, selects: tuple[exp.Select, ...], levels: Mapping[str, Shown]
) -> tuple[_Sources, _Named]:
    """The rows of all levels are numbered in turn."""
    alias = node.args["from_"].this.alias
    named, sources = _columns(node, alias), []
    for at, select in enumerate(selects):
        name = source_of(select)
        sources.append(levels[name] if name in levels else Shown(int(name[1:])))
        index = exp.Mul(
            this=exp.column("i", table=name, quoted=True), expression=exp.Literal.number(len(selects))
        )
        place = exp.Add(this=index, expression=exp.Literal.number(at))
        select.append("expressions", exp.alias_(place, INDEX, quoted=True))
    node.append("expressions", exp.column(INDEX, table=alias, quoted=True))
    return tuple(sources), named


def _columns(node: exp.Select, table: str) -> _Named:
    column = measured_in(table)
    return [(item.alias_or_name, _made_of(item.unalias(), column, _is_key)) for item in node.expressions]


def _is_key(node: exp.Column) -> bool:
    return _KEY.fullmatch(node.name) is not None


def _made_of(node: Node, column: Resolve, exact: Callable[[exp.Column], bool]) -> Formula | None:
    """What a column of a SELECT is made of, EXACT where every column that it reads is."""
    if any(True for _ in all_of(node, exp.Query, exp.Star)):
        return None
    if all(exact(c) for c in all_of(node, exp.Column)):
        return None if any(is_aggregate(n) or isinstance(n, exp.Window) for n in every(node)) else EXACT
    return formula(node, column)


def _derived(
    node: exp.Select, source: exp.Subquery, levels: Mapping[str, Shown]
) -> tuple[_Sources, _Named] | None:
    inner = _trace(source.this, levels)
    if inner is None:
        return None
    sources, columns = inner
    aliases = source.alias_column_names
    columns = [(n, f) for n, (_, f) in zip(aliases, columns, strict=False)] + columns[len(aliases) :]
    # DuckDB takes the first of several columns of one name.
    formulas = {name.lower(): formula for name, formula in reversed(columns)}

    def resolve(column: exp.Column) -> Formula | None:
        return formulas.get(column.name.lower())

    named: _Named = []
    star = False
    for item in node.expressions:
        written = item.unalias()
        if is_star(written):
            named, star = named + _starred(written, columns, resolve), True
        else:
            named.append((item.alias_or_name, _made_of(written, resolve, lambda c: resolve(c) == EXACT)))
    if star:
        return (sources, named) if len(node.expressions) == 1 else None
    node.append("expressions", exp.column(INDEX, table=source.alias or None, quoted=True))
    return sources, named


def _starred(star: Node, columns: _Named, resolve: Resolve) -> _Named:
    """What the columns that a star lists are made of."""
    return [
        (c.name, columns[c.at][1])
        if c.written is None
        else (c.name, _made_of(c.written, resolve, lambda column: resolve(column) == EXACT))
        for c in star_columns(star, [name for name, _ in columns])
    ]
