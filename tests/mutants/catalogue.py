"""Small defects that would break the privacy claim or an answer, each with the tests that must notice it."""

from __future__ import annotations

from mutants import (
    of_accounts,
    of_disjoint_rows,
    of_levels,
    of_mechanisms,
    of_noise_paths,
    of_order,
    of_partitions,
    of_private_relations,
)
from mutants.mutant import Edit, Mutant, one

# What pytest is given: a test file, and the arguments that make it short.
SENSITIVITY = ("tests/fuzz/test_sensitivity.py", "--executions", "1200")
LONGER = ("tests/fuzz/test_sensitivity.py", "--executions", "2000")
EQUIVALENCE = ("tests/fuzz/test_equivalence.py", "--executions", "300")
LONGER_EQUIVALENCE = ("tests/fuzz/test_equivalence.py", "--executions", "1000")
NOISE = ("tests/fuzz/test_noise.py",)
LOCAL = ("tests/plan/test_local.py",)
LEDGER = ("tests/accounting/test_ledger.py",)

MUTANTS = (
    *of_accounts.MUTANTS,
    *of_disjoint_rows.MUTANTS,
    *of_levels.MUTANTS,
    *of_mechanisms.MUTANTS,
    *of_noise_paths.MUTANTS,
    *of_order.MUTANTS,
    *of_partitions.MUTANTS,
    *of_private_relations.MUTANTS,
    one(
        "sensitivity of a row instead of a unit",
        "dpsql/plan/bounds.py",
        "        return self.rows\n",
        "        return 1\n",
        SENSITIVITY,
    ),
    one(
        "rows thresholded as if they were units",
        "dpsql/plan/releases.py",
        "        return limits.rows == 1 and limits.counted_bounding == limits.bounding\n",
        "        return True\n",
        ("tests/plan/test_thresholded.py",),
    ),
    one(
        "row cap missing",
        "dpsql/plan/bounds.py",
        "Bounding(table_cap=capped, rows=cap if inject else None)",
        "Bounding(table_cap=capped)",
        SENSITIVITY,
    ),
    one(
        "row cap one too high",
        "dpsql/rewrite/single.py",
        'return f"{_NUMBER} <= {cap}" + (',
        'return f"{_NUMBER} <= {cap + 1}" + (',
        SENSITIVITY,
    ),
    one(
        "row cap one too high where a join multiplies rows beyond it",
        "dpsql/rewrite/single.py",
        'self._numbered(self._plain(self.table.every), f"{_NUMBER} <= {cap}"), None',
        'self._numbered(self._plain(self.table.every), f"{_NUMBER} <= {cap + 1}"), None',
        LONGER,
    ),
    one(
        "units just above the cap not listed",
        "dpsql/rewrite/bounding.py",
        "HAVING count(*) > {limit}",
        "HAVING count(*) > {limit} + 1",
        SENSITIVITY,
    ),
    one(
        "unit total enforced at twice the limit",
        "dpsql/rewrite/bounding.py",
        "HAVING sum({size}) > {total.limit}",
        "HAVING sum({size}) > 2 * {total.limit}",
        LONGER,
    ),
    one(
        "order-dependent choice of rows",
        "dpsql/rewrite/bounding.py",
        "return f\"hash('{salt}', {', '.join(columns)}), {', '.join(columns)}\"",
        "return f\"hash('{salt}', {columns[0]})\"",
        SENSITIVITY,
    ),
    one(
        "products of two columns weigh as if one of them were linear",
        "dpsql/plan/families.py",
        "weight = y.width**p * x.width**q",
        "weight = y.width**p * x.width",
        ("tests/plan/test_joint.py",),
    ),
    one(
        "a pair with a NULL counts as a pair",
        "dpsql/plan/clusters.py",
        "if facts.of(v).nullable)",
        "if facts.of(v).nullable and v is measure.arg)",
        ("tests/answers/test_cases.py", "-k", "REGR"),
    ),
    one(
        "a cube of cells that are all as wide as a count",
        "dpsql/plan/families.py",
        "widths = tuple(o.family.sensitivity // rows for o in options)",
        "widths = (1,) * len(options)",
        ("tests/plan/test_noise_laws.py",),
    ),
    one(
        "a cube for one row of a unit",
        "dpsql/plan/families.py",
        "return Family(terms, tuple(cells), rows, _UNSET, because, Mechanism.CUBE, widths)",
        "return Family(terms, tuple(cells), 1, _UNSET, because, Mechanism.CUBE, widths)",
        ("tests/plan/test_noise_laws.py",),
    ),
    one(
        "each Gaussian family has all of rho",
        "dpsql/plan/choose.py",
        "variance=family.sensitivity**2 * scale / share,",
        "variance=family.sensitivity**2 * scale,",
        ("tests/plan/test_noise_laws.py",),
    ),
    one(
        "Gaussian noise that is not charged a delta",
        "dpsql/plan/choose.py",
        "            delta=self.laws.delta,\n",
        "",
        ("tests/plan/test_noise_laws.py",),
    ),
    one(
        "the noise of a cube without its widths",
        "dpsql/noise.py",
        "widths=family.widths",
        "widths=(1,) * len(family.widths)",
        ("tests/plan/test_noise_laws.py",),
    ),
    Mutant(
        "clip before the expression",
        (
            Edit(
                "dpsql/rewrite/aggregate.py",
                "return clipped(self.inputs.name(grid_sql(grid, self.base, self.side.reference)), grid)",
                "return self.inputs.name(grid_sql(grid, self.base, self.side.reference))",
            ),
            Edit(
                "dpsql/functions/numeric.py",
                "return Interval(x.lo + y.lo, x.hi + y.hi)",
                "return x",
            ),
        ),
        SENSITIVITY,
    ),
    one(
        "columns not clamped at the scan",
        "dpsql/scan.py",
        'return f"CASE WHEN {raw} > {hi} THEN {hi} WHEN {raw} < {lo} THEN {lo} ELSE {kept} END"',
        "return kept",
        SENSITIVITY,
    ),
    one(
        "a clamp with LEAST and GREATEST that swallows NULL",
        "dpsql/rewrite/grid.py",
        'f"CASE WHEN {name} < {grid.lo} THEN {grid.lo} WHEN {name} > {grid.hi} THEN {grid.hi} ELSE {name} END"',
        'f"GREATEST(LEAST({name}, {grid.hi}), {grid.lo})"',
        SENSITIVITY,
    ),
    one(
        "unguarded //",
        "dpsql/functions/numeric.py",
        'right = once(right, lambda v: f"(CASE WHEN {v} <> 0 THEN {v} END)")',
        "pass",
        LONGER,
    ),
    one(
        "fan-out of a join forgotten",
        "dpsql/algebra/shape.py",
        "fan_out = None if matched is None or side.fan_out is None else side.fan_out * matched",
        "fan_out = side.fan_out",
        SENSITIVITY,
    ),
    one(
        "a replaced unit counted as one that came or went",
        "dpsql/privacy.py",
        "return 1 if self is Neighbours.ADD_REMOVE else 2",
        "return 1",
        SENSITIVITY,
    ),
    one(
        "rows in place of units in partition selection",
        "dpsql/rewrite/query.py",
        "    return (Term(Sum.UNITS),)",
        "    return (Term(Sum.ROWS),)",
        SENSITIVITY,
    ),
    Mutant(
        "D_R halved",
        (
            Edit(
                "dpsql/plan/selection.py",
                "scored.score_range * factor",
                "max(scored.score_range * factor // 2, 1)",
            ),
            Edit(
                "dpsql/plan/cost.py",
                "part.score_range >= factor *",
                "2 * part.score_range + 1 >= factor *",
            ),
        ),
        SENSITIVITY,
    ),
    one(
        "every choice of several with the whole epsilon",
        "dpsql/perform.py",
        "epsilon=part.each, score_range",
        "epsilon=part.epsilon, score_range",
        ("tests/plan/test_perform.py",),
    ),
    Mutant(
        "a unit counted in one of the chosen groups only",
        (
            Edit("dpsql/plan/assignments.py", "fam.direct(term, top.count,", "fam.direct(term, 1,"),
            Edit("dpsql/plan/cost.py", "return min(_limits(chosen, rows, groups))", "return 1"),
        ),
        ("tests/plan/test_releases.py",),
    ),
    Mutant(
        "family weight wrong: a NULL spends twice the weight",
        (
            Edit("dpsql/plan/families.py", "(0, -w, w))", "(0, -2 * w, 2 * w))"),
            Edit("dpsql/plan/cost.py", "    yield None\n", ""),
        ),
        SENSITIVITY,
    ),
    one(
        "family weight wrong: the middle cell of a triple",
        "dpsql/plan/families.py",
        "(-2, 2 * w, 0)",
        "(-1, w, 0)",
        EQUIVALENCE,
    ),
    one(
        "float sum",
        "dpsql/rewrite/aggregate.py",
        'return f"coalesce(sum({self._summand(term)}){only}, 0)"',
        'return f"coalesce(sum(CAST({self._summand(term)} AS DOUBLE)){only}, 0)"',
        EQUIVALENCE,
    ),
    one(
        "FILTER dropped",
        "dpsql/rewrite/aggregate.py",
        'return f"count({word}{value}){only}"',
        'return f"count({word}{value})"',
        EQUIVALENCE,
    ),
    one(
        "DISTINCT dropped",
        "dpsql/rewrite/aggregate.py",
        'word = "DISTINCT " if term.sum is Sum.DISTINCT else ""',
        'word = ""',
        EQUIVALENCE,
    ),
    one(
        "sample variance without its correction",
        "dpsql/estimate.py",
        "corrected = population * size / (size - 1) if sample else population",
        "corrected = population",
        EQUIVALENCE,
    ),
    one(
        "stored answers found by their keys and mechanisms, not by the rows they are about",
        "dpsql/charges.py",
        "text = canonical((release.question, release.parts))",
        "text = canonical((release.keys.exprs, release.parts))",
        LONGER_EQUIVALENCE,
    ),
    one(
        "exact count in AVG",
        "dpsql/noise.py",
        "    return cast(Integers, np.asarray(noisy).reshape(cells.shape))",
        "    return cast(Integers, np.hstack([np.asarray(noisy).reshape(cells.shape)[:, :1], cells[:, 1:]]))",
        NOISE,
    ),
    one(
        "full epsilon for each of several families",
        "dpsql/noise.py",
        "discrete_laplace(flat, sensitivity=family.sensitivity * width, epsilon=family.epsilon)",
        "discrete_laplace(flat, sensitivity=family.sensitivity * width, epsilon=2 * family.epsilon)",
        NOISE,
    ),
    one(
        "charge halved",
        "dpsql/accounting/basic.py",
        "EPSILON: rounded_up(cost.epsilon, EPSILON_UNITS)",
        "EPSILON: rounded_up(cost.epsilon / 2, EPSILON_UNITS)",
        LEDGER,
    ),
    one(
        "a refund: only the first entry counts",
        "dpsql/accounting/spent.py",
        "ORDER BY entry DESC LIMIT 1",
        "ORDER BY entry ASC LIMIT 1",
        LEDGER,
    ),
    one(
        "the dataset pays for nothing",
        "dpsql/accounting/books.py",
        "in (self.drawn if account.name == DATASET else dues)",
        "in (() if account.name == DATASET else dues)",
        LEDGER,
    ),
    one(
        "responses in the order of the values",
        "dpsql/local_rows.py",
        "cells[sampler.random_order(rows)]",
        "cells",
        LOCAL,
    ),
    one(
        "rows one by one where their number is private",
        "dpsql/plan/local.py",
        "if policy.privacy.neighbours is not Neighbours.SUBSTITUTE:",
        "if False:",
        LOCAL,
    ),
    one(
        "rows one by one where a unit may have several",
        "dpsql/plan/local.py",
        "if not (table.one_row_per_unit or table.row_is_unit):",
        "if False:",
        LOCAL,
    ),
    one(
        "rows of values that are not listed left out",
        "dpsql/local_rows.py",
        "return np.repeat(places, counts)",
        "return np.repeat(places, counts * [key[index] in place for key in exact.keys])",
        LOCAL,
    ),
    one(
        "every response at the epsilon of the query",
        "dpsql/local_rows.py",
        "column.epsilon\n    if column.mechanism is Mechanism.RAPPOR:\n        bits",
        "2 * column.epsilon\n    if column.mechanism is Mechanism.RAPPOR:\n        bits",
        LOCAL,
    ),
)
