"""Subqueries inside the expressions of a SELECT over private rows: EXISTS, IN, and scalar ones.

What reads public tables alone, and nothing of the row around it, is a constant: it is evaluated while the query is
planned. What reads private rows, or names the row around it, becomes a mark on that row; its private rows must belong
to the same unit.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import NULL, Call, Column, Expr, Literal, columns_of
from dpsql.algebra.functions import apply
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.ownership import is_private
from dpsql.algebra.relations import (
    MARK,
    Filter,
    Relation,
    columns_from,
    every_released,
    every_scan,
    marks,
    read_around,
    reads,
)
from dpsql.algebra.shape import matches, shape
from dpsql.algebra.types import SqlType
from dpsql.errors import ProgrammingError, QueryRefused
from dpsql.slotted import dataclass
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.comparisons import MOST_ROWS, check_rows
from dpsql.sql.ast.literals import constant
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import every
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.mark_joins import Beside, Lookup, Pending
from dpsql.sql.bind.scope import Output, Scope
from dpsql.sql.dialect import Node
from dpsql.sql.subqueries.public_groups import in_groups
from dpsql.sql.subqueries.redundant_limits import without_limit

MOST_LISTED = 10_000
_PLAIN = (
    "from_",
    "joins",
    "where",
    "expressions",
    "distinct",
    "limit",
    "kind",
    "hint",
    "operation_modifiers",
)


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a subquery as typed rows: the conjuncts that name the row around it stand in `on`."""

    relation: Relation
    on: tuple[Expr, ...]
    outputs: tuple[Output, ...]


class Subqueries:
    """Binds the subqueries of one SELECT.

    `rows` binds a plain SELECT in a scope, `private` gives the rows of any other query or None where it is public by
    now, `value` releases the value of an aggregating SELECT over private rows, or has that of the rows of the unit
    around it alone, `evaluate` runs a query on public values, `index` numbers marks, and `around` are the rows that the
    subqueries stand beside.
    """

    def __init__(
        self,
        catalog: Catalog,
        binder: Callable[[Scope], Binder],
        rows: Callable[[exp.Select, Scope], Rows | None],
        private: Callable[[Node], Rows | None],
        value: Callable[[exp.Select, Scope, list[Beside], bool], Expr | None],
        evaluate: Callable[[Node], list[tuple[object, ...]]],
        index: Callable[[], int],
        around: Callable[[], Relation],
    ) -> None:
        self._catalog = catalog
        self._binder = binder
        self._rows = rows
        self._private = private
        self._value = value
        self._evaluate = evaluate
        self._index = index
        self._around = around

    def expression(self, node: Node, scope: Scope, pending: list[Beside]) -> Expr:
        """The expression of a subquery; a mark or a lookup is added where its value depends on the row."""
        if isinstance(node, exp.Exists):
            return self._exists(_inner(node.this), scope, pending)
        if isinstance(node, exp.In):
            return self._in(node, scope, pending)
        return self._scalar(_inner(node), scope, pending)

    def _exists(self, query: Node, scope: Scope, pending: list[Beside]) -> Expr:
        rows = self._rows_of(query, scope)
        if rows is None:
            return Literal(bool(self._evaluate(query)), SqlType.BOOLEAN)
        return self._mark(Pending(self._index(), rows.relation, rows.on), pending)

    def _in(self, node: exp.In, scope: Scope, pending: list[Beside]) -> Expr:
        binder = self._binder(scope)
        compared = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        args = tuple(binder.bind(n) for n in compared)
        query = _inner(node.args["query"])
        rows = self._rows_of(query, scope)
        if rows is None:
            return self._listed(args, self._evaluate(query), node)
        if len(rows.outputs) != len(args):
            raise _columns(node)
        pairs = tuple((a, o.expr) for a, o in zip(args, rows.outputs, strict=True))
        # IN is EXISTS with an equality more for each pair in which nothing is NULL
        never = tuple(_equal((p,), node) for p in pairs if self._never_null(p[0], rows, p[1]))
        nullable = tuple(p for p in pairs if not self._never_null(p[0], rows, p[1]))
        if len(nullable) > 1:
            raise QueryRefused(
                "IN over a subquery compares one value that may be NULL at most",
                place=place_of(node),
                hint="Leave NULLs out with IS NOT NULL, or write EXISTS (... WHERE a = b AND c = d).",
            )
        on = (*rows.on, *never)
        if not nullable:
            return self._mark(Pending(self._index(), rows.relation, on), pending)
        same = _equal(nullable, node)
        arg, output = getattr(same, "args", nullable[0])
        return self._mark(Pending(self._index(), rows.relation, on, arg, output), pending)

    def _mark(self, mark: Pending, pending: list[Beside]) -> Column:
        pending.append(mark)
        return Column(mark.index, MARK, SqlType.BOOLEAN)

    def _never_null(self, arg: Expr, rows: Rows, output: Expr) -> bool:
        around = shape(self._around(), self._catalog)
        inside = shape(rows.relation, self._catalog)
        return not (self._nullable(arg, around) or self._nullable(output, inside))

    def _nullable(self, expr: Expr, at: object) -> bool:
        facts = at.facts()  # type: ignore[attr-defined]
        if not reads(expr) <= {c.scan for c in facts.columns}:
            return True
        return bool(facts.of(expr).nullable)

    def _scalar(self, query: Node, scope: Scope, pending: list[Beside]) -> Expr:
        released = self._value(query, scope, pending, False) if isinstance(query, exp.Select) else None
        if released is not None:
            return released
        query = without_limit(query)
        groups = in_groups(query, scope, self._catalog)
        private = self._rows_of(query if groups is None else groups, scope)
        if private is not None:
            return self._looked_up(private, query, scope, pending, always=groups is not None)
        rows = self._evaluate(query)
        if len(rows) > 1:
            raise QueryRefused(
                "a subquery that stands for one value has several rows",
                place=place_of(query),
                hint="Write IN (...) to compare with all of them, or take one: MAX(...).",
            )
        if rows and len(rows[0]) != 1:
            raise _columns(query)
        return _literal(rows[0][0], query) if rows else NULL

    def _looked_up(self, rows: Rows, query: Node, scope: Scope, pending: list[Beside], always: bool) -> Expr:
        """The value of the one public row that belongs to the row around it, NULL where there is none.

        `always`: what is computed of NULLs is the value then.
        """
        if len(rows.outputs) != 1:
            raise _columns(query)
        around, value = columns_from(self._around()), rows.outputs[0].expr
        conditions = (*rows.on, *_filters(rows.relation))
        own = columns_from(rows.relation)
        if any(is_private(s, self._catalog) for s in every_scan(rows.relation)):
            return self._of_unit(rows, query, scope, pending)
        inside = all(reads(c) <= own | around for c in (*conditions, value))
        if not inside or any(c.name == MARK for c in columns_of(value)) or list(marks(rows.relation)):
            raise QueryRefused(
                "a subquery beside private rows can take a value of one row",
                place=place_of(query),
                hint="Select what is computed of its columns, with equalities to the row around it in WHERE.",
            )
        if matches(rows.relation, conditions, around, self._catalog) != 1:
            raise QueryRefused(
                "a subquery that stands for one value can have several rows",
                place=place_of(query),
                hint="Compare every column that tells its rows apart with the row around it, or aggregate.",
            )
        pending.append(Lookup(rows.relation, rows.on))
        is_own = isinstance(value, Column) and value.scan in own
        return value if always or is_own else _where_found(value, rows)

    def _of_unit(self, rows: Rows, query: Node, scope: Scope, pending: list[Beside]) -> Expr:
        """The value of the one row that the unit of the row around has there: it is the least of them."""
        if isinstance(query, exp.Select) and shape(rows.relation, self._catalog).rows_per_unit == 1:
            least = query.copy()
            item = least.expressions[0].unalias()
            least.set("expressions", [exp.Min(this=item.copy())])
            value = self._value(least, scope, pending, True)
            if value is not None:
                return value
        raise QueryRefused(
            "a subquery with a value of private rows is not supported here",
            place=place_of(query),
            hint="Join the rows of the same unit, or test them with EXISTS or IN.",
        )

    def _listed(self, args: tuple[Expr, ...], rows: list[tuple[object, ...]], node: Node) -> Expr:
        """IN over a public subquery is IN over its values."""
        if rows and len(rows[0]) != len(args):
            raise _columns(node)
        # Rows come in no order of their own: what is asked, and is paid for once, must not depend on it.
        values = sorted({tuple(_literal(v, node) for v in row) for row in rows}, key=repr)
        if len(values) > MOST_LISTED:
            raise QueryRefused(
                f"a subquery of IN has {len(values)} values, more than {MOST_LISTED}",
                place=place_of(node),
                hint="Join the public table instead.",
            )
        if not values:
            return Literal(False, SqlType.BOOLEAN)
        try:
            return _among(args, values, node)
        except Mistyped as problem:
            raise QueryRefused(str(problem), place=place_of(node)) from None

    def _rows_of(self, query: Node, scope: Scope) -> Rows | None:
        """The rows of a subquery, or None where it is a public constant."""
        if isinstance(query, exp.Select) and is_plain(query):
            return self._rows(query, scope)
        return self._private(query)


def depends(rows: Rows, catalog: Catalog) -> bool:
    """Whether a subquery reads private rows or released ones at any depth, or depends on the row around it."""
    own = columns_from(rows.relation)
    private = any(is_private(s, catalog) for s in every_scan(rows.relation))
    private = private or any(node.reads for node in every_released(rows.relation))
    around = bool(read_around(rows.relation)) or any(not reads(c) <= own for c in rows.on)
    return private or around or any(not reads(o.expr) <= own for o in rows.outputs)


def _where_found(value: Expr, rows: Rows) -> Expr:
    """What is computed of a row, NULL where there is none: what is compared is never NULL in one that is found."""
    compared = next(c for c in rows.on if isinstance(c, Call) and c.op == "eq")
    own = columns_from(rows.relation)
    key = next(side for side in compared.args if reads(side) and reads(side) <= own)
    return apply("case", (apply("is_null", (key,)), NULL, value))


def _filters(relation: Relation) -> tuple[Expr, ...]:
    return (*_filters(relation.source), *relation.conjuncts) if isinstance(relation, Filter) else ()


def _inner(node: Node) -> Node:
    while isinstance(node, exp.Subquery) and not any(
        node.args.get(c) for c in ("with_", "limit", "offset", "alias")
    ):
        node = node.this
    return node


def is_plain(query: exp.Select) -> bool:
    """Whether a SELECT has neither groups nor anything else that is more than rows, filtered."""
    if any(value for name, value in query.args.items() if name not in _PLAIN and value):
        return False
    aggregates = any(
        is_aggregate(n) or isinstance(n, exp.Window) for e in query.expressions for n in every(e)
    )
    limit = query.args.get("limit")
    return not aggregates and limit is None


def _equal(pairs: tuple[tuple[Expr, Expr], ...], node: Node) -> Expr:
    """Whether the values of every pair are equal, NULL where one of them is NULL and none is another."""
    try:
        equalities = tuple(apply("eq", pair) for pair in pairs)
    except Mistyped as problem:
        raise QueryRefused(str(problem), place=place_of(node)) from None
    return equalities[0] if len(equalities) == 1 else apply("and", equalities)


def _among(args: tuple[Expr, ...], rows: list[tuple[Literal, ...]], node: Node) -> Expr:
    """Whether the arguments are one of the rows; of many, whether one of them is in a list for each row of the others.

    Few rows are compared one by one, as they are where they are written out: stored answers are found by that.
    """
    if len(args) > 1 and len(rows) <= MOST_ROWS:
        choices = tuple(_equal(tuple(zip(args, row, strict=True)), node) for row in rows)
    else:
        choices = _in_lists(args, rows, node)
    return choices[0] if len(choices) == 1 else apply("or", choices)


def _in_lists(args: tuple[Expr, ...], rows: list[tuple[Literal, ...]], node: Node) -> tuple[Expr, ...]:
    at = min(range(len(args)), key=lambda i: len({_without(row, i) for row in rows}))
    lists: dict[tuple[Expr, ...], list[Expr]] = {}
    for row in rows:
        lists.setdefault(_without(row, at), []).append(row[at])
    check_rows(len(lists), node)
    return tuple(
        _both(tuple(zip(_without(args, at), others, strict=True)), apply("in", (args[at], *values)), node)
        for others, values in lists.items()
    )


def _both(pairs: tuple[tuple[Expr, Expr], ...], listed: Expr, node: Node) -> Expr:
    return apply("and", (_equal(pairs, node), listed)) if pairs else listed


def _without(row: tuple[Expr, ...], at: int) -> tuple[Expr, ...]:
    return (*row[:at], *row[at + 1 :])


def _columns(node: Node) -> QueryRefused:
    if isinstance(node, exp.In) and isinstance(node.this, exp.Tuple):
        return QueryRefused(
            "a subquery has as many columns as the row in parentheses that is compared with it",
            place=place_of(node),
            hint="Select only what is compared.",
        )
    return QueryRefused(
        "a subquery that is compared has exactly one column",
        place=place_of(node),
        hint="Select only what is compared.",
    )


def _literal(value: object, node: Node) -> Literal:
    """A public value as a constant."""
    try:
        return constant(value)
    except ProgrammingError:
        pass
    raise QueryRefused(
        "a subquery has a value that cannot be compared with private rows",
        place=place_of(node),
        hint="Cast it to BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE or TIMESTAMP.",
    )
