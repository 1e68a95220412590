"""The budget of a query is shared over its releases in whole ledger units, and D_R is what neighbours can differ by."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from dpsql.plan.types import Presence, Release, Scores, Sums
from dpsql.privacy import Mechanism
from dpsql.session import Session
from plan.opened import Table, plan, release

COLUMNS = {
    "k": "text, values: [a, b, c]",
    "x": "integer, lower: -5, upper: 8",
    "n": "integer, lower: 0, upper: 4, nullable: true",
    "name": "text",
    "j": "integer, lower: 1, upper: 99",
}
M = 6
PUBLIC = ("twice", "CREATE TABLE twice AS SELECT * FROM (VALUES ('a'), ('a'), ('b')) v(k)")
EPSILON_UNIT, DELTA_UNIT = Fraction(1, 10**9), Fraction(1, 10**18)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    table = Table(COLUMNS, privacy=f"max_rows_per_unit: {M}", public=PUBLIC)
    return table.open(tmp_path_factory.mktemp("releases"))


@pytest.fixture(scope="module")
def replaced(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """The same under substitute."""
    table = Table(COLUMNS, privacy=f"neighbours: substitute, max_rows_per_unit: {M}", public=PUBLIC)
    return table.open(tmp_path_factory.mktemp("replaced"))


def scores(found: Release) -> Scores:
    (only,) = [p for p in found.parts if isinstance(p, Scores)]
    return only


def presence(found: Release) -> Presence:
    (only,) = [p for p in found.parts if isinstance(p, Presence)]
    return only


@pytest.mark.parametrize("count", [1, 2, 3, 7, 11])
def test_releases_share_the_epsilon_in_whole_units_and_lose_none_of_it(session: Session, count: int) -> None:
    query = "SELECT " + ", ".join(f"(SELECT COUNT(*) FROM t WHERE x > {i})" for i in range(count))
    epsilons = [sum(e.cost.epsilon for e in r.events) for r in plan(session, query).releases]
    assert sum(epsilons) == 1 and len(epsilons) == count
    assert all((e / EPSILON_UNIT).denominator == 1 for e in epsilons)
    assert max(epsilons) - min(epsilons) < count * EPSILON_UNIT


def test_only_private_keys_share_the_delta(session: Session) -> None:
    query = (
        "SELECT * FROM (SELECT name, COUNT(*) AS n FROM t GROUP BY name) a, (SELECT COUNT(*) AS m FROM t) b"
    )
    one, other = plan(session, query).releases
    assert sum(e.cost.delta for e in one.events) == Fraction(1, 10**6)
    assert sum(e.cost.delta for e in other.events) == 0
    three = "SELECT " + ", ".join(
        f"(SELECT COUNT(*) FROM (SELECT DISTINCT name FROM t WHERE x > {i}))" for i in range(3)
    )
    deltas = [sum(e.cost.delta for e in r.events) for r in plan(session, three).releases]
    assert sum(deltas) == Fraction(1, 10**6)
    assert all((d / DELTA_UNIT).denominator == 1 for d in deltas)


def test_a_public_list_of_groups_takes_no_share(session: Session) -> None:
    query = "SELECT * FROM (SELECT DISTINCT k FROM t) a, (SELECT COUNT(*) AS n FROM t) b"
    free, paid = plan(session, query).releases
    assert free.parts == () and sum(e.cost.epsilon for e in paid.events) == 1


def test_private_keys_are_selected_before_anything_else_with_a_third_of_the_epsilon(session: Session) -> None:
    found = release(session, "SELECT name, COUNT(*), AVG(x) FROM t GROUP BY name")
    first, *rest = found.parts
    assert isinstance(first, Presence) and all(isinstance(p, Sums) for p in rest)
    assert first.epsilon == Fraction(1, 3)
    assert sum(f.epsilon for f in found.families) == Fraction(2, 3)


def test_a_list_of_private_keys_alone_takes_the_whole_epsilon(session: Session) -> None:
    assert presence(release(session, "SELECT DISTINCT name FROM t")).epsilon == 1


def test_presence_takes_a_third_and_selection_over_private_keys_the_rest(session: Session) -> None:
    found = release(session, "SELECT name FROM t GROUP BY name ORDER BY COUNT(*) DESC LIMIT 1")
    assert (presence(found).epsilon, scores(found).epsilon) == (Fraction(1, 3), Fraction(2, 3))


def test_a_unit_touches_at_most_as_many_groups_as_it_has_rows_twice_that_when_replaced_and_counted(
    session: Session, replaced: Session, tmp_path: Path
) -> None:
    query = "SELECT name, COUNT(*) FROM t GROUP BY name"
    privacy = (
        f"neighbours: substitute, max_rows_per_unit: {M}, mechanisms: [truncated_geometric, discrete_laplace]"
    )
    assert presence(release(session, query)).groups == M
    assert presence(release(replaced, query)).groups == M  # by weights, whose noise is for both
    counted = presence(release(Table(COLUMNS, privacy=privacy).open(tmp_path), query))
    assert (counted.groups, counted.weights) == (2 * M, None)


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        ("COUNT(*)", M),
        ("COUNT(n)", M),
        ("COUNT_IF(x > 0)", M),
        ("COUNT(DISTINCT name)", M),
        ("COUNT(DISTINCT u)", 1),
        ("SUM(n)", 4 * M),
        ("SUM(x)", 8 * M),
        ("SUM(x - 10)", 15 * M),
    ],
)
def test_the_range_of_scores_is_what_one_unit_can_pull_two_groups_apart(
    session: Session, replaced: Session, score: str, expected: int
) -> None:
    for direction in ("ASC", "DESC"):
        query = f"SELECT k FROM t GROUP BY k ORDER BY {score} {direction} LIMIT 1"
        assert scores(release(session, query)).score_range == expected
        assert scores(release(replaced, query)).score_range == 2 * expected


@pytest.mark.parametrize(
    ("query", "sensitivity"),
    [
        ("SELECT COUNT(*) FROM t", M),
        ("SELECT k, COUNT(*) FROM t GROUP BY k", M),
        ("SELECT j, COUNT(DISTINCT u) FROM t GROUP BY j", M),
        ("SELECT COUNT(DISTINCT name) FROM t", M),
        ("SELECT SUM(x) FROM t", 8 * M),
        ("SELECT AVG(x) FROM t", 13 * M),
        ("SELECT STDDEV(x) FROM t", 13 * 13 * M),
    ],
)
def test_sensitivities_are_those_of_m_rows_and_twice_that_when_a_unit_is_replaced(
    session: Session, replaced: Session, query: str, sensitivity: int
) -> None:
    assert [f.sensitivity for f in release(session, query).families] == [sensitivity]
    assert [f.sensitivity for f in release(replaced, query).families] == [2 * sensitivity]


def test_one_row_a_unit_needs_no_bounding_and_counts_units_as_rows(tmp_path: Path) -> None:
    session = Table(COLUMNS, table="one_row_per_unit: true").open(tmp_path)
    found = release(session, "SELECT k, COUNT(DISTINCT u), COUNT(*) FROM t GROUP BY k")
    assert [f.sensitivity for f in found.families] == [1]
    assert [(p.bounding.rows, p.bounding.table_cap) for p in found.parts] == [(None, False)]


@pytest.mark.parametrize(
    ("privacy", "table", "rows", "table_cap", "sensitivity"),
    [
        ("max_rows_per_unit: 5", "", 5, False, 5),
        ("", "max_rows_per_unit: 5", None, True, 5),
        ("max_rows_per_unit: 3", "max_rows_per_unit: 5", 3, True, 3),
        ("max_rows_per_unit: 5", "max_rows_per_unit: 3", None, True, 3),
        ("max_rows_per_unit: 5", "one_row_per_unit: true", None, False, 1),
    ],
)
def test_only_the_bounding_that_is_needed_is_enforced(
    tmp_path: Path, privacy: str, table: str, rows: int | None, table_cap: bool, sensitivity: int
) -> None:
    session = Table(COLUMNS, privacy=privacy, table=table).open(tmp_path)
    found = release(session, "SELECT COUNT(*) FROM t")
    (part,) = found.parts
    assert (part.bounding.rows, part.bounding.table_cap) == (rows, table_cap)
    assert found.families[0].sensitivity == sensitivity


def test_a_join_that_multiplies_rows_is_bounded_after_it_or_multiplies_the_sensitivity(
    tmp_path: Path,
) -> None:
    query = "SELECT COUNT(*) FROM t JOIN twice USING (k)"
    capped = Table(COLUMNS, privacy="max_rows_per_unit: 7", table="max_rows_per_unit: 5", public=PUBLIC)
    found = release(capped.open(tmp_path / "capped"), query)
    assert (found.parts[0].bounding.rows, found.families[0].sensitivity) == (7, 7)
    plain = Table(COLUMNS, table="max_rows_per_unit: 5", public=PUBLIC)
    found = release(plain.open(tmp_path / "plain"), query)
    assert (found.parts[0].bounding.rows, found.families[0].sensitivity) == (None, 10)


@pytest.mark.parametrize(
    ("accountant", "law"),
    [
        ("approx", Mechanism.PERMUTE_AND_FLIP),
        ("zcdp", Mechanism.EXPONENTIAL),
        ("rdp", Mechanism.EXPONENTIAL),
    ],
)
def test_the_accountant_decides_by_which_law_groups_are_chosen(
    tmp_path: Path, accountant: str, law: Mechanism
) -> None:
    opened = Table(COLUMNS, privacy="max_rows_per_unit: 6", accountant=accountant).open(tmp_path)
    found = release(opened, "SELECT k FROM t GROUP BY k ORDER BY COUNT(DISTINCT u) DESC LIMIT 2")
    assert [(e.mechanism, e.sensitivity, e.cost.epsilon) for e in found.events] == [
        (law, 1, Fraction(1, 2))
    ] * 2


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("query", "selected"),
    [
        ("SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1", True),
        ("SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 2", False),
        ("SELECT k FROM t GROUP BY k ORDER BY COUNT(DISTINCT u) LIMIT 3", True),
        ("SELECT k FROM t GROUP BY k ORDER BY COUNT(DISTINCT u) LIMIT 4", True),
        ("SELECT j FROM t GROUP BY j ORDER BY COUNT(DISTINCT u) LIMIT 6", True),
        ("SELECT j FROM t GROUP BY j ORDER BY COUNT(DISTINCT u) LIMIT 7", False),
        ("SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY 2 LIMIT 1", False),
        ("SELECT k, COUNT(DISTINCT u) FROM t GROUP BY k ORDER BY 2 LIMIT 1", True),
        ("SELECT k, COUNT(DISTINCT u) FROM t GROUP BY k ORDER BY 2 LIMIT 2", False),
        ("SELECT j, COUNT(DISTINCT u) FROM t GROUP BY j ORDER BY 2 LIMIT 3", True),
        ("SELECT j, COUNT(DISTINCT u) FROM t GROUP BY j ORDER BY 2 LIMIT 4", False),
        ("SELECT k, AVG(x) FROM t GROUP BY k ORDER BY COUNT(DISTINCT u) LIMIT 1", False),
    ],
)
def test_groups_are_selected_where_the_noise_of_the_choices_is_no_more_than_that_of_all_groups(
    tmp_path: Path, query: str, selected: bool
) -> None:
    opened = Table(COLUMNS, privacy="max_rows_per_unit: 6").open(tmp_path)
    found = release(opened, query)
    assert any(isinstance(p, Scores) for p in found.parts) is selected
    assert found.question.sorted is not selected


def test_a_unit_counts_once_in_each_of_the_chosen_groups(session: Session, replaced: Session) -> None:
    query = "SELECT j, COUNT(DISTINCT u) FROM t GROUP BY j ORDER BY 2 DESC LIMIT 3"
    assert [f.sensitivity for f in release(session, query).families] == [3]
    assert [f.sensitivity for f in release(replaced, query).families] == [3]
