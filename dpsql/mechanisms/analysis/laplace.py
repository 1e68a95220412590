"""The Laplace mechanism as it stands in textbooks: a law on the real numbers, of density exp(-|x|/b) / (2b).

With b = sensitivity / epsilon. This file draws nothing: a real number cannot be drawn, and what floating point
puts in its place tells the exact value by its low bits (Mironov 2012). Private values are released with
`discrete_laplace` alone; for large b this is the law that it approaches, whose bounds are easier to read.

Requires: a vector that moves by at most `sensitivity` in L1 between neighbouring databases.

Guarantees: epsilon-differential privacy of the vector plus independent noise, for real numbers.

Because: the densities at an output y have the ratio exp((|y - x'| - |y - x|) / b) in each coordinate, hence by
the triangle inequality at most exp(|x - x'|_1 / b) <= exp(epsilon) in all.

Accuracy: |X| exceeds ln(1/beta) b with probability beta exactly, and the largest of d errors exceeds ln(d/beta)
b with probability at most beta (a union bound; 1 - (1 - beta/d)^d exactly).

Sources: Dwork, McSherry, Nissim, Smith 2006, Calibrating Noise to Sensitivity in Private Data Analysis; Dwork
and Roth 2014, theorem 3.6 and the one on its accuracy; Mironov 2012, On Significance of the Least Significant Bits for
Differential Privacy.
"""

from __future__ import annotations

import math
from fractions import Fraction

from dpsql.mechanisms.parameters import Rational, exact_epsilon, exact_level, exact_positive, integer


def scale(*, sensitivity: Rational, epsilon: Rational) -> Fraction:
    """b = sensitivity / epsilon, exactly."""
    return exact_positive("sensitivity", sensitivity) / exact_epsilon(epsilon)


def density(x: float, *, sensitivity: Rational, epsilon: Rational) -> float:
    """exp(-|x|/b) / (2b)."""
    b = float(scale(sensitivity=sensitivity, epsilon=epsilon))
    return math.exp(-abs(x) / b) / (2 * b)


def cdf(x: float, *, sensitivity: Rational, epsilon: Rational) -> float:
    """P(X <= x): e^(x/b) / 2 below 0, and 1 - e^(-x/b) / 2 above."""
    b = float(scale(sensitivity=sensitivity, epsilon=epsilon))
    half = math.exp(-abs(x) / b) / 2
    return half if x < 0 else 1 - half


def quantile(q: Fraction | float, *, sensitivity: Rational, epsilon: Rational) -> float:
    """The x with P(X <= x) = q, for 0 < q < 1."""
    level = exact_level("q", q)
    b = float(scale(sensitivity=sensitivity, epsilon=epsilon))
    return b * math.log(2 * level) if 2 * level < 1 else -b * math.log(2 * (1 - level))


def variance(*, sensitivity: Rational, epsilon: Rational) -> float:
    """Var X = 2 b^2."""
    return 2 * float(scale(sensitivity=sensitivity, epsilon=epsilon)) ** 2


def error_bound(beta: Fraction | float, *, sensitivity: Rational, epsilon: Rational, cells: int = 1) -> float:
    """ln(d / beta) b: what none of d errors exceeds with probability 1 - beta; exact for one cell.

    >>> round(error_bound(Fraction(1, 20), sensitivity=1, epsilon=1), 4)  # ln 20
    2.9957
    """
    logarithm = math.log(integer("cells", cells, at_least=1) / exact_level("beta", beta))
    return logarithm * float(scale(sensitivity=sensitivity, epsilon=epsilon))
