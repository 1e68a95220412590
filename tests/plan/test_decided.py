"""What constants decide has the same value in every row, NULL included, and reads no column that it need not read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import duckdb
import pytest

from dpsql.algebra.expressions import NULL, TRUE, Call, Column, Expr, Literal, columns_of
from dpsql.algebra.facts import NATURAL, Fact, Facts
from dpsql.algebra.functions import apply, emit, fact_rule
from dpsql.algebra.functions.decided import decided
from dpsql.algebra.types import SqlType

X, S = Column(0, "x", SqlType.INTEGER), Column(0, "s", SqlType.TEXT)
P, Q = Column(0, "p", SqlType.BOOLEAN), Column(0, "q", SqlType.BOOLEAN)
NO, UNKNOWN = Literal(False, SqlType.BOOLEAN), Literal(None, SqlType.BOOLEAN)
ONE, TWO, NONE = (Literal(v, SqlType.INTEGER) for v in (1, 2, None))
HALF = Literal(0.5, SqlType.DOUBLE)
ALL, BLANK, NO_TEXT = (Literal(v, SqlType.TEXT) for v in ("All", "", None))
VALUES = {
    X: ("1", "2", "NULL"),
    S: ("'All'", "'b'", "NULL"),
    **dict.fromkeys((P, Q), ("true", "false", "NULL")),
}


def of(op: str, *args: Expr) -> Expr:
    return decided(apply(op, args))


NAMED = of("eq", S, ALL)


@pytest.mark.parametrize(
    ("written", "left"),
    [
        (of("or", TRUE, NAMED), TRUE),
        (of("or", NO, NAMED), NAMED),
        (of("and", NAMED, NO), NO),
        (of("and", of("eq", ONE, ONE), NAMED, P), apply("and", (NAMED, P))),
        (of("or", UNKNOWN, NAMED), apply("or", (UNKNOWN, NAMED))),
        (of("not", of("or", TRUE, NAMED)), NO),
        (of("or", of("is_null", NULL), NAMED), TRUE),
        (of("or", of("in", ALL, BLANK, ALL), NAMED), TRUE),
        (of("in", ALL, BLANK, NO_TEXT), apply("in", (ALL, BLANK, NO_TEXT))),
        (of("case", of("eq", ALL, ALL), TRUE, NAMED), TRUE),
        (of("case", of("ne", ALL, ALL), NAMED, P, TRUE, NAMED), apply("case", (P, TRUE, NAMED))),
        (of("case", UNKNOWN, NAMED, P), P),
        (of("case", P, ONE, TRUE, X, TWO), apply("case", (P, ONE, X))),
        (of("coalesce", of("nullif", BLANK, BLANK), S), S),
        (of("coalesce", S, ALL, BLANK), apply("coalesce", (S, ALL))),
        (of("eq", HALF, HALF), apply("eq", (HALF, HALF))),
    ],
    ids=str,
)
def test_what_is_left_reads_what_decides(written: Expr, left: Expr) -> None:
    assert written == left


def test_a_value_of_rows_keeps_its_range_where_it_is_always_null() -> None:
    """SUM(CASE WHEN 1 = 0 THEN x END) is asked of a range, which NULL has none of."""
    assert columns_of(of("case", NO, X, NONE)) == {X}


ATOMS = (
    P,
    NAMED,
    of("eq", X, TWO),
    TRUE,
    NO,
    UNKNOWN,
    *(Call("eq", p, SqlType.BOOLEAN) for p in ((ONE, TWO), (ALL, ALL))),
)
WORTH = {SqlType.INTEGER: (X, ONE, NONE), SqlType.TEXT: (S, ALL, BLANK, NO_TEXT)}


def conditions() -> Iterator[Expr]:
    for left, right in product(ATOMS, repeat=2):
        for op in ("and", "or"):
            inner = apply(op, (left, right))
            yield from (
                inner,
                apply("not", (inner,)),
                apply("or", (inner, Q)),
                apply("and", (Q, inner, TRUE)),
            )
        yield from (apply("case", (left, right, Q)), apply("case", (left, Q, right, NO, UNKNOWN)))


def others() -> Iterator[Expr]:
    for kind, values in WORTH.items():
        for left, right in product(values, repeat=2):
            yield from (apply(op, (left, right)) for op in ("eq", "ne", "nullif", "coalesce"))
            yield from (apply("in", (left, right, *values[1:n])) for n in range(1, len(values)))
            yield apply("coalesce", (Literal(None, kind), left, right))
            yield from (apply("case", (condition, left, right)) for condition in ATOMS)
        yield from (apply("is_null", (value,)) for value in values)


def decided_inside(expr: Expr) -> Expr:
    if not isinstance(expr, Call):
        return expr
    return decided(Call(expr.op, tuple(map(decided_inside, expr.args)), expr.type))


def test_every_row_has_the_same_value() -> None:
    facts = {c: Fact(c.type, True, NATURAL.get(c.type)) for c in VALUES}

    def written(expr: Expr) -> str:
        return emit(expr, Facts(facts, fact_rule), lambda c: c.name)

    rows = " CROSS JOIN ".join(f"(SELECT unnest([{', '.join(v)}]) AS {c.name})" for c, v in VALUES.items())
    pairs = [(e, left) for e in (*conditions(), *others()) if (left := decided_inside(e)) != e]
    assert len(pairs) > 500 and all(e.type is left.type for e, left in pairs)
    alike = ", ".join(f"bool_and({written(e)} IS NOT DISTINCT FROM {written(left)})" for e, left in pairs)
    (found,) = duckdb.execute(f"SELECT {alike} FROM {rows}").fetchall()
    assert not [pairs[i] for i, same in enumerate(found) if not same]
