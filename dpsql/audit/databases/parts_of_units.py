"""The policy's partition in generated databases: who is in which part, and what must not move with them."""

from __future__ import annotations

from collections.abc import Mapping

from dpsql.algebra.catalog import column_info
from dpsql.audit.databases.random_database import Database
from dpsql.audit.databases.values import text_of
from dpsql.audit.exact import Found, Violated, by_key
from dpsql.engines.base import Exact, Key
from dpsql.plan.partitions import part_name
from dpsql.plan.types import Modes, Part, Ranks, Release
from dpsql.policy.model import Policy
from dpsql.release.prepared_query import PreparedQuery

_ELSEWHERE = part_name(None)


def parts_that_differ(one: Database, other: Database) -> frozenset[str]:
    """The parts in which the unit is that differs between two neighbours, in the one and in the other."""
    pairs = zip(one.tables, other.tables, strict=True)
    units = {u for a, b in pairs for u, _ in {*a.rows} ^ {*b.rows} if u is not None}
    return frozenset(part for d in (one, other) for u in units if u in d.units for part in _parts_of(d, u))


def _parts_of(database: Database, unit: str) -> frozenset[str]:
    """The one part of a unit, by its rows; where rows are units, those of all rows that stand under its number."""
    names_of_parts = set()
    for filled in database.tables:
        for at, column in enumerate(filled.plan.columns):
            if column.partition:
                names = _names(database.policy, filled.plan.table.name, column.name)
                names_of_parts |= {_part(names, row[at]) for u, row in filled.rows if u == unit}
    return frozenset(names_of_parts or {_ELSEWHERE})


def _part(names: Mapping[str, str], value: str | None) -> str:
    return _ELSEWHERE if value is None else names.get(value, _ELSEWHERE)


def _names(policy: Policy, table: str, column: str) -> Mapping[str, str]:
    """The part of each listed value, by the value's text in a source."""
    table_of_policy = policy.table(table)
    declared = table_of_policy.column(column) if table_of_policy is not None else None
    assert declared is not None
    return {text_of(v): part_name(v) for v in column_info(declared).values or () if v is not None}


def check_apart(ready: PreparedQuery, one: Found, other: Found, parts: frozenset[str]) -> int:
    """How many releases are confined to other parts than these; Violated where one of them moved at all."""
    apart = 0
    for release, charge, left, right in zip(ready.plan.releases, ready.charges, one, other, strict=True):
        if charge is None or charge.confined is None or not parts.isdisjoint(charge.confined.parts):
            continue
        apart += 1
        for part, a, b in zip(release.parts, left, right, strict=True):
            if _released(release, part, a) != _released(release, part, b):
                raise Violated(
                    f"a unit in {', '.join(parts)} moved what is confined to {charge.confined.parts}"
                )
    return apart


def _released(release: Release, part: Part, exact: Exact) -> dict[Key, tuple[int, ...]]:
    """The integers of the groups that can be released: of a public domain no others, and nothing is as good as 0."""
    domain, beside = release.keys.domain, isinstance(part, Ranks | Modes)
    shown = None if domain is None else frozenset(domain)
    groups = {key: values for key, values in by_key(exact).items() if any(values)}
    return {k: v for k, v in groups.items() if shown is None or (k[:-1] if beside else k) in shown}
