"""The list of what may stand on private rows, made of the table of functions: run as a module, it prints the list."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from dpsql.algebra.functions import FUNCTIONS
from dpsql.algebra.functions.aggregates import CALLS
from dpsql.algebra.functions.table import Function
from dpsql.algebra.question import Aggregate

_HEAD = """<!-- Made by `python -m dpsql.algebra.functions.reference > docs/functions.md`. -->

# Functions on private rows

What is listed here may be used on the rows of private tables: in `WHERE`, in keys of `GROUP BY`, and inside
aggregates. Everything else is refused there, with its place in the text. What is done with released results and with
public tables is ordinary SQL with many more functions: `HAVING`, `ORDER BY`, windows, arithmetic over aggregates.

Every function is total: whatever a row holds, it raises nothing. Where DuckDB would raise, or make NaN or infinity,
the value is NULL.
"""
_AGGREGATES = """
## Aggregates

Each takes `FILTER (WHERE ...)`. x may be any expression of the functions below; bounds of its columns come from the
policy, from `LEAST` and `GREATEST`, or from `WHERE`.

| aggregate | what it is |
| --- | --- |
"""
_OPERATORS = """
## Operators and conditions

With these are written `BETWEEN`, `NOT IN`, `NOT LIKE`, `IS NOT NULL` and `CASE x WHEN ...` as well.

| expression |
| --- |
"""
_FUNCTIONS = "\n## Functions\n\n| function | arguments | value |\n| --- | --- | --- |\n"


def reference() -> str:
    """The text of docs/functions.md: aggregates, operators, functions."""
    operators = [f for f in FUNCTIONS.values() if not f.spellings]
    named = [f for f in FUNCTIONS.values() if f.spellings]
    return (
        _HEAD
        + _AGGREGATES
        + _rows(map(_aggregate, dict.fromkeys(call.computes for call in CALLS)))
        + _OPERATORS
        + _rows((f.summary.replace("|", "\\|"),) for f in operators)
        + _FUNCTIONS
        + _rows((", ".join(f"`{s.upper()}`" for s in f.spellings), _arity(f), f.summary) for f in named)
    )


def _aggregate(aggregate: Aggregate) -> tuple[str, str]:
    """How an aggregate is written, and what is to be known about it."""
    calls = [c for c in CALLS if c.computes is aggregate]
    return ", ".join(f"`{c.written}`" for c in calls), calls[0].summary


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _arity(function: Function) -> str:
    least, most = function.takes.least, function.takes.most
    if most is None:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


if __name__ == "__main__":
    sys.stdout.write(reference())
