"""Where the units that own most are asked alone, they tell what all units tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpsql.audit.exact import Found, Violated
from dpsql.engines.base import Engine, EngineQuery, Exact, Key
from dpsql.engines.sqlgen.clipping.contributions import THRESHOLD
from dpsql.plan.types import Histogram, Release
from dpsql.release.prepared_query import PreparedQuery


def check_largest(ready: PreparedQuery, found: Found, engine: Engine) -> int:
    """How many queries were asked of them, too.

    Raises Violated where bins of a histogram, or sums for a threshold that they suffice for, are others.
    """
    every = zip(ready.plan.releases, ready.queries, found, strict=True)
    return sum(_checked(release, queries, exact, engine) for release, queries, exact in every)


def _checked(release: Release, queries: Sequence[EngineQuery], found: Sequence[Exact], engine: Engine) -> int:
    first, asked_of = None, 0
    for part, query, exact in zip(release.parts, queries, found, strict=True):
        if query.of_largest is None:
            continue
        asked_of += 1
        asked = engine.run(replace(query.of_largest, values=query.values, of_many=False))
        if isinstance(part, Histogram):
            powers = sorted(int(str(key[0])) for key in asked.keys)
            if powers != list(part.clipping.bins.powers)[len(part.clipping.bins) - len(powers) :]:
                raise Violated("a bin of the largest units is missing")
            first = powers[0] if powers else None  # then no threshold is told by them
            of_all = {key: v for key, v in _some(exact).items() if int(str(key[0])) in powers}
        elif first is None or int(str(dict(query.values)[THRESHOLD])) < 1 << max(first - 1, 0):
            continue
        else:
            of_all = _some(exact)
        if _some(asked) != of_all:
            raise Violated("the largest units tell something else than all units do")
    return asked_of


def _some(exact: Exact) -> dict[Key, tuple[int, ...]]:
    """The integers of each group that has any."""
    rows = zip(exact.keys, exact.values, strict=True)
    return {key: numbers for key, row in rows if any(numbers := tuple(int(v) for v in row))}
