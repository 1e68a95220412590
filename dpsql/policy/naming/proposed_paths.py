"""The `unit_path` that a table's names suggest, for a policy that is being written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dpsql.policy.naming.key_names import UNITS, NamedColumn, NamedTable, matching, singular


def proposed_path(table: NamedTable, tables: Sequence[NamedTable]) -> tuple[NamedColumn, NamedColumn] | None:
    """The column that leads to a table with a person's key, and the key there; None where names leave it open.

    That is so where a column names the person itself, where no table that is led to knows a person, or where several
    do. Persons are what the tables are named after: `patients`, `customers`, `households`.
    """
    if _is_of_persons(table) or any(_is_of_persons_named(k.table, tables) for _, k in _led_to(table, tables)):
        return None
    owning = [
        (c, k) for c, k in _led_to(table, tables) if _knows_a_person(k.table, tables, frozenset({table.name}))
    ]
    return owning[0] if len(owning) == 1 else None


def _led_to(table: NamedTable, tables: Sequence[NamedTable]) -> Iterator[tuple[NamedColumn, NamedColumn]]:
    for column in table.columns:
        yield from ((column, key) for key in matching(column, tables))


def _is_of_persons(table: NamedTable) -> bool:
    return table.key is not None and singular(table.name)[-1:] in {(unit,) for unit in UNITS}


def _is_of_persons_named(name: str, tables: Sequence[NamedTable]) -> bool:
    return any(t.name == name and _is_of_persons(t) for t in tables)


def _knows_a_person(name: str, tables: Sequence[NamedTable], seen: frozenset[str]) -> bool:
    """Whether the rows of a table lead to a person, directly or through other tables."""
    if name in seen:
        return False
    led_to = {k.table for t in tables if t.name == name for _, k in _led_to(t, tables)}
    return any(_is_of_persons_named(n, tables) or _knows_a_person(n, tables, seen | {name}) for n in led_to)
