"""The tables that a public query reads of what was released: `r0` for the first release, one more for each level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dpsql.engines.base import ReleasedTable, Row
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.types import Release
from dpsql.release.draw.noise import Noisy
from dpsql.release.estimate.measures import released_columns, released_rows
from dpsql.release.estimate.rollup import added_up, level_rows, rolled_up
from dpsql.release.types import Interval95
from dpsql.release.uncertainty.intervals import intervals
from dpsql.sql.public.cut_query import Bounds, Query
from dpsql.sql.public.rollup_levels import Level


def tables_of(
    cut: Query, releases: Sequence[Release], noisy: Sequence[Noisy], sampler: Sampler
) -> list[ReleasedTable]:
    """Every such table with its rows, and with the ends of the intervals that the public query reads."""
    tables = []
    for i, (release, cells) in enumerate(zip(releases, noisy, strict=True)):
        bounds = bounds_of(cut, f"r{i}")
        ends = [intervals(release, b.formula, cells, sampler) for b in bounds]
        tables.append(released_table(i, release, _with_ends(released_rows(release, cells), ends), bounds))
    return [*tables, *(_level(v, cut, releases, noisy, tables, sampler) for v in cut.levels)]


def _level(
    level: Level,
    cut: Query,
    releases: Sequence[Release],
    noisy: Sequence[Noisy],
    tables: Sequence[ReleasedTable],
    sampler: Sampler,
) -> ReleasedTable:
    release, bounds = releases[level.release], bounds_of(cut, level.name)
    coarser, total = rolled_up(release, level.kept), added_up(noisy[level.release], level.kept)
    rows = level_rows(coarser, level.kept, total, tables[level.release].rows)
    ends = [intervals(coarser, b.formula, total, sampler) for b in bounds]
    return level_table(level, release, _with_ends(rows, ends), bounds)


def released_table(
    index: int, release: Release, rows: Sequence[Sequence[object]], bounds: Sequence[Bounds] = ()
) -> ReleasedTable:
    """The table of a query's n-th release, with the ends of intervals as its last columns."""
    return ReleasedTable(f"r{index}", (*released_columns(release), *_ends(bounds)), rows)


def level_table(
    level: Level, release: Release, rows: Sequence[Sequence[object]], bounds: Sequence[Bounds] = ()
) -> ReleasedTable:
    """The table of a level of a release, with the ends of intervals as its last columns."""
    columns = released_columns(rolled_up(release, level.kept))
    return ReleasedTable(level.name, (*columns, *_ends(bounds)), rows)


def bounds_of(cut: Query, table: str) -> tuple[Bounds, ...]:
    """The intervals that the public query reads from a table."""
    return tuple(b for b in cut.bounds if b.table == table)


def _ends(bounds: Sequence[Bounds]) -> Iterator[tuple[str, str]]:
    return ((name, "DOUBLE") for b in bounds for name in (b.low, b.high))


def _with_ends(rows: Sequence[Row], intervals: Sequence[Sequence[Interval95 | None]]) -> list[Row]:
    """The rows with the ends of each interval behind them."""
    ends = [[(i.low, i.high) if i is not None else (None, None) for i in column] for column in intervals]
    return [(*row, *(end for column in ends for end in column[at])) for at, row in enumerate(rows)]
