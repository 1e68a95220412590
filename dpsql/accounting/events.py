"""Events as the ledger writes them: exact costs as fractions, so that an outsider can recompute every total."""

from __future__ import annotations

import json
from fractions import Fraction

from dpsql.privacy import Cost, Event, Mechanism


def events_json(events: tuple[Event, ...]) -> str:
    """The events as a JSON list of objects."""
    return json.dumps([_written(event) for event in events])


def events_of_json(text: str) -> tuple[Event, ...]:
    """The events that `events_json` wrote; ValueError, KeyError or TypeError for anything else."""
    return tuple(map(_read, json.loads(text)))


def _written(event: Event) -> dict[str, str | int]:
    written: dict[str, str | int] = {
        "mechanism": str(event.mechanism),
        "sensitivity": event.sensitivity,
        "epsilon": str(event.cost.epsilon),
        "delta": str(event.cost.delta),
    }
    return written if event.variance is None else written | {"variance": str(event.variance)}


def _read(written: dict[str, str | int]) -> Event:
    variance = written.get("variance")
    return Event(
        Mechanism(str(written["mechanism"])),
        int(written["sensitivity"]),
        Cost(Fraction(written["epsilon"]), Fraction(written["delta"])),
        Fraction(variance) if variance is not None else None,
    )
