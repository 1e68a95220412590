"""What an account has spent on the units of each part of a partition; one number for all units where there is none.

A release that is confined to parts of a partition is nothing to a unit outside of them: with that unit or without it,
the release is the same. So a unit's loss is what every unit loses, and what the part that it is in loses. Of a unit
that may be another on the neighbouring database, two parts count.

A unit is in one part for as long as policy and data stay what they are: that is a division. What was charged under a
division that came before counts for every unit as that of the part which lost most there: the unit may have been in
that one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from dpsql.accounting.ledger.booked_totals import Totals
from dpsql.slotted import dataclass

NOTHING = Totals()
MOST_CHANGED = 16
"""So many parts are written down beside those of an earlier entry, before all of them are again."""
UNTOUCHED = ""
"""Stands for a part that was never charged by itself; no part is called so."""


@dataclass(frozen=True, slots=True)
class Balance:
    """Totals of every unit, and of those in each part, in the order of the parts' names.

    `division` names the policy and data that the parts are of, `since` the entry that began it (0 where no part was
    charged yet). A unit is in at most `touched` parts. `base` is the last entry that wrote down all parts, and
    `changed` those that were charged since: a line of the ledger holds no others.
    """

    whole: Totals = NOTHING
    parts: tuple[tuple[str, Totals], ...] = ()
    touched: int = 1
    division: str = ""
    since: int = 0
    base: int = 0
    changed: frozenset[str] = frozenset()

    @classmethod
    def read(cls, text: str, entry: int, at: Callable[[int], Balance]) -> Balance:
        """The balance that `written` wrote for an entry; `at` gives that of an earlier one.

        ValueError, KeyError or TypeError for anything else.
        """
        fields = json.loads(text)
        if "division" not in fields:
            return cls(Totals.of(fields))
        parts = {part: Totals.of(group["totals"]) for group in fields["parts"] for part in group["in"]}
        base, changed = int(fields["base"]), frozenset[str]()
        if base != entry:
            changed = frozenset(parts)
            parts = dict(at(base).parts) | parts
        about = fields["touched"], fields["division"], fields["since"], base
        return cls(Totals.of(fields["whole"]), tuple(sorted(parts.items())), *about, changed)

    def written(self, entry: int) -> str:
        """Compact JSON for an entry, the same for equal balances; parts that have lost the same stand together."""
        if not self.division:
            return self.whole.written()
        groups: dict[Totals, list[str]] = {}
        for part, totals in self.parts:
            if self.base == entry or part in self.changed:
                groups.setdefault(totals, []).append(part)
        fields = {
            "whole": dict(self.whole.amounts),
            "division": self.division,
            "since": self.since,
            "touched": self.touched,
            "base": self.base,
            "parts": [{"in": parts, "totals": dict(t.amounts)} for t, parts in groups.items()],
        }
        return json.dumps(fields, separators=(",", ":"))

    def __bool__(self) -> bool:
        return bool(self.whole) or bool(self.parts)

    @property
    def worst(self) -> Totals:
        """At least what any unit has lost."""
        if not self.parts:
            return self.whole
        return self.whole + most((t for _, t in self.parts), self.touched)

    def in_each_part(self) -> dict[str, Totals]:
        """At least what a unit has lost that is in a part which was charged, or in one that was not (UNTOUCHED)."""
        own = {**dict(self.parts), UNTOUCHED: NOTHING}
        if self.touched == 1:
            return {part: self.whole + totals for part, totals in own.items()}
        largest, two = most(own.values(), 1), most(own.values(), 2)
        second = two - largest
        return {part: self.whole + totals + _beside(totals, largest, second) for part, totals in own.items()}

    def under(self, division: str) -> Balance:
        """The same as seen from a division: the parts of another one say nothing of its parts."""
        return self if self.division in ("", division) else Balance(self.worst)

    def plus(self, paid: Balance, division: str, entry: int) -> Balance:
        """The balance after an entry that pays this much under a division."""
        if not paid.parts:
            return replace(self, whole=self.whole + paid.whole)
        before = self.under(division)
        old, new = dict(before.parts), dict(paid.parts)
        parts = tuple((name, old.get(name, NOTHING) + new.get(name, NOTHING)) for name in sorted(old | new))
        base, changed = before.base, before.changed | new.keys()
        if not base or len(changed) > MOST_CHANGED:
            base, changed = entry, frozenset()
        about = max(before.touched, paid.touched), division, before.since or entry, base
        return Balance(before.whole + paid.whole, parts, *about, changed)

    def each(self, seen_as: Callable[[Totals], Totals]) -> Balance:
        """The same with all totals seen in another way, which may only add to them."""
        parts = tuple((name, seen_as(totals)) for name, totals in self.parts)
        return replace(self, whole=seen_as(self.whole), parts=parts)

    def minus(self, earlier: Balance) -> Balance:
        """What was added since, in one division; ValueError where `earlier` was never a part of this."""
        before = dict(earlier.parts)
        parts = ((name, totals - before.get(name, NOTHING)) for name, totals in self.parts)
        return replace(self, whole=self.whole - earlier.whole, parts=tuple(p for p in parts if p[1]))


def most(of: Iterable[Totals], count: int) -> Totals:
    """Name by name, the sum of the `count` largest."""
    amounts_of: dict[str, list[int]] = {}
    for totals in of:
        for name, amount in totals.amounts:
            amounts_of.setdefault(name, []).append(amount)
    return Totals.of(
        {name: sum(sorted(amounts)[-count:] if count else ()) for name, amounts in amounts_of.items()}
    )


def _beside(own: Totals, largest: Totals, second: Totals) -> Totals:
    """Name by name, the most that another part has lost than the one that lost `own`."""
    return Totals.of({n: second.get(n) if own.get(n) == amount else amount for n, amount in largest.amounts})


Case = tuple[Totals, Totals]
"""What a unit has lost, and what it would lose on top."""


def cases(spent: Balance, requested: Balance) -> Iterator[Case]:
    """The cases of a unit that would lose something: if in each of them that is within a limit, so it is in all.

    There is one for each part, or for each two where a unit can be in two. Of two parts only the worst other one is
    looked at, name by name, unless several are requested at once.
    """
    touched = max(spent.touched, requested.touched)
    if touched > 1 and bool(requested.whole) + len(requested.parts) > 1:
        yield from _pairs(spent, requested)
    elif touched > 1 and requested.whole:
        yield spent.worst, requested.whole
    else:
        lost, due = replace(spent, touched=touched).in_each_part(), dict(requested.parts)
        names = lost.keys() | due.keys() if requested.whole else due.keys()
        losses = (
            (lost.get(n, lost[UNTOUCHED]), requested.whole + due.get(n, NOTHING)) for n in sorted(names)
        )
        yield from dict.fromkeys(losses)


def _pairs(spent: Balance, requested: Balance) -> Iterator[Case]:
    lost_by, due_by = dict(spent.parts), dict(requested.parts)
    names = (*(lost_by | due_by), UNTOUCHED)
    counts = Counter((lost_by.get(name, NOTHING), due_by.get(name, NOTHING)) for name in names)
    twice = ((part, part) for part, count in counts.items() if count > 1)
    for (lost, due), (beside, more) in (*combinations(counts, 2), *twice):
        yield spent.whole + lost + beside, requested.whole + due + more
