"""In how many groups a unit can be counted, as far as lists of values and tables with one row of a unit say it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.errors import InternalError
from dpsql.plan.types import Bounding, Part, Presence, Release, Sums
from dpsql.plan.verify.cost import check_cost
from dpsql.policy.load import load_policy
from dpsql.privacy import Cost
from dpsql.session import Session, build_session
from plan.opened import plan, release

POLICY = """
version: 1
privacy: {{unit: people.id, {privacy}}}
tables:
  people:
    source: data.duckdb
    one_row_per_unit: true
    columns:
      id: {{type: integer}}
      home: {{type: text, values: [north, south, east], nullable: true}}
      town: {{type: text}}
      nation: {{type: integer}}
  orders:
    source: data.duckdb
    unit_key: owner
    columns:
      owner: {{type: integer}}
      x: {{type: integer, lower: 0, upper: 9}}
      kind: {{type: text, values: [a, b, c]}}
      paid: {{type: boolean, nullable: true}}
      coupon: {{type: text, values: [p, q], nullable: true}}
      city: {{type: text}}
  nations: {{source: data.duckdb, public: true}}
budgets:
  dataset: {{epsilon: 1000, delta: 0.001}}
  default: {{epsilon: 100, delta: 0.0001, per_query: {{epsilon: 1, delta: 1e-6}}}}
"""
DATA = """
CREATE TABLE people AS SELECT i AS id, ['north', 'south', 'elsewhere', NULL][1 + i % 4] AS home, 't' || i % 7 AS town,
    i % 3 AS nation FROM range(40) r(i);
CREATE TABLE orders AS SELECT i % 30 AS owner, i % 10 AS x, ['a', 'b', 'c', 'unlisted'][1 + i % 4] AS kind,
    [TRUE, FALSE, NULL][1 + i % 3] AS paid, ['p', 'q', NULL][1 + i % 3] AS coupon, 'c' || i % 9 AS city
    FROM range(400) r(i);
CREATE TABLE nations AS SELECT * FROM (VALUES (0, 'zero', 1), (1, 'one', 1), (2, 'two', 2)) v(nation, name, zone)
"""
M = 50
ASKED = Cost(Fraction(1))
JOINED = "FROM orders o JOIN people p ON p.id = o.owner"
# Without thresholding, groups are selected first and counted then: two parts.
APART = "mechanisms: [discrete_laplace, truncated_geometric]"


def opened(folder: Path, privacy: str = f"max_rows_per_unit: {M}") -> Session:
    folder.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(folder / "data.duckdb")) as connection:
        connection.execute(DATA)
    path = folder / "policy.yaml"
    path.write_text(POLICY.format(privacy=privacy), encoding="utf-8")
    return build_session(load_policy(path), "alice", None, (None, None), Noiseless())  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return opened(tmp_path_factory.mktemp("groups"))


@pytest.fixture(scope="module")
def replaced(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return opened(tmp_path_factory.mktemp("replaced"), f"neighbours: substitute, max_rows_per_unit: {M}")


def moved(session: Session, query: str) -> list[int]:
    return [e.sensitivity for r in plan(session, query).releases for e in r.events]


def units_by(keys: str, rows: str = "FROM orders o") -> str:
    return f"SELECT {keys}, COUNT(DISTINCT o.owner) {rows} GROUP BY ALL"


@pytest.mark.parametrize(
    ("query", "alone", "twice"),
    [
        (units_by("o.kind"), 3, 3),
        (units_by("o.coupon"), 3, 3),
        (units_by("o.kind, o.coupon"), 9, 9),
        (units_by("o.kind", "FROM orders o WHERE o.kind IN ('a', 'b')"), 2, 2),
        (units_by("o.x", "FROM orders o WHERE o.x < 0"), 1, 1),
        (units_by("o.kind, o.coupon, o.x"), M, 90),
        ("SELECT COUNT(DISTINCT owner) FROM orders", 1, 1),
        ("SELECT COUNT(DISTINCT kind) FROM orders", 3, 3),
        ("SELECT COUNT(DISTINCT paid) FROM orders", 2, 2),
        ("SELECT COUNT(DISTINCT x) FROM orders", 10, 10),
        ("SELECT COUNT(DISTINCT x // 4) FROM orders", 3, 3),
        ("SELECT COUNT(DISTINCT city) FROM orders", M, 2 * M),
        ("SELECT COUNT(DISTINCT (kind, paid)) FROM orders", 12, 12),
        ("SELECT kind, COUNT(DISTINCT x) FROM orders GROUP BY kind", 30, 30),
        ("SELECT kind, coupon, COUNT(DISTINCT x) FROM orders GROUP BY kind, coupon", M, 90),
    ],
)
def test_a_unit_is_in_no_more_groups_than_there_are(
    session: Session, replaced: Session, query: str, alone: int, twice: int
) -> None:
    assert (moved(session, query), moved(replaced, query)) == ([alone], [twice])


ALIKE = (
    JOINED,
    "FROM people p JOIN orders o ON p.id = o.owner AND o.x > 3",
    "FROM orders o LEFT JOIN people p ON p.id = o.owner",
    "FROM orders o LEFT JOIN people p ON p.id = o.owner WHERE o.x < 5 OR p.home = 'north'",
    "FROM people p LEFT JOIN orders o ON p.id = o.owner AND o.x > 3",
    f"{JOINED} JOIN orders o2 ON o2.owner = p.id",
    "FROM (SELECT * FROM orders WHERE x > 2) o JOIN (SELECT * FROM people) p ON p.id = o.owner",
)
UNLIKE = (
    "FROM orders o LEFT JOIN people p ON p.id = o.owner AND o.x > 3",
    "FROM orders o LEFT JOIN people p ON p.id = o.owner AND p.nation = o.x",
    "FROM (SELECT owner, home FROM people JOIN orders ON id = owner UNION ALL SELECT id, 'east' FROM people) AS o, "
    "LATERAL (SELECT o.home AS home) p",
)


@pytest.mark.parametrize("rows", ALIKE)
def test_all_rows_of_a_unit_are_in_one_group_of_what_a_table_says_of_it_once(
    session: Session, replaced: Session, rows: str
) -> None:
    home = f"SELECT p.home, COUNT(DISTINCT o.owner) {rows} GROUP BY p.home"
    both = f"SELECT p.home, LENGTH(p.home) > 4 AS long, COUNT(DISTINCT o.owner) {rows} GROUP BY ALL"
    if "people p LEFT" in rows:
        home, both = (q.replace("o.owner", "p.id", 1) for q in (home, both))
    assert (moved(session, home), moved(replaced, home)) == ([1], [2])
    assert (moved(session, both), moved(replaced, both)) == ([1], [2])


@pytest.mark.parametrize("rows", UNLIKE)
def test_a_unit_may_be_in_two_groups_where_something_else_decides_what_matches(
    session: Session, rows: str
) -> None:
    query = f"SELECT p.home, COUNT(DISTINCT o.owner) {rows} GROUP BY p.home"
    assert max(moved(session, query)) > 1


@pytest.mark.parametrize("rows", UNLIKE)
def test_the_check_does_not_believe_that_such_a_unit_is_in_one_group(session: Session, rows: str) -> None:
    made = plan(session, f"SELECT p.home, COUNT(DISTINCT o.owner) {rows} GROUP BY p.home")
    for believed in (Bounding(), made.releases[0].parts[0].bounding):
        claimed = replace(made, releases=tuple(weaker(r, partial(of_one, believed)) for r in made.releases))
        with pytest.raises(InternalError, match="below the derived one"):
            check_cost(claimed, ASKED, session._state.context)


@pytest.mark.parametrize(
    ("keys", "groups"),
    [
        ("COALESCE(p.home, o.kind)", 6),
        ("p.home, o.paid", 12),
        ("CASE WHEN o.x > 3 THEN p.home END", 4),
        ("CASE WHEN p.nation > 1 THEN p.home END", 1),
        ("EXISTS (SELECT 1 FROM orders e WHERE e.owner = o.owner AND e.x > o.x)", 2),
    ],
)
def test_keys_of_other_columns_are_in_as_many_groups_as_there_are(
    session: Session, keys: str, groups: int
) -> None:
    assert moved(session, f"SELECT {keys}, COUNT(DISTINCT o.owner) {JOINED} GROUP BY ALL") == [groups]


@pytest.mark.parametrize(
    ("join", "one"),
    [
        ("JOIN nations n ON n.nation = p.nation", True),
        ("JOIN nations n ON n.name = p.home AND n.nation = p.nation", True),
        ("JOIN nations n ON n.zone = p.nation", False),
        ("JOIN nations n ON n.nation = o.x", False),
        ("LEFT JOIN nations n ON n.nation = p.nation AND o.x > 3", False),
    ],
)
def test_a_public_table_says_it_once_where_its_key_is_said_once(
    session: Session, join: str, one: bool
) -> None:
    found = moved(session, f"SELECT n.name, COUNT(DISTINCT o.owner) {JOINED} {join} GROUP BY n.name")
    assert (found == [1]) is one


def test_private_keys_that_are_the_same_in_all_rows_have_the_noise_of_one_group(tmp_path: Path) -> None:
    query = f"SELECT p.town, COUNT(DISTINCT o.owner) {JOINED} GROUP BY p.town"
    cities = "SELECT city, COUNT(DISTINCT owner) FROM orders GROUP BY city"
    for privacy, twice in (("", 1), ("neighbours: substitute, ", 2)):
        found = opened(tmp_path / str(twice), f"{privacy}max_rows_per_unit: {M}, {APART}")
        assert moved(found, query) == [twice, twice]
        assert moved(found, cities) == [M * twice, M * twice]
    assert [type(p) for p in release(found, query).parts] == [Presence, Sums]


def test_what_is_grouped_by_unit_and_listed_keys_has_as_many_rows(session: Session) -> None:
    """NULL is one more: the value of what is not listed, declared nullable or not."""
    inside = "SELECT owner, kind, SUM(x) AS total FROM orders GROUP BY owner, kind"
    assert moved(session, f"SELECT COUNT(*) FROM ({inside})") == [4]
    once = f"SELECT o.owner, p.home, o.paid, SUM(o.x) AS total {JOINED} GROUP BY 1, 2, 3"
    assert moved(session, f"SELECT COUNT(*) FROM ({once})") == [3]
    assert moved(session, "SELECT COUNT(*) FROM (SELECT DISTINCT owner, kind, paid FROM orders)") == [12]


def test_no_cap_is_needed_where_groups_are_public(tmp_path: Path) -> None:
    found = opened(tmp_path, "neighbours: add_remove")
    assert moved(found, units_by("o.kind")) == [3]
    assert moved(found, "SELECT COUNT(DISTINCT kind) FROM orders") == [3]
    assert moved(found, "SELECT COUNT(*) FROM (SELECT DISTINCT owner, kind FROM orders)") == [4]
    query = f"SELECT p.town, COUNT(DISTINCT o.owner) {JOINED} GROUP BY p.town"
    assert moved(found, query) == [1]


def test_all_rows_are_read_where_groups_are_few_and_the_answer_is_exact(session: Session) -> None:
    (part,) = release(session, units_by("o.kind")).parts
    assert part.bounding == Bounding()
    exact = {"a": 15, "b": 15, "c": 15}
    assert dict(session.answer(units_by("o.kind")).rows) == exact


def test_the_cap_on_groups_is_not_enforced_where_there_are_fewer(tmp_path: Path) -> None:
    few = opened(tmp_path / "few", f"max_rows_per_unit: {M}, max_groups_per_unit: 2")
    (part,) = release(few, units_by("o.kind")).parts
    assert part.bounding == Bounding(groups=2) and moved(few, units_by("o.kind")) == [2]
    home = f"SELECT p.home, COUNT(DISTINCT o.owner) {JOINED} GROUP BY p.home"
    (part,) = release(few, home).parts
    assert part.bounding == Bounding() and moved(few, home) == [1]


def test_distinct_values_of_a_list_do_not_share_noise_as_rows_do(session: Session) -> None:
    """Either half of a unit's rows may have all of the values."""
    query = "SELECT COUNT(DISTINCT kind) FILTER (WHERE x < 5), COUNT(DISTINCT kind) FILTER (WHERE x >= 5) FROM orders"
    families = [f for p in release(session, query).parts if isinstance(p, Sums) for f in p.families]
    assert [(f.sensitivity, f.cells) for f in families] == [(3, ((1,),))] * 2
    assert sum(f.epsilon for f in families) == 1


def test_counts_that_share_noise_with_rows_do_so_where_that_is_less(session: Session) -> None:
    two = release(session, "SELECT kind, COUNT(*), COUNT(DISTINCT owner) FROM orders GROUP BY kind")
    assert sorted(f.sensitivity for f in two.families) == [3, M]


def weaker(found: Release, change: Callable[[Part], Part]) -> Release:
    return replace(found, parts=tuple(change(p) for p in found.parts))


def of_one(bounding: Bounding, part: Part) -> Part:
    if isinstance(part, Presence):
        return replace(part, bounding=bounding, groups=1)
    assert isinstance(part, Sums)
    return replace(part, bounding=bounding, families=tuple(replace(f, sensitivity=1) for f in part.families))


def less(part: Part) -> Part:
    assert isinstance(part, Sums)
    return replace(part, families=tuple(replace(f, sensitivity=f.sensitivity - 1) for f in part.families))


@pytest.mark.parametrize(
    "query",
    [
        units_by("o.kind"),
        "SELECT COUNT(DISTINCT kind) FROM orders",
        "SELECT kind, COUNT(DISTINCT x) FROM orders GROUP BY kind",
        f"SELECT p.home, COUNT(DISTINCT o.owner) {JOINED} GROUP BY p.home",
        "SELECT COUNT(*) FROM (SELECT DISTINCT owner, kind FROM orders)",
    ],
)
def test_a_sensitivity_below_what_the_groups_say_is_caught(
    session: Session, replaced: Session, query: str
) -> None:
    for opened_session in (session, replaced):
        made, context = plan(opened_session, query), opened_session._state.context
        assert check_cost(made, ASKED, context) == ASKED
        with pytest.raises(InternalError, match="below the derived one"):
            check_cost(replace(made, releases=tuple(weaker(r, less) for r in made.releases)), ASKED, context)
