"""The weight of each group as SQL, and the list of them: a unit with d groups adds isqrt(2^40 // d) to each.

Every step is total. The root of a whole number below 2^53 is rounded correctly, so that it is off by less than 1; which
whole number it is, is decided by comparing squares of integers. `engines.lists.group_weights` has the same as numbers.
"""

from __future__ import annotations

from dpsql.engines.base import InPasses, Statement, UnitList, Weighing
from dpsql.engines.sqlgen.bounding import contributions, units_table
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.mechanisms.partition.weighted_selection import MOST_GROUPS

MOST_KEPT = 20_000
_PAIRED, _PASSES = 700_000, 16
"""How many pairs are held in a pass, and how many passes are made at most."""
_HOLE = "\0"


def pairs_sql(keys: int, grouped: str, units: str = "TRUE") -> str:
    """SELECT u, k0, ...: the pairs of a unit and a group in which it has something, each at least once.

    `grouped` selects the unit, the keys and a number: 0 where the unit has nothing there. `units` is a condition on the
    unit: others are left out.
    """
    names = ", ".join(f"k{i}" for i in range(keys))
    return f"SELECT {UNIT} AS u, {names} FROM ({grouped}) WHERE g0 > 0 AND {units}"


def weights_sql(keys: int, grouped: str, units: str = "TRUE") -> str:
    """SELECT k0, ..., g0: the groups that have units, and the weight of each. For the parameters see `pairs_sql`."""
    names = ", ".join(f"k{i}" for i in range(keys))
    pairs = f"SELECT DISTINCT * FROM ({pairs_sql(keys, grouped, units)})"
    shares = f"SELECT u, {MOST_GROUPS} // count(*) AS x FROM p GROUP BY u"
    roots = f"SELECT *, CAST(floor(sqrt(x)) AS BIGINT) AS r FROM ({shares})"
    weight = "CASE WHEN r * r > x THEN r - 1 WHEN (r + 1) * (r + 1) <= x THEN r + 1 ELSE r END"
    weights = f"SELECT u, {weight} AS w FROM ({roots})"
    # A window over the pairs would sort all of them.
    return (
        f"WITH p AS MATERIALIZED ({pairs}) "
        f"SELECT {names}, sum(w) AS g0 FROM p JOIN ({weights}) USING (u) GROUP BY {names}"
    )


def weights_of_groups(
    keys: int, counted: str, sql: str, without_big: str = "", without_units: str = ""
) -> UnitList:
    """The weights of all groups of a question, for the questions after it that have the same rows and keys.

    The texts select pairs of units and groups, and `counted` the number of rows that these are made of. There are as
    many weights as groups in its answer, once for each pass. Where the groups are many they are not kept.
    """
    kept = contributions(weights_sql(keys, sql))

    def made(pairs: str) -> tuple[Statement, ...]:
        table, size = units_table(kept.name), {"each": _PAIRED, "most": _PASSES}
        by_sql = InPasses.written(table, lambda u: weights_sql(keys, pairs, u), UNIT, counted, **size)
        before, after = pairs_sql(keys, pairs, _HOLE).split(_HOLE)
        return (Weighing(keys, before, after, by_sql),) if pairs else ()

    every, shorter, shortest = (made(pairs) for pairs in (sql, without_big, without_units))
    return UnitList(
        kept.name, every, kept.undone, most_rows=MOST_KEPT, without_big=shorter, without_units=shortest
    )


def added_weights(keys: int, name: str) -> str:
    """SELECT k0, ..., g0: the weights on a list of that name, added up over the passes that made it."""
    names = ", ".join(f"k{i}" for i in range(keys))
    return f"SELECT {names}, sum(g0) AS g0 FROM {units_table(name)} GROUP BY {names}"
