"""LATERAL queries beside private rows: what they compute of each row around them stays with the unit of that row."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from sqlglot import exp

from dpsql.algebra.expressions import NULL, Column, Expr, Literal
from dpsql.algebra.functions import apply
from dpsql.algebra.of_unit import EVERY_ROW, Place, Ranked, Sorted, Window
from dpsql.algebra.ownership import is_private, never_null, private_sources, unit_column, unit_type
from dpsql.algebra.relations import Filter, Relation, Windows, columns_from, conjuncts, read_around, sources
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.slotted import dataclass
from dpsql.sql.ast.column_names import default_name
from dpsql.sql.ast.descriptions import INSTEAD_OF_UNPIVOT
from dpsql.sql.ast.literals import whole
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.from_state import Joined, Table
from dpsql.sql.bind.mark_joins import Beside
from dpsql.sql.bind.scope import Output, Scope, Source
from dpsql.sql.bind.selects import Ctes, aliases, is_release, renamed_outputs
from dpsql.sql.dialect import Node
from dpsql.sql.joins.from_clause import Predicate, join
from dpsql.sql.subqueries.correlated import outputs_of_unit, pair_of
from dpsql.sql.subqueries.cuts import Cuts
from dpsql.sql.subqueries.nested_queries import Inside, sources_of
from dpsql.sql.subqueries.predicates import Rows, is_plain

_MORE_THAN_AGGREGATES = ("group", "having", "qualify", "distinct", "limit", "offset", "windows", "with_")


class Lateral:
    """One LATERAL query behind the sources `left`."""

    def __init__(self, cutter: Cuts, left: Joined, node: exp.Join, item: Node, ctes: Ctes) -> None:
        self._cutter = cutter
        self._left = left
        self._node = node
        self._item = item
        self._ctes = ctes
        self._side = (node.side or "").upper()

    def joined(self, condition: Predicate) -> Joined:
        """The FROM clause with the query's columns. Raises QueryRefused."""
        select = self._item.this
        if (self._node.kind or "").upper() in ("SEMI", "ANTI") or self._side not in ("", "LEFT"):
            raise self._refusal(
                "can be joined with JOIN, LEFT JOIN or a comma alone", "Use JOIN or LEFT JOIN."
            )
        if self._node.method or self._node.args.get("using"):
            raise self._refusal("has no condition of this kind", "Write ON TRUE, and the condition inside.")
        if isinstance(select, exp.Select) and not sources_of(select)[0] and is_plain(select):
            return self._computed(select)
        if isinstance(select, exp.Select) and is_release(select):
            return self._aggregated(select)
        rows = self._rows(select) if isinstance(select, exp.Select) else None
        if rows is None:
            hint = "Write a derived table, with what it is compared with in its SELECT list, and join it."
            raise self._refusal(
                "is a SELECT of rows, of the first rows, or of aggregates without GROUP BY",
                hint if all_of(select, exp.From) else INSTEAD_OF_UNPIVOT,
            )
        return self._beside(rows, condition)

    def _refusal(self, reason: str, hint: str) -> QueryRefused:
        return QueryRefused(
            f"a LATERAL query beside private rows {reason}", place=place_of(self._item), hint=hint
        )

    def _computed(self, select: exp.Select) -> Joined:
        """Expressions over the row around it: names for them, and no other row."""
        if select.args.get("where") is not None:
            raise self._refusal("without FROM has no WHERE", "Write the condition in the WHERE around it.")
        self._check_always()
        scope = Scope((), outer=self._left.scope)
        binder = Binder(scope, self._cutter.params, self._cutter.now, aliases(select))
        outputs = tuple(
            Output(i.alias or default_name(i), binder.bind(i.unalias())) for i in select.expressions
        )
        return self._with(self._left.relation, outputs)

    def _aggregated(self, select: exp.Select) -> Joined:
        """Aggregates of the unit's own rows: one row beside each, whether or not there is anything to aggregate."""
        if any(select.args.get(c) for c in _MORE_THAN_AGGREGATES):
            raise self._refusal(
                "with aggregates has nothing else",
                "Leave GROUP BY, DISTINCT, HAVING and LIMIT out; GROUP BY may stand where columns of both are compared "
                "by = alone, each with its table's name.",
            )
        self._check_always()
        copy, pending = select.copy(), list[Beside]()
        rows = self._cutter.owned(copy, self._ctes, self._left.scope)
        around = self._left.relation
        outputs = outputs_of_unit(copy, rows, around, self._cutter, pending) if rows is not None else None
        if outputs is None:
            raise self._refusal(
                "aggregates rows of the unit that owns the row around it",
                "Compare the key of the unit; or aggregate by what is compared in a derived table, and join it.",
            )
        for one in pending:
            around = one.on_rows(around)
        return self._with(around, outputs)

    def _check_always(self) -> None:
        """What always has one row is joined on nothing."""
        on = self._node.args.get("on")
        if on is not None and not (isinstance(on, exp.Boolean) and on.this):
            raise self._refusal("that gives one row is joined ON TRUE", "Write the condition in WHERE.")

    def _with(self, relation: Relation, columns: tuple[Output, ...]) -> Joined:
        outputs = renamed_outputs(columns, self._item)
        source = Source(self._item.alias_or_name, outputs)
        scope = replace(self._left.scope, sources=(*self._left.scope.sources, source))
        return replace(self._left, relation=relation, scope=scope)

    def _rows(self, select: exp.Select) -> Rows | None:
        """Rows that the row around it is joined with, and the conditions on it; None for any other query."""
        if is_plain(select):
            return self._bound(select)
        plain, first = without_limit(select)
        if first is None or not is_plain(plain):
            return None
        rows = self._bound(plain)
        return first_rows(rows, first, self._cutter, self._item)

    def _bound(self, select: exp.Select) -> Rows:
        inside = Inside(self._cutter, self._left.relation, self._ctes, self._node)
        rows = inside.rows(select, self._left.scope)
        if rows is None or read_around(rows.relation):
            raise self._refusal(
                "cannot test for other rows by the row around it", "Test that in the WHERE around it."
            )
        return rows

    def _beside(self, rows: Rows, condition: Predicate) -> Joined:
        cutter, left, node = self._cutter, self._left, self._node.copy()
        if node.args.get("on") is None:
            node.set("on", exp.true())

        def both(written: Node, scope: Scope, around: Relation) -> tuple[Expr, tuple[Beside, ...]]:
            on, beside = condition(written, scope, around)
            return reduce(lambda a, b: apply("and", (a, b)), rows.on, on), beside

        private = any(is_private(s, cutter.catalog) for s in sources(rows.relation))
        outputs = renamed_outputs(self._outputs(rows, private), self._item)
        table = Table(rows.relation, Source(self._item.alias_or_name, outputs), private)
        return join(left, node, table, both, cutter)

    def _outputs(self, rows: Rows, private: bool) -> tuple[Output, ...]:
        """The columns of the rows; what is no column of theirs is NULL where an outer join finds none."""
        own = columns_from(rows.relation)
        if self._side != "LEFT" or all(_is_of(o.expr, own) for o in rows.outputs):
            return rows.outputs
        there = never_null(rows.relation, self._cutter.catalog) if private else None
        if there is None:
            raise self._refusal(
                "behind LEFT JOIN gives plain columns of its own rows", "Compute the others around it."
            )
        return tuple(
            o
            if _is_of(o.expr, own)
            else Output(o.name, apply("case", (apply("is_null", (there,)), NULL, o.expr)))
            for o in rows.outputs
        )


def _is_of(expr: Expr, own: frozenset[int]) -> bool:
    return isinstance(expr, Column) and expr.scan in own


@dataclass(frozen=True, slots=True)
class First:
    """How many rows behind the first ones that are skipped, in which order: of each term, whether it descends and where
    NULLs stand."""

    count: int
    skipped: int
    order: tuple[tuple[bool, bool], ...]


def without_limit(select: exp.Select) -> tuple[exp.Select, First | None]:
    """A SELECT without ORDER BY and LIMIT, the terms of the order behind its columns; None where it has no LIMIT."""
    order, limit = select.args.get("order"), select.args.get("limit")
    written = limit.expression if isinstance(limit, exp.Limit) else None
    count = whole(written.this) if isinstance(written, exp.Literal) and not written.is_string else None
    terms = order.expressions if order is not None else []
    offset = select.args.get("offset")
    behind = offset.expression if isinstance(offset, exp.Offset) else None
    skipped = whole(behind.this) if isinstance(behind, exp.Literal) and not behind.is_string else None
    if (
        not count
        or (offset is not None and skipped is None)
        or any(isinstance(t.this, exp.Literal | exp.Var) for t in terms)
    ):
        return select, None
    plain = select.copy()
    plain.set("order", None)
    plain.set("limit", None)
    plain.set("offset", None)
    plain.set("expressions", [*plain.expressions, *(t.this.copy() for t in terms)])
    return plain, First(
        count, skipped or 0, tuple((bool(t.args.get("desc")), bool(t.args.get("nulls_first"))) for t in terms)
    )


def first_rows(rows: Rows, first: First, cutter: Cuts, node: Node) -> Rows:
    """The rows that are first among those that the same row around them finds.

    They are found by equalities, one of which holds a key that leads to one unit: what a row around them finds are then
    all rows of one unit with some values, and numbers within these values say which are first.
    """
    own = columns_from(rows.relation)
    pairs = [p for c in rows.on if (p := pair_of(c, own)) is not None]
    owner = cutter.owner(rows.relation) if private_sources(rows.relation, cutter.catalog) else None
    tied = owner is not None and any(owner.leads_to_unit(inner) for inner, _ in pairs)
    if owner is None or not tied or len(pairs) < len(rows.on):
        raise QueryRefused(
            "a LATERAL query with LIMIT finds rows of the unit that owns the row around it, by equalities alone",
            place=place_of(node),
            hint="Compare the key of the unit, and test all else in a derived table.",
        )
    outputs = rows.outputs[: len(rows.outputs) - len(first.order)]
    terms = rows.outputs[len(outputs) :]
    order = tuple(Sorted(o.expr, *how) for o, how in zip(terms, first.order, strict=True))
    within = tuple(dict.fromkeys(inner for inner, _ in pairs if not owner.is_unit(inner)))
    passed = tuple(dict.fromkeys((*(o.expr for o in outputs), *(inner for inner, _ in pairs))))
    number = Window(Place(Ranked.ROW_NUMBER, None, 0, SqlType.INTEGER), within, order, EVERY_ROW)
    windows = Windows(rows.relation, cutter.next(node), passed, (number,))
    unit = unit_column(windows.index, unit_type(windows, cutter.catalog))

    def column(expr: Expr) -> Expr:
        return unit if owner.is_unit(expr) else windows.column(passed.index(expr))

    kept = Filter(windows, _chosen(windows.window(0), first))
    on = tuple(apply("eq", (outer, column(inner))) for inner, outer in pairs)
    return Rows(kept, on, tuple(Output(o.name, column(o.expr)) for o in outputs))


def _chosen(number: Expr, first: First) -> tuple[Expr, ...]:
    """Which numbers of rows are among the first ones that are not skipped."""
    last = apply("le", (number, Literal(first.skipped + first.count, SqlType.INTEGER)))
    if not first.skipped:
        return (last,)
    return conjuncts(apply("and", (last, apply("gt", (number, Literal(first.skipped, SqlType.INTEGER))))))
