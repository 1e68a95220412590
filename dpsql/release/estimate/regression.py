"""Covariances, correlations and regression lines from noisy sums of two columns: post-processing only."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from dpsql.slotted import dataclass

Floats = npt.NDArray[np.float64]
_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Axis:
    """The range of one column: values from `low` to `high`, on a grid of `step`."""

    step: float
    low: float
    high: float

    @classmethod
    def of(cls, step: Fraction, low: int, high: int) -> Axis:
        """The axis of a grid."""
        return cls(float(step), float(low * step), float(high * step))

    @property
    def largest_deviation(self) -> float:
        """The standard deviation of half the values at each bound."""
        return (self.high - self.low) / 2

    def mean(self, total: Floats, size: Floats) -> Floats:
        """The mean of values whose distances from `low` add up to `total` steps, within the bounds."""
        return np.clip(self.low + total / size * self.step, self.low, self.high)

    def variance(self, total: Floats, squares: Floats, size: Floats) -> Floats:
        """Never negative, and never above that of half the values at each bound."""
        with np.errstate(over="ignore"):  # what noise makes of few wide values is cut at the largest
            exact = (squares / size - (total / size) ** 2) * self.step**2
        return np.clip(exact, 0.0, self.largest_deviation**2)


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """Of each group: the number of pairs, the sums of s, s**2, s', s'**2 and s s', with s = y - low, s' = x - low' in
    steps. Results are NaN, for NULL, where the noisy number of pairs is below 1.
    """

    n: Floats
    y1: Floats
    y2: Floats
    x1: Floats
    x2: Floats
    product: Floats
    y: Axis
    x: Axis

    def covariance(self, least: int, less: int) -> Floats:
        """Within what the bounds allow, times n / (n - less); NULL where n is below `least`."""
        size = np.where(self.n >= least, self.n, 2.0)
        return np.where(self.n >= least, self._covariance() * size / (size - less), _NAN)

    def products(self) -> Floats:
        """The sum of the products of both deviations: n times the covariance."""
        return self.n * self.covariance(1, 0)

    def correlation(self) -> Floats:
        """Between -1 and 1; NULL where a variance is 0."""
        spread = np.sqrt(self._y_variance() * self._x_variance())
        ratio = self._covariance() / np.where(spread > 0, spread, 1.0)
        return np.where((self.n >= 1) & (spread > 0), np.clip(ratio, -1.0, 1.0), _NAN)

    def determination(self) -> Floats:
        """The square of the correlation; 1 where y does not vary, NULL where x does not."""
        flat = (self._x_variance() > 0) & (self._y_variance() == 0) & (self.n >= 1)
        return np.where(flat, 1.0, self.correlation() ** 2)

    def slope(self) -> Floats:
        """Of the line of y by x; NULL where x does not vary."""
        across = self._x_variance()
        ratio = self._covariance() / np.where(across > 0, across, 1.0)
        return np.where((self.n >= 1) & (across > 0), ratio, _NAN)

    def intercept(self) -> Floats:
        """Of the line of y by x; NULL where x does not vary."""
        size = self._size()
        return self.y.mean(self.y1, size) - self.slope() * self.x.mean(self.x1, size)

    def _size(self) -> Floats:
        return np.where(self.n >= 1, self.n, 1.0)

    def _covariance(self) -> Floats:
        size = self._size()
        exact = (self.product / size - self.y1 / size * (self.x1 / size)) * self.y.step * self.x.step
        most = self.y.largest_deviation * self.x.largest_deviation
        return np.clip(exact, -most, most)

    def _y_variance(self) -> Floats:
        return self.y.variance(self.y1, self.y2, self._size())

    def _x_variance(self) -> Floats:
        return self.x.variance(self.x1, self.x2, self._size())
