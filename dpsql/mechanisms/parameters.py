"""What every mechanism demands of its parameters: exact numbers, in range, and never a float or a boolean."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dpsql.mechanisms.coins import INT64_LIMIT, IntegerArray

Rational = Fraction | int
"""An exact number; a float would say less than it seems to."""


def exact_epsilon(epsilon: Rational) -> Fraction:
    """epsilon as a Fraction; TypeError unless it is an int or a Fraction, ValueError unless it is above 0."""
    return exact_positive("epsilon", epsilon)


def exact_delta(delta: Rational) -> Fraction:
    """delta as a Fraction; TypeError unless it is an int or a Fraction, ValueError unless 0 < delta < 1."""
    value = _exact("delta", delta)
    if not 0 < value < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, not {value}")
    return value


def exact_positive(name: str, value: Rational) -> Fraction:
    """The value as a Fraction; TypeError unless it is an int or a Fraction, ValueError unless it is above 0."""
    exact = _exact(name, value)
    if exact <= 0:
        raise ValueError(f"{name} must be above 0, not {exact}")
    return exact


def exact_level(name: str, level: Fraction | float) -> Fraction:
    """A probability strictly between 0 and 1 that only an accuracy statement uses, so that floats are taken;
    ValueError or TypeError otherwise."""
    if isinstance(level, bool) or not isinstance(level, (int, float, Fraction)):
        raise TypeError(f"{name} must be a number, not {type(level).__name__}")
    if not 0 < level < 1:  # NaN fails too
        raise ValueError(f"{name} must lie strictly between 0 and 1, not {level}")
    return Fraction(level)


def _exact(name: str, value: Rational) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        raise TypeError(
            f"{name} must be an exact int or Fraction, not {type(value).__name__}: write Fraction('0.1')"
        )
    return value if type(value) is Fraction else Fraction(value)


def integer(name: str, value: int, *, at_least: int) -> int:
    """The value as a Python int; TypeError unless it is an integer, ValueError below `at_least`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}")
    if value < at_least:
        raise ValueError(f"{name} must be at least {at_least}, not {value}")
    return operator.index(value)


def integer_array(name: str, values: np.ndarray) -> IntegerArray:
    """The array as int64, or as Python ints where its dtype is object or uint64.

    TypeError for anything but a plain numpy array of integers: floats and booleans, text, masked arrays, lists.
    """
    if type(values) is not np.ndarray:
        raise TypeError(f"{name} must be a plain numpy array of integers, not {type(values).__name__}")
    kind = values.dtype.kind
    if kind == "i" or (kind == "u" and values.dtype.itemsize < 8):
        return values.astype(np.int64, copy=False)
    if kind == "u":
        return values.astype(object)
    if kind != "O":
        raise TypeError(f"{name} must hold integers, not {values.dtype}")
    return _python_ints(name, values)


def _python_ints(name: str, values: np.ndarray) -> IntegerArray:
    if all(type(v) is int for v in values.flat):
        return values
    exact = np.empty(values.shape, dtype=object)
    for place, value in np.ndenumerate(values):
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise TypeError(f"{name} must hold integers, not {type(value).__name__}")
        exact[place] = int(value)
    return exact


def integers_below(name: str, values: np.ndarray, bound: int) -> IntegerArray:
    """The array, every element of which must lie in [0, bound); TypeError or ValueError otherwise."""
    exact = integer_array(name, values)
    if exact.size and (exact.min() < 0 or exact.max() >= bound):
        raise ValueError(f"{name} must be integers from 0 to {bound - 1}")
    return exact


def candidate_scores(scores: np.ndarray) -> IntegerArray:
    """The scores of at least one candidate, in one dimension; TypeError or ValueError otherwise."""
    exact = integer_array("scores", scores)
    if exact.ndim != 1:
        raise ValueError(f"scores must be one-dimensional, not of shape {exact.shape}")
    if exact.size == 0:
        raise ValueError("a selection needs at least one candidate")
    return exact


def candidate_weights(weights: Sequence[int] | np.ndarray, count: int) -> IntegerArray:
    """One weight of at least 0 for each candidate, not all of them 0; TypeError or ValueError otherwise.

    int64 if their sum is, otherwise Python ints.
    """
    if isinstance(weights, np.ndarray):
        exact = integer_array("weights", weights)
    else:
        exact = np.array([integer("a weight", w, at_least=0) for w in weights], dtype=object)
    if exact.shape != (count,):
        raise ValueError(f"{count} candidates need {count} weights, not {exact.size}")
    if exact.min() < 0:
        raise ValueError(f"a weight must be at least 0, not {exact.min()}")
    if not exact.any():
        raise ValueError("at least one candidate needs a weight above 0")
    return exact.astype(np.int64 if int(exact.max()) * count < INT64_LIMIT else object)


def change_range(sensitivity: int | None, monotone: bool, score_range: int | None) -> int:
    """D_R, the largest |d_i - d_j| for the change d of a score vector between neighbours.

    Given either as `score_range`, or by the L-infinity `sensitivity` Delta of the scores: 2 Delta, and Delta
    if they are monotone (see `exponential`). TypeError unless exactly one of the two is given.
    """
    if (sensitivity is None) == (score_range is None):
        raise TypeError("a selection needs its sensitivity or else its score_range, which must be an integer")
    if not isinstance(monotone, bool):
        raise TypeError(f"monotone must be True or False, not {type(monotone).__name__}")
    if sensitivity is not None:
        return integer("sensitivity", sensitivity, at_least=1) * (1 if monotone else 2)
    if monotone or score_range is None:
        raise TypeError("monotone says what a sensitivity means: a score_range needs no such word")
    return integer("score_range", score_range, at_least=1)


def gaps_to_best(scores: IntegerArray) -> IntegerArray:
    """max(scores) - scores, on Python ints where int64 could overflow."""
    best, worst = int(scores.max()), int(scores.min())
    if best - worst >= INT64_LIMIT:
        return best - scores.astype(object)
    return best - scores
