"""Times of day on private rows: CAST(x AS TIME) beside constants, as in x::TIME BETWEEN '09:00' AND '17:00'.

There is no value of type TIME. A time of day that is compared is the number of microseconds since midnight.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import reduce
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import Expr, Literal
from dpsql.algebra.functions import Mistyped, apply
from dpsql.algebra.types import SqlType
from dpsql.sql.dialect import DType, Node

Bind = Callable[[Node], Expr]

_PARTS: Final = MappingProxyType({"hour": 3_600_000_000, "minute": 60_000_000, "microsecond": 1})
_TIME: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]?\d)(?::([0-5]?\d)(?:\.(\d{1,9}))?)?")
_INSTEAD: Final = "a time of day is compared with a constant such as '09:00', or with another CAST(x AS TIME)"


def compared_times(nodes: tuple[Node, ...], bind: Bind) -> tuple[Expr, ...] | None:
    """Values that are compared with one another, as times of day; None where none of them is cast to TIME."""
    return tuple(_time(n, bind) for n in nodes) if any(cast_to_time(n) is not None for n in nodes) else None


def cast_to_time(node: Node) -> Node | None:
    """What is cast to TIME; None for any other expression."""
    inner = node.unnest()
    is_cast = isinstance(inner, exp.Cast) and inner.to.this is DType.TIME and not inner.to.expressions
    return inner.this if is_cast else None


def _time(node: Node, bind: Bind) -> Expr:
    cast = cast_to_time(node)
    value = bind(node if cast is None else cast)
    if value.type is SqlType.NULL:
        return Literal(None, SqlType.INTEGER)
    if isinstance(value, Literal) and isinstance(value.value, str):
        return _constant(value.value)
    if cast is None or value.type is not SqlType.TIMESTAMP:
        raise Mistyped(_INSTEAD)
    counted = (
        apply("mul", (apply(part, (value,)), Literal(size, SqlType.INTEGER))) for part, size in _PARTS.items()
    )
    return reduce(lambda a, b: apply("add", (a, b)), counted)


def _constant(text: str) -> Literal:
    match = _TIME.fullmatch(text)
    if match is None:
        raise Mistyped("the text does not read as a time of day; write TIME 'HH:MM:SS'")
    hour, minute, second, fraction = (part or "0" for part in match.groups())
    seconds = (int(hour) * 60 + int(minute)) * 60 + int(second)
    return Literal(seconds * 1_000_000 + int(fraction.ljust(6, "0")[:6]), SqlType.INTEGER)
