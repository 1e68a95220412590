"""The vocabulary of the privacy contract as frozen types; nothing here reads data or draws noise."""

from __future__ import annotations

import enum
from dataclasses import field
from fractions import Fraction
from typing import Final

from dpsql.slotted import dataclass


class Neighbours(enum.StrEnum):
    """Which databases count as neighbours of one another."""

    ADD_REMOVE = "add_remove"
    SUBSTITUTE = "substitute"

    @property
    def factor(self) -> int:
        """What a sensitivity proven for add_remove is multiplied by: a replacement is a removal and an addition."""
        return 1 if self is Neighbours.ADD_REMOVE else 2


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval [lo, hi] of exact numbers."""

    lo: Fraction
    hi: Fraction

    def __post_init__(self) -> None:
        if self.lo > self.hi:
            raise ValueError(f"an interval's lower end {self.lo} lies above its upper end {self.hi}")

    @property
    def width(self) -> Fraction:
        """hi - lo."""
        return self.hi - self.lo

    @property
    def magnitude(self) -> Fraction:
        """The largest absolute value in the interval."""
        return max(abs(self.lo), abs(self.hi))


@dataclass(frozen=True, slots=True)
class Cost:
    """A privacy cost (epsilon, delta), exact; costs add up under basic composition."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        # To compare fractions takes ten times as long.
        if self.epsilon.numerator < 0 or not 0 <= self.delta.numerator < self.delta.denominator:
            raise ValueError("a cost needs epsilon >= 0 and 0 <= delta < 1")

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.epsilon + other.epsilon, self.delta + other.delta)

    def __str__(self) -> str:
        """For people, to six digits."""
        return f"epsilon {float(self.epsilon):g}, delta {float(self.delta):g}"


FREE = Cost(Fraction(0))


class Mechanism(enum.StrEnum):
    """The mechanisms that a release may spend budget on."""

    DISCRETE_LAPLACE = "discrete_laplace"
    TRUNCATED_GEOMETRIC = "truncated_geometric"
    PERMUTE_AND_FLIP = "permute_and_flip"
    EXPONENTIAL = "exponential"
    RANDOMIZED_RESPONSE = "randomized_response"
    K_RANDOMIZED_RESPONSE = "k_randomized_response"
    RAPPOR = "rappor"
    CUBE = "cube"
    DISCRETE_GAUSSIAN = "discrete_gaussian"
    LAPLACE_THRESHOLDING = "laplace_thresholding"
    WEIGHTED_SELECTION = "weighted_selection"


@dataclass(frozen=True, slots=True)
class Event:
    """What one mechanism did: its sensitivity (in grid units) and its exact cost. A charge is made of these.

    `sensitivity` is the L1 sensitivity of a discrete Laplace vector, D_R of a selection, and g, the most groups
    a unit can touch, of a partition selection or a thresholding. For the local mechanisms (randomized response, RAPPOR)
    it is 1, the one row of a unit, and their epsilon holds where that row is replaced. For the cube mechanism it is the
    L-infinity sensitivity. A discrete Gaussian of parameter sigma**2 = `variance` (grid units, squared) states the
    square of its L2 sensitivity; elsewhere `variance` is None. A weighted selection is two events: the Gaussian of its
    weights, at sensitivity 1, and one without epsilon that has the delta of its threshold, and g. The meaning of an
    existing event never changes.

    `cost` is what the mechanism guarantees by itself, with one exception: a Gaussian that is planned under zcdp or rdp
    has the cost (epsilon, 0) that it was asked at, with variance = sensitivity / epsilon**2, so that its rho is
    epsilon**2 / 2. Those accountants read its variance and sensitivity alone, and take its cost for the query's price;
    a Gaussian planned under approx has a delta above 0, and its cost is its guarantee.

    `refines` is None but where an account that has paid for a discrete Laplace release at that epsilon receives a finer
    one on the same path of noise: `cost` is then what is due on top of it, their difference.
    """

    mechanism: Mechanism
    sensitivity: int
    cost: Cost
    variance: Fraction | None = None
    refines: Fraction | None = None

    def __post_init__(self) -> None:
        laplace = self.mechanism is Mechanism.DISCRETE_LAPLACE and not self.cost.delta
        if self.refines is not None and not (laplace and self.refines > 0 and self.cost.epsilon > 0):
            raise ValueError("only discrete Laplace noise is refined, and by a larger epsilon")
        gaussian = self.mechanism is Mechanism.DISCRETE_GAUSSIAN
        if gaussian != (self.variance is not None) or (self.variance is not None and self.variance <= 0):
            raise ValueError("a discrete Gaussian has a variance above 0, and nothing else has one")


@dataclass(frozen=True, slots=True)
class Confined:
    """The parts of the policy's partition outside of which no unit has a row that a release reads.

    `parts` are sorted; each is a value as JSON, `null` the part of NULL and of all values that are not listed. A unit
    has rows in at most `touched` parts of two neighbouring databases together: one where it comes or goes, two where it
    is replaced. In the latter case a release is confined to one part or not at all: two parts would count it twice.
    """

    parts: tuple[str, ...]
    touched: int = 1

    def __post_init__(self) -> None:
        if not self.parts or list(self.parts) != sorted(set(self.parts)):
            raise ValueError("parts are listed in order, each once, and there is one at least")
        if self.touched not in (1, 2) or (self.touched == 2 and len(self.parts) > 1):
            raise ValueError("a unit is in one part, or in two of which a release sees one")


FITTED_TO: Final = "\nfitted to "
"""In a charge's text, what the keys of the draws stand behind that its answer is fitted to. What a canonical text
quotes is written with escapes, so that it has no line of its own."""


@dataclass(frozen=True, slots=True)
class Charge:
    """What one release asks of the ledger.

    `key` identifies the draw (a digest of the release's canonical form, budget, policy and data version);
    `canonical` is that form for people and auditors, of which the first `about` characters say what rows it is about
    (0: nothing else is to be found by them); `cost` is the sum of the events' costs. `confined` says whose loss it is:
    None, every unit's. `path` names the path of noise that the draw is a part of, empty for a draw of its own: draws on
    one path are private together for the largest of their epsilons, event by event.
    """

    key: str
    canonical: str
    events: tuple[Event, ...]
    about: int = 0
    confined: Confined | None = None
    path: str = ""
    cost: Cost = field(init=False)

    def __post_init__(self) -> None:
        total = sum((e.cost for e in self.events), FREE)
        object.__setattr__(self, "cost", total)
