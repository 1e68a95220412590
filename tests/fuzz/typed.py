"""Public tables of every type that DuckDB has, which a policy need not list, and how they are read by definition.

Their values are equal under a collation and not by their bytes, or to texts of private rows and not by their type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import duckdb

from dpsql.engines.generated.source_files import write_source
from dpsql.policy.table_sources import Source, SourceKind

UUID = "550e8400-e29b-41d4-a716-446655440000"
OTHER_UUID = "550e8400-e29b-41d4-a716-44665544000a"
ROWS = 6
_TEXT = ("abc", "Abc", "äbc", None, "ABC", "a\u0308bc")
_WORDS = ("north", "North", "abc", "Äbc", None, "abc ")
_SMALL = ("1", "2", "3", None, "1", "0")
_MOMENTS = (
    "2025-01-01 00:00:00",
    "2025-01-02 06:00:00",
    None,
    "2025-01-01 00:00:00",
    "1970-01-01",
    "2025-03-15",
)
# Tables by name; of each column its name, its type in the source, and values in the order of the rows.
TABLES: dict[str, dict[str, tuple[str, tuple[str | None, ...]]]] = {
    "words": {
        "nocase": ("VARCHAR COLLATE NOCASE", _TEXT),
        "noaccent": ("VARCHAR COLLATE NOACCENT", _WORDS),
        "neither": ("VARCHAR COLLATE NOCASE.NOACCENT", _WORDS),
        "composed": ("VARCHAR COLLATE NFC", _TEXT),
        "icu": ("VARCHAR COLLATE de", _TEXT),
        "listed": ("ENUM('north', 'Abc', 'south', 'abc', '')", ("abc", "Abc", "north", "", None, "south")),
        "plain": ("VARCHAR", ("", "Abc", UUID, "12:00:00", "0101", None)),
    },
    "codes": {
        "id": ("UUID", (UUID, OTHER_UUID, UUID, None, OTHER_UUID, UUID)),
        "document": ("JSON", ('{"a":1}', '{"a": 1}', '"abc"', "12", None, "null")),
        "bits": ("BIT", ("0101", "101", "0101", "1", None, "00101")),
        "bytes": ("BLOB", ("abc", "Abc", r"\xAA\xFF", "", None, "abc")),
        "large": ("BIGNUM", ("12", "1" * 45, "-3", None, "12", "0")),
        "at": ("TIME", ("12:00:00", "12:00:00.5", "00:00:00", None, "12:00:00", "24:00:00")),
        "at_ns": ("TIME_NS", ("12:00:00", "12:00:00.123456789", None, "12:00:00", "00:00:00", "01:00:00")),
        "at_zone": (
            "TIMETZ",
            ("12:00:00+02", "10:00:00+00", "12:00:00+00", None, "11:00:00+01", "12:00:00+02"),
        ),
    },
    "numbers": {
        "i1": ("TINYINT", _SMALL),
        "i2": ("SMALLINT", ("-1", "5", "9", "5", None, "300")),
        "i4": ("INTEGER", ("2", "1", "2", "3", None, "70000")),
        "i8": ("BIGINT", ("1", "2", None, "3", "9007199254740993", "-9223372036854775808")),
        "u1": ("UTINYINT", _SMALL),
        "u2": ("USMALLINT", ("3", "2", "1", None, "60000", "3")),
        "u4": ("UINTEGER", ("5", "9", "5", None, "4000000000", "0")),
        "yes": ("BOOLEAN", ("true", "false", None, "true", "true", "false")),
    },
    "wide": {
        "u8": ("UBIGINT", _SMALL),
        "u8_beyond": ("UBIGINT", ("18446744073709551615", "1", "2", "1", None, "9223372036854775808")),
        "i16": ("HUGEINT", ("1", "-2", "3", "1", None, "5")),
        "i16_beyond": ("HUGEINT", (str(2**127 - 1), "1", str(-(2**127)), None, "1", str(2**63))),
        "u16": ("UHUGEINT", ("3", "2", "1", None, "2", "3")),
        "zero": ("FLOAT", ("-0.0", "0.0", "1.5", None, "-0.0", "0.1")),
        "double": ("DOUBLE", ("0.0", "-0.0", "2.25", "0.5", None, "0.125")),
        "money": ("DECIMAL(9, 2)", ("1.50", "-1.50", "0.00", None, "1.50", "2.25")),
    },
    "moments": {
        "day": ("DATE", ("2025-01-01", "2025-01-31", None, "2025-01-01", "2024-02-29", "2025-06-30")),
        "us": ("TIMESTAMP", _MOMENTS),
        "s": ("TIMESTAMP_S", _MOMENTS),
        "ms": ("TIMESTAMP_MS", _MOMENTS),
        "ns": ("TIMESTAMP_NS", tuple(v and f"{v}.000000001" if v and ":" in v else v for v in _MOMENTS)),
        "zone": ("TIMESTAMPTZ", tuple(v and f"{v}{' 00:00:00' * (':' not in v)}+02" for v in _MOMENTS)),
        "zone_ns": ("TIMESTAMPTZ_NS", tuple(v and f"{v}{' 00:00:00' * (':' not in v)}+02" for v in _MOMENTS)),
        "long": ("INTERVAL", ("30 days", "1 month", "720 hours", None, "1 month", "12:00:00")),
    },
    # Beyond the values of expressions, where an answer is not DuckDB's own.
    "ends": {
        "no_number": ("DOUBLE", ("nan", "inf", "-inf", "-0.0", None, "nan")),
        "no_single": ("FLOAT", ("inf", "nan", "1.5", "nan", None, "-inf")),
        "no_day": ("DATE", ("infinity", "-infinity", "2025-01-01", None, "5877642-06-25 (BC)", "infinity")),
        "no_moment": ("TIMESTAMP", ("infinity", "-infinity", None, "2025-01-01", "290309-12-22 (BC)", None)),
        "no_zone": (
            "TIMESTAMPTZ",
            ("infinity", "-infinity", None, "2025-01-01 00:00:00+00", "infinity", None),
        ),
    },
    "nested": {
        "list": ("INTEGER[]", ("[1, 2]", "[]", "[NULL]", None, "[1, 2]", "[2, 1]")),
        "fixed": ("INTEGER[2]", ("[1, 2]", "[2, 1]", None, "[1, 2]", "[0, 0]", "[1, 2]")),
        "enums": ("ENUM('abc', 'Abc')[]", ("[abc]", "[Abc]", "[]", None, "[abc, Abc]", "[abc]")),
        "struct": (
            "STRUCT(a VARCHAR)",
            ("{'a': abc}", "{'a': Abc}", None, "{'a': abc}", "{'a': NULL}", "{'a': 1}"),
        ),
        "pair": (
            "TUPLE(INTEGER, VARCHAR)",
            ("(1, abc)", "(1, Abc)", None, "(1, abc)", "(NULL, NULL)", "(2, x)"),
        ),
        "map": ("MAP(VARCHAR, INTEGER)", ("{abc=1}", "{Abc=1}", "{}", None, "{abc=1}", "{abc=1, b=2}")),
        "either": ("UNION(k VARCHAR)", ("abc", "Abc", None, "abc", "", "north")),
        "any": ("VARIANT", ("abc", "Abc", "12", None, "abc", "")),
        "point": (
            "GEOMETRY",
            ("POINT (1 2)", "POINT (2 1)", None, "POINT (1 2)", "POINT EMPTY", "POINT (0 0)"),
        ),
        "nothing": ('"NULL"', (None,) * ROWS),
    },
}
NUMBERS = ("1", "2", "3", "1", "2", "5")
# What a column of a table that no policy lists is, by the type in the source; all others are text.
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_WIDE = ("UBIGINT", "HUGEINT", "UHUGEINT")
_OTHERS = {
    **dict.fromkeys(_WHOLE, "BIGINT"),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), "DOUBLE"),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "TIMESTAMP"),
    **dict.fromkeys(("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"), "TIMESTAMP"),
    "BOOLEAN": "BOOLEAN",
    "DATE": "DATE",
}
# The types of a policy under which the columns of `words` can be listed.
LISTED = ", ".join(f"{name}: {{type: text}}" for name in TABLES["words"])


def write(folder: Path) -> None:
    """The tables in `public.duckdb`, and each in a Parquet file."""
    for name, typed in TABLES.items():
        columns = [("no", "BIGINT"), *((n, raw) for n, (raw, _) in typed.items())]
        rows = [(NUMBERS[i], *(values[i] for _, values in typed.values())) for i in range(ROWS)]
        write_source(Source(SourceKind.DUCKDB, Path(), name), folder / "public", columns, rows)
        write_source(Source(SourceKind.PARQUET, Path(), name), folder / name, columns, rows)


def enum(values: Iterable[str]) -> str:
    """The type of these values alone."""
    return f"ENUM({', '.join(repr(v) for v in values)})"


def read(connection: duckdb.DuckDBPyConnection, name: str, raw: str) -> None:
    """The table by definition: six types, and what is of none of them is its text."""
    kinds = [(str(r[0]), _kind(connection, raw, str(r[0]), str(r[1]))) for r in _described(connection, raw)]
    made = ", ".join(f'"{column}" {kind}' for column, kind in kinds)
    connection.execute(f"CREATE TABLE {name} ({made})")
    values = ", ".join(
        f'CAST("{c}" AS {k})' + (" + CAST(0 AS DOUBLE)" if k == "DOUBLE" else "") for c, k in kinds
    )
    connection.execute(f"INSERT INTO {name} SELECT {values} FROM {raw}")


def _described(connection: duckdb.DuckDBPyConnection, raw: str) -> Iterator[tuple[object, ...]]:
    yield from connection.execute(f"DESCRIBE FROM {raw}").fetchall()


def _kind(connection: duckdb.DuckDBPyConnection, raw: str, column: str, written: str) -> str:
    if written in _WIDE:
        beyond = connection.execute(f'SELECT max(abs("{column}"::DOUBLE)) > 9e18 FROM {raw}').fetchall()[0][0]
        return "VARCHAR" if beyond else "BIGINT"
    return _OTHERS.get(
        "DECIMAL" if written.startswith("DECIMAL(") and written[-1] == ")" else written, "VARCHAR"
    )
