"""What an explanation says of releases that are finer than what the analyst has received of them: they cost the
difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dpsql.accounting.ledger.path_credit import Credit, owed
from dpsql.privacy import Charge, Event
from dpsql.release.types import Explanation
from dpsql.stages.prepare import Ready
from dpsql.stages.state import State


def credits_of(ready: Ready, s: State) -> tuple[Credit, ...]:
    """For each release what the analyst has paid of it by coarser ones; empty for one that was received itself, or is
    read from another. Nothing of what others did."""
    received = s.ledger.received(s.request, tuple(c.key for c in ready.due if c.path))
    derivations = ready.derivations or (None,) * len(ready.charges)
    return tuple(
        s.ledger.credit(s.request, c) if c and c.path and v is None and c.key not in received else ()
        for c, v in zip(ready.charges, derivations, strict=True)
    )


def with_credits(
    found: Explanation, charges: Sequence[Charge | None], credits: Sequence[Credit]
) -> Explanation:
    """The explanation at the cost of what is left to pay, with a note on each release that costs less for it."""
    notes, saved = [], Fraction(0)
    for i, (charge, credit) in enumerate(zip(charges, credits, strict=True)):
        if charge is None or not credit:
            continue
        left = _epsilon(owed(charge.events, credit))
        saved += charge.cost.epsilon - left
        notes.append(
            f"released.r{i} refines the answer that you received at epsilon {float(sum(credit)):g}: it costs "
            f"{float(left):g} instead of {float(charge.cost.epsilon):g}"
        )
    return replace(found, epsilon=found.epsilon - saved, notes=(*found.notes, *notes))


def _epsilon(events: tuple[Event, ...]) -> Fraction:
    return sum((e.cost.epsilon for e in events), Fraction(0))
