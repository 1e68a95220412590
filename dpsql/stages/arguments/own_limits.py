"""Limits that a query sets itself, below the policy's: how many rows and groups of one unit count in it.

They act where the policy's act, so that whatever is claimed and enforced under the policy's limits is so under these.
The policy's digest stays as it is, and with it which rows are kept first; the limits themselves stand in the parts of
a release, and so in its key, wherever they change it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from dpsql.errors import QueryRefused
from dpsql.plan.analyzed_question import PlanContext
from dpsql.policy.model import Policy
from dpsql.slotted import dataclass
from dpsql.sql.parse.privacy_options import Option

_COUNT: Final = re.compile(r"[1-9]\d{0,17}", re.ASCII)
_ROWS, _GROUPS = "max_rows_contributed", "max_groups_contributed"


@dataclass(frozen=True, slots=True)
class OwnLimits:
    """The most rows and groups of a unit that count in a query; None where the policy alone says it."""

    rows: int | None = None
    groups: int | None = None


NO_LIMITS: Final = OwnLimits()


def own_limits(given: Mapping[str, Option], policy: Policy) -> OwnLimits:
    """The limits that a query names, as far as they are below the policy's. Raises QueryRefused for larger ones."""
    named = {name: given[name] for name in (_ROWS, _GROUPS) if name in given}
    counts = {name: _count(option) for name, option in named.items() if not _is_null(option)}
    for name in counts:
        _check_there_are_units(named[name], policy)
    return OwnLimits(
        _below(_ROWS, counts, policy.privacy.max_rows_per_unit, named, "takes at most {} rows of a unit"),
        _below(
            _GROUPS, counts, policy.privacy.max_groups_per_unit, named, "counts a unit in at most {} groups"
        ),
    )


def under(limits: OwnLimits, context: PlanContext) -> PlanContext:
    """What a plan is made from where such limits hold in the place of the policy's."""
    if limits == NO_LIMITS:
        return context
    privacy = context.policy.privacy
    rows = privacy.max_rows_per_unit if limits.rows is None else limits.rows
    groups = privacy.max_groups_per_unit if limits.groups is None else limits.groups
    policy = replace(
        context.policy, privacy=replace(privacy, max_rows_per_unit=rows, max_groups_per_unit=groups)
    )
    return replace(context, policy=policy, catalog=replace(context.catalog, cap=rows))


def _below(
    name: str, counts: Mapping[str, int], most: int | None, named: Mapping[str, Option], said: str
) -> int | None:
    wanted = counts.get(name)
    if wanted is None or most is None:
        return wanted
    if wanted > most:
        raise _refusal(
            named[name], f"the policy {said.format(most)}, and a query may name fewer but not more"
        )
    return wanted if wanted < most else None


def _check_there_are_units(option: Option, policy: Policy) -> None:
    alone = next((t.name for t in policy.tables if t.row_is_unit), None)
    if alone is not None:
        raise _refusal(option, f"every row of {alone} is a unit of its own, which leaves nothing to limit")


def _is_null(option: Option) -> bool:
    return option.name == _GROUPS and option.value.upper() == "NULL"


def _count(option: Option) -> int:
    if not _COUNT.fullmatch(option.value):
        raise QueryRefused(f"{option.name} must be a whole number above 0", place=option.place)
    return int(option.value)


def _refusal(option: Option, reason: str) -> QueryRefused:
    return QueryRefused(reason, place=option.place, hint=f"Leave {option.name} out.")
