"""The weight of each group as SQL: a unit with d groups adds isqrt(2^40 // d) to each of them.

Every step is total. The root of a whole number below 2^53 is rounded correctly, so that it is off by less than 1; which
whole number it is, is decided by comparing squares of integers.
"""

from __future__ import annotations

from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.mechanisms.partition.weighted_selection import MOST_GROUPS


def weights_sql(keys: int, grouped: str) -> str:
    """SELECT k0, ..., g0: the groups that have units, and the weight of each.

    `grouped` selects the unit, the keys and a number of each unit and group, once each: 0 where it has nothing there.
    """
    names = ", ".join(f"k{i}" for i in range(keys))
    pairs = f"SELECT {names}, {MOST_GROUPS} // count(*) OVER (PARTITION BY {UNIT}) AS x FROM ({grouped}) WHERE g0 > 0"
    roots = f"SELECT *, CAST(floor(sqrt(x)) AS BIGINT) AS r FROM ({pairs})"
    weight = "CASE WHEN r * r > x THEN r - 1 WHEN (r + 1) * (r + 1) <= x THEN r + 1 ELSE r END"
    return f"SELECT {names}, sum({weight}) AS g0 FROM ({roots}) GROUP BY {names}"
