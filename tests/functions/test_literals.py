"""Constants reach the engine exactly, with the type and the value they have."""

from datetime import date, datetime

import pytest
from edges import Engine
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from dpsql.algebra.expressions import Duration, Literal
from dpsql.algebra.functions import spell
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.ast.literals import duration

Engines = tuple[Engine, Engine]
TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\0'\"\\%_\u202e"))


def read(literal: Literal, engines: Engines) -> tuple[str, object]:
    """The engine's type and value of a literal."""
    sql = spell.literal(literal)
    kind, value = engines[0].connection.execute(f"SELECT typeof({sql}), {sql}").fetchall()[0]
    return str(kind), value


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=300)
def test_a_double_is_the_same_double(engines: Engines, value: float) -> None:
    kind, found = read(Literal(value, SqlType.DOUBLE), engines)
    assert isinstance(found, float) and (kind, found.hex()) == ("DOUBLE", value.hex())


@given(st.integers(-(2**126), 2**126) | st.sampled_from([-(2**63), 2**63 - 1, 2**63, -(2**63) - 1, 2**31, 0]))
@settings(max_examples=200)
def test_an_integer_is_a_bigint_where_it_fits(engines: Engines, value: int) -> None:
    assert read(Literal(value, SqlType.INTEGER), engines) == (
        "BIGINT" if -(2**63) <= value < 2**63 else "HUGEINT",
        value,
    )


@given(TEXT)
@settings(max_examples=200)
def test_text_is_the_same_text(engines: Engines, value: str) -> None:
    assert read(Literal(value, SqlType.TEXT), engines) == ("VARCHAR", value)


@given(st.dates())
def test_a_date_is_the_same_date(engines: Engines, value: date) -> None:
    assert read(Literal(value, SqlType.DATE), engines) == ("DATE", value)


@given(st.datetimes())
def test_a_timestamp_is_the_same_timestamp(engines: Engines, value: datetime) -> None:
    assert read(Literal(value, SqlType.TIMESTAMP), engines) == ("TIMESTAMP", value)


def test_an_interval_keeps_months_days_and_microseconds_apart(engines: Engines) -> None:
    sql = spell.literal(Literal(Duration(14, -3, 90_000_001), SqlType.INTERVAL))
    parts = ", ".join(f"date_part('{p}', {sql})" for p in ("year", "month", "day", "minute", "microsecond"))
    assert engines[0].connection.execute(f"SELECT {parts}").fetchall() == [(1, 2, -3, 1, 30_000_001)]


FRACTIONS = ("0.5", "1.25", "-2.75", "0.000001", "999999.999999", "-35.1", "7.0")
DURATIONS = [f"{n} {u}s" for n in FRACTIONS for u in ("week", "day", "hour", "minute", "second")]


@pytest.mark.parametrize(
    "text", [*DURATIONS, "1 month -2.5 days", "1.5w 0.5h", "2.0 months", "1.25 years", "0.001 ms"]
)
def test_a_fraction_in_the_text_of_an_interval_is_cut_as_duckdb_cuts_it(text: str, engines: Engines) -> None:
    read_as = spell.literal(Literal(duration(exp.Interval(this=exp.Literal.string(text))), SqlType.INTERVAL))
    both = f"SELECT CAST({read_as} AS VARCHAR), CAST(INTERVAL '{text}' AS VARCHAR)"
    ((ours, written),) = engines[0].connection.execute(both).fetchall()
    assert ours == written


@pytest.mark.parametrize("text", ["1.5 months", "0.1 years", "0.5 us", "0.0000001 days", "1000000.5 days"])
def test_a_fraction_that_is_no_whole_number_of_months_or_microseconds_is_refused(text: str) -> None:
    with pytest.raises(QueryRefused, match="an INTERVAL needs a whole number and a unit"):
        duration(exp.Interval(this=exp.Literal.string(text)))


def test_booleans_and_typed_nulls_are_written_out(engines: Engines) -> None:
    assert read(Literal(True, SqlType.BOOLEAN), engines) == ("BOOLEAN", True)
    assert read(Literal(None, SqlType.TIMESTAMP), engines) == ("TIMESTAMP", None)
