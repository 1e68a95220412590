"""Whatever an analyst asked before, each measure is what DuckDB says of the rows, read for nothing or drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest
from plan.opened import Table

from answers.engines import shared_engines
from answers.noiseless import Noiseless
from dpsql.policy.load import load_policy
from dpsql.session import build_session

COLUMNS = {
    "i": "integer, lower: -2, upper: 3, nullable: true",
    "j": "integer, lower: 1, upper: 3",
    "f": "float, lower: -1, upper: 1, step: 0.25, nullable: true",
    "b": "boolean, nullable: true",
    "s": "text, nullable: true",
    "d": "date, lower: 2020-01-01, upper: 2020-01-03, nullable: true",
    "z": "timestamp, lower: 2020-01-01 00:00:00, upper: 2020-01-03 00:00:00, nullable: true",
}
ROWS = [
    (
        *(n, (None, -2, 0, 1, 3)[n % 5], n % 3 + 1, (None, -0.0, 0.0, 0.5, -1.0, 1.0, 0.25)[n % 7]),
        *((None, True, False, True)[n // 2 % 4], (None, "", "a", "A", "a ", "1")[n // 3 % 6]),
        *(
            (None, "2020-01-01", "2020-01-02")[n // 5 % 3],
            (None, "2020-01-02", "2020-01-02 12:00")[n // 7 % 3],
        ),
    )
    for n in range(400)
]
MEASURES = (
    "COUNT(*)",
    "COUNT(i)",
    "COUNT(j)",
    "SUM(i)",
    "SUM(j)",
    "SUM(2)",
    "AVG(i)",
    "AVG(j)",
    "VAR_POP(j)",
    "SUM(CAST(b AS INT))",
    "SUM(CAST(i AS DOUBLE))",
    "COUNT(*) FILTER (WHERE b)",
    "COUNT(*) FILTER (WHERE NOT b)",
    "COUNT(i) FILTER (WHERE b)",
    "SUM(CASE WHEN b THEN 3 ELSE 0 END)",
    "SUM(CASE WHEN b IS NULL THEN 0 ELSE i END)",
    "AVG(CASE WHEN b THEN j END)",
    "COUNT(CASE WHEN b THEN 0 END)",
)
CONDITIONS = (
    "b",
    "NOT b",
    "b IS NOT TRUE",
    "NOT (b IS FALSE)",
    "b = TRUE OR i = 1",
    "b IS NOT DISTINCT FROM FALSE",
    "b IN (TRUE, NULL)",
    "NOT b IN (FALSE, NULL)",
    "i = 1",
    "i IN (1, 1.5)",
    "i = 1.0 OR i = 3",
    "i IN (1, NULL, 3)",
    "i NOT IN (1, NULL)",
    "NOT (i = 1 OR i = 3)",
    "f = 0",
    "f = -0.0",
    "f > 0",
    "NOT f <= 0.0",
    "-0.0 < f",
    "s = 'a'",
    "s = 'A'",
    "s = 'a '",
    "s IN ('a', 'A')",
    "s = ''",
    "s IS NULL",
    "d = DATE '2020-01-02'",
    "z = DATE '2020-01-02'",
    "z <= DATE '2020-01-02'",
    "NOT z > TIMESTAMP '2020-01-02 12:00:00'",
    "CAST(z AS DATE) = DATE '2020-01-02'",
    "d = z",
    "i < 1",
    "i <= 1",
    "i < 1.5",
    "NOT i > 0",
    "i > -3",
    "i < 4",
    "d < DATE '2020-01-02'",
    "d > DATE '2020-01-02'",
    "d >= TIMESTAMP '2020-01-02 00:00:00'",
    "d >= TIMESTAMP '2020-01-01 00:00:01'",
    "d < TIMESTAMP '2020-01-01 12:00:00'",
    "NOT d < TIMESTAMP '2020-01-02 00:00:00'",
    "d = TIMESTAMP '2020-01-02 12:00:00'",
    "d <> TIMESTAMP '2020-01-02 00:00:00'",
    "z < DATE '2020-01-03'",
    "(b AND i > 0) OR (i >= 1 AND b) OR d > DATE '2020-01-01'",
    "NULL",
    "NULL = NULL OR b",
    "1 <= 1 AND 2 <> 2",
)


def truth(folder: Path, sql: str) -> list[object]:
    """What DuckDB says; what it has no sum of is 0."""
    with duckdb.connect(str(folder / "data.duckdb"), read_only=True) as data:
        ((*row,),) = data.execute(sql).fetchall()
    return [0 if v is None else v for v in row]


def check(folder: Path, asked: Sequence[str]) -> None:
    """Asks one question after another, of one analyst."""
    policy = load_policy(Table(COLUMNS, ROWS, privacy="max_rows_per_unit: 1", epsilon="0.01").store(folder))
    session = build_session(
        *(policy, "alice", None, (None, None), Noiseless()), empty_conditions=True, resources=shared_engines
    )
    for sql in asked:
        (row,) = session.answer(sql).rows
        assert [0 if v is None else v for v in row] == pytest.approx(truth(folder, sql)), (sql, asked[0])
    session.close()


@pytest.mark.one_in(10)
@pytest.mark.parametrize("first", MEASURES)
def test_a_measure_is_what_it_is_whatever_was_received_before(first: str, tmp_path: Path) -> None:
    check(tmp_path, [f"SELECT {m} FROM t" for m in (first, *(m for m in MEASURES if m != first))])


@pytest.mark.one_in(6)
@pytest.mark.parametrize("place", range(4))
def test_a_condition_keeps_its_rows_whatever_was_received_before(place: int, tmp_path: Path) -> None:
    asked = CONDITIONS[place::4]
    every = [f"SELECT COUNT(*), SUM(j) FROM t WHERE {c}" for c in asked]
    check(tmp_path, [*every, *(f"SELECT COUNT(*) FILTER (WHERE {c}), SUM(j) FROM t" for c in asked)])


@pytest.mark.slow
def test_a_condition_keeps_its_rows_whatever_others_were_received_before(tmp_path: Path) -> None:
    every = [f"SELECT COUNT(*), SUM(j) FROM t WHERE {c}" for c in CONDITIONS]
    check(tmp_path, [*every, *(f"SELECT COUNT(*) FILTER (WHERE {c}), SUM(j) FROM t" for c in CONDITIONS)])
