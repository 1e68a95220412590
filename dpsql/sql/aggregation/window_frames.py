"""The frame of a window over the rows of one unit: which rows around a row its value is over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from dpsql.algebra.expressions import Duration, Expr, Literal
from dpsql.algebra.facts import DOUBLE_RANGE, Fact, fits_bigint
from dpsql.algebra.of_unit import EVERY_ROW, End, Frame, FrameUnit, Side, Sorted, Without
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.privacy import Interval
from dpsql.sql.ast.positions import place_of
from dpsql.sql.dialect import Node

MOST_AWAY = 1_000_000
# DuckDB's timestamps reach 290,000 years: what is this far from the years 1 to 9999 is one still.
_MOST_MONTHS = 12 * 100_000
_SIDES: Mapping[str, Side] = {"PRECEDING": Side.BEFORE, "FOLLOWING": Side.AFTER}
_WITHOUT: Mapping[str, Without] = {
    "CURRENT ROW": Without.ROW,
    "GROUP": Without.GROUP,
    "TIES": Without.EQUALS,
}


class Frames:
    """Binds frames; `bind` binds an expression, and `fact` says what is known of one before any filter."""

    def __init__(self, bind: Callable[[Node], Expr], fact: Callable[[Expr], Fact]) -> None:
        self._bind = bind
        self._fact = fact

    def frame(self, definition: Node, order: tuple[Sorted, ...]) -> Frame:
        """The frame of a window's definition with its order. Raises QueryRefused."""
        spec = definition.args.get("spec")
        if spec is None:
            return Frame(FrameUnit.RANGE, End(Side.FIRST), End(Side.HERE)) if order else EVERY_ROW
        unit = FrameUnit(str(spec.args.get("kind")).lower())
        start, end = (self._end(spec, at, unit, order, definition) for at in ("start", "end"))
        excluded = spec.args.get("exclude")
        without = _WITHOUT.get(excluded.name.upper(), Without.NOTHING) if excluded else Without.NOTHING
        frame = Frame(unit, start, end, without)
        _check(frame, order, definition)
        return frame

    def _end(self, spec: Node, at: str, unit: FrameUnit, order: tuple[Sorted, ...], definition: Node) -> End:
        value = spec.args.get(at) or "CURRENT ROW"
        side = str(spec.args.get(f"{at}_side") or "").upper()
        if not isinstance(value, Node):
            if value.upper() != "UNBOUNDED":
                return End(Side.HERE)
            return End(Side.FIRST if side == "PRECEDING" else Side.LAST)
        bound = self._bind(value)
        if unit is FrameUnit.RANGE:
            return End(_SIDES[side], self._distance(bound, order, value, definition))
        return End(_SIDES[side], _number(bound, value))

    def _distance(self, bound: Expr, order: tuple[Sorted, ...], written: Node, definition: Node) -> Literal:
        """How far values of the order may be; what is so far from any of them must be a value still."""
        if len(order) != 1:
            raise QueryRefused(
                "a frame in RANGE with a distance needs an order by one value",
                place=place_of(definition),
                hint="ORDER BY one number, date or timestamp, or count ROWS.",
            )
        kind, fact = order[0].expr.type, self._fact(order[0].expr)
        distance = bound if isinstance(bound, Literal) else None
        if distance is None or not (_far(distance, kind) if kind in _FAR else False):
            raise QueryRefused(
                "the distance of a frame in RANGE does not fit its order",
                place=place_of(written),
                hint="Write a whole number for whole numbers, a number for doubles, and INTERVAL 30 DAY for dates.",
            )
        moved = _moved(fact.interval, distance)
        if moved is not None and not (fits_bigint(moved) if kind is SqlType.INTEGER else _is_double(moved)):
            raise QueryRefused(
                "a frame in RANGE needs an order by a bounded number",
                place=place_of(definition),
                hint="Bound the column in the policy (lower, upper), or the expression with LEAST and GREATEST.",
            )
        return distance


def _far_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _far_interval(value: object, months: int) -> bool:
    if not isinstance(value, Duration):
        return False
    return 0 <= value.months <= months and value.days >= 0 and value.micros >= 0


# What a distance from values of a type is: months are not of one length, so that moments do not keep their order.
_FAR: Mapping[SqlType, Callable[[object], bool]] = {
    SqlType.INTEGER: lambda v: isinstance(v, int) and _far_number(v),
    SqlType.DOUBLE: _far_number,
    SqlType.DATE: lambda v: _far_interval(v, _MOST_MONTHS),
    SqlType.TIMESTAMP: lambda v: _far_interval(v, 0),
}


def _far(distance: Literal, kind: SqlType) -> bool:
    return _FAR[kind](distance.value)


def _moved(interval: Interval | None, distance: Literal) -> Interval | None:
    """The values of an order and all that is `distance` away; None for dates, which have room enough."""
    value = distance.value
    if interval is None or not isinstance(value, int | float):
        return None
    return Interval(interval.lo - Fraction(value), interval.hi + Fraction(value))


def _is_double(interval: Interval) -> bool:
    return DOUBLE_RANGE.lo <= interval.lo and interval.hi <= DOUBLE_RANGE.hi


def _number(bound: Expr, written: Node) -> Literal:
    number = bound if isinstance(bound, Literal) and bound.type is SqlType.INTEGER else None
    if number is None or not isinstance(number.value, int) or not 0 <= number.value <= MOST_AWAY:
        raise QueryRefused(
            f"an end of a frame is a whole number of rows from 0 to {MOST_AWAY} away",
            place=place_of(written),
        )
    return number


def _check(frame: Frame, order: tuple[Sorted, ...], definition: Node) -> None:
    """A frame must have an order that it can go by, and not end before it begins."""
    place, first, last = place_of(definition), frame.start.place, frame.end.place
    if frame.unit is FrameUnit.GROUPS and not order:
        raise QueryRefused("a frame in GROUPS needs an order", place=place, hint="Add ORDER BY.")
    if frame.unit is FrameUnit.ROWS and frame.without in (Without.GROUP, Without.EQUALS):
        raise QueryRefused(
            "EXCLUDE GROUP and EXCLUDE TIES of a frame in ROWS depend on how equal rows are ordered",
            place=place,
            hint="Write RANGE or GROUPS, or EXCLUDE CURRENT ROW.",
        )
    same = frame.start.side is frame.end.side and frame.start.side in (Side.BEFORE, Side.AFTER)
    if (first is not None and last is not None and first > last) or (same and None in (first, last)):
        raise QueryRefused(
            "a frame of a window must not end before it begins",
            place=place,
            hint="Write the earlier end first; of two intervals one goes before the row and one behind it.",
        )
