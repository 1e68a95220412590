"""What is said beside a query: values of its placeholders, and what it may cost, by its connection or by itself."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from dpsql.errors import InterfaceError, ProgrammingError, QueryRefused, WrongType
from dpsql.plan.releases import DELTA_UNIT, EPSILON_UNIT
from dpsql.policy.exact_decimals import NotExact, TooLarge, TooSmall, decimal_of_text, exact_number
from dpsql.policy.model import ClippingMode, Policy
from dpsql.policy.scalars import shown
from dpsql.privacy import Cost
from dpsql.slotted import dataclass
from dpsql.sql.parse.privacy_options import Option
from dpsql.stages.arguments.own_limits import NO_LIMITS, OwnLimits, own_limits

Params = Sequence[object] | Mapping[str, object] | None
"""The values of a call: by place, by name, or none."""
_UNSIGNED: Final = re.compile(r"[0-9.]")
_NUMBERS: Final = (int, float, Decimal, Fraction, str)
_UNITS: Final = MappingProxyType({"epsilon": EPSILON_UNIT, "delta": DELTA_UNIT})


class Rows(enum.StrEnum):
    """What becomes of a query that would return rows of a private table."""

    REFUSE = "refuse"
    EMPTY = "empty"
    MOCK = "mock"


@dataclass(frozen=True, slots=True)
class Options:
    """How queries are answered.

    `cost` is what each of them may cost, or, with `accuracy`, the most that it may cost to have no larger 95 % error.
    With `fresh`, every query pays for new draws. `clipping` is how limits of what one unit adds are found, `limits` are
    those that a query names itself. With `combine`, new answers are fitted to what was received of the same rows. With
    `empty_conditions` a listed column may be compared with what is not on its
    list. `database` is the name by which a PostgreSQL client knows the database; statements about the system are then
    answered as PostgreSQL does before they are tried as DuckDB's.
    """

    cost: Cost
    rows: Rows = Rows.REFUSE
    accuracy: float | None = None
    fresh: bool = False
    clipping: ClippingMode = ClippingMode.FIXED
    limits: OwnLimits = NO_LIMITS
    empty_conditions: bool = False
    combine: bool = False
    database: str | None = None

    @property
    def checks_literals(self) -> bool:
        """Whether a constant that is not on its column's list is refused; tools that probe send what they have."""
        return not self.empty_conditions and self.rows is not Rows.EMPTY


def bound(params: Params, positional: int, named: tuple[str, ...]) -> dict[str, object]:
    """The value of each placeholder by name; `?` are named "1", "2", ... Raises ProgrammingError on a mismatch."""
    if isinstance(params, Mapping):
        return _by_name(params, positional, named)
    values = tuple(params) if params is not None else ()
    if values and named and all(name.isdecimal() for name in named):
        return _by_name({str(i): value for i, value in enumerate(values, 1)}, positional, named)
    if named:
        raise ProgrammingError(
            f"the query has the parameters {_dollars(named)}: pass a mapping of their values"
        )
    if len(values) != positional:
        raise ProgrammingError(
            f"the query has {positional} parameter{'s' if positional != 1 else ''}, but {len(values)} values were given"
        )
    return {str(i): value for i, value in enumerate(values, 1)}


def _by_name(params: Mapping[str, object], positional: int, named: tuple[str, ...]) -> dict[str, object]:
    if positional:
        raise ProgrammingError("the query has ? parameters: pass a sequence of their values")
    missing = [n for n in named if n not in params]
    unknown = [n for n in params if n not in named]
    if missing or unknown:
        what = (
            f"no value for {_dollars(tuple(missing))}"
            if missing
            else f"no parameter {_dollars(tuple(unknown))}"
        )
        raise ProgrammingError(f"the query's parameters do not fit: {what}")
    return dict(params)


def _dollars(names: tuple[str, ...]) -> str:
    return ", ".join(f"${n}" for n in names)


def of_connection(
    most: Cost,
    epsilon: object,
    delta: object,
    rows: object,
    accuracy: object,
    fresh: object,
    clipping: object = ClippingMode.FIXED,
    empty_conditions: object = False,
    combine: object = False,
) -> Options:
    """The options that a connection is opened with; what is None is the policy's.

    Raises ProgrammingError and InterfaceError.
    """
    cost = Cost(
        most.epsilon if epsilon is None else _exact("epsilon", epsilon),
        most.delta if delta is None else _exact("delta", delta),
    )
    if cost.epsilon == 0:
        raise ProgrammingError("epsilon must be above 0")
    if cost.epsilon > most.epsilon or cost.delta > most.delta:
        raise ProgrammingError(
            f"the policy allows at most epsilon {float(most.epsilon):g} and delta {float(most.delta):g} for one query"
        )
    if not isinstance(rows, str) or rows not in tuple(Rows):
        raise _misused(rows, str)('rows must be "refuse", "empty" or "mock"')
    error = None if accuracy is None else _error(accuracy)
    if not isinstance(fresh, bool):
        raise WrongType("fresh must be True or False")
    if not isinstance(clipping, str) or clipping not in tuple(ClippingMode):
        raise _misused(clipping, str)('clipping must be "auto", "fixed" or "private"')
    mode = ClippingMode(clipping)
    empty, combining = _switch("empty_conditions", empty_conditions), _switch("combine", combine)
    return Options(cost, Rows(rows), error, fresh, mode, empty_conditions=empty, combine=combining)


def _switch(name: str, value: object) -> bool:
    """True or False; as a text in a URL or a setting of a session."""
    if isinstance(value, bool):
        return value
    word = value.lower() if isinstance(value, str) else ""
    if word not in ("true", "false", "on", "off"):
        raise WrongType(f"{name} must be True or False")
    return word in ("true", "on")


def _exact(name: str, value: object) -> Fraction:
    """A number as it is written, exactly; 0.1 is one tenth."""
    unit = _UNITS[name]
    try:
        exact = exact_number(value)
    except NotExact as wrong:
        given = shown(value) if isinstance(value, str) else f"this {type(value).__name__}"
        kind = ProgrammingError if isinstance(value, _NUMBERS) else WrongType
        raise kind(f"{name} must be a finite decimal number, not {given}: {wrong}") from None
    if exact < 0:
        raise ProgrammingError(f"{name} must not be negative")
    if (exact / unit).denominator != 1:
        raise ProgrammingError(f"{name} is counted in units of {float(unit):g}; {value} is finer")
    return exact


def _misused(value: object, *right: type) -> type[InterfaceError]:
    """The error for a value that is not among those that an option may have."""
    return InterfaceError if isinstance(value, right) else WrongType


def _error(wanted: object) -> float:
    try:
        error = float(exact_number(wanted))
    except (NotExact, OverflowError):
        error = 0.0
    if error <= 0:
        raise _misused(wanted, *_NUMBERS)("accuracy must be a number above 0, in the units of the answer")
    return error


def of_query(given: Sequence[Option], own: Options, most: Cost, policy: Policy) -> Options:
    """The connection's own options with those that a query names. Raises QueryRefused for what cannot be honoured."""
    named = {option.name: option for option in given}
    _check_unit(named, policy)
    limits = own_limits(named, policy)
    cost = Cost(
        _number(named["epsilon"], most.epsilon) if "epsilon" in named else own.cost.epsilon,
        _number(named["delta"], most.delta) if "delta" in named else own.cost.delta,
    )
    if cost.epsilon == 0:
        raise _refusal(named["epsilon"], "epsilon must be above 0")
    accuracy = _accuracy(named["accuracy"]) if "accuracy" in named else own.accuracy
    fresh = _truth(named["fresh"]) if "fresh" in named else own.fresh
    empty = _truth(named["empty_conditions"]) if "empty_conditions" in named else own.empty_conditions
    combine = _truth(named["combine"]) if "combine" in named else own.combine
    clipping = _clipping(named["clipping"]) if "clipping" in named else own.clipping
    return replace(
        own,
        cost=cost,
        accuracy=accuracy,
        fresh=fresh,
        clipping=clipping,
        limits=limits,
        empty_conditions=empty,
        combine=combine,
    )


def _clipping(option: Option) -> ClippingMode:
    word = option.value.lower().strip("'")
    if word not in tuple(ClippingMode):
        raise _refusal(option, "clipping must be 'auto', 'fixed' or 'private'")
    return ClippingMode(word)


def _accuracy(option: Option) -> float:
    try:
        error = float(_plain(option, "50"))
    except (TooLarge, TooSmall, OverflowError):
        error = 0.0
    if error == 0:
        raise _refusal(option, "accuracy must be above 0, and finite")
    return error


def _truth(option: Option) -> bool:
    if option.value.lower() not in ("true", "false"):
        raise _refusal(option, f"{option.name} must be true or false")
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


def _check_unit(given: Mapping[str, Option], policy: Policy) -> None:
    """The unit is the policy's: an option may repeat it."""
    unit = given.get("privacy_unit_column")
    own_unit = policy.privacy.unit.lower()
    if unit is not None and unit.value.lower() not in (own_unit, own_unit.rpartition(".")[2]):
        raise _refusal(unit, f"the policy protects {policy.privacy.unit}", _leave_out(unit))


def _leave_out(option: Option) -> str:
    return f"Leave {option.name} out."


def _refusal(option: Option, reason: str, hint: str | None = None) -> QueryRefused:
    return QueryRefused(reason, place=option.place, hint=hint)
