"""A plan whose cost or sensitivity was tampered with does not get past the check, and nothing is charged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from dpsql.algebra.expressions import Column
from dpsql.algebra.functions import apply
from dpsql.algebra.types import SqlType
from dpsql.errors import InternalError
from dpsql.plan.types import (
    Bounding,
    Grid,
    Modes,
    Part,
    Plan,
    Presence,
    Ranks,
    Release,
    Scores,
    Sum,
    Sums,
    Term,
)
from dpsql.plan.verify.cost import check_cost
from dpsql.privacy import Cost, Mechanism
from dpsql.session import Session
from plan.opened import Table, plan

COLUMNS = {
    "k": "text, values: [a, b]",
    "x": "integer, lower: -5, upper: 8",
    "n": "integer, lower: 0, upper: 4, nullable: true",
    "t1": "integer, lower: 0, upper: 90, unit_total: 100",
    "name": "text",
}
ASKED = Cost(Fraction(1), Fraction(1, 10**6))
QUERIES = (
    "SELECT COUNT(*) FROM t",
    "SELECT k, COUNT(DISTINCT u) FROM t GROUP BY k",
    "SELECT SUM(x) FROM t",
    "SELECT AVG(x), COUNT(*) FROM t",
    "SELECT AVG(n), COUNT(*) FROM t",
    "SELECT STDDEV(x) FROM t",
    "SELECT STDDEV(n), COUNT(*) FROM t",
    "SELECT COVAR_POP(x, n) FROM t",
    "SELECT REGR_SLOPE(x, n) FROM t",
    "SELECT CORR(n, x), AVG(x) FROM t",
    "SELECT SUM(t1) FROM t",
    "SELECT SUM(t1 * x) FROM t",
    "SELECT k, SUM(t1 * 0.3) FROM t GROUP BY k",
    "SELECT COUNT(DISTINCT name) FROM t",
    "SELECT k FROM t GROUP BY k ORDER BY SUM(x) DESC LIMIT 1",
    "SELECT k FROM t GROUP BY k ORDER BY COUNT(*) LIMIT 1",
    "SELECT k FROM t GROUP BY k ORDER BY SUM(t1) DESC LIMIT 1",
    "SELECT k FROM t GROUP BY k ORDER BY SUM(t1 * n) DESC LIMIT 1",
    "SELECT k FROM t GROUP BY k ORDER BY COUNT(DISTINCT u) DESC LIMIT 2",
    "SELECT k, COUNT(DISTINCT u) FROM t GROUP BY k ORDER BY 2 DESC LIMIT 1",
    "SELECT name, COUNT(DISTINCT u) FROM t GROUP BY name ORDER BY 2 DESC LIMIT 2",
    "SELECT name, COUNT(*) FROM t GROUP BY name",
    "SELECT name FROM t GROUP BY name ORDER BY COUNT(*) DESC LIMIT 1",
    "SELECT k, MEDIAN(x), QUANTILE_DISC(x, 0.9), COUNT(*) FROM t GROUP BY k",
    "SELECT MIN(x), MAX(n) FROM t",
    "SELECT name, MEDIAN(n) FROM t GROUP BY name",
    "SELECT MODE(k), BOOL_OR(x > 3) FROM t",
)
BEST = "SELECT k FROM t GROUP BY k ORDER BY COUNT(*) LIMIT 1"
NEGATIVE = Grid(Column(0, "x", SqlType.INTEGER), Fraction(1), -5, 0)
# Neither a unit_total nor distinct units of few groups need the cap on rows.
CAPPED = tuple(q for q in QUERIES if "t1" not in q and not ("DISTINCT u" in q and "SELECT k" in q))
NEIGHBOURS = ("add_remove", "substitute")


@pytest.fixture(scope="module", params=NEIGHBOURS)
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    table = Table(COLUMNS, privacy=f"neighbours: {request.param}, max_rows_per_unit: 6")
    return table.open(tmp_path_factory.mktemp("cost"))


def check(found: Plan, session: Session) -> Cost:
    private = any(r.keys.domain is None for r in found.releases)
    return check_cost(found, replace(ASKED) if private else Cost(ASKED.epsilon), session._state.context)


def tampered(found: Plan, change: Callable[[Part], Part]) -> Plan:
    releases = tuple(replace(r, parts=tuple(change(p) for p in r.parts)) for r in found.releases)
    return replace(found, releases=releases)


def less_sensitive(part: Part) -> Part:
    """One less than what is right: the least that may be noticed."""
    if isinstance(part, Presence):
        return replace(part, groups=part.groups - 1)
    if isinstance(part, Scores | Modes):
        return replace(part, score_range=part.score_range - 1)
    if isinstance(part, Ranks):
        return replace(part, targets=tuple(replace(t, score_range=t.score_range - 1) for t in part.targets))
    return replace(part, families=tuple(replace(f, sensitivity=f.sensitivity - 1) for f in part.families))


def dearer(part: Part, by: Fraction) -> Part:
    if isinstance(part, Sums):
        return replace(part, families=tuple(replace(f, epsilon=f.epsilon * by) for f in part.families))
    if isinstance(part, Ranks):
        return replace(part, targets=tuple(replace(t, epsilon=t.epsilon * by) for t in part.targets))
    return replace(part, epsilon=part.epsilon * by)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("query", QUERIES)
def test_a_plan_as_it_was_made_passes_at_exactly_its_cost(session: Session, query: str) -> None:
    found = plan(session, query)
    assert check(found, session).epsilon == 1


@pytest.mark.parametrize("query", QUERIES)
def test_a_sensitivity_that_is_too_small_by_one_is_caught(session: Session, query: str) -> None:
    with pytest.raises(InternalError, match="below the derived one"):
        check(tampered(plan(session, query), less_sensitive), session)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("by", [Fraction(1, 2), Fraction(2), Fraction(999_999_999, 10**9)])
def test_another_epsilon_than_was_asked_is_caught(session: Session, query: str, by: Fraction) -> None:
    with pytest.raises(
        InternalError, match=r"another epsilon|below the derived one"
    ):  # the latter for weights
        check(tampered(plan(session, query), lambda p: dearer(p, by)), session)


@pytest.mark.parametrize("query", CAPPED)
def test_a_part_that_lost_its_bounding_is_caught(session: Session, query: str) -> None:
    with pytest.raises(InternalError):
        check(tampered(plan(session, query), lambda p: replace(p, bounding=Bounding())), session)


@pytest.mark.parametrize("query", CAPPED)
def test_a_part_that_keeps_more_rows_than_the_cap_is_caught(session: Session, query: str) -> None:
    with pytest.raises(InternalError):
        check(
            tampered(plan(session, query), lambda p: replace(p, bounding=replace(p.bounding, rows=7))),
            session,
        )


def test_another_delta_than_was_asked_is_caught(session: Session) -> None:
    found = plan(session, "SELECT DISTINCT name FROM t")

    def change(part: Part) -> Part:
        assert isinstance(part, Presence)
        return replace(part, delta=part.delta * 2)

    with pytest.raises(InternalError, match="another delta"):
        check(tampered(found, change), session)


def test_a_sum_under_a_total_that_is_not_enforced_is_caught(session: Session) -> None:
    found = plan(session, "SELECT SUM(t1) FROM t")
    with pytest.raises(InternalError):
        check(tampered(found, lambda p: replace(p, bounding=Bounding())), session)


@pytest.mark.parametrize("query", ["SELECT AVG(x), COUNT(*) FROM t", "SELECT AVG(x), AVG(n) FROM t"])
def test_a_cell_that_takes_a_sum_over_some_rows_from_a_sum_over_others_is_caught(
    session: Session, query: str
) -> None:
    """A row outside of the condition moves the sum alone, and so further than any row that is counted as well."""
    condition = apply("is_null", (Column(0, "k", SqlType.TEXT),))

    def change(part: Part) -> Part:
        assert isinstance(part, Sums)
        return replace(part, families=tuple(replace(f, terms=narrowed(f.terms)) for f in part.families))

    def narrowed(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(t if t.sum is Sum.SHIFTED else replace(t, where=condition) for t in terms)

    with pytest.raises(InternalError, match="below the derived one"):
        check(tampered(plan(session, query), change), session)


@pytest.mark.parametrize("counted", [Sum.UNITS, Sum.DISTINCT])
def test_a_cell_that_mixes_a_number_of_distinct_things_with_a_sum_is_caught(
    session: Session, counted: Sum
) -> None:
    def change(part: Part) -> Part:
        assert isinstance(part, Sums)
        (family,) = part.families
        terms = tuple(replace(t, sum=counted) if t.sum is Sum.ROWS else t for t in family.terms)
        return replace(part, families=(replace(family, terms=terms),))

    with pytest.raises(InternalError, match="below the derived one"):
        check(tampered(plan(session, "SELECT AVG(x) FROM t"), change), session)


def test_a_query_without_a_release_costs_nothing(session: Session) -> None:
    assert (
        check_cost(
            plan(session, "SELECT DISTINCT k FROM t"), Cost(Fraction(1)), session._state.context
        ).epsilon
        == 0
    )


def test_a_total_above_the_policy_s_is_caught(session: Session) -> None:
    def change(part: Part) -> Part:
        (total,) = part.bounding.totals
        return replace(part, bounding=Bounding(totals=(replace(total, limit=total.limit + 1),)))

    with pytest.raises(InternalError, match="below the derived one"):
        check(tampered(plan(session, "SELECT SUM(t1) FROM t"), change), session)


def of_family(**changes: object) -> Callable[[Part], Part]:
    return lambda p: replace(p, families=tuple(replace(f, **changes) for f in p.families))


def of_target(**changes: object) -> Callable[[Part], Part]:
    return lambda p: replace(p, targets=tuple(replace(t, **changes) for t in p.targets))


def in_the_middle_alone(part: Part) -> Part:
    """2 (x - lo) (hi - x), which is 0 at both ends."""
    assert isinstance(part, Sums)
    (family,) = part.families
    return replace(part, families=(replace(family, cells=(family.cells[1],), sensitivity=1),))


def twice_under_one_total(part: Part) -> Part:
    assert isinstance(part, Sums)
    (family,) = part.families
    grid = replace(family.terms[0].grid, reach=family.terms[0].grid.reach * 2)
    changed = replace(
        family, terms=(replace(family.terms[0], grid=grid),), sensitivity=family.sensitivity * 2
    )
    return replace(part, bounding=Bounding(totals=part.bounding.totals * 2), families=(changed,))


@pytest.mark.parametrize(
    ("query", "change"),
    [
        ("SELECT SUM(t1) FROM t", of_family(mechanism=Mechanism.CUBE, widths=(1,))),
        ("SELECT SUM(t1) FROM t", of_family(widths=(1,))),
        ("SELECT SUM(t1) FROM t", of_family(cells=((-2,),))),
        ("SELECT SUM(t1) FROM t", twice_under_one_total),
        ("SELECT SUM(DISTINCT x) FROM t", of_family(cells=((1,), (1,)), sensitivity=10**9)),
        ("SELECT COUNT(*) FROM t", of_family(mechanism=Mechanism.EXPONENTIAL)),
        ("SELECT STDDEV(x) FROM t", in_the_middle_alone),
        ("SELECT MIN(x) FROM t", of_target(inside=0)),
        ("SELECT MIN(x) FROM t", less_sensitive),
        ("SELECT QUANTILE_DISC(x, 0.25) FROM t", less_sensitive),
        (BEST, lambda p: replace(p, count=3)),
        (BEST, lambda p: replace(p, descending=not p.descending)),
        (BEST, lambda p: replace(p, mechanism=Mechanism.DISCRETE_LAPLACE)),
        (BEST, lambda p: replace(p, term=replace(p.term, sum=Sum.TOTAL, grid=NEGATIVE))),
    ],
)
def test_a_part_that_is_not_what_its_noise_is_for_is_caught(
    session: Session, query: str, change: Callable[[Part], Part]
) -> None:
    found = plan(session, query)
    with pytest.raises(InternalError, match="below the derived one"):
        check(tampered(found, change), session)


def beside_another(release: Release) -> Release:
    halves = tuple(dearer(p, Fraction(1, 2)) for p in release.parts)
    return replace(release, parts=tuple(replace(p, delta=p.delta / 2) for p in halves * 2))


def of_some_rows(release: Release) -> Release:
    (e,) = release.estimators
    where = apply("is_null", (Column(0, "k", SqlType.TEXT),))
    return replace(release, estimators=(replace(e, measure=replace(e.measure, where=where)),))


def counted_twice(release: Release) -> Release:
    return replace(release, estimators=(replace(release.estimators[0], n=((0, Fraction(2)),)),))


@pytest.mark.parametrize("change", [beside_another, of_some_rows, counted_twice])
def test_numbers_of_units_that_are_told_for_something_else_are_caught(
    session: Session, change: Callable[[Release], Release]
) -> None:
    found = plan(session, "SELECT name, COUNT(DISTINCT u) FROM t GROUP BY name")
    with pytest.raises(InternalError, match="below the derived one"):
        check(replace(found, releases=tuple(map(change, found.releases))), session)


def test_numbers_that_are_noised_before_their_groups_are_chosen_are_caught(session: Session) -> None:
    """They would be told of all groups, with noise for the chosen ones."""
    found = plan(session, "SELECT k, COUNT(DISTINCT u) FROM t GROUP BY k ORDER BY 2 DESC LIMIT 1")
    (release,) = found.releases
    turned = replace(release, parts=release.parts[::-1])
    with pytest.raises(InternalError, match="below the derived one"):
        check(replace(found, releases=(turned,)), session)
