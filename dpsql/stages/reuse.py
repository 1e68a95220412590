"""Answers that an analyst has received already: read again for nothing, also where the question is another one.

What is found depends on the text, the policy and what this analyst received before; never on what others asked. The
earliest release that implies a question answers it, so that a question keeps its answer.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from dpsql.algebra.canonical import canonical_tuple, digest
from dpsql.algebra.expressions import Expr
from dpsql.engines.base import EngineQuery
from dpsql.plan.derivation import Beginning, Derivation, derived_release
from dpsql.plan.forms import canonical
from dpsql.plan.independent_draws import (
    adds_variances,
    as_sure_as,
    can_be_averaged,
    draw_the_same,
    left_to_draw,
    precision,
)
from dpsql.plan.types import Plan, Release
from dpsql.plan.verify.cost import check_cost
from dpsql.privacy import Charge, Cost
from dpsql.release.prepared_query import Averaged, Fitted, PreparedQuery
from dpsql.release.uncertainty.expected_error import largest_error
from dpsql.release.uncertainty.intervals import half_width
from dpsql.slotted import dataclass
from dpsql.stages.charges import charged, read_by
from dpsql.stages.fitted_answers import fit_to_received, fitted_with
from dpsql.stages.planning import queries_of
from dpsql.stages.received_releases import fitted_again, planned, planned_as, planned_at, unmarked
from dpsql.stages.replay_inputs import replay_of
from dpsql.stages.state import State

T = TypeVar("T")
# How a fresh draw's canonical text begins: no other question is answered from it.
FRESH = "fresh "
# More releases about the same rows than these are not looked at.
_MOST_EARLIER = 64
# What the key of a draw is made of that is averaged with one before.
BESIDE = "beside"
_Found = tuple[Release, Derivation, Charge, Fitted | None]
# A received release, the conditions that it lacks, and the draws that its answer was fitted to.
_Earlier = tuple[Charge, tuple[Expr, ...], tuple[Charge, ...]]


def reuse_received(query: PreparedQuery, s: State) -> PreparedQuery:
    """The query with every release that the analyst's earlier ones imply read from those; with new keys if `fresh`."""
    if not query.due:
        return query
    if query.fresh:
        return _drawn_anew(query)
    other_keys = tuple(o.key for o in query.others if o is not None)
    received = s.ledger.received(s.request, query.keys + other_keys)
    missing = set(query.keys) - received
    if any(read_by(q) for queries in query.queries for q in queries):
        return query
    if not missing:
        return fit_to_received(query, missing, s)
    if any(key in received for key in other_keys):
        query = _as_received(query, received)
        missing = set(query.keys) - received
    if missing:
        query = _remembered(query, missing, s)
    return fit_to_received(_beside_received(query, missing, s), missing, s)


def _as_received(query: PreparedQuery, received: frozenset[str]) -> PreparedQuery:
    """The same query with what was received before the policy's windows changed as what was received then."""
    pairs = zip(query.charges, query.others, strict=True)
    return replace(
        query,
        charges=tuple(o if c and o and c.key not in received and o.key in received else c for c, o in pairs),
    )


def _drawn_anew(query: PreparedQuery) -> PreparedQuery:
    """The same query under keys that nothing is stored under, so that all of it is drawn and paid for."""
    nonce = secrets.token_hex(16)
    charges = tuple(
        c and Charge(digest(FRESH, nonce, c.key), FRESH + c.canonical, c.events, confined=c.confined)
        for c in query.charges
    )
    return replace(query, charges=charges)


def _remembered(query: PreparedQuery, missing: set[str], s: State) -> PreparedQuery:
    """What was found for the same query in this session, which has one ledger."""
    remembered = s.received.find(query.memory)
    if isinstance(remembered, PreparedQuery) and _is_held(remembered, s):
        return remembered
    earlier = [_earlier(b, c, missing, s) for b, c in zip(query.begins, query.charges, strict=True)]
    if not any(earlier):
        return query
    # The ledger belongs to the caller's thread; what may be deep is read on the planner's stack.
    made = s.stack.run(lambda: _looked_up(query, earlier, s))
    if made is not query:
        s.received.keep(query.memory, made)
    return made


def _is_held(query: PreparedQuery, s: State) -> bool:
    """Whether the draws that a query is read from are received still: a server that stopped may have lost the last."""
    read = zip(query.charges, query.derivations, query.averaged, strict=True)
    keys = [c.key for c, derivation, mean in read if c is not None and (derivation or mean)]
    keys += [c.key for mean in query.averaged if mean is not None for c in mean.received]
    return s.ledger.received(s.request, tuple(keys)).issuperset(keys)


def _earlier(
    begins: tuple[Beginning, ...], charge: Charge | None, missing: set[str], s: State
) -> tuple[_Earlier, ...]:
    """Received releases at the same cost or a higher one, the earliest first, with the conditions they lack."""
    if charge is None or charge.key not in missing:
        return ()
    alike = [(dropped, s.ledger.received_alike(s.request, begin)) for begin, dropped in begins]
    candidates = [
        (entry, unmarked(earlier), dropped, fitted_with(earlier, [c for c, _ in history]))
        for dropped, history in alike
        for earlier, entry in history
        if earlier.cost.epsilon >= charge.cost.epsilon and earlier.cost.delta >= charge.cost.delta
    ]
    first = sorted(candidates, key=lambda f: (f[0], f[1].key))[:_MOST_EARLIER]
    return tuple((earlier, dropped, others) for _, earlier, dropped, others in first if others is not None)


def _looked_up(query: PreparedQuery, earlier: list[tuple[_Earlier, ...]], s: State) -> PreparedQuery:
    sources = [_derived(r, e, s) for r, e in zip(query.plan.releases, earlier, strict=True)]
    if not any(sources):
        return query
    made = replace(
        query,
        plan=replace(
            query.plan,
            releases=tuple(f[0] if f else r for f, r in zip(sources, query.plan.releases, strict=True)),
        ),
        charges=tuple(f[2] if f else c for f, c in zip(sources, query.charges, strict=True)),
        queries=tuple(_queries(f, s) if f else q for f, q in zip(sources, query.queries, strict=True)),
        derivations=tuple(f[1] if f else None for f in sources),
        fitted=tuple(f[3] if f else None for f in sources),
    )
    return made if _sure_enough(made, s) else query


def _derived(requested: Release, candidates: tuple[_Earlier, ...], s: State) -> _Found | None:
    """The earliest release that implies the requested one."""
    for earlier, dropped, others in candidates:
        release = planned(earlier, s)
        fit = fitted_again(release, others, s) if release is not None and others else None
        if release is None or (others and fit is None):
            continue
        shown = fit.release if fit is not None else release
        source = derived_release(requested, shown, dropped, s.context)
        if source is not None and (source[1].copies == 1 or _no_worse(source[0], requested)):
            return source[0], replace(source[1], earlier=release), earlier, fit
    return None


def _no_worse(earlier: Release, requested: Release) -> bool:
    """Whether no measure has a wider interval than if it were drawn."""
    widths = (
        (half_width(e, earlier), half_width(f, requested))
        for e, f in zip(earlier.estimators, requested.estimators, strict=True)
    )
    return all(new is not None and old is not None and new <= old for new, old in widths)


def _sure_enough(query: PreparedQuery, s: State) -> bool:
    """Whether the error that was asked for is still promised."""
    if query.accuracy is None:
        return True
    error = largest_error(query.plan, query.cut.trace, replay_of(query, s))
    return error is not None and error <= query.accuracy


def _queries(source: _Found, s: State) -> tuple[EngineQuery, ...]:
    """What ran when the earlier release was drawn, of the parts that are read."""
    derivation = source[1]
    every = queries_of(derivation.earlier, s)
    return tuple(every[i] for i in derivation.parts)


@dataclass(frozen=True, slots=True)
class _Draw:
    """A received draw of a release, and those that it was made beside, the first one first."""

    charge: Charge
    release: Release
    before: tuple[_Draw, ...] = ()

    @property
    def together(self) -> tuple[Charge, ...]:
        """All of which the answer was the mean."""
        return (*(d.charge for d in self.before), self.charge)

    @property
    def precision(self) -> Fraction:
        """The square of the epsilon of one draw that is as sure as that mean."""
        return precision([c.cost.epsilon for c in self.together])


def _beside_received(query: PreparedQuery, missing: set[str], s: State) -> PreparedQuery:
    """The query with every release that the analyst has received less sure draws of as their mean with a new draw,
    which costs the difference; or, where their mean is sure enough already, as that."""
    if not missing or not adds_variances(s.context.policy.accountant):
        return query
    remembered = s.received.find((BESIDE, query.memory))
    if isinstance(remembered, PreparedQuery) and _is_held(remembered, s):
        return remembered
    earlier = [_same_question(i, query, missing, s) for i in range(len(query.plan.releases))]
    if not any(earlier):
        return query
    made = s.stack.run(lambda: _averaged(query, earlier, s))
    if made is not query and not any(a.due for a in made.averaged if a is not None):
        s.received.keep((BESIDE, query.memory), made)
    return made


def _same_question(i: int, query: PreparedQuery, missing: set[str], s: State) -> tuple[Charge, ...]:
    """What the analyst has received of the question of a release that is yet to be drawn, the earliest first."""
    charge, begins, release = query.charges[i], query.begins[i], query.plan.releases[i]
    if charge is None or charge.key not in missing or not can_be_averaged(release):
        return ()
    alike = (s.ledger.received_alike(s.request, begin) for begin, dropped in begins if not dropped)
    received = tuple(unmarked(earlier) for found in alike for earlier, _ in found)
    same = canonical_tuple(canonical(release.question), "").removesuffix(")") if received else ""
    return tuple(c for c in received if c.canonical.startswith(same))[:_MOST_EARLIER]


def _averaged(query: PreparedQuery, earlier: list[tuple[Charge, ...]], s: State) -> PreparedQuery:
    for i, received in enumerate(earlier):
        charge, release = query.charges[i], query.plan.releases[i]
        draws = _draws(release, charge, received, s) if charge is not None and received else []
        if charge is not None and draws:
            query = _with_mean(query, i, charge, draws, s) or query
    return query


def _draws(release: Release, charge: Charge, received: tuple[Charge, ...], s: State) -> list[_Draw]:
    """Those of what was received that are draws of this release with more or less noise."""
    draws: list[_Draw] = []
    for one in received:
        planned = planned_as(one, s)
        if planned is None or not draw_the_same(release, charge.cost.epsilon, planned[0], one.cost.epsilon):
            continue
        alone = planned[1][0]
        if alone == one:
            draws.append(_Draw(one, planned[0]))
        elif alone is not None:
            before = next((d for d in draws if _made_beside(alone, d.charge) == one), None)
            draws += [_Draw(one, planned[0], (*before.before, before))] if before is not None else []
    return draws


def _made_beside(charge: Charge, before: Charge) -> Charge:
    """What a draw is charged as that is averaged with one before, and with those that that one was averaged with."""
    return replace(charge, key=digest(BESIDE, charge.key, before.key))


def _with_mean(
    query: PreparedQuery, i: int, charge: Charge, draws: list[_Draw], s: State
) -> PreparedQuery | None:
    """The query with one release as the first mean that is sure enough, or as that of the surest and a new draw."""
    epsilon, release = charge.cost.epsilon, query.plan.releases[i]
    enough = next((d for d in draws if d.precision >= epsilon * epsilon), None)
    if enough is not None:
        at = as_sure_as(enough.precision)
        shown = planned_at(release.question, Cost(at), s)
        received, drawn, last, due = enough.together[:-1], enough.release, enough.charge, False
    else:
        surest = max(draws, key=lambda d: d.precision)
        drawn_now = planned_at(release.question, Cost(left_to_draw(epsilon, surest.precision)), s)
        alone = charged(drawn_now, (), s)[0] if drawn_now is not None else None
        if drawn_now is None or alone is None:
            return None
        check_cost(Plan((drawn_now,), ""), alone.cost, s.context)
        at, shown, received, drawn, due = epsilon, release, surest.together, drawn_now, True
        last = _made_beside(alone, surest.charge)
    alike = shown is not None and draw_the_same(release, epsilon, shown, at)
    if shown is None or not alike or not draw_the_same(release, epsilon, drawn, last.cost.epsilon):
        return None
    mean = Averaged(received, drawn, due)
    return replace(
        query,
        plan=replace(query.plan, releases=_put(query.plan.releases, i, shown)),
        charges=_put(query.charges, i, last),
        queries=_put(query.queries, i, queries_of(drawn, s)),
        averaged=_put(query.averaged, i, mean),
    )


def _put(items: tuple[T, ...], i: int, item: T) -> tuple[T, ...]:
    return (*items[:i], item, *items[i + 1 :])
