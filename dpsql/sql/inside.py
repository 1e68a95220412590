"""Queries inside the expressions of a SELECT over private rows, cut by the same cutter as the query around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from sqlglot import exp

from dpsql.algebra.expr import Column, Expr, columns_of
from dpsql.algebra.question import Measure, Question
from dpsql.algebra.relation import Filter, Relation, columns_from, conjuncts, read_around, reads
from dpsql.catalog import Catalog, TableInfo
from dpsql.errors import InternalError, QueryRefused
from dpsql.sql.bind import Binder
from dpsql.sql.dialect import Node
from dpsql.sql.from_clause import Joined
from dpsql.sql.marks import Marks
from dpsql.sql.owner import Owner
from dpsql.sql.place import place_of
from dpsql.sql.release import SCHEMA
from dpsql.sql.released_value import ReleasedValue
from dpsql.sql.scope import Output, Scope
from dpsql.sql.selects import Ctes, OwnedRows, Private, aliases, is_release, lists_nothing
from dpsql.sql.subquery import Rows, Subqueries, depends, public_rows

# Runs SQL on public values.
Evaluate = Callable[[str], Sequence[Sequence[object]]]
# What the sources of a FROM clause are: private rows, tables of the policy, or None for public queries.
Resolved = list[Private | TableInfo | None]
_MORE_THAN_A_VALUE = ("group", "having", "qualify", "distinct", "limit", "offset", "windows", "with_")


class Cuts(Protocol):
    """What a query inside an expression needs of the cutter of the query around it."""

    catalog: Catalog
    params: Mapping[str, object]
    now: datetime
    evaluate: Evaluate

    def query(self, node: Node, ctes: Ctes, top: bool = False) -> Private | None:
        """The private rows that a query stands for, or None once it is public."""

    def owned(self, node: exp.Select, ctes: Ctes, outer: Scope | None = None) -> OwnedRows | None:
        """The private rows behind a SELECT after its WHERE, or None for one that is public."""

    def resolved(self, items: list[Node], ctes: Ctes) -> Resolved:
        """What the sources of a FROM clause are."""

    def joined(
        self, items: list[Node], joins: list[exp.Join], tables: Resolved, outer: Scope | None = None
    ) -> Joined:
        """The FROM clause of these sources."""

    def outputs(self, node: exp.Select, joined: Joined, binder: Binder) -> tuple[Output, ...]:
        """The columns of a SELECT."""

    def index(self, asked: Question) -> int:
        """Which release answers a question."""

    def next(self, node: Node) -> int:
        """The index of one more source."""

    def owner(self, relation: Relation) -> Owner:
        """The owner of a relation's rows."""


class Inside:
    """Binds the queries inside the expressions of one SELECT whose rows are `around`."""

    def __init__(self, cutter: Cuts, around: Relation, ctes: Ctes, place: Node) -> None:
        self._cutter = cutter
        self._around = around
        self._ctes = ctes
        self._place = place

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
        select, cutter = node.copy(), self._cutter
        items, joins = sources_of(select)
        tables = cutter.resolved(items, self._ctes)
        if not items or any(t is None for t in tables):
            return None
        joined = cutter.joined(items, joins, tables, scope)
        inner = Inside(cutter, joined.relation, self._ctes, node).marks()
        binder = Binder(joined.scope, cutter.params, cutter.now, aliases(select), inner)
        where = select.args.get("where")
        on = conjuncts(binder.predicate(where.this)) if where is not None else ()
        outputs = cutter.outputs(select, joined, binder) if not lists_nothing(select) else ()
        relation = inner.put_on(joined.relation)
        own = columns_from(relation)
        inside = tuple(c for c in on if reads(c) <= own)
        outside = tuple(c for c in on if not reads(c) <= own)
        found = Rows(Filter(relation, inside) if inside else relation, outside, outputs)
        return found if depends(found, cutter.catalog) else None

    def _value(self, node: exp.Select, scope: Scope) -> Expr | None:
        """The value of `SELECT` one aggregate over private rows, released first; None for any other query."""
        single = is_release(node) and len(node.expressions) == 1
        if not single or any(node.args.get(c) for c in _MORE_THAN_A_VALUE):
            return None
        select, cutter = node.copy(), self._cutter
        rows = cutter.owned(select, self._ctes, scope)
        if rows is None:
            return None
        asked = ReleasedValue(rows.joined.relation, rows.binder, rows.marks, rows.owner, cutter.catalog)
        outside = Binder(Scope(()), cutter.params, cutter.now, known=asked.known)
        item = select.expressions[0].unalias()
        question = asked.question(item, outside, node)
        cutter.owner(asked.relation)
        if _reads_outside(asked.relation, question_columns(asked.measures)):
            raise QueryRefused(
                "an aggregate of private rows that depends on the row around it is not supported",
                place=place_of(node),
                hint="Aggregate by that column first, and join after aggregating.",
            )
        return asked.value(item, outside, cutter.index(question))

    def _rows(self, node: Node) -> Rows | None:
        """The private rows of any other query, or None where it is public."""
        copy = node.copy()
        found = self._cutter.query(copy, self._ctes)
        if any(t.db == SCHEMA for t in copy.find_all(exp.Table)):
            raise QueryRefused(
                "a condition on private rows can use one released value, not a released table",
                place=place_of(node),
                hint="Compare with a subquery of one aggregate and no GROUP BY, or join after aggregating.",
            )
        return Rows(found.relation, (), found.outputs) if found is not None else None

    def _constant(self, node: Node) -> list[tuple[object, ...]]:
        """The rows of a public query."""
        if any(t.name.lower() in self._ctes for t in node.find_all(exp.Table)):
            raise QueryRefused(
                "a subquery inside an expression over private rows cannot name a query of WITH",
                place=place_of(node),
                hint="Write the public query out.",
            )
        copy, cutter = node.copy(), self._cutter
        if cutter.query(copy, self._ctes) is not None:
            raise InternalError("a public subquery has private rows")
        return public_rows(copy, cutter.params, cutter.now, cutter.catalog, cutter.evaluate)


def _reads_outside(relation: Relation, columns: frozenset[Column]) -> bool:
    """Whether a relation, or columns over it, read a source that is not its own."""
    return bool(read_around(relation) or {c.scan for c in columns} - columns_from(relation))


def question_columns(measures: Iterable[Measure]) -> frozenset[Column]:
    """The columns that measures read."""
    exprs = [e for m in measures for e in (m.arg, m.where) if e is not None]
    return frozenset(c for e in exprs for c in columns_of(e))


def sources_of(select: exp.Select) -> tuple[list[Node], list[exp.Join]]:
    """The sources of a FROM clause and the joins that bring all but the first in."""
    joins = select.args.get("joins") or []
    first = [f.this for f in [select.args.get("from_")] if f is not None]
    return first + [j.this for j in joins], joins
