"""Values in PostgreSQL's binary format, as its types' send functions write them.

Layouts: src/backend/utils/adt/{numeric,timestamp,date,arrayfuncs}.c of PostgreSQL 16.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Final
from uuid import UUID

from dpsql.interfaces.wire.failures import Unsendable
from dpsql.interfaces.wire.values.far_moments import END_OF_DAY, far_days, far_microseconds
from dpsql.interfaces.wire.values.text_values import numeric_of
from dpsql.interfaces.wire.values.wire_types import WireType

Packer = Callable[[object], bytes]

EPOCH: Final = datetime(2000, 1, 1)
FIRST_DAY: Final = EPOCH.toordinal()
_MICROSECOND: Final = timedelta(microseconds=1)
_NAN: Final = struct.pack("!hhHh", 0, 0, 0xC000, 0)
_INFINITY, _MINUS_INFINITY = (struct.pack("!hhHh", 0, 0, sign, 0x20) for sign in (0xD000, 0xF000))


def binary_packer(kind: WireType) -> Packer:
    """How values of a type are packed; the packer raises Unsendable for a value of another kind or out of range."""
    if kind.element is not None:
        item, oid, first = binary_packer(kind.element), kind.element.oid, kind.first
        return lambda value: _list(value, item, oid, first)
    return _PACKERS[kind.name] if kind.objects is None else _number_of(kind.objects)


def _number_of(objects: Mapping[str, int]) -> Packer:
    """Objects by their numbers; one without a name is written as that."""

    def pack(value: object) -> bytes:
        name = str(value)
        number = int(name) if name.isdecimal() else objects.get(name)
        return _refused(value) if number is None else _PACKERS["oid"](number)

    return pack


def _struct(layout: str, kinds: tuple[type, ...]) -> Packer:
    form = struct.Struct(layout)

    def pack(value: object) -> bytes:
        if isinstance(value, kinds):
            try:
                return form.pack(value)
            except (struct.error, OverflowError):
                pass
        raise _other()

    return pack


def _boolean(value: object) -> bytes:
    return b"\1" if value else b"\0"


def _number(value: object) -> bytes:
    """Groups of four decimal digits, the place of the first, the sign, and how many digits stand behind the point."""
    if isinstance(value, int | float):  # a float where the engine holds a numeric so
        value = numeric_of(value) if isinstance(value, float) else Decimal(int(value))
    if not isinstance(value, Decimal):
        raise _other()
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return _NAN if value.is_nan() else _MINUS_INFINITY if sign else _INFINITY
    whole = int("".join(map(str, digits))) * 10 ** max(exponent, 0)
    scale = max(-exponent, 0)
    behind = -(-scale // 4)
    whole *= 10 ** (4 * behind - scale)
    groups: list[int] = []
    while whole:
        whole, group = divmod(whole, 10_000)
        groups.append(group)
    weight = len(groups) - behind - 1 if groups else 0
    groups.reverse()
    while groups and groups[-1] == 0:
        groups.pop()
    head = struct.pack("!hhHh", len(groups), weight, 0x4000 if sign and groups else 0, scale)
    return head + struct.pack(f"!{len(groups)}h", *groups)


def _text(value: object) -> bytes:
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace")
    raise _other()


def _refused(value: object) -> bytes:
    raise Unsendable("a type of PostgreSQL's catalogs is sent in text alone; CAST it to text")


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    raise _other()


def _uuid(value: object) -> bytes:
    if isinstance(value, UUID):
        return value.bytes
    raise _other()


def _date(value: object) -> bytes:
    if isinstance(value, date) and not isinstance(value, datetime):
        return struct.pack("!i", value.toordinal() - FIRST_DAY)
    return _PACKERS["int4"](far_days(value))


def _time(value: object) -> bytes:
    if isinstance(value, time):
        seconds = value.hour * 3600 + value.minute * 60 + value.second
        return struct.pack("!q", seconds * 1_000_000 + value.microsecond)
    if value == END_OF_DAY:
        return struct.pack("!q", 86_400 * 1_000_000)
    raise _other()


def _moment(value: object) -> bytes:
    if isinstance(value, datetime):
        utc = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo is not None else value
        return struct.pack("!q", (utc - EPOCH) // _MICROSECOND)
    return _PACKERS["int8"](far_microseconds(value))


def _interval(value: object) -> bytes:
    if isinstance(value, timedelta):
        return struct.pack("!qii", value.seconds * 1_000_000 + value.microseconds, value.days, 0)
    raise _other()


def _list(value: object, item: Packer, oid: int, first: int) -> bytes:
    if not isinstance(value, list | tuple):
        raise _other()
    nulls = int(any(v is None for v in value))
    if not value and first == 1:
        return struct.pack("!iii", 0, 0, oid)
    packed = [b"\xff\xff\xff\xff" if v is None else _sized(item(v)) for v in value]
    return struct.pack("!iiiii", 1, nulls, oid, len(value), first) + b"".join(packed)


def _sized(packed: bytes) -> bytes:
    return len(packed).to_bytes(4) + packed


def _other() -> Unsendable:
    """Says nothing of the value itself."""
    return Unsendable("a value of the answer is not of its column's type")


_PACKERS: Final = MappingProxyType[str, Packer](
    {
        "bool": _boolean,
        "int2": _struct("!h", (int,)),
        "int4": _struct("!i", (int,)),
        "int8": _struct("!q", (int,)),
        "numeric": _number,
        "float4": _struct("!f", (float,)),
        "float8": _struct("!d", (float,)),
        "text": _text,
        "char": lambda value: _text(value) or b"\0",
        "shown": _refused,
        "jsonb": lambda value: b"\1" + _text(value),
        "oid": _struct("!I", (int,)),
        "uuid": _uuid,
        "bytea": _bytes,
        "date": _date,
        "time": _time,
        "timestamp": _moment,
        "timestamptz": _moment,
        "interval": _interval,
    }
)
