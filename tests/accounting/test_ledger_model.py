"""The ledger against a reference that fits on a page, over random sequences of all one can do to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

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
from ledger_builders import charge, request

from dpsql.accounting.ledger import Ledger
from dpsql.accounting.opening import is_address
from dpsql.accounting.types import Shelf
from dpsql.errors import BudgetExhausted
from dpsql.policy.model import Window

EPSILONS = {"a": "0.5", "b": "1/3", "c": "1", "d": "0.0000000001", "e": "0"}
ANALYST_LIMIT, DATASET_LIMIT, PER_QUERY = "4", "6", "1.5"
analysts = st.sampled_from(("alice", "bob"))
key_sets = st.lists(st.sampled_from(sorted(EPSILONS)), max_size=4)
handles = st.integers(0, 1)


@dataclass
class Reference:
    """What the ledger should be, with every number in units of 1e-9; bob's limit is for each day."""

    stored: dict[str, bytes] = field(default_factory=dict)
    received: set[tuple[str, str]] = field(default_factory=set)
    spent: dict[str, int] = field(default_factory=lambda: {"alice": 0, "bob": 0, "dataset": 0})
    before_today: int = 0

    def price(self, keys: set[str]) -> int:
        exact = sum((Fraction(EPSILONS[key]) for key in keys), Fraction(0))
        return -(-exact.numerator * 10**9 // exact.denominator)

    def charge(self, analyst: str, keys: set[str]) -> int | None:
        """What the analyst pays, or None where a limit forbids it."""
        due = {key for key in keys if key not in self.stored or (analyst, key) not in self.received}
        own, all_ = self.price(due), self.price(due - set(self.stored))
        counted = self.spent[analyst] - (self.before_today if analyst == "bob" else 0)
        fits = own <= 15 * 10**8 and (own == 0 or counted + own <= 4 * 10**9)
        if not fits or (all_ and self.spent["dataset"] + all_ > 6 * 10**9):
            return None
        self.spent[analyst] += own
        self.spent["dataset"] += all_
        self.received |= {(analyst, key) for key in due if key in self.stored}
        return own

    def keep(self, analyst: str, key: str, draw: bytes) -> bytes:
        self.received.add((analyst, key))
        return self.stored.setdefault(key, draw)


class LedgerMachine(RuleBasedStateMachine):
    """Two handles on one ledger, charged, kept, lost and reopened in any order."""

    def __init__(self, fresh: Callable[[], str]) -> None:
        super().__init__()
        self.fresh = fresh

    @initialize()
    def begin(self) -> None:
        self.place = self.fresh()
        self.now = 1_700_000_000.0
        self.handles = [self.opened(), self.opened()]
        self.reference = Reference()
        self.pending: list[tuple[str, str, Shelf]] = []
        self.draws = 0

    def opened(self) -> Ledger:
        return Ledger.open(self.place, clock=lambda: self.now)

    @rule()
    def a_day_goes_by(self) -> None:
        self.now += 86_400
        self.reference.before_today = self.reference.spent["bob"]

    @rule(handle=handles, analyst=analysts, keys=key_sets)
    def ask(self, handle: int, analyst: str, keys: list[str]) -> None:
        window = Window.DAILY if analyst == "bob" else Window.NEVER
        limits = request(
            analyst, limit=ANALYST_LIMIT, dataset=DATASET_LIMIT, per_query=PER_QUERY, window=window
        )
        expected = self.reference.charge(analyst, set(keys))
        try:
            shelf = self.handles[handle].charge(limits, tuple(charge(k, EPSILONS[k]) for k in keys))
        except BudgetExhausted:
            assert expected is None
            return
        assert expected is not None
        assert shelf.charged.epsilon == Fraction(expected, 10**9)
        stored = self.reference.stored
        assert dict(shelf.stored) == {key: stored[key] for key in keys if key in stored}
        self.pending += [(analyst, key, shelf) for key in shelf.missing(tuple(keys))]

    @precondition(lambda self: self.pending)
    @rule(handle=handles, data=st.data())
    def keep(self, handle: int, data: st.DataObject) -> None:
        analyst, key, shelf = self.pending.pop(data.draw(st.integers(0, len(self.pending) - 1)))
        self.draws += 1
        draw = b"draw %d" % self.draws
        stands = self.reference.keep(analyst, key, draw)
        assert self.handles[handle].keep(shelf, key, draw).get(key) == stands

    @rule(handle=handles, analyst=analysts)
    def ask_what_was_received(self, handle: int, analyst: str) -> None:
        """An analyst finds everything that analyst has received, and nothing that only others have."""
        mine = {key for who, key in self.reference.received if who == analyst}
        book, of = self.handles[handle], request(analyst)
        assert book.received(of, tuple(EPSILONS)) == mine
        alike = book.received_alike(of, "canonical form of ")
        assert {c.key for c, _ in alike} == mine and [n for _, n in alike] == sorted(n for _, n in alike)
        assert all(c == charge(c.key, EPSILONS[c.key]) for c, _ in alike)
        assert book.received_alike(of, "canonical form of a") == ()  # those are about other rows

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
            assert totals == self.reference.spent
        today = self.reference.spent["bob"] - self.reference.before_today
        assert max(self.reference.spent["alice"], today) <= 4 * 10**9
        assert self.reference.spent["dataset"] <= 6 * 10**9

    def teardown(self) -> None:
        assert self.handles[0].verify() == ()
        for handle in self.handles:
            handle.close()


def test_the_ledger_does_what_the_reference_does(fresh: Callable[[], str]) -> None:
    examples = 5 if is_address(fresh()) else 20
    wanted = settings(
        max_examples=examples, stateful_step_count=40, deadline=None, suppress_health_check=[*HealthCheck]
    )
    run_state_machine_as_test(lambda: LedgerMachine(fresh), settings=wanted)
