"""What a charge is about, as a short name of its rows, so that charges about the same rows are found by an index."""

from __future__ import annotations

import hashlib

from dpsql.privacy import Charge

# 64 bits: where two texts meet in them, the texts themselves still tell them apart.
DIGITS = 16


def subject(beginning: str) -> str:
    """The name of the rows of all charges whose canonical text begins so; empty for no text."""
    return hashlib.sha256(beginning.encode()).hexdigest()[:DIGITS] if beginning else ""


def subject_of(charge: Charge) -> str:
    """The name of the rows that a charge is about."""
    return subject(charge.canonical[: charge.about])
