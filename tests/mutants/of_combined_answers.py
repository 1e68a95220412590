"""Defects of answers that are fitted to what the analyst has received of the same rows."""

from __future__ import annotations

from mutants.mutant import one

PLAN = ("tests/plan/test_fitted_sums.py",)
ANSWERS = ("tests/answers/test_combined_answers.py",)
SUMS = "dpsql/plan/rollup/fitted_sums.py"
STAGE = "dpsql/stages/fitted_answers.py"

MUTANTS = (
    one(
        "an earlier draw weighed as if its groups were not added up",
        SUMS,
        "_variance(own) / (m.times * _variance(m.noise))",
        "_variance(own) / _variance(m.noise)",
        PLAN,
    ),
    one(
        "the noise of groups that are added up told as that of one",
        SUMS,
        "yield c.factor, c.times * times, noise",
        "yield c.factor, c.times, noise",
        PLAN,
    ),
    one(
        "rows that are in no group missing from one of two sums that are fitted",
        SUMS,
        "if added and not has_all_rows(",
        "if added and False and not has_all_rows(",
        PLAN,
    ),
    one(
        "a fit where rounding is felt",
        SUMS,
        "{c: f for c, f in by_content.items() if c not in twice and _variance(f[1]) >= least}",
        "{c: f for c, f in by_content.items() if c not in twice}",
        PLAN,
    ),
    one(
        "distinct persons fitted as if they added up",
        SUMS,
        "_ADDED = frozenset({Sum.ROWS,",
        "_ADDED = frozenset({Sum.UNITS, Sum.ROWS,",
        PLAN,
    ),
    one(
        "an answer fitted anew to what came after it",
        STAGE,
        "            fit = _fitted_before(release, charge, history, s)\n",
        "            fit = _fitted_anew(release, history, s)\n",
        ANSWERS,
    ),
    one(
        "a given answer that is its draw alone where the option is off",
        STAGE,
        "    return charge.key in fitted or (charge.key in missing and query.combine)\n",
        "    return query.combine\n",
        ANSWERS,
    ),
    one(
        "what a fitted answer implies read from its draw",
        "dpsql/stages/draw.py",
        "        source = source if fit is None else _fitted(fit, source, stored)\n",
        "",
        ANSWERS,
    ),
    one(
        "the sum of some fitted groups told by the law of all",
        "dpsql/plan/derivation.py",
        "derivation.copies, None if dropped else order",
        "derivation.copies, order",
        ANSWERS,
    ),
    one(
        "keys of draws in an analyst's history",
        "dpsql/sql/system_tables/dpsql_tables.py",
        "texts = [text.partition(FITTED_TO)[0] for text in payment.canonical]",
        "texts = list(payment.canonical)",
        ANSWERS,
    ),
    one(
        "noise of two releases taken for independent where one is fitted to the other",
        "dpsql/release/uncertainty/replay.py",
        "return not any(isinstance(f, Blended) for r in releases for f in r.families)",
        "return True",
        ANSWERS,
    ),
)
