"""max_groups_per_unit: a unit is counted in few groups, chosen by their keys, and only where that is less noise."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from dpsql.errors import InternalError, QueryRefused
from dpsql.plan.types import Bounding, Plan, Presence, Release, Scores, Sums
from dpsql.plan.verify.cost import check_cost
from dpsql.privacy import Cost, Mechanism
from dpsql.session import Session
from plan.opened import Table, plan, release

COLUMNS = {"k": "integer, lower: 0, upper: 49", "x": "integer, lower: 0, upper: 10", "name": "text"}
ASKED = Cost(Fraction(1), Fraction(1, 10**6))
KEPT = Bounding(groups=3)


def rows(seed: int) -> list[tuple[int, int, int, str]]:
    """Units that own from 1 to 30 rows in up to 10 groups."""
    draw = random.Random(seed)
    owners = [u for u in range(40) for _ in range(draw.choice((1, 2, 6, 30)))]
    return [(u, draw.randrange(10), draw.randrange(11), f"n{draw.randrange(8)}") for u in owners]


# Without thresholding, groups are selected first and counted then: two parts.
APART = ", mechanisms: [discrete_laplace, truncated_geometric]"


def session(folder: Path, privacy: str, seed: int = 1, shuffled: int = 0) -> Session:
    stored = rows(seed)
    random.Random(shuffled).shuffle(stored)
    return Table(COLUMNS, stored, privacy=privacy).open(folder)


def counts(found: Session, condition: str = "") -> dict[object, object]:
    only = f" FILTER (WHERE {condition})" if condition else ""
    return dict(found.answer(f"SELECT k, COUNT(DISTINCT u){only} FROM t GROUP BY k").rows)


@pytest.mark.parametrize("cap", [1, 3, 7])
def test_a_unit_is_counted_in_as_many_of_its_groups_as_the_cap_leaves_and_in_no_other(
    cap: int, tmp_path: Path
) -> None:
    touched = defaultdict(set)
    for unit, k, _, _ in rows(1):
        touched[unit].add(k)
    found = counts(session(tmp_path, f"max_groups_per_unit: {cap}"))
    assert sum(found.values()) == sum(min(cap, len(groups)) for groups in touched.values())
    for k, n in found.items():
        assert sum(groups <= {k} for groups in touched.values()) <= n
        assert n <= sum(k in groups for groups in touched.values())


def test_which_groups_are_kept_depends_on_their_keys_and_not_on_stored_order_or_other_units(
    tmp_path: Path,
) -> None:
    privacy = "max_groups_per_unit: 2"
    whole = counts(session(tmp_path / "a", privacy))
    assert counts(session(tmp_path / "b", privacy, shuffled=5)) == whole
    alone = [r for r in rows(1) if r[0] != 7]
    without = counts(Table(COLUMNS, alone, privacy=privacy).open(tmp_path / "c"))
    fewer = [whole[k] - without[k] for k in whole]
    assert set(fewer) == {0, 1} and sum(fewer) == 2


def test_a_condition_of_an_aggregate_counts_the_kept_pairs_with_a_row_that_passes(tmp_path: Path) -> None:
    found = session(tmp_path, "max_groups_per_unit: 2")
    every, some, none = counts(found), counts(found, "x > 4"), counts(found, "x > 10")
    assert all(some[k] <= every[k] for k in every) and sum(some.values()) > 0
    assert set(none.values()) == {0}


def bounding(found: Release) -> list[tuple[type, Bounding]]:
    return [(type(p), p.bounding) for p in found.parts]


def test_units_and_private_keys_heed_the_cap_on_groups_and_rows_and_sums_that_on_rows(tmp_path: Path) -> None:
    found = session(tmp_path, "max_rows_per_unit: 20, max_groups_per_unit: 3")
    rows_kept = Bounding(rows=20)
    one = release(found, "SELECT name, COUNT(DISTINCT u), SUM(x) FROM t GROUP BY name")
    assert set(bounding(one)) == {(Presence, KEPT), (Sums, KEPT), (Sums, rows_kept)}
    assert sorted(e.sensitivity for e in one.events) == [1, 3, 3, 200]
    assert bounding(release(found, "SELECT k, COUNT(*) FROM t GROUP BY k")) == [(Sums, rows_kept)]
    assert bounding(release(found, "SELECT COUNT(DISTINCT u) FROM t")) == [(Sums, Bounding())]
    text = str(found.explain("SELECT k, COUNT(DISTINCT u) FROM t GROUP BY k"))
    assert "a person is counted in at most 3 groups, with all of their rows there" in text


@pytest.mark.parametrize(("groups", "kept"), [(2, True), (19, False), (20, False), (25, False)])
def test_the_cap_on_groups_is_used_only_where_it_is_less_noise(
    groups: int, kept: bool, tmp_path: Path
) -> None:
    found = session(tmp_path, f"max_rows_per_unit: 20, max_groups_per_unit: {groups}")
    one = release(found, "SELECT k, COUNT(*), SUM(x), COUNT(DISTINCT u) FROM t GROUP BY k")
    assert (Bounding(groups=groups) in [p.bounding for p in one.parts]) is kept
    if not kept:
        assert {e.mechanism for e in one.events} == {Mechanism.CUBE}


def test_without_a_cap_on_rows_units_are_counted_by_groups_and_rows_are_not(tmp_path: Path) -> None:
    found = session(tmp_path, f"max_groups_per_unit: 3{APART}")
    one = release(found, "SELECT name, COUNT(DISTINCT u) FROM t GROUP BY name")
    assert bounding(one) == [(Presence, KEPT), (Sums, KEPT)]
    with pytest.raises(QueryRefused, match="does not limit how many rows"):
        found.explain("SELECT k, COUNT(*) FROM t GROUP BY k")


@pytest.mark.parametrize(("groups", "chosen"), [(1, False), (2, True), (9, True)])
def test_groups_are_sorted_rather_than_chosen_where_a_unit_is_counted_in_fewer_than_are_wanted(
    groups: int, chosen: bool, tmp_path: Path
) -> None:
    found = session(tmp_path, f"max_rows_per_unit: 20, max_groups_per_unit: {groups}")
    one = release(found, "SELECT k FROM t GROUP BY k ORDER BY COUNT(DISTINCT u) DESC LIMIT 2")
    assert any(isinstance(p, Scores) for p in one.parts) is chosen


def test_a_replaced_unit_is_counted_twice_as_often(tmp_path: Path) -> None:
    found = session(tmp_path, f"neighbours: substitute, max_groups_per_unit: 3{APART}")
    one = release(found, "SELECT name, COUNT(DISTINCT u) FROM t GROUP BY name")
    assert [e.sensitivity for e in one.events] == [6, 6]


def _changed(part: Presence | Sums, bound: Bounding, less: int) -> Presence | Sums:
    if isinstance(part, Presence):
        return replace(part, bounding=bound, groups=part.groups - less)
    return replace(
        part,
        bounding=bound,
        families=tuple(replace(f, sensitivity=f.sensitivity - less) for f in part.families),
    )


@pytest.mark.one_in(6)
@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize(
    ("bound", "less"),
    [
        (KEPT, 1),
        (Bounding(), 0),
        (Bounding(groups=2), 1),
        (Bounding(rows=3), 0),
        (Bounding(rows=20), 0),
    ],
)
def test_groups_that_are_bounded_less_than_is_claimed_are_caught(
    at: int, bound: Bounding, less: int, tmp_path: Path
) -> None:
    found = session(tmp_path, f"max_rows_per_unit: 20, max_groups_per_unit: 3{APART}")
    made = plan(found, "SELECT name, COUNT(DISTINCT u) FROM t GROUP BY name")
    check_cost(made, ASKED, found._state.context)
    (one,) = made.releases
    parts = tuple(_changed(p, bound, less) if i == at else p for i, p in enumerate(one.parts))  # type: ignore[arg-type]
    with pytest.raises(InternalError):
        check_cost(Plan((replace(one, parts=parts),), made.public_query), ASKED, found._state.context)


def test_a_threshold_on_numbers_of_units_claims_the_groups_that_are_kept(tmp_path: Path) -> None:
    found = session(tmp_path, "max_rows_per_unit: 20, max_groups_per_unit: 3")
    made = plan(found, "SELECT name, COUNT(DISTINCT u) FROM t GROUP BY name")
    (one,) = made.releases
    (part,) = one.parts
    assert isinstance(part, Presence) and part.counted and (part.groups, part.bounding) == (3, KEPT)
    with pytest.raises(InternalError):
        weaker = replace(one, parts=(replace(part, groups=2),))
        check_cost(Plan((weaker,), made.public_query), ASKED, found._state.context)


def test_a_part_that_counts_rows_may_not_heed_the_cap_on_groups(tmp_path: Path) -> None:
    found = session(tmp_path, "max_rows_per_unit: 20, max_groups_per_unit: 3")
    made = plan(found, "SELECT k, COUNT(*) FROM t GROUP BY k")
    (one,) = made.releases
    weaken: Callable[[Sums], Sums] = lambda p: replace(p, bounding=KEPT)  # noqa: E731
    with pytest.raises(InternalError):
        check_cost(
            Plan((replace(one, parts=tuple(map(weaken, one.parts))),), ""),  # type: ignore[arg-type]
            ASKED,
            found._state.context,
        )
