"""Sums are taken on a grid that comes from the policy alone."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from dpsql.errors import QueryRefused
from dpsql.plan.types import Grid
from dpsql.session import Session
from plan.opened import Table, release

COLUMNS = {
    "whole": "integer, lower: -3, upper: 10",
    "cents": "float, lower: 0, upper: 500, step: 0.01",
    "odd": "float, lower: 0.4, upper: 2.6, step: 1",
    "free_step": "float, lower: 0, upper: 100",
    "wide": "integer, lower: 0, upper: 9007199254740993",
    "unbounded": "integer",
    "real": "float",
    "listed": "integer, values: [1, 5, 9]",
    "word": "text, values: [a, b]",
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return Table(COLUMNS, privacy="max_rows_per_unit: 4").open(tmp_path_factory.mktemp("grids"))


def grid(session: Session, aggregate: str, where: str = "") -> Grid:
    families = release(session, f"SELECT {aggregate} FROM t {where}").families
    return next(t.grid for f in families for t in f.terms if t.grid is not None)


@pytest.mark.parametrize(
    ("aggregate", "step", "lo", "hi"),
    [
        ("SUM(whole)", 1, -3, 10),
        ("SUM(cents)", Fraction(1, 100), 0, 50_000),
        ("SUM(odd)", 1, 0, 3),
        ("SUM(whole * 0 + 4)", 1, 4, 5),
        ("SUM(listed)", 1, 1, 9),
        ("SUM(whole * 2 - 1)", 1, -7, 19),
        ("SUM(CASE WHEN word = 'a' THEN cents ELSE 0 END)", Fraction(1, 100), 0, 50_000),
        ("SUM(CASE WHEN word = 'a' THEN cents END)", Fraction(1, 100), 0, 50_000),
        ("AVG(GREATEST(LEAST(unbounded, 7), 2))", 1, 2, 7),
    ],
)
def test_bounds_are_rounded_to_whole_steps(
    session: Session, aggregate: str, step: Fraction, lo: int, hi: int
) -> None:
    found = grid(session, aggregate)
    assert (found.step, found.lo, found.hi) == (step, lo, hi)


def test_a_step_of_the_policy_s_making_is_a_power_of_two_and_a_millionth_of_the_range(
    session: Session,
) -> None:
    found = grid(session, "SUM(free_step)")
    assert found.step == Fraction(1, 2**13)
    assert found.lo == 0 and found.hi == 100 * 2**13 and 2**19 < found.width <= 2**20


def test_a_filter_narrows_the_grid(session: Session) -> None:
    found = grid(session, "SUM(whole)", "WHERE whole BETWEEN 2 AND 4")
    assert (found.lo, found.hi) == (2, 4)
    unbounded = grid(session, "SUM(unbounded)", "WHERE unbounded >= 5 AND unbounded < 8")
    assert (unbounded.lo, unbounded.hi) == (5, 7)


def test_squares_are_taken_on_a_grid_whose_squares_fit(session: Session) -> None:
    one, two = grid(session, "SUM(wide)"), grid(session, "STDDEV(wide)")
    assert one.step == 1 and one.hi == 9007199254740993
    assert two.step > 1 and two.width**2 < 2**62


def test_every_grid_integer_is_below_2_to_the_62(session: Session) -> None:
    for aggregate in ("SUM(wide * 400)", "SUM(cents * 1e12)", "AVG(wide * 400)"):
        assert grid(session, aggregate).magnitude < 2**62


@pytest.mark.parametrize(
    ("aggregate", "column"),
    [
        ("SUM(unbounded)", "unbounded"),
        ("AVG(real)", "real"),
        ("SUM(cents * unbounded)", "unbounded"),
        ("AVG(unbounded / 2.0)", "unbounded"),
        ("STDDEV(unbounded + 1)", "unbounded"),
        ("SUM(CAST(unbounded AS DOUBLE))", "unbounded"),
        ("SUM(LEAST(unbounded, 10))", "unbounded"),
        ("SUM(CASE WHEN word = 'a' THEN unbounded ELSE 0 END)", "unbounded"),
    ],
)
def test_a_sum_without_bounds_is_refused_by_the_name_of_the_column(
    session: Session, aggregate: str, column: str
) -> None:
    with pytest.raises(QueryRefused, match=rf'and the column "{column}" has no bounds\. Bound the column'):
        release(session, f"SELECT {aggregate} FROM t")


def test_a_unit_total_rests_on_the_column_s_bounds_before_any_filter_and_grows_with_a_join(
    tmp_path: Path,
) -> None:
    columns = {"x": "float, lower: 0, upper: 500, step: 0.5, unit_total: 100", "k": "integer"}
    public = ("tags", "CREATE TABLE tags AS SELECT * FROM (VALUES (1, 'a'), (1, 'b'), (2, 'a')) v(k, tag)")
    session = Table(columns, public=public).open(tmp_path)
    alone = grid(session, "SUM(x)", "WHERE x BETWEEN 10 AND 20")
    assert (alone.step, alone.hi, alone.unit_total) == (Fraction(1, 2), 1000, 200)
    joined = release(session, "SELECT tag, SUM(x) FROM t JOIN tags USING (k) GROUP BY tag")
    assert joined.families[0].sensitivity == 400
    assert [t.limit for t in joined.parts[0].bounding.totals] == [200]


NUMBERS = "(SELECT u, COUNT(*) AS n FROM t GROUP BY u) v"


def test_totals_of_a_unit_are_clipped_to_what_rows_up_to_the_cap_make_and_not_taken_to_keep_to_it(
    tmp_path: Path,
) -> None:
    rows = [(unit, 1) for unit, count in ((1, 10), (2, 6), (3, 1)) for _ in range(count)]
    few = Table({"x": "integer, lower: 0, upper: 2"}, rows, privacy="max_rows_per_unit: 4").open(tmp_path)
    assert few.answer(f"SELECT SUM(n) FROM {NUMBERS}").rows == ((4 + 4 + 1,),)
    assert few.answer(f"SELECT SUM(LEAST(n, 100)) FROM {NUMBERS}").rows == ((10 + 6 + 1,),)  # its own range
    assert few.answer(f"SELECT SUM(n // 2), SUM(n * 1.5) FROM {NUMBERS}").rows == ((2 + 2 + 0, 6 + 6 + 1.5),)
    assert few.answer(f"SELECT SUM(LEAST(n / 2, 100)) FROM {NUMBERS}").rows == ((5 + 3 + 0.5,),)
    assert few.answer(f"SELECT COUNT(*) FROM {NUMBERS} WHERE n > 4").rows == ((2,),)
    assert release(few, f"SELECT n, COUNT(*) FROM {NUMBERS} GROUP BY n").keys.domain is None


WIDEST = 2**62 - 1
WIDE = {
    "wide": f"integer, lower: -{WIDEST}, upper: {WIDEST}",
    "beyond": f"integer, lower: 0, upper: {WIDEST + 1}",
    "double": "float, lower: -1e200, upper: 1e200",
    "day": "date, lower: 0001-01-01, upper: 9999-12-31",
    "moment": "timestamp, lower: 0001-01-01 00:00:00, upper: 9999-12-31 23:59:59.999999",
    "free_day": "date",
}
DAYS = ("0001-01-01", "2025-03-01", "9999-12-31")
VALUES = (WIDEST, -WIDEST, 5)
WIDE_ROWS = [(x, x, x, 0.0, d, f"{d} 00:00:00", d) for x, d in zip(VALUES, DAYS, strict=True)]


@pytest.fixture(scope="module")
def of_wide(tmp_path_factory: pytest.TempPathFactory) -> Session:
    table = Table(WIDE, WIDE_ROWS, privacy="max_rows_per_unit: 1")
    return table.open(tmp_path_factory.mktemp("wide"))


@pytest.mark.parametrize(
    ("aggregate", "lo", "hi"),
    [
        ("SUM(wide)", -WIDEST, WIDEST),
        ("SUM(CASE WHEN wide > 0 THEN wide ELSE 0 END)", -WIDEST, WIDEST),
        (f"SUM(wide * 0 + {WIDEST})", WIDEST - 1, WIDEST),
        (f"SUM(wide * 0 - {WIDEST})", -WIDEST, -WIDEST + 1),
        ("SUM(LEAST(beyond, 7))", 0, 7),
    ],
)
def test_whole_numbers_below_2_to_the_62_are_not_rounded(
    of_wide: Session, aggregate: str, lo: int, hi: int
) -> None:
    found = grid(of_wide, aggregate)
    assert (found.step, found.lo, found.hi) == (Fraction(1), lo, hi)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("SUM(wide), COUNT(*)", (5, 3)),
        ("SUM(wide) FILTER (wide > 0)", (WIDEST + 5,)),
        (f"SUM(wide * 0 + {WIDEST})", (3 * WIDEST,)),
    ],
)
def test_their_sums_are_exact(of_wide: Session, asked: str, answer: tuple[int, ...]) -> None:
    assert tuple(of_wide.answer(f"SELECT {asked} FROM t", None).rows[0]) == answer


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ("MAX(beyond)", "this one may be 2^62 or farther"),
        ("SUM(wide + 1)", "this one may be 2^62 or farther"),
        ("SUM(double)", "this one may be 10^150 or farther"),
        ("MAX(free_day)", 'the column "free_day" has no bounds'),
    ],
)
def test_a_refusal_says_what_is_too_wide(of_wide: Session, asked: str, reason: str) -> None:
    with pytest.raises(QueryRefused, match=re.escape(reason)):
        release(of_wide, f"SELECT {asked} FROM t")


def test_declared_bounds_may_be_those_of_every_day(of_wide: Session) -> None:
    (row,) = of_wide.answer("SELECT MEDIAN(day), MEDIAN(moment) FROM t", None).rows
    assert all(2024 <= v.year <= 2027 for v in row)  # type: ignore[attr-defined]
