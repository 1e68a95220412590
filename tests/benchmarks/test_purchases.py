"""The benchmark's table has the skew that its description states."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from dpsql.engines.public_files import exact_rows

PURCHASES = Path(__file__).parents[2] / "benchmarks" / "purchases.py"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    make = runpy.run_path(str(PURCHASES))["make_purchases"]
    parquet = tmp_path_factory.mktemp("purchases") / "purchases.parquet"
    made = make(200_000, parquet.parent)
    exact_rows((), f"ATTACH '{made.data}' AS p (READ_ONLY); COPY p.purchases TO '{parquet}'")
    return parquet


def test_one_person_in_a_hundred_owns_more_than_fifty_rows_and_one_owns_ten_thousand(data: Path) -> None:
    owned = "WITH o AS (SELECT count(*) AS n FROM p GROUP BY user_id)"
    sql = f"{owned} SELECT sum(n)::INTEGER, max(n), round(avg((n > 50)::INTEGER), 3) FROM o"
    assert exact_rows((("p", data),), sql) == ((200_000, 10_000, 0.01),)


def test_values_fill_their_bounds(data: Path) -> None:
    distinct = "count(DISTINCT region), count(DISTINCT product)"
    sql = f"SELECT {distinct}, min(age), max(age), max(amount) <= 500 FROM p"
    assert exact_rows((("p", data),), sql) == ((10, 1_000, 18, 90, True),)
