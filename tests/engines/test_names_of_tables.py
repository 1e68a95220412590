"""Whatever tables and columns are called, they are not taken for what engines add to them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from dpsql.audit.exact import by_key
from dpsql.audit.sensitivity import opened
from dpsql.policy.load import load_policy
from dpsql.stages.prepare import prepare

POLICY = """version: 1
privacy: {{unit: {schema}.t.u, max_rows_per_unit: 3, max_groups_per_unit: 2}}
tables:
  {schema}.t:
    source: data.duckdb
    unit_key: u
    columns:
      u: {{type: integer}}
      {key}: {{type: integer, values: [0, 1]}}
      {value}: {{type: integer, lower: 0, upper: 9}}
  {schema}.p: {{source: data.duckdb, public: true}}
budgets:
  dataset: {{epsilon: 9, delta: 0.001}}
  default: {{epsilon: 9, delta: 0.0001}}
"""
NAMES = [
    ("k0", "g0"),
    ("v0", "k1"),
    ("s0", "s1"),
    ("t", "n"),
    ("kept", "big"),
    ("r", "d"),
    ("p", "o"),
    ("h0", "l0"),
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("schema", ["source0", "src", "lists", "released", "prepared", "main", "cells"])
@pytest.mark.parametrize(("key", "value"), NAMES)
def test_sums_are_those_of_the_named_columns(schema: str, key: str, value: str, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT i % 20 AS u, i % 2 AS {key}, 4 AS {value} FROM range(100) r(i)"
        )
        connection.execute(f'CREATE TABLE p AS SELECT i AS {key}, i * 7 AS "#unit" FROM range(2) r(i)')
    text = POLICY.format(schema=schema, key=key, value=value)
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    table, joined = f"{schema}.t AS a", f"{schema}.t AS a JOIN {schema}.p AS b ON a.{key} = b.{key}"
    sums = {
        f"SELECT COUNT(*), SUM({value}) FROM {table} WHERE {value} < 9": {(): (60, 240)},
        f"SELECT {key}, COUNT(*) FROM {table} GROUP BY {key}": {(0,): (30,), (1,): (30,)},
        f'SELECT "#unit", SUM({value}) FROM {joined} GROUP BY 1': {(0,): (120,), (7,): (120,)},
    }
    with opened(load_policy(tmp_path / "policy.yaml")) as state:
        for question, wanted in sums.items():
            ((query,),) = prepare(question, None, state).queries
            found = by_key(state.engine.run(query))
            assert {k: tuple(sorted(v)) for k, v in found.items()} == wanted, question


def test_a_column_of_that_name_is_read_before_one_in_another_case(tmp_path: Path) -> None:
    """DuckDB tells É from é."""
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute('CREATE TABLE t AS SELECT i AS u, 1 AS "É", 2 AS "é" FROM range(6) r(i)')
        connection.execute("CREATE TABLE p AS SELECT 1 AS id")
    text = POLICY.format(schema="main", key="k", value="é").replace("k: {type: integer, values: [0, 1]}", "")
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    with opened(load_policy(tmp_path / "policy.yaml")) as state:
        ((query,),) = prepare('SELECT SUM("é") FROM main.t', None, state).queries
        assert by_key(state.engine.run(query)) == {(): (12,)}
