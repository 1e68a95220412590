"""All that an analyst can see of a query, on neighbours whose every draw is the same.

The sampler here never looks at what it protects, and the engine finds the groups of both databases on each. What is
seen is then a function of text and policy alone, so that any difference between neighbours is a leak.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch
from uuid import UUID

import numpy as np
from samplers import StandIn

import dpsql
from dpsql.audit.databases.random_database import neighbour, random_database, stored
from dpsql.audit.queries.generated_query import Query
from dpsql.audit.queries.random_query import random_query
from dpsql.audit.sensitivity import Subject
from dpsql.dbapi import Connection, Cursor
from dpsql.engines import private_engine
from dpsql.engines.base import Engine, EngineFailed, EngineQuery, Exact
from dpsql.engines.sqlgen import bounding
from dpsql.mechanisms.partition.thresholding import NoisyGroups
from dpsql.mechanisms.sampler import Sampler
from dpsql.policy.model import Policy
from dpsql.privacy import Cost
from dpsql.session import Session, build_session

QUERIES_OF_A_DATABASE = 10
# The budget ends before the queries do.
BUDGET = Cost(Fraction(5), Fraction(1, 10**3))
PYTHON_TYPES = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "UBIGINT"), int),
    **dict.fromkeys(("FLOAT", "DOUBLE"), float),
    "DECIMAL": Decimal,
    "VARCHAR": str,
    "BOOLEAN": bool,
    "DATE": date,
    "TIMESTAMP": datetime,
    "INTERVAL": timedelta,
    "UUID": UUID,
    '"NULL"': type(None),
}
Seen = tuple[object, ...]


class Fixed(StandIn):
    """Its draws depend on the query's number and on how many there are, and on nothing else.

    Its integers are near 0, ordinary, as wide as 64 bits or wider, in turn; their width is the input's, as in use.
    """

    def __init__(self) -> None:
        self.query = 0

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: object) -> np.ndarray:
        low, high = ((-2, 3), (-40, 400), (-(2**40), 2**41), (-(2**60), 2**61), (0, 1))[self.query % 5]
        drawn = self._draw(values).integers(low, high, np.size(values)).reshape(np.shape(values))
        if self.query % 7 == 6:
            return drawn.astype(object) * 2**70
        return drawn.astype(np.asarray(values).dtype)

    def kept(self, groups: np.ndarray) -> np.ndarray:
        return self._draw(groups).random(len(groups)) < 0.8

    def best(self, scores: np.ndarray) -> int:
        return int(self._draw(scores).integers(0, len(scores)))

    def laplace_thresholding(
        self,
        unit_counts: np.ndarray,
        *,
        epsilon: object,
        delta: object,
        groups_per_unit: int,
        rows_per_unit: int | None = None,
    ) -> NoisyGroups:
        draw = self._draw(unit_counts)
        kept = np.flatnonzero(draw.random(len(unit_counts)) < 0.8)
        return NoisyGroups(kept, draw.integers(0, 1000, len(kept)))

    def randomized_response(self, bits: np.ndarray, *, epsilon: object) -> np.ndarray:
        return self._draw(bits).integers(0, 2, np.size(bits))

    def k_randomized_response(self, values: np.ndarray, *, k: int, epsilon: object) -> np.ndarray:
        return self._draw(values).integers(0, k, np.size(values))

    def rappor(self, values: np.ndarray, *, k: int, epsilon: object) -> np.ndarray:
        return self._draw(values).integers(0, 2, (np.size(values), k))

    def random_order(self, size: int) -> np.ndarray:
        return np.random.default_rng([self.query, size]).permutation(size)

    def _draw(self, values: np.ndarray) -> np.random.Generator:
        return np.random.default_rng([self.query, np.size(values)])


class Both:
    """A private engine that finds its own integers, and, as groups of nobody, the groups of another database."""

    def __init__(self, own: Engine, other: Engine) -> None:
        self.own, self.other = own, other

    def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
        found = self.own.run(query, seconds)
        try:
            others = self.other.run(query, seconds).keys if query.keys else ()
        except EngineFailed:
            return found
        here = {repr(key) for key in found.keys}
        more = tuple(key for key in others if repr(key) not in here)
        nobody = np.zeros((len(more), found.values.shape[1]), dtype=found.values.dtype)
        return Exact((*found.keys, *more), np.vstack([found.values, nobody]))

    def close(self) -> None:
        self.own.close()


# How many epsilons are tried for a query that the budget does not cover: each is a plan of its own.
few_epsilons = patch("dpsql.stages.what_fits._HALVINGS", 1)


@dataclass
class Compared:
    """What a run of the fuzzer has seen: queries, outcomes by kind, and the first difference."""

    queries: int = 0
    outcomes: dict[str, int] | None = None
    difference: str | None = None

    def saw(self, seen: Seen) -> None:
        self.outcomes = self.outcomes if self.outcomes is not None else {}
        self.outcomes[str(seen[0])] = self.outcomes.get(str(seen[0]), 0) + 1


def sights(connection: Connection, query: Query, draw: random.Random) -> Iterator[tuple[str, Seen]]:
    """Everything that is asked about a query, and what is seen of it."""
    texts = {
        "asked": query.sql,
        "asked again": query.sql,
        "explained": f"EXPLAIN {query.sql}",
        "probed": f"SELECT * FROM ({query.sql}) AS probe LIMIT 0",
        "broken": broken(query.sql, draw),
    }
    for how, sql in texts.items():
        yield how, seen(connection, sql, query)
    yield "planned", attempt(connection, lambda: connection.explain(query.sql, query.params))
    yield "without parameters", seen(connection, query.sql, replace(query, params=None))


def broken(sql: str, draw: random.Random) -> str:
    """The text without one of its words, or with one twice."""
    words = sql.split(" ")
    at = draw.randrange(len(words))
    return " ".join(words[:at] + (words[at : at + 1] * draw.choice((0, 2))) + words[at + 1 :])


def seen(connection: Connection, sql: str, query: Query) -> Seen:
    """All that execute shows: kind, shape, rows with their intervals, the report, and what is left."""

    def answered() -> Seen:
        cursor = connection.execute(sql, query.params)
        report = cursor.release
        rows = cursor.fetchall()
        check_types(cursor, rows)
        cells = [*map(repr, zip(rows, report.intervals or ("",) * len(rows), strict=True))]
        return (
            cursor.description,
            cursor.rowcount,
            tuple(cells if query.ordered else sorted(cells)),
            (report.epsilon, report.delta, report.releases, report.notes),
        )

    return attempt(connection, answered)


def attempt(connection: Connection, work: Callable[[], object]) -> Seen:
    """What the work gives or says, and the budget afterwards."""
    try:
        outcome: Seen = ("answered", work())
    except dpsql.Error as error:
        assert not isinstance(error, dpsql.InternalError), "dpsql failed inside"
        outcome = (type(error).__name__, str(error), repr(vars(error)))
    return (*outcome, connection.budget())


def check_types(cursor: Cursor, rows: Sequence[tuple[object, ...]]) -> None:
    """Every value is NULL or of the one Python type that belongs to its column's declared type."""
    for i, (name, declared, *_) in enumerate(cursor.description or ()):
        kind = list if declared.endswith("[]") else PYTHON_TYPES[declared.partition("(")[0]]
        wrong = {type(row[i]).__name__ for row in rows if row[i] is not None and type(row[i]) is not kind}
        assert not wrong, f"{name} is declared {declared} and has values of {wrong}"


@contextmanager
def side_by_side(
    subject: Subject, folder: Path, draw: random.Random, samplers: tuple[Sampler, Sampler]
) -> Iterator[tuple[Connection, Connection]]:
    """Connections to a random database and its neighbour, each of which finds the groups of both."""
    database = random_database(subject.policy, subject.view, subject.style, draw)
    nearby = neighbour(database, draw)
    with ExitStack() as stack:
        sessions, clipping = [], draw.choice((None, "private"))
        # Of some databases the few units that own most are asked first.
        stack.enter_context(patch.object(private_engine, "ROWS_AT_ONCE", draw.choice((0, 2**20))))
        stack.enter_context(patch.object(bounding, "_MOST_UNITS", 4))
        for name, rows, sampler in zip("ab", (database, nearby), samplers, strict=True):
            policy = poor(stored(rows, folder / name))
            sessions.append(
                build_session(
                    policy, "audit", None, (None, None), sampler, clipping=clipping, empty_conditions=True
                )
            )
            stack.callback(sessions[-1].close)
        join(*sessions)
        yield Connection(sessions[0]), Connection(sessions[1])


def poor(policy: Policy) -> Policy:
    """The policy with a budget that ends."""
    assert policy.default is not None
    return replace(policy, default=replace(policy.default, limit=BUDGET))


def join(one: Session, other: Session) -> None:
    """Lets each session's engine find the groups of both."""
    engines = one._state.engine, other._state.engine
    one._state.engine, other._state.engine = Both(*engines), Both(*reversed(engines))


@few_epsilons
def compare(
    subjects: Sequence[Subject],
    folder: Path,
    seed: int,
    count: int,
    sampler: Callable[[], Fixed] = Fixed,
    disturb: Callable[[Connection, Connection], None] = lambda one, other: None,
    wanted: Callable[[Query], bool] = lambda query: True,
    ways: int | None = None,
) -> Compared:
    """Runs the policies in turn until so many wanted queries were compared or a difference is found.

    `ways` are how many of the things that can be asked about a query are; None for all.
    """
    compared = Compared()
    while compared.queries < count and compared.difference is None:
        subject, draw, samplers = subjects[seed % len(subjects)], random.Random(seed), (sampler(), sampler())
        with side_by_side(subject, folder / str(seed), draw, samplers) as (one, other):
            disturb(one, other)
            drawn = (
                (n, random_query(n, subject.view)) for n in itertools.count(seed * QUERIES_OF_A_DATABASE)
            )
            for number, query in itertools.islice(
                filter(lambda d: wanted(d[1]), drawn), QUERIES_OF_A_DATABASE
            ):
                samplers[0].query = samplers[1].query = number
                compared.difference = _difference(one, other, query, number, compared, ways)
                if compared.difference is not None:
                    return compared
        seed += 1
    return compared


def _difference(
    one: Connection, other: Connection, query: Query, number: int, into: Compared, ways: int | None
) -> str | None:
    into.queries += 1
    left = sights(one, query, random.Random(number))
    right = sights(other, query, random.Random(number))
    for (how, here), (_, there) in itertools.islice(zip(left, right, strict=True), ways):
        into.saw(here)
        if here != there:
            return f"query {number}, {how}: {query.sql}\n{query.params}\n{here}\n{there}"
    return None
