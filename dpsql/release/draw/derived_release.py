"""What an earlier release says of a later one: its noisy cells, group by group; post-processing of what is public."""

from __future__ import annotations

from typing import cast

import numpy as np

from dpsql.plan.derivation import Derivation
from dpsql.plan.types import Key
from dpsql.release.draw.noisy import Integers, Noisy


def derived(noisy: Noisy, derivation: Derivation, domain: tuple[Key, ...] | None) -> Noisy:
    """The groups of a release with the cells of the earlier groups that each is made of, side by side."""
    if derivation.groups is None:
        groups = tuple(tuple(key[i] for i in derivation.keys) for key in noisy.keys)
        rows = np.arange(len(groups)).reshape(-1, 1)
    else:
        assert domain is not None, "groups that stand at known places are public"
        groups, rows = domain, np.array(derivation.groups)
    every = derivation.copies
    blocks = [
        noisy.cells[:, list(cells)][rows].reshape(len(groups), every * len(cells))
        for cells in derivation.cells
    ]
    return Noisy(groups, cast(Integers, np.hstack(blocks)))
