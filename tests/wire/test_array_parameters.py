"""Arrays that clients send as parameters: read as PostgreSQL writes them, refused where they are none."""

from __future__ import annotations

from struct import pack

import psycopg
import pytest
from postgresql.server import Server

from dpsql.interfaces.wire.failures import Failure
from dpsql.interfaces.wire.values.binary_values import binary_packer
from dpsql.interfaces.wire.values.bound_values import engine_type, oid_of, value_of
from dpsql.interfaces.wire.values.text_values import text_writer
from dpsql.interfaces.wire.values.wire_types import TYPES, wire_type
from dpsql.sql.lex.array_texts import MOST_ITEMS
from wire.test_values import ENGINE, values_of

TEXTS = 1009


@pytest.mark.parametrize("name", sorted(ENGINE))
def test_arrays_of_every_type_are_read_back_as_they_were(name: str) -> None:
    kind = wire_type(f"{ENGINE[name]}[]")
    for values in (values_of(name), [None, *values_of(name)[:3], None], []):
        for form, data in ((0, text_writer(kind)(values).encode()), (1, binary_packer(kind)(values))):
            assert value_of(data, form, kind.oid) == values


@pytest.mark.parametrize(
    "text",
    [
        "{}", " { } ", "{a}", "{ a , b }", "{NULL,null,\"NULL\"}", '{"a b","c\\"d","e\\\\f"}', "{a b, c}", "{\\NULL}",
        '{""}', "{a\\,b}", '{ "x" }', "{ä€}",
    ],
)  # fmt: skip
def test_texts_of_arrays_are_read_as_postgresql_reads_them(text: str, postgres_server: Server) -> None:
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        theirs = db.execute("SELECT CAST(%s AS text[])", (text,)).fetchone()
    assert theirs is not None
    assert value_of(text.encode(), 0, TEXTS) == theirs[0]


@pytest.mark.parametrize(
    "text",
    ["", "x", "{", "{x", "{x,}", "{,x}", "x}", "{x}y", "{x}}", '{"x}', '{x"y"}', "{{x}}", "[0:1]={x,y}"],
)
def test_texts_that_are_no_arrays_are_refused(text: str) -> None:
    with pytest.raises(Failure) as refused:
        value_of(text.encode(), 0, TEXTS)
    assert refused.value.sqlstate == "22P02"
    assert not text or text not in str(refused.value)


ONE = pack("!i", 1) + b"a"


@pytest.mark.parametrize(
    "data",
    [
        b"", bytes(8), pack("!iii", 0, 0, 23), pack("!iiiii", 1, 0, 25, 1, 0) + ONE,
        pack("!iiiii", 1, 0, 25, 2, 1) + ONE,
        pack("!iiiii", 1, 0, 25, 1, 1) + ONE + b"x", pack("!iiiii", 1, 0, 25, -1, 1),
        pack("!iiiii", 1, 0, 25, 2**31 - 1, 1),
        pack("!iiiii", 1, 0, 25, 1, 1) + pack("!i", -2), pack("!iiiii", 1, 0, 25, 1, 1) + pack("!i", 2**31 - 1),
        pack("!iiiiiii", 2, 0, 25, 1, 1, 1, 1) + ONE,
    ],
)  # fmt: skip
def test_bytes_that_are_no_arrays_are_refused(data: bytes) -> None:
    with pytest.raises(Failure) as refused:
        value_of(data, 1, TEXTS)
    assert refused.value.sqlstate == "22P03"


def test_an_array_has_a_limit() -> None:
    for values, fits in ((MOST_ITEMS, True), (MOST_ITEMS + 1, False)):
        text = b"{" + b",".join([b"1"] * values) + b"}"
        if fits:
            assert value_of(text, 0, TYPES["int4"].lists) == [1] * values
        else:
            with pytest.raises(Failure, match="at most"):
                value_of(text, 0, TYPES["int4"].lists)


def test_a_value_in_an_array_is_checked_as_one_alone() -> None:
    with pytest.raises(Failure) as refused:
        value_of(b"{1,2147483648}", 0, TYPES["int4"].lists)
    assert refused.value.sqlstate == "22003"


def test_types_of_arrays_are_those_of_their_values() -> None:
    assert engine_type(TYPES["date"].lists) == "DATE[]"
    assert engine_type(1015) == "VARCHAR[]"
    assert oid_of("DOUBLE[]") == TYPES["float8"].lists
    assert oid_of("VARCHAR[]") == TEXTS
