"""The noise of a family's cells: the one place where a family's mechanism is turned into a draw."""

from __future__ import annotations

from typing import cast

import numpy as np

from dpsql.errors import InternalError
from dpsql.mechanisms.sampler import Sampler
from dpsql.noisy import Integers
from dpsql.plan.types import Family
from dpsql.privacy import Mechanism


def noised(family: Family, cells: Integers, sampler: Sampler) -> Integers:
    """The cells of every group (groups x cells) with the noise of the family; fails closed for any other mechanism."""
    if family.mechanism is Mechanism.CUBE:
        return sampler.cube(
            cells, sensitivity=family.sensitivity, epsilon=family.epsilon, widths=family.widths
        )
    flat = cells.reshape(-1)
    if family.mechanism is Mechanism.DISCRETE_LAPLACE:
        noisy = sampler.discrete_laplace(flat, sensitivity=family.sensitivity, epsilon=family.epsilon)
    elif family.mechanism is Mechanism.DISCRETE_GAUSSIAN and family.variance is not None:
        squared = family.sensitivity**2
        noisy = sampler.discrete_gaussian(
            flat, squared_sensitivity=squared, rho=squared / (2 * family.variance)
        )
    else:
        raise InternalError("a family of sums has no such noise; this is a bug in dpsql")
    return cast(Integers, np.asarray(noisy).reshape(cells.shape))
