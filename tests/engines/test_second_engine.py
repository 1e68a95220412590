"""What DuckDB fails to plan in one order of joins is answered by an engine that has no such order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from dpsql.engines.base import EngineFailed, EngineQuery
from dpsql.engines.duckdb_settings import Limits, connect
from dpsql.engines.private_engine import DuckEngine
from engines.opened import clinic

BY_WARD = EngineQuery(
    'SELECT v.ward, count(*) FROM src."visits" AS v, src."stays" AS s WHERE s.patient = v.patient GROUP BY 1',
    1,
    1,
)


class Unplanned:
    """A connection whose optimiser fails at every SELECT."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection

    def execute(self, sql: str | duckdb.Statement, *values: object) -> duckdb.DuckDBPyConnection:
        if (sql if isinstance(sql, str) else sql.query).startswith("SELECT"):
            raise duckdb.InternalException("Failed to bind column reference")
        return self.connection.execute(sql, *values)

    def interrupt(self) -> None:
        self.connection.interrupt()

    def close(self) -> None:
        self.connection.close()


class GivenUp(Unplanned):
    """A connection to a database that DuckDB has given up at an error of its own."""

    def execute(self, sql: str | duckdb.Statement, *values: object) -> duckdb.DuckDBPyConnection:
        raise duckdb.FatalException("database has been invalidated because of a previous fatal error")


@pytest.fixture(name="engine")
def _engine(tmp_path: Path) -> Iterator[DuckEngine]:
    with closing(DuckEngine.open(clinic(tmp_path, "inline"))) as engine:
        yield engine


@pytest.mark.parametrize("seconds", [None, 20.0])
def test_it_finds_the_same(engine: DuckEngine, seconds: float | None) -> None:
    wanted = engine.run(BY_WARD)
    whole = engine._connection
    for failing in (Unplanned, Unplanned, GivenUp):
        engine._connection = failing(whole)  # type: ignore[assignment]
        found = engine.run(BY_WARD, seconds)
        assert sorted(map(repr, found.keys)) == sorted(map(repr, wanted.keys))
        assert found.values.sum() == wanted.values.sum() > 0


def test_it_is_opened_once_and_fails_as_the_first_does(engine: DuckEngine) -> None:
    assert engine._second is None
    engine._connection = Unplanned(engine._connection)  # type: ignore[assignment]
    engine.run(BY_WARD)
    second = engine._second
    with pytest.raises(EngineFailed, match="ConversionException"):
        engine.run(EngineQuery("SELECT 'one'::INTEGER + count(*) FROM src.visits", 0, 1))
    assert engine._second is second is not None
    engine.close()
    with pytest.raises(EngineFailed):
        second.run(BY_WARD)


def test_where_it_cannot_plan_either_that_is_one_failure(engine: DuckEngine) -> None:
    for _ in range(2):
        engine._connection = Unplanned(engine._connection)  # type: ignore[assignment]
        engine.run(BY_WARD)
        assert engine._second is not None
        second = engine._second
        second._connection = Unplanned(second._connection)  # type: ignore[assignment]
        with pytest.raises(EngineFailed, match="InternalException"):
            engine.run(BY_WARD)
        engine._second = None
        second.close()


def test_no_plan_of_it_follows_from_numbers_of_rows() -> None:
    with connect(Limits(seconds=60), by_text=True) as connection:
        ((disabled,),) = connection.execute("SELECT current_setting('disabled_optimizers')").fetchall()
        every = {name for (name,) in connection.execute("FROM duckdb_optimizers()").fetchall()}
    assert every - set(disabled.split(",")) == {"filter_pushdown", "unused_columns", "column_lifetime"}
