"""PEP 249's type objects compare equal to DuckDB's type names; its constructors make Python's values."""

from __future__ import annotations

import datetime as dt
import time

import pytest

from dpsql.release.render import type_codes as typecodes

FAMILIES = {
    "VARCHAR": typecodes.STRING,
    "ENUM('a', 'b')": typecodes.STRING,
    "BLOB": typecodes.BINARY,
    "BIGINT": typecodes.NUMBER,
    "HUGEINT": typecodes.NUMBER,
    "DECIMAL(38,2)": typecodes.NUMBER,
    "DOUBLE": typecodes.NUMBER,
    "DATE": typecodes.DATETIME,
    "TIMESTAMP WITH TIME ZONE": typecodes.DATETIME,
    "BOOLEAN": None,
    "INTEGER[]": None,
    "DECIMAL(4,1)[]": None,
    "STRUCT(a INTEGER)": None,
}
OBJECTS = (typecodes.STRING, typecodes.BINARY, typecodes.NUMBER, typecodes.DATETIME, typecodes.ROWID)


@pytest.mark.parametrize("type_code", FAMILIES)
def test_a_type_code_equals_its_family_from_both_sides_and_no_other(type_code):
    for family in OBJECTS:
        assert (family == type_code) is (family is FAMILIES[type_code])
        assert (type_code == family) is (family is FAMILIES[type_code])


def test_type_objects_equal_themselves_alone():
    for one in OBJECTS:
        assert [one == other for other in OBJECTS].count(True) == 1
    assert typecodes.STRING != 5
    assert repr(typecodes.STRING) == "STRING"


def test_a_type_object_has_no_hash_since_it_equals_several_texts():
    with pytest.raises(TypeError):
        hash(typecodes.STRING)


def test_constructors_make_dates_times_and_bytes():
    assert typecodes.Date(2002, 12, 25) == dt.date(2002, 12, 25)
    assert typecodes.Time(13, 45, 30) == dt.time(13, 45, 30)
    assert typecodes.Timestamp(2002, 12, 25, 13, 45, 30) == dt.datetime(2002, 12, 25, 13, 45, 30)
    assert typecodes.Binary(bytearray(b"ab")) == b"ab"


def test_ticks_are_local_time():
    ticks = time.mktime((2002, 12, 25, 13, 45, 30, 0, 0, -1))
    assert typecodes.DateFromTicks(ticks) == dt.date(2002, 12, 25)
    assert typecodes.TimeFromTicks(ticks) == dt.time(13, 45, 30)
    assert typecodes.TimestampFromTicks(ticks) == dt.datetime(2002, 12, 25, 13, 45, 30)
