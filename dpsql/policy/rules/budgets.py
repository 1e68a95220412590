"""The rules of budgets: what may be spent in all, by whom, and by one query."""

from __future__ import annotations

from fractions import Fraction

from dpsql.policy.findings import Spot, check_names
from dpsql.policy.model import AccountantName, Budget, Dataset, Role
from dpsql.policy.names import account_name_mistake, analyst_name_mistake, fold_name
from dpsql.policy.readings import DELTA_UNIT, EPSILON_UNIT
from dpsql.policy.rules.shape_check import part
from dpsql.policy.shapes import AnalystShape, CostShape, DatasetShape, GrantShape, RoleShape
from dpsql.policy.yaml_positions import Entry, Mapping
from dpsql.privacy import FREE, Cost

PER_QUERY_SHARE = Fraction(1, 10)
_SAME = "is the same {} as {{}}: case and Unicode variants do not count"


def read_dataset(budgets: Mapping, accountant: AccountantName, spot: Spot) -> Dataset:
    """The cap over all analysts together."""
    entry = budgets.get("dataset")
    shape = part(DatasetShape, entry.value if entry else None)
    if shape is None:
        return Dataset(FREE)
    return Dataset(_limit(shape, accountant, spot.under("dataset")), shape.window, shape.name)


def read_default(budgets: Mapping, accountant: AccountantName, spot: Spot) -> Budget | None:
    """The budget of every analyst who is not named, or None."""
    entry = budgets.get("default")
    return _grant(entry, accountant, spot.under("default")) if entry else None


def read_analysts(
    budgets: Mapping,
    listed: tuple[Entry, ...],
    default: Budget | None,
    accountant: AccountantName,
    spot: Spot,
) -> tuple[tuple[tuple[str, Budget], ...], tuple[str, ...]]:
    """The named analysts' budgets by folded name, and those who have none; names that fold together are a mistake.

    A `default` that is written but has mistakes of its own is no mistake of those who have its budget.
    """
    written = budgets.get("default") is not None
    check_names(listed, analyst_name_mistake, fold_name, _SAME.format("analyst"), spot)
    shapes = [(e, shape) for e in listed if (shape := part(AnalystShape, e.value)) is not None]
    revoked = [fold_name(e.key) for e, shape in shapes if shape.revoked or shape.epsilon == 0]
    granted = [
        (fold_name(e.key), _of_analyst(e, shape, default, accountant, spot.under(e.key), written=written))
        for e, shape in shapes
        if fold_name(e.key) not in revoked
    ]
    return tuple((name, budget) for name, budget in granted if budget), tuple(revoked)


def _of_analyst(
    entry: Entry,
    shape: AnalystShape,
    default: Budget | None,
    accountant: AccountantName,
    spot: Spot,
    *,
    written: bool,
) -> Budget | None:
    if shape.epsilon is not None:
        return _grant(entry, accountant, spot)
    if shape.model_fields_set:
        spot.add("`epsilon` is missing: write a number above 0, or `{}` for what `default` grants")
    elif default is None and not written:
        spot.add(
            "there is no `default` to have the budget of: write {epsilon: 1, delta: 1e-7, per_query: 0.1}"
        )
    return default


def read_roles(listed: tuple[Entry, ...], accountant: AccountantName, spot: Spot) -> tuple[Role, ...]:
    """The roles by folded name; nobody is a member of two."""
    check_names(listed, account_name_mistake, fold_name, _SAME.format("role"), spot)
    role_of: dict[str, str] = {}
    roles: list[Role] = []
    for entry in listed:
        here = spot.under(entry.key)
        shape, budget = part(RoleShape, entry.value), _grant(entry, accountant, here)
        if shape is not None and budget is not None:
            members = _members(shape.members, entry.key, role_of, here.under("members"))
            roles.append(Role(fold_name(entry.key), budget, members))
    return tuple(roles)


def _members(given: tuple[str, ...], role: str, role_of: dict[str, str], spot: Spot) -> tuple[str, ...]:
    """The folded names, entered into `role_of`."""
    for name in given:
        folded = fold_name(name)
        if mistake := analyst_name_mistake(name):
            spot.add(f"{name}: {mistake}")
        if folded in role_of:
            spot.add(f"{name} is listed already, in the role {role_of[folded]}; an analyst has one role")
        role_of.setdefault(folded, role)
    return tuple(dict.fromkeys(fold_name(name) for name in given))


def _grant(entry: Entry, accountant: AccountantName, spot: Spot) -> Budget | None:
    shape = part(GrantShape, entry.value, frozenset({"members", "revoked"}))
    if shape is None:
        return None
    limit = _limit(shape, accountant, spot)
    return Budget(limit, _per_query(shape, limit, accountant, spot.under("per_query")), shape.window)


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
    """What one query may cost: by default a tenth of epsilon, and as much of the delta that private keys may use.

    Defaults are rounded down to the ledger's units.
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
