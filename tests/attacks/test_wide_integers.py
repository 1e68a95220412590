"""How an exact sum is stored, as 64 bits or as a Python integer, shows in nothing that is released.

A sampler adds to either form the same integers in the same form, as the exact sampler does where noise is far below
2^62: only the form could tell one database from its neighbour.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import numpy as np
import pytest

from attacks.neighbours import Blind
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

POLICY = """
version: 1
privacy: {unit: t.person, max_rows_per_unit: 1}
tables:
  t:
    source: t.parquet
    unit_key: person
    columns:
      person: {type: integer}
      part: {type: text, values: [a, b]}
      x: {type: integer, lower: -4611686018427387903, upper: 4611686018427387903}
budgets: {dataset: {epsilon: 100, delta: 1e-3}, default: {epsilon: 90, delta: 1e-4, per_query: 1}}
"""
QUERIES = (
    "SELECT AVG(x), COUNT(x) FROM t",
    "SELECT SUM(x), COUNT(*) FROM t WHERE person = 7",
    "SELECT part, AVG(x), COUNT(*), VAR_POP(x) FROM t GROUP BY part",
    "SELECT part, SUM(x), COUNT(*) FROM t GROUP BY ROLLUP (part)",
)
# Half of what one row adds to the two sums of x, and a little more: the count is rounded up to 1.
HALF = 2**61 + 2**40


class InTheirForm(Blind):
    """A Blind whose integers are wide, and in the form of what they stand for."""

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: object) -> np.ndarray:
        return np.full(np.shape(values), HALF, dtype=object if values.dtype == object else np.int64)


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[tuple[Session, ...]]:
    opened = []
    for name, rows in (("nobody", "LIMIT 0"), ("one", "")):
        folder = tmp_path / name
        folder.mkdir()
        duckdb.execute(f"COPY (SELECT 7 AS person, 'a' AS part, 5 AS x {rows}) TO '{folder / 't.parquet'}'")
        (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
        opened.append(
            build_session(load_policy(folder / "policy.yaml"), "mallory", None, (None, None), InTheirForm())
        )
    yield tuple(opened)
    for session in opened:
        session.close()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sql", QUERIES)
def test_one_row_of_a_wide_column_does_not_show_by_its_form(sql: str, sessions: tuple[Session, ...]) -> None:
    seen = []
    for session in sessions:
        answer = session.answer(sql)
        seen.append((answer.rows, repr(answer.released.intervals)))
    assert seen[0] == seen[1]


def test_a_count_is_rounded_beyond_64_bits(sessions: tuple[Session, ...]) -> None:
    with closing(sessions[0]) as session:
        assert session.answer(QUERIES[0]).rows[0][1] == 1
