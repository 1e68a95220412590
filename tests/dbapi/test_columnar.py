"""Arrow tables and frames take their types from the answer's columns, never from its values."""

from __future__ import annotations

import builtins
import datetime as dt
import sys
import uuid
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pandas
import pyarrow
import pytest

from dpsql import errors
from dpsql.engines.base import OutputColumn
from dpsql.privacy import FREE
from dpsql.release.types import Answer, ExpectedError, Explanation, Interval95, Released

IDENTITY = uuid.UUID(int=7)
DAY, MOMENT, CLOCK = dt.date(2025, 3, 1), dt.datetime(2025, 3, 1, 12, 30, 0, 5), dt.time(1, 2, 3)
UTC = dt.datetime(2025, 3, 1, tzinfo=dt.UTC)
CASES = {
    "BOOLEAN": (True, pyarrow.bool_(), "boolean"),
    "TINYINT": (1, pyarrow.int8(), "Int8"),
    "SMALLINT": (1, pyarrow.int16(), "Int16"),
    "INTEGER": (1, pyarrow.int32(), "Int32"),
    "BIGINT": (2**62, pyarrow.int64(), "Int64"),
    "UTINYINT": (1, pyarrow.uint8(), "UInt8"),
    "USMALLINT": (1, pyarrow.uint16(), "UInt16"),
    "UINTEGER": (1, pyarrow.uint32(), "UInt32"),
    "UBIGINT": (2**63, pyarrow.uint64(), "UInt64"),
    "HUGEINT": (10**37 + 1, pyarrow.decimal128(38, 0), "float64"),
    "DECIMAL(38,2)": (Decimal("1.50"), pyarrow.decimal128(38, 2), "float64"),
    "DECIMAL(5,1)": (Decimal("1.5"), pyarrow.decimal128(5, 1), "float64"),
    "FLOAT": (0.5, pyarrow.float32(), "float32"),
    "DOUBLE": (0.1, pyarrow.float64(), "float64"),
    "VARCHAR": ("é", pyarrow.string(), "string"),
    "ENUM('a', 'b')": ("a", pyarrow.string(), "string"),
    "UUID": (IDENTITY, pyarrow.string(), "string"),
    "BLOB": (b"\x00", pyarrow.binary(), "object"),
    "DATE": (DAY, pyarrow.date32(), "datetime64[us]"),
    "TIME": (CLOCK, pyarrow.time64("us"), "object"),
    "TIMESTAMP": (MOMENT, pyarrow.timestamp("us"), "datetime64[us]"),
    "TIMESTAMP WITH TIME ZONE": (UTC, pyarrow.timestamp("us", tz="UTC"), "object"),
    "INTERVAL": (dt.timedelta(days=1), pyarrow.month_day_nano_interval(), "timedelta64[us]"),
    '"NULL"': (None, pyarrow.null(), "object"),
}


def ask(scripted, type_code, *values):
    con, _ = scripted(Answer((OutputColumn("x", type_code),), tuple((v,) for v in values)))
    return con.execute("q")


@pytest.mark.parametrize("type_code", CASES)
@pytest.mark.parametrize("shape", ["value", "null", "nothing"])
def test_every_type_has_one_arrow_and_one_pandas_type_whatever_the_values(scripted, type_code, shape):
    value, arrow, frame = CASES[type_code]
    cur = ask(scripted, type_code, *{"value": (value, None), "null": (None,), "nothing": ()}[shape])
    assert cur.to_arrow_table().schema == pyarrow.schema([("x", arrow)])
    assert str(cur.df()["x"].dtype) == frame
    assert len(cur.df()) == cur.rowcount == cur.to_arrow_table().num_rows


@pytest.mark.parametrize("type_code", [t for t in CASES if t not in ("INTERVAL", "UUID", "HUGEINT", "FLOAT")])
def test_arrow_keeps_values_exactly(scripted, type_code):
    value = CASES[type_code][0]
    assert ask(scripted, type_code, value, None).to_arrow_table()["x"].to_pylist() == [value, None]


def test_a_hugeint_is_exact_in_arrow_and_a_float_in_a_frame(scripted):
    cur = ask(scripted, "HUGEINT", 10**37 + 1, None)
    assert cur.fetch_arrow_table()["x"].to_pylist() == [Decimal(10**37 + 1), None]
    assert cur.df()["x"][0] == 1e37


def test_a_hugeint_of_39_digits_is_a_data_error_in_arrow(scripted):
    with pytest.raises(errors.DataError, match="does not fit"):
        ask(scripted, "HUGEINT", 10**38).to_arrow_table()


def test_a_frame_marks_nulls_and_keeps_integers(scripted):
    frame = ask(scripted, "BIGINT", 2**62 + 1, None).df()
    assert frame["x"][0] == 2**62 + 1
    assert frame["x"].isna().tolist() == [False, True]


def test_a_type_unknown_to_arrow_is_not_supported_by_name(scripted):
    with pytest.raises(errors.NotSupportedError, match=r'column "x" of type MAP\(INTEGER, INTEGER\)'):
        ask(scripted, "MAP(INTEGER, INTEGER)", [1]).to_arrow_table()


def test_two_columns_of_one_name_both_stay(scripted):
    columns = (OutputColumn("x", "BIGINT"), OutputColumn("x", "VARCHAR"))
    con, _ = scripted(Answer(columns, ((1, "a"),)))
    cur = con.execute("q")
    assert cur.to_arrow_table().column_names == ["x", "x"]
    assert cur.df().columns.tolist() == ["x", "x"]
    assert isinstance(cur.df(), pandas.DataFrame)


def test_the_whole_answer_is_converted_whatever_was_fetched(scripted):
    cur = ask(scripted, "BIGINT", 1, 2)
    cur.fetchone()
    assert cur.to_arrow_table().num_rows == len(cur.df()) == 2
    assert cur.fetchone() == (2,)


@pytest.mark.parametrize(("module", "method"), [("pyarrow", "to_arrow_table"), ("pandas", "df")])
def test_a_missing_extra_is_named_with_its_remedy(scripted, monkeypatch, module, method):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == module:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    cur = ask(scripted, "BIGINT", 1)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(errors.InterfaceError, match=rf"need {module}: pip install 'dpsql\["):
        getattr(cur, method)()


NOISY = Answer(
    (OutputColumn("ward", "VARCHAR"), OutputColumn("n", "BIGINT"), OutputColumn("n_low", "BIGINT")),
    (("north", 10, 1), ("south", None, 2)),
    Released(
        FREE,
        lambda: Explanation(
            Fraction(1), Fraction(0), (), "",
            columns=(ExpectedError("ward", 0.0), ExpectedError("n", 3.5), ExpectedError("n_low", 0.0)),
        ),
        lambda: ((None, Interval95(6.5, 13.5), None), (None, None, None)),
    ),
)  # fmt: skip
NAMES = ["ward", "n", "n_low_", "n_high", "n_low"]


def test_the_ends_of_intervals_are_columns_behind_the_noisy_one_where_they_are_asked_for(scripted):
    con, _ = scripted(NOISY)
    cur = con.execute("q")
    table = cur.to_arrow_table(intervals=True)
    assert table.column_names == NAMES
    assert table.to_pylist() == [
        dict(zip(NAMES, ("north", 10, 6.5, 13.5, 1), strict=True)),
        dict(zip(NAMES, ("south", None, None, None, 2), strict=True)),
    ]
    assert cur.frame(intervals=True).columns.tolist() == NAMES
    assert cur.frame().equals(cur.df()) and cur.frame().columns.tolist() == ["ward", "n", "n_low"]
    assert cur.to_arrow_table().num_columns == 3


def test_a_column_has_its_ends_by_the_plan_and_not_by_its_rows(scripted):
    con, _ = scripted(replace(NOISY, rows=(), released=replace(NOISY.released, _intervals=tuple)))
    assert con.execute("q").to_arrow_table(intervals=True).column_names == NAMES


def test_a_polars_frame_is_the_arrow_table(scripted):
    polars = pytest.importorskip("polars")
    con, _ = scripted(NOISY, NOISY)
    frame = con.execute("q").frame("polars", intervals=True)
    assert isinstance(frame, polars.DataFrame)
    assert frame.columns == NAMES and frame.rows()[0] == ("north", 10, 6.5, 13.5, 1)


def test_what_polars_cannot_hold_is_not_supported(scripted):
    pytest.importorskip("polars")
    columns = (OutputColumn("x", "BIGINT"), OutputColumn("x", "VARCHAR"))
    con, _ = scripted(Answer(columns, ((1, "a"),)))
    with pytest.raises(errors.NotSupportedError, match="each name once"):
        con.execute("q").frame("polars")
    with pytest.raises(errors.NotSupportedError, match="CAST it to text"):
        ask(scripted, "INTERVAL", dt.timedelta(days=1)).frame("polars")


def test_a_library_that_is_none_of_the_two_is_refused(scripted):
    with pytest.raises(errors.ProgrammingError, match='"pandas" or "polars"'):
        ask(scripted, "BIGINT", 1).frame("numpy")
    with pytest.raises(errors.WrongType, match="True or False"):
        ask(scripted, "BIGINT", 1).frame(intervals="yes")


def test_polars_that_is_missing_is_named_with_its_remedy(scripted, monkeypatch):
    cur = ask(scripted, "BIGINT", 1)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(errors.InterfaceError, match=r"pip install 'dpsql\[polars\]'"):
        cur.frame("polars")
