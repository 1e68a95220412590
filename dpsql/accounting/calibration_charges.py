"""What a calibration costs: noisy histograms of units, each drawn at an equal share of one epsilon."""

from __future__ import annotations

from fractions import Fraction

from dpsql.mechanisms.clipping.clipping_noise import Noise, laplace
from dpsql.policy.model import CalibratedDraw, Policy
from dpsql.privacy import Charge, Cost, Neighbours

_KEY = "calibration "
KEYS = _KEY, "calibration!"
"""The keys of all draws, in the order of their characters: from the first of these on, and below the second."""
ABOUT = "limits found for the policy"


def histogram_noise(draw: CalibratedDraw, neighbours: Neighbours) -> Noise:
    """The noise of every count: discrete Laplace at sensitivity 1, or 2 if a unit is replaced."""
    return laplace(draw.epsilon / draw.histograms, neighbours)


def calibration_charge(draw: CalibratedDraw) -> Charge:
    """What the draw is charged as: an event for each histogram, confined to no part of a partition.

    The same for a draw that is to be made and for one that a policy lists. The events bound the noise under either
    relation of neighbours (see `clipping_noise`).
    """
    share = Cost(Fraction(draw.epsilon, draw.histograms))
    event = histogram_noise(draw, Neighbours.ADD_REMOVE).event(share)
    return Charge(_KEY + draw.name, ABOUT, (event,) * draw.histograms)


def opening_charges(policy: Policy) -> tuple[Charge, ...]:
    """What every account under the policy begins with, whichever ledger it has."""
    return tuple(map(calibration_charge, policy.calibrated))
