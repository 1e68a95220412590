"""Nothing that an analyst sees depends on private rows but through a draw: compared bit by bit on neighbours."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from dpsql.audit.queries.generated_query import Query
from dpsql.audit.sensitivity import Subject
from dpsql.dbapi import Connection
from dpsql.engines.base import EngineFailed, EngineQuery, Exact
from dpsql.mechanisms.partition.thresholding import NoisyGroups
from fuzz.shape import Both, Compared, Fixed, compare
from fuzz.worlds import BITING, subjects

QUERIES = 5
ENOUGH = 960
# Of so many queries one fails after its charge.
OFTEN_ENOUGH = 100


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> tuple[Subject, ...]:
    return subjects(BITING, tmp_path_factory.mktemp("policies"))


@pytest.fixture(scope="module")
def compared(
    policies: Sequence[Subject], tmp_path_factory: pytest.TempPathFactory, executions: int, fuzz_seed: int
) -> Compared:
    return compare(policies, tmp_path_factory.mktemp("shape"), fuzz_seed, executions or QUERIES)


def test_with_equal_draws_neighbours_cannot_be_told_apart_by_anything_that_is_seen(
    compared: Compared, capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        print(f"\nshape: {compared.queries} queries, {compared.outcomes}")
    assert compared.difference is None, compared.difference


def test_answers_refusals_and_exhausted_budgets_are_all_among_what_was_compared(compared: Compared) -> None:
    assert compared.outcomes is not None
    seldom = {"QueryFailed"} if compared.queries > OFTEN_ENOUGH else set()
    assert {"answered", "QueryRefused", "BudgetExhausted"} | seldom <= set(compared.outcomes)
    assert compared.outcomes["answered"] > compared.queries


class Truthful(Fixed):
    """Adds nothing to counts and sums."""

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: object) -> np.ndarray:
        return values


class Keeping(Fixed):
    """Keeps the groups of an even number of people."""

    def select_partitions(
        self, unit_counts: np.ndarray, *, epsilon: object, delta: object, groups_per_unit: int
    ) -> np.ndarray:
        return unit_counts % 2 == 0

    def laplace_thresholding(
        self,
        unit_counts: np.ndarray,
        *,
        epsilon: object,
        delta: object,
        groups_per_unit: int,
        rows_per_unit: int | None = None,
    ) -> NoisyGroups:
        kept = np.flatnonzero(unit_counts % 2 == 0)
        return NoisyGroups(kept, np.zeros(len(kept), dtype=np.int64))

    def select_by_weights(
        self, weights: np.ndarray, *, rho: object, delta: object, groups_per_unit: int, neighbours: object
    ) -> np.ndarray:
        return weights % 2 == 0


class Choosing(Fixed):
    """Chooses a candidate by what the scores are."""

    def permute_and_flip(self, scores: np.ndarray, *, epsilon: object, score_range: int) -> int:
        return int(np.sum(scores)) % len(scores)


def of_private_keys(query: Query) -> bool:
    """Whether a query shows which groups of a column without listed values there are."""
    return re.search(r"SELECT (\w+\.)?(city|product) AS \w*k0", query.sql) is not None


def of_the_best(query: Query) -> bool:
    """Whether a query shows groups that were chosen."""
    return query.score is not None


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("leaking", "shown"),
    [(Truthful, lambda query: True), (Keeping, of_private_keys), (Choosing, of_the_best)],
)
def test_a_draw_that_follows_the_data_is_noticed(
    policies: Sequence[Subject],
    tmp_path: Path,
    fuzz_seed: int,
    leaking: type[Fixed],
    shown: Callable[[Query], bool],
) -> None:
    found = compare(policies, tmp_path, fuzz_seed, ENOUGH, leaking, wanted=shown, ways=1)
    assert found.difference is not None


class Failing(Both):
    """Fails where it finds an even number of groups."""

    def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
        found = self.own.run(query, seconds)
        if found.values.size and int(found.values.sum()) % 2 == 0:
            raise EngineFailed("even")
        return super().run(query, seconds)


@pytest.mark.slow
def test_a_failure_that_follows_the_data_is_noticed(
    policies: Sequence[Subject], tmp_path: Path, fuzz_seed: int
) -> None:
    def disturb(*connections: Connection) -> None:
        for connection in connections:
            session = connection._session
            assert session is not None and isinstance(session._state.engine, Both)
            session._state.engine = Failing(session._state.engine.own, session._state.engine.other)

    assert compare(policies, tmp_path, fuzz_seed, ENOUGH, disturb=disturb, ways=1).difference is not None
