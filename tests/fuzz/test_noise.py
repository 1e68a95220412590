"""Everything that leaves the private side was drawn by the sampler, at exactly the cost that was charged."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpsql.audit.databases.random_database import random_database, stored
from dpsql.audit.made_up_inputs import with_released_inputs
from dpsql.audit.queries.random_query import random_query
from dpsql.errors import QueryRefused
from dpsql.mechanisms.partition.thresholding import NoisyGroups
from dpsql.plan.rollup.grouping_set_sums import GroupingSetSums
from dpsql.plan.types import Family, Modes, Presence, Ranks, Release
from dpsql.privacy import Cost, Mechanism
from dpsql.release.draw.perform import perform
from dpsql.release.prepared_query import PreparedQuery
from dpsql.session import build_session
from dpsql.stages.prepare import prepare
from dpsql.stages.state import State
from fuzz.worlds import BITING, World, subjects

QUERIES = 8
WORLDS = tuple(w for w in BITING if w.name in ("one_row", "both_caps", "substitute", "totals_and_cap"))


@dataclass(slots=True)
class Recorder:
    """A Sampler that answers with numbers of its own and remembers what it was asked for."""

    released: list[int] = field(default_factory=list)
    cost: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    def discrete_laplace(
        self, values: np.ndarray, *, sensitivity: int, epsilon: Fraction | int
    ) -> np.ndarray:
        self.cost += epsilon
        drawn = np.array([7_000 + 13 * (len(self.released) + i) for i in range(values.size)], dtype=np.int64)
        self.released += drawn.tolist()
        return drawn.reshape(values.shape)

    def refine(
        self,
        values: np.ndarray,
        coarse: np.ndarray,
        *,
        sensitivity: int,
        epsilon: Fraction | int,
        finer: Fraction | int,
    ) -> np.ndarray:
        return self.discrete_laplace(values, sensitivity=sensitivity, epsilon=Fraction(finer) - epsilon)

    def coarsen(self, fine: np.ndarray, *, sensitivity: int, **law: object) -> np.ndarray:
        return self.discrete_laplace(fine, sensitivity=sensitivity, epsilon=0)

    def between(self, coarse: np.ndarray, fine: np.ndarray, *, sensitivity: int, **law: object) -> np.ndarray:
        return self.discrete_laplace(fine, sensitivity=sensitivity, epsilon=0)

    def cube(
        self, values: np.ndarray, *, sensitivity: int, epsilon: Fraction | int, widths: object
    ) -> np.ndarray:
        return self.discrete_laplace(values, sensitivity=sensitivity, epsilon=epsilon)

    def discrete_gaussian(
        self, values: np.ndarray, *, squared_sensitivity: object, rho: Fraction | int
    ) -> np.ndarray:
        return self.discrete_laplace(values, sensitivity=1, epsilon=0)

    def select_partitions(
        self, unit_counts: np.ndarray, *, epsilon: Fraction | int, delta: Fraction | int, groups_per_unit: int
    ) -> np.ndarray:
        self.cost, self.delta = self.cost + epsilon, self.delta + delta
        return np.arange(len(unit_counts)) % 2 == 0

    def laplace_thresholding(
        self,
        unit_counts: np.ndarray,
        *,
        epsilon: Fraction | int,
        delta: Fraction | int,
        groups_per_unit: int,
        rows_per_unit: int | None = None,
    ) -> NoisyGroups:
        kept = np.flatnonzero(
            self.select_partitions(unit_counts, epsilon=0, delta=delta, groups_per_unit=groups_per_unit)
        )
        moved = groups_per_unit if rows_per_unit is None else rows_per_unit
        return NoisyGroups(kept, self.discrete_laplace(kept, sensitivity=moved, epsilon=epsilon))

    def select_by_weights(
        self,
        weights: np.ndarray,
        *,
        rho: Fraction | int,
        delta: Fraction | int,
        groups_per_unit: int,
        neighbours: object,
    ) -> np.ndarray:
        self.cost += rho
        self.delta += delta
        return np.arange(len(weights)) % 2 == 0

    def permute_and_flip(self, scores: np.ndarray, *, epsilon: Fraction | int, score_range: int) -> int:
        self.cost += epsilon
        return len(scores) - 1

    def exponential_mechanism(
        self,
        scores: np.ndarray,
        *,
        epsilon: Fraction | int,
        score_range: int,
        weights: Sequence[int] | None = None,
    ) -> int:
        self.cost += epsilon
        return len(scores) - 1

    def randomized_response(self, bits: np.ndarray, *, epsilon: Fraction | int) -> np.ndarray:
        return self._responses(bits, 2, epsilon)

    def k_randomized_response(self, values: np.ndarray, *, k: int, epsilon: Fraction | int) -> np.ndarray:
        return self._responses(values, k, epsilon)

    def rappor(self, values: np.ndarray, *, k: int, epsilon: Fraction | int) -> np.ndarray:
        drawn = self._responses(values, k, epsilon)
        return (drawn[:, None] == np.arange(k)).astype(np.int8)

    def random_order(self, size: int) -> np.ndarray:
        return np.arange(size)[::-1]

    def _responses(self, values: np.ndarray, k: int, epsilon: Fraction | int) -> np.ndarray:
        self.cost += epsilon
        return np.arange(values.size, dtype=np.int64) % k


def uneven(release: Release) -> list[Family]:
    return [f for f in release.families if f.widths and f.mechanism is Mechanism.DISCRETE_LAPLACE]


def check(ready: PreparedQuery, state: State, epsilon: Fraction) -> int:
    """Performs every release of a plan for `epsilon` in all; the number of cells that were released."""
    cells, ready = 0, with_released_inputs(ready, state.engine, state.public)
    for release, queries, charge in zip(ready.plan.releases, ready.queries, ready.charges, strict=True):
        if charge is None:
            continue
        sampler = Recorder()
        exact = {part: state.engine.run(q) for part, q in zip(release.parts, queries, strict=True)}
        noisy = perform(release, lambda part, exact=exact: exact[part], sampler)  # type: ignore[misc]
        if any(isinstance(p, Ranks | Modes) for p in release.parts):
            continue  # chosen group by group, not drawn as integers
        if any(isinstance(p, GroupingSetSums) for p in release.parts):
            # Made of what was drawn for several levels: of nothing else, if other sums come to the same.
            other = {part: replace(e, values=e.values + 5) for part, e in exact.items()}
            again = perform(release, lambda part, other=other: other[part], Recorder())  # type: ignore[misc]
            assert again.cells.tolist() == noisy.cells.tolist()
        else:
            assert sorted(int(v) for v in noisy.cells.flat) == sorted(sampler.released)
        by_weights = [p for p in release.parts if isinstance(p, Presence) and p.weights is not None]
        noise = Cost(Fraction(0))  # what a selection by weights spends on its noise stands there as its rho
        for p in by_weights:
            assert p.weights is not None
            noise += Cost(p.epsilon, p.delta - p.weights.tail)
        of_keys = sum((p.weights.rho for p in by_weights if p.weights is not None), Fraction(0))
        assert sampler.delta == charge.cost.delta - noise.delta
        if noisy.keys:  # among no groups at all none is selected
            # What excludes each other spends one epsilon, in a draw for each width of noise.
            more = sum((f.epsilon * (len(set(f.widths)) - 1) for f in uneven(release)), Fraction(0))
            assert sampler.cost - of_keys == charge.cost.epsilon - noise.epsilon + more
        cells += noisy.cells.size
    if any(c is not None for c in ready.charges):
        assert sum((c.cost.epsilon for c in ready.charges if c is not None), Fraction(0)) == epsilon
    return cells


@pytest.mark.one_in(8)
@pytest.mark.parametrize("world", WORLDS, ids=lambda w: w.name)
def test_no_integer_is_released_that_the_sampler_did_not_draw(
    world: World, tmp_path: Path, fuzz_seed: int
) -> None:
    (found,) = subjects([world], tmp_path)
    database = random_database(found.policy, found.view, found.style, random.Random(fuzz_seed))
    policy = stored(database, tmp_path / world.name)
    cells = 0
    with closing(
        build_session(policy, "analyst", None, (None, None), Recorder(), empty_conditions=True)
    ) as session:
        for seed in range(QUERIES):
            query = random_query(fuzz_seed + seed, found.view)
            try:
                ready = prepare(query.sql, query.params, session._state)
            except QueryRefused:
                continue
            asked = Fraction(1, 2) if "OPTIONS(epsilon = 0.5)" in query.sql else Fraction(1)
            cells += check(ready, session._state, asked)
    assert cells > QUERIES
