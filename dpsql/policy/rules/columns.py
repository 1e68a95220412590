"""The rules within one column: what its type allows, and which keys need or exclude one another."""

from __future__ import annotations

import sys
from datetime import date, datetime
from fractions import Fraction

from dpsql.errors import InternalError
from dpsql.policy.findings import Spot
from dpsql.policy.model import Column, ColumnType, Scalar
from dpsql.policy.readings import kind_of, text
from dpsql.policy.scalars import Leaf, Unreadable, shown
from dpsql.policy.shapes import ColumnShape, ValueShape

MAX_INTEGER = 2**62
# One long text of one person must not exhaust an engine's memory.
MOST_TEXT = 65_536
_MAX_FLOAT = Fraction(sys.float_info.max)
_NUMERIC = (ColumnType.INTEGER, ColumnType.FLOAT)
_WITHOUT_BOUNDS = (ColumnType.TEXT, ColumnType.BOOLEAN)
_WITHOUT_VALUES = (ColumnType.FLOAT, ColumnType.TIMESTAMP)
_REFERRING = (ColumnType.INTEGER, ColumnType.TEXT, ColumnType.DATE)


def read_column(name: str, kind: ColumnType, shape: ValueShape, spot: Spot) -> Column:
    """The column without what is wrong, and every mistake in it reported; what it references is read later."""
    lower, upper = _bounds(kind, shape, spot)
    values = _values(kind, shape, spot)
    if shape.values is not None and (shape.lower or shape.upper):
        spot.add("`values` and `lower`/`upper` exclude each other: keep the list or the bounds")
    _check_reference(kind, shape, spot.under("references"))
    _check_numbers(kind, shape, spot)
    if isinstance(lower, int | Fraction) and isinstance(upper, int | Fraction):
        _check_grid(shape, Fraction(lower), Fraction(upper), spot)
    declared = shape if isinstance(shape, ColumnShape) else None
    return Column(
        name,
        kind,
        lower,
        upper,
        values,
        shape.step,
        shape.unit_total,
        declared.nullable if declared else True,  # a field need not be there
        declared is not None and declared.hidden,
        declared is not None and declared.partition,
        shape.max_length,
    )


def typed(leaf: Leaf, type_: ColumnType) -> Scalar:
    """The leaf as a value of that type: exact, int for integers, Fraction for floats.

    Raises ValueError with what would be right.
    """
    value = leaf.value
    if type_ is ColumnType.TEXT:
        return text(leaf)
    if isinstance(value, Unreadable):
        raise ValueError(value.reason)
    if type_ is ColumnType.BOOLEAN and isinstance(value, bool):
        return value
    if type_ in _NUMERIC and isinstance(value, int | Fraction) and not isinstance(value, bool):
        return _whole(value, leaf) if type_ is ColumnType.INTEGER else _float(value, leaf)
    if type_ is ColumnType.DATE and isinstance(value, date) and not isinstance(value, datetime):
        return value
    if type_ is ColumnType.TIMESTAMP and isinstance(value, datetime):
        return value
    fix = _moment(value) if type_ is ColumnType.TIMESTAMP else _FIXES.get(type_, "")
    raise ValueError(f"{shown(leaf.text)} is {kind_of(value)}, but the column is {type_}{fix}")


_FIXES = {
    ColumnType.DATE: ": write a day, as 2025-12-31",
    ColumnType.BOOLEAN: ": write true or false",
}


def _moment(value: object) -> str:
    """How a moment is written: on the day that was given, where one was."""
    if isinstance(value, date):
        return f": write a day and a time, as {value} 00:00:00 or {value} 23:59:59"
    return ": write a day and a time, as 2025-12-31 23:59:59"


def _whole(value: int | Fraction, leaf: Leaf) -> int:
    if value != int(value):
        raise ValueError(f"{leaf.text} is not a whole number, but the column is integer")
    if not -MAX_INTEGER <= value <= MAX_INTEGER:
        raise ValueError(
            f"{shown(leaf.text)} is beyond 2^62: the integers below it are those that are summed exactly"
        )
    return int(value)


def _float(value: int | Fraction, leaf: Leaf) -> Fraction:
    if not -_MAX_FLOAT <= value <= _MAX_FLOAT:
        raise ValueError(f"{shown(leaf.text)} is larger than any float")
    return Fraction(value)


def _read(leaf: Leaf, type_: ColumnType, spot: Spot) -> Scalar | None:
    try:
        return typed(leaf, type_)
    except ValueError as error:
        spot.add(str(error), leaf.place)
        return None


def _bounds(kind: ColumnType, shape: ValueShape, spot: Spot) -> tuple[Scalar | None, Scalar | None]:
    if shape.lower is None and shape.upper is None:
        return None, None
    if kind in _WITHOUT_BOUNDS:
        spot.add(f"a {kind} column has no bounds; list its public `values`, or leave both out")
        return None, None
    given = [(key, leaf) for key, leaf in (("lower", shape.lower), ("upper", shape.upper)) if leaf]
    read = [_read(leaf, kind, spot.under(key)) for key, leaf in given]
    if shape.lower is None or shape.upper is None:
        there, absent = ("upper", "lower") if shape.lower is None else ("lower", "upper")
        spot.add(f"`{there}` is given without `{absent}`: give both or neither")
        return None, None
    lower, upper = read
    if lower is None or upper is None:
        return None, None
    if not _below(lower, upper):
        spot.add(f"lower ({shape.lower.text}) must be below upper ({shape.upper.text})", shape.lower.place)
        return None, None
    return lower, upper


def _below(lower: Scalar, upper: Scalar) -> bool:
    if isinstance(lower, date) and isinstance(upper, date):
        return lower < upper
    if isinstance(lower, int | Fraction) and isinstance(upper, int | Fraction):
        return lower < upper
    raise InternalError(f"bounds of types {type(lower).__name__} and {type(upper).__name__} were let through")


def _values(kind: ColumnType, shape: ValueShape, spot: Spot) -> tuple[Scalar, ...] | None:
    if shape.values is None:
        return None
    if kind in _WITHOUT_VALUES:
        spot.add(f"a {kind} column has no value list; give `lower` and `upper`, or leave it out")
        return None
    inside = spot.under("values")
    read: dict[Scalar, str] = {}
    for leaf in shape.values:
        if leaf.value is None:
            inside.add("null is never listed; write `nullable: true` where it may occur", leaf.place)
            continue
        value = _read(leaf, kind, inside)
        if value is None:
            continue
        if value in read:
            inside.add(f"{shown(leaf.text)} is listed twice", leaf.place)
        read[value] = leaf.text
    return tuple(read)


def _check_reference(kind: ColumnType, shape: ValueShape, spot: Spot) -> None:
    """The keys of another table are the whole list: nothing else may say what values there are."""
    if shape.references is None:
        return
    if kind not in _REFERRING:
        spot.add(f"a {kind} column references no keys; integer, text and date columns do")
    for key in ("values", "lower", "upper", "unit_total", "step"):
        if getattr(shape, key) is not None:
            spot.add(f"`{key}` and `references` exclude each other: the table's keys are the list of values")


def _check_numbers(kind: ColumnType, shape: ValueShape, spot: Spot) -> None:
    """step and unit_total are for sums, so for numbers alone; max_length is for texts."""
    for key, value in (("step", shape.step), ("unit_total", shape.unit_total)):
        if value is not None and kind not in _NUMERIC:
            spot.under(key).add(f"`{key}` is for integer and float columns; a {kind} is not summed")
    listed = shape.values is not None or shape.references is not None
    if shape.max_length is not None and (kind is not ColumnType.TEXT or listed):
        without = "references" if shape.references is not None else "values"
        spot.under("max_length").add(f"`max_length` is for text columns without `{without}`")
    elif shape.max_length is not None and shape.max_length > MOST_TEXT:
        spot.under("max_length").add(f"a text of a person has at most {MOST_TEXT} characters")
    if shape.step is not None and kind is ColumnType.INTEGER and shape.step.denominator != 1:
        spot.under("step").add("the step of an integer column is a whole number")
    if shape.unit_total is not None and kind in _NUMERIC and not (shape.lower and shape.upper):
        spot.under("unit_total").add("`unit_total` needs `lower` and `upper`: values are clamped, then added")


def _check_grid(shape: ValueShape, lower: Fraction, upper: Fraction, spot: Spot) -> None:
    """The grid must hold the range: at least one step wide, and every grid integer below 2^62."""
    step = shape.step
    if step is None:
        return
    if step > upper - lower:
        spot.under("step").add("the step is wider than upper - lower, so that every value would be the same")
    if max(abs(lower), abs(upper)) / step > MAX_INTEGER - 1:
        spot.under("step").add("the step is too fine for these bounds: a bound is 2^62 steps or more from 0")
    if shape.unit_total is not None and shape.unit_total < step:
        spot.under("unit_total").add("`unit_total` is below one step, so that nothing would be added")
