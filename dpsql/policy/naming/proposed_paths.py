"""The `unit_path` that tables' names suggest, for a policy that is being written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpsql.policy.naming.key_names import UNITS, NamedColumn, NamedTable, keys_of, matching

Step = tuple[NamedColumn, NamedColumn]


def proposed_paths(tables: Sequence[NamedTable]) -> Mapping[str, Step]:
    """By the table's name, the column that leads to a table with a person's key, and the key there.

    A table is left out where a column names the person itself, where no table that is led to knows a person, and where
    several do. Persons are what tables are named after: `patients`, `customers`, `households`.
    """
    keys = keys_of(tables)
    steps = {t.name: tuple((c, k) for c in t.columns for k in matching(c, keys)) for t in tables}
    persons = frozenset(k.key.table for k in keys if k.table[-1:] and k.table[-1] in UNITS)
    paths = ((name, _path(name, steps, persons)) for name in steps)
    return {name: step for name, step in paths if step is not None}


def _path(name: str, steps: Mapping[str, tuple[Step, ...]], persons: frozenset[str]) -> Step | None:
    if name in persons or any(key.table in persons for _, key in steps[name]):
        return None
    owning = [step for step in steps[name] if _leads_to_a_person(step[1].table, name, steps, persons)]
    return owning[0] if len(owning) == 1 else None


def _leads_to_a_person(
    start: str, beside: str, steps: Mapping[str, tuple[Step, ...]], persons: frozenset[str]
) -> bool:
    """Whether the rows of a table lead to a person, directly or through other tables than the one beside."""
    seen, ahead = {start, beside}, [start]
    while ahead:
        reached = {key.table for _, key in steps[ahead.pop()]}
        if reached & persons:
            return True
        ahead += reached - seen
        seen |= reached
    return False
