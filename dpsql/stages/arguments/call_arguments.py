"""The arguments of the interface: each is of a kind that has a meaning, or it is refused by its type alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from types import NoneType
from uuid import UUID

from dpsql.errors import ProgrammingError, WrongType

Parameters = Sequence[object] | Mapping[str, object]

_PARAMETER_TYPES = (
    NoneType, bool, int, float, Decimal, Fraction, str, bytes, date, datetime, time, timedelta, UUID,
)  # fmt: skip


def checked_text(sql: object) -> str:
    """The text of a query as given. Raises WrongType."""
    if not isinstance(sql, str):
        raise WrongType(f"a query is text (str), not {type(sql).__name__}")
    return sql


def checked_parameters(params: object) -> Parameters | None:
    """The parameters as given, once their container and every value are of a kind that SQL has a type for."""
    match params:
        case None:
            return None
        case str() | bytes() | bytearray() | memoryview():
            raise WrongType("parameters are a sequence of values or a mapping of names, not one text")
        case Mapping():
            return {_checked_name(name): _checked_value(value, f"${name}") for name, value in params.items()}
        case Sequence():
            return tuple(_checked_value(value, f"parameter {i}") for i, value in enumerate(params, 1))
    raise WrongType(
        "parameters are a sequence of values (for ?) or a mapping of names (for $name), "
        f"not {type(params).__name__}"
    )


def checked_types(types: object) -> dict[str, str]:
    """The types of placeholders by name, as given. Raises WrongType."""
    if not isinstance(types, Mapping) or not all(isinstance(t, str) for pair in types.items() for t in pair):
        raise WrongType(
            "the types of placeholders are a mapping of names to names of types, all of them text (str)"
        )
    return dict(types)


def _checked_name(name: object) -> str:
    if not isinstance(name, str):
        raise WrongType(f"a parameter's name is text (str), not {type(name).__name__}")
    return name


def _checked_value(value: object, what: str) -> object:
    if isinstance(value, list | tuple):
        return tuple(_checked_item(item, f"value {i} of {what}") for i, item in enumerate(value, 1))
    return _checked_item(value, what)


def _checked_item(value: object, what: str) -> object:
    if not isinstance(value, _PARAMETER_TYPES):
        raise WrongType(
            f"{what} is of type {type(value).__name__}; a parameter is None, a bool, a number, text, bytes, "
            "a date, a time or a UUID, or a list of them"
        )
    return value


def checked_count(size: object, *, least: int) -> int:
    """A number of rows as given. Raises ProgrammingError, and WrongType for what is no integer."""
    if isinstance(size, int) and not isinstance(size, bool) and size >= least:
        return size
    kind = ProgrammingError if isinstance(size, int) else WrongType
    raise kind(f"a number of rows is an integer of at least {least}")
