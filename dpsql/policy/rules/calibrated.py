"""The rules of `calibrated`: the draws that limits in the policy were taken from."""

from __future__ import annotations

import re

from dpsql.policy.findings import Spot
from dpsql.policy.model import CalibratedDraw
from dpsql.policy.rules.shape_check import part
from dpsql.policy.shapes import CalibratedShape
from dpsql.policy.yaml_positions import Mapping, entries

DRAW_NAME = re.compile(r"[a-z0-9-]{1,64}")


def read_calibrated(tree: Mapping, spot: Spot) -> tuple[CalibratedDraw, ...]:
    """The draws in the policy's order."""
    draws = []
    for entry in entries(tree, "calibrated"):
        here = spot.under("calibrated", entry.key)
        if not DRAW_NAME.fullmatch(entry.key):
            here.add_at_key(
                "a draw is called as `dpsql calibrate` printed it: lower-case letters, digits and dashes"
            )
        shape = part(CalibratedShape, entry.value)
        if shape is not None:
            draws.append(CalibratedDraw(entry.key, shape.epsilon, shape.histograms))
    return tuple(draws)
