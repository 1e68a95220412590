"""The ledger against a reference that fits on a page, over random sequences of all one can do to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from ledger_builders import charge, on_path, request

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.storage.open_store import is_address
from dpsql.accounting.types import Request, StoredReleases
from dpsql.errors import BudgetExhausted
from dpsql.policy.model import Window
from dpsql.privacy import Charge

EPSILONS = {"a": "0.5", "b": "1/3", "c": "1", "d": "0.0000000001", "e": "0", "f": "0.7", "g": "0.9"}
# One release at several epsilons, of two events each: no draw of the last two is the finer one in both.
ON_PATH = {"p": ("0.2", "0.3"), "q": ("0.5", "1/3"), "r": ("0.4", "0.4")}
KEYS = (*EPSILONS, *ON_PATH)
PARTS = {
    "c": ("de",),
    "d": ("de", "fr"),
    "e": ("fr",),
    "f": ("fr",),
    "g": ("it",),
    **dict.fromkeys(ON_PATH, ("it",)),
}
EVERY = ("de", "fr", "it", "elsewhere")
ANALYST_LIMIT, DATASET_LIMIT, PER_QUERY = "4", "6", "1.5"
analysts = st.sampled_from(("alice", "bob"))
key_sets = st.lists(st.sampled_from(KEYS), max_size=4)
handles = st.integers(0, 1)


def parts_of(key: str, touched: int) -> tuple[str, ...]:
    """The parts that a release is confined to, none for all; of a unit that moves, one at most."""
    found = PARTS.get(key, ())
    return found if len(found) <= 1 or touched == 1 else ()


def units(exact: Fraction) -> int:
    """The least whole number of 1e-9 that is no less."""
    return -(-exact.numerator * 10**9 // exact.denominator)


@dataclass
class Reference:
    """What the ledger should be, with every number in units of 1e-9; bob's limit is for each day.

    `paid` is all that an account paid: on which day, in which division, for which part (none: all), how much, and what
    had been paid before for that of which it is a difference. `entries` are the days on which anything was charged.
    """

    touched: int
    stored: dict[str, bytes] = field(default_factory=dict)
    received: set[tuple[str, str]] = field(default_factory=set)
    paid: dict[str, list[tuple[int, int, str, int, int]]] = field(
        default_factory=lambda: {"alice": [], "bob": [], "dataset": []}
    )
    today: int = 0
    division: int = 0
    entries: list[int] = field(default_factory=list)

    def price(self, keys: set[str], had: set[str]) -> tuple[int, int]:
        """What the keys cost who had others of them before, on a path what each event rises by; and from what."""
        exact = sum((Fraction(EPSILONS[key]) for key in keys if key in EPSILONS), Fraction(0))
        before = Fraction(0)
        for key in keys & ON_PATH.keys():
            for i, epsilon in enumerate(ON_PATH[key]):
                paid = max((Fraction(ON_PATH[k][i]) for k in had & ON_PATH.keys()), default=Fraction(0))
                exact += max(Fraction(epsilon) - paid, Fraction(0))
                before += paid if paid < Fraction(epsilon) else 0
        return units(exact), units(before)

    def had(self, analyst: str) -> set[str]:
        return {key for who, key in self.received if who == analyst}

    def split(self, keys: set[str], had: set[str]) -> dict[str, tuple[int, int]]:
        """What each part pays for, and what all of them pay for."""
        within = {part: {k for k in keys if part in parts_of(k, self.touched)} for part in EVERY}
        for_all = {k for k in keys if not parts_of(k, self.touched)}
        return {part: self.price(of, had) for part, of in (*within.items(), ("", for_all))}

    def lost(self, account: str, since: int, now: tuple[str, ...] | None = None) -> int:
        """The most that a unit lost since a day: in each division it is where it lost most, but in `now` at present.

        A difference to what was paid before that day may lose twice that as well.
        """
        by_division: dict[int, Counter[str]] = {}
        twice = 2 * any(day < since for day in self.entries)
        for day, division, part, amount, before in self.paid[account]:
            lost = (amount + twice * before) * (day >= since)
            by_division.setdefault(division if part else -1, Counter())[part] += lost
        total = sum(by_division.pop(-1, Counter()).values())
        for division, lost in by_division.items():
            here = now is not None and division == self.division
            total += sum(lost[p] for p in now or ()) if here else sum(sorted(lost.values())[-self.touched :])
        return total

    def fits(self, account: str, since: int, asked: dict[str, tuple[int, int]], limit: int) -> bool:
        """Whether no unit that loses anything would have lost more than the limit."""
        for now in combinations(EVERY, self.touched):
            more = asked[""][0] + sum(asked[part][0] for part in now)
            if more and self.lost(account, since, now) + more > limit:
                return False
        return True

    def charge(self, analyst: str, keys: set[str]) -> int | None:
        """What the analyst pays, or None where a limit forbids it."""
        due = {key for key in keys if key not in self.stored or (analyst, key) not in self.received}
        own = self.split(due, self.had(analyst))
        drawn = self.split(due - set(self.stored), set(self.stored))
        price, _ = self.price(due, self.had(analyst))
        since = self.today if analyst == "bob" else 0
        if price > 15 * 10**8 or not self.fits(analyst, since, own, 4 * 10**9):
            return None
        if not self.fits("dataset", 0, drawn, 6 * 10**9):
            return None
        for account, amounts in ((analyst, own), ("dataset", drawn)):
            self.paid[account] += [(self.today, self.division, p, *n) for p, n in amounts.items() if any(n)]
        self.entries += [self.today] if due else []
        self.received |= {(analyst, key) for key in due if key in self.stored}
        return price

    def keep(self, analyst: str, key: str, draw: bytes) -> bytes:
        self.received.add((analyst, key))
        return self.stored.setdefault(key, draw)


class LedgerMachine(RuleBasedStateMachine):
    """Two handles on one ledger, charged, kept, lost and reopened in any order."""

    def __init__(self, fresh: Callable[[], str], touched: int) -> None:
        super().__init__()
        self.fresh = fresh
        self.touched = touched

    @initialize()
    def begin(self) -> None:
        self.place = self.fresh()
        self.now = 1_700_000_000.0
        self.handles = [self.opened(), self.opened()]
        self.reference = Reference(self.touched)
        self.pending: list[tuple[str, str, StoredReleases, int]] = []
        self.draws = 0

    def charge_of(self, key: str) -> Charge:
        if key in ON_PATH:
            return on_path(key, *ON_PATH[key], parts=parts_of(key, self.touched), touched=self.touched)
        return charge(key, EPSILONS[key], parts=parts_of(key, self.touched), touched=self.touched)

    def opened(self) -> Ledger:
        return Ledger.open(self.place, clock=lambda: self.now)

    @rule()
    def a_day_goes_by(self) -> None:
        self.now += 86_400
        self.reference.today += 1

    @rule()
    def the_policy_changes(self) -> None:
        """Releases keep their keys, as they never would: so that stored ones meet a new division."""
        self.reference.division += 1

    def limits(self, analyst: str) -> Request:
        return request(
            *(analyst,),
            limit=ANALYST_LIMIT,
            dataset=DATASET_LIMIT,
            per_query=PER_QUERY,
            window=Window.DAILY if analyst == "bob" else Window.NEVER,
            policy=f"policy {self.reference.division}",
        )

    @rule(handle=handles, analyst=analysts, keys=key_sets)
    def ask(self, handle: int, analyst: str, keys: list[str]) -> None:
        limits = self.limits(analyst)
        expected = self.reference.charge(analyst, set(keys))
        try:
            releases = self.handles[handle].charge(limits, tuple(self.charge_of(k) for k in keys))
        except BudgetExhausted:
            assert expected is None
            return
        assert expected is not None
        assert releases.charged.epsilon == Fraction(expected, 10**9)
        stored = self.reference.stored
        assert dict(releases.payloads) == {key: stored[key] for key in keys if key in stored}
        for key, _ in releases.payloads:
            self.handles[handle].hand_over(releases, key)
        self.pending += [
            (analyst, key, releases, self.drawn_on_path(key)) for key in releases.missing(tuple(keys))
        ]

    def drawn_on_path(self, key: str) -> int:
        return len(self.reference.stored.keys() & ON_PATH.keys()) if key in ON_PATH else 0

    @precondition(lambda self: self.pending)
    @rule(handle=handles, data=st.data())
    def keep(self, handle: int, data: st.DataObject) -> None:
        analyst, key, releases, beside = self.pending.pop(data.draw(st.integers(0, len(self.pending) - 1)))
        self.draws += 1
        draw = b"draw %d" % self.draws
        if key not in self.reference.stored and beside != self.drawn_on_path(key):
            assert self.handles[handle].keep(releases, key, draw, beside).get(key) is None
            return
        stands = self.reference.keep(analyst, key, draw)
        assert self.handles[handle].keep(releases, key, draw, beside).get(key) == stands

    @rule(handle=handles, analyst=analysts)
    def ask_what_was_received(self, handle: int, analyst: str) -> None:
        """An analyst finds everything that analyst has received, and nothing that only others have."""
        mine = {key for who, key in self.reference.received if who == analyst}
        book, of = self.handles[handle], self.limits(analyst)
        assert book.received(of, KEYS) == mine
        alike = book.received_alike(of, "canonical form of ")
        assert {c.key for c, _ in alike} <= mine and [n for _, n in alike] == sorted(n for _, n in alike)
        assert self.reference.division or {c.key for c, _ in alike} == mine
        assert all(c == self.charge_of(c.key) for c, _ in alike)
        assert book.received_alike(of, "canonical form of a") == ()  # those are about other rows

    @rule(handle=handles, key=st.sampled_from(sorted(ON_PATH)))
    def look_beside(self, handle: int, key: str) -> None:
        """The nearest draws on the path, event by event, are the reference's."""
        found = self.handles[handle].beside(self.charge_of(key))
        drawn = self.reference.stored.keys() & ON_PATH.keys()
        assert found.count == len(drawn)
        for i, epsilon in enumerate(map(Fraction, ON_PATH[key])):
            at = sorted(Fraction(ON_PATH[k][i]) for k in drawn)
            below, above = [e for e in at if e < epsilon], [e for e in at if e >= epsilon]
            coarser, finer = found.coarser[i], found.finer[i]
            assert (coarser.epsilon if coarser else None) == (below[-1] if below else None)
            assert (finer.epsilon if finer else None) == (above[0] if above else None)

    @precondition(lambda self: self.pending)
    @rule()
    def lose_what_was_not_kept(self) -> None:
        self.pending.clear()

    @rule(handle=handles)
    def reopen(self, handle: int) -> None:
        self.handles[handle].close()
        self.handles[handle] = self.opened()

    @invariant()
    def every_handle_shows_the_references_totals_within_the_limits(self) -> None:
        for handle in self.handles:
            totals = {name: handle.spent(name).epsilon * 10**9 for name in ("alice", "bob")}
            totals["dataset"] = handle.spent_dataset().epsilon * 10**9
            assert totals == {name: self.reference.lost(name, 0) for name in totals}
            today = self.reference.lost("bob", self.reference.today)
            assert handle.standing(self.limits("bob")).spent.epsilon * 10**9 == today
        again = sum(before for day, *_, before in self.reference.paid["bob"] if day == self.reference.today)
        assert max(self.reference.lost("alice", 0), today - 2 * again) <= 4 * 10**9
        assert self.reference.lost("dataset", 0) <= 6 * 10**9

    @rule(handle=handles, analyst=analysts, part=st.sampled_from(EVERY))
    def look_at_a_part(self, handle: int, analyst: str, part: str) -> None:
        since = self.reference.today if analyst == "bob" else 0
        standing = self.handles[handle].standing(self.limits(analyst))
        ways = [now for now in combinations(EVERY, self.touched) if part in now]
        lost = max(self.reference.lost(analyst, since, now) for now in ways)
        assert standing.spent_in(part).epsilon * 10**9 == lost

    def teardown(self) -> None:
        assert self.handles[0].verify() == ()
        for handle in self.handles:
            handle.close()


@pytest.mark.one_in(20)
@pytest.mark.parametrize("touched", [1, 2])
def test_the_ledger_does_what_the_reference_does(fresh: Callable[[], str], touched: int) -> None:
    examples = 4 if is_address(fresh()) else 12
    wanted = settings(max_examples=examples, stateful_step_count=40, suppress_health_check=[*HealthCheck])
    run_state_machine_as_test(lambda: LedgerMachine(fresh, touched), settings=wanted)
