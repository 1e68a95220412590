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
    read = json.loads(text)
    return Confined(tuple(map(str, read["parts"])), int(read["touched"]))


def written(event: Event) -> dict[str, str | int]:
    """The event as a JSON object."""
    fields: dict[str, str | int] = {
        "mechanism": str(event.mechanism),
        "sensitivity": event.sensitivity,
        "epsilon": str(event.cost.epsilon),
        "delta": str(event.cost.delta),
    }
    if event.refines is not None:
        fields["refines"] = str(event.refines)
    return fields if event.variance is None else fields | {"variance": str(event.variance)}


def _read(fields: dict[str, str | int]) -> Event:
    variance, refines = fields.get("variance"), fields.get("refines")
    return Event(
        Mechanism(str(fields["mechanism"])),
        int(fields["sensitivity"]),
        Cost(Fraction(fields["epsilon"]), Fraction(fields["delta"])),
        Fraction(variance) if variance is not None else None,
        Fraction(refines) if refines is not None else None,
    )
