"""How far a weighted sum of one or two coordinates of cube noise strays: accuracy of released values, public
information.

Given the radius r of the noise, its coordinates are independent and uniform, coordinate j on [-r w_j, r w_j], so that
the tail of c_i Z_i + c_j Z_j is that of a sum of two uniform numbers (a trapezoid), averaged over the law of r, which
is proportional to prod(2 r w_j + 1) exp(-epsilon r / sensitivity).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dpsql.mechanisms.parameters import Rational

_RADII = 4096
_OF_A_WIDTH = 1024
_CLOSE = 1e-6
Floats = npt.NDArray[np.float64]


def half_width(
    beta: float,
    coefficients: tuple[float, ...],
    *,
    sensitivity: int,
    epsilon: Rational,
    widths: Sequence[int],
) -> float:
    """The t with P(|X| > t) = beta for X the sum of c_j Z_j, Z the noise of `cube` of these parameters.

    Uniform integers are taken as uniform numbers on an interval longer by 1, and the law of r at a thousand points:
    accurate to about 1 and 1e-3 of the width. Raises ValueError unless one or two coefficients are not 0, and 0 < beta
    < 1.
    """
    used = [(abs(c), w) for c, w in zip(coefficients, widths, strict=True) if c]
    if not 0 < beta < 1 or len(used) not in (1, 2):
        raise ValueError("an interval needs 0 < beta < 1 and one or two coefficients that are not 0")
    r, law = radii(float(epsilon / sensitivity), widths, _OF_A_WIDTH)
    reaches = [c * (r * w + 0.5) for c, w in used]
    first = reaches[0]
    second = reaches[1] if len(reaches) > 1 else np.zeros_like(first)
    longer, shorter = np.maximum(first, second), np.minimum(first, second)
    low, high = 0.0, float((longer + shorter).max())
    while high - low > _CLOSE * high:
        middle = (low + high) / 2
        beyond = float(law @ _tail(middle, longer, shorter))
        low, high = (middle, high) if beyond > beta else (low, middle)
    return high


def radii(rate: float, widths: Sequence[int], most: int = _RADII) -> tuple[Floats, Floats]:
    """Radii up to where hardly anything is left, and their probabilities."""
    end = (len(widths) + 10 * np.sqrt(len(widths) + 1) + 25) / rate + 1
    step = max(1.0, np.ceil(end / most))
    r = np.arange(0.0, end + step, step)
    logarithm = -rate * r
    for w in widths:
        logarithm = logarithm + np.log(2 * r * w + 1)
    law = np.exp(logarithm - logarithm.max())
    return r, law / law.sum()


def _tail(t: float, longer: Floats, shorter: Floats) -> Floats:
    """P(|U| > t) for the sum of uniform numbers on [-longer, longer] and [-shorter, shorter]."""
    flat = 1 - t / longer
    area = np.where(shorter > 0, 4 * longer * shorter, 1.0)
    slope = np.square(np.clip(longer + shorter - t, 0, None)) / area
    return np.where(t <= longer - shorter, flat, np.where(t < longer + shorter, slope, 0.0))
