"""PEP 249's type objects and constructors: to compare a description with, and to make parameters of."""

from __future__ import annotations

import datetime
import re
import time

from dpsql.algebra.types import base_name
from dpsql.slotted import dataclass

Date = datetime.date
Time = datetime.time
Timestamp = datetime.datetime
Described = tuple[str, str, None, None, int | None, int | None, None]
"""A column in a cursor's description: its name, its type, and precision and scale of a decimal."""
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")


@dataclass(frozen=True, slots=True, eq=False)
class TypeObject:
    """A family of DuckDB types that compares equal to the type code of every type in it.

    It equals several texts at once and therefore has no hash.
    """

    name: str
    types: frozenset[str]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return base_name(other) in self.types
        return self is other

    def __repr__(self) -> str:
        return self.name


STRING = TypeObject("STRING", frozenset({"VARCHAR", "ENUM", "UUID", "JSON"}))
BINARY = TypeObject("BINARY", frozenset({"BLOB", "BIT"}))
NUMBER = TypeObject(
    "NUMBER",
    frozenset(
        {
            "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT",
            "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
            "FLOAT", "DOUBLE", "DECIMAL",
        }
    ),
)  # fmt: skip
DATETIME = TypeObject(
    "DATETIME",
    frozenset(
        {
            "DATE", "TIME", "TIME WITH TIME ZONE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE",
            "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "INTERVAL",
        }
    ),
)  # fmt: skip
ROWID = TypeObject("ROWID", frozenset())


def DateFromTicks(ticks: float) -> Date:
    """The local date of a time given in seconds since the epoch."""
    return Date(*time.localtime(ticks)[:3])


def TimeFromTicks(ticks: float) -> Time:
    """The local time of day of a time given in seconds since the epoch."""
    return Time(*time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks: float) -> Timestamp:
    """The local date and time of a time given in seconds since the epoch."""
    return Timestamp(*time.localtime(ticks)[:6])


def Binary(value: bytes | bytearray | memoryview) -> bytes:
    """A binary value from anything that holds bytes."""
    return bytes(value)


def described(name: str, type_code: str) -> Described:
    """A column as a description has it."""
    precision, scale = decimal_shape(type_code) or (None, None)
    return (name, type_code, None, None, precision, scale, None)


def decimal_shape(type_code: str) -> tuple[int, int] | None:
    """Precision and scale of a `DECIMAL(p,s)`, or None for any other type."""
    match = _DECIMAL.fullmatch(type_code)
    return (int(match[1]), int(match[2])) if match else None
