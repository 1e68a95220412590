"""Values in the place of earlier releases, made up: a release keeps what it claims whatever it reads."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.facts import value_at
from dpsql.algebra.released_values import columns_read
from dpsql.algebra.types import SqlType
from dpsql.engines.base import Engine, EngineQuery, Key, PublicEngine, ReleasedTable, Value
from dpsql.engines.sqlgen.clipping.contributions import DrawnBefore, with_drawn
from dpsql.engines.sqlgen.relation import input_name
from dpsql.plan.types import Histogram, Part, Release, ScaledScores, ScaledSums
from dpsql.release.estimate.measures import released_columns
from dpsql.release.prepared_query import PreparedQuery

_MOST = 400
_SHARE = 2 / 3


def with_released_inputs(ready: PreparedQuery, engine: Engine, public: PublicEngine) -> PreparedQuery:
    """The queries with everything that they read of earlier releases.

    A single value is the middle of its range. A released table has the keys of its public domain, or those that this
    engine finds, and numbers that follow from the plan alone. Raises EngineFailed.
    """
    tables: list[ReleasedTable] = []
    queries: list[tuple[EngineQuery, ...]] = []
    for i, (release, parts) in enumerate(zip(ready.plan.releases, ready.queries, strict=True)):
        read = [replace(q, values=(*_middles(q), *_tables(q, tables, public))) for q in parts]
        kept = _kept(release, read, engine)
        filled = tuple(
            with_drawn(q, _drawn(part, q, kept)) for part, q in zip(release.parts, read, strict=True)
        )
        tables.append(_made_up(i, release, filled, engine))
        queries.append(filled)
    return replace(ready, queries=tuple(queries))


def _kept(
    release: Release, queries: Sequence[EngineQuery], engine: Engine
) -> tuple[tuple[LiteralValue, ...], ...]:
    """Some of the private groups that the engine finds, where others than these are left out of what comes after."""
    if release.keys.domain is not None or not any(isinstance(p, Histogram) for p in release.parts):
        return ()
    draw = random.Random(queries[0].sql)
    keys = [key for key in sorted(engine.run(queries[0]).keys, key=repr) if draw.random() < _SHARE]
    return tuple(tuple(key[i] for key in keys) for i in range(len(release.keys.exprs)))


def _drawn(part: Part, query: EngineQuery, kept: tuple[tuple[LiteralValue, ...], ...]) -> DrawnBefore:
    if isinstance(part, Histogram):
        return DrawnBefore(kept=kept)
    if isinstance(part, ScaledSums | ScaledScores):
        return DrawnBefore(_threshold(part, query), kept)
    return DrawnBefore()


def _threshold(part: ScaledSums | ScaledScores, query: EngineQuery) -> int:
    """One of the thresholds that can be found, by the text of the query alone."""
    draw, bins = random.Random(query.sql), part.clipping.bins
    return draw.choice((1 << draw.choice(bins.powers), part.clipping.weight << bins.lowest))


def _middles(query: EngineQuery) -> Iterator[tuple[str, Value]]:
    middles = ((h, (h.lo + h.hi) / 2) for h in query.parameters)
    return (
        (h.name, float(m) if h.type is SqlType.DOUBLE else value_at(Fraction(round(m)), h.type))
        for h, m in middles
    )


def _tables(
    query: EngineQuery, tables: list[ReleasedTable], public: PublicEngine
) -> Iterator[tuple[str, Value]]:
    for node in query.tables:
        columns = columns_read(node, partial(public.finish, tables=[tables[i] for i in node.reads]))
        yield from ((input_name(node, i), values) for i, values in enumerate(columns))


def _made_up(index: int, release: Release, queries: tuple[EngineQuery, ...], engine: Engine) -> ReleasedTable:
    keys: tuple[Key, ...] = ()
    if release.keys.domain is not None:
        keys = release.keys.domain[:_MOST]
    elif queries and release.local is None:
        keys = tuple(sorted(engine.run(queries[0]).keys, key=repr))[:_MOST]
    draw = random.Random(f"{index} {len(keys)}")
    columns = released_columns(release)
    measured = columns[1 + len(release.keys.exprs) :]
    rows = [(i, *key, *(_number(kind, draw) for _, kind in measured)) for i, key in enumerate(keys)]
    return ReleasedTable(f"r{index}", columns, rows if release.local is None else ())


def _number(kind: str, draw: random.Random) -> int | float | None:
    if kind == "DOUBLE":
        return draw.choice((None, -1e300, 0.0, 0.5, 20.0, draw.uniform(-10, 110)))
    return draw.choice((-7, 0, 1, 2, 5, draw.randint(0, 100))) if kind in ("BIGINT", "HUGEINT") else None
