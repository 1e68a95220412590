"""What each unit adds to the cells of its groups, as SQL: how many units are how large, and sums of scaled vectors.

Every step is total and in HUGEINT, and no divisor is below 1, whichever rows an engine computes it of: a cell is
clamped to its limit, which leaves room for the multiplications that follow, and a sum over all units of what is clamped
fits. The threshold comes as a parameter.

Where sizes are measured in L2, squares are compared with squares. The root that vectors are divided by is made of whole
numbers: that of a double is no more than the hint it begins with (`mechanisms.clipping.scaling.root_from`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpsql.engines.base import EngineQuery
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.plan.types import Histogram, ScaledScores, ScaledSums, Term

THRESHOLD = "threshold"
_Scaled = ScaledSums | ScaledScores
_TAU = f"CAST(${THRESHOLD} AS HUGEINT)"


def with_threshold(query: EngineQuery, threshold: int | None) -> EngineQuery:
    """The query with the threshold that it waits for."""
    return query if threshold is None else replace(query, values=(*query.values, (THRESHOLD, threshold)))


def histogram_sql(part: Histogram, terms: Sequence[Term], keys: int, grouped: str) -> str:
    """SELECT k0, g0: the bins that have units, as powers of two, and how many units each has.

    `grouped` selects the unit, the keys and the terms of each unit and group.
    """
    size = _size(part)
    vectors = _vectors(part, terms, keys, grouped)
    sizes = f"SELECT sum({size}) AS t FROM ({vectors}) GROUP BY {UNIT}"
    low, high = part.clipping.bins.lowest, part.clipping.bins.highest
    # t <= 2^j for the least j: as many binary digits as t - 1 has; t <= 4^j: half of them, rounded up.
    digits = "CASE WHEN t > 1 THEN length(bin(t - 1)) ELSE 0 END"
    power = f"({digits} + 1) // 2" if part.squared else digits
    return (
        f"SELECT least({power} + {low}, {high}) AS k0, count(*) AS g0 FROM ({sizes}) WHERE t > 0 GROUP BY 1"
    )


def scaled_sql(part: _Scaled, terms: Sequence[Term], keys: int, grouped: str) -> str:
    """SELECT k0, ..., g0, ...: for each group the sums of the units' cells, each in units of 2**-shift and scaled."""
    vectors = _vectors(part, terms, keys, grouped)
    sized = f"SELECT *, sum({_size(part)}) OVER (PARTITION BY {UNIT}) AS t FROM ({vectors})"
    names = [f"k{i}" for i in range(keys)]
    scaled, rows = _by_root(part, sized) if part.squared else (_by_total(part), sized)
    cells = [
        f"CAST(coalesce(sum({scaled.format(c=f'c{i}')}), 0) AS HUGEINT) AS g{i}"
        for i in range(len(part.cells))
    ]
    group = f" GROUP BY {', '.join(names)}" if names else ""
    return f"SELECT {', '.join([*names, *cells])} FROM ({rows}){group}"


def _by_total(part: _Scaled) -> str:
    """A cell {c} of a unit whose |cells| add up to t, multiplied, and scaled where they add up to more than tau."""
    factor = f"{1 << part.clipping.shift}::HUGEINT"
    scaled = f"sign({{c}}) * ((abs({{c}}) * {_TAU}) // greatest(t, 1::HUGEINT))"
    return f"CASE WHEN t * {factor} > {_TAU} THEN {scaled} ELSE {{c}} * {factor} END"


def _by_root(part: _Scaled, sized: str) -> tuple[str, str]:
    """The same for a unit whose squares add up to t, and the rows with what that reads.

    With q the square of the multiplied vector and any h >= 1, a = ceil((h + ceil(q / h)) / 2) has a^2 >= q; b = a - 1
    is taken if b >= 1 is at least ceil(q / b), that is, if its square suffices: without a square that could overflow.
    """
    shift = part.clipping.shift
    factor = f"{1 << shift}::HUGEINT"
    q = f"SELECT *, t * {1 << 2 * shift}::HUGEINT AS q FROM ({sized})"
    h = f"SELECT *, greatest(CAST(sqrt(CAST(q AS DOUBLE)) AS HUGEINT), 1::HUGEINT) AS h FROM ({q})"
    a = f"SELECT *, (h + (q + h - 1) // h + 1) // 2 AS a FROM ({h})"
    b = f"SELECT *, greatest(a - 1, 1::HUGEINT) AS b FROM ({a})"
    root = "CASE WHEN b >= (q + b - 1) // b THEN b ELSE a END"
    scaled = f"sign({{c}}) * ((abs({{c}}) * {factor} * {_TAU}) // s)"
    return (
        f"CASE WHEN q > {_TAU} * {_TAU} THEN {scaled} ELSE {{c}} * {factor} END",
        f"SELECT *, {root} AS s FROM ({b})",
    )


def _vectors(part: Histogram | _Scaled, terms: Sequence[Term], keys: int, grouped: str) -> str:
    """SELECT the unit, k0, ..., c0, ...: every cell of a unit's group, clamped."""
    place = {term: i for i, term in enumerate(terms)}
    limit = f"{part.clipping.limit}::HUGEINT"
    names = [UNIT, *(f"k{i}" for i in range(keys))]
    written = [
        f"greatest(least({_combination([(c, place[t]) for c, t in _used(part, cell)])}, {limit}), "
        f"-{limit}) AS c{i}"
        for i, cell in enumerate(part.cells)
    ]
    return f"SELECT {', '.join([*names, *written])} FROM ({grouped})"


def _used(part: Histogram | _Scaled, cell: tuple[int, ...]) -> list[tuple[int, Term]]:
    return [(c, t) for c, t in zip(cell, part.terms, strict=True) if c]


def _combination(weighted: Sequence[tuple[int, int]]) -> str:
    return " + ".join(f"CAST(g{at} AS HUGEINT) * ({c}::HUGEINT)" for c, at in weighted)


def _size(part: Histogram | _Scaled) -> str:
    """What a group adds to the size of a unit, or to its square."""
    return " + ".join(f"c{i} * c{i}" if part.squared else f"abs(c{i})" for i in range(len(part.cells)))
