"""All measures of one release: sums in families, choices one by one, and how epsilon is split between the two.

Every choice gets the share of one measure; what is left goes to the sums, which divide it among their families.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.question import ORDERED
from dpsql.plan.analyzed_question import AnalyzedQuestion
from dpsql.plan.choices.order_statistics import ordered
from dpsql.plan.sums.clipping import clipped
from dpsql.plan.sums.family_choice import choose
from dpsql.plan.sums.noise_laws import Laws
from dpsql.plan.types import Estimator, Part, ScaledSums, Sums


def measured(
    p: AnalyzedQuestion, epsilon: Fraction, laws: Laws
) -> tuple[tuple[Part, ...], tuple[Estimator, ...]]:
    """The parts and estimators that answer every measure of a question for `epsilon` in all, with noise that `laws`
    allow. Raises QueryRefused."""
    measures = p.question.measures
    chosen = [i for i, m in enumerate(measures) if m.aggregate in ORDERED]
    summed = [i for i in range(len(measures)) if i not in set(chosen)]
    share = epsilon / len(measures)
    sums: tuple[Part, ...] = ()
    found: dict[int, Estimator] = {}
    if summed:
        question = replace(p.question, measures=tuple(measures[i] for i in summed))
        of_sums, left = replace(p, question=question), epsilon - share * len(chosen)
        sums, estimators = clipped(of_sums, left, laws) or choose(of_sums, left, laws)
        found = dict(zip(summed, estimators, strict=True))
    cells = sum(len(f.cells) for part in sums if isinstance(part, Sums | ScaledSums) for f in part.families)
    choices, more = ordered(p, dict.fromkeys(chosen, share), cells)
    found |= more
    return (*sums, *choices), tuple(found[i] for i in range(len(measures)))
