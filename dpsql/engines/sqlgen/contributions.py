"""What each unit adds to the cells of its groups, as SQL: how many units are how large, and sums of scaled vectors.

Every step is total and in HUGEINT: a cell is clamped to its limit, which leaves room for the multiplications that
follow, and a sum over all units of what is clamped fits. The threshold comes as a parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpsql.engines.base import EngineQuery
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.plan.types import Histogram, ScaledSums, Term

THRESHOLD = "threshold"


def with_threshold(query: EngineQuery, threshold: int | None) -> EngineQuery:
    """The query with the threshold that it waits for."""
    return query if threshold is None else replace(query, values=(*query.values, (THRESHOLD, threshold)))


def histogram_sql(part: Histogram, terms: Sequence[Term], keys: int, grouped: str) -> str:
    """SELECT k0, g0: the bins that have units, as powers of two, and how many units each has.

    `grouped` selects the unit, the keys and the terms of each unit and group.
    """
    size = _size(part.cells)
    vectors = _vectors(part.cells, part.terms, part, terms, keys, grouped)
    sizes = f"SELECT sum({size}) AS t FROM ({vectors}) GROUP BY {UNIT}"
    low, high = part.clipping.bins.lowest, part.clipping.bins.highest
    # t <= 2^j for the least j: as many binary digits as t - 1 has.
    power = f"least(CASE WHEN t > 1 THEN length(bin(t - 1)) ELSE 0 END + {low}, {high})"
    return f"SELECT {power} AS k0, count(*) AS g0 FROM ({sizes}) WHERE t > 0 GROUP BY 1"


def scaled_sql(part: ScaledSums, terms: Sequence[Term], keys: int, grouped: str) -> str:
    """SELECT k0, ..., g0, ...: for each group the sums of the units' cells, each in units of 2**-shift and scaled."""
    family, shift = part.family, part.clipping.shift
    vectors = _vectors(family.cells, family.terms, part, terms, keys, grouped)
    size = f"sum({_size(family.cells)}) OVER (PARTITION BY {UNIT})"
    names = [f"k{i}" for i in range(keys)]
    factor, tau = f"{1 << shift}::HUGEINT", f"CAST(${THRESHOLD} AS HUGEINT)"
    cells = [
        f"CAST(coalesce(sum(CASE WHEN t * {factor} > {tau} "
        f"THEN sign(c{i}) * ((abs(c{i}) * {tau}) // t) ELSE c{i} * {factor} END), 0) AS HUGEINT) AS g{i}"
        for i in range(len(family.cells))
    ]
    group = f" GROUP BY {', '.join(names)}" if names else ""
    return f"SELECT {', '.join([*names, *cells])} FROM (SELECT *, {size} AS t FROM ({vectors})){group}"


def _vectors(
    cells: Sequence[tuple[int, ...]],
    of: Sequence[Term],
    part: Histogram | ScaledSums,
    terms: Sequence[Term],
    keys: int,
    grouped: str,
) -> str:
    """SELECT the unit, k0, ..., c0, ...: every cell of a unit's group, clamped."""
    place = {term: i for i, term in enumerate(terms)}
    limit = f"{part.clipping.limit}::HUGEINT"
    names = [UNIT, *(f"k{i}" for i in range(keys))]
    written = [
        f"greatest(least({_combination([(c, place[t]) for c, t in zip(cell, of, strict=True) if c])}, {limit}), "
        f"-{limit}) AS c{i}"
        for i, cell in enumerate(cells)
    ]
    return f"SELECT {', '.join([*names, *written])} FROM ({grouped})"


def _combination(weighted: Sequence[tuple[int, int]]) -> str:
    return " + ".join(f"CAST(g{at} AS HUGEINT) * ({c}::HUGEINT)" for c, at in weighted)


def _size(cells: Sequence[tuple[int, ...]]) -> str:
    return " + ".join(f"abs(c{i})" for i in range(len(cells)))
