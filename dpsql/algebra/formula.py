"""What a column of an answer is made of: measures of one release under arithmetic, for the interval of its cells.

The values of an answer come from the public engine; this says only how far noise carries them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar, Final, assert_never

import numpy as np
import numpy.typing as npt

from dpsql.slotted import dataclass

Floats = npt.NDArray[np.float64]
_NAN = float("nan")
_HIGHEST_DIGITS = 15


@dataclass(frozen=True, slots=True)
class Measured:
    """The measure of that index."""

    size: ClassVar[int] = 1
    index: int


@dataclass(frozen=True, slots=True)
class Number:
    """A constant; None is NULL."""

    size: ClassVar[int] = 1
    value: Fraction | None


@dataclass(frozen=True, slots=True)
class Applied:
    """An operation of OPERATIONS on formulas; `size` is how many parts it has when it is written out."""

    op: str
    args: tuple[Formula, ...]
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", 1 + sum(a.size for a in self.args))


Formula = Measured | Number | Applied
EXACT: Final = Number(Fraction(0))
"""Stands for a column without noise, such as a key, whatever its value."""


def measures_of(formula: Formula) -> frozenset[int]:
    """The measures that a formula reads."""
    if isinstance(formula, Measured):
        return frozenset({formula.index})
    if isinstance(formula, Number):
        return frozenset()
    if isinstance(formula, Applied):
        return frozenset().union(*(measures_of(a) for a in formula.args))
    assert_never(formula)


def value_of(formula: Formula, measure: Callable[[int], Floats]) -> Floats:
    """The value of a formula over arrays of measures of one shape, NaN for NULL."""
    if isinstance(formula, Measured):
        return measure(formula.index)
    if isinstance(formula, Number):
        return np.float64(_NAN if formula.value is None else float(formula.value))  # type: ignore[return-value]
    if isinstance(formula, Applied):
        return OPERATIONS[formula.op](*(value_of(a, measure) for a in formula.args))
    assert_never(formula)


@dataclass(frozen=True, slots=True)
class Weighted:
    """A constant plus measures times factors."""

    constant: Fraction
    factors: Mapping[int, Fraction]


def weighted(formula: Formula) -> Weighted | None:
    """The formula as a weighted sum of measures, or None where it is none."""
    if isinstance(formula, Measured):
        return Weighted(Fraction(0), {formula.index: Fraction(1)})
    if isinstance(formula, Number):
        return Weighted(formula.value, {}) if formula.value is not None else None
    args = [weighted(a) for a in formula.args]
    given = [a for a in args if a is not None]
    if len(given) < len(args) or formula.op not in _LINEAR:
        return None
    return _LINEAR[formula.op](*given)


def _scaled(one: Weighted, by: Fraction) -> Weighted:
    return Weighted(one.constant * by, {i: f * by for i, f in one.factors.items()})


def _sum(one: Weighted, other: Weighted) -> Weighted:
    factors = dict(one.factors)
    for i, f in other.factors.items():
        factors[i] = factors.get(i, Fraction(0)) + f
    return Weighted(one.constant + other.constant, factors)


def _product(one: Weighted, other: Weighted) -> Weighted | None:
    if one.factors and other.factors:
        return None
    return _scaled(one, other.constant) if one.factors else _scaled(other, one.constant)


def _ratio(one: Weighted, other: Weighted) -> Weighted | None:
    return None if other.factors or other.constant == 0 else _scaled(one, 1 / other.constant)


_LINEAR: Final[Mapping[str, Callable[..., Weighted | None]]] = MappingProxyType(
    {
        "add": _sum,
        "sub": lambda a, b: _sum(a, _scaled(b, Fraction(-1))),
        "neg": lambda a: _scaled(a, Fraction(-1)),
        "mul": _product,
        "div": _ratio,
        "same": lambda a: a,
    }
)


def _quotient(a: Floats, b: Floats) -> Floats:
    return a / np.where(b == 0, _NAN, b)


def _rounded(x: Floats, digits: Floats | float = 0.0) -> Floats:
    """Halves away from zero; NULL for a number of digits that is no small whole number."""
    places = np.clip(np.nan_to_num(digits), -_HIGHEST_DIGITS, _HIGHEST_DIGITS)
    power = np.power(10.0, places)
    return np.where(np.isnan(digits), _NAN, np.sign(x) * np.floor(np.abs(x) * power + 0.5) / power)


def _first(*values: Floats) -> Floats:
    found = values[-1]
    for value in reversed(values[:-1]):
        found = np.where(np.isnan(value), found, value)
    return found


def _case(*parts: Floats) -> Floats:
    """CASE WHEN parts[0] THEN parts[1] ... ELSE parts[-1] END; a condition is 1, 0 or NULL."""
    found = parts[-1]
    for at in range(len(parts) - 3, -1, -2):
        found = np.where(parts[at] == 1, parts[at + 1], found)
    return found


def _compared(test: Callable[[Floats, Floats], npt.NDArray[np.bool_]]) -> Callable[[Floats, Floats], Floats]:
    return lambda a, b: np.where(np.isnan(a) | np.isnan(b), _NAN, test(a, b).astype(np.float64))


OPERATIONS: Final[Mapping[str, Callable[..., Floats]]] = MappingProxyType(
    {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "div": _quotient,
        "neg": np.negative,
        "same": lambda a: a,
        "abs": np.abs,
        "round": _rounded,
        "whole": np.rint,
        "floor": np.floor,
        "ceil": np.ceil,
        "sqrt": lambda a: np.sqrt(np.where(a < 0, _NAN, a)),
        "coalesce": _first,
        "nullif": lambda a, b: np.where(a == b, _NAN, a),
        "greatest": lambda *a: np.fmax.reduce(np.broadcast_arrays(*a)),
        "least": lambda *a: np.fmin.reduce(np.broadcast_arrays(*a)),
        "case": _case,
        "eq": _compared(np.equal),
        "ne": _compared(np.not_equal),
        "lt": _compared(np.less),
        "le": _compared(np.less_equal),
        "gt": _compared(np.greater),
        "ge": _compared(np.greater_equal),
    }
)
"""What stands in formulas, by its name: each takes and gives arrays of doubles with NaN for NULL."""
