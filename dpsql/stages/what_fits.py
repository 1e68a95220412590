"""What a question could cost that the analyst's budget does not cover: the epsilon at which it would.

It follows from the text, the policy and the analyst's own account, which the analyst may see anyway. What a role or the
dataset has left is not looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

from dpsql.errors import BudgetExhausted, Error
from dpsql.plan.releases import EPSILON_UNIT
from dpsql.privacy import Cost
from dpsql.stages.arguments.query_options import Params
from dpsql.stages.prepare import prepare
from dpsql.stages.reuse import reuse_received
from dpsql.stages.state import State

# Below this part of the epsilon an answer is another one, and is not offered.
_LEAST_PART = Fraction(1, 1000)
_HALVINGS = 6


@contextmanager
def telling_what_fits(sql: str, params: Params, s: State) -> Iterator[None]:
    """A block in which a query is charged; where the analyst's own account is used up, the refusal says what fits."""
    try:
        yield
    except BudgetExhausted as refusal:
        if refusal.left_epsilon is None:  # others pay from that budget, too
            raise
        refused = refusal.with_fitting(_fitting_epsilon(refusal, sql, params, s))
    else:
        return
    raise refused


def _fitting_epsilon(refusal: BudgetExhausted, sql: str, params: Params, s: State) -> Fraction | None:
    """The largest epsilon that was tried and fits; None where none does, or where an accuracy decides about it."""
    if s.options.accuracy is not None:
        return None
    return next(
        (e for e in _candidates(refusal, s.options.cost.epsilon) if _is_covered(e, sql, params, s)), None
    )


def _candidates(refusal: BudgetExhausted, epsilon: Fraction) -> list[Fraction]:
    """Epsilons with two digits below the one that was asked for: what is left in proportion, and halves of halves."""
    asked, left = refusal.asked_epsilon, refusal.left_epsilon
    parts = [Fraction(1, 1 << n) for n in range(1, _HALVINGS + 1)]
    if asked and left is not None and left < asked:
        parts.append(left / asked)
    tried = {_rounded_down(epsilon * part) for part in parts if part >= _LEAST_PART}
    return sorted((e for e in tried if e >= EPSILON_UNIT), reverse=True)


def _rounded_down(number: Fraction) -> Fraction:
    unit = Fraction(10) ** (math.floor(math.log10(number)) - 1)
    return math.floor(number / unit) * unit


def _is_covered(epsilon: Fraction, sql: str, params: Params, s: State) -> bool:
    options = replace(s.options, cost=Cost(epsilon, s.options.cost.delta))
    cheaper = replace(s, options=options)
    try:
        query = reuse_received(prepare(sql, params, cheaper), cheaper)
        return s.ledger.covers(s.request, query.due)
    except Error:  # the refusal stands; it offers nothing
        return False
