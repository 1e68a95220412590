"""What the cut asks the planner, whose answers rest on the policy and on the question alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dpsql.algebra.question import GroupingSetsQuestion, Question
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Advice:
    """What the cut asks.

    `selects`: whether the best groups of a question are selected rather than released with all others and sorted.
    `adds_up`: whether coarser groups of a question are sums of its groups, which are public. `levels`: whether a
    question whose groups add up is better released with shares of the budget for levels. `described` gives the names
    and types of the columns of a public query over what questions will release.
    """

    selects: Callable[[Question], bool]
    adds_up: Callable[[Question], bool]
    levels: Callable[[GroupingSetsQuestion], bool]
    described: Callable[[str, Sequence[Question]], Sequence[tuple[str, str]]]
