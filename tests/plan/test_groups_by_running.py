"""No unit, removed or replaced, moves what is counted by groups further than the groups are said to let it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from plan.opened import plan
from plan.test_groups_of_a_unit import ALIKE, JOINED, POLICY, UNLIKE

UNITS, DATABASES, ROWS, CHANGED = 5, 2, 9, 0
NATIONS = (
    "CREATE TABLE nations AS SELECT * FROM (VALUES (0, 'zero', 1), (1, 'one', 1), (2, 'two', 2)) "
    "v(nation, name, zone)"
)
KEYS = ("p.home", "p.home, p.nation > 0", "LENGTH(p.home)")
QUERIES = (
    *(
        f"SELECT {keys}, COUNT(DISTINCT {'p.id' if 'people p LEFT' in rows else 'o.owner'}) AS n {rows} GROUP BY ALL"
        for rows in (*ALIKE, *UNLIKE[:2])
        for keys in KEYS
    ),
    f"SELECT n.name, COUNT(DISTINCT o.owner) AS n {JOINED} JOIN nations n ON n.nation = p.nation GROUP BY n.name",
    f"SELECT n.name, COUNT(DISTINCT o.owner) AS n {JOINED} JOIN nations n ON n.zone = p.nation GROUP BY n.name",
    f"SELECT n.name, COUNT(DISTINCT o.owner) AS n {JOINED} LEFT JOIN nations n ON n.nation = p.nation AND o.x > 3 "
    "GROUP BY n.name",
    f"SELECT COALESCE(p.home, o.kind) AS k, COUNT(DISTINCT o.owner) AS n {JOINED} GROUP BY 1",
    f"SELECT p.home, o.paid, COUNT(DISTINCT o.owner) AS n {JOINED} GROUP BY ALL",
    "SELECT kind, COUNT(DISTINCT owner) AS n FROM orders GROUP BY kind",
    "SELECT kind, coupon, COUNT(DISTINCT owner) AS n FROM orders GROUP BY ALL",
    "SELECT COUNT(DISTINCT kind) AS n FROM orders",
    "SELECT kind, COUNT(DISTINCT x) AS n FROM orders GROUP BY kind",
    "SELECT kind, COUNT(DISTINCT (coupon, paid)) AS n FROM orders WHERE x < 6 GROUP BY kind",
    "SELECT COUNT(DISTINCT kind) FILTER (WHERE x < 5) AS n FROM orders",
    "SELECT COUNT(*) AS n FROM (SELECT DISTINCT owner, kind, paid FROM orders)",
    f"SELECT home, COUNT(*) AS n FROM (SELECT DISTINCT o.owner, p.home, o.paid {JOINED}) GROUP BY home",
)
Person = tuple[object, ...]
Database = dict[int, tuple[Person, Sequence[Person]]]


def unit(draw: random.Random, at: int) -> tuple[Person, Sequence[Person]]:
    """A person, listed or not, and orders of all kinds, listed or not."""
    person = (
        at,
        draw.choice(("north", "south", "east", "elsewhere", None)),
        f"t{draw.randrange(3)}",
        draw.randrange(4),
    )
    kinds, coupons = ("a", "b", "c", "unlisted"), ("p", "q", "other", None)
    orders = [
        (
            *(at, draw.randrange(-2, 12), draw.choice(kinds), draw.choice((True, False, None))),
            *(draw.choice(coupons), f"c{draw.randrange(4)}"),
        )
        for _ in range(draw.choice((ROWS, 3 * ROWS) if at == CHANGED else (0, 1, ROWS, 3 * ROWS)))
    ]
    return person, orders


def session(database: Database, neighbours: str, folder: Path) -> Session:
    folder.mkdir(parents=True)
    with duckdb.connect(str(folder / "data.duckdb")) as connection:
        connection.execute("CREATE TABLE people (id BIGINT, home VARCHAR, town VARCHAR, nation BIGINT)")
        connection.execute(
            "CREATE TABLE orders (owner BIGINT, x BIGINT, kind VARCHAR, paid BOOLEAN, coupon VARCHAR, city VARCHAR)"
        )
        connection.execute(NATIONS)
        for person, orders in database.values():
            if person[3] != 3:  # some persons are in no row of people
                connection.execute("INSERT INTO people VALUES (?, ?, ?, ?)", person)
            for order in orders:
                connection.execute("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)", order)
    path = folder / "policy.yaml"
    path.write_text(
        POLICY.format(privacy=f"neighbours: {neighbours}, max_rows_per_unit: 50"), encoding="utf-8"
    )
    return build_session(load_policy(path), "alice", None, (None, None), Noiseless())  # type: ignore[arg-type]


def pair(neighbours: str, seed: int) -> tuple[Database, Database]:
    """A database, and one without its first unit or with another one in its place."""
    draw = random.Random(f"{neighbours} {seed}")
    whole = {at: unit(draw, at) for at in range(UNITS)}
    changed = {at: u for at, u in whole.items() if at != CHANGED}
    if neighbours == "substitute":
        changed[CHANGED] = unit(draw, CHANGED)
    return whole, changed


def moved(one: Session, other: Session, query: str) -> int:
    """The L1 distance of the exact counts of all groups."""
    left, right = (Counter({row[:-1]: row[-1] for row in s.answer(query).rows}) for s in (one, other))
    return sum(abs(left[k] - right[k]) for k in {*left, *right})


@pytest.mark.one_in(18)
@pytest.mark.parametrize("neighbours", ["substitute", "add_remove"])
def test_nothing_moves_further_than_is_claimed_and_something_moves_as_far(
    neighbours: str, tmp_path: Path, executions: int
) -> None:
    nearest: Counter[str] = Counter()
    claimed: dict[str, int] = {}
    for seed in range(executions or DATABASES):
        with ExitStack() as stack:
            left, right = (
                stack.enter_context(closing(session(d, neighbours, tmp_path / f"{seed} {i}")))
                for i, d in enumerate(pair(neighbours, seed))
            )
            for query in QUERIES:
                (event,) = (e for r in plan(left, query).releases for e in r.events)
                claimed[query] = event.sensitivity
                found = moved(left, right, query)
                assert found <= event.sensitivity, query
                nearest[query] = max(nearest[query], found)
    assert len([q for q in QUERIES if nearest[q] == claimed[q]]) > len(QUERIES) // 3
