"""A key keeps units apart: a source type of which two values would become one is refused when it is opened."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from dpsql.engines.open_engines import open_engines
from dpsql.errors import PolicyError
from dpsql.policy.load import load_policy

POLICY = """version: 1
privacy: {{unit: people.id, max_rows_per_unit: 2}}
tables:
  people: {{source: people.duckdb, columns: {{id: {{type: {type}}}, other: {{type: {type}}}}}}}
budgets: {{dataset: {{epsilon: 1}}, default: {{epsilon: 1}}}}
accountant: pure
"""


@pytest.mark.parametrize(
    ("type_", "source"),
    [
        ("integer", "HUGEINT"),
        ("integer", "UBIGINT"),
        ("float", "DECIMAL(30, 2)"),
        ("timestamp", "TIMESTAMP_NS"),
    ],
)
def test_a_key_of_a_wider_type_is_refused_and_another_column_of_it_is_not(
    type_: str, source: str, tmp_path: Path
) -> None:
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        connection.execute(f"CREATE TABLE people (id {source}, other {source})")
    (tmp_path / "policy.yaml").write_text(POLICY.format(type=type_), encoding="utf-8")
    with pytest.raises(PolicyError) as caught:
        open_engines(load_policy(tmp_path / "policy.yaml"))
    assert "columns.id: the source has" in str(caught.value) and "one key" in str(caught.value)
    assert "columns.other" not in str(caught.value)
