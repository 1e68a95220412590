"""On ordinary values a function gives what plain DuckDB gives for the analyst's spelling."""

import duckdb
import pytest
from edges import Engine, rendered
from function_cases import CASES, COLUMNS, call, lit
from ordinary_rows import FACTS
from sqlglot import exp

from dpsql.algebra.functions import apply
from dpsql.algebra.types import SqlType
from dpsql.sql.bind.rounded_decimals import cast_checked, cast_to_decimal, rounded_decimal


@pytest.mark.parametrize("op", sorted(CASES))
def test_a_function_gives_the_value_that_duckdb_gives(op: str, ordinary: Engine) -> None:
    for args, plain in CASES[op]:
        sql = rendered(call(op, args), FACTS)
        query = f"SELECT {sql}, {plain} FROM ordinary"
        for ours, theirs in ordinary.connection.execute(query).fetchall():
            assert ours == theirs, query


@pytest.mark.parametrize("places", range(5))
def test_a_decimal_is_rounded_and_cast_as_duckdb_does_it(places: int) -> None:
    """Halves are away from zero, also those whose nearest double is less, as that of 0.145 is."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE halves AS SELECT range / 2000 AS x FROM range(-40001, 40002)")
    decimal = apply("decimal", (COLUMNS["x"], lit(18), lit(places)))
    written = f"CAST(x AS DECIMAL(18, {places}))"
    calls = [(rounded_decimal("trunc", (decimal,)), f"trunc({written})")]
    for digits in range(1, places + 1):
        calls += [(rounded_decimal("trunc", (decimal, lit(digits))), f"trunc({written}, {digits})")]
    calls += [(cast_checked(decimal, SqlType.INTEGER), f"CAST({written} AS BIGINT)")]
    for digits in range(-2, places + 1):
        calls += [(rounded_decimal("round", (decimal, lit(digits))), f"round({written}, {digits})")]
    for fewer in range(places + 1):
        sizes = [exp.Literal.number(n) for n in (18, fewer)]
        calls += [(cast_to_decimal(decimal, sizes), f"CAST({written} AS DECIMAL(18, {fewer}))")]
    for found, plain in calls:
        assert found is not None
        same = f"{rendered(found, FACTS)} IS NOT DISTINCT FROM CAST({plain} AS {found.type.value})"
        assert connection.execute(f"SELECT bool_and({same}) FROM halves").fetchall() == [(True,)], plain
