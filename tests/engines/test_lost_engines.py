"""An engine that failed by an error of DuckDB's own is not given out again: it answers nothing from then on."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from dpsql.engines.base import FinishFailed, FinishLost, PublicEngine
from dpsql.engines.public_engine import FinishEngine
from dpsql.engines.spare import SparePublic, Spares
from engines.opened import clinic


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
