"""Small defects of what is told about the error of columns made of several released rows."""

from __future__ import annotations

from mutants.mutant import one

SURENESS = ("tests/answers/test_several_rows.py",)

MUTANTS = (
    one(
        "a product of two noisy numbers taken for a weighted sum",
        "dpsql/sql/public/noise_dependence.py",
        "return max(one, other) if Depends.EXACT in (one, other) else max(one, other, Depends.NOISY)",
        "return max(one, other)",
        SURENESS,
    ),
    one(
        "rows that noise chooses taken for certain",
        "dpsql/sql/public/noise_dependence.py",
        "return inside if scope.certain else max(inside, Depends.NOISY)",
        "return inside",
        SURENESS,
    ),
    one(
        "a window in a noisy order taken for a weighted sum",
        "dpsql/sql/public/noise_dependence.py",
        "return inside if sure and not around else max(inside, around, Depends.NOISY)",
        "return max(inside, around)",
        SURENESS,
    ),
    one(
        "what comes first of rows that noise sorts taken for certain",
        "dpsql/sql/public/noise_dependence.py",
        "if is_aggregate(node) and (scope.sorted_by_noise or not scope.certain):",
        "if is_aggregate(node) and not scope.certain:",
        SURENESS,
    ),
    one(
        "fresh noise that is the same in every draw",
        "dpsql/release/uncertainty/replay.py",
        "noise = noise_of(release, rows, sampler).reshape(draws, *noisy.cells.shape)",
        "noise = noise_of(release, len(noisy.keys), sampler).reshape(1, *noisy.cells.shape).repeat(draws, 0)",
        SURENESS,
    ),
    one(
        "the outermost draws of all taken for those of the middle 95 %",
        "dpsql/release/uncertainty/intervals.py",
        "return ordered[..., low], ordered[..., high]",
        "return ordered.min(axis=-1), ordered.max(axis=-1)",
        ("tests/answers/test_sureness.py",),
    ),
    one(
        "the noise of one group for all",
        "dpsql/release/uncertainty/replay.py",
        "of_group.setdefault((r, g), [])",
        "of_group.setdefault((r, 0), [])",
        SURENESS,
    ),
    one(
        "the least epsilon is looked for upwards alone",
        "dpsql/release/uncertainty/expected_error.py",
        "found, high, epsilon = plan, tried, tried * min(ratio, 1 / _MORE)",
        "return Cost(tried, most.delta), plan",
        ("tests/answers/test_sureness.py",),
    ),
    one(
        "a wanted error that sums of several released rows may exceed",
        "dpsql/stages/planning.py",
        "return largest_error(plan, cut.trace, replay_on(cut, plan.releases, s))",
        "return largest_error(plan, cut.trace, None)",
        ("tests/answers/test_sureness.py",),
    ),
    one(
        "an average of different values beyond their range",
        "dpsql/sql/aggregation/distinct_averages.py",
        "written = _WITHIN",
        "written = _QUOTIENT",
        ("tests/plan/test_distinct_sums.py",),
    ),
    one(
        "an average of fewer than no different values",
        "dpsql/sql/aggregation/distinct_averages.py",
        "CASE WHEN COUNT(DISTINCT x) >= 1 THEN",
        "CASE WHEN COUNT(DISTINCT x) <> 0 THEN",
        ("tests/plan/test_distinct_sums.py",),
    ),
    one(
        "halves rounded upwards",
        "dpsql/release/draw/noise.py",
        "return whole + (2 * rest + whole % 2 > denominator)",
        "return whole + (2 * rest >= denominator)",
        ("tests/plan/test_perform.py",),
    ),
)
