"""A constant text that is no date, number or truth is refused before anything is spent, on any connection."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from plan.opened import Table

import dpsql
from dpsql.errors import QueryRefused

COLUMNS = {"d": "date, lower: 2025-01-01, upper: 2025-12-31", "x": "float, lower: 0, upper: 9, step: 1"}
MEANT = {"plain": {}, "for a tool": {"rows": "empty"}, "of empty conditions": {"empty_conditions": True}}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("options", MEANT)
@pytest.mark.parametrize(
    "condition",
    [
        "d >= CAST('2025-02-30' AS DATE)",
        "d > DATE 'today' - 9",
        "x > '1,5'::DOUBLE",
        "d >= CAST('2025-13-01' AS TIMESTAMP)::DATE",
        "d >= DATE_TRUNC('month', DATE '2025-02-30')",
        "x > -('1,5'::DOUBLE)",
        "(x > 3) = CAST('maybe' AS BOOLEAN)",
        "NOT CAST('maybe' AS BOOLEAN)",
        "x > 3 OR 'on'::BOOLEAN",
    ],
)
def test_it_is_refused_and_free(options: str, condition: str, tmp_path: Path) -> None:
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 1").store(tmp_path)
    with closing(dpsql.connect(policy, analyst="a", ledger=tmp_path / "l", **MEANT[options])) as connection:  # type: ignore[arg-type]
        with pytest.raises(QueryRefused, match="does not read as"):
            connection.execute(f"SELECT COUNT(*) FROM t WHERE {condition}")
        assert connection.budget().spent.epsilon == 0


@pytest.mark.parametrize(
    "value",
    [
        "TRY_CAST(CAST('x' AS DATE) AS DATE)",
        "COALESCE(CAST('x' AS DATE), DATE '2025-01-01')",
        "DATE '2025-01-01' AND CAST('yes' AS BOOLEAN)",
    ],
)
def test_what_may_be_null_is_answered(value: str, tmp_path: Path) -> None:
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 1").store(tmp_path)
    with closing(dpsql.connect(policy, analyst="a", ledger=tmp_path / "l")) as connection:
        assert len(connection.execute(f"SELECT COUNT(*) FROM t WHERE d >= {value}").fetchall()) == 1
