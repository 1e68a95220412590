"""How far a sum of independent noises of several laws strays: accuracy of released combinations, public information.

By characteristic functions, as in `laplace_sum`: that of a sum is the product, and the tail follows by inversion
(Gil-Pelaez 1951). Discrete laws are taken as the continuous ones that they are within 1 of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from dpsql.mechanisms.analysis.cube_sum import radii
from dpsql.mechanisms.parameters import Rational
from dpsql.slotted import dataclass

_STEP, _END, _TIMES, _RADII = 0.04, 50.0, 60, 512
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Law:
    """A symmetric law: its variance, and its characteristic function."""

    variance: float
    characteristic: Callable[[Floats], Floats]


def of_laplace(scales: Sequence[float]) -> Law:
    """The sum of independent Laplace noises of these scales."""

    def characteristic(u: Floats) -> Floats:
        found = np.ones_like(u)
        for b in scales:
            found = found / (1 + np.square(b * u))
        return found

    return Law(2 * math.fsum(b * b for b in scales), characteristic)


def of_gaussian(variance: float) -> Law:
    """Gaussian noise of this variance."""
    return Law(variance, lambda u: np.exp(-variance * np.square(u) / 2))


def of_cube(
    coefficients: Sequence[float], *, sensitivity: int, epsilon: Rational, widths: Sequence[int]
) -> Law:
    """A weighted sum of the coordinates of cube noise: given the radius they are uniform and independent."""
    r, law = radii(float(epsilon / sensitivity), widths, _RADII)
    reaches = [abs(c) * (r * w + 0.5) for c, w in zip(coefficients, widths, strict=True) if c]

    def characteristic(u: Floats) -> Floats:
        given = np.ones((u.size, r.size))
        for reach in reaches:
            given *= np.sinc(np.outer(u, reach) / np.pi)
        found: Floats = given @ law
        return found

    return Law(float(law @ sum(np.square(reach) for reach in reaches)) / 3, characteristic)


def repeated(law: Law, factor: float, times: int) -> Law:
    """The sum of so many independent noises of a law, each multiplied by a factor."""
    return Law(
        law.variance * factor**2 * times, lambda u: law.characteristic(np.asarray(factor * u)) ** times
    )


def half_width(beta: float, laws: Sequence[Law]) -> float:
    """The t with P(|X| > t) = beta for X the sum of independent noises of these laws, to about 1e-3 of its deviation.

    Raises ValueError without a positive variance or 0 < beta < 1.
    """
    scale = math.sqrt(math.fsum(law.variance for law in laws) / 2)
    if not 0 < beta < 1 or not scale > 0:
        raise ValueError("an interval needs 0 < beta < 1 and a variance above 0")
    u = np.arange(_STEP / 2, _END, _STEP)
    phi = np.ones_like(u)
    for law in laws:
        phi = phi * law.characteristic(u / scale)
    weights = phi / u * (_STEP * 2 / np.pi)
    low, high = 0.0, 50.0
    for _ in range(_TIMES):
        middle = (low + high) / 2
        inside = float(np.sin(u * middle) @ weights)
        low, high = (middle, high) if inside < 1 - beta else (low, middle)
    return high * scale
