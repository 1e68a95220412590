"""Small defects of releases at several levels: their shares of the budget, their sums, their noise."""

from __future__ import annotations

from mutants.mutant import one

LEVELS = ("tests/plan/test_grouping_set_sums.py",)

MUTANTS = (
    one(
        "every level released with all of epsilon",
        "dpsql/plan/rollup/grouping_set_sums.py",
        "return replace(family, epsilon=family.epsilon * share)",
        "return replace(family, epsilon=family.epsilon)",
        LEVELS,
    ),
    one(
        "every Gaussian level released with the noise of one",
        "dpsql/plan/rollup/grouping_set_sums.py",
        "return replace(family, variance=family.variance / share)",
        "return replace(family, variance=family.variance)",
        LEVELS,
    ),
    one(
        "one of several levels charged",
        "dpsql/plan/rollup/grouping_set_sums.py",
        "for _, families in self.released for f in families)",
        "for _, families in self.released[:1] for f in families)",
        LEVELS,
    ),
    one(
        "a level with the noise of all of the budget",
        "dpsql/release/draw/reconcile.py",
        "noised(families[family], ",
        "noised(part.families[family], ",
        LEVELS,
    ),
    one(
        "the groups of a level counted twice",
        "dpsql/release/draw/reconcile.py",
        "table.sum(axis=others, keepdims=True) if others",
        "2 * table.sum(axis=others, keepdims=True) if others",
        LEVELS,
    ),
    one(
        "levels of which no key is told not noticed",
        "dpsql/plan/verify/cost.py",
        "_require(sorted(places) == list(range(len(release.keys.exprs))))",
        "_require(len(places) <= len(release.keys.exprs))",
        LEVELS,
    ),
)
