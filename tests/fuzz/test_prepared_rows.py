"""Prepared tables give the very integers that the sources give, under the same plan and for the same charge."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest.mock import patch

import pytest

from dpsql.audit.databases.random_database import random_database, stored
from dpsql.audit.exact import Found, by_key, found
from dpsql.audit.largest_compared import check_largest
from dpsql.audit.made_up_inputs import with_released_inputs
from dpsql.audit.queries.generated_query import Query
from dpsql.audit.queries.random_query import random_query
from dpsql.audit.sensitivity import Subject, fuzz, opened, prepared
from dpsql.engines.prepare_tables import prepare_tables
from dpsql.engines.prepared import kept_lists
from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.sqlgen import bounding
from dpsql.errors import QueryRefused
from dpsql.policy.model import ClippingMode, Policy
from dpsql.release.prepared_query import PreparedQuery
from dpsql.stages.state import State
from fuzz.worlds import BITING, LOOSE, PARTED, subjects

EXECUTIONS = 10
QUERIES_OF_A_DATABASE = 8
FEW_UNITS = 4
"""How many units are asked first: of a database of some ten people not all."""
MODES = (None, ClippingMode.PRIVATE, None)


@dataclass(slots=True)
class Run:
    """What a run of the fuzzer saw."""

    executions: int = 0
    refused: int = 0
    ranked: int = 0
    integers: int = 0
    largest: int = 0
    kept: int = 0
    sets: int = 0
    failure: str | None = None
    worlds: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        found = (
            f"{self.integers} integers, {self.ranked} ranked, {self.kept} of kept lists, {self.sets} of sets"
        )
        return f"{self.executions} queries, {self.refused} refused, {found}"


@contextmanager
def over_both(policy: Policy, folder: Path, mode: ClippingMode | None) -> Iterator[tuple[State, State]]:
    """A session over the sources and one over tables that were prepared from them."""
    privacy = replace(policy.privacy, clipping=mode or policy.privacy.clipping)
    copy = replace(policy, privacy=privacy, engine=replace(policy.engine, prepared=folder / "prepared"))
    assert copy.engine.prepared is not None
    prepare_tables(copy, copy.engine.prepared)
    with opened(policy, mode) as live, opened(copy, mode) as other:
        private = [t for t in other.context.catalog.tables.values() if not t.public]
        assert all(t.prepared is not None for t in private), "the prepared tables do not fit"
        yield live, other


def check(query: Query, live: State, copy: State, run: Run) -> None:
    """The same refusal or the same plan, charge and integers."""
    run.executions += 1
    one, other = prepared(query, live), prepared(query, copy)
    if isinstance(one, QueryRefused) or isinstance(other, QueryRefused):
        assert str(one) == str(other)
        run.refused += 1
        return
    assert (one.plan, one.charges, one.columns) == (other.plan, other.charges, other.columns)
    one = with_released_inputs(one, live.engine, live.public)
    tables = [[replace(q, values=given.values) for q, given in zip(qs, gs, strict=True)]
              for qs, gs in zip(other.queries, one.queries, strict=True)]  # fmt: skip
    other = replace(other, queries=tuple(map(tuple, tables)))
    of_live, of_copy = found(one, live.engine), found(other, copy.engine)
    exact, copied = integers(of_live), integers(of_copy)
    assert exact == copied
    run.sets += check_sets(one, of_live, live) + check_sets(other, of_copy, copy)
    run.largest += check_largest(one, of_live, live.engine) + check_largest(other, of_copy, copy.engine)
    asked = (q.of_largest for qs in other.queries for q in qs if q.of_largest is not None)
    run.kept += any(units.name in stored_lists(copy) for q in asked for units in q.lists)
    run.integers += sum(len(part) for part in exact)
    run.ranked += any('"#place"' in q.sql for qs in other.queries for q in qs)


def check_sets(ready: PreparedQuery, found: Found, state: State) -> int:
    """How many queries counted units by sets of bits; without them the integers are the same."""
    pairs = [pair for qs, es in zip(ready.queries, found, strict=True) for pair in zip(qs, es, strict=True)]
    pairs = [(query, exact) for query, exact in pairs if query.by_sets is not None]
    for query, exact in pairs:
        assert dict(by_key(state.engine.run(replace(query, by_sets=None)))) == dict(by_key(exact))
    return len(pairs)


def stored_lists(state: State) -> frozenset[str]:
    """The lists that the prepared file has."""
    assert isinstance(state.engine, DuckEngine)
    return state.engine._stored


def integers(every: Found) -> list[dict[object, tuple[int, ...]]]:
    """The integers of each part by group. A group of zeros is none: all of its rows were taken off again."""
    return [
        {key: row for key, row in by_key(exact).items() if any(row) or not key}
        for parts in every
        for exact in parts
    ]


def fuzz_database(world: Subject, folder: Path, seed: int, run: Run) -> None:
    """Some queries on one database."""
    chosen = random.Random(f"prepared {seed} {world.name}")
    policy = stored(random_database(world.policy, world.view, world.style, chosen), folder)
    with over_both(policy, folder, MODES[seed % len(MODES)]) as (live, copy):
        for i in range(QUERIES_OF_A_DATABASE):
            query = random_query(seed * QUERIES_OF_A_DATABASE + i, world.view)
            try:
                check(query, live, copy, run)
            except Exception as failure:
                told = f"{type(failure).__name__}: {failure}"
                run.failure = (
                    f"{told}\nworld {world.name}, seed {seed}, query {i}\n{query.sql}\n{query.params}"
                )
                return
    run.worlds[world.name] += 1


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, executions: int, fuzz_seed: int) -> Run:
    run, seed, folder = Run(), fuzz_seed, tmp_path_factory.mktemp("prepared")
    worlds = subjects((*BITING, *PARTED, *LOOSE), folder)
    few = patch.object(bounding, "_MOST_UNITS", FEW_UNITS), patch.object(kept_lists, "ROWS_AT_ONCE", 0)
    with few[0], few[1]:  # of tables of few rows, too, the file has those of the units that own most
        while run.executions < (executions or EXECUTIONS) and run.failure is None:
            fuzz_database(worlds[seed * 7 % len(worlds)], folder / str(seed), seed, run)
            shutil.rmtree(folder / str(seed))
            seed += 1
    return run


def test_prepared_tables_give_the_integers_of_the_sources(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        print(f"\nprepared tables fuzz: {run}")
    assert run.failure is None, run.failure
    assert run.refused < run.executions / 2
    assert run.integers > run.executions
    assert run.ranked > 0
    assert run.executions < 300 or min(run.largest, run.kept, run.sets) > run.executions / 30


@pytest.mark.slow
def test_no_unit_moves_a_release_over_prepared_tables(
    executions: int, fuzz_seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worlds = subjects((*BITING, *PARTED), tmp_path)
    chosen = random.Random(f"sensitivity of prepared tables {fuzz_seed}").sample(range(len(worlds)), 4)
    count = executions or EXECUTIONS
    tried = fuzz(
        [over_prepared(worlds[i]) for i in chosen], tmp_path, fuzz_seed, lambda t: t.executions >= count
    )
    with capsys.disabled():
        print(f"\nsensitivity fuzz over prepared tables: {tried}")
    assert not "\n".join(map(str, tried.violations))
    assert any(m.by for m in tried.nearest.values())


def over_prepared(world: Subject) -> Subject:
    """A world whose databases are prepared before they are asked; any folder says so."""
    engine = replace(world.policy.engine, prepared=Path("prepared"))
    return replace(world, policy=replace(world.policy, engine=engine))
