"""On ordinary values a function gives what plain DuckDB gives for the analyst's spelling."""

import pytest
from edges import Engine, rendered
from function_cases import CASES, call
from ordinary_rows import FACTS


@pytest.mark.parametrize("op", sorted(CASES))
def test_a_function_gives_the_value_that_duckdb_gives(op: str, ordinary: Engine) -> None:
    for args, plain in CASES[op]:
        sql = rendered(call(op, args), FACTS)
        query = f"SELECT {sql}, {plain} FROM ordinary"
        for ours, theirs in ordinary.connection.execute(query).fetchall():
            assert ours == theirs, query
