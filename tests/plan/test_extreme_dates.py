"""No date that a source can hold makes a query fail, nor what DuckDB's optimiser knows about the source."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from dpsql.algebra.facts import NATURAL
from dpsql.plan.types import Ranks
from dpsql.stages.prepare import prepare
from plan.opened import Table

FIRST, LAST = "5877642-06-25 (BC)", "5881580-07-10"
FIRST_MOMENT, LAST_MOMENT = "290309-12-22 (BC)", "294247-01-10 04:00:54.775806"
TABLE = Table(
    {
        "day": "date, lower: 2025-01-01, upper: 2025-12-31, nullable: true",
        "any_day": "date, nullable: true",
        "moment": "timestamp, lower: 2025-01-01T00:00:00, upper: 2025-12-31T00:00:00, nullable: true",
    },
    [
        (1, FIRST, FIRST, FIRST_MOMENT),
        (2, LAST, LAST, LAST_MOMENT),
        (3, "-infinity", "infinity", "infinity"),
        (4, None, None, None),
        (5, "2025-06-01", "2025-06-01", "2025-06-01"),
    ],
    table="one_row_per_unit: true",
)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("unit", ["day", "week", "month", "quarter", "year"])
@pytest.mark.parametrize("column", ["day", "any_day", "moment"])
def test_a_date_at_either_end_of_its_type_is_truncated_after_it_is_clamped(
    column: str, unit: str, tmp_path: Path
) -> None:
    sql = f"SELECT COUNT(DISTINCT date_trunc('{unit}', {column})) AS n, COUNT({column}) AS present FROM t"
    with closing(TABLE.open(tmp_path)) as session:
        distinct, present = session.answer(sql).rows[0]
    assert present == 4
    assert 1 <= distinct <= 4


@pytest.mark.parametrize("width", ["5 MONTH", "7 DAY", "100 YEAR"])
def test_a_piece_of_time_that_begins_before_all_dates_has_no_start(width: str, tmp_path: Path) -> None:
    """Its rows are in the group of NULL, and what is not listed is selected privately, or refused."""
    columns = {"moment": "timestamp, lower: 0001-01-01T00:00:00, upper: 0009-12-31T00:00:00, nullable: true"}
    rows = [(1, "0001-01-01"), (2, "0009-12-31"), (3, "-infinity")]
    table = Table(columns, rows, table="one_row_per_unit: true")
    grouped = f"SELECT TIME_BUCKET(INTERVAL {width}, moment) AS piece, COUNT(*) AS n FROM t GROUP BY piece"
    counted = f"SELECT COUNT(TIME_BUCKET(INTERVAL {width}, moment)) AS n, COUNT(moment) AS present FROM t"
    with closing(table.open(tmp_path)) as session:
        found = dict(session.answer(grouped).rows)
        known, present = session.answer(counted).rows[0]
    assert present == 3
    assert sum(found.values()) == 3 and found.get(None, 0) == present - known


@pytest.mark.parametrize(
    "moved", ["+ INTERVAL 1 MONTH", "+ INTERVAL (day(moment) - 29) DAY", "+ INTERVAL '1 day'"]
)
def test_a_day_moved_out_of_all_dates_is_null_in_its_list_too(moved: str, tmp_path: Path) -> None:
    columns = {"moment": "timestamp, lower: 9999-11-30T00:00:00, upper: 9999-12-31T23:59:59, nullable: true"}
    rows = [(1, "9999-11-30 12:00:00"), (2, "9999-12-30 23:59:59"), (3, "9999-12-31 23:59:59"), (4, None)]
    table = Table(columns, rows, table="one_row_per_unit: true")
    grouped = f"SELECT CAST(moment {moved} AS DATE) AS moved, COUNT(*) AS n FROM t GROUP BY moved"
    with closing(table.open(tmp_path)) as session:
        found = dict(session.answer(grouped).rows)
    assert sum(found.values()) == 4 and found[None] >= 2


@pytest.mark.parametrize(
    "value", ["DATE '9999-12-31'", "TIMESTAMP '9999-12-31 23:59:59.999999'", "DATE '0001-01-01'"]
)
def test_no_cell_begins_behind_the_last_day(value: str, tmp_path: Path) -> None:
    """One value alone has a second cell, which may be chosen."""
    sql = f"SELECT MAX({value}) AS m FROM t"
    with closing(TABLE.open(tmp_path)) as session:
        assert session.explain(sql).releases
        (part,) = prepare(sql, None, session._state).plan.releases[0].parts
        assert isinstance(part, Ranks)
        ends = NATURAL[part.bins.grid.arg.type]
        assert ends.lo <= part.bins.grid.lo < part.bins.grid.hi <= ends.hi
