"""How far a weighted sum of independent Laplace noises strays: accuracy of released combinations, public information.

The characteristic function of Laplace noise of scale b is 1 / (1 + b**2 u**2), that of a sum is the product, and the
tail follows by inversion (Gil-Pelaez 1951): P(|X| <= t) = (2 / pi) * integral over u > 0 of sin(u t) / u * phi(u).
Discrete Laplace noise of scale b = sensitivity / epsilon is within 1 of the continuous one, which is what is told here.
"""

from __future__ import annotations

import math

import numpy as np

_STEP = 0.02
_END = 100.0
_TIMES = 60
# In units in which the variance is 2: beyond this there is less than any beta that can be told apart from 0.
_FARTHEST = 50.0


def half_width(beta: float, scales: tuple[float, ...]) -> float:
    """The t with P(|X| > t) = beta for X the sum of independent Laplace noises of these scales, in their unit.

    Accurate to about 1e-4 of the deviation. Raises ValueError without a positive scale or 0 < beta < 1.
    """
    largest = max(scales, default=0.0)
    if not 0 < beta < 1 or not largest > 0 or min(scales) < 0:
        raise ValueError(
            "an interval needs 0 < beta < 1 and scales that are not negative, one of them positive"
        )
    unit = largest * math.sqrt(math.fsum((b / largest) ** 2 for b in scales))
    u = np.arange(_STEP / 2, _END, _STEP)
    phi = np.ones_like(u)
    for b in scales:
        phi /= 1 + (b / unit * u) ** 2
    weights = phi / u * (_STEP * 2 / np.pi)
    low, high = 0.0, _FARTHEST
    for _ in range(_TIMES):
        middle = (low + high) / 2
        inside = float(np.sin(u * middle) @ weights)
        low, high = (middle, high) if inside < 1 - beta else (low, middle)
        if high - low < 1e-5:
            break
    return high * unit
