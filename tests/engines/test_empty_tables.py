"""What a text that is described names is made when it is named, and made again where it was cut off."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from answers.shop import make_shop

from dpsql.engines.base import FinishFailed
from dpsql.engines.public_engine import FinishEngine
from dpsql.policy.load import load_policy

BUDGET = 'SELECT epsilon_spent FROM dpsql_own."budget"'


class CutOff:
    """A cursor that fails at its second statement, once."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self.cursor = cursor
        self.statements = 0

    def execute(self, statement: str) -> duckdb.DuckDBPyConnection:
        self.statements += 1
        if self.statements == 2:
            raise duckdb.InterruptException("cut off")
        return self.cursor.execute(statement)

    def __getattr__(self, name: str) -> object:
        return getattr(self.cursor, name)


def test_what_was_cut_off_is_made_for_the_next_text(tmp_path: Path) -> None:
    engine = FinishEngine.open(load_policy(make_shop(tmp_path) / "shop.yaml"))
    tables = engine._described
    tables.cursor = CutOff(tables.cursor)  # type: ignore[assignment]
    with pytest.raises(FinishFailed):
        engine.describe(BUDGET, ())
    assert [(c.name, c.type) for c in engine.describe(BUDGET, ())] == [("epsilon_spent", "DOUBLE")]
    engine.close()
