"""The explanation of a query, as its session gives it: it knows what the analyst has received."""

from __future__ import annotations

from dpsql.accounting.ledger.path_credit import Credit
from dpsql.release.explain.bias import bias_notes
from dpsql.release.explain.plan import explain_plan, noise_choice
from dpsql.release.prepared_query import PreparedQuery
from dpsql.release.types import Explanation
from dpsql.stages.made_up.made_up_rows import explain_made_up
from dpsql.stages.replay_inputs import replay_of
from dpsql.stages.state import State


def explain_query(query: PreparedQuery, s: State) -> Explanation:
    """What the query costs and how sure it will be; from memory unless a part of it is paid already."""
    if query.made_up:
        return explain_made_up(query)
    credits, remembered = _credits(query, s), query.memory.explanation
    if remembered is not None and not any(credits):
        return remembered
    bias = bias_notes(query.plan.releases, None, s.context.policy)
    made = explain_plan(query, noise_choice(s.context), replay_of(query, s), credits, bias)
    if not any(credits):
        query.memory.explanation = made
    return made


def _credits(query: PreparedQuery, s: State) -> tuple[Credit, ...]:
    """For each release what the analyst has paid of it by coarser ones; empty for one that was received itself, or is
    read from another. Nothing of what others did."""
    received = s.ledger.received(s.request, tuple(c.key for c in query.due if c.path))
    return tuple(
        s.ledger.credit(s.request, c) if c and c.path and d is None and c.key not in received else ()
        for c, d in zip(query.charges, query.derivations, strict=True)
    )
