"""Events as the ledger writes them: exact costs as fractions, so that an outsider can recompute every total."""

from __future__ import annotations

import json
from fractions import Fraction

from dpsql.privacy import Cost, Event, Mechanism


def events_json(events: tuple[Event, ...]) -> str:
    """The events as a JSON list of objects."""
    return json.dumps([written(event) for event in events])


def events_of_json(text: str) -> tuple[Event, ...]:
    """The events that `events_json` wrote; ValueError, KeyError or TypeError for anything else."""
    return tuple(map(_read, json.loads(text)))


def written(event: Event) -> dict[str, str | int]:
    """The event as a JSON object."""
    found: dict[str, str | int] = {
        "mechanism": str(event.mechanism),
        "sensitivity": event.sensitivity,
        "epsilon": str(event.cost.epsilon),
        "delta": str(event.cost.delta),
    }
    return found if event.variance is None else found | {"variance": str(event.variance)}


def _read(found: dict[str, str | int]) -> Event:
    variance = found.get("variance")
    return Event(
        Mechanism(str(found["mechanism"])),
        int(found["sensitivity"]),
        Cost(Fraction(found["epsilon"]), Fraction(found["delta"])),
        Fraction(variance) if variance is not None else None,
    )
