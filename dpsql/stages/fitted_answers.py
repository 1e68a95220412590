"""New answers that are fitted to what the analyst has received of the same rows, and answers that were.

An answer that was given stays: its payment names the draws that it was fitted to, or none. Which those are depends on
the text, the policy and what this analyst had received when it was paid for; never on what others asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from dpsql.plan.rollup.fitted_sums import can_be_fitted, fitted_release
from dpsql.plan.types import Release
from dpsql.privacy import Charge
from dpsql.release.prepared_query import Fitted, PreparedQuery
from dpsql.stages.received_releases import fitted_again, fitted_to, marked, planned, unmarked
from dpsql.stages.state import State

T = TypeVar("T")
_FITTED = "fitted"
# Of more releases about the same rows, the latest are looked at.
_MOST_LOOKED_AT = 64
# Charges as the analyst's payments have them.
History = tuple[Charge, ...]


def fit_to_received(query: PreparedQuery, missing: set[str], s: State) -> PreparedQuery:
    """The query with every release as it was fitted when it was received; and with `combine`, every one that is yet to
    be drawn as it is fitted to what was received of the same rows."""
    remembered = s.received.find((_FITTED, query.memory))
    if isinstance(remembered, PreparedQuery) and not any(c.key in missing for c in remembered.due):
        return remembered  # else a database server has lost its last draws with the power
    fitted = s.ledger.received_fitted(s.request, tuple(set(query.keys) - missing))
    places = range(len(query.charges))
    histories = {i: _history(i, query, s) for i in places if _may_be(i, query, missing, fitted)}
    made = s.stack.run(lambda: _fitted(query, histories, missing, s)) if any(histories.values()) else query
    if not any(c.key in missing for c in query.due):
        s.received.keep((_FITTED, query.memory), made)
    return made


def _may_be(i: int, query: PreparedQuery, missing: set[str], fitted: frozenset[str]) -> bool:
    charge = query.charges[i]
    alone = query.derivations[i] is None and query.averaged[i] is None
    if charge is None or not alone or not can_be_fitted(query.plan.releases[i]):
        return False
    return charge.key in fitted or (charge.key in missing and query.combine)


def _history(i: int, query: PreparedQuery, s: State) -> History:
    """What the analyst has received about the same rows, the earliest first."""
    begins = (begin for begin, dropped in query.begins[i] if not dropped)
    return tuple(charge for begin in begins for charge, _ in s.ledger.received_alike(s.request, begin))


def _fitted(
    query: PreparedQuery, histories: dict[int, History], missing: set[str], s: State
) -> PreparedQuery:
    for i, history in histories.items():
        charge, release = query.charges[i], query.plan.releases[i]
        assert charge is not None
        if charge.key in missing:
            fit = _fitted_anew(release, history[-_MOST_LOOKED_AT:], s)
        else:
            fit = _fitted_before(release, charge, history, s)
        if fit is not None:
            kept = marked(charge, [c.key for c in fit.received]) if charge.key in missing else charge
            query = replace(
                query,
                plan=replace(query.plan, releases=_put(query.plan.releases, i, fit.release)),
                charges=_put(query.charges, i, kept),
                fitted=_put(query.fitted, i, fit),
            )
    return query


def _fitted_anew(release: Release, history: History, s: State) -> Fitted | None:
    """The release fitted to the surest draws of other questions; draws on one path are not independent."""
    by_key: dict[str, tuple[Fraction, Charge, Release]] = {}
    for charge in map(unmarked, history):
        other = planned(charge, s)
        if other is None or not can_be_fitted(other) or other.question == release.question:
            continue
        epsilon, name = charge.cost.epsilon, charge.path or charge.key
        if name not in by_key or by_key[name][0] < epsilon:
            by_key[name] = epsilon, charge, other
    made = fitted_release(release, [other for _, _, other in by_key.values()], s.context)
    if made is None:
        return None
    fit, used = made
    earlier = [list(by_key.values())[i] for i in used]
    return Fitted(tuple(c for _, c, _ in earlier), tuple(r for _, _, r in earlier), release, fit)


def _fitted_before(release: Release, charge: Charge, history: History, s: State) -> Fitted | None:
    """The release as it was fitted when the analyst paid for it."""
    own = next((c for c in history if c.key == charge.key), None)
    others = fitted_with(own, history) if own is not None else None
    return fitted_again(release, others, s) if others else None


def fitted_with(charge: Charge, history: Sequence[Charge]) -> tuple[Charge, ...] | None:
    """The draws that an answer was fitted to, out of what was received about the same rows; None where one is not
    there."""
    by_key = {c.key: unmarked(c) for c in history}
    keys = fitted_to(charge)
    return tuple(by_key[k] for k in keys) if all(k in by_key for k in keys) else None


def _put(items: tuple[T, ...], i: int, item: T) -> tuple[T, ...]:
    return (*items[:i], item, *items[i + 1 :])
