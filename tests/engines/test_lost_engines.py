"""What an engine cannot go on with: after an error of DuckDB's own another one answers, without memory its lists go."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from dpsql.engines.base import (
    EngineFailed,
    EngineQuery,
    FinishFailed,
    FinishLost,
    PublicEngine,
    UnitList,
)
from dpsql.engines.duckdb_settings import Limits
from dpsql.engines.prepared.fitting import fitting
from dpsql.engines.prepared.folder import default_folder
from dpsql.engines.prepared.manifest import PreparedFile
from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.public_engine import FinishEngine
from dpsql.engines.sources.fingerprints import sources_of
from dpsql.engines.spare import SparePublic, Spares
from engines.opened import clinic
from engines.prepared_clinic import prepared_clinic

_MEMORY = 40 * 2**20
_FITTING, _TOO_MANY = 150_000, 450_000  # the checkpoint of so many does not fit, their table does


class Failing:
    """A connection on which every statement ends in an error."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, error: Exception) -> None:
        self._connection, self._error = connection, error
        self.closed = False

    def execute(self, sql: str, *values: object) -> duckdb.DuckDBPyConnection:
        raise self._error

    def interrupt(self) -> None:
        self._connection.interrupt()

    def close(self) -> None:
        self.closed = True
        self._connection.close()


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (duckdb.InternalException("Attempted to access index 0 within vector of size 0"), True),
        (duckdb.FatalException("database has been invalidated"), True),
        (duckdb.BinderException("no such column"), False),
    ],
)
def test_a_lost_engine_is_closed_and_another_one_opened(tmp_path: Path, error: Exception, lost: bool) -> None:
    policy, opened = clinic(tmp_path, "inline"), list[FinishEngine]()

    def another() -> PublicEngine:
        opened.append(FinishEngine.open(policy))
        return opened[-1]

    spares = Spares[PublicEngine](another)
    engine = SparePublic(spares)
    assert engine.finish("SELECT 1", ()) == ((1,),)
    failing = Failing(opened[0]._connection, error)
    opened[0]._connection = failing  # type: ignore[assignment]
    with pytest.raises(FinishLost if lost else FinishFailed) as failed:
        engine.finish("SELECT 2", ())
    assert failed.value.__cause__ is None and failing.closed is lost
    if lost:
        assert engine.finish("SELECT 3", ()) == ((3,),)
    assert len(opened) == 1 + lost
    spares.close()


def listed(name: str, rows: int) -> EngineQuery:
    """A query of a list that takes some sixty bytes a row."""
    made = f"SELECT md5(range::VARCHAR) AS a, md5((range + 3)::VARCHAR) AS b FROM range({rows})"
    statements = (f"CREATE OR REPLACE TABLE lists.{name} AS {made}", "CHECKPOINT lists")
    units = UnitList(name, statements, (f"DROP TABLE IF EXISTS lists.{name}",))
    return EngineQuery(f"SELECT count(*) FROM lists.{name}", 0, 1, (units,))


def count(engine: DuckEngine, query: EngineQuery) -> int:
    ((number,),) = engine.run(query).values
    return int(number)


def test_lists_that_are_kept_for_others_fail_no_query_for_lack_of_memory(tmp_path: Path) -> None:
    policy = clinic(tmp_path, "inline")
    with closing(DuckEngine.open(policy, Limits(60, _MEMORY, 2))) as engine:
        for i in range(8):
            assert count(engine, listed(f"l{i}", _FITTING)) == _FITTING


def test_a_query_for_which_there_is_no_memory_fails_no_others(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    prepared = fitting(policy, default_folder(policy), sources_of(policy))
    assert isinstance(prepared, PreparedFile)
    with closing(DuckEngine.open(policy, Limits(60, _MEMORY, 2), prepared)) as engine:
        stored = EngineQuery("SELECT count(*) FROM duckdb_views() WHERE database_name = 'lists'", 0, 1)
        before = count(engine, stored)
        for _ in range(2):
            with pytest.raises(EngineFailed):
                engine.run(listed("many", _TOO_MANY))
            assert count(engine, listed("few", _FITTING)) == _FITTING
        assert count(engine, stored) == before > 0
