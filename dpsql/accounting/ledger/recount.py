"""An account's balance counted again from the events alone, by another route than the one that booked it.

Every unit of the present division is kept as the list of what it lost: that of no part, and that of each part that was
charged. What ended is the largest of those lists, name by name.
"""

from __future__ import annotations

import json
from dataclasses import field

from dpsql.accounting.accountants.accountant import Accountants
from dpsql.accounting.ledger.booked_totals import Totals
from dpsql.accounting.ledger.partition_balance import MOST_CHANGED
from dpsql.privacy import Confined, Event
from dpsql.slotted import dataclass

Paid = tuple[Event, Confined | None]
"""An event, and the parts that it is confined to; None for every part."""


@dataclass(slots=True)
class Recount:
    """The running balance of one account."""

    accountants: Accountants
    everybody: dict[str, int] = field(default_factory=dict)
    by_part: dict[str, dict[str, int]] = field(default_factory=dict)
    division: str = ""
    since: int = 0
    touched: int = 1
    base: int = 0
    changed: set[str] = field(default_factory=set)

    def add(self, paid: tuple[Paid, ...], division: str, entry: int) -> bool:
        """Takes in what an entry paid under a division; whether that was anything."""
        parts = {name for _, within in paid if within is not None for name in within.parts}
        costly = {n: t for n in parts if (t := self._totals(tuple(e for e, w in paid if w and n in w.parts)))}
        if costly:
            self._begin(division, entry)
            self.touched = max(self.touched, *(w.touched for _, w in paid if w is not None))
            self.changed |= set(costly)
            if not self.base or len(self.changed) > MOST_CHANGED:
                self.base, self.changed = entry, set()
        for name, totals in costly.items():
            _add(self.by_part.setdefault(name, {}), totals)
        for_all = self._totals(tuple(e for e, w in paid if w is None))
        _add(self.everybody, for_all)
        return bool(costly or for_all)

    def _totals(self, events: tuple[Event, ...]) -> dict[str, int]:
        return dict(self.accountants.totals(events).amounts)

    def _begin(self, division: str, entry: int) -> None:
        if self.division == division:
            return
        for name in {n for totals in self.by_part.values() for n in totals}:
            largest = sorted((t.get(name, 0) for t in self.by_part.values()), reverse=True)
            _add(self.everybody, {name: sum(largest[: self.touched])})
        self.by_part, self.division, self.since, self.touched = {}, division, entry, 1
        self.base, self.changed = 0, set()

    def written(self, entry: int) -> str:
        """What the ledger should hold for an entry."""
        whole = Totals.of(self.everybody)
        if not self.division:
            return whole.written()
        groups: dict[tuple[tuple[str, int], ...], list[str]] = {}
        for part in sorted(self.by_part if self.base == entry else self.changed):
            groups.setdefault(tuple(sorted(self.by_part[part].items())), []).append(part)
        fields = {
            "whole": dict(whole.amounts),
            "division": self.division,
            "since": self.since,
            "touched": self.touched,
            "base": self.base,
            "parts": [{"in": parts, "totals": dict(totals)} for totals, parts in groups.items()],
        }
        return json.dumps(fields, separators=(",", ":"))


def _add(totals: dict[str, int], more: dict[str, int]) -> None:
    for name, amount in more.items():
        totals[name] = totals.get(name, 0) + amount
