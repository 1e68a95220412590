"""How a formula grows with its measures: as what power of one number by which all of them are multiplied.

A quotient of two sums has the degree 0: whatever makes both smaller alike leaves it as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from dpsql.algebra.formula import Applied, Formula, Measured, Number

# What stands for NULL and 0 grows as whatever it is compared with or added to.
ANY: Final = None
Degree = int | None
_AS_IT_IS: Final = frozenset({"neg", "same", "abs"})
_ALIKE: Final = frozenset({"add", "sub", "nullif", "coalesce", "greatest", "least"})
_STEPS: Final = frozenset({"round", "whole", "floor", "ceil"})
_COMPARED: Final = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})


class _NoPowerError(ValueError):
    """A formula that is no power of such a number."""


def is_unmoved(formula: Formula) -> bool:
    """Whether a formula stays the same where all measures are multiplied by one positive number; proven from its form.

    >>> is_unmoved(Applied("div", (Measured(0), Measured(1)))), is_unmoved(Measured(0))
    (True, False)
    """
    try:
        return degree(formula) in (0, ANY)
    except _NoPowerError:
        return False


def degree(formula: Formula) -> Degree:
    """The power, ANY for NULL and 0; raises ValueError where there is none."""
    if isinstance(formula, Measured):
        return 1
    if isinstance(formula, Number):
        return 0 if formula.value else ANY
    if isinstance(formula, Applied):
        return _applied(formula.op, formula.args)
    assert_never(formula)


def _applied(op: str, args: Sequence[Formula]) -> Degree:
    degrees = [degree(a) for a in args]
    if op in ("mul", "div"):
        return _product(degrees, -1 if op == "div" else 1)
    if op in _AS_IT_IS:
        return degrees[0]
    if op in _ALIKE:
        return _common(degrees)
    if op in _STEPS and _common(degrees) in (0, ANY):
        return 0
    if op in _COMPARED:
        _common(degrees)
        return 0
    if op == "case":
        return _case(degrees)
    raise _NoPowerError(op)


def _product(degrees: Sequence[Degree], sign: int) -> Degree:
    one, other = degrees
    return ANY if one is None or other is None else one + sign * other


def _common(degrees: Sequence[Degree]) -> Degree:
    known = {d for d in degrees if d is not None}
    if len(known) > 1:
        raise _NoPowerError("terms of several powers")
    return known.pop() if known else ANY


def _case(degrees: Sequence[Degree]) -> Degree:
    """Conditions stay as they are; the values are of one power."""
    _common([0, *degrees[:-1:2]])
    return _common([*degrees[1::2], degrees[-1]])
