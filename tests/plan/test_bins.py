"""Cells of order statistics: they part the whole range, for the engine as for Python, and are not too many."""

from __future__ import annotations

from fractions import Fraction

import duckdb
import numpy as np
import pytest

from dpsql.algebra.expressions import Column
from dpsql.algebra.types import SqlType
from dpsql.engines.sqlgen.cell_starts import bin_start
from dpsql.plan.choices.bins import middles, most_cells, starts
from dpsql.plan.types import Bins, Grid, Ranks
from plan.opened import Table, release

X = Column(0, "x", SqlType.INTEGER)


def bins(lo: int, hi: int, width: int = 1, bits: int | None = None) -> Bins:
    return Bins(Grid(X, Fraction(1), lo, hi), width, bits)


ALL = (
    bins(-5, 8),
    bins(-5, 8, 4),
    bins(3, 90, 7),
    bins(0, 1000, 1, 3),
    bins(0, 7, 1, 3),
    bins(5, 1000, 1, 4),
    bins(37, 300, 1, 2),
    bins(1, 2**20 + 3, 1, 8),
)


@pytest.mark.parametrize("cells", ALL)
def test_every_value_lies_in_one_cell_in_the_engine_as_in_python(cells: Bins) -> None:
    lo, hi = cells.grid.lo, cells.grid.hi
    step = max(1, (hi - lo) // 5_000)
    values = [*range(lo - 3, hi + 4, step), hi, hi + 1]
    rows = duckdb.sql(f"SELECT {bin_start('v', cells)} FROM (SELECT unnest({values}::BIGINT[]) AS v)")
    at = starts(cells)
    clipped = np.clip(np.array(values), max(lo, int(at[0])), hi)
    expected = at[np.searchsorted(at, clipped, side="right") - 1]
    assert [r[0] for r in rows.fetchall()] == expected.tolist()


@pytest.mark.parametrize("cells", ALL)
def test_the_cells_are_in_order_and_a_middle_lies_in_its_cell_and_in_the_range(cells: Bins) -> None:
    at, middle = starts(cells), middles(cells)
    assert (np.diff(at) > 0).all()
    assert at[0] <= cells.grid.lo and at[-1] == cells.grid.hi + 1
    assert (middle >= np.maximum(at[:-1], cells.grid.lo)).all() and (middle < at[1:]).all()


def test_null_lies_in_no_cell() -> None:
    for cells in ALL:
        (row,) = duckdb.sql(f"SELECT {bin_start('v', cells)} FROM (SELECT NULL::BIGINT AS v)").fetchall()
        assert row == (None,)


COLUMNS = {
    "k": "text, values: [a, b]",
    "small": "integer, lower: -5, upper: 8",
    "wide": "integer, lower: -1000000, upper: 8",
    "skew": "float, lower: 0, upper: 10000, step: 0.01",
    "huge": "integer, lower: 0, upper: 1000000000000000000",
    "far": "integer, lower: 1000000, upper: 9000000000",
    "day": "date, lower: 1900-01-01, upper: 2099-12-31",
    "moment": "timestamp, lower: 2025-01-01T00:00:00, upper: 2025-12-31T23:59:59",
    "name": "text",
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("column", [c for c in COLUMNS if c not in ("k", "name")])
@pytest.mark.parametrize("group", ("", "k", "name"))
def test_a_policy_s_range_gives_a_few_thousand_cells_at_most(
    column: str, group: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    session = Table(COLUMNS, privacy="max_rows_per_unit: 1").open(tmp_path_factory.mktemp("bins"))
    by = f" GROUP BY {group}" if group else ""
    (part,) = [
        p for p in release(session, f"SELECT MEDIAN({column}) FROM t{by}").parts if isinstance(p, Ranks)
    ]
    count = len(starts(part.bins)) - 1
    assert count <= most_cells(None if group == "name" else 2)
    assert count == 14 if column == "small" else count > 300
    session.close()


def test_cells_of_a_skewed_column_are_narrow_where_values_are_small() -> None:
    at = starts(bins(0, 10**6, 1, 9))
    assert at[1] == 1 and int(np.diff(at)[-2]) == 2**11
    relative = np.diff(at[600:]) / at[600:-1]
    assert relative.max() <= 1 / 256


def test_more_groups_have_fewer_cells_each_and_never_a_handful() -> None:
    assert most_cells(1) == 8192 and most_cells(1_000) == 131 and most_cells(10**6) == 64
    assert most_cells(None) == 1024
