"""Which releases are drawn on one path of noise, so that a finer answer costs the difference to a coarser one.

*Requires*, of a policy: its accountant adds up epsilons. Given the coarser draw, the loss of the finer one alone may be
as large as the sum of both epsilons, so that under `zcdp` and `rdp` it would cost more than a new draw; and no budget
has a window: what a window charges would be the difference, while what is learned in it may be that sum. Of a release:
every cell gets discrete Laplace noise, over public groups.

*Guarantees*: two releases on one path have the same exact cells in every database, with noise of the same law but for
the epsilons of their families (`mechanisms.noise_path`). Another version of dpsql may have mended what a text's cells
are, and noise drawn beside that of the cells before would tell them apart: its draws are on paths of its own.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

from dpsql.algebra.canonical import canonical_tuple
from dpsql.algebra.system_tables import VERSION
from dpsql.plan.forms import canonical
from dpsql.plan.types import Family, Release, Sums
from dpsql.policy.model import AccountantName, Policy, Window
from dpsql.privacy import Mechanism

# What is drawn beside others takes some ten microseconds a cell, where a new draw takes one.
MOST_CELLS = 10_000
_ADDING = frozenset({AccountantName.PURE, AccountantName.APPROX})
_ANY = Fraction(0)
# The version whose paths do not name it.
_FIRST: Final = "0.1.0"


def adds_up(policy: Policy) -> bool:
    """Whether the policy's accountant adds up epsilons."""
    return policy.accountant in _ADDING


def has_paths(policy: Policy) -> bool:
    """Whether finer draws are charged by the difference."""
    budgets = (policy.default, *(b for _, b in policy.analysts), *(r.budget for r in policy.roles))
    windows = {policy.dataset.window, *(b.window for b in budgets if b is not None)}
    return adds_up(policy) and windows == {Window.NEVER}


def path_text(release: Release, question: str, groups: str) -> str:
    """What names the path of a release: all that its draw depends on but the epsilons; empty for one without a path.

    `question` and `groups` are the canonical texts of its question and of its public domain.
    """
    families, domain = release.families, release.keys.domain
    if domain is None or not families or not all(type(p) is Sums for p in release.parts):
        return ""
    if any(f.mechanism is not Mechanism.DISCRETE_LAPLACE or type(f) is not Family for f in families):
        return ""
    if len(domain) * sum(len(f.cells) for f in families) > MOST_CELLS:
        return ""
    at_any = tuple(
        replace(p, families=tuple(replace(f, epsilon=_ANY) for f in p.families))
        for p in release.parts
        if isinstance(p, Sums)
    )
    named = () if VERSION == _FIRST else (repr(VERSION),)
    return canonical_tuple(question, canonical(at_any), groups, *named)
