"""Conditions that keep the same rows are one question, however they are written; others are not."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

import duckdb
import pytest

from dpsql.algebra.expressions import TRUE, Call, Column, Expr, Literal
from dpsql.algebra.facts import NATURAL, Fact, Facts
from dpsql.algebra.functions import apply, emit, fact_rule
from dpsql.algebra.one_spelling import conditions
from dpsql.algebra.types import SqlType

X, Y = Column(0, "x", SqlType.INTEGER), Column(0, "y", SqlType.INTEGER)
P, Q = Column(0, "p", SqlType.BOOLEAN), Column(0, "q", SqlType.BOOLEAN)
D, Z = Column(0, "d", SqlType.DATE), Column(0, "z", SqlType.TIMESTAMP)
DAY, FIRST_DAY, LAST_DAY = (Literal(d, SqlType.DATE) for d in (date(2024, 2, 29), date.min, date.max))
MIDNIGHT, NOON = (Literal(datetime(2024, 2, 29, h), SqlType.TIMESTAMP) for h in (0, 12))
MOMENT = Call("cast", (D,), SqlType.TIMESTAMP)
FAR = Literal(2**62, SqlType.INTEGER)
ONE, TWO, NONE = (Literal(v, SqlType.INTEGER) for v in (1, 2, None))
F, HALF = Column(0, "f", SqlType.DOUBLE), Literal(0.5, SqlType.DOUBLE)
SIGNS = ("eq", "ne", "lt", "le", "gt", "ge", "is_distinct", "is_not_distinct")
YES, NO = Literal(True, SqlType.BOOLEAN), Literal(False, SqlType.BOOLEAN)


def negated(expr: Expr) -> Expr:
    return apply("not", (expr,))


def either(*exprs: Expr) -> Expr:
    return apply("or", exprs)


ALIKE: list[tuple[tuple[Expr, ...], tuple[Expr, ...]]] = [
    ((apply("eq", (ONE, X)),), (apply("eq", (X, ONE)),)),
    ((apply("lt", (ONE, X)),), (apply("gt", (X, ONE)),)),
    ((apply("in", (X, ONE)),), (apply("eq", (X, ONE)),)),
    ((apply("in", (X, TWO, ONE, TWO)),), (apply("in", (X, ONE, TWO)),)),
    ((either(apply("eq", (X, TWO)), apply("eq", (ONE, X))),), (apply("in", (X, ONE, TWO)),)),
    ((either(either(apply("eq", (X, TWO)), P), Q),), (either(Q, P, apply("eq", (X, TWO))),)),
    ((negated(negated(P)),), (P,)),
    (
        (either(apply("and", (P, apply("gt", (X, ONE)))), Q),),
        (either(Q, apply("and", (apply("ge", (X, TWO)), P))),),
    ),
    ((negated(apply("lt", (X, ONE))),), (apply("ge", (X, ONE)),)),
    ((apply("gt", (X, ONE)),), (apply("ge", (X, TWO)),)),
    ((apply("lt", (X, TWO)),), (negated(apply("gt", (X, ONE))),)),
    ((apply("lt", (D, Literal(date(2024, 3, 1), SqlType.DATE))),), (apply("le", (D, DAY)),)),
    ((apply("ge", (MOMENT, MIDNIGHT)),), (apply("ge", (D, DAY)),)),
    ((apply("gt", (MOMENT, NOON)),), (apply("gt", (D, DAY)),)),
    ((apply("gt", (NOON, MOMENT)),), (apply("le", (D, DAY)),)),
    ((negated(apply("in", (X, ONE))),), (apply("ne", (X, ONE)),)),
    ((apply("eq", (P, YES)), apply("ne", (Q, NO))), (P, Q)),
    ((apply("eq", (P, NO)),), (negated(P),)),
    ((apply("is_true", (P,)),), (P,)),
    ((apply("eq", (ONE, ONE)), apply("and", (P, apply("and", (Q, TRUE))))), (P, Q)),
]
# (P, its opposite, or a test that NULL passes): these keep other rows than P does.
OTHERS = [negated(P), negated(apply("is_true", (P,))), negated(apply("is_false", (P,))), either(P, Q), Q]


@pytest.mark.parametrize(("written", "other"), ALIKE)
def test_other_spellings_are_one(written: tuple[Expr, ...], other: tuple[Expr, ...]) -> None:
    found = frozenset(conditions(written))
    assert found == frozenset(conditions(other))
    assert frozenset(conditions(conditions(written))) == found


@pytest.mark.parametrize("other", OTHERS)
def test_conditions_that_keep_other_rows_stay_apart(other: Expr) -> None:
    assert conditions((other,)) != conditions((P,))


def test_constants_of_other_types_make_no_list() -> None:
    """As a double 2^53 + 1 is 2^53, which is beside 0.5 in a list."""
    large = apply("eq", (X, Literal(2**53 + 1, SqlType.INTEGER)))
    (found,) = conditions((either(large, apply("eq", (X, HALF))),))
    assert isinstance(found, Call) and found.op == "or" and large in found.args


def test_what_is_never_true_is_no_condition_that_always_is() -> None:
    for never in (apply("eq", (NONE, NONE)), apply("ne", (ONE, ONE)), apply("eq", (ONE, TWO)), NO):
        assert conditions((never,))


ATOMS = (
    *(apply(op, pair) for op in SIGNS for pair in ((X, ONE), (ONE, X), (F, HALF), (X, Y), (P, YES), (NO, P))),
    *(apply("in", (X, *m)) for m in ((ONE,), (TWO, ONE), (ONE, NONE), (Y, ONE))),
    *(apply(test, (P,)) for test in ("is_true", "is_false", "is_null")),
    *(P, YES, NO, apply("eq", (ONE, ONE)), apply("eq", (NONE, NONE))),
    *(Call("lt", pair, SqlType.BOOLEAN) for pair in ((X, HALF), (F, ONE), (X, NONE))),
)
OF_TIME = tuple(
    apply(op, pair)
    for op in SIGNS
    for pair in (
        *((X, FAR), (D, DAY), (D, FIRST_DAY), (LAST_DAY, D)),
        *((MOMENT, MIDNIGHT), (NOON, MOMENT), (Z, MIDNIGHT), (Z, NOON)),
    )
)
VALUES = {
    X: ("0", "1", "2", "NULL"),
    Y: ("1", "NULL"),
    F: ("'nan'::DOUBLE", "0.5", "NULL"),
    D: ("NULL::DATE",),
    Z: ("NULL::TIMESTAMP",),
    **dict.fromkeys((P, Q), ("true", "false", "NULL")),
}
TIMES = {
    X: ("1", f"{2**62 - 1}", f"{2**62}", "NULL"),
    Y: ("1",),
    F: ("0.5::DOUBLE",),
    D: ("'2024-02-28'::DATE", "'2024-02-29'", "'2024-03-01'", "'0001-01-01'", "'9999-12-31'", "NULL"),
    Z: ("'2024-02-29 00:00'::TIMESTAMP", "'2024-02-29 12:00'", "NULL"),
    P: ("true",),
    Q: ("true", "false", "NULL"),
}


def compound(atoms: tuple[Expr, ...]) -> Iterator[Expr]:
    """Every atom, negated and joined to others."""
    for atom in atoms:
        yield from (atom, negated(atom), negated(negated(atom)), apply("is_true", (negated(atom),)))
        for beside in (Q, apply("eq", (X, TWO)), apply("in", (X, ONE, TWO)), negated(apply("lt", (F, HALF)))):
            joined = apply("and", (beside, atom)), either(atom, beside)
            yield from (*joined, *map(negated, joined), either(joined[0], beside, atom))


@pytest.mark.one_in(9)
@pytest.mark.parametrize(("atoms", "values"), [(ATOMS, VALUES), (OF_TIME, TIMES)], ids=["numbers", "times"])
def test_the_same_rows_are_kept(
    atoms: tuple[Expr, ...], values: dict[Column, tuple[str, ...]], executions: int
) -> None:
    """DuckDB keeps the rows of a condition and of its one spelling alike, NULL and NaN included."""
    facts = {c: Fact(c.type, True, NATURAL.get(c.type)) for c in values}

    def written(expr: Expr) -> str:
        return emit(expr, Facts(facts, fact_rule), lambda c: c.name)

    rows = " CROSS JOIN ".join(f"(SELECT unnest([{', '.join(v)}]) AS {c.name})" for c, v in values.items())
    every = [*compound(atoms)]
    assert len(every) > 1000
    taken = every if executions else every[::3]
    pairs = [(e, " AND ".join(map(written, conditions((e,)))) or "true") for e in taken]
    alike = ", ".join(f"bool_and((({written(e)}) IS TRUE) = (({kept}) IS TRUE))" for e, kept in pairs)
    (found,) = duckdb.execute(f"SELECT {alike} FROM {rows}").fetchall()
    assert not [pairs[i] for i, same in enumerate(found) if not same]


def test_an_or_of_very_many_is_read_without_a_stack_of_its_own() -> None:
    nested: Expr = apply("eq", (X, ONE))
    for _ in range(400):
        nested = either(nested, apply("eq", (X, TWO)))
    assert conditions((nested,)) == (apply("in", (X, ONE, TWO)),)
