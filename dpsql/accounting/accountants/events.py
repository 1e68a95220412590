"""Events as the ledger writes them: exact costs as fractions, so that an outsider can recompute every total."""

from __future__ import annotations

import json
from fractions import Fraction

from dpsql.privacy import Confined, Cost, Event, Mechanism


def events_json(events: tuple[Event, ...]) -> str:
    """The events as a JSON list of objects."""
    return json.dumps([written(event) for event in events])


def events_of_json(text: str) -> tuple[Event, ...]:
    """The events that `events_json` wrote; ValueError, KeyError or TypeError for anything else."""
    return tuple(map(_read, json.loads(text)))


def confined_json(confined: Confined | None) -> str | None:
    """The parts that a charge is confined to as a JSON object; None for every part."""
    if confined is None:
        return None
    return json.dumps({"parts": list(confined.parts), "touched": confined.touched}, ensure_ascii=True)


def confined_of_json(text: str | None) -> Confined | None:
    """What `confined_json` wrote; ValueError, KeyError or TypeError for anything else."""
    if text is None:
        return None
    found = json.loads(text)
    return Confined(tuple(map(str, found["parts"])), int(found["touched"]))


def written(event: Event) -> dict[str, str | int]:
    """The event as a JSON object."""
    found: dict[str, str | int] = {
        "mechanism": str(event.mechanism),
        "sensitivity": event.sensitivity,
        "epsilon": str(event.cost.epsilon),
        "delta": str(event.cost.delta),
    }
    if event.refines is not None:
        found["refines"] = str(event.refines)
    return found if event.variance is None else found | {"variance": str(event.variance)}


def _read(found: dict[str, str | int]) -> Event:
    variance, refines = found.get("variance"), found.get("refines")
    return Event(
        Mechanism(str(found["mechanism"])),
        int(found["sensitivity"]),
        Cost(Fraction(found["epsilon"]), Fraction(found["delta"])),
        Fraction(variance) if variance is not None else None,
        Fraction(refines) if refines is not None else None,
    )
