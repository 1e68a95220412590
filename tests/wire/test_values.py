"""Values in text and binary: byte by byte as PostgreSQL writes them, and read back as they were."""

from __future__ import annotations

import random
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

import duckdb
import numpy as np
import psycopg
import pytest
from postgresql.server import Server

from dpsql.engines.base import OutputColumn
from dpsql.interfaces.wire.failures import Failure, Unsendable
from dpsql.interfaces.wire.values.binary_values import binary_packer
from dpsql.interfaces.wire.values.bound_values import engine_type, value_of
from dpsql.interfaces.wire.values.data_rows import data_rows, written_as
from dpsql.interfaces.wire.values.text_values import text_writer
from dpsql.interfaces.wire.values.wire_types import TYPES, field_of, wire_type
from wire.protocol_scripts import split

RANDOM = 200
ENGINE = {
    "bool": "BOOLEAN", "int2": "SMALLINT", "int4": "INTEGER", "int8": "BIGINT", "numeric": "DECIMAL(38,10)",
    "float4": "FLOAT", "float8": "DOUBLE", "text": "VARCHAR", "uuid": "UUID", "bytea": "BLOB", "date": "DATE",
    "time": "TIME", "timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMP WITH TIME ZONE", "interval": "INTERVAL",
}  # fmt: skip
EDGES: dict[str, list[object]] = {
    "bool": [True, False],
    "int2": [0, 32767, -32768],
    "int4": [0, 2**31 - 1, -(2**31)],
    "int8": [0, 2**63 - 1, -(2**63)],
    "numeric": [
        *map(Decimal, ("0", "0.00", "1", "-1", "10000", "9999", "0.0001", "0.00010", "12345.6789", "1e10", "-0.5")),
        *map(Decimal, ("99999999999999999999999999.9999999999", "100000000.00001", "1000000000000")),
    ],
    "float4": [0.0, 1.0, 1.5, float(np.float32(0.1)), float(np.float32(1e-5)), 1e6, 999999.0, float("inf"), -2.0],
    "float8": [
        *(0.0, -0.0, 1.0, 0.1, 1e15, 1e14, 123456789012345.0, 1e-4, 1e-5, 1.5e300, -1e-300, 5e-324, 1e22, 1e23),
        *(float("inf"), -float("inf"), 0.30000000000000004, 100.0, 123456789012345680.0),
    ],
    "text": ["", "a", "ä€😀", "quote ' and \\ and \"", "line\nend\tand tab"],
    "uuid": [UUID(int=0), UUID(int=2**128 - 1)],
    "bytea": [b"", b"\0\1\xff", b"abc"],
    "date": [date(1, 1, 1), date(2000, 1, 1), date(1999, 12, 31), date(9999, 12, 31)],
    "time": [time(0), time(23, 59, 59, 999_999), time(1, 2, 3, 500_000), time(1, 2, 3, 40)],
    "timestamp": [datetime(1, 1, 1), datetime(2000, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999_999)],
    "timestamptz": [datetime(2000, 1, 1), datetime(2024, 2, 29, 12, 30, 0, 100_000)],
    "interval": [
        *(timedelta(0), timedelta(days=1), timedelta(days=-2), timedelta(hours=-1), timedelta(microseconds=1)),
        *(timedelta(days=400, hours=30, seconds=1.5), timedelta(days=1, microseconds=500_000)),
        timedelta(days=-1, hours=1),
    ],
}  # fmt: skip


def some(name: str, rng: random.Random) -> object:
    """A random value of a type."""
    match name:
        case "bool":
            return rng.random() < 0.5
        case "int2" | "int4" | "int8":
            bits = 8 * int(name[3:]) - 1
            return rng.randrange(-(2 ** rng.randrange(bits)), 2 ** rng.randrange(bits))
        case "numeric":
            return Decimal(rng.randrange(-(10 ** rng.randrange(1, 28)), 10 ** rng.randrange(1, 28))).scaleb(
                -rng.randrange(11)
            )
        case "float4":
            return float(np.float32(rng.choice((-1, 1)) * rng.random() * 10 ** rng.randrange(-8, 12)))
        case "float8":
            return rng.choice((-1, 1)) * rng.random() * 10.0 ** rng.randrange(-20, 30)
        case "text":
            return "".join(rng.choice("aä'\"\\{},\n 0€") for _ in range(rng.randrange(8)))
        case "uuid":
            return UUID(int=rng.getrandbits(128))
        case "bytea":
            return rng.randbytes(rng.randrange(9))
        case "date":
            return date.fromordinal(rng.randrange(1, date.max.toordinal()))
        case "time":
            return (datetime(2000, 1, 1) + timedelta(microseconds=rng.randrange(86_400_000_000))).time()
        case "interval":
            return timedelta(days=rng.randrange(-99, 99), microseconds=rng.randrange(86_400_000_000))
    micro = rng.choice((0, 100_000, rng.randrange(1_000_000)))
    return datetime(rng.randrange(1000, 3000), 1, 1, micro % 24, micro % 60, 0, micro) + timedelta(
        micro % 366
    )


def values_of(name: str) -> list[object]:
    rng = random.Random(name)
    return [*EDGES[name], *(some(name, rng) for _ in range(RANDOM))]


@pytest.mark.parametrize("name", sorted(EDGES))
def test_values_are_written_as_postgresql_writes_them(name: str, postgres_server: Server) -> None:
    kind, values = wire_type(ENGINE[name]), values_of(name)
    assert kind == TYPES[name]
    texts = [text_writer(kind)(v) for v in values]
    packed = [binary_packer(kind)(v) for v in values]
    sql = "SELECT CAST(t.v AS {}) AS v FROM unnest(%s::text[]) WITH ORDINALITY AS t(v, n) ORDER BY n"
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        db.execute("SET TimeZone = 'UTC'")
        for binary, ours in ((False, [t.encode() for t in texts]), (True, packed)):
            given = db.execute(sql.format(name).encode(), (texts,), binary=binary).pgresult
            assert given is not None
            theirs = [given.get_value(i, 0) for i in range(given.ntuples)]
            different = [(o, t) for o, t in zip(ours, theirs, strict=True) if o != t]
            if name in ("float4", "float8") and not binary:
                # Where the shortest digits lie just between two floats, PostgreSQL takes one digit more.
                assert all(abs(len(o) - len(t)) < 18 and _same(name, o, t) for o, t in different)
                assert len(different) < len(values) // 20
            else:
                assert different == []


@pytest.mark.parametrize("name", ["date", "timestamp", "timestamptz"])
def test_days_that_python_does_not_have_are_written_as_postgresql_writes_them(
    name: str, postgres_server: Server
) -> None:
    asked = (
        "0001-12-31 (BC)",
        "0044-03-15 (BC)",
        "4713-02-29 (BC)",
        "10000-01-01",
        "12000-02-29",
        "294246-12-31",
    )
    clock = "" if name == "date" else " 01:02:03.5"
    with psycopg.connect(postgres_server.url(), autocommit=True) as db, duckdb.connect() as engine:
        for session in (db, engine):
            session.execute("SET TimeZone = 'UTC'")
        for text in asked:
            [(given,)] = engine.execute(f"SELECT CAST('{text}{clock}' AS {name})").fetchall()
            assert isinstance(given, str)
            for binary, write in ((False, text_writer(TYPES[name])), (True, binary_packer(TYPES[name]))):
                day = text.removesuffix(" (BC)")
                sql = f"SELECT CAST('{day}{clock}{' BC' if day != text else ''}' AS {name})"
                theirs = db.execute(sql.encode(), binary=binary).pgresult
                assert theirs is not None
                written = write(given)
                assert (written if isinstance(written, bytes) else written.encode()) == theirs.get_value(0, 0)


@pytest.mark.parametrize("text", ["Infinity", "-Infinity", "NaN"])
def test_numbers_that_are_not_finite_are_written_as_postgresql_writes_them(
    text: str, postgres_server: Server
) -> None:
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        for binary, write in (
            (False, text_writer(TYPES["numeric"])),
            (True, binary_packer(TYPES["numeric"])),
        ):
            theirs = db.execute(f"SELECT CAST('{text}' AS numeric)".encode(), binary=binary).pgresult
            assert theirs is not None
            written = write(Decimal(text))
            assert (written if isinstance(written, bytes) else written.encode()) == theirs.get_value(0, 0)


@pytest.mark.parametrize("value", [13.0, -7.0, 2.5, 1e20, 0.0, -0.0, 1e-7])
def test_a_double_of_a_numeric_is_written_as_postgresql_casts_it(
    value: float, postgres_server: Server
) -> None:
    for binary, write in ((False, text_writer(TYPES["numeric"])), (True, binary_packer(TYPES["numeric"]))):
        with psycopg.connect(postgres_server.url(), autocommit=True) as db:
            theirs = db.execute(f"SELECT {value!r}::float8::numeric".encode(), binary=binary).pgresult
        assert theirs is not None
        written = write(value)
        assert (written if isinstance(written, bytes) else written.encode()) == theirs.get_value(0, 0)


def test_the_end_of_a_day_is_written_as_postgresql_writes_it(postgres_server: Server) -> None:
    sql = "SELECT TIME '24:00:00'"
    with psycopg.connect(postgres_server.url(), autocommit=True) as db, duckdb.connect() as engine:
        [(given,)] = engine.execute(sql).fetchall()
        for binary, write in ((False, text_writer(TYPES["time"])), (True, binary_packer(TYPES["time"]))):
            theirs, written = db.execute(sql.encode(), binary=binary).pgresult, write(given)
            assert theirs is not None
            assert (written if isinstance(written, bytes) else written.encode()) == theirs.get_value(0, 0)


def test_intervals_are_written_in_iso_8601_as_postgresql_writes_them(postgres_server: Server) -> None:
    kind, values = wire_type("INTERVAL[]"), values_of("interval")
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        db.execute("SET IntervalStyle = iso_8601")
        given = db.execute("SELECT %s::interval[]::text", (text_writer(kind)(values),)).fetchone()
    assert given == (text_writer(kind, iso_intervals=True)(values),)


def _same(name: str, one: bytes, other: bytes) -> bool:
    read = np.float32 if name == "float4" else np.float64
    return bool(read(one.decode()) == read(other.decode()))


@pytest.mark.parametrize("name", sorted(EDGES))
def test_values_are_read_back_as_they_were(name: str) -> None:
    kind = TYPES[name]
    for value in values_of(name):
        for form, data in ((0, text_writer(kind)(value).encode()), (1, binary_packer(kind)(value))):
            assert value_of(data, form, kind.oid) == value, (value, form)


LISTS = ([], ["a", None, "NULL", "b c", '"', "\\", ""], [None])


def test_lists_are_written_as_postgresql_writes_them(postgres_server: Server) -> None:
    kind = wire_type("VARCHAR[]")
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        for value in LISTS:
            for binary, ours in (
                (False, text_writer(kind)(value).encode()),
                (True, binary_packer(kind)(value)),
            ):
                given = db.execute("SELECT %s::text[]", (value,), binary=binary).pgresult
                assert given is not None
                assert given.get_value(0, 0) == ours
                assert given.ftype(0) == kind.oid


def test_columns_have_the_types_of_postgresql() -> None:
    assert field_of(OutputColumn("a", "DECIMAL(10,2)")).modifier == (10 << 16 | 2) + 4
    assert field_of(OutputColumn("a", "HUGEINT")).oid == 1700
    assert field_of(OutputColumn("a", "ENUM('x', 'y')")).oid == 25
    assert wire_type("INTEGER[3]") == wire_type("INTEGER[]")
    for unknown in ("STRUCT(a INTEGER)", "MAP(INTEGER, VARCHAR)", "INTEGER[][]", "TIME WITH TIME ZONE"):
        with pytest.raises(Unsendable):
            wire_type(unknown)


@pytest.mark.parametrize("form", [0, 1])
@pytest.mark.parametrize(
    ("kind", "value"), [("INTEGER", "x"), ("DOUBLE", 1), ("VARCHAR", 1), ("DATE", "2024-01-01")]
)
def test_a_value_of_another_type_is_not_sent(kind: str, value: object, form: int) -> None:
    with pytest.raises(Unsendable) as refused:
        list(data_rows([(value,)], written_as([OutputColumn("a", kind)], [form])))
    assert str(value) not in str(refused.value)


def test_a_value_out_of_the_range_of_its_type_is_not_sent_in_binary() -> None:
    with pytest.raises(Unsendable):
        binary_packer(TYPES["int4"])(2**31)


@pytest.mark.parametrize("name", ["date", "timestamp", "timestamptz"])
def test_what_is_before_the_first_of_the_binary_format_is_sent_as_before_everything(
    name: str, postgres_server: Server
) -> None:
    first = "5877642-06-25 (BC)" if name == "date" else "290308-12-22 (BC)"
    with psycopg.connect(postgres_server.url()) as db, duckdb.connect() as engine:
        engine.execute("SET TimeZone = 'UTC'")
        [(given,)] = engine.execute(f"SELECT CAST('{first}' AS {name})").fetchall()
        theirs = db.execute(f"SELECT CAST('-infinity' AS {name})".encode(), binary=True).pgresult
        assert theirs is not None
        assert binary_packer(TYPES[name])(given) == theirs.get_value(0, 0)


@pytest.mark.parametrize(
    ("name", "text", "state"),
    [
        ("int4", "2147483648", "22003"),
        ("int2", "-32769", "22003"),
        ("int4", "1.5", "22P02"),
        ("int4", "٣", "22P02"),
        ("int8", "9" * 20, "22003"),
        ("bool", "maybe", "22P02"),
        ("numeric", "1e1000", "22P02"),
        ("numeric", "1_0", "22P02"),
        ("float8", "0x10", "22P02"),
        ("date", "2024-02-30", "22P02"),
        ("date", "2024-02-28 25:00", "22P02"),
        ("date", "yesterday", "22P02"),
        ("timestamp", "2024-01-01 25:00", "22P02"),
        ("interval", "1 month", "22P02"),
        ("bytea", "abc", "22P02"),
        ("uuid", "abc", "22P02"),
    ],
)
def test_texts_that_are_not_of_their_type_are_refused(name: str, text: str, state: str) -> None:
    with pytest.raises(Failure) as refused:
        value_of(text.encode(), 0, TYPES[name].oid)
    assert refused.value.sqlstate == state
    assert text not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("int4", b"\0"),
        ("bool", b""),
        ("date", b"\x7f\xff\xff\xff"),
        ("timestamp", b"\x7f" + bytes(7)),
        ("time", b"\xff" * 8),
        ("interval", bytes(12) + b"\0\0\0\1"),
        ("uuid", b"\0" * 15),
        ("numeric", b"\x7f\xff\0\0\0\0\0\0"),
        ("numeric", b"\0\1\x7f\xff\0\0\0\0\0\1"),
        ("numeric", b"\0\1\0\0\0\0\0\0\x27\x10"),
    ],
)
def test_bytes_that_are_not_of_their_type_are_refused(name: str, data: bytes) -> None:
    with pytest.raises(Failure) as refused:
        value_of(data, 1, TYPES[name].oid)
    assert refused.value.sqlstate == "22P03"


def test_names_of_objects_are_read_as_texts_and_their_numbers_as_numbers() -> None:
    for oid, listed in ((2205, 2210), (2206, 2211)):
        assert value_of(b"orders", 0, oid) == "orders"
        assert value_of((16_385).to_bytes(4), 1, oid) == "16385"
        assert value_of(b"{orders,16385}", 0, listed) == ["orders", "16385"]
        assert (engine_type(oid), engine_type(listed)) == ("VARCHAR", "VARCHAR[]")


def test_moments_with_a_zone_are_read_in_utc() -> None:
    text = b"2025-01-01 12:00:00+02:30"
    assert value_of(text, 0, TYPES["timestamptz"].oid) == datetime(2025, 1, 1, 9, 30)
    assert value_of(text, 0, TYPES["timestamp"].oid) == datetime(2025, 1, 1, 12), "as in PostgreSQL"
    assert value_of(b"2025-01-01 +01", 0, TYPES["date"].oid) == date(2025, 1, 1), "as pgjdbc sends dates"
    assert value_of(b"2025-01-01T23:30:00.000+05:00", 0, TYPES["date"].oid) == date(2025, 1, 1), (
        "as node-postgres"
    )


@pytest.mark.parametrize("name", sorted(EDGES))
@pytest.mark.parametrize("nulls", [False, True])
def test_a_column_is_written_as_its_values_are(name: str, nulls: bool) -> None:
    write = text_writer(TYPES[name])
    values = [v for value in values_of(name) for v in ([value, None] if nulls else [value])]
    values += [None] if nulls else []
    cells = written_as([OutputColumn("a", ENGINE[name])], [0])[0].cells
    for column in (values, values[:1], values[-1:], []):
        assert cells(column) == [None if v is None else write(v).encode() for v in column]


def test_texts_with_zero_bytes_lose_them_and_nothing_else() -> None:
    cells = written_as([OutputColumn("a", "VARCHAR")], [0])[0].cells
    assert cells(["a\0b", "", "c"]) == [b"ab", b"", b"c"]


def test_rows_of_many_pieces_are_whole_messages() -> None:
    rows = [(i, None if i % 3 else "x" * (i % 2000)) for i in range(3000)]
    columns = [OutputColumn("a", "BIGINT"), OutputColumn("b", "VARCHAR")]
    pieces = list(data_rows(rows, written_as(columns, [0, 0])))
    found = [m for piece in pieces for m in split(piece)]
    assert len(pieces) > 5
    assert len(found) == len(rows)
    for message, (number, text) in zip(found, rows, strict=True):
        cells = b"".join(
            b"\xff\xff\xff\xff" if c is None else len(c).to_bytes(4) + c
            for c in (str(number).encode(), None if text is None else text.encode())
        )
        assert message == b"D" + (len(cells) + 6).to_bytes(4) + b"\0\2" + cells


def test_rows_without_columns_are_messages_too() -> None:
    assert list(data_rows([(), ()], [])) == [b"D\0\0\0\6\0\0" * 2]
