"""The list of what may stand on private rows, made of the table of functions: run as a module, it prints the list."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from dpsql.algebra.functions import FUNCTIONS
from dpsql.algebra.functions.aggregates import CALLS
from dpsql.algebra.functions.released import RELEASED, ReleasedFunction
from dpsql.algebra.functions.table import Function
from dpsql.algebra.question import Aggregate

_HEAD = """<!-- Made by `python -m dpsql.algebra.functions.reference > docs/functions.md`. -->

# Functions on private rows

What is listed here may be used on the rows of private tables: in `WHERE`, in keys of `GROUP BY`, and inside
aggregates. Everything else is refused there, with its place in the text. What is done with released results and with
public tables is ordinary SQL with many more functions, which [stand at the end](#on-released-results-alone): `HAVING`,
`ORDER BY`, windows, arithmetic over aggregates.

Every function on private rows is total: whatever a row holds, it raises nothing. Where DuckDB would raise, or make NaN
or infinity, the value is NULL.
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
_RELEASED = """
## On released results alone

What is computed of released values says no more about anybody. These are DuckDB's own on the columns of an aggregating
query, of a query around one, and of public tables, and so are the trigonometric functions, windows, and lists as
`[1, 2]`; on private rows they are refused. Where DuckDB fails on a value, the query fails. The operators `&`, `|`,
`<<` and `>>` stand there, too; `x ^ y` and `x ** y` are POWER(x, y) everywhere.
Structs, maps and what would be another value with each call are supported nowhere.

| function | as in | value |
| --- | --- | --- |
"""
_FUNCTIONS = "\n## Functions\n\n| function | arguments | value |\n| --- | --- | --- |\n"


def reference() -> str:
    """The text of docs/functions.md: aggregates, operators, functions, and those of released results."""
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
        + _RELEASED
        + _rows(map(_released, RELEASED))
    )


def _aggregate(aggregate: Aggregate) -> tuple[str, str]:
    """How an aggregate is written, and what is to be known about it."""
    calls = [c for c in CALLS if c.computes is aggregate]
    return ", ".join(f"`{c.written}`" for c in calls), calls[0].summary


def _released(function: ReleasedFunction) -> tuple[str, str, str]:
    names = [n.upper() for n in function.names]
    return ", ".join(f"`{n}`" for n in names), f"`{names[0]}({function.example})`", function.summary


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _arity(function: Function) -> str:
    least, most = function.takes.least, function.takes.most
    if most is None:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


if __name__ == "__main__":
    sys.stdout.write(reference())
