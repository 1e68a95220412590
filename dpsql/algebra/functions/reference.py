"""The list of what may stand on private rows, made of the table of functions: run as a module, it prints the list."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from dpsql.algebra.functions import FUNCTIONS
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
_PAIRS = "of the pairs without NULL; both need bounds; NULL where their noisy count is below"
# How an aggregate is written, and what is to be known about it.
AGGREGATES: Mapping[Aggregate, tuple[str, str]] = MappingProxyType(
    {
        Aggregate.COUNT_ROWS: ("`COUNT(*)`, `COUNT_IF(p)`, `COUNTIF(p)`", "rows"),
        Aggregate.COUNT: (
            "`COUNT(x)`, `REGR_COUNT(y, x)`",
            "rows where x, or x and y, are not NULL",
        ),
        Aggregate.COUNT_UNITS: ("`COUNT(DISTINCT unit)`", "privacy units, by the column that names them"),
        Aggregate.COUNT_DISTINCT: (
            "`COUNT(DISTINCT x)`, `APPROX_COUNT_DISTINCT(x)`",
            "distinct values; NULL is none",
        ),
        Aggregate.SUM: ("`SUM(x)`", "0 for no rows; x needs bounds"),
        Aggregate.AVG: (
            "`AVG(x)`, `MEAN(x)`, `REGR_AVGX(y, x)`, `REGR_AVGY(y, x)`",
            "NULL where the noisy count is below 1; x and y need bounds",
        ),
        Aggregate.VAR_SAMP: (
            "`VAR_SAMP(x)`, `VARIANCE(x)`",
            "NULL where the noisy count is below 2; x needs bounds",
        ),
        Aggregate.VAR_POP: ("`VAR_POP(x)`", "NULL where the noisy count is below 1; x needs bounds"),
        Aggregate.STDDEV_SAMP: (
            "`STDDEV_SAMP(x)`, `STDDEV(x)`",
            "NULL where the noisy count is below 2; x needs bounds",
        ),
        Aggregate.STDDEV_POP: ("`STDDEV_POP(x)`", "NULL where the noisy count is below 1; x needs bounds"),
        Aggregate.QUANTILE_CONT: (
            "`MEDIAN(x)`, `QUANTILE_CONT(x, 0.9)`, `PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)`",
            "a value near that rank, chosen privately and not interpolated; NULL where too few values tell; x is a "
            "number, date or timestamp with bounds",
        ),
        Aggregate.QUANTILE_DISC: (
            "`QUANTILE(x, 0.9)`, `QUANTILE_DISC(x, 0.9)`, `APPROX_QUANTILE(x, 0.9)`, "
            "`PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY x)`",
            "the same",
        ),
        Aggregate.MIN: (
            "`MIN(x)`",
            "the same, near a low rank that `EXPLAIN` names: the least value itself is one row; of text with a public "
            "list of values, too",
        ),
        Aggregate.MAX: ("`MAX(x)`", "the same, near a high rank"),
        Aggregate.MODE: (
            "`MODE(x)`",
            "the most frequent value of a public list, chosen privately; NULL where none stands out",
        ),
        Aggregate.BOOL_AND: (
            "`BOOL_AND(p)`",
            "chosen privately: false where more rows are false than noise explains",
        ),
        Aggregate.BOOL_OR: (
            "`BOOL_OR(p)`",
            "chosen privately: true where more rows are true than noise explains",
        ),
        Aggregate.COVAR_POP: ("`COVAR_POP(y, x)`", f"{_PAIRS} 1"),
        Aggregate.COVAR_SAMP: ("`COVAR_SAMP(y, x)`", f"{_PAIRS} 2"),
        Aggregate.CORR: ("`CORR(y, x)`", f"between -1 and 1; NULL where y or x does not vary; {_PAIRS} 1"),
        Aggregate.REGR_SLOPE: ("`REGR_SLOPE(y, x)`", f"NULL where x does not vary; {_PAIRS} 1"),
        Aggregate.REGR_INTERCEPT: ("`REGR_INTERCEPT(y, x)`", f"NULL where x does not vary; {_PAIRS} 1"),
        Aggregate.REGR_R2: (
            "`REGR_R2(y, x)`",
            f"1 where y does not vary, NULL where x does not; {_PAIRS} 1",
        ),
        Aggregate.REGR_SXY: ("`REGR_SXY(y, x)`", f"{_PAIRS} 1"),
        Aggregate.DEVIATIONS: ("`REGR_SXX(y, x)`, `REGR_SYY(y, x)`", f"{_PAIRS} 1"),
    }
)
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
        + _rows((how, what) for how, what in AGGREGATES.values())
        + _OPERATORS
        + _rows((f.summary.replace("|", "\\|"),) for f in operators)
        + _FUNCTIONS
        + _rows((_spelled(f), _arity(f), f.summary) for f in named)
    )


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _spelled(function: Function) -> str:
    return ", ".join(f"`{s.upper()}`" for s in function.spellings)


def _arity(function: Function) -> str:
    least, most = function.takes.least, function.takes.most
    if most is None:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


if __name__ == "__main__":
    sys.stdout.write(reference())
