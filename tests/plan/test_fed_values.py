"""What is fed into private SQL: released values inside of their ranges, public values that a text can hold."""

from __future__ import annotations

import math
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.algebra.expr import Hole
from dpsql.algebra.types import SqlType
from dpsql.draw import _double
from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import build_session

POLICY = """version: 1
privacy: {unit: t.u}
accountant: pure
tables:
  t: {source: data.duckdb, one_row_per_unit: true, columns: {u: {type: integer}, word: {type: text}}}
  pub: {source: data.duckdb, public: true}
budgets: {dataset: {epsilon: 10}, default: {epsilon: 10, per_query: 1}}
"""


@pytest.mark.parametrize("end", [Fraction(1, 10), Fraction(1, 3), Fraction(10**17 + 1), Fraction(-1, 7)])
def test_a_released_value_at_the_end_of_its_range_is_a_double_inside_of_it(end: Fraction) -> None:
    low = Hole(0, 0, SqlType.DOUBLE, end, end + 1)
    high = Hole(0, 0, SqlType.DOUBLE, end - 1, end)
    assert Fraction(_double(end, low)) >= end and Fraction(_double(end, high)) <= end
    assert math.isclose(_double(end, low), end) and math.isclose(_double(end, high), end)


def test_a_public_text_that_no_literal_can_hold_is_refused_before_anything_is_charged(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS u, 'a' AS word")
        connection.execute("CREATE TABLE pub AS SELECT 'a' || chr(0) || 'b' AS word")
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    policy = load_policy(tmp_path / "policy.yaml")
    with closing(build_session(policy, "a", None, (None, None), Noiseless())) as session:
        with pytest.raises(QueryRefused, match="cannot be compared with private rows"):
            session.answer("SELECT COUNT(*) FROM t WHERE word IN (SELECT word FROM pub)")
        assert session.budget().spent.epsilon == 0
