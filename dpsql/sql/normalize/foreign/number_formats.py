"""Numbers as texts in formats of other databases. A half is rounded away from zero, as everywhere in SQL."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from dpsql.sql.dialect import Node
from dpsql.sql.normalize.templates import filled

_MOST_PLACES: Final = 10
# Digits in threes, the last of them always written, and places that are always written.
_DIGITS: Final = re.compile(
    r"FM(?P<digits>9{1,3}(?:,999)*|9+|9*0|9{1,3}(?:,999)*,990)(?P<places>\.0+)?", re.IGNORECASE
)


def with_commas(args: list[Node]) -> Node | None:
    """FORMAT(x, 2) and FORMAT(x, 'N2')."""
    places = args[1].name.upper().removeprefix("N") if len(args) == 2 else ""
    if not places.isdigit() or int(places) > _MOST_PLACES:
        return None
    made = f"FORMAT('{{:,.{places}f}}', ROUND(CAST(x AS DOUBLE), {places}))"
    return filled(made, {"x": args[0]})


def with_digits(args: list[Node]) -> Node | None:
    """TO_CHAR(x, 'FM999,999,990.00'): a number with more digits than the format has is written as #."""
    found = _DIGITS.fullmatch(args[1].name) if len(args) == 2 and args[1].is_string else None
    if found is None:
        return None
    digits, written = found["digits"], found["places"] or ""
    places = max(len(written) - 1, 0)
    if places > _MOST_PLACES or (places and not digits.endswith("0")):
        return None
    separator = "," if "," in digits else ""
    number = f"ROUND(CAST(x AS DOUBLE), {places})"
    full = exp.Literal.string(re.sub(r"[90]", "#", args[1].name[2:]))
    limit = exp.Literal.number(10 ** len(digits.replace(",", "")))
    made = f"(CASE WHEN ABS({number}) >= l THEN f ELSE FORMAT('{{:{separator}.{places}f}}', {number}) END)"
    return filled(made, {"x": args[0], "f": full, "l": limit})
