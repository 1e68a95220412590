"""Whole columns in text, for the types that large answers have: the same texts as `text_values`, made faster."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from types import MappingProxyType, NoneType
from typing import Final, cast

from dpsql.interfaces.wire.values.text_values import text_writer
from dpsql.interfaces.wire.values.wire_types import TYPES, WireType

Column = Callable[[Sequence[object]], list[bytes | None]]
_MOST_DATES: Final = 10_000
_LARGE: Final = 1e15
"""From here on PostgreSQL writes a double with an exponent, and Python later."""


def text_column(kind: WireType) -> Column | None:
    """How a column of that type is written at once; None for a type without a way of its own."""
    found = (date, _dates()) if kind.name == "date" else _COLUMNS.get(kind.name)
    if found is None:
        return None
    of, write = found
    slow = text_writer(kind)
    only, with_null = {of}, {of, NoneType}

    def column(values: Sequence[object]) -> list[bytes | None]:
        kinds = set(map(type, values))
        if kinds <= only:
            return write(values)
        if kinds <= with_null:
            written = iter(write([v for v in values if v is not None]))
            return [None if v is None else next(written) for v in values]
        return [None if v is None else slow(v).encode() for v in values]

    return column


def _encoded(whole: str, values: Sequence[object]) -> list[bytes | None]:
    """The bytes of texts that are joined by zeros; none of them holds one."""
    return list(whole.encode().split(b"\0")) if values else []


def _whole(values: Sequence[object]) -> list[bytes | None]:
    return _encoded("\0".join(map(str, values)), values)


def _doubles(values: Sequence[object]) -> list[bytes | None]:
    numbers = cast("Sequence[float]", values)
    whole = "\0".join(map(repr, numbers)) + "\0"
    usual = min(numbers, default=0.0) > -_LARGE and max(numbers, default=0.0) < _LARGE
    if not usual or "e" in whole or "n" in whole:
        return [_DOUBLE(v).encode() for v in numbers]
    return _encoded(whole.replace(".0\0", "\0")[:-1], values)


def _texts(values: Sequence[object]) -> list[bytes | None]:
    texts = cast("Sequence[str]", values)
    whole = "\0".join(texts)
    if whole.count("\0") != len(texts) - 1:
        return [_TEXT(v).encode() for v in texts]
    return _encoded(whole, values)


class _Dates(dict[date, bytes]):
    """The texts of dates, made once each: a column of them has few."""

    __slots__ = ()

    def __missing__(self, day: date) -> bytes:
        if len(self) >= _MOST_DATES:
            self.clear()
        made = self[day] = day.isoformat().encode()
        return made


def _dates() -> Column:
    known = _Dates()
    return lambda values: [known[v] for v in cast("Sequence[date]", values)]


def _timestamps(values: Sequence[object]) -> list[bytes | None]:
    whole = "\0".join([v.isoformat(" ") for v in cast("Sequence[datetime]", values)])
    if "." in whole:  # a fraction has six digits; PostgreSQL leaves its last zeros out
        whole = _ZEROS.sub("", whole)
    return _encoded(whole, values)


_ZEROS: Final = re.compile(r"(?<=[.\d])0+(?=\0|\Z)(?<=\.\d{6})")
_DOUBLE: Final = text_writer(TYPES["float8"])
_TEXT: Final = text_writer(TYPES["text"])
_COLUMNS: Final = MappingProxyType[str, tuple[type, Column]](
    {
        "int2": (int, _whole),
        "int4": (int, _whole),
        "int8": (int, _whole),
        "float8": (float, _doubles),
        "text": (str, _texts),
        "timestamp": (datetime, _timestamps),
    }
)
