"""The weight of each group as SQL: a unit with d groups adds isqrt(2^40 // d) to each of them.

Every step is total. The root of a whole number below 2^53 is rounded correctly, so that it is off by less than 1; which
whole number it is, is decided by comparing squares of integers.
"""

from __future__ import annotations

from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.mechanisms.partition.weighted_selection import MOST_GROUPS


def weights_sql(keys: int, grouped: str, units: str = "TRUE") -> str:
    """SELECT k0, ..., g0: the groups that have units, and the weight of each.

    `grouped` selects the unit, the keys and a number of each unit and group, once each: 0 where it has nothing there.
    `units` is a condition on the unit: of other units nothing is added.
    """
    names = ", ".join(f"k{i}" for i in range(keys))
    pairs = f"SELECT {UNIT} AS u, {names} FROM ({grouped}) WHERE g0 > 0 AND {units}"
    shares = f"SELECT u, {MOST_GROUPS} // count(*) AS x FROM p GROUP BY u"
    roots = f"SELECT *, CAST(floor(sqrt(x)) AS BIGINT) AS r FROM ({shares})"
    weight = "CASE WHEN r * r > x THEN r - 1 WHEN (r + 1) * (r + 1) <= x THEN r + 1 ELSE r END"
    weights = f"SELECT u, {weight} AS w FROM ({roots})"
    # A window over the pairs would sort all of them.
    return (
        f"WITH p AS MATERIALIZED ({pairs}) "
        f"SELECT {names}, sum(w) AS g0 FROM p JOIN ({weights}) USING (u) GROUP BY {names}"
    )
