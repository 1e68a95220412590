"""Several levels of one release: shares of the budget, exact sums before the noise, totals that agree after it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from chances import is_share_between

from dpsql.errors import InternalError
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.plan.rollup.grouping_set_sums import GroupingSetSums, Share, axes_of
from dpsql.plan.types import Blended, Plan, Release, Sums
from dpsql.plan.verify.cost import check_cost
from dpsql.privacy import Cost
from dpsql.release.draw.noise import blended_noise
from dpsql.release.draw.reconcile import noised_by_grouping_set
from dpsql.release.estimate.rollup import rolled_up
from dpsql.release.uncertainty.intervals import half_width
from dpsql.session import Session
from plan.opened import Table, plan

LETTERS = "abcdefghijkl"
COLUMNS = {
    "k": f"text, values: [{', '.join(LETTERS)}]",
    "j": "integer, values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], nullable: true",
    "few": "text, values: [a, b]",
    "day": "date, lower: 2025-01-01, upper: 2026-12-31",
    "x": "integer, lower: 0, upper: 10",
    "y": "integer, lower: -5, upper: 5, nullable: true",
}
ROWS = [
    (u, LETTERS[u % 12], u % 9 or None, "ab"[u % 2], f"202{5 + u % 2}-0{1 + u % 9}-11", u % 11, u % 5 - 2)
    for u in range(300)
]
CUBE = "SELECT k, j, COUNT(*), SUM(x), GROUPING_ID(k, j) FROM t GROUP BY CUBE (k, j)"
ROLLUP = "SELECT k, j, COUNT(*), AVG(y), GROUPING_ID(k, j) FROM t GROUP BY ROLLUP (k, j)"
APART = "SELECT k, j, COUNT(*), GROUPING_ID(k, j) FROM t GROUP BY GROUPING SETS (k, j, ())"
LEVELED = (CUBE, ROLLUP, APART)
DRAWS = 600


@pytest.fixture(scope="module", params=["approx", "zcdp"])
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    made = Table(COLUMNS, ROWS, "max_rows_per_unit: 3, neighbours: substitute", accountant=request.param)
    return made.open(tmp_path_factory.mktemp("levels"))


def leveled(release: Release) -> GroupingSetSums:
    (part,) = release.parts
    assert isinstance(part, GroupingSetSums)
    return part


def only(session: Session, sql: str) -> Release:
    (release,) = plan(session, sql).releases
    return release


def levels(session: Session, sql: str) -> list[tuple[int, ...]]:
    """The places of the keys of each level that is released; all of them alone where levels are added up."""
    found = []
    for release in plan(session, sql).releases:
        every = tuple(range(len(release.keys.exprs)))
        for part in release.parts:
            assert isinstance(part, Sums)
            if isinstance(part, GroupingSetSums):
                found += [tuple(sorted(p for a in v.axes for p in part.axes[a].places)) for v in part.shares]
            else:
                found.append(every)
    return sorted(found)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT k, COUNT(*) FROM t GROUP BY ROLLUP (k)", [(), (0,)]),
        ("SELECT k, j, COUNT(*) FROM t GROUP BY ROLLUP (k, j)", [(), (0,), (0, 1)]),
        ("SELECT k, j, COUNT(*) FROM t GROUP BY ROLLUP ((k, j))", [(), (0, 1)]),
        ("SELECT k, COUNT(*) FROM t GROUP BY k, ROLLUP (few)", [(0, 1)]),
        ("SELECT k, COUNT(*) FROM t GROUP BY k", [(0,)]),
    ],
)
def test_levels_are_released_where_their_totals_would_be_noisy(
    tmp_path: Path, query: str, expected: list[tuple[int, ...]]
) -> None:
    session = Table(COLUMNS, privacy="max_rows_per_unit: 3").open(tmp_path)
    assert levels(session, query) == expected


def test_values_may_depend_on_those_before_them_where_there_are_equally_many() -> None:
    quarters = [(y, q) for y in (2025, 2026) for q in (1, 2, 3, 4)]
    months = tuple((y, q, m) for y, q in quarters for m in range(3 * q - 2, 3 * q + 1))
    nested = ((0, 1, 2), (0, 1), (0,))
    found = axes_of(nested, months)
    assert found is not None and [a.size for a in found] == [2, 4, 3]
    assert axes_of(nested, months[1:]) is None
    assert axes_of(((0, 1, 2), (1, 2), (2,), (0,)), months) is None
    assert axes_of(((0, 1), ()), ((1, "a"), (2, "b"))) is not None


def test_a_balanced_hierarchy_has_levels_and_another_one_is_added_up(tmp_path: Path) -> None:
    session = Table(COLUMNS, privacy="max_rows_per_unit: 3").open(tmp_path)
    by = "SELECT COUNT(*) FROM t GROUP BY ROLLUP (date_trunc('{}', day), date_trunc('{}', day))"
    assert len(levels(session, by.format("year", "month"))) == 2
    assert len(levels(session, by.format("month", "day"))) == 1


@pytest.mark.one_in(6)
@pytest.mark.parametrize("query", LEVELED)
def test_answers_without_noise_are_those_of_sql(session: Session, query: str) -> None:
    answer = session.answer(query)
    where = [(k, j) for k in (*LETTERS, None) for j in (*range(1, 11), None)]
    assert len({r[:2] for r in answer.rows} - set(where)) == 0
    for row in answer.rows:
        kind = row[-1]
        rows = [r for r in ROWS if (kind & 2 or r[1] == row[0]) and (kind & 1 or r[2] == row[1])]
        assert row[2] == len(rows)
        if query == CUBE:
            assert row[3] == sum(r[5] for r in rows)


@pytest.mark.parametrize("query", LEVELED)
def test_noisy_totals_agree_with_their_groups(tmp_path: Path, query: str) -> None:
    session = Table(COLUMNS, ROWS, "max_rows_per_unit: 3").open(tmp_path, ExactSampler())
    found: dict[int, list[tuple[object, ...]]] = {}
    for row in session.answer(query.replace("AVG(y)", "COUNT(y)")).rows:
        found.setdefault(row[-1], []).append(row)
    totals = {
        kind: [sum(r[i] for r in rows) for i in range(2, len(rows[0]) - 1)] for kind, rows in found.items()
    }
    assert len(totals) >= 3 and len(set(map(tuple, totals.values()))) == 1
    if 0 in found and 1 in found:
        for k, _, n, *_ in found[1]:
            assert n == sum(r[2] for r in found[0] if r[0] == k)


def tampered(session: Session, change: Callable[[GroupingSetSums], Sums]) -> Plan:
    found = plan(session, CUBE)
    (release,) = found.releases
    return replace(found, releases=(replace(release, parts=(change(leveled(release)),)),))


def check(found: Plan, session: Session) -> Cost:
    return check_cost(found, Cost(Fraction(1), Fraction(1, 10**6)), session._state.context)


@pytest.mark.parametrize("query", LEVELED)
def test_a_plan_of_levels_costs_exactly_what_was_asked(session: Session, query: str) -> None:
    assert check(plan(session, query), session).epsilon == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda p: replace(p, shares=tuple(Share(v.axes, v.share * 2) for v in p.shares)),
        lambda p: replace(p, shares=(*p.shares, Share((), Fraction(1, 1000)))),
        lambda p: replace(p, shares=p.shares[1:]),
        lambda p: replace(p, shares=(Share((7,), p.shares[0].share), *p.shares[1:])),
        lambda p: replace(p, axes=p.axes[1:], shares=tuple(Share((), v.share) for v in p.shares)),
        lambda p: replace(p, families=tuple(replace(f, sensitivity=f.sensitivity - 1) for f in p.families)),
    ],
)
def test_levels_that_spend_more_or_are_no_levels_are_caught(
    session: Session, change: Callable[[GroupingSetSums], Sums]
) -> None:
    with pytest.raises(InternalError):
        check(tampered(session, change), session)


def test_levels_of_a_gaussian_share_one_rho_and_others_share_epsilon(session: Session) -> None:
    part = leveled(only(session, CUBE))
    events = part.events
    whole = Sums(part.bounding, part.families).events
    if part.gaussian:
        (event,), (alone,) = events, whole
        assert (event.cost, event.sensitivity, event.variance) == (
            alone.cost,
            alone.sensitivity,
            alone.variance,
        )
    else:
        assert sum(e.cost.epsilon for e in events) == sum(e.cost.epsilon for e in whole)
        assert len(events) == len(whole) * len(part.shares)


def draws(release: Release, times: int) -> np.ndarray:
    """The noise of the cells of all groups (times x groups x cells of the first family)."""
    part, groups = leveled(release), release.keys.domain
    assert groups is not None
    zeros = [np.zeros((len(groups), len(f.cells)), dtype=np.int64) for f in part.families]
    return np.array([noised_by_grouping_set(part, groups, zeros, ExactSampler())[0] for _ in range(times)])


@pytest.mark.one_in(20)
@pytest.mark.parametrize("query", LEVELED)
def test_intervals_hold_95_of_100_reconciled_cells_at_every_level(session: Session, query: str) -> None:
    release = only(session, query.replace("SUM(x)", "COUNT(*)").replace("AVG(y)", "COUNT(*)"))
    noise, domain = draws(release, DRAWS)[:, :, 0], release.keys.domain
    assert domain is not None
    for kept in ((0, 1), (0,), (1,), ()):
        if query == APART and kept == (0, 1):
            continue
        shown = rolled_up(release, kept) if kept != (0, 1) else release
        width = half_width(shown.estimators[0], shown)
        groups = sorted({tuple(key[i] for i in kept) for key in domain}, key=str)
        summed = np.stack(
            [noise[:, [tuple(d[i] for i in kept) == g for d in domain]].sum(axis=1) for g in groups]
        )
        assert width is not None
        assert summed.size < 10 * DRAWS or 1.7 < width / float(np.std(summed)) < 2.4
        # One group of each draw, since those of one draw depend on each other.
        each = summed[np.arange(DRAWS) % len(groups), np.arange(DRAWS)]
        assert is_share_between(0.94, 0.96, int((np.abs(each) <= width).sum()), DRAWS)


def test_draws_for_quotients_have_the_variance_of_the_reconciled_cells(session: Session) -> None:
    release, times = only(session, CUBE), 20_000
    for family in rolled_up(release, (0,)).families:
        assert isinstance(family, Blended)
        drawn = blended_noise(family, times, ExactSampler())
        alone = replace(release, estimators=release.estimators[:1])
        assert drawn.shape == (times, len(family.cells)) and alone.estimators
        wanted = half_width_of_cell(family, release)
        assert float(np.std(drawn[:, 0])) * 1.96 == pytest.approx(wanted, rel=0.1)  # 0.95 to 1


def test_draws_for_quotients_may_be_wider_than_64_bits(session: Session) -> None:
    family = rolled_up(only(session, CUBE), (0,)).families[0]
    assert isinstance(family, Blended)
    wide = replace(family, noises=tuple((f * 2.0**70, times, noise) for f, times, noise in family.noises))
    drawn = blended_noise(wide, 50, ExactSampler())
    assert drawn.dtype == object and all(type(n) is int for n in drawn.flat) and max(drawn.flat) > 2**64


def half_width_of_cell(family: Blended, release: Release) -> float:
    (e, *_) = release.estimators
    one = replace(e, n=((0, Fraction(1)),))
    shown = replace(release, parts=(Sums(release.parts[0].bounding, (family,)),), estimators=(one,))
    found = half_width(one, shown)
    assert found is not None
    return found


def test_a_release_of_levels_is_drawn_once_and_repeats_are_free(tmp_path: Path) -> None:
    session = Table(COLUMNS, ROWS, "max_rows_per_unit: 3").open(tmp_path, ExactSampler())
    first = session.answer(CUBE)
    again = session.answer(f"SELECT * FROM ({CUBE}) AS v ORDER BY 1, 2")
    assert (first.released.epsilon, again.released.epsilon) == (1, 0)
    assert sorted(map(str, first.rows)) == sorted(map(str, again.rows))


def test_explain_says_which_levels_share_the_budget_and_how_sure_each_is(tmp_path: Path) -> None:
    session = Table(COLUMNS, privacy="max_rows_per_unit: 3").open(tmp_path)
    plan = session.explain("SELECT k, COUNT(*) FROM t GROUP BY ROLLUP (k)")
    assert [r.output for r in plan.releases] == ["COUNT(*), by k", "COUNT(*), in all"]
    assert sum(r.epsilon for r in plan.releases) == 1
    alone = session.explain("SELECT COUNT(*) FROM t").releases[0].expected_error
    errors: Sequence[float | None] = [r.expected_error for r in plan.releases]
    assert alone is not None and all(e is not None and alone < e < 3 * alone for e in errors)
    assert any("reconciled" in n for n in plan.notes)
    assert all("reconciled by least squares" in r.note for r in plan.releases)


def test_every_combination_of_sizes_has_places_for_its_groups() -> None:
    groups = tuple(itertools.product("ab", (1, None), (True, False)))
    found = axes_of(((0, 1), (1, 2), (0, 2)), groups)
    assert found is not None and sorted(a.size for a in found) == [2, 2, 2]
