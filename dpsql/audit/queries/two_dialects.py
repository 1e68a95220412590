"""What a query says to dpsql and what the same query says to DuckDB, side by side in one text that is being made."""

from __future__ import annotations

import re

_MINE, _THEIRS, _END = "\x05", "\x06", "\x07"
_EITHER = re.compile(f"{_MINE}([^{_MINE}{_THEIRS}{_END}]*){_THEIRS}([^{_MINE}{_THEIRS}{_END}]*){_END}")


def either(mine: str, theirs: str) -> str:
    """A piece of a query that is said in two ways; no parameter may stand in it."""
    return f"{_MINE}{mine}{_THEIRS}{theirs}{_END}"


def to_dpsql(sql: str) -> str:
    """The text as dpsql is asked."""
    return _EITHER.sub(lambda m: m[1], sql)


def to_duckdb(sql: str) -> str:
    """The text as DuckDB is asked."""
    return _EITHER.sub(lambda m: m[2], sql)


# Around SUM and COUNT_IF, which DuckDB says are NULL over nothing.
OPEN, CLOSE = either("", "COALESCE("), either("", ", 0)")
# Behind BOOL_OR and BOOL_AND, with OPEN before them.
OR_FALSE, OR_TRUE = either("", ", false)"), either("", ", true)")
# Of quantiles: no two values are interpolated between.
CONT = either("CONT", "DISC")
