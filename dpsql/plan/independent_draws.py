"""Several independent draws of one release: their mean is as sure as one draw that costs what they cost together.

*Requires*: an accountant that adds up rho or Renyi divergences, and a release whose every cell gets discrete Gaussian
noise of parameter sigma**2 = c / epsilon**2, over public groups.

*Guarantees*: the draws at epsilon_1, ..., epsilon_k cost rho = (epsilon_1**2 + ... + epsilon_k**2) / 2 together, also
where later epsilons depend on earlier answers. Their mean, weighted by epsilon_i**2, has the variance c / (epsilon_1**2
+ ... + epsilon_k**2), that of one draw at the root of this sum, and is rounded by a half at most.

*Because*: the draws are independent and each is charged by itself (Bun and Steinke 2016, lemma 2.3; Mironov 2017,
proposition 1); the mean is computed from them alone. The weights are inverse variances, under which variances of
independent estimates of one number add up as their inverses. A discrete Gaussian's variance is at most its
parameter (Canonne, Kamath and Steinke 2020, corollary 9).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dpsql.plan.types import Family, Release, Sums
from dpsql.policy.model import AccountantName
from dpsql.privacy import Mechanism

# A mean is rounded to a whole number; where the noise of a cell is less than this, that would be felt.
LEAST_VARIANCE = 16
# What is averaged is computed in Python's integers, a fraction of a microsecond a cell.
MOST_CELLS = 100_000
# Epsilons are whole multiples of one millionth.
_UNIT = 1_000_000
_ADDING = frozenset({AccountantName.ZCDP, AccountantName.RDP})


def adds_variances(accountant: AccountantName) -> bool:
    """Whether the accountant adds up what Gaussian draws cost."""
    return accountant in _ADDING


def can_be_averaged(release: Release) -> bool:
    """Whether means of draws of this release are what one draw would be, but for rounding."""
    families, domain = release.families, release.keys.domain
    if domain is None or not families or not all(type(p) is Sums for p in release.parts):
        return False
    if any(f.mechanism is not Mechanism.DISCRETE_GAUSSIAN or type(f) is not Family for f in families):
        return False
    variances = [f.variance * f.width(i) ** 2 for f in families if f.variance for i in range(len(f.cells))]
    few = len(domain) * sum(len(f.cells) for f in families) <= MOST_CELLS
    return few and min(variances) >= LEAST_VARIANCE


def draw_the_same(release: Release, epsilon: Fraction, other: Release, at: Fraction) -> bool:
    """Whether two releases, drawn at these epsilons, have the same cells with noise of variance c / epsilon**2."""
    return (
        release.question == other.question
        and release.keys == other.keys
        and _at_one(release, epsilon) == _at_one(other, at)
    )


def _at_one(release: Release, epsilon: Fraction) -> list[object]:
    """The parts with the noise that they have at epsilon 1."""
    return [
        replace(part, families=tuple(_family_at_one(f, epsilon) for f in part.families))
        if isinstance(part, Sums)
        else part
        for part in release.parts
    ]


def _family_at_one(family: Family, epsilon: Fraction) -> Family:
    variance = family.variance and family.variance * epsilon**2
    return replace(family, epsilon=family.epsilon / epsilon, variance=variance)


def precision(epsilons: Sequence[Fraction]) -> Fraction:
    """The square of the epsilon of one draw that is as sure as the mean of these."""
    return sum((e * e for e in epsilons), Fraction(0))


def left_to_draw(epsilon: Fraction, before: Fraction) -> Fraction:
    """The epsilon of a draw that, with draws of the precision `before`, is at least as sure as one at `epsilon`."""
    missing = (epsilon * epsilon - before) * _UNIT**2
    return min(epsilon, Fraction(math.isqrt(math.ceil(missing) - 1) + 1, _UNIT))


def as_sure_as(found: Fraction) -> Fraction:
    """An epsilon at which one draw is no surer than draws of that precision together."""
    return Fraction(math.isqrt(math.floor(found * _UNIT**2)), _UNIT)
