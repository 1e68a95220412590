"""Odd spellings are refused, or mean to dpsql what they mean to DuckDB."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import pytest

from dpsql.audit.databases.random_database import random_database, stored
from dpsql.audit.queries.generated_query import Query
from dpsql.errors import QueryRefused
from dpsql.session import build_session
from dpsql.stages.prepare import prepare
from fuzz.compare import Expected, NoNoise, Rows, difference, tolerance
from fuzz.spellings import SPELLINGS
from fuzz.test_equivalence import expected, plain
from fuzz.worlds import LOOSE, World, subjects

WORLDS = tuple(w for w in LOOSE if w.name == "loose_totals")
# Of an ordinary run.
EVERY = 4


def without_null(rows: Rows) -> Rows:
    """The rows with 0 for NULL: a sum over nothing is 0 here, and these tests are of meaning."""
    return tuple(tuple(0 if v is None else v for v in row) for row in rows)


@pytest.mark.parametrize("world", WORLDS, ids=lambda w: w.name)
def test_an_odd_spelling_is_refused_or_means_what_duckdb_says(
    world: World, tmp_path: Path, fuzz_seed: int, pytestconfig: pytest.Config
) -> None:
    every = pytestconfig.getoption("--every-case") or pytestconfig.getoption("--executions")
    spellings = SPELLINGS[:: 1 if every else EVERY]
    (found,) = subjects([world], tmp_path)
    database = random_database(found.policy, found.view, found.style, random.Random(fuzz_seed))
    policy = stored(database, tmp_path / world.name)
    wrong, answered = [], 0
    with (
        closing(
            build_session(policy, "analyst", None, (None, None), NoNoise(), empty_conditions=True)
        ) as session,
        closing(plain(policy)) as connection,
    ):
        for sql in spellings:
            query = Query(sql, sql, ordered="ORDER BY" in sql and "OVER" not in sql)
            try:
                answer = session.answer(sql)
            except QueryRefused:
                continue
            answered += 1
            said = expected(query, connection)
            near = tolerance(prepare(sql, None, session._state).plan, database.size)
            columns = tuple((c.name, c.type) for c in answer.columns)
            why = difference(query, without_null(answer.rows), Expected(without_null(said.rows), ()), near)
            if why is not None or columns != said.columns:
                wrong.append((sql, why, columns, said.columns))
    assert not wrong
    assert answered > len(spellings) / 2
