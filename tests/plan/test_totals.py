"""A sum of a column's multiples inherits the column's unit total, times what a factor can be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

from dpsql.algebra.expressions import Column
from dpsql.algebra.functions import apply
from dpsql.algebra.types import SqlType
from dpsql.engines.sqlgen.inherited_totals import Inherited
from dpsql.errors import InternalError
from dpsql.plan.types import SHARES, Grid, Part, Reach, Sums, Term, UnitTotal
from dpsql.plan.verify.cost import check_cost
from dpsql.privacy import Cost
from dpsql.session import Session
from plan.opened import Table, plan, release

COLUMNS = {
    "x": "float, lower: 0, upper: 20000, step: 0.01, unit_total: 30000",
    "n": "integer, lower: -50, upper: 100, unit_total: 150",
    "d": "float, lower: 0, upper: 0.1",
    "q": "integer, lower: -2, upper: 3, nullable: true",
    "p": "boolean",
    "k": "integer",
}
PUBLIC = ("tags", "CREATE TABLE tags AS SELECT * FROM (VALUES (1, 'a'), (1, 'b'), (2, 'a')) v(k, tag)")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with closing(Table(COLUMNS, public=PUBLIC).open(tmp_path_factory.mktemp("totals"))) as opened:
        yield opened


def reached(session: Session, argument: str) -> tuple[Grid, Fraction]:
    """The grid of a sum, and how far one unit can move it."""
    (family,) = release(session, f"SELECT SUM({argument}) FROM t").families
    grid = family.terms[0].grid
    assert grid is not None and family.sensitivity == grid.unit_total
    return grid, family.sensitivity * grid.step


@pytest.mark.parametrize(
    ("argument", "times", "total"),
    [
        ("x", 1, 30_000),
        ("CAST(x AS DOUBLE)", 1, 30_000),
        ("x * (1 - d)", 1, 30_000),
        ("(1 - d) * x", 1, 30_000),
        ("x - x * d", 1, 30_000),
        ("x * (1 - d) * (1 + d)", 1.1, 30_000),
        ("-(x * d)", 0.1, 30_000),
        ("x * 2", 2, 30_000),
        ("x / 7.0", 1 / 7, 30_000),
        ("x * q", 3, 30_000),
        ("x * 0.0001", 0.0001, 30_000),
        ("CASE WHEN p THEN x * 0.5 WHEN k > 2 THEN x ELSE 0 END", 1, 30_000),
        ("COALESCE(x * q, 0)", 3, 30_000),
        ("n * q", 3, 150),
        ("n * 0.3", 0.3, 150),
        ("CAST(n AS DOUBLE) / 4", 0.25, 150),
        ("n * n", 100, 150),
        ("x * n", 20_000, 150),
    ],
)
def test_a_multiple_of_a_column_reaches_the_total_times_the_greatest_factor(
    session: Session, argument: str, times: float, total: int
) -> None:
    grid, most = reached(session, argument)
    assert times * total - 1 <= most <= times * total * (1 + 3 / SHARES)
    assert [r.share.denominator <= SHARES for r in grid.reach] == [True]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "argument", ["x + 1", "x * k", "x / d", "d", "1 / x", "CASE WHEN p THEN x ELSE d END"]
)
def test_what_is_no_bounded_multiple_of_one_column_inherits_no_total(tmp_path: Path, argument: str) -> None:
    capped = Table(COLUMNS, privacy="max_rows_per_unit: 3").open(tmp_path)
    with closing(capped):
        bounded = f"SELECT SUM(LEAST(GREATEST({argument}, 0), 5)) FROM t"
        found = plan(capped, bounded).releases[0]
        assert all(t.grid is None or t.grid.unit_total is None for f in found.families for t in f.terms)


@pytest.mark.parametrize(
    ("argument", "most"),
    [
        ("x + n", 30_150),
        ("x * 2 - n", 60_150),
        ("x * (1 - d) - 7 * n * q", 30_000 + 150 * 21),
        ("-(n * 0.5 - x) + n", 30_075),
    ],
)
def test_a_sum_of_multiples_of_two_columns_reaches_both_totals(
    session: Session, argument: str, most: int
) -> None:
    (family,) = release(session, f"SELECT SUM({argument}) FROM t").families
    (term,) = family.terms
    assert term.grid is not None and len(term.grid.reach) == 2
    assert most - 1 <= family.sensitivity * term.grid.step <= most * (1 + 3 / SHARES)
    found = plan(session, f"SELECT p, SUM({argument}) FROM t GROUP BY p")
    assert check_cost(found, Cost(Fraction(1)), session._state.context).epsilon == 1
    with pytest.raises(InternalError, match="below the derived one"):
        (only,) = found.releases
        (part,) = only.parts
        (whole,) = only.families
        less = tampered(part, replace(whole, sensitivity=whole.sensitivity - 1))
        check_cost(
            replace(found, releases=(replace(only, parts=(less,)),)),
            Cost(Fraction(1)),
            session._state.context,
        )


def test_a_unit_may_spend_each_total_in_another_one_of_sums_that_exclude_each_other(session: Session) -> None:
    found = plan(
        session, "SELECT SUM(x * 2 + n) FILTER (WHERE p), SUM(x + n * 2) FILTER (WHERE NOT p) FROM t"
    )
    (family,) = found.releases[0].families
    assert family.sensitivity == (2 * 30_000 + 2 * 150) * 100
    assert check_cost(found, Cost(Fraction(1)), session._state.context).epsilon == 1


def test_a_filter_narrows_the_factor_and_a_join_multiplies_the_total(session: Session) -> None:
    (narrow,) = release(session, "SELECT SUM(x * d) FROM t WHERE d < 0.05").families
    grid = narrow.terms[0].grid
    assert grid is not None and narrow.sensitivity * grid.step <= 30_000 * Fraction(51, 1000)
    joined = release(session, "SELECT tag, SUM(x * q) FROM t JOIN tags USING (k) GROUP BY tag").families[0]
    assert joined.sensitivity == 2 * 3 * 30_000 * 100


def test_sums_over_rows_that_exclude_each_other_reach_what_the_greater_does(session: Session) -> None:
    found = plan(session, "SELECT SUM(x) FILTER (WHERE p), SUM(x * 2) FILTER (WHERE NOT p) FROM t")
    (family,) = found.releases[0].families
    assert family.sensitivity == 2 * 30_000 * 100 and not family.widths
    assert check_cost(found, Cost(Fraction(1)), session._state.context).epsilon == 1
    smaller = replace(family, sensitivity=30_000 * 100)
    with pytest.raises(InternalError, match="below the derived one"):
        check_cost(
            replace(
                found,
                releases=(
                    replace(found.releases[0], parts=(tampered(found.releases[0].parts[0], smaller),)),
                ),
            ),
            Cost(Fraction(1)),
            session._state.context,
        )


def tampered(part: Part, family: object) -> Part:
    assert isinstance(part, Sums)
    return replace(part, families=(family,))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "query", ["SELECT SUM(x * d) FROM t", "SELECT p FROM t GROUP BY p ORDER BY SUM(x * d) DESC LIMIT 1"]
)
def test_a_greater_share_than_the_total_was_multiplied_by_is_caught(session: Session, query: str) -> None:
    found = plan(session, query)
    (only,) = found.releases
    (part,) = only.parts

    def shared(term: Term) -> Term:
        assert term.grid is not None
        (reach,) = term.grid.reach
        greater = replace(reach, share=reach.share + Fraction(1, SHARES))
        return replace(term, grid=replace(term.grid, reach=(greater,)))

    if isinstance(part, Sums):
        (family,) = part.families
        changed: Part = replace(part, families=(replace(family, terms=tuple(map(shared, family.terms))),))
    else:
        changed = replace(part, term=shared(part.term))  # type: ignore[union-attr]
    with pytest.raises(InternalError, match="below the derived one"):
        check_cost(
            replace(found, releases=(replace(only, parts=(changed,)),)),
            Cost(Fraction(1)),
            session._state.context,
        )


def test_fewer_times_a_total_than_a_join_repeats_its_rows_are_caught(session: Session) -> None:
    found = plan(session, "SELECT tag, SUM(x) FROM t JOIN tags USING (k) GROUP BY tag")
    assert check_cost(found, Cost(Fraction(1)), session._state.context).epsilon == 1
    (only,) = found.releases
    (part,) = only.parts
    assert isinstance(part, Sums) and part.bounding.totals
    (family,) = part.families
    less = replace(part, families=(replace(family, sensitivity=family.sensitivity - 1),))
    with pytest.raises(InternalError, match="below the derived one"):
        check_cost(
            replace(found, releases=(replace(only, parts=(less,)),)),
            Cost(Fraction(1)),
            session._state.context,
        )


@pytest.mark.parametrize(
    ("share", "integer"), [(Fraction(1), True), (Fraction(3), True), (Fraction(717, SHARES), False)]
)
def test_no_row_counts_with_more_than_its_share_of_the_clipped_column_whatever_the_factor_is(
    share: Fraction, integer: bool
) -> None:
    x = Column(0, "x", SqlType.INTEGER)
    f = Column(0, "f", SqlType.INTEGER if integer else SqlType.DOUBLE)
    grid = Grid(apply("mul", (x, f)), Fraction(1), -(10**6), 10**6, (Reach(share, 1),))
    value = Inherited(
        grid, (UnitTotal(Grid(x, Fraction(1), -(10**6), 10**6), 1),), lambda e: "f", lambda sql: sql
    )
    ks, fs = (
        (-(10**6), -999, -1, 0, 1, 7, 1023, 10**6, None),
        (-5, -1, 0, 1, 3, 1000, None, 0.7, 0.5, -0.0001),
    )
    pairs = [(k, g) for k in ks for g in fs if g is None or not integer or g == int(g)]
    with closing(duckdb.connect()) as engine:
        kind = "BIGINT" if integer else "DOUBLE"
        engine.execute(f"CREATE TABLE t (k BIGINT, f {kind})")
        engine.executemany("INSERT INTO t VALUES (?, ?)", pairs)
        rows = engine.execute(f"SELECT k, f, {value.of(('k',))} FROM t").fetchall()
    for k, g, v in rows:
        assert (v is None) == (k is None or g is None)
        if v is not None:
            assert abs(v) <= share * abs(k)
            assert abs(v - k * g) <= 1 or (abs(k * g) > share * abs(k) and abs(abs(v) - share * abs(k)) < 1)


@pytest.mark.parametrize("argument", ["x * 0.3", "x * (1 - d)", "x / 7", "x * 0.3 - n * d"])
def test_a_column_that_can_only_be_0_is_planned(argument: str, tmp_path: Path) -> None:
    capped = Table(COLUMNS, table="max_rows_per_unit: 60", privacy="max_rows_per_unit: 4000")
    with closing(capped.open(tmp_path)) as session:
        (found,) = plan(session, f"SELECT SUM({argument}) FROM t WHERE x = 0 AND n = 0").releases
        assert found.families
