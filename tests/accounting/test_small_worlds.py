"""Every small database and every neighbour: what a unit really loses, by exact laws, and what the ledger holds.

The law of a discrete Laplace vector on two databases differs by a factor of at most exp(epsilon / sensitivity * d),
where d is the L1 distance of its exact integers, and by just as much at some output. Noise is drawn anew for each
release, so that the losses of several add up at the worst of their outputs: the sum is what a unit really loses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import duckdb
import pytest

from dpsql.accounting.accountants.accountant import Accountants
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.ledger.partition_balance import Balance
from dpsql.accounting.ledger.spent import added
from dpsql.audit.exact import Moved, found, moved
from dpsql.engines.private_engine import DuckEngine
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.load import load_policy
from dpsql.policy.model import AccountantName
from dpsql.privacy import Cost, Mechanism
from dpsql.release.prepared_query import PreparedQuery
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

POLICY = """\
version: 1
privacy: {{unit: people.id, neighbours: {neighbours}, mechanisms: [discrete_laplace]}}
tables:
  people:
    source: people.duckdb
    one_row_per_unit: true
    columns:
      id: {{type: integer}}
      land: {{type: text, values: [a, b], nullable: true, partition: true}}
  visits:
    source: people.duckdb
    unit_key: id
    max_rows_per_unit: 1
    columns:
      id: {{type: integer}}
      cost: {{type: integer, lower: 0, upper: 2}}
budgets:
  dataset: {{epsilon: 1000, delta: 0}}
  default: {{epsilon: 1000, delta: 0, per_query: 1}}
"""
QUERIES = (
    "SELECT COUNT(*) FROM people WHERE land = 'a'",
    "SELECT COUNT(DISTINCT id), COUNT(*) FROM people WHERE land IN ('b')",
    "SELECT COUNT(*) FROM people WHERE land IS NULL",
    "SELECT land, COUNT(*) FROM people WHERE land IS NOT NULL GROUP BY land",
    "SELECT land, COUNT(*) FROM people GROUP BY land",
    "SELECT SUM(cost) FROM visits",
    "SELECT SUM(cost) FROM visits JOIN people USING (id) WHERE land = 'b'",
    "SELECT COUNT(*) FROM visits AS v LEFT JOIN people AS p ON v.id = p.id AND p.land = 'a' WHERE p.land IS NULL",
    "SELECT COUNT(*) FILTER (WHERE land = 'b') FROM people",
)
# What a unit can be: not there, without a row of people, in the part of a, of b, or in neither.
STATES = (None, ("visit",), ("a", 2), ("b", 2), (None, 1), ("A", 2))
State = tuple[object, ...] | None


def stored(path: Path, units: Sequence[State]) -> None:
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE TABLE people (id INTEGER, land VARCHAR)")
        db.execute("CREATE TABLE visits (id INTEGER, cost INTEGER)")
        for number, unit in enumerate(units):
            if unit is not None and len(unit) == 2:
                db.execute("INSERT INTO people VALUES (?, ?)", [number, unit[0]])
            if unit is not None:
                db.execute("INSERT INTO visits VALUES (?, ?)", [number, unit[1] if len(unit) == 2 else 2])


def losses(ready: PreparedQuery, one: DuckEngine, other: DuckEngine) -> Fraction:
    """The logarithm of the largest ratio of the laws of a query's answer on two databases."""
    events = [e for r in ready.plan.releases for e in r.events]
    moves: list[Moved] = list(moved(ready, found(ready, one), found(ready, other)))
    assert len(moves) == len(events) and {e.mechanism for e in events} == {Mechanism.DISCRETE_LAPLACE}
    return sum(
        (Fraction(m.by, m.claimed) * e.cost.epsilon for m, e in zip(moves, events, strict=True)), Fraction(0)
    )


@pytest.fixture(scope="module", params=["add_remove", "substitute"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with ExitStack() as stack:
        yield made(request.param, tmp_path_factory.mktemp("worlds"), stack)


class World:
    """The plans of all queries, and what each costs a unit between every two neighbours."""

    def __init__(self, session: Session, plans: list[PreparedQuery], lost: list[list[Fraction]]) -> None:
        self.session = session
        self.plans = plans
        self.lost = lost


def made(neighbours: str, folder: Path, stack: ExitStack) -> World:
    (folder / "people.yaml").write_text(POLICY.format(neighbours=neighbours), encoding="utf-8")
    stored(folder / "people.duckdb", ())
    policy = load_policy(folder / "people.yaml")
    session = stack.enter_context(closing(build_session(policy, "alice", None, (None, None), ExactSampler())))
    engines = {}
    for at, units in enumerate(product(STATES, STATES[:4:3])):
        (folder / str(at)).mkdir()
        stored(folder / str(at) / "people.duckdb", units)
        text = (folder / "people.yaml").read_text(encoding="utf-8")
        (folder / str(at) / "people.yaml").write_text(text, encoding="utf-8")
        engine = DuckEngine.open(load_policy(folder / str(at) / "people.yaml"))
        engines[units] = stack.enter_context(closing(engine))
    plans = [prepare(sql, None, session._state) for sql in QUERIES]
    pairs = [
        (x, y)
        for x, y in combinations(engines, 2)
        if x[1] == y[1] and (None in (x[0], y[0])) == (neighbours == "add_remove")
    ]
    return World(session, plans, [[losses(p, engines[x], engines[y]) for x, y in pairs] for p in plans])


def test_the_ledgers_total_bounds_what_every_unit_loses_and_no_unit_less_would_do(world: World) -> None:
    """Of every choice of up to four queries; of those that read people alone, the bound is met."""
    known, tight = Accountants(), frozenset({0, 1, 2, 3, 4})
    rules = known.named(AccountantName.APPROX)
    for asked in (c for n in (1, 2, 3, 4) for c in combinations(range(len(QUERIES)), n)):
        balance = Balance()
        for entry, query in enumerate(asked, 1):
            balance = balance.plus(added(world.plans[query].due, known), "policy:1", entry)
        spent = rules.spent(balance.worst, Fraction(0)).epsilon
        real = max(sum(lost) for lost in zip(*(world.lost[q] for q in asked), strict=True))
        assert real <= spent, [QUERIES[q] for q in asked]
        single = all(
            len(c.confined.parts) == 1 for q in asked for c in world.plans[q].due if c.confined is not None
        )
        if tight.issuperset(asked) and (world.session.policy.privacy.neighbours == "add_remove" or single):
            assert real >= spent * TIGHT[world.session.policy.privacy.neighbours], [QUERIES[q] for q in asked]


# A replaced unit moves each of two counts by one: by half of what a count claims that it may move by two.
TIGHT = {"add_remove": Fraction(1), "substitute": Fraction(1, 2)}


def test_the_ledger_holds_that_total_after_each_answer(world: World, tmp_path: Path) -> None:
    known, state = Accountants(), world.session._state
    total = [Fraction(0)] * len(world.lost[0])
    with closing(Ledger.open(tmp_path / "a.ledger")) as ledger:
        for plan, lost in zip(world.plans, world.lost, strict=True):
            ledger.charge(state.request, plan.due)
            total = [a + b for a, b in zip(total, lost, strict=True)]
            spent = ledger.standing(state.request).spent
            assert (
                max(total)
                <= spent.epsilon
                < sum((c.cost.epsilon for p in world.plans for c in p.due), Fraction(0))
            )
        assert spent == Cost(
            known.named(AccountantName.APPROX).spent(ledger.totals("dataset"), Fraction(0)).epsilon
        )
        assert ledger.verify() == ()
