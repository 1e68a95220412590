"""Why a release moves as far as it does, in plain words.

A family's `because` is part of stored keys, so that its text stays as it was once written; here it is said anew.
"""

from __future__ import annotations

import re

_PLAIN = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (
            r"each row spends exactly hi - lo over the cells",
            "a sum and its count share one noise: a row moves both together by the width of the column's bounds",
        ),
        (
            r"each row spends exactly \(hi - lo\)\*\*2 over the cells",
            "a sum, its squares and its count share one noise: a row moves all together by the square of the width of "
            "the column's bounds",
        ),
        (
            r"each row spends exactly \(hi - lo\)(?:\*\*2)? of y \(hi - lo\)(?:\*\*2)? of x over the cells",
            "the sums of two columns and of their products share one noise: a row moves all together by the same, "
            "whatever its values",
        ),
        (
            r"a row moves a centred sum by hi - lo",
            "values are counted from the middle of the column's bounds, so that a row moves the sum alike at both ends",
        ),
        (
            r"a row moves each of (\d+) cells by at most its width, all of them at once",
            r"\1 sums share one noise: a row moves each of them by the width of its column's bounds at most",
        ),
        (
            r"rows per unit times the largest \|x\|",
            "each row of a unit adds at most the largest value within the bounds, whatever its sign",
        ),
        (
            r"a unit's \|x\| add up to at most its unit_total, and a multiple of x to as many times that",
            "a unit's values, signs left out, add up to at most its total in the policy, and a multiple of them to as "
            "many times that",
        ),
        (
            r"a unit's \|x\| add up to at most its unit_total",
            "a unit's values, signs left out, add up to at most its total in the policy",
        ),
        (r"a unit owns at most so many rows", "each row of a unit counts for one at most"),
        (r"a unit has at most so many rows", "each row of a unit counts for one at most"),
        (
            r"a unit brings at most so many different values, each of them once to a group",
            "each row of a unit adds at most one value that nobody else has, once to a group",
        ),
        (
            r"(\d+) different values at most, in each of a unit's groups",
            r"there are \1 different values at most, and a unit can change which of them are in each of its groups",
        ),
        (
            r"there are (\d+) values, in each of a unit's groups",
            r"there are \1 different values, and a unit can change which of them are in each of its groups",
        ),
        (
            r"a unit is counted once in each of all groups",
            "a unit counts for one in each group, and may be in all",
        ),
        (
            r"a unit is counted once in each chosen group",
            "a unit counts for one in each group that is chosen",
        ),
        (
            r"a unit is counted in at most so many groups",
            "a unit counts for one in each of its groups, and the policy limits their number",
        ),
        (
            r"a unit touches at most so many groups",
            "a unit counts for one in each of its groups, and their number is limited",
        ),
        (r"a unit is counted once", "a unit counts for one"),
        (r"all rows of a unit are in one group", "a unit counts for one: all of its rows are in one group"),
        (
            r"each unit's contribution is scaled to a threshold that is found privately for this query",
            "what each unit adds is limited to a size that is found privately for this query",
        ),
        (
            r"no row counts in two of (\d+) conditions that exclude each other: ",
            r"\1 conditions share one noise, since no row meets two of them: ",
        ),
        (
            r"; without the rows that count elsewhere",
            "; the rows of narrower conditions are counted there alone",
        ),
        (r"; group (\d+) of (\d+) that are added up", r"; group \1 of \2 that are added up"),
    )
)


def plain_reason(because: str) -> str:
    """The reason of a family's sensitivity in words for an analyst, piece by piece where several make one."""
    said, at = [], 0
    while at < len(because):
        found = next(((m, plain) for law, plain in _PLAIN if (m := law.match(because, at))), None)
        if found is None:
            said.append(because[at])
            at += 1
        else:
            match, plain = found
            said.append(match.expand(plain))
            at = match.end()
    return "".join(said)
