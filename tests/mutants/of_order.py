"""Small defects of order statistics and modes."""

from __future__ import annotations

from mutants.mutant import one

MECHANISM = ("tests/mechanisms/test_order_statistic.py",)
PLANS = ("tests/plan/test_order.py",)
CELLS = ("tests/plan/test_bins.py",)
ANSWERS = ("tests/answers/test_cases.py", "-k", "order_statistics")

MUTANTS = (
    one(
        "the range of an order statistic without its factor 2",
        "dpsql/mechanisms/selection/order_statistic.py",
        "int(2 * rows * max(level, 1 - level)",
        "int(rows * max(level, 1 - level)",
        MECHANISM,
    ),
    one(
        "a quantile of a fine level fails over no values",
        "dpsql/mechanisms/selection/quantile.py",
        "if max(int(ranks[-1]), 1) * level.denominator >= LIMIT:",
        "if int(ranks[-1]) * level.denominator >= LIMIT:",
        ("tests/mechanisms/test_quantile.py",),
    ),
    one(
        "a choice at a fine epsilon fails where all scores are one",
        "dpsql/mechanisms/selection/exponential.py",
        "if max(int(gaps.max()), 1) * rate.numerator >= INT64_LIMIT",
        "if int(gaps.max()) * rate.numerator >= INT64_LIMIT",
        ("tests/mechanisms/test_selection.py",),
    ),
    one(
        "NULL falls by more than any cell with each value",
        "dpsql/mechanisms/selection/order_statistic.py",
        "absent = -max(level, 1 - level) * n * unit",
        "absent = -2 * max(level, 1 - level) * n * unit",
        MECHANISM,
    ),
    one(
        "the rank of MIN aimed at grows by two for each value",
        "dpsql/mechanisms/selection/order_statistic.py",
        "at_least=1) - 1, n)",
        "at_least=1) - 1, 3 * n)",
        MECHANISM,
    ),
    one(
        "the range of an order statistic for one row instead of a unit's",
        "dpsql/plan/choices/ranked_counts.py",
        "candidate_range(measure.level, p.rows) * p.context.factor",
        "candidate_range(measure.level, 1) * p.context.factor",
        ("tests/plan/test_cost.py",),
    ),
    one(
        "the range of a mode as if no unit were replaced",
        "dpsql/plan/choices/ranked_counts.py",
        "p.rows * p.context.factor",
        "p.rows",
        PLANS,
    ),
    one(
        "values beyond the bounds in cells of their own",
        "dpsql/engines/sqlgen/cell_starts.py",
        "return clipped(name, bins.grid)",
        "return name",
        CELLS,
    ),
    one(
        "MIN sorted among the quantiles, of which one takes its place",
        "dpsql/release/draw/rank_choice.py",
        "if cell != 0 and 0 < levels[i] < 1]",
        "if cell != 0]",
        ("tests/plan/test_rank_error.py",),
    ),
    one(
        "FILTER forgotten in a count of ranks",
        "dpsql/engines/sqlgen/engine_query.py",
        "return (Term(Sum.ROWS, part.where),)",
        "return (Term(Sum.ROWS),)",
        ANSWERS,
    ),
)
