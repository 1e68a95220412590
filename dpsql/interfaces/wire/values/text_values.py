"""Values as PostgreSQL writes them in text, with the settings that every session has (ISO dates, hex bytes)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Final

import numpy as np

from dpsql.interfaces.wire.failures import Unsendable
from dpsql.interfaces.wire.values.far_moments import END_OF_DAY, far_text
from dpsql.interfaces.wire.values.wire_types import WireType

Writer = Callable[[object], str]

_PLAIN_ITEM: Final = re.compile(r'[^\s{},"\\]+')
_SECOND: Final = timedelta(seconds=1)


def text_writer(kind: WireType, iso_intervals: bool = False) -> Writer:
    """How values of a type are written; the writer raises Unsendable for a value of another kind.

    With `iso_intervals` an interval is written as in ISO 8601, as the setting IntervalStyle says.
    """
    if kind.element is not None:
        item = text_writer(kind.element, iso_intervals)
        return (lambda value: _vector(value, item)) if kind.first == 0 else (lambda value: _list(value, item))
    return _iso_interval if iso_intervals and kind.name == "interval" else _WRITERS[kind.name]


def _boolean(value: object) -> str:
    return "t" if value else "f"


def _integer(value: object) -> str:
    if isinstance(value, int):
        return str(int(value))
    raise _other(value)


def numeric_of(value: float) -> Decimal:
    """A double as a numeric: its shortest digits, and a whole number as that, which clients read as an integer."""
    return Decimal(repr(value or 0.0).removesuffix(".0"))  # numerics have no -0


def _number(value: object) -> str:
    if isinstance(value, float):  # of a numeric that the engine holds so
        value = numeric_of(value)
    if isinstance(value, Decimal):
        return format(value, "f") if value.is_finite() else "NaN" if value.is_nan() else str(value)
    return _integer(value)


def _double(value: object) -> str:
    if isinstance(value, float):
        return _shortest(repr(value), value, 15)
    raise _other(value)


def _single(value: object) -> str:
    if isinstance(value, float):
        return _shortest(str(np.float32(value)), value, 6)
    raise _other(value)


def _shortest(digits: str, value: float, most: int) -> str:
    """The shortest digits of a float in PostgreSQL's layout: with an exponent below 1e-4 and from 1e`most` on."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if 1e-4 <= abs(value) < 10**most or value == 0:
        if "e" not in digits:
            return digits[:-2] if digits.endswith(".0") else digits
        return format(Decimal(digits), "f")
    sign, figures, exponent = Decimal(digits).normalize().as_tuple()
    first, *rest = map(str, figures)
    assert isinstance(exponent, int)
    power = exponent + len(rest)
    return f"{'-' * sign}{first}{'.' * bool(rest)}{''.join(rest)}e{'-' if power < 0 else '+'}{abs(power):02}"


def _text(value: object) -> str:
    if isinstance(value, str):
        return value.replace("\0", "") if "\0" in value else value
    raise _other(value)


def _bytes(value: object) -> str:
    if isinstance(value, bytes | bytearray):
        return "\\x" + value.hex()
    raise _other(value)


def _date(value: object) -> str:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    return _far(value)


def _time(value: object) -> str:
    if isinstance(value, time):
        return _trimmed(value.isoformat(), value.microsecond)
    if value == END_OF_DAY:
        return END_OF_DAY
    raise _other(value)


def _timestamp(value: object) -> str:
    if isinstance(value, datetime):
        return _trimmed(value.isoformat(" "), value.microsecond)
    return _far(value)


def _far(value: object, zone: str = "") -> str:
    if (written := far_text(value, zone)) is not None:
        return written
    raise _other(value)


def _zoned(value: object) -> str:
    if isinstance(value, datetime):
        utc = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo is not None else value
        return _timestamp(utc) + "+00"
    return _far(value, "+00")


def _trimmed(written: str, microsecond: int) -> str:
    return written.rstrip("0") if microsecond else written


def _interval(value: object) -> str:
    if not isinstance(value, timedelta):
        raise _other(value)
    days, rest = value.days, value - timedelta(days=value.days)
    parts = [f"{days} day{'s' if days != 1 else ''}"] if days else []
    if rest or not days:
        minutes, seconds = divmod(rest // _SECOND, 60)
        fraction = f".{rest.microseconds:06}".rstrip("0") if rest.microseconds else ""
        sign = "+" if days < 0 else ""
        parts.append(f"{sign}{minutes // 60:02}:{minutes % 60:02}:{seconds:02}{fraction}")
    return " ".join(parts)


def _iso_interval(value: object) -> str:
    """As `P1DT2H3M4.5S`: each part has its own sign, as in PostgreSQL."""
    if not isinstance(value, timedelta):
        raise _other(value)
    days, rest = value.days, value - timedelta(days=value.days)
    minutes, seconds = divmod(rest // _SECOND, 60)
    fraction = f".{rest.microseconds:06}".rstrip("0") if rest.microseconds else ""
    parts = ((minutes // 60, "", "H"), (minutes % 60, "", "M"), (seconds, fraction, "S"))
    time = "".join(f"{number}{part}{unit}" for number, part, unit in parts if number or part)
    day = f"{days}D" if days else ""
    return f"P{day}T{time}" if time else f"P{day}" if day else "PT0S"


def _list(value: object, item: Writer) -> str:
    if not isinstance(value, list | tuple):
        raise _other(value)
    return "{" + ",".join("NULL" if v is None else _item(item(v)) for v in value) + "}"


def _vector(value: object, item: Writer) -> str:
    if not isinstance(value, list | tuple):
        raise _other(value)
    return " ".join(map(item, value))


def _item(written: str) -> str:
    if _PLAIN_ITEM.fullmatch(written) and written.upper() != "NULL":
        return written
    return '"' + written.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _other(value: object) -> Unsendable:
    """Says nothing of the value itself."""
    return Unsendable("a value of the answer is not of its column's type")


_WRITERS: Final = MappingProxyType[str, Writer](
    {
        "bool": _boolean,
        "int2": _integer,
        "int4": _integer,
        "int8": _integer,
        "numeric": _number,
        "float4": _single,
        "float8": _double,
        "text": _text,
        "char": _text,
        "shown": _text,
        "jsonb": _text,
        "oid": _integer,
        "uuid": str,
        "bytea": _bytes,
        "date": _date,
        "time": _time,
        "timestamp": _timestamp,
        "timestamptz": _zoned,
        "interval": _interval,
    }
)
