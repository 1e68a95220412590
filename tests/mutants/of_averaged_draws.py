"""Defects of answers that are the mean of several draws, and of what the last of these costs."""

from __future__ import annotations

from mutants.mutant import one

ANSWERS = ("tests/answers/test_averaged_draws.py",)
DRAWS = "dpsql/plan/independent_draws.py"
REUSE = "dpsql/stages/reuse.py"

MUTANTS = (
    one(
        "draws of several epsilons averaged with equal weights",
        "dpsql/release/prepared_query.py",
        "squares = [c.cost.epsilon**2 for c in (*self.received, last)]",
        "squares = [c.cost.epsilon**0 for c in (*self.received, last)]",
        ANSWERS,
    ),
    one(
        "a new draw at the difference of the epsilons, not of their squares",
        DRAWS,
        "    missing = (epsilon * epsilon - before) * _UNIT**2",
        "    missing = (epsilon - Fraction(math.isqrt(int(before * _UNIT**2)), _UNIT)) ** 2 * _UNIT**2",
        ANSWERS,
    ),
    one(
        "what is left to draw rounded down",
        DRAWS,
        "math.isqrt(math.ceil(missing) - 1) + 1",
        "math.isqrt(math.ceil(missing) - 1)",
        ANSWERS,
    ),
    one(
        "a draw beside another one under the key of a draw of its own",
        REUSE,
        "return replace(charge, key=digest(BESIDE, charge.key, before.key))",
        "return replace(charge, key=charge.key)",
        ANSWERS,
    ),
    one(
        "a mean of draws that is told as a draw at what was asked, though it is surer",
        REUSE,
        "        at = as_sure_as(enough.precision)\n",
        "        at = epsilon\n",
        ANSWERS,
    ),
    one(
        "the latest mean shown instead of the first that is sure enough",
        REUSE,
        "enough = next((d for d in draws if d.precision >= epsilon * epsilon), None)",
        "enough = next((d for d in reversed(draws) if d.precision >= epsilon * epsilon), None)",
        ANSWERS,
    ),
    one(
        "only what is new shown, and not the mean",
        "dpsql/stages/draw.py",
        "return last if mean is None else _averaged(mean, charge, last, stored)",
        "return last",
        ANSWERS,
    ),
)
