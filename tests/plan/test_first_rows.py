"""The first rows of each unit are those that a window numbers first, whatever ties and NULLs there are."""

from __future__ import annotations

import duckdb
import pytest

from dpsql.engines.sqlgen.bounding import content_terms
from dpsql.engines.sqlgen.first import first_rows

COLUMNS = ["a", "b", "t", "d", "p", "h"]
ROWS = """
CREATE TABLE r AS SELECT i % 200 AS "#unit",
    CASE hash(i, 1) % 4 WHEN 0 THEN NULL ELSE hash(i, 1) % 3 END::BIGINT AS a,
    CASE hash(i, 2) % 4 WHEN 0 THEN NULL ELSE (hash(i, 2) % 3)::BIGINT - 1 END::DOUBLE AS b,
    [NULL, '', 'a', 'é', 'ab', chr(0) || 'x'][1 + (hash(i, 3) % 6)::BIGINT] AS t,
    CASE hash(i, 4) % 3 WHEN 0 THEN NULL ELSE DATE '2025-01-01' + (hash(i, 4) % 2)::INTEGER END AS d,
    hash(i, 5) % 2 = 0 AS p, (hash(i, 6) % 2)::HUGEINT * 1000000000000000000000 AS h
FROM range(20000) AS n(i)
"""


@pytest.mark.parametrize("tied", [False, True], ids=["hash of all", "every hash equal"])
def test_the_first_rows_are_those_that_a_window_numbers_first(tied: bool) -> None:
    with duckdb.connect(":memory:") as connection:
        connection.execute(ROWS)
        order = ["1", *COLUMNS] if tied else content_terms(COLUMNS, "salt")
        listed = ", ".join(COLUMNS)
        number = f'row_number() OVER (PARTITION BY "#unit" ORDER BY {", ".join(order)}) AS n'
        wanted = connection.execute(
            f'SELECT "#unit", {listed}, n FROM (SELECT *, {number} FROM r) WHERE n <= 7 ORDER BY ALL'
        ).fetchall()
        found = first_rows(['"#unit"', *COLUMNS], order, 7, "SELECT * FROM r")
        assert connection.execute(f"SELECT * FROM ({found}) ORDER BY ALL").fetchall() == wanted
        assert len(wanted) == 1400


def test_rows_with_one_hash_are_ordered_by_every_column() -> None:
    assert content_terms(COLUMNS, "salt") == ["hash('salt', a, b, t, d, p, h)", *COLUMNS]
