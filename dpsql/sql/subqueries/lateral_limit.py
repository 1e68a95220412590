"""The first rows that a LATERAL query finds for each row around it: ORDER BY and LIMIT as numbers of a unit's rows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from dpsql.algebra.expressions import Expr, Literal
from dpsql.algebra.functions import apply
from dpsql.algebra.of_unit import EVERY_ROW, Place, Ranked, Sorted, Window
from dpsql.algebra.ownership import private_sources, unit_column, unit_type
from dpsql.algebra.relations import Filter, Windows, columns_from, conjuncts
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.ast.literals import whole
from dpsql.sql.ast.positions import place_of
from dpsql.sql.bind.scope import Output
from dpsql.sql.dialect import Node
from dpsql.sql.subqueries.correlated import Cuts, pair_of
from dpsql.sql.subqueries.predicates import Rows


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
    found = Windows(rows.relation, cutter.next(node), passed, (number,))
    unit = unit_column(found.index, unit_type(found, cutter.catalog))

    def column(expr: Expr) -> Expr:
        return unit if owner.is_unit(expr) else found.column(passed.index(expr))

    kept = Filter(found, _chosen(found.window(0), first))
    on = tuple(apply("eq", (outer, column(inner))) for inner, outer in pairs)
    return Rows(kept, on, tuple(Output(o.name, column(o.expr)) for o in outputs))


def _chosen(number: Expr, first: First) -> tuple[Expr, ...]:
    """Which numbers of rows are among the first ones that are not skipped."""
    last = apply("le", (number, Literal(first.skipped + first.count, SqlType.INTEGER)))
    if not first.skipped:
        return (last,)
    return conjuncts(apply("and", (last, apply("gt", (number, Literal(first.skipped, SqlType.INTEGER))))))
