"""MONTHS_BETWEEN and NEXT_DAY, as Oracle, Snowflake, Redshift and Spark have them."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from dpsql.sql.dialect import Node
from dpsql.sql.normalize.foreign.date_units import as_moment
from dpsql.sql.normalize.templates import filled, spelled

_SECONDS: Final = " + ".join(
    f"({part}(x) - {part}(y)) * {size}" for part, size in (("DAY", 86_400), ("HOUR", 3_600), ("MINUTE", 60))
)
# Whole where both are the same day of a month, or the last of one; otherwise a day is a part of 31.
_MONTHS: Final = (
    "((YEAR(x) - YEAR(y)) * 12 + (MONTH(x) - MONTH(y)) + CASE WHEN DAY(x) = DAY(y) "
    "OR (CAST(x AS DATE) = LAST_DAY(x) AND CAST(y AS DATE) = LAST_DAY(y)) THEN 0 "
    f"ELSE ({_SECONDS} + (SECOND(x) - SECOND(y))) / 2678400 END)"
)
_NEXT: Final = "(CAST(x AS DATE) + CAST((n - ISODOW(x)) % 7 + 1 AS INTEGER))"
_WEEKDAYS: Final = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")


def _months(args: list[Node]) -> Node | None:
    """MONTHS_BETWEEN(x, y), with a fraction; a third argument says whether it is rounded to 8 digits."""
    return filled(_MONTHS, {"x": as_moment(args[0]), "y": as_moment(args[1])}) if len(args) == 2 else None


def _next_day(args: list[Node]) -> Node | None:
    """NEXT_DAY(x, 'Monday'): the first such day after x."""
    word = args[1].name.upper() if len(args) == 2 and args[1].is_string else ""
    number = next((at for at, day in enumerate(_WEEKDAYS) if word in (day, day[:3], day[:2])), None)
    if number is None:
        return None
    # 7 more, so that the remainder is not below 0.
    return filled(_NEXT.replace("n -", f"{number + 7} -"), {"x": as_moment(args[0])})


COUNTED: Final = MappingProxyType(
    {
        **spelled(
            "MONTHS_BETWEEN", "DATE_DIFF('month', y, x), which counts the boundaries between months", _months
        ),
        **spelled("NEXT_DAY", "NEXT_DAY(x, 'Monday')", _next_day),
    }
)
"""By the name of a function in capitals, how it is read."""
