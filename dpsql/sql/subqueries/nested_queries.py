"""Queries inside the expressions of a SELECT over private rows, cut by the same cutter as the query around them."""

from __future__ import annotations

from sqlglot import exp

from dpsql.algebra.expressions import Expr
from dpsql.algebra.relations import Filter, Relation, columns_from, conjuncts, reads
from dpsql.errors import InternalError
from dpsql.sql.ast.traversal import from_items
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.mark_joins import Beside, Marks
from dpsql.sql.bind.scope import Scope, check_alone
from dpsql.sql.bind.selects import Ctes, aliases, is_value, lists_nothing, outputs_of
from dpsql.sql.dialect import Node
from dpsql.sql.subqueries.correlated import Correlated, of_unit
from dpsql.sql.subqueries.cuts import Cuts
from dpsql.sql.subqueries.predicates import Rows, Subqueries, depends
from dpsql.sql.subqueries.scalar_release import ReleasedValue


class Inside:
    """Binds the queries inside the expressions of one SELECT whose rows are `around`.

    What an expression gives for a row of which one of `passed` is not true does not matter.
    """

    def __init__(
        self, cutter: Cuts, around: Relation, ctes: Ctes, place: Node, passed: tuple[Expr, ...] = ()
    ) -> None:
        self._cutter = cutter
        self._around = around
        self._ctes = ctes
        self._place = place
        self._passed = passed

    def marks(self) -> Marks:
        """What takes in the subqueries of the SELECT."""
        cutter = self._cutter
        subqueries = Subqueries(
            cutter.catalog,
            lambda scope: Binder(scope, cutter.params, cutter.now),
            self._correlated,
            self._rows,
            self._value,
            self._constant,
            lambda: cutter.next(self._place),
            lambda: self._around,
        )
        return Marks(subqueries.expression)

    def _correlated(self, node: exp.Select, scope: Scope) -> Rows | None:
        """The rows of a plain SELECT; None where it is public and names nothing of the row around it."""
        rows = self.rows(node, scope)
        return rows if rows is not None and depends(rows, self._cutter.catalog) else None

    def rows(self, node: exp.Select, scope: Scope) -> Rows | None:
        """The rows of a plain SELECT inside of a scope; None where it reads no table."""
        select, cutter = node.copy(), self._cutter
        items, joins = sources_of(select)
        tables = cutter.resolved(items, self._ctes)
        if not items:
            return None
        joined = cutter.joined(items, joins, tables, self._ctes, scope)
        inner = Inside(cutter, joined.relation, self._ctes, node).marks()
        binder = Binder(joined.scope, cutter.params, cutter.now, aliases(select), inner)
        where = select.args.get("where")
        on = conjuncts(binder.predicate(where.this)) if where is not None else ()
        outputs = outputs_of(select, joined, binder) if not lists_nothing(node) else ()
        relation = inner.put_on(joined.relation)
        own = columns_from(relation)
        inside = tuple(c for c in on if reads(c) <= own)
        outside = tuple(c for c in on if not reads(c) <= own)
        return Rows(Filter(relation, inside) if inside else relation, outside, outputs)

    def _value(
        self, node: exp.Select, scope: Scope, pending: list[Beside], of_unit_alone: bool
    ) -> Expr | None:
        """The value of `SELECT` one aggregate over private rows, released first; None for any other query.

        `of_unit_alone`: of the rows of the unit that owns the row around it, which are not released.
        """
        if not is_value(node):
            return None
        select, cutter = node.copy(), self._cutter
        rows = cutter.owned(select, self._ctes, scope)
        if rows is None:
            return None
        own = of_unit(select, rows, self._around, cutter, pending)
        if own is not None or of_unit_alone:
            return own
        value = ReleasedValue(rows.joined.relation, rows.binder, rows.marks, rows.owner, cutter.catalog)
        outside = Binder(Scope(()), cutter.params, cutter.now, stands_for=value.stands_for)
        item = select.expressions[0].unalias()
        question = value.question(item, outside, node)
        cutter.owner(value.relation)
        if value.reads_outside:
            return Correlated(value, self._around, cutter, self._passed).beside(select, node, pending)
        return value.value(item, outside, cutter.index(question))

    def _rows(self, node: Node) -> Rows | None:
        """The private rows of any other query, or None where it is public."""
        copy = node.copy()
        private = self._cutter.query(copy, self._ctes)
        if private is None and self._cutter.text(copy, self._ctes).reads:
            private = self._cutter.released_input(copy, self._ctes)
        return Rows(private.relation, (), private.outputs) if private is not None else None

    def _constant(self, node: Node) -> list[tuple[object, ...]]:
        """The rows of a public query."""
        check_alone(node)
        copy, cutter = node.copy(), self._cutter
        if cutter.query(copy, self._ctes) is not None:
            raise InternalError("a public subquery has private rows")
        text = cutter.text(copy, self._ctes)
        if text.reads:
            raise InternalError("a constant depends on what is released")
        return [tuple(row) for row in cutter.evaluate(text.sql)]


def passed_by(where: Node | None, binder: Binder) -> tuple[Expr, ...]:
    """The conditions of a WHERE that read no query, if others do: rows for which one is not true are left out."""
    if where is None or not isinstance(where.this, exp.And) or where.find(exp.Query) is None:
        return ()
    plain = [c for c in where.this.flatten() if c.find(exp.Query) is None]
    return tuple(c for node in plain for c in conjuncts(binder.predicate(node)))


def sources_of(select: exp.Select) -> tuple[list[Node], list[exp.Join]]:
    """The sources of a FROM clause and the joins that bring all but the first in."""
    return from_items(select), select.args.get("joins") or []
