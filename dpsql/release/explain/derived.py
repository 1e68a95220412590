"""What an explanation says of releases that are read from earlier ones, which costs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dpsql.accounting.accountants.losses import rho_of_all
from dpsql.plan.derivation import Derivation
from dpsql.privacy import FREE, Charge
from dpsql.release.types import Explanation


def with_derivations(
    found: Explanation, charges: Sequence[Charge | None], derivations: Sequence[Derivation | None]
) -> Explanation:
    """The explanation at the cost of what is drawn, with a note on each release that is not."""
    if not derivations:
        return found
    drawn = [c for c, v in zip(charges, derivations, strict=True) if c is not None and v is None]
    due = sum((c.cost for c in drawn), FREE)
    rho = rho_of_all(e for c in drawn for e in c.events) if found.rho is not None else None
    notes = (*found.notes, *_notes(charges, derivations))
    return replace(found, epsilon=due.epsilon, delta=due.delta, notes=notes, rho=rho)


def _notes(charges: Sequence[Charge | None], derivations: Sequence[Derivation | None]) -> Iterator[str]:
    for i, (charge, derivation) in enumerate(zip(charges, derivations, strict=True)):
        if charge is None or derivation is None:
            continue
        added = f" by adding up {derivation.copies} groups" if derivation.copies > 1 else ""
        yield (
            f"released.r{i} is read{added} from a release that you received before, drawn at epsilon "
            f"{float(charge.cost.epsilon):g}: free; OPTIONS(fresh = true) pays for a new draw"
        )
