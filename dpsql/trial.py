"""Released tables as they might be, for trying what is left of a query before anything is charged.

Where it fails on released results whatever they are, such as on a date that is none or on a text that is compared with
a number, it would be paid for and never answered. Policy and text alone decide what stands in these tables.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

from dpsql.engines.base import ReleasedTable
from dpsql.plan.types import Key, Release

# So many public groups stand in a table.
_MOST_GROUPS = 20
# What may stand where a released value or a private key is, other than NULL.
_SOME = {"VARCHAR": "1", "BOOLEAN": True, "DATE": date(2025, 1, 1), "TIMESTAMP": datetime(2025, 1, 1)}


def keys_of(release: Release) -> tuple[Key, ...]:
    """Some groups that the release may have: of public ones no more than it has."""
    if release.keys.domain is None or release.local is not None:
        return ((),)
    top = release.question.top
    return release.keys.domain[: _MOST_GROUPS if top is None else min(top.count, _MOST_GROUPS)]


def level_keys(release: Release, kept: tuple[int, ...]) -> tuple[Key, ...]:
    """Some groups of a release that is added up over the keys at these places."""
    return tuple(dict.fromkeys(tuple(key[i] for i in kept) for key in keys_of(release)))


def filled(table: ReleasedTable, keys: tuple[Key, ...], *, null: bool) -> ReleasedTable:
    """The table with a row for each group: its number, its keys, and NULL or some value in all other columns."""
    rest = [
        tuple(None if null else _SOME.get(kind, 1) for _, kind in table.columns[1 + len(key) :])
        for key in keys
    ]
    return replace(
        table, rows=[(i, *key, *more) for i, (key, more) in enumerate(zip(keys, rest, strict=True))]
    )
