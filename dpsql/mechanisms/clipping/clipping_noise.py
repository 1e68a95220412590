"""The noise of a clipped release: of the histogram of units' sizes, and of the sums of what scaling left.

Two parts of one budget. The first buys the noisy histogram of `unit_bins`, from which tau follows; the second the sums
of vectors that `scaling` has made at most tau large. Both are vectors that are at most `bound` large for each unit: 1
for the histogram, tau for the sums.

Requires: the vector of each unit is at most `bound` large, in L1 for discrete Laplace noise and in L2 for discrete
Gaussian noise; `nonnegative` only if no cell of a unit can be below 0, as in a histogram.

Guarantees: epsilon-differential privacy, or rho-zCDP, of the noisy sums, for every bound alike: the events that a
ledger keeps (`Noise.event`) do not name it, since it is chosen after the charge.

Because: when a unit comes or goes, the sums move by its vector, at most `bound`. When it is replaced, they move by the
difference x - y of two vectors: in L1 by at most 2 bound; in L2, squared, by |x|^2 - 2 x y + |y|^2 <= 4 bound^2, and by
at most 2 bound^2 if no cell is negative, since then x y >= 0. The histogram and the sums compose adaptively, tau being
a function of the histogram.

Because (events): whatever is epsilon-private is a post-processing of randomized response, which one integer with
discrete Laplace noise at sensitivity 1 is: its loss is epsilon or -epsilon (Kairouz, Oh, Viswanath 2015). So that event
bounds the noise at every tau and for every number of cells, by every divergence. The divergence of discrete Gaussian
noise is at most alpha rho whatever its sensitivity is, so that variance 1 / (2 rho) at sensitivity 1 stands for all.
Charged at a large sensitivity, the Laplace event would be too small: its curve grows as the sensitivity falls.

Source of the zCDP of vectors: Canonne, Kamath, Steinke 2020, The Discrete Gaussian for Differential Privacy.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from dpsql.mechanisms.coins import IntegerArray
from dpsql.mechanisms.noise import discrete_gaussian, discrete_laplace
from dpsql.mechanisms.parameters import Rational, exact_epsilon, exact_positive, integer
from dpsql.mechanisms.sampler import Sampler
from dpsql.privacy import Cost, Event, Mechanism, Neighbours
from dpsql.slotted import dataclass

HISTOGRAM_SHARE = Fraction(1, 5)
LN_2 = Fraction(693_147_180_560, 10**12)
NORMAL_MEDIAN = Fraction(674_489_750_196, 10**12)
ROOT_BITS = 40


@dataclass(frozen=True, slots=True)
class Noise:
    """Discrete Laplace noise for an epsilon, or discrete Gaussian noise for a rho, of sums of units' vectors."""

    mechanism: Mechanism
    budget: Fraction
    neighbours: Neighbours
    nonnegative: bool = False

    def __post_init__(self) -> None:
        if self.mechanism not in (Mechanism.DISCRETE_LAPLACE, Mechanism.DISCRETE_GAUSSIAN):
            raise ValueError(f"clipped sums have discrete Laplace or Gaussian noise, not {self.mechanism}")
        if not isinstance(self.neighbours, Neighbours) or not isinstance(self.nonnegative, bool):
            raise TypeError("neighbours must be a Neighbours, and nonnegative a truth value")
        object.__setattr__(self, "budget", exact_positive("budget", self.budget))

    @property
    def gaussian(self) -> bool:
        """Whether sizes are measured in L2, and the budget is a rho."""
        return self.mechanism is Mechanism.DISCRETE_GAUSSIAN

    def sensitivity(self, bound: int) -> int:
        """Of the sums of vectors of at most that size: in L1 for Laplace noise, the square in L2 for Gaussian noise."""
        size = integer("bound", bound, at_least=1)
        if not self.gaussian:
            return size * self.neighbours.factor
        if self.neighbours is Neighbours.ADD_REMOVE:
            return size**2
        return size**2 * (2 if self.nonnegative else 4)

    def rate(self, bound: int) -> Fraction:
        """What a draw must have: epsilon / sensitivity for Laplace noise, sigma^2 for Gaussian noise."""
        moved = self.sensitivity(bound)
        return moved / (2 * self.budget) if self.gaussian else self.budget / moved

    def add(self, values: np.ndarray, bound: int, sampler: Sampler) -> IntegerArray:
        """The values with this noise, drawn exactly."""
        moved = self.sensitivity(bound)
        if self.gaussian:
            return sampler.discrete_gaussian(values, squared_sensitivity=moved, rho=self.budget)
        return sampler.discrete_laplace(values, sensitivity=moved, epsilon=self.budget)

    def event(self, cost: Cost) -> Event:
        """What the ledger keeps, whatever the bound will be: sensitivity 1. `cost` is epsilon itself for Laplace noise;
        for Gaussian noise it is what the query was asked at (see `Event`)."""
        if not self.gaussian:
            if cost != Cost(self.budget):
                raise ValueError(f"discrete Laplace noise costs its epsilon, {self.budget}, not {cost}")
            return Event(self.mechanism, 1, cost)
        return Event(self.mechanism, 1, cost, 1 / (2 * self.budget))

    def half_width(self, beta: Fraction, bound: int = 1) -> int:
        """The least k >= 0 with P(|one cell's noise| > k) <= beta; exact, the same on every machine."""
        if self.gaussian:
            return discrete_gaussian.interval_half_width(beta, sigma_squared=self.rate(bound))
        moved = self.sensitivity(bound)
        return discrete_laplace.interval_half_width(beta, sensitivity=moved, epsilon=self.budget)

    def median_error(self) -> Fraction:
        """The median of |noise| of one cell over the bound, for large bounds: ln 2 times the scale, or 0.6745 sigma."""
        if self.gaussian:
            squared = self.rate(1) * (1 << 2 * ROOT_BITS)
            return NORMAL_MEDIAN * Fraction(math.isqrt(math.floor(squared)), 1 << ROOT_BITS)
        return LN_2 * self.neighbours.factor / self.budget


def checked_noise(name: str, noise: Noise) -> Noise:
    """The noise; TypeError unless that is what it is."""
    if not isinstance(noise, Noise):
        raise TypeError(f"{name} must be a Noise, not {type(noise).__name__}")
    return noise


def laplace(epsilon: Rational, neighbours: Neighbours) -> Noise:
    """Discrete Laplace noise of vectors of a bounded sum of |cells|."""
    return Noise(Mechanism.DISCRETE_LAPLACE, exact_epsilon(epsilon), neighbours)


def gaussian(rho: Rational, neighbours: Neighbours, *, nonnegative: bool = False) -> Noise:
    """Discrete Gaussian noise of vectors of a bounded sum of squares."""
    return Noise(Mechanism.DISCRETE_GAUSSIAN, exact_positive("rho", rho), neighbours, nonnegative)


def shares_of_epsilon(epsilon: Rational) -> tuple[Fraction, Fraction]:
    """An epsilon in two: for the histogram a fifth, for the answer the rest.

    >>> shares_of_epsilon(1)
    (Fraction(1, 5), Fraction(4, 5))
    """
    whole = exact_epsilon(epsilon)
    return HISTOGRAM_SHARE * whole, (1 - HISTOGRAM_SHARE) * whole


def shares_of_rho(rho: Rational) -> tuple[Fraction, Fraction]:
    """A rho in two: for the histogram 1/25, which is to rho what a fifth is to an epsilon, for the answer the rest."""
    whole = exact_positive("rho", rho)
    return HISTOGRAM_SHARE**2 * whole, (1 - HISTOGRAM_SHARE**2) * whole


def histogram_noise(budget: Rational, answer: Noise) -> Noise:
    """The noise of the histogram that goes with an answer's: of the same law, for vectors of one 1."""
    law = checked_noise("answer", answer)
    return Noise(law.mechanism, exact_positive("budget", budget), law.neighbours, nonnegative=True)


def selection_range(tau: int, neighbours: Neighbours) -> int:
    """D_R of candidates whose scores are the cells, scaled in L1: tau, or 2 tau if a unit is replaced.

    Because: a difference of two cells moves by at most the sum of both moves. Scaled in L2, two cells may move by tau
    / sqrt(2) each, in opposite directions: by more than tau.
    """
    if not isinstance(neighbours, Neighbours):
        raise TypeError("neighbours must be a Neighbours")
    return integer("tau", tau, at_least=1) * neighbours.factor
