"""The rules of budgets: what may be spent in all, by whom, and by one query."""

from __future__ import annotations

from fractions import Fraction

from dpsql.policy.findings import Spot
from dpsql.policy.model import AccountantName, Budget
from dpsql.policy.names import analyst_name_mistake, fold_name
from dpsql.policy.positions import Entry, Mapping
from dpsql.policy.readings import DELTA_UNIT, EPSILON_UNIT
from dpsql.policy.shapes import CostShape, GrantShape, part
from dpsql.privacy import FREE, Cost

PER_QUERY_SHARE = Fraction(1, 10)


def read_dataset(budgets: Mapping, accountant: AccountantName, spot: Spot) -> Cost:
    """The cap over all analysts together."""
    entry = budgets.get("dataset")
    shape = part(CostShape, entry.value if entry else None)
    return _limit(shape, accountant, spot.under("dataset")) if shape else FREE


def read_default(budgets: Mapping, accountant: AccountantName, spot: Spot) -> Budget | None:
    """The budget of every analyst who is not named, or None."""
    entry = budgets.get("default")
    return _grant(entry, accountant, spot.under("default")) if entry else None


def read_analysts(
    listed: tuple[Entry, ...], accountant: AccountantName, spot: Spot
) -> tuple[tuple[str, Budget], ...]:
    """The named analysts' budgets by folded name; two names that fold together are a mistake."""
    seen: dict[str, str] = {}
    granted: list[tuple[str, Budget]] = []
    for entry in listed:
        here = spot.under(entry.key)
        if mistake := analyst_name_mistake(entry.key):
            here.add_at_key(mistake)
        folded = fold_name(entry.key)
        if folded in seen:
            here.add_at_key(f"is the same analyst as {seen[folded]}: case and Unicode variants do not count")
        seen.setdefault(folded, entry.key)
        budget = _grant(entry, accountant, here)
        if budget:
            granted.append((folded, budget))
    return tuple(granted)


def _grant(entry: Entry, accountant: AccountantName, spot: Spot) -> Budget | None:
    shape = part(GrantShape, entry.value)
    if shape is None:
        return None
    limit = _limit(shape, accountant, spot)
    return Budget(limit, _per_query(shape, limit, accountant, spot.under("per_query")))


def _limit(shape: CostShape, accountant: AccountantName, spot: Spot) -> Cost:
    if accountant.is_filter and not shape.delta:
        spot.add(
            f"the {accountant} accountant needs a delta above 0, such as `delta: 1e-6`, to convert losses at"
        )
    return _cost(shape, accountant, spot)


def _cost(shape: CostShape, accountant: AccountantName, spot: Spot) -> Cost:
    if accountant is AccountantName.PURE and shape.delta:
        spot.under("delta").add("the pure accountant spends no delta; write 0, or `accountant: approx`")
    return Cost(shape.epsilon, shape.delta or Fraction(0))


def _per_query(shape: GrantShape, limit: Cost, accountant: AccountantName, spot: Spot) -> Cost:
    """What one query may cost: a tenth of the budget unless given; delta in proportion, of what
    private keys may use up, unless given.

    Derived amounts are rounded down to the ledger's units, so that they never exceed the proportion.
    """
    given = shape.per_query
    if given is None:
        epsilon = max(_down(limit.epsilon * PER_QUERY_SHARE, EPSILON_UNIT), EPSILON_UNIT)
    else:
        epsilon = given.epsilon if isinstance(given, CostShape) else given
    if epsilon > limit.epsilon:
        spot.add(f"epsilon ({float(epsilon):g}) must not be above the budget's ({float(limit.epsilon):g})")
        return limit
    most = limit.delta * accountant.keys_share
    if not isinstance(given, CostShape) or given.delta is None:
        return Cost(epsilon, _down(most * epsilon / limit.epsilon, DELTA_UNIT))
    if accountant.is_filter and given.delta > most:
        spot.add(
            f"delta ({float(given.delta):g}) must not be above what private keys may use up ({float(most):g})"
        )
        return limit
    if given.delta > limit.delta:
        spot.add(f"delta ({float(given.delta):g}) must not be above the budget's ({float(limit.delta):g})")
        return limit
    return _cost(given, accountant, spot)


def _down(value: Fraction, unit: Fraction) -> Fraction:
    return (value // unit) * unit
