"""An answer's columns, rows and intervals, out of what the public engine finished."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from functools import lru_cache

from dpsql.algebra.formula import measures_of
from dpsql.engines.base import OutputColumn, Row
from dpsql.errors import InternalError, QueryRefused
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.types import Release
from dpsql.release.draw.noisy import Noisy
from dpsql.release.estimate.rollup import shown, shown_cells
from dpsql.release.types import Interval95
from dpsql.release.uncertainty.intervals import intervals
from dpsql.release.uncertainty.replay import Again, intervals_again
from dpsql.sql.public.row_provenance import Trace

_INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"})
_DECIMAL = re.compile(r"DECIMAL\(\d+,(\d+)\)")
# The usual context of decimals raises beyond 28 digits; a double has at most 309 before the point.
_ALL_DIGITS = 400
Cells = tuple[tuple[Interval95 | None, ...], ...]


def columns_of(described: tuple[OutputColumn, ...], finished: tuple[str, ...]) -> tuple[OutputColumn, ...]:
    """Names as DuckDB gives them to the query; types too, save where the released values are of another kind.

    Raises InternalError where the rest of the query has another number of columns than the query, and QueryRefused
    for a column of moments with a time zone, which depend on where they are shown.
    """
    if any(f.endswith("WITH TIME ZONE") for f in finished):
        raise QueryRefused(
            "a moment with a time zone cannot be a column of the answer",
            hint="CAST it to TIMESTAMP or to text.",
        )
    if len(described) != len(finished):
        raise InternalError(
            "the finished query has another number of columns; this is a bug, nothing was charged"
        )
    return tuple(
        OutputColumn(d.name, d.type if _alike(d.type, f) else f)
        for d, f in zip(described, finished, strict=True)
    )


def _alike(wanted: str, found: str) -> bool:
    """Whether values of one type can be shown as the other."""
    numbers = (wanted in _INTEGERS and found in _INTEGERS) or (
        _DECIMAL.fullmatch(wanted) and found == "DOUBLE"
    )
    return wanted == found or bool(numbers)


def typed_rows(rows: tuple[Row, ...], columns: tuple[OutputColumn, ...]) -> tuple[Row, ...]:
    """The rows with doubles as decimals where the query's type is DECIMAL."""
    scales = [_DECIMAL.fullmatch(c.type) for c in columns]
    if not any(scales):
        return rows
    units = [Decimal(1).scaleb(-int(s.group(1))) if s else None for s in scales]
    return tuple(tuple(_decimal(v, u) for v, u in zip(row, units, strict=True)) for row in rows)


def _decimal(value: object, unit: Decimal | None) -> object:
    if unit is None or not isinstance(value, float) or not math.isfinite(value):
        return value
    return Decimal(value).quantize(unit, context=Context(prec=_ALL_DIGITS))


def with_ends(rows: Sequence[Row], intervals: Sequence[Sequence[Interval95 | None]]) -> list[Row]:
    """The rows of a released table with the ends of each interval behind them."""
    ends = [[(i.low, i.high) if i is not None else (None, None) for i in column] for column in intervals]
    return [(*row, *(end for column in ends for end in column[at])) for at, row in enumerate(rows)]


def intervals_of(
    trace: Trace | None,
    places: tuple[int, ...],
    releases: tuple[Release, ...],
    released: list[Noisy],
    rows: tuple[Row, ...],
    columns: int,
    sampler: Sampler,
    again: Again | None = None,
) -> Callable[[], Cells]:
    """The intervals of an answer's cells, computed once and only when asked for."""
    nothing = tuple((None,) * columns for _ in rows)

    @lru_cache(maxsize=1)
    def computed() -> Cells:
        found = by_formula()
        if again is None:
            return found
        others = intervals_again(again, released, rows, sampler)
        both = zip(found, others, strict=True)
        return tuple(tuple(a if a is not None else b for a, b in zip(*row, strict=True)) for row in both)

    def by_formula() -> Cells:
        if trace is None or not any(releases[s.release].estimators for s in trace.sources):
            return nothing
        asked = {f for f in trace.formulas if f is not None and measures_of(f)}
        found = []
        for s in trace.sources:
            level, noisy = shown(releases, s.kept, s.release), shown_cells(released[s.release], s.kept)
            found.append({f: intervals(level, f, noisy, sampler) for f in asked})
        traced = (trace.place(number) for number in places)
        return tuple(
            tuple(found[s][f][at] if f in asked else None for f in trace.formulas) for s, at in traced
        )

    return computed
