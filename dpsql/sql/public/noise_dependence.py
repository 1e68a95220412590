"""How the columns of a finished public query depend on the noise of the results that it reads."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from sqlglot import exp

from dpsql.slotted import dataclass
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.star_expansion import star_columns
from dpsql.sql.ast.traversal import is_star
from dpsql.sql.dialect import DType, Node

_REAL: Final = frozenset({DType.DOUBLE, DType.FLOAT})
# Functions of a window that give the value of another row as it is.
_OF_ANOTHER_ROW: Final = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
# What the clauses of a SELECT that are read here are; with any other the dependence is unknown.
_CLAUSES: Final = frozenset(
    {"kind", "hint", "expressions", "from_", "joins", "where", "group", "having", "qualify", "order", "limit"}
    | {"offset", "distinct", "with_", "operation_modifiers", "windows"}
)


class Depends(enum.IntEnum):
    """How a value depends on the noise of what is released.

    LINEAR values are weighted sums of released measures, with weights that no noise enters. What is UNTOLD has no
    interval: it is chosen by rank or by count, or is the end of an interval itself.
    """

    EXACT = 0
    LINEAR = 1
    NOISY = 2
    UNTOLD = 3


class UnknownError(Exception):
    """How the query depends on noise is not known."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The columns of a query or of a table, and whether its rows are there under any noise.

    An `open` table may have other columns, too, all EXACT. Of `sorted_by_noise` rows noise decides which comes first.
    """

    columns: tuple[tuple[str, Depends], ...]
    certain: bool = True
    open: bool = False
    sorted_by_noise: bool = False

    def find(self, name: str) -> Depends | None:
        """How the first column of a name depends on noise; None where none is known."""
        return next((d for n, d in self.columns if n.lower() == name.lower()), None)


Find = Callable[[exp.Table], Rows]
_Named = Mapping[str, Rows]


def depends(tree: Node, find: Find) -> Rows:
    """What a query gives; `find` says what a table has that is no name of WITH. Raises UnknownError."""
    return _Reader(find).query(tree, {}, None)


@dataclass(frozen=True, slots=True)
class _Scope:
    """The sources that the expressions of a SELECT see, by their names, and those of the SELECTs around it."""

    reader: _Reader
    named: _Named
    sources: list[tuple[str, Rows]]
    outer: _Scope | None
    select: exp.Select

    @property
    def certain(self) -> bool:
        return all(rows.certain for _, rows in self.sources)

    @property
    def sorted_by_noise(self) -> bool:
        return any(rows.sorted_by_noise for _, rows in self.sources)

    def column(self, node: exp.Column) -> Depends:
        scope: _Scope | None = self
        while scope is not None:
            dependence = scope._own(node)
            if dependence is not None:
                return dependence
            scope = scope.outer
        raise UnknownError

    def _own(self, node: exp.Column) -> Depends | None:
        sources = [rows for name, rows in self.sources if node.table.lower() in ("", name.lower())]
        in_sources = (rows.find(node.name) for rows in sources)
        own = next((d for d in in_sources if d is not None), None)
        if own is not None:
            return own
        alias = next((e for e in self.select.expressions if _is_named(e, node)), None)
        if alias is not None:
            return self.of(alias.this)
        return Depends.EXACT if any(rows.open for rows in sources) else None

    def of(self, node: object) -> Depends:
        """How the value of an expression of the SELECT, or of all of a list, depends on noise."""
        if isinstance(node, list):
            return max((self.of(n) for n in node), default=Depends.EXACT)
        if not isinstance(node, Node) or isinstance(node, exp.DataType | exp.Identifier | exp.Var):
            return Depends.EXACT
        if isinstance(node, exp.Column):
            return self.column(node)
        if isinstance(node, exp.Query):
            return self._subquery(node)
        return _EXPRESSIONS.get(type(node), _other)(self, node)

    def _subquery(self, node: Node) -> Depends:
        rows = self.reader.query(node, self.named, self)
        most = max((d for _, d in rows.columns), default=Depends.EXACT)
        return most if rows.certain else max(most, Depends.NOISY)

    def parts(self, node: Node) -> Depends:
        """The most of what stands in a node."""
        return max((self.of(v) for v in node.args.values()), default=Depends.EXACT)


def _is_named(item: Node, column: exp.Column) -> bool:
    inside = any(n is column for n in item.walk()) if isinstance(item, exp.Alias) else True
    return not column.table and not inside and item.alias.lower() == column.name.lower()


def _other(scope: _Scope, node: Node) -> Depends:
    """Any function: what is noisy in it makes it noisy. An aggregate's rows are part of it."""
    inside = scope.parts(node)
    if is_aggregate(node) and (scope.sorted_by_noise or not scope.certain):
        inside = max(inside, Depends.NOISY)
    return max(inside, Depends.NOISY) if inside else inside


def _same(scope: _Scope, node: Node) -> Depends:
    return scope.parts(node)


def _cast(scope: _Scope, node: Node) -> Depends:
    real = isinstance(node, exp.Cast) and isinstance(node.to, exp.DataType) and node.to.this in _REAL
    return scope.of(node.this) if real else _other(scope, node)


def _product(scope: _Scope, node: Node) -> Depends:
    one, other = scope.of(node.this), scope.of(node.expression)
    return max(one, other) if Depends.EXACT in (one, other) else max(one, other, Depends.NOISY)


def _quotient(scope: _Scope, node: Node) -> Depends:
    below = scope.of(node.expression)
    both = max(below, scope.of(node.this))
    return max(both, Depends.NOISY) if below else both


def _case(scope: _Scope, node: Node) -> Depends:
    branches = node.args["ifs"]
    when = scope.of([node.this, *(b.this for b in branches)])
    branch = scope.of([*(b.args["true"] for b in branches), node.args.get("default")])
    return max(when, branch, Depends.NOISY) if when else branch


def _added(scope: _Scope, node: Node) -> Depends:
    """SUM and AVG of rows that are there under any noise."""
    if isinstance(node.this, exp.Distinct) or set(_given(node)) != {"this"}:
        return _other(scope, node)
    inside = scope.of(node.this)
    return inside if scope.certain else max(inside, Depends.NOISY)


def _counted(scope: _Scope, node: Node) -> Depends:
    """COUNT of rows: released counts and sums are never NULL."""
    rows = isinstance(node.this, exp.Star) or node.this is None
    inside = Depends.EXACT if rows else scope.of(node.this)
    plain = inside <= Depends.LINEAR and not isinstance(node.this, exp.Distinct)
    return Depends.EXACT if plain and scope.certain else _other(scope, node)


def _filtered(scope: _Scope, node: Node) -> Depends:
    when = scope.of(node.expression.this)
    inside = scope.of(node.this)
    return max(when, inside, Depends.NOISY) if when else inside


def _window(scope: _Scope, node: Node) -> Depends:
    over = [v for name, v in node.args.items() if name != "this"]
    if node.args.get("alias") is not None:
        over += [_of_clause(node.args["alias"], scope.select)]
    call = node.this
    while isinstance(call, exp.IgnoreNulls | exp.RespectNulls):
        call = call.this
    around = scope.of(over)
    inside = scope.parts(call) if isinstance(call, _OF_ANOTHER_ROW) else scope.of(call)
    by_place = not (node.args.get("order") or isinstance(call, exp.Sum | exp.Avg | exp.Count))
    sure = scope.certain and not (by_place and scope.sorted_by_noise)
    return inside if sure and not around else max(inside, around, Depends.NOISY)


def _of_clause(name: Node, select: exp.Select) -> list[object]:
    """What a window of the clause WINDOW has, and those that it is made of."""
    window = next((w for w in select.args.get("windows") or [] if w.name.lower() == name.name.lower()), None)
    if window is None or window.args.get("alias") is not None:
        raise UnknownError
    return [v for key, v in window.args.items() if key != "this"]


def _given(node: Node) -> Iterator[str]:
    return (k for k, v in node.args.items() if v not in (None, [], False))


_EXPRESSIONS: Final[Mapping[type[Node], Callable[[_Scope, Node], Depends]]] = {
    **dict.fromkeys((exp.Paren, exp.Neg, exp.Alias, exp.Add, exp.Sub, exp.Coalesce), _same),
    **dict.fromkeys((exp.Order, exp.Ordered, exp.WindowSpec), _same),
    exp.Cast: _cast,
    exp.Mul: _product,
    exp.Div: _quotient,
    exp.Case: _case,
    **dict.fromkeys((exp.Sum, exp.Avg), _added),
    exp.Count: _counted,
    exp.Filter: _filtered,
    exp.Window: _window,
}


@dataclass(frozen=True, slots=True)
class _Reader:
    find: Find

    def query(self, node: Node, named: _Named, outer: _Scope | None) -> Rows:
        if isinstance(node, exp.Subquery):
            if any(node.args.get(c) for c in ("order", "limit", "offset", "joins", "with_")):
                raise UnknownError
            return self.query(node.this, named, outer)
        named = self._with(node, named, outer)
        if isinstance(node, exp.SetOperation):
            return self._combined(node, named, outer)
        if isinstance(node, exp.Select):
            return self._select(node, named, outer)
        raise UnknownError

    def _with(self, node: Node, named: _Named, outer: _Scope | None) -> _Named:
        clause = node.args.get("with_")
        if clause is None:
            return named
        if clause.args.get("recursive"):
            raise UnknownError
        names = dict(named)
        for cte in clause.expressions:
            names[cte.alias.lower()] = _renamed(self.query(cte.this, names, outer), cte.alias_column_names)
        return names

    def _combined(self, node: exp.SetOperation, named: _Named, outer: _Scope | None) -> Rows:
        sides = [self.query(side, named, outer) for side in (node.this, node.expression)]
        if len({len(s.columns) for s in sides}) > 1 or node.args.get("by_name"):
            raise UnknownError
        columns = tuple((n, max(d, e)) for (n, d), (_, e) in zip(*(s.columns for s in sides), strict=True))
        all_rows = isinstance(node, exp.Union) and node.args.get("distinct") is False
        compared = not all_rows and any(d for _, d in columns)
        cut = any(node.args.get(c) for c in ("limit", "offset"))
        mixed = any(s.sorted_by_noise for s in sides) or _by_noise(node, columns)
        certain = all(s.certain for s in sides) and not compared and not cut
        return Rows(columns, certain, sorted_by_noise=mixed)

    def _select(self, node: exp.Select, named: _Named, outer: _Scope | None) -> Rows:
        if any(node.args.get(c) for c in node.args if c not in _CLAUSES):
            raise UnknownError
        scope = _Scope(self, named, [], outer, node)
        clause = node.args.get("from_")
        sure = True
        for join in ([clause] if clause is not None else []) + (node.args.get("joins") or []):
            scope.sources.append(self._source(join.this, named, scope))
            sure = sure and not scope.of([join.args.get("on"), *_used(join)])
        where = node.args.get("where")
        sure = sure and not (where is not None and scope.of(where.this))
        if not sure:
            scope.sources[:] = [(name, replace(r, certain=False)) for name, r in scope.sources]
        return self._listed(node, scope)

    def _listed(self, node: exp.Select, scope: _Scope) -> Rows:
        """What SELECT lists, and whether the same rows are there under any noise."""
        columns: list[tuple[str, Depends]] = []
        for item in node.expressions:
            columns += (
                _starred(item, scope) if is_star(item) else [(item.alias_or_name, scope.of(item.unalias()))]
            )
        grouped = _of_groups(node, columns, scope)
        if grouped:
            columns = [(n, max(d, grouped, Depends.NOISY)) for n, d in columns]
        kept = [node.args[c].this for c in ("having", "qualify") if node.args.get(c) is not None]
        loose = node.args.get("distinct") is not None and any(d for _, d in columns)
        cut = any(node.args.get(c) for c in ("limit", "offset")) and bool(
            scope.of(node.args.get("order")) or not node.args.get("order")
        )
        mixed = scope.sorted_by_noise or bool(scope.of(node.args.get("order"))) or _by_noise(node, columns)
        certain = scope.certain and not (grouped or loose or cut or scope.of(kept))
        return Rows(tuple(columns), certain, sorted_by_noise=mixed)

    def _source(self, node: Node, named: _Named, scope: _Scope) -> tuple[str, Rows]:
        name, aliases = node.alias_or_name, node.alias_column_names
        if isinstance(node, exp.Lateral):
            node = node.this
        if isinstance(node, exp.Subquery):
            if any(node.args.get(c) for c in ("joins", "pivots", "sample")):
                raise UnknownError
            around = _Scope(self, named, list(scope.sources), scope.outer, scope.select)
            return name, _renamed(self.query(node.this, named, around), aliases)
        if isinstance(node, exp.Values) and not scope.of(node.expressions):
            return name, Rows((), open=True)
        if not isinstance(node, exp.Table) or not set(_given(node)) <= {"this", "db", "alias"}:
            raise UnknownError
        rows = named.get(node.name.lower()) if not node.db else None
        return name, _renamed(rows if rows is not None else self.find(node), aliases)


def _by_noise(node: Node, columns: Iterable[tuple[str, Depends]]) -> bool:
    """Whether a query may sort its rows by one of these columns, of which one is noisy."""
    return node.args.get("order") is not None and any(d for _, d in columns)


def _used(join: Node) -> list[exp.Column]:
    """The columns of USING."""
    if join.args.get("method") == "NATURAL":
        raise UnknownError
    return [exp.column(name.copy()) for name in join.args.get("using") or []]


def _renamed(rows: Rows, names: list[str]) -> Rows:
    if rows.open and names:
        raise UnknownError
    columns = [(n, d) for n, (_, d) in zip(names, rows.columns, strict=False)]
    return replace(rows, columns=(*columns, *rows.columns[len(columns) :]))


def _starred(star: Node, scope: _Scope) -> list[tuple[str, Depends]]:
    of = star.table.lower() if isinstance(star, exp.Column) else ""
    sources = [rows for name, rows in scope.sources if of in ("", name.lower())]
    using = any(j.args.get("using") or j.args.get("method") for j in scope.select.args.get("joins") or [])
    if any(rows.open for rows in sources) or (using and not of):
        raise UnknownError
    columns = [c for rows in sources for c in rows.columns]
    listed = star_columns(star, [name for name, _ in columns])
    return [(c.name, columns[c.at][1] if c.written is None else scope.of(c.written)) for c in listed]


def _of_groups(node: exp.Select, columns: list[tuple[str, Depends]], scope: _Scope) -> Depends:
    """How what a SELECT groups by depends on noise: numbers stand for what it lists."""
    group = node.args.get("group")
    if group is None:
        return Depends.EXACT
    worst = Depends.EXACT
    for key in group.args.values():
        for one in key if isinstance(key, list) else [key]:
            place = int(one.name) if isinstance(one, exp.Literal) and one.is_int else 0
            worst = max(worst, columns[place - 1][1] if 0 < place <= len(columns) else scope.of(one))
    if group.args.get("all"):
        raise UnknownError
    return worst
