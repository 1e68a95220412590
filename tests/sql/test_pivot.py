"""PIVOT of listed values: DuckDB's own answers, and queries that would be much longer than they are written."""

from __future__ import annotations

import duckdb
import pytest

from dpsql.errors import QueryRefused
from dpsql.sql.parse.gate import gate

TABLE = """CREATE TABLE t AS SELECT * FROM (VALUES ('n', 1, 10, TRUE), ('s', 1, 20, FALSE), ('n', 2, 5, TRUE),
    ('x', 2, 7, FALSE), (NULL, 3, 1, NULL)) v(region, product, amount, paid)"""


class AnyText:
    """Takes any text for one SELECT."""

    def select_statements(self, text: str) -> int:
        return 1


def answered(sql: str) -> tuple[list[str], list[tuple[object, ...]]]:
    with duckdb.connect() as connection:
        connection.execute(TABLE)
        found = connection.sql(sql)
        return found.columns, sorted(found.fetchall(), key=repr)


@pytest.mark.parametrize(
    "sql",
    [
        "PIVOT t ON region IN ('n', 's') USING SUM(amount) GROUP BY product",
        "PIVOT t ON region IN ('n', 's') USING SUM(amount) AS total, COUNT(*) AS c GROUP BY product",
        "PIVOT t ON region IN ('n', 's'), paid IN (true, false) USING COUNT(*) GROUP BY product",
        "PIVOT (SELECT region, product, amount FROM t) ON region IN ('s', 'n', 'q') USING COUNT(amount)",
        "PIVOT t ON product IN (1, 2) USING MAX(amount) GROUP BY region, paid",
        "FROM t PIVOT (SUM(amount) FOR region IN ('n' AS north, 's') GROUP BY product)",
        "SELECT p.* FROM t AS o PIVOT (SUM(amount) AS a FOR region IN ('n', 's') product IN (1, 2) GROUP BY paid) AS p",
        "FROM (SELECT region, amount FROM t) PIVOT (SUM(amount) FOR region IN ('n', 's'))",
        "WITH p AS (PIVOT t ON region IN ('n') USING COUNT(*) GROUP BY paid) SELECT paid, n + 1 AS m FROM p",
        "SELECT * FROM (PIVOT t ON region IN ('n', 's') USING SUM(amount) GROUP BY product)"
        " PIVOT (SUM(n) FOR product IN (1, 2) GROUP BY s)",
    ],
)
def test_the_answer_and_its_columns_are_duckdbs(sql: str) -> None:
    assert answered(gate(sql, AnyText()).tree.sql(dialect="duckdb")) == answered(sql)


@pytest.mark.parametrize(
    "sql",
    [
        f"PIVOT t ON product IN ({', '.join(map(str, range(301)))}) USING COUNT(*) GROUP BY region",
        "SELECT 1 FROM "
        + ", ".join(
            f"(PIVOT t ON product IN ({', '.join(map(str, range(60)))}) USING COUNT(*) GROUP BY region) AS p{i}"
            for i in range(6)
        ),
        f"PIVOT t ON product IN ({', '.join(map(str, range(290)))}) USING SUM(GREATEST({', '.join(['amount'] * 700)}))"
        " GROUP BY region",
    ],
)
def test_a_pivot_of_too_many_columns_is_refused(sql: str) -> None:
    with pytest.raises(QueryRefused, match="PIVOT makes too many columns"):
        gate(sql, AnyText())
