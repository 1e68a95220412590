"""What was spent, in the words of Google's dp_accounting, so that an outsider can recompute every total.

Each event stands beside its exact parameters, in the form of `dp_accounting.DpEvent.to_named_tuple`. A mechanism
without a name there is exported as what it is at worst: a pure one as randomized response between two answers, the
exponential mechanism as rho = epsilon^2/8, which its bounded range gives. The delta of private keys is reserved beside
its event. A charge that is confined to parts of a partition names them: it is nothing to a unit in another one. Who had
paid for a coarser draw on the same path of noise pays what stands under "reduced": there `epsilon` is the difference,
`refines` the epsilon of the coarser draw, and the dp_event, given that draw, a rho of half the square of their sum.
"""

from __future__ import annotations

import json
import math

from dpsql.accounting.accountants.events import events_of_json, written
from dpsql.accounting.accountants.losses import rho_of
from dpsql.accounting.ledger.ledger_pages import Entry, Paid
from dpsql.accounting.ledger.path_credit import credit_of_json, owed
from dpsql.accounting.types import DATASET
from dpsql.privacy import Event, Mechanism

MODULE = "dp_accounting.dp_event"


def exported(entry: Entry) -> dict[str, object]:
    """An entry with its charges, who paid for each, and their events."""
    head = entry.head
    accounts = f"analyst {head.analyst}", f"role {head.role}", DATASET
    return {
        "entry": head.id,
        "time": head.time,
        "dataset": head.dataset,
        "analyst": head.analyst,
        "role": head.role,
        "policy": head.policy_digest,
        "data_version": head.data_version,
        "accountant": head.accountant,
        "charges": [_charge(accounts, charge) for charge in entry.charges],
    }


def _charge(accounts: tuple[str, ...], charge: Paid) -> dict[str, object]:
    """A charge with its events, and who paid for it: all of them or, of a finer draw, what is listed as reduced."""
    events = events_of_json(charge.events)
    paid = {a: credit_of_json(c) for a, c in zip(accounts, charge.credits, strict=True) if c is not None}
    return {
        "key": charge.key,
        "canonical": charge.canonical,
        "paid_by": list(paid),
        "parts": json.loads(charge.parts)["parts"] if charge.parts is not None else None,
        "events": [_event(e) for e in events],
        "reduced": {account: [_event(e) for e in owed(events, c)] for account, c in paid.items() if c},
    }


def _event(event: Event) -> dict[str, object]:
    return {**written(event), "dp_event": dp_event(event)}


def dp_event(event: Event) -> dict[str, str | int | float]:
    """The event of dp_accounting that says the same, as the fields of its named tuple."""
    epsilon = float(event.cost.epsilon)
    if event.variance is not None:
        squared = event.variance / event.sensitivity if event.sensitivity else math.inf
        return _named("GaussianDpEvent", noise_multiplier=math.sqrt(squared))
    if not epsilon:
        return _named("NoOpDpEvent")
    if event.refines is not None:
        return _named("ZCDpEvent", rho=float(rho_of(event)), xi=0.0)
    if event.mechanism is Mechanism.DISCRETE_LAPLACE and event.sensitivity >= 1 and not event.cost.delta:
        parameter = float(event.cost.epsilon / event.sensitivity)
        return _named("DiscreteLaplaceDpEvent", noise_parameter=parameter, sensitivity=event.sensitivity)
    if event.mechanism is Mechanism.EXPONENTIAL:
        return _named("ZCDpEvent", rho=float(event.cost.epsilon**2 / 8), xi=0.0)
    uniform = 2 * math.exp(-epsilon) / (1 + math.exp(-epsilon))
    return _named("RandomizedResponseDpEvent", noise_parameter=uniform, num_buckets=2)


def _named(name: str, **fields: float) -> dict[str, str | int | float]:
    return {"module_name": MODULE, "class_name": name, **fields}
