"""The answer: ordinary SQL on released tables, in the public engine, and how sure each of its cells is."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from functools import lru_cache, partial
from types import MappingProxyType

from dpsql.accounting.types import StoredReleases
from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.formula import measures_of
from dpsql.algebra.question import ORDERED
from dpsql.engines.base import OutputColumn, ReleasedTable, Row
from dpsql.errors import InternalError, QueryRefused
from dpsql.release.draw.thresholds import settled
from dpsql.release.estimate.plain_rows import plain_rows
from dpsql.release.estimate.rollup import shown, shown_cells
from dpsql.release.explain.bias import bias_notes
from dpsql.release.explain.plan import explain_plan, noise_choice
from dpsql.release.prepared_query import Drawn, Finished, PreparedQuery
from dpsql.release.render.type_codes import decimal_shape
from dpsql.release.types import Answer, Interval95, Released
from dpsql.release.uncertainty.intervals import intervals
from dpsql.release.uncertainty.replay import replayed_intervals
from dpsql.release.uncertainty.total_intervals import Lost, lost_of, with_totals
from dpsql.stages.released_tables import tables_of
from dpsql.stages.replay_inputs import replay_of
from dpsql.stages.state import State
from dpsql.stages.system_statement import system_table

_INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"})
_NARROW = MappingProxyType({"TINYINT": 2**7, "SMALLINT": 2**15, "INTEGER": 2**31})
"""Types of whole numbers that are narrower than those of released tables, with the first number that is too large."""
_DOUBLE = "DOUBLE"
# The usual context of decimals raises beyond 28 digits; a double has at most 309 before the point.
_ALL_DIGITS = 400
Cells = tuple[tuple[Interval95 | None, ...], ...]


def finish(query: PreparedQuery, drawn: Drawn, s: State) -> Finished:
    """The rows of an answer; from memory where the same query was finished from the same draws before."""
    remembered = query.memory.finished(drawn)
    if remembered is not None:
        return remembered
    releases = tuple(settled(r, n.limits) for r, n in zip(query.plan.releases, drawn.releases, strict=True))
    under_limits = replace(query, plan=replace(query.plan, releases=releases))
    tables = tables_of(query.cut, releases, drawn.releases, s.sampler)
    tables += [system_table(name, s) for name in query.cut.system]
    rows = _rows(query, tables, s)
    places: tuple[int, ...] = ()
    if query.cut.trace is not None:  # each row ends in its place in the released table
        places = tuple(int(row[-1]) for row in rows)  # type: ignore[call-overload]
        rows = tuple(row[:-1] for row in rows)
    losses = tuple(map(lost_of, query.plan.releases, drawn.releases))
    limits = tuple(n.limits for n in drawn.releases)
    bias = bias_notes(query.plan.releases, limits, s.context.policy)
    done = Finished(
        _typed(rows, query.columns), _intervals(under_limits, places, drawn, rows, losses, s), bias
    )
    query.memory.keep(drawn, done)
    return done


def _rows(query: PreparedQuery, tables: list[ReleasedTable], s: State) -> Sequence[Row]:
    """The rows of the traced public query, or of the public query itself where there is no trace."""
    plain, trace = query.cut.plain, query.cut.trace
    rows = plain_rows(plain, tables[plain.release]) if plain is not None else None
    if rows is not None:
        return rows
    return s.public.finish(trace.sql if trace is not None else query.plan.public_query, tables)


def report(query: PreparedQuery, stored: StoredReleases, done: Finished, s: State) -> Answer:
    """The answer with its release report, which outlives the session."""
    explained = partial(
        explain_plan,
        query,
        noise_choice(s.context),
        replay_of(query, s, later=True),
        bias=done.bias,
        answered=True,
    )
    released = Released(stored.charged, explained, done.intervals, (query.columns, done.rows))
    return Answer(query.columns, done.rows, released)


def columns_of(
    described: tuple[OutputColumn, ...], finished: tuple[str, ...], query: PreparedQuery
) -> tuple[OutputColumn, ...]:
    """Names as DuckDB gives them to the query; types too, save where the released values are of another kind, or may
    be too large for them: CAST(x AS INTEGER) of private rows is any whole number.

    Raises InternalError where the public query has another number of columns than the query, and QueryRefused for a
    column of moments with a time zone, which depend on where they are shown.
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
        d if _alike(d.type, f) and _fits(d.type, f, i, query) else replace(d, type=f)
        for i, (d, f) in enumerate(zip(described, finished, strict=True))
    )


def _alike(wanted: str, released: str) -> bool:
    """Whether values of one type can be shown as the other."""
    if wanted == _DOUBLE:
        return released in (*_INTEGERS, _DOUBLE)
    numbers = (wanted in _INTEGERS and released in _INTEGERS) or (
        decimal_shape(wanted) is not None and released == _DOUBLE
    )
    return wanted == released or bool(numbers)


def _fits(wanted: str, released: str, place: int, query: PreparedQuery) -> bool:
    """Whether the whole numbers of a column are those of a narrower type than they are released in."""
    most = _NARROW.get(wanted)
    if most is None or wanted == released:
        return True
    values = _values_of(place, query)
    return values is not None and all(isinstance(v, int) and -most <= v < most for v in values)


def _values_of(place: int, query: PreparedQuery) -> Collection[LiteralValue] | None:
    """What a column without NULL is among: the public values of a key, or the ends of what a choice is made from."""
    plain = query.cut.plain
    if plain is None or query.plan.releases[plain.release].local is not None:
        return None
    name, release = plain.columns[place], query.plan.releases[plain.release]
    if name.startswith("k"):
        domain = release.keys.domain
        return {key[int(name[1:])] for key in domain} - {None} if domain is not None else None
    estimator = release.estimators[int(name[1:])]
    if estimator.measure.aggregate not in ORDERED:
        return None
    ends = math.floor(estimator.step * estimator.low), math.ceil(estimator.step * estimator.high)
    return [v for v in estimator.values if v is not None] or ends


def _typed(rows: Sequence[Row], columns: tuple[OutputColumn, ...]) -> Sequence[Row]:
    """The rows with doubles as decimals where the query's type is DECIMAL, and whole numbers as doubles."""
    shown = [_shown_as(rows, i, c.type) for i, c in enumerate(columns)]
    if not any(shown):
        return rows
    return tuple(tuple(v if f is None else f(v) for v, f in zip(row, shown, strict=True)) for row in rows)


def _shown_as(rows: Sequence[Row], place: int, kind: str) -> Callable[[object], object] | None:
    """How the values of a column are made those of its type; None where they are."""
    shape = decimal_shape(kind)
    if shape is not None:
        return partial(_decimal, unit=Decimal(1).scaleb(-shape[1]))
    if kind == _DOUBLE and isinstance(next((r[place] for r in rows if r[place] is not None), None), int):
        return lambda value: float(value) if isinstance(value, int) else value
    return None


def _decimal(value: object, unit: Decimal) -> object:
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    return Decimal(value).quantize(unit, context=Context(prec=_ALL_DIGITS))


def _intervals(
    query: PreparedQuery,
    places: Sequence[int],
    drawn: Drawn,
    rows: Sequence[Row],
    told: tuple[Lost, ...],
    s: State,
) -> Callable[[], Cells]:
    """The intervals of an answer's cells, computed once and only when asked for, by when the session may be gone.

    `told` is for each measure of each release what is left out of it, as a multiple of what is counted.
    """
    trace, releases, released, sampler = query.cut.trace, query.plan.releases, drawn.releases, s.sampler
    width, replay = len(query.columns), replay_of(query, s, later=True)

    @lru_cache(maxsize=1)
    def computed() -> Cells:
        by_row = by_formula()
        if replay is None:
            return by_row
        others = replayed_intervals(replay, released, rows, sampler)
        both = zip(by_row, others, strict=True)
        return tuple(tuple(a if a is not None else b for a, b in zip(*row, strict=True)) for row in both)

    def by_formula() -> Cells:
        if trace is None or not any(releases[source.release].estimators for source in trace.sources):
            return ((None,) * width,) * len(rows)
        measured = {f for f in trace.formulas if f is not None and measures_of(f)}
        by_source = []
        for source in trace.sources:
            level = shown(releases, source.kept, source.release)
            noisy = shown_cells(released[source.release], source.kept)
            too_little = told[source.release]
            by_source.append(
                {f: with_totals(intervals(level, f, noisy, sampler), f, too_little) for f in measured}
            )
        traced = (trace.place(number) for number in places)
        return tuple(
            tuple(by_source[n][f][at] if f in measured else None for f in trace.formulas) for n, at in traced
        )

    return computed
