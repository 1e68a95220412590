"""Aggregates of the time between two moments: released in microseconds, and shown as an INTERVAL."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dpsql.algebra.question import RANKED, Aggregate, Measure
from dpsql.sql.bind.moment_arithmetic import micros_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.templates import filled

_MICROS: Final = "TRY_CAST(ROUND(x) AS BIGINT)"
# Days apart from what is left of them, as the difference of two moments has them; what is too long is NULL.
_SHOWN: Final = (
    f"(TO_DAYS(CAST({_MICROS} // 86400000000 AS INTEGER)) + TO_MICROSECONDS({_MICROS} % 86400000000))"
)

_OF_TIMES: Final = RANKED | {Aggregate.AVG}


def counted(measure: Measure) -> Measure:
    """The measure over microseconds in the place of a length of time; any other as it is."""
    micros = micros_of(measure.arg) if measure.arg is not None else None
    return measure if micros is None else replace(measure, arg=micros)


def shown(measure: Measure, released: Node) -> Node:
    """What is shown of the released value of a measure that `counted` was given."""
    is_time = measure.aggregate in _OF_TIMES and counted(measure) != measure
    return filled(_SHOWN, {"x": released}) if is_time else released
