"""Day numbers agree with `datetime`."""

from datetime import date, datetime, timedelta

from edges import Engine
from hypothesis import given, settings
from hypothesis import strategies as st

from dpsql.algebra.functions.dates.calendar import add_months, civil, day_number, month_length
from dpsql.algebra.functions.dates.parts import truncated

EPOCH = datetime(1970, 1, 1)
UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")


@given(st.dates())
def test_a_day_number_counts_from_1970(day: date) -> None:
    number = (day - date(1970, 1, 1)).days
    assert day_number(day.year, day.month, day.day) == number
    assert civil(number) == (day.year, day.month, day.day)


@given(st.integers(-20_000_000, 20_000_000))
def test_the_calendar_has_no_end(number: int) -> None:
    year, month, day = civil(number)
    assert 1 <= day <= month_length(year, month)
    assert day_number(year, month, day) == number


@given(st.dates(date(2, 1, 1), date(9900, 1, 1)), st.integers(-12, 1100))
@settings(max_examples=50)
def test_months_are_added_as_the_engine_adds_them(
    engines: tuple[Engine, Engine], day: date, months: int
) -> None:
    sql = f"SELECT date_diff('day', DATE '1970-01-01', DATE '{day.isoformat()}' + to_months({months}))"
    assert engines[0].connection.execute(sql).fetchall() == [
        (add_months((day - date(1970, 1, 1)).days, months),)
    ]


@given(st.datetimes(), st.sampled_from(UNITS))
@settings(max_examples=100)
def test_a_moment_is_truncated_as_the_engine_does(
    engines: tuple[Engine, Engine], moment: datetime, unit: str
) -> None:
    micros = (moment - EPOCH) // timedelta(microseconds=1)
    sql = f"SELECT date_trunc('{unit}', TIMESTAMP '{moment.isoformat(sep=' ')}')"
    expected = EPOCH + timedelta(microseconds=truncated(unit, micros))
    assert engines[0].connection.execute(sql).fetchall() == [(expected,)]
