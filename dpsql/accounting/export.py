"""What was spent, in the words of Google's dp_accounting, so that an outsider can recompute every total.

Each event stands beside its exact parameters, in the form of `dp_accounting.DpEvent.to_named_tuple`. A mechanism
without a name there is exported as what it is at worst: a pure one as randomized response between two answers, the
exponential mechanism as rho = epsilon^2/8, which its bounded range gives. The delta of private keys is reserved beside
its event. A charge that is confined to parts of a partition names them: it is nothing to a unit in another one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

from dpsql.accounting.events import events_of_json, written
from dpsql.accounting.store import Connection
from dpsql.privacy import Event, Mechanism

MODULE = "dp_accounting.dp_event"


def exported(db: Connection) -> Iterator[dict[str, object]]:
    """Every entry, in order, with its charges, who paid for each, and their events."""
    for entry, at, dataset, analyst, role, policy, version, accountant, _, _ in db.execute(
        "SELECT * FROM entries ORDER BY id"
    ).fetchall():
        charges = db.execute(
            "SELECT key, canonical, events, drawn, role_paid, parts FROM charges WHERE entry = ? ORDER BY key",
            (entry,),
        ).fetchall()
        yield {
            "entry": entry,
            "time": at,
            "dataset": dataset,
            "analyst": analyst,
            "role": role,
            "policy": policy,
            "data_version": version,
            "accountant": accountant,
            "charges": [_charge(analyst, role, *charge) for charge in charges],
        }


def _charge(
    analyst: str,
    role: str | None,
    key: str,
    canonical: str,
    events: str,
    drawn: int,
    by_role: int,
    parts: str | None,
) -> dict[str, object]:
    paid_by = [f"analyst {analyst}", *([f"role {role}"] if by_role else []), *(["dataset"] if drawn else [])]
    return {
        "key": key,
        "canonical": canonical,
        "paid_by": paid_by,
        "parts": json.loads(parts)["parts"] if parts is not None else None,
        "events": [{**written(e), "dp_event": dp_event(e)} for e in events_of_json(events)],
    }


def dp_event(event: Event) -> dict[str, str | int | float]:
    """The event of dp_accounting that says the same, as the fields of its named tuple."""
    epsilon = float(event.cost.epsilon)
    if event.variance is not None:
        squared = event.variance / event.sensitivity if event.sensitivity else math.inf
        return _named("GaussianDpEvent", noise_multiplier=math.sqrt(squared))
    if not epsilon:
        return _named("NoOpDpEvent")
    if event.mechanism is Mechanism.DISCRETE_LAPLACE and event.sensitivity >= 1 and not event.cost.delta:
        parameter = float(event.cost.epsilon / event.sensitivity)
        return _named("DiscreteLaplaceDpEvent", noise_parameter=parameter, sensitivity=event.sensitivity)
    if event.mechanism is Mechanism.EXPONENTIAL:
        return _named("ZCDpEvent", rho=float(event.cost.epsilon**2 / 8), xi=0.0)
    uniform = 2 * math.exp(-epsilon) / (1 + math.exp(-epsilon))
    return _named("RandomizedResponseDpEvent", noise_parameter=uniform, num_buckets=2)


def _named(name: str, **fields: float) -> dict[str, str | int | float]:
    return {"module_name": MODULE, "class_name": name, **fields}
