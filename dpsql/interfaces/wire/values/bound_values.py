"""Values of parameters as clients send them, in text or binary, and the Python values that dpsql takes.

What is not of its type or out of its range is a Failure with PostgreSQL's SQLSTATE.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import Final
from uuid import UUID

from dpsql.interfaces.wire.failures import Failure
from dpsql.interfaces.wire.messages import decoded
from dpsql.interfaces.wire.values.array_items import items_of_binary, items_of_text
from dpsql.interfaces.wire.values.binary_values import EPOCH, FIRST_DAY
from dpsql.interfaces.wire.values.wire_types import TYPES
from dpsql.sql.lex.array_texts import NotAnArray
from dpsql.sql.parse.placeholder_types import OF_CATALOGS, ZONED

FromText = Callable[[str], object]
FromBinary = Callable[[bytes], object]

UNKNOWN: Final = frozenset({0, 705})
"""The types of a parameter that its client leaves to the server."""
_ENGINE_TYPES: Final = MappingProxyType(
    {
        "bool": "BOOLEAN",
        "int2": "INTEGER",
        "int4": "INTEGER",
        "int8": "BIGINT",
        "float4": "DOUBLE",
        "float8": "DOUBLE",
        "numeric": "DECIMAL",
        "text": "VARCHAR",
        "bytea": "BLOB",
        "date": "DATE",
        "time": "TIME",
        "timestamp": "TIMESTAMP",
        "timestamptz": "TIMESTAMP",
        "interval": "INTERVAL",
        "uuid": "UUID",
    }
)
# varchar, bpchar, name, "char", json and oid are other names of these; regclass and regtype are names of objects.
_NAMES: Final = MappingProxyType(
    {kind.oid: kind.name for kind in TYPES.values()}
    | {
        1043: "text",
        1042: "text",
        19: "text",
        18: "text",
        114: "text",
        26: "int8",
        2205: "text",
        2206: "text",
    }
)
_REGISTERED: Final = frozenset({2205, 2206})
# The types of arrays, each with that of its values.
_LISTS: Final = MappingProxyType(
    {kind.lists: kind.oid for kind in TYPES.values()}
    | {1015: 1043, 1014: 1042, 1003: 19, 1002: 18, 199: 114, 1028: 26, 2210: 2205, 2211: 2206}
)
_LIST_OF: Final = MappingProxyType({item: listed for listed, item in _LISTS.items()})
_OF_CATALOGS: Final = MappingProxyType(
    {OF_CATALOGS["oid"]: 26, OF_CATALOGS["name"]: 19, OF_CATALOGS["char"]: 18, OF_CATALOGS["int2"]: 21}
)
_OTHERS: Final = MappingProxyType(
    {"varchar": 1043, "bpchar": 1042, "name": 19, "json": 114, "oid": 26, "regclass": 2205, "regtype": 2206}
)
_SPELLINGS: Final = MappingProxyType(
    {
        "bigint": "int8",
        "boolean": "bool",
        "character varying": "varchar",
        "char": "bpchar",
        "character": "bpchar",
        "decimal": "numeric",
        "double precision": "float8",
        "float": "float8",
        "int": "int4",
        "integer": "int4",
        "real": "float4",
        "smallint": "int2",
        "time without time zone": "time",
        "timestamp with time zone": "timestamptz",
        "timestamp without time zone": "timestamp",
    }
)
_OF_ENGINE: Final = MappingProxyType(
    {engine: name for name, engine in _ENGINE_TYPES.items() if name not in ("int2", "float4", "timestamptz")}
    | {"HUGEINT": "numeric", ZONED: "timestamptz"}
)
_MOST_GROUPS: Final = 80
_TIME: Final = r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?"
_TIME_ALONE: Final = re.compile(rf"\s*{_TIME}\s*")
_MOMENT: Final = re.compile(
    rf"\s*(\d{{4}})-(\d\d)-(\d\d)(?:[T ]\s*{_TIME})?\s*(Z|[+-]\d\d(?::?\d\d){{0,2}})?\s*"
)
_STEP: Final = re.compile(
    r"\s*([+-]?\d{1,9})\s*(day|hour|minute|min|second|sec|week|d|h|m|s|w)s?\b", re.IGNORECASE
)
_CLOCK: Final = re.compile(r"\s*([+-]?)(\d{1,6}):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?\s*")
_UNITS: Final = MappingProxyType({"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"})
_TRUTHS: Final = MappingProxyType(
    dict.fromkeys(("t", "true", "y", "yes", "on", "1"), True)
    | dict.fromkeys(("f", "false", "n", "no", "off", "0"), False)
)


def engine_type(oid: int) -> str:
    """DuckDB's name of a declared type. Raises Failure for one that no parameter can have."""
    if oid in _LISTS:
        return f"{engine_type(_LISTS[oid])}[]"
    if oid not in _NAMES:
        raise Failure("0A000", f"parameters of the type {oid} are not supported", "Send it as text.")
    return _ENGINE_TYPES[_NAMES[oid]]


def oid_of(engine: str) -> int:
    """The number of the type that a parameter of DuckDB's type is described with."""
    of, is_list = engine.removesuffix("[]"), engine.endswith("[]")
    if of in _OF_CATALOGS:
        alone = _OF_CATALOGS[of]
        return _LIST_OF[alone] if is_list else alone
    kind = TYPES[_OF_ENGINE.get(of, "text")]
    return kind.lists if is_list else kind.oid


def oid_of_name(name: str) -> int:
    """The number of a type by its name in SQL; of an array with [] behind it. Raises Failure."""
    plain = re.sub(r"\((?:\d+,?)+\)", "", name)
    item = plain.removesuffix("[]")
    base = _SPELLINGS.get(item, item)
    if base == "unknown" and item == plain:
        return 0
    oid = TYPES[base].oid if base in TYPES else _OTHERS.get(base)
    if oid is None or (item != plain and oid not in _LISTS.values()):
        raise Failure("42704", f'the type "{name[:60]}" is not known for parameters')
    return oid if item == plain else next(array for array, of in _LISTS.items() if of == oid)


def value_of(data: bytes, form: int, oid: int) -> object:
    """The value of a parameter of this type in text (0) or binary (1); of an array a list. Raises Failure."""
    if oid in _LISTS:
        return _list_of(data, form, _LISTS[oid])
    name = _NAMES.get(oid)
    if name is None:
        raise Failure("0A000", f"parameters of the type {oid} are not supported", "Send it as text.")
    try:
        if form == 1:
            if oid in _REGISTERED:  # in binary they are the numbers of objects
                return str(_UNSIGNED(data))
            return _UNSIGNED(data) if oid == 26 else _FROM_BINARY[name](data)
        return _FROM_TEXT[name](decoded(data))
    except (ValueError, OverflowError, InvalidOperation, struct.error):
        pass
    if form == 1:
        raise Failure("22P03", f"the binary value of a parameter is not one of the type {name}")
    raise Failure("22P02", f"the value of a parameter is not one of the type {name}")


def _list_of(data: bytes, form: int, item: int) -> list[object]:
    """The values of an array, each read as one of its type."""
    try:
        items = items_of_binary(data, item) if form == 1 else items_of_text(decoded(data))
    except NotAnArray as wrong:
        raise Failure("22P03" if form == 1 else "22P02", str(wrong)) from None
    return [None if i is None else value_of(i, form, item) for i in items]


def _truth(text: str) -> bool:
    found = _TRUTHS.get(text.strip().lower())
    if found is None:
        raise ValueError
    return found


def _whole(bits: int) -> FromText:
    def read(text: str) -> int:
        if not re.fullmatch(r"\s*[+-]?[0-9]{1,20}\s*", text):
            raise ValueError
        return _within(int(text), bits)

    return read


def _within(number: int, bits: int) -> int:
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise Failure("22003", "the value of a parameter is out of the range of its type")
    return number


def _double(text: str) -> float:
    if not re.fullmatch(r"\s*[+-]?([0-9.]+(e[+-]?[0-9]+)?|inf(inity)?|nan)\s*", text[:400], re.IGNORECASE):
        raise ValueError
    return float(text)


def _single(text: str) -> float:
    rounded: float = struct.unpack("!f", struct.pack("!f", _double(text)))[0]
    return rounded


def _decimal(text: str) -> Decimal:
    if len(text) > 1_000 or not re.fullmatch(
        r"\s*[+-]?([0-9.]+(e[+-]?[0-9]{1,3})?|nan)\s*", text, re.IGNORECASE
    ):
        raise ValueError
    return Decimal(text.strip())


def _bytes(text: str) -> bytes:
    if not text.startswith("\\x"):
        raise ValueError
    return bytes.fromhex(text[2:])


def _date(text: str) -> date:
    """A day; a time and a zone behind it say nothing, as in PostgreSQL."""
    return _moment(text).date()


def _time(text: str) -> time:
    return _time_of(*_matched(_TIME_ALONE, text).groups())


def _time_of(hour: str | None, minute: str | None, second: str | None, fraction: str | None) -> time:
    return time(int(hour or 0), int(minute or 0), int(second or 0), int((fraction or "0").ljust(6, "0")[:6]))


def _moment(text: str) -> datetime:
    """A moment without a zone; one in the text says nothing, as in PostgreSQL."""
    year, month, day, *clock = _matched(_MOMENT, text).groups()
    return datetime.combine(date(int(year), int(month), int(day)), _time_of(*clock[:4]))


def _zoned(text: str) -> datetime:
    """A moment with a zone, as the same one in UTC."""
    zone = _matched(_MOMENT, text).group(8)
    moment = _moment(text)
    if zone in (None, "Z"):
        return moment
    hours, minutes, seconds = (int(zone[1:].replace(":", "").ljust(6, "0")[i : i + 2]) for i in (0, 2, 4))
    offset = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return moment - offset if zone[0] == "+" else moment + offset


def _interval(text: str) -> timedelta:
    """Days and shorter units, as PostgreSQL writes them; months have no fixed length and are refused."""
    total, at = timedelta(), 0
    while step := _STEP.match(text, at):
        total += timedelta(**{_UNITS[step.group(2)[0].lower()]: int(step.group(1))})
        at = step.end()
    if clock := _CLOCK.fullmatch(text, at):
        sign, hours, minutes, seconds, fraction = clock.groups()
        passed = timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds or 0))
        passed += timedelta(microseconds=int((fraction or "0").ljust(6, "0")))
        return total - passed if sign == "-" else total + passed
    if at == 0 or text[at:].strip():
        raise ValueError
    return total


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError
    return found


def _unpacked(layout: str) -> FromBinary:
    form = struct.Struct(layout)
    return lambda data: form.unpack(data)[0]


_UNSIGNED: Final = _unpacked("!I")


def _binary_truth(data: bytes) -> bool:
    if len(data) != 1:
        raise ValueError
    return data != b"\0"


def _binary_decimal(data: bytes) -> Decimal:
    count, weight, sign, scale = struct.unpack_from("!hhHH", data)
    groups = struct.unpack_from(f"!{max(count, 0)}h", data, 8)
    if len(data) != 8 + 2 * count or any(not 0 <= g < 10_000 for g in groups):
        raise ValueError
    if sign == 0xC000:
        return Decimal("NaN")
    if sign not in (0, 0x4000) or count > _MOST_GROUPS or abs(weight) > _MOST_GROUPS or scale > 0x3FFF:
        raise ValueError
    whole = 0
    for group in groups:
        whole = whole * 10_000 + group
    exponent = 4 * (weight + 1 - count)
    digits = tuple(map(int, str(whole)))
    return Decimal((int(sign != 0), digits, exponent))


def _binary_date(data: bytes) -> date:
    return date.fromordinal(FIRST_DAY + int(struct.unpack("!i", data)[0]))


def _binary_moment(data: bytes) -> datetime:
    return EPOCH + timedelta(microseconds=struct.unpack("!q", data)[0])


def _binary_time(data: bytes) -> time:
    microseconds: int = struct.unpack("!q", data)[0]
    if not 0 <= microseconds < 86_400_000_000:
        raise ValueError
    return (datetime(2000, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)).time()


def _binary_interval(data: bytes) -> timedelta:
    microseconds, days, months = struct.unpack("!qii", data)
    if months:
        raise ValueError
    return timedelta(days=days, microseconds=microseconds)


_FROM_TEXT: Final = MappingProxyType[str, FromText](
    {
        "bool": _truth,
        "int2": _whole(16),
        "int4": _whole(32),
        "int8": _whole(64),
        "numeric": _decimal,
        "float4": _single,
        "float8": _double,
        "text": str,
        "uuid": UUID,
        "bytea": _bytes,
        "date": _date,
        "time": _time,
        "timestamp": _moment,
        "timestamptz": _zoned,
        "interval": _interval,
    }
)
_FROM_BINARY: Final = MappingProxyType[str, FromBinary](
    {
        "bool": _binary_truth,
        "int2": _unpacked("!h"),
        "int4": _unpacked("!i"),
        "int8": _unpacked("!q"),
        "numeric": _binary_decimal,
        "float4": _unpacked("!f"),
        "float8": _unpacked("!d"),
        "text": decoded,
        "uuid": lambda data: UUID(bytes=data),
        "bytea": bytes,
        "date": _binary_date,
        "time": _binary_time,
        "timestamp": _binary_moment,
        "timestamptz": _binary_moment,
        "interval": _binary_interval,
    }
)
