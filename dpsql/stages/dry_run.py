"""Released tables as they might be, for trying what is left of a query before anything is charged.

Where it fails on released results whatever they are, such as on a date that is none or on a text that is compared with
a number, it would be paid for and never answered. Policy and text alone decide what stands in these tables.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime

from dpsql.algebra.question import Aggregate
from dpsql.engines.base import ReleasedTable
from dpsql.plan.types import Key, Release

# So many public groups stand in a table.
_MOST_GROUPS = 20
_NEVER_NULL = frozenset(
    {
        Aggregate.COUNT_ROWS,
        Aggregate.COUNT,
        Aggregate.COUNT_DISTINCT,
        Aggregate.COUNT_UNITS,
        Aggregate.SUM,
    }
)
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


def numbers_of(release: Release) -> frozenset[str]:
    """The columns of its table that are never NULL: counts and sums, which over no rows are 0 with noise."""
    return frozenset(f"a{i}" for i, e in enumerate(release.estimators) if e.measure.aggregate in _NEVER_NULL)


@dataclass(frozen=True, slots=True)
class Trial:
    """A released table without rows, some groups that it may have, and its columns that are never NULL."""

    table: ReleasedTable
    keys: tuple[Key, ...] = ()
    numbers: frozenset[str] = frozenset()

    def filled(self, *, null: bool, number: int = 1) -> ReleasedTable:
        """The table with a row for each group: its number, its keys, and NULL or some value in all other columns.

        What is never NULL has a value in either case; `number` is that of all numbers.
        """
        rows = [(i, *key, *self._rest(key, null, number)) for i, key in enumerate(self.keys)]
        return replace(self.table, rows=rows)

    def _rest(self, key: Key, null: bool, number: int) -> list[object]:
        columns = self.table.columns[1 + len(key) :]
        return [
            None if null and name not in self.numbers else _SOME.get(kind, number) for name, kind in columns
        ]
