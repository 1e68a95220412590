"""Small defects of how many groups and values a unit can touch."""

from __future__ import annotations

from mutants.mutant import one

GROUPS = ("tests/plan/test_groups_of_a_unit.py",)
DISTINCT_SUMS = ("tests/plan/test_distinct_sums.py",)
LITERALS = ("tests/system/test_unlisted_literals.py",)
LIMITS = ("tests/system/test_own_limits.py",)

THRESHOLDED = ("tests/plan/test_thresholded.py",)
WEIGHTS = ("tests/plan/test_selection_by_weights.py",)

MUTANTS = (
    one(
        "an outer join under one more condition taken to match all rows of a unit or none",
        "dpsql/algebra/alike_rows.py",
        "or len(join.on) != 1 or",
        "or",
        GROUPS,
    ),
    one(
        "a check that believes in an outer join under one more condition",
        "dpsql/plan/verify/cost_groups.py",
        "len(pairs) != len(join.on) or len(pairs) != 1",
        "not pairs",
        GROUPS,
    ),
    one(
        "columns that an outer join may leave empty taken for those of every row",
        "dpsql/algebra/alike_rows.py",
        "            return left | _whole(relation.right, catalog) if _by_unit_alone(relation, catalog) else left\n",
        "            return left | _whole(relation.right, catalog)\n",
        GROUPS,
    ),
    one(
        "the NULL of unlisted values is no row of what is grouped unit by unit",
        "dpsql/algebra/alike_rows.py",
        "            most *= values + 1\n",
        "            most *= values\n",
        GROUPS,
    ),
    one(
        "a public table matched by one of several rows taken for the same in all rows of a unit",
        "dpsql/algebra/alike_rows.py",
        "tuple(sorted(fixed))) <= 1",
        "tuple(sorted(fixed))) <= 2",
        GROUPS,
    ),
    one(
        "distinct values of a list divided among conditions as rows are",
        "dpsql/plan/sums/disjoint_rows.py",
        "if o.by_rows and not _of_units(o) else None",
        "if not _of_units(o) else None",
        GROUPS,
    ),
    one(
        "distinct values of a list counted in one group, though a unit is in several",
        "dpsql/plan/sums/assignments.py",
        "        most = values * (groups if shown is None else min(groups, shown))\n",
        "        most = values\n",
        GROUPS,
    ),
    one(
        "a sum of different values moved by one row alone",
        "dpsql/plan/sums/distinct_sums.py",
        "    bounds = [rows * values.most(1), ",
        "    bounds = [values.most(1), ",
        DISTINCT_SUMS,
    ),
    one(
        "a sum of different values moved in one of a unit's groups",
        "dpsql/plan/sums/distinct_sums.py",
        "groups * values.most(rows)",
        "values.most(rows)",
        DISTINCT_SUMS,
    ),
    one(
        "a sum of different values that no value below 0 moves",
        "dpsql/plan/sums/distinct_sums.py",
        "return _first(-self.grid.lo, count), _first(self.grid.hi, count)",
        "return 0, _first(self.grid.hi, count)",
        DISTINCT_SUMS,
    ),
    one(
        "a check that takes a sum of different values for a number of them",
        "dpsql/plan/verify/cost_groups.py",
        "[rows * max(_sum_ends(term.grid, listed, 1))]",
        "[rows]",
        DISTINCT_SUMS,
    ),
    one(
        "a sum of all values in place of the different ones",
        "dpsql/engines/sqlgen/aggregate.py",
        'word = "DISTINCT " if term.sum is Sum.DISTINCT_TOTAL else ""',
        'word = ""',
        DISTINCT_SUMS,
    ),
    one(
        "a replaced unit taken to move a group by as much as one that comes or goes moves all",
        "dpsql/plan/sums/families.py",
        "        most = self.family.sensitivity * factor\n",
        "        most = self.family.sensitivity\n",
        GROUPS,
    ),
    one(
        "a query's own limit may be above the policy's",
        "dpsql/stages/arguments/own_limits.py",
        "    if wanted > most:\n",
        "    if wanted < 0:\n",
        LIMITS,
    ),
    one(
        "what was received under the policy's limits answers a question with limits of its own",
        "dpsql/stages/planning.py",
        "() if options.limits != NO_LIMITS else beginnings(r)",
        "beginnings(r)",
        LIMITS,
    ),
    one(
        "every limit that a query names leaves a list of units in memory",
        "dpsql/engines/private_engine.py",
        "max(_MOST_LISTS, len(lists))",
        "10**6",
        LIMITS,
    ),
    one(
        "a constant that is on no list is found behind no subquery",
        "dpsql/stages/unlisted_literals.py",
        "        while isinstance(inner, Column) and inner in self.behind:\n",
        "        while inner in ():\n",
        LITERALS,
    ),
    one(
        "a misspelled constant is told after it is paid for",
        "dpsql/stages/prepare.py",
        "    if options.checks_literals:\n        check_literals(",
        "    if not options.checks_literals:\n        check_literals(",
        LITERALS,
    ),
    one(
        "weights that count groups without rows",
        "dpsql/engines/sqlgen/key_weights.py",
        "FROM ({grouped}) WHERE g0 > 0",
        "FROM ({grouped})",
        WEIGHTS,
    ),
    one(
        "weights of a double instead of an integer",
        "dpsql/engines/sqlgen/key_weights.py",
        "CAST(floor(sqrt(x)) AS BIGINT) AS r",
        "CAST(ceil(sqrt(x)) AS BIGINT) + 2 AS r",
        WEIGHTS,
    ),
    one(
        "weights kept of rows that each draw chooses anew",
        "dpsql/engines/sqlgen/engine_query.py",
        "    if not grouped.parameters and not grouped.tables:\n        kept = weights_of_groups",
        "    if True:\n        kept = weights_of_groups",
        WEIGHTS,
    ),
    one(
        "kept weights taken for those of other rows",
        "dpsql/engines/sqlgen/bounding.py",
        "    name = _named(sql, *sizes)\n",
        "    name = _named(sql[:60], *sizes)\n",
        WEIGHTS,
    ),
    one(
        "a check that takes rho for what it is said to be",
        "dpsql/plan/verify/cost_presence.py",
        "zcdp_delta(weights.rho, part.epsilon) <= spent",
        "weights.rho > 0",
        WEIGHTS,
    ),
    one(
        "a check that forgets which neighbours there are",
        "dpsql/plan/verify/cost_presence.py",
        "if weights.neighbours is not neighbours or part.counted",
        "if part.counted",
        WEIGHTS,
    ),
    one(
        "the whole delta for the noise and for the threshold",
        "dpsql/plan/keys/selection_by_weights.py",
        "return (delta / 2 / unit).__floor__() * unit",
        "return delta",
        WEIGHTS,
    ),
    one(
        "noise for the groups of a unit where its rows are counted",
        "dpsql/mechanisms/partition/thresholding.py",
        "moved = groups_per_unit if rows_per_unit is None else rows_per_unit",
        "moved = groups_per_unit",
        ("tests/audit/test_statistical_audit.py", "tests/mechanisms/test_thresholding.py"),
    ),
    one(
        "a threshold for rows that are all apart",
        "dpsql/mechanisms/partition/thresholding.py",
        "max(together, _spread_point(rate, level, rows, spread))",
        "_spread_point(rate, level, rows, spread)",
        ("tests/mechanisms/test_thresholding.py",),
    ),
    one(
        "a threshold for rows that are all together",
        "dpsql/mechanisms/partition/thresholding.py",
        "return together if spread == 1 else max(together, _spread_point(rate, level, rows, spread))",
        "return together",
        ("tests/mechanisms/test_thresholding.py",),
    ),
    one(
        "rows of a unit that is replaced are counted once",
        "dpsql/plan/releases.py",
        "rows=limits.rows * factor)",
        "rows=limits.rows)",
        THRESHOLDED,
    ),
    one(
        "a check that forgets the rows of a unit",
        "dpsql/plan/verify/cost_presence.py",
        "not part.counted or rows is None or part.rows < times * rows",
        "not part.counted or rows is None",
        THRESHOLDED,
    ),
    one(
        "a check that takes rows for units",
        "dpsql/plan/verify/cost.py",
        "kinds = units if part.rows is None else {Aggregate.COUNT_ROWS}",
        "kinds = units | {Aggregate.COUNT_ROWS}",
        THRESHOLDED,
    ),
    one(
        "rows are counted where limits are fixed",
        "dpsql/plan/releases.py",
        "    if fixed or not of_rows",
        "    if not of_rows",
        THRESHOLDED,
    ),
    one(
        "an aggregate for each row is released for the rows of one branch of an OR",
        "dpsql/sql/subqueries/nested_queries.py",
        "not isinstance(where.this, exp.And) or",
        "not isinstance(where.this, exp.And | exp.Or) or",
        ("tests/plan/test_groups_asked_for.py",),
    ),
    one(
        "conditions on other rows are taken for conditions on the table of the groups",
        "dpsql/sql/subqueries/correlated.py",
        "if reads(c) == {scan.index}",
        "if reads(c)",
        ("tests/plan/test_groups_asked_for.py",),
    ),
)
