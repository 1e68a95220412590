"""What a query may cost: what its connection was opened with, or what the query's own options say, never more than
the policy allows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from dpsql.errors import QueryRefused
from dpsql.plan.releases import DELTA_UNIT, EPSILON_UNIT
from dpsql.policy.exact_decimals import NotExact, TooLarge, TooSmall, decimal_of_text
from dpsql.policy.model import Policy
from dpsql.privacy import Cost
from dpsql.sql.parse.options import Option
from dpsql.stages.state import State

_UNSIGNED: Final = re.compile(r"[0-9.]")
_COUNT: Final = re.compile(r"[1-9]\d{0,17}", re.ASCII)
_UNITS: Final = MappingProxyType({"epsilon": EPSILON_UNIT, "delta": DELTA_UNIT})


def asked(options: tuple[Option, ...] | None, s: State) -> Cost:
    """The cost that a query may have. Raises QueryRefused where an option is not one that can be honoured."""
    given = {option.name: option for option in options or ()}
    _check_caps(given, s.context.policy)
    epsilon = (
        _number(given["epsilon"], s.request.per_query.epsilon) if "epsilon" in given else s.asked.epsilon
    )
    delta = _number(given["delta"], s.request.per_query.delta) if "delta" in given else s.asked.delta
    if epsilon == 0:
        raise _refusal(given["epsilon"], "epsilon must be above 0")
    return Cost(epsilon, delta)


def accuracy_of(options: tuple[Option, ...] | None, s: State) -> float | None:
    """The error that the query may have, where it or its connection says so. Raises QueryRefused."""
    option = next((o for o in options or () if o.name == "accuracy"), None)
    if option is None:
        return s.accuracy
    try:
        found = float(_plain(option, "50"))
    except (TooLarge, TooSmall, OverflowError):
        found = 0.0
    if found == 0:
        raise _refusal(option, "accuracy must be above 0, and finite")
    return found


def fresh_of(options: tuple[Option, ...] | None, s: State) -> bool:
    """Whether the query pays for new draws, stored or not: it says so, or its connection does. Raises QueryRefused."""
    option = next((o for o in options or () if o.name == "fresh"), None)
    if option is None:
        return s.fresh
    if option.value.lower() not in ("true", "false"):
        raise _refusal(option, "fresh must be true or false")
    return option.value.lower() == "true"


def _number(option: Option, most: Fraction) -> Fraction:
    """The number as it is written, exactly."""
    unit = _UNITS[option.name]
    try:
        exact = _plain(option, "0.5")
    except TooLarge:
        raise _above(option, most) from None
    except TooSmall:
        raise _finer(option, unit) from None
    if exact > most:
        raise _above(option, most)
    if (exact / unit).denominator != 1:
        raise _finer(option, unit)
    return exact


def _plain(option: Option, example: str) -> Fraction:
    """A number without a sign. Raises TooLarge and TooSmall, and QueryRefused for all else."""
    try:
        if _UNSIGNED.match(option.value):
            return Fraction(decimal_of_text(option.value))
    except (TooLarge, TooSmall):
        raise
    except NotExact:
        pass
    raise _refusal(
        option,
        f"{option.name} must be a plain number such as {example}",
        "Signs, texts and sums are not read.",
    )


def _above(option: Option, most: Fraction) -> QueryRefused:
    return _refusal(option, f"the policy allows at most {option.name} {float(most):g} for one query")


def _finer(option: Option, unit: Fraction) -> QueryRefused:
    return _refusal(option, f"{option.name} is counted in units of {float(unit):g}; {option.value} is finer")


def _check_caps(given: Mapping[str, Option], policy: Policy) -> None:
    """The caps are the policy's: an option may repeat one, or name one that can never bite."""
    own = any(t.row_is_unit for t in policy.tables)
    cap = None if own else policy.privacy.max_rows_per_unit
    rows, groups = given.get("max_rows_contributed"), given.get("max_groups_contributed")
    if rows is not None and _count(rows) != cap:
        raise _refusal(rows, f"the policy {_cap(cap)}, and a query cannot change that", _leave_out(rows))
    if groups is not None and groups.value.upper() != "NULL" and (cap is None or _count(groups) < cap):
        own_cap = policy.privacy.max_groups_per_unit
        reason = "groups are not capped apart from rows"
        if own_cap is not None:
            reason = f"the policy caps groups at {own_cap}, and only where units are counted"
        raise _refusal(groups, f"{reason}: the policy {_cap(cap)}", _leave_out(groups))
    unit = given.get("privacy_unit_column")
    known = policy.privacy.unit.lower()
    if unit is not None and unit.value.lower() not in (known, known.rpartition(".")[2]):
        raise _refusal(unit, f"the policy protects {policy.privacy.unit}", _leave_out(unit))


def _count(option: Option) -> int:
    if not _COUNT.fullmatch(option.value):
        raise _refusal(option, f"{option.name} must be a whole number above 0")
    return int(option.value)


def _cap(cap: int | None) -> str:
    return "has no cap on the rows of a unit" if cap is None else f"takes at most {cap} rows of a unit"


def _leave_out(option: Option) -> str:
    return f"Leave {option.name} out."


def _refusal(option: Option, reason: str, hint: str | None = None) -> QueryRefused:
    return QueryRefused(reason, place=option.place, hint=hint)
