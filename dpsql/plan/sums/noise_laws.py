"""Which noise a release may get, and how much a Gaussian needs for what it may cost.

Laplace against Gaussian is compared at equal cost. Under plain addition a Gaussian spends delta: its sigma is that of
the largest rho whose conversion stays within (epsilon, delta). Under an accountant that adds up rho, an epsilon stands
for rho = epsilon**2 / 2, the most that a pure mechanism at epsilon costs there; a Gaussian of that rho has no delta.
What is pure never costs more there than its epsilon, and a Gaussian of that rho does, where few queries fit into a
budget. So it competes where the filter admits whatever plain addition would (see accounting.dominance), and elsewhere
only if the policy names it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache

from dpsql.mechanisms.analysis.composition import renyi_to_delta, zcdp_delta
from dpsql.policy.model import Policy
from dpsql.privacy import Mechanism
from dpsql.slotted import dataclass

_STEPS = 80
_GOLDEN = (math.sqrt(5) - 1) / 2
_MARGIN = Fraction(1, 10**9)
_USUAL = 1e9
_DIGITS = 15
_CONCENTRATED = frozenset({"zcdp", "rdp"})


def adds_rho(policy: Policy) -> bool:
    """Whether the policy's accountant counts rho rather than epsilon and delta."""
    return policy.accountant.value in _CONCENTRATED


@dataclass(frozen=True, slots=True)
class Laws:
    """The mechanisms that a release may use, the delta that a Gaussian may spend, and whether rho adds up."""

    allowed: frozenset[Mechanism]
    delta: Fraction = Fraction(0)
    concentrated: bool = False

    @classmethod
    def of(cls, policy: Policy, delta: Fraction, dominant: bool) -> Laws:
        """What a policy allows a release that may spend so much delta.

        `dominant` says that an accountant which adds up rho admits whatever plain addition would.
        """
        concentrated, named = adds_rho(policy), policy.privacy.mechanisms
        pure = concentrated and not dominant
        usual = frozenset(Mechanism) - ({Mechanism.DISCRETE_GAUSSIAN} if pure else set())
        allowed = frozenset(named) if named is not None else usual
        return cls(allowed, Fraction(0) if concentrated else delta, concentrated)

    @property
    def gaussian(self) -> bool:
        """Whether a Gaussian may be used, and has a cost."""
        return Mechanism.DISCRETE_GAUSSIAN in self.allowed and (self.concentrated or self.delta > 0)

    def rough_loss(self, epsilons: Iterable[float]) -> float:
        """What pure noise at these epsilons costs, next to a Gaussian that spends all of their sum.

        Only where rho adds up is that less than 1: an epsilon has rho = epsilon tanh(epsilon / 2), a Gaussian half of
        the square of the sum. Noise that spends less could be stronger at equal cost, with a variance that falls as
        rho grows.
        """
        if not (self.concentrated and self.gaussian):
            return 1.0
        each = tuple(epsilons)
        return sum(e * math.tanh(e / 2) for e in each) / (sum(each) ** 2 / 2)

    def rough_scale_squared(self, epsilon: Fraction) -> float:
        """sigma**2 of a Gaussian for sensitivity 1, nearly."""
        return float(1 / (2 * self._rough_rho(epsilon)[0]))

    def scale_squared(self, epsilon: Fraction) -> Fraction:
        """sigma**2 of a discrete Gaussian vector of L2 sensitivity 1, exactly sufficient."""
        if self.concentrated:
            return 1 / epsilon**2
        return _sufficient(epsilon, self.delta)

    def _rough_rho(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """The largest rho, and the order of the Renyi divergence by which it converts to (epsilon, delta).

        At order alpha, ln delta = (alpha - 1) (alpha rho - epsilon) - ln(alpha - 1) + alpha ln(1 - 1 / alpha), solved
        for rho; every order is sound, and the best one gives the largest rho.
        """
        if self.concentrated:
            return epsilon**2 / 2, Fraction(2)
        return _converted(epsilon, self.delta)


@lru_cache(maxsize=256)
def _sufficient(epsilon: Fraction, delta: Fraction) -> Fraction:
    """sigma**2 of a rho that converts to (epsilon, delta): at its best order, and as the cost is checked."""
    rho, order = _converted(epsilon, delta)
    while renyi_to_delta(order, order * rho, epsilon) > delta or zcdp_delta(rho, epsilon) > delta:
        rho *= 1 - 1000 * _MARGIN
    return 1 / (2 * rho)


@lru_cache(maxsize=256)
def _converted(epsilon: Fraction, delta: Fraction) -> tuple[Fraction, Fraction]:
    """The same under plain addition; every query of a session asks for the same few."""
    loss = float(epsilon)
    level = math.log(delta.numerator) - math.log(delta.denominator)

    def largest(x: float) -> float:
        share = math.log(x / (1 + x)) if x <= _USUAL else -math.log1p(1 / x)
        return (loss + (level + math.log(x) - (1 + x) * share) / x) / (1 + x)

    x = _most(largest, _USUAL)
    if largest(x) <= 0:  # the order that has a rho is far above -ln(delta) / epsilon
        x = _most(largest, max(_USUAL, -100 * level / loss))
    return _shortened(Fraction(largest(x))) * (1 - _MARGIN), 1 + Fraction(x)


def _most(value: Callable[[float], float], greatest: float) -> float:
    """Where up to a greatest x a function with one peak is largest, in few digits."""
    low, high = math.log(1e-6), math.log(greatest)
    for _ in range(_STEPS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if value(math.exp(left)) > value(math.exp(right)):
            high = right
        else:
            low = left
    return float(f"{math.exp(low):.12g}")


def _shortened(x: Fraction) -> Fraction:
    """The number in few digits, rounded downwards."""
    unit = Fraction(10) ** (math.floor(math.log10(x)) - _DIGITS)
    return (x / unit).__floor__() * unit
