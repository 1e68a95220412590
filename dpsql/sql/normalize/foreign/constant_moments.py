"""Moments as constants: texts with their formats in the words of several databases, and seconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import DType, Node
from dpsql.sql.normalize.foreign.date_units import is_whole
from dpsql.sql.normalize.foreign.time_pieces import MOST_DIGITS
from dpsql.sql.normalize.templates import Kind

_TYPES: Final = frozenset({DType.DATE, DType.TIMESTAMP, DType.TIMESTAMPNTZ, DType.TIMESTAMPTZ})
DAYS: Final = re.compile(r"YYYY-MM-DD|%Y-%m-%d|yyyy-MM-dd|%F")
"""Formats of days."""
ISO: Final = re.compile(
    r"(YYYY-MM-DD|%Y-%m-%d|%F)([ T]|\"T\")?"
    r"((HH24|%H):?(MI|%M|%i)(:?(SS|%S|%s)(\.(US|MS|FF\d?|%f))?)?|%T)?(TZH:?TZM)?"
)
"""Formats of moments."""
# With more digits than microseconds have only where these are 0.
_MOMENT: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?)(0{0,3})(Z|[+-]\d{2}:?\d{2})?"
)


_DIGITS: Final = re.compile(r"(\d{4})(0\d|1[0-2])([0-2]\d|3[01])")


def with_dashes(tree: Node) -> bool:
    """Writes days of digits alone that are cast to a date or moment as DuckDB reads them. Says whether there was one.

    >>> after(with_dashes, "SELECT DATE '20250131' AS a, '20250131'::TIMESTAMP AS b")
    SELECT CAST('2025-01-31' AS DATE) AS a, CAST('2025-01-31' AS TIMESTAMP) AS b
    """
    found = [(c.this, match) for c in all_of(tree, exp.Cast) if (match := digits_of_day(c)) is not None]
    keep_names(text for text, _ in found)
    for text, match in found:
        text.set("this", "-".join(match.groups()))
    return bool(found)


def digits_of_day(cast: Node) -> re.Match[str] | None:
    """The digits of a day without dashes that is cast to a date or moment; with TRY_CAST it is NULL in DuckDB."""
    is_read = type(cast) is exp.Cast and cast.to.this in _TYPES and cast.this.is_string
    return _DIGITS.fullmatch(cast.this.name) if is_read else None


def text_of(pattern: re.Pattern[str]) -> Kind:
    """A text of this form."""
    return lambda node: node if node.is_string and pattern.fullmatch(node.name) else None


def moment(node: Node) -> Node | None:
    """A moment that is written as a text: one beside an offset from UTC is that of UTC."""
    found = _MOMENT.fullmatch(node.name) if node.is_string else None
    if (
        found is None
        or (found[2] and "." not in found[1])
        or (found[3] and len(found[1]) < len("2025-01-31T1"))
    ):
        return None
    if found[3] in (None, "Z"):
        return exp.Literal.string(found[1] + found[3]) if found[3] else exp.Literal.string(found[1])
    try:
        at = datetime.fromisoformat(found[1] + found[3]).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return exp.Literal.string(str(at.replace(tzinfo=None)))


def since_1970(seconds: Node) -> Node | None:
    """The moment so many seconds after the beginning of 1970."""
    if not is_whole(seconds) or len(seconds.name) > MOST_DIGITS:
        return None
    return exp.Literal.string(str(datetime(1970, 1, 1) + timedelta(seconds=int(seconds.name))))
