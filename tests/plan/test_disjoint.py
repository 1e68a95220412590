"""Measures over rows that exclude each other share one epsilon, and each has the noise that it would have alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpsql.algebra.expressions import TRUE
from dpsql.errors import InternalError
from dpsql.plan.types import Family, Plan, Release, Sums
from dpsql.plan.verify.cost import check_cost
from dpsql.privacy import Cost, Mechanism
from dpsql.release.draw.noise import noised
from dpsql.release.uncertainty.intervals import half_width
from dpsql.session import Session
from plan.opened import Table, plan, release

COLUMNS = {
    "region": "text, values: [n, s, e, w]",
    "paid": "boolean",
    "amount": "integer, lower: 0, upper: 500",
    "x": "integer, lower: -5, upper: 8, nullable: true",
    "total": "integer, lower: 0, upper: 90, unit_total: 100",
}
ROWS = 6


@pytest.fixture(scope="module", params=["add_remove", "substitute"])
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    table = Table(COLUMNS, privacy=f"neighbours: {request.param}, max_rows_per_unit: {ROWS}")
    return table.open(tmp_path_factory.mktemp("disjoint"))


def widths(found: Release) -> list[float | None]:
    return [half_width(e, found) for e in found.estimators]


PARTS = (
    "COUNT(*) FILTER (WHERE region = 'n')",
    "SUM(CASE WHEN region = 's' THEN amount ELSE 0 END)",
    "SUM(CASE WHEN region IN ('e', 'w') AND paid THEN 1 ELSE 0 END)",
    "SUM(amount) FILTER (WHERE region IN ('e', 'w') AND NOT paid)",
)


@pytest.mark.parametrize("keys", ["", "paid, "])
def test_each_part_is_as_exact_as_if_it_were_asked_alone(session: Session, keys: str) -> None:
    group = " GROUP BY paid" if keys else ""
    together = release(session, f"SELECT {keys}{', '.join(PARTS)} FROM t{group}")
    alone = [w for part in PARTS for w in widths(release(session, f"SELECT {keys}{part} FROM t{group}"))]
    assert widths(together) == alone
    assert len(together.events) == 1 and together.events[0].cost == Cost(Fraction(1))


def test_noise_of_several_widths_is_charged_as_the_worst_that_its_epsilon_allows(session: Session) -> None:
    (event,) = release(session, f"SELECT {', '.join(PARTS)} FROM t").events
    assert (event.mechanism, event.sensitivity) == (Mechanism.DISCRETE_LAPLACE, 1)


def test_a_whole_is_the_rest_and_its_parts(session: Session) -> None:
    counts = "COUNT(*) FILTER (WHERE region = 'n'), COUNT(*) FILTER (WHERE region = 's' AND paid)"
    found = release(session, f"SELECT COUNT(*), {counts} FROM t")
    (family,) = found.families
    assert family.cells == ((1, -1, -1), (0, 1, 0), (0, 0, 1))
    assert [e.n for e in found.estimators] == [
        tuple((i, Fraction(1)) for i in range(3)),
        ((1, 1),),
        ((2, 1),),
    ]


def test_parts_may_have_parts(session: Session) -> None:
    found = release(
        session,
        "SELECT SUM(amount), SUM(amount) FILTER (WHERE paid), SUM(amount) FILTER (WHERE paid AND region = 'n') FROM t",
    )
    assert found.families[0].cells == ((1, -1, 0), (0, 1, -1), (0, 0, 1))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT COUNT(*) FILTER (WHERE paid), COUNT(*) FILTER (WHERE region = 'n') FROM t",
        "SELECT COUNT(DISTINCT u) FILTER (WHERE paid), COUNT(DISTINCT u) FILTER (WHERE NOT paid) FROM t",
        "SELECT SUM(total) FILTER (WHERE paid), COUNT(*) FILTER (WHERE NOT paid) FROM t",
        "SELECT AVG(CASE WHEN paid THEN amount ELSE 0 END), COUNT(*) FILTER (WHERE NOT paid) FROM t",
    ],
)
def test_what_a_row_or_a_unit_may_count_in_twice_shares_nothing(session: Session, query: str) -> None:
    found = release(session, query)
    uneven = [f for f in found.families if len({t.where for t in f.terms}) > 1]
    assert all(f.mechanism is Mechanism.CUBE for f in uneven)


def test_of_three_conditions_only_those_share_that_exclude_each_other(session: Session) -> None:
    wheres = ("region = 'n'", "region = 's'", "region <> 's' AND paid")
    counts = ", ".join(f"COUNT(*) FILTER (WHERE {w})" for w in wheres)
    found = release(session, f"SELECT {counts} FROM t")
    assert sorted(len(f.cells) for f in found.families) in ([1, 2], [3])
    assert len(found.families) == 2 or found.families[0].mechanism is Mechanism.CUBE


def test_the_sums_under_a_units_total_have_that_total_together(session: Session) -> None:
    found = release(
        session, "SELECT SUM(total) FILTER (WHERE paid), SUM(total) FILTER (WHERE NOT paid) FROM t"
    )
    (family,) = found.families
    assert family.sensitivity == 100 * session._state.context.policy.privacy.neighbours.factor


def test_the_sum_of_a_constant_is_a_count(session: Session) -> None:
    found = release(session, "SELECT COUNT(*), SUM(3), SUM(CASE WHEN paid THEN 0 ELSE -2 END) FROM t")
    assert [e.s1 for e in found.estimators][1:] == [((0, 3), (1, 3)), ((1, -2),)]
    assert session.answer("SELECT SUM(3), SUM(CASE WHEN paid THEN 0 ELSE -2 END) FROM t").rows == ((0, 0),)


QUERIES = (
    f"SELECT {', '.join(PARTS)} FROM t",
    "SELECT COUNT(*), COUNT(*) FILTER (WHERE paid) FROM t",
    "SELECT SUM(total), SUM(total) FILTER (WHERE paid) FROM t",
    "SELECT AVG(x) FILTER (WHERE paid), AVG(x) FILTER (WHERE NOT paid) FROM t",
    "SELECT COUNT(DISTINCT x) FILTER (WHERE paid), COUNT(DISTINCT x) FILTER (WHERE NOT paid) FROM t",
)


def test_parts_of_parts_may_be_sums_of_other_columns(session: Session) -> None:
    found = plan(
        session,
        "SELECT SUM(amount), SUM(amount) FILTER (WHERE paid), SUM(x) FILTER (WHERE paid AND region < 's'), "
        "SUM(x) FILTER (WHERE paid AND region < 'p'), SUM(amount * 2) FILTER (WHERE paid AND region < 'n') FROM t",
    )
    assert check_cost(found, Cost(Fraction(1)), session._state.context).epsilon == 1


def less_sensitive(f: Family) -> Family:
    return replace(f, sensitivity=f.sensitivity - 1)


def narrower(f: Family) -> Family:
    if not f.widths:
        return less_sensitive(f)
    return replace(f, widths=tuple(w - 1 if w > 1 else w for w in f.widths))


def overlapping(f: Family) -> Family:
    """The second condition holds for all rows: those of the first are counted twice."""
    wheres = list(dict.fromkeys(t.where for t in f.terms))
    changed = tuple(replace(t, where=TRUE) if t.where == wheres[1] else t for t in f.terms)
    if wheres[0] == TRUE:  # of the whole and its part, the part is not taken off
        return replace(f, cells=tuple(tuple(max(c, 0) for c in cell) for cell in f.cells))
    return replace(f, terms=changed)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("change", [less_sensitive, narrower, overlapping])
def test_a_family_whose_rows_count_twice_or_weigh_more_is_caught(
    session: Session, query: str, change: Callable[[Family], Family]
) -> None:
    made, context = plan(session, query), session._state.context
    assert check_cost(made, Cost(Fraction(1)), context).epsilon == 1
    with pytest.raises(InternalError, match="below the derived one"):
        check_cost(tampered(made, change), Cost(Fraction(1)), context)


def tampered(made: Plan, change: Callable[[Family], Family]) -> Plan:
    releases = []
    for r in made.releases:
        parts = tuple(
            replace(p, families=tuple(map(change, p.families))) for p in r.parts if isinstance(p, Sums)
        )
        releases.append(replace(r, parts=parts))
    return replace(made, releases=tuple(releases))


class Scales:
    """A sampler whose noise is its own scale."""

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: Fraction) -> np.ndarray:
        return values + int(sensitivity / epsilon)

    def discrete_gaussian(
        self, values: np.ndarray, *, squared_sensitivity: Fraction, rho: Fraction
    ) -> np.ndarray:
        return values + int(squared_sensitivity / (2 * rho))


def test_each_cell_has_the_noise_of_its_width_at_its_place(session: Session) -> None:
    (family,) = release(session, f"SELECT {', '.join(PARTS)} FROM t").families
    cells = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    moved = noised(family, cells, Scales()) - cells  # type: ignore[arg-type]
    scale = ROWS * session._state.context.policy.privacy.neighbours.factor
    assert family.widths == (500, 500, 1, 1) or sorted(family.widths) == [1, 1, 500, 500]
    assert moved.tolist() == [[scale * w for w in family.widths]] * 2
    gaussian = replace(family, mechanism=Mechanism.DISCRETE_GAUSSIAN, variance=Fraction(scale**2))
    squares = noised(gaussian, cells, Scales()) - cells  # type: ignore[arg-type]
    assert squares.tolist() == [[(scale * w) ** 2 for w in family.widths]] * 2


def test_what_constants_alone_decide_is_decided_on_both_routes(session: Session) -> None:
    always = "CAST(100 AS DOUBLE) IS NOT NULL"
    measures = (
        f"AVG(CASE WHEN ({always}) IS NULL THEN x END)",
        f"SUM(CASE WHEN NOT ({always}) AND (paid IS NOT TRUE) THEN 1 ELSE 0 END)",
        f"COUNT(*), SUM(CASE WHEN {always} THEN 0 ELSE 2 END)",
    )
    assert len(release(session, f"SELECT {', '.join(measures)} FROM t").events) == 1
