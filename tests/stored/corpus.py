"""Plans of many kinds: of the cases of tests/cases/answers, and of generated queries under the fuzzers' policies."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, closing
from itertools import count
from pathlib import Path

from answers.cases import CASES, read_cases
from answers.shop import make_shop
from fuzz.worlds import BITING, LOOSE, PARTED, subjects

from dpsql.audit.databases.random_database import random_database, stored
from dpsql.audit.queries.random_query import random_query
from dpsql.errors import QueryRefused
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.plan.types import Release
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

WORLDS = (*BITING, *PARTED, *LOOSE)
# Of a short run: a prime number, so that every kind of case is met.
EVERY = 19
OFTEN = 10


def of_cases(folder: Path, every: int = 1) -> Iterator[Release]:
    """The releases of every so-manyth case that is answered."""
    shop = make_shop(folder)
    cases = [c for p in sorted(CASES.glob("*.sql")) if p.stem != "refused" for c in read_cases(p)]
    with ExitStack() as stack:
        sessions: dict[str, Session] = {}
        for case in cases[::every]:
            if case.policy not in sessions:
                sessions[case.policy] = stack.enter_context(closing(_opened(shop / f"{case.policy}.yaml")))
            yield from prepare(case.sql, case.params, sessions[case.policy]._state).plan.releases


def of_fuzz(folder: Path, queries: int, seed: int) -> Iterator[Release]:
    """The releases of so many generated queries, some under each policy."""
    worlds = WORLDS if queries >= OFTEN * len(WORLDS) else WORLDS[::EVERY]
    each = queries // len(worlds) + 1
    numbers = count(seed)
    for at, world in enumerate(subjects(worlds, folder)):
        database = random_database(world.policy, world.view, world.style, random.Random(seed + at))
        policy = stored(database, folder / f"data{at}")
        with closing(build_session(policy, "analyst", None, (None, None), ExactSampler())) as session:
            for _ in range(each):
                query = random_query(next(numbers), world.view)
                try:
                    yield from prepare(query.sql, query.params, session._state).plan.releases
                except QueryRefused:
                    continue


def _opened(policy: Path) -> Session:
    return build_session(load_policy(policy), "alice", None, (None, None), ExactSampler())
