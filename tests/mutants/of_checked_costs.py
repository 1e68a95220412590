"""Defects of the second computation of a plan's cost: what a wrong plan would get past."""

from __future__ import annotations

from mutants.mutant import one

COST = ("tests/plan/test_cost.py",)

MUTANTS = (
    one(
        "numbers of units are told beside anything else",
        "dpsql/plan/verify/cost.py",
        "(release.parts == (part,) and _are_counted(part, release, rows))",
        "_are_counted(part, release, rows)",
        COST,
    ),
    one(
        "numbers of units are told for those of some rows",
        "dpsql/plan/verify/cost.py",
        "k in kinds and where == TRUE and n == ",
        "k in kinds and n == ",
        COST,
    ),
    one(
        "numbers of units are told as any multiple",
        "dpsql/plan/verify/cost.py",
        " and n == ((0, Fraction(1)),) for",
        " for",
        COST,
    ),
    one(
        "a sum under a unit total may have widths or the noise of a cube",
        "dpsql/plan/verify/cost.py",
        "        _require(family.mechanism is not Mechanism.CUBE and not family.widths)\n",
        "",
        COST,
    ),
    one(
        "one total is enough for two multiples of its column",
        "dpsql/plan/verify/cost.py",
        "len(columns) == len(shares) and all(_is_enforced",
        "all(_is_enforced",
        COST,
    ),
    one(
        "a sum of distinct values may share its noise",
        "dpsql/plan/verify/cost.py",
        "    _require(all(t.sum is not Sum.DISTINCT_TOTAL for t in counted))\n",
        "",
        COST,
    ),
    one(
        "sums may have the noise of any mechanism",
        "dpsql/plan/verify/cost.py",
        "        _require(family.mechanism is Mechanism.DISCRETE_GAUSSIAN)\n",
        "",
        COST,
    ),
    one(
        "a least value may be aimed at outside of the data",
        "dpsql/plan/verify/cost.py",
        "return inside and target.epsilon > 0",
        "return target.epsilon > 0",
        COST,
    ),
    one(
        "more groups may be chosen than were asked for",
        "dpsql/plan/verify/cost.py",
        "1 <= part.count <= top.count and part.descending == top.descending",
        "part.descending == top.descending",
        COST,
    ),
    one(
        "the worst groups may be chosen where the best were asked for",
        "dpsql/plan/verify/cost.py",
        "1 <= part.count <= top.count and part.descending == top.descending",
        "1 <= part.count <= top.count",
        COST,
    ),
    one(
        "groups may be chosen by a law that is none of a choice",
        "dpsql/plan/verify/cost.py",
        "    _require(part.mechanism in (Mechanism.PERMUTE_AND_FLIP, Mechanism.EXPONENTIAL))\n",
        "",
        COST,
    ),
    one(
        "a score below 0 moves no choice",
        "dpsql/plan/verify/cost.py",
        "a * max(high, 0) - (rows - a) * min(low, 0) for a in (0, rows)",
        "a * max(high, 0) for a in (0, rows)",
        COST,
    ),
)
