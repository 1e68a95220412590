"""Defects of the second computation of a plan's cost: what a wrong plan would get past."""

from __future__ import annotations

from mutants.mutant import one

NUMBERED = ("tests/plan/test_windows_by_running.py", "-k", "number or null")
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
        "what is taken off reaches nothing of a total",
        "dpsql/plan/verify/cost.py",
        "(abs(n) * g.reach[at].share",
        "(n * g.reach[at].share",
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
    one(
        "what is NULL or false is said not to be true, and what is true to be so",
        "dpsql/plan/verify/numbered_rows.py",
        "        return lambda at: False if inside(at) is False else None\n",
        "        return inside\n",
        NUMBERED,
    ),
    one(
        "NOT of what is not known is true",
        "dpsql/plan/verify/numbered_rows.py",
        "None if (found := inside(at)) is None else not found",
        "not inside(at)",
        NUMBERED,
    ),
    one(
        "a list of what is not known decides",
        "dpsql/plan/verify/numbered_rows.py",
        "others = None if len(ranges) < len(known) or any(r.width for r in ranges) else False",
        "others = False",
        NUMBERED,
    ),
    one(
        "a constant of a list that is somewhere in a range is its least value",
        "dpsql/plan/verify/numbered_rows.py",
        "if r.width == 0)",
        "if True)",
        NUMBERED,
    ),
    one(
        "what is compared with a range is compared with its least value",
        "dpsql/plan/verify/numbered_rows.py",
        "return None if low < at < high or holds is not compare(at, high) else holds",
        "return holds",
        NUMBERED,
    ),
    one(
        "a constant before a number is compared as if it stood behind it",
        "dpsql/plan/verify/numbered_rows.py",
        "return _compared(lambda a, b: compare(b, a), expr.args[0])",
        "return _compared(compare, expr.args[0])",
        NUMBERED,
    ),
    one(
        "AND and OR of what is not known are known",
        "dpsql/plan/verify/numbered_rows.py",
        "return stops if stops in parts else None if None in parts else not stops",
        "return stops if stops in parts else not stops",
        NUMBERED,
    ),
    one(
        "another column that is widened is the number",
        "dpsql/plan/verify/numbered_rows.py",
        "        return expr.args[0] == number\n    return",
        "        return True\n    return",
        NUMBERED,
    ),
    one(
        "the last of a unit's numbers is not tried",
        "dpsql/plan/verify/numbered_rows.py",
        "if most is None or n <= most)",
        "if most is None or n < most)",
        NUMBERED,
    ),
    one(
        "no large number is tried",
        "dpsql/plan/verify/numbered_rows.py",
        "large = tuple(2**i for i in range(rows.bit_length() + 10, 62))",
        "large = ()",
        NUMBERED,
    ),
    one(
        "as many numbers are tried as there may be rows",
        "dpsql/plan/verify/numbered_rows.py",
        "_TRIED = 1_000",
        "_TRIED = 1",
        NUMBERED,
    ),
)
