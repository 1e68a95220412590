"""Answers in the columns that a client was told before: the same, or in a wider type; anything else fails closed.

Drivers read values by the types that Describe gave, so other ones would be read as garbage.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from decimal import Decimal

from dpsql.engines.base import OutputColumn, Row
from dpsql.interfaces.wire.failures import Failure
from dpsql.interfaces.wire.values.text_values import numeric_of, text_writer
from dpsql.interfaces.wire.values.wire_types import WireType, column_type

Change = Callable[[object], object]
_WIDER = {
    "int2": ("int4", "int8", "numeric", "float4", "float8"),
    "int4": ("int8", "numeric", "float8"),
    "int8": ("numeric", "float8"),
    "numeric": ("float8",),
    "float4": ("float8",),
    "float8": ("numeric",),
    "date": ("timestamp",),
}


def check_sendable(planned: Sequence[OutputColumn]) -> None:
    """Raises Unsendable where a column has a type that cannot be sent."""
    for column in planned:
        column_type(column)


def check_told(told: Sequence[OutputColumn], planned: Sequence[OutputColumn]) -> None:
    """Raises Failure where an answer with these columns cannot be given in those that the client was told."""
    changes_to(told, planned)


def widest(described: Sequence[OutputColumn], planned: tuple[OutputColumn, ...]) -> Sequence[OutputColumn]:
    """The columns of a statement with its values: as it was described without them, where its numbers fit in those."""
    pairs = list(zip(map(column_type, described), map(column_type, planned), strict=False))
    fits = all(told == given or told.name in _WIDER.get(given.name, ()) for told, given in pairs)
    return described if fits and len(described) == len(planned) else planned


def as_told(
    told: Sequence[OutputColumn], columns: Sequence[OutputColumn], rows: Sequence[Row]
) -> Sequence[Row]:
    """The rows with their values in the types that the client was told. Raises Failure."""
    changes = changes_to(told, columns)
    if not any(changes):
        return rows
    return [
        tuple(v if change is None or v is None else change(v) for v, change in zip(row, changes, strict=True))
        for row in rows
    ]


def changes_to(told: Sequence[OutputColumn], columns: Sequence[OutputColumn]) -> tuple[Change | None, ...]:
    """How each column becomes the one that was told; None where it is that."""
    if len(told) != len(columns):
        raise _changed()
    return tuple(_change(column_type(t), column_type(c)) for t, c in zip(told, columns, strict=True))


def _change(told: WireType, given: WireType) -> Change | None:
    if told == given:
        return None
    if told.name in ("text", "char"):
        return text_writer(given)
    if told.name not in _WIDER.get(given.name, ()):
        raise _changed()
    if told.name in ("float4", "float8"):
        return _double
    if told.name == "numeric":
        return _decimal
    return _moment if told.name == "timestamp" else None


def _double(value: object) -> float:
    assert isinstance(value, int | float | Decimal)
    return float(value)


def _decimal(value: object) -> Decimal:
    return numeric_of(value) if isinstance(value, float) else Decimal(repr(value))


def _moment(value: object) -> datetime | str:
    """Midnight of a day; a far one is a text."""
    return datetime.combine(value, time()) if isinstance(value, date) else f"{value} 00:00:00"


def _changed() -> Failure:
    return Failure(
        "0A000",
        "the statement has other columns with these values than when it was described; nothing was charged",
        "Prepare it again, and CAST its columns or parameters to the types that are meant.",
    )
