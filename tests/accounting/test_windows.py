"""Budgets that begin anew by the calendar, groups of analysts, and datasets that share a file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_builders import charge, cost, event, every_standing, request

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.accounting.ledger.spent import window_of
from dpsql.accounting.types import Request, StoredReleases
from dpsql.errors import BudgetExhausted, LedgerUnavailable
from dpsql.policy.model import AccountantName, Window
from dpsql.privacy import FREE, Charge, Mechanism


class Clock:
    """A clock that a test sets."""

    def __init__(self, moment: str) -> None:
        self.set(moment)

    def set(self, moment: str) -> None:
        self.at = datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp()

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock("2026-01-31T23:59:58")


@pytest.fixture
def ledger(place: str, clock: Clock) -> Iterator[Ledger]:
    with Ledger.open(place, clock=clock) as opened:
        yield opened


def ask(ledger: Ledger, key: str, wanted: Request) -> StoredReleases:
    stored = ledger.charge(wanted, (charge(key),))
    return ledger.keep(stored, key, b"draw") if stored.missing((key,)) else stored


def left(ledger: Ledger, wanted: Request) -> list[object]:
    return [one.remaining.epsilon for one in every_standing(ledger, wanted)]


def seconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("window", "moment", "begin", "end"),
    [
        (Window.DAILY, "2026-02-28T23:59:59", "2026-02-28", "2026-03-01"),
        (Window.WEEKLY, "2026-01-01T12:00", "2025-12-29", "2026-01-05"),
        (Window.WEEKLY, "2026-01-05T00:00", "2026-01-05", "2026-01-12"),
        (Window.MONTHLY, "2024-02-29T00:00", "2024-02-01", "2024-03-01"),
        (Window.MONTHLY, "2025-12-31T23:59:59", "2025-12-01", "2026-01-01"),
    ],
)
def test_windows_are_days_weeks_from_monday_and_months_in_utc(
    window: Window, moment: str, begin: str, end: str
) -> None:
    assert window_of(window, seconds(moment)) == (seconds(begin), seconds(end))


@given(st.sampled_from(Window), st.integers(0, 4_000_000_000))
def test_every_moment_lies_in_one_window_and_the_next_begins_where_it_ends(window: Window, at: int) -> None:
    around = window_of(window, at)
    if around is None:
        assert window is Window.NEVER
        return
    begin, end = around
    assert begin <= at < end
    assert window_of(window, begin) == window_of(window, end - 1) == around
    following = window_of(window, end)
    assert following is not None and following[0] == end


@pytest.mark.parametrize(
    ("window", "next_one"),
    [
        (Window.DAILY, "2026-02-01T00:00"),
        (Window.WEEKLY, "2026-02-02T00:00"),
        (Window.MONTHLY, "2026-02-01T00:00"),
    ],
)
def test_a_window_that_ends_gives_the_limit_anew_and_no_second_earlier(
    ledger: Ledger, clock: Clock, window: Window, next_one: str
) -> None:
    alice = request(limit="2", window=window)
    ask(ledger, "a", alice)
    ask(ledger, "b", alice)
    clock.at = seconds(next_one) - 1
    with pytest.raises(BudgetExhausted):
        ask(ledger, "c", alice)
    clock.at = seconds(next_one)
    assert left(ledger, alice)[0] == 2
    ask(ledger, "c", alice)
    assert left(ledger, alice)[0] == 1
    assert ledger.spent("alice") == cost("3")


def test_each_account_has_a_window_of_its_own(ledger: Ledger, clock: Clock) -> None:
    alice = request(limit="1", window=Window.DAILY, dataset="2", dataset_window=Window.MONTHLY)
    for day, key in ((1, "a"), (2, "b")):
        clock.set(f"2026-02-0{day}T12:00")
        ask(ledger, key, alice)
    clock.set("2026-02-03T12:00")
    assert left(ledger, alice) == [1, 0]
    with pytest.raises(BudgetExhausted) as refused:
        ask(ledger, "c", alice)
    assert refused.value.account == "dataset"
    clock.set("2026-03-01T00:00")
    ask(ledger, "c", alice)


def test_a_stored_answer_is_free_in_later_windows_too(ledger: Ledger, clock: Clock) -> None:
    alice = request(limit="1", window=Window.DAILY)
    ask(ledger, "a", alice)
    clock.set("2026-02-05T00:00")
    assert ask(ledger, "a", alice).charged == FREE
    assert left(ledger, alice)[0] == 1


def test_another_window_or_limit_in_the_policy_finds_what_was_spent(ledger: Ledger, clock: Clock) -> None:
    ask(ledger, "a", request(limit="1"))
    assert left(ledger, request(limit="2", window=Window.MONTHLY))[0] == 1
    assert left(ledger, request(limit="2", window=Window.DAILY))[0] == 1
    clock.set("2026-02-01T00:00")
    assert left(ledger, request(limit="2", window=Window.MONTHLY))[0] == 2
    assert left(ledger, request(limit="2"))[0] == 1


def test_a_clock_set_back_by_a_little_keeps_the_window_and_by_more_is_refused(
    ledger: Ledger, clock: Clock
) -> None:
    alice = request(limit="1", window=Window.MONTHLY)
    clock.set("2026-02-01T00:00:30")
    ask(ledger, "a", alice)
    clock.set("2026-01-31T23:59:00")
    with pytest.raises(BudgetExhausted):
        ask(ledger, "b", alice)
    clock.set("2026-01-31T23:50:00")
    for touch in (lambda: ask(ledger, "b", alice), lambda: left(ledger, alice)):
        with pytest.raises(LedgerUnavailable, match="clock was set back") as caught:
            touch()
        assert not any(map(str.isdigit, str(caught.value)))  # others' moments are theirs
    assert ask(ledger, "a", alice).charged == FREE


def test_who_asks_while_a_clock_is_corrected_does_not_begin_the_window_of_others_anew(
    ledger: Ledger, clock: Clock
) -> None:
    alice = request(limit="1", window=Window.MONTHLY)
    clock.set("2026-02-01T00:00:30")
    ask(ledger, "a", alice)
    clock.set("2026-01-31T23:59:00")
    ask(ledger, "b", request("bob"))
    clock.set("2026-02-01T00:01:00")
    with pytest.raises(BudgetExhausted):
        ask(ledger, "c", alice)


@pytest.mark.parametrize("name", [AccountantName.ZCDP, AccountantName.RDP])
def test_windows_convert_only_what_was_spent_in_them(
    ledger: Ledger, clock: Clock, name: AccountantName
) -> None:
    alice = request(limit="1", delta="1e-6", window=Window.DAILY, accountant=name)
    many = Charge("many", "many", (event("0.01"),) * 5)
    ledger.charge(alice, (many,))
    clock.set("2026-02-01T00:00")
    ledger.charge(alice, (charge("one", "0.01"),))
    assert ledger.standing(alice).spent.epsilon == cost("0.01").epsilon


def test_a_role_pays_beside_its_members_and_ends_their_asking_together(ledger: Ledger) -> None:
    alice, bob = (request(name, limit="2", role="sales", role_limit="3") for name in ("alice", "bob"))
    carol = request("carol")
    ask(ledger, "a", alice)
    ask(ledger, "b", alice)
    ask(ledger, "c", bob)
    with pytest.raises(BudgetExhausted) as refused:
        ask(ledger, "d", bob)
    assert refused.value.account == "role sales"
    assert left(ledger, bob)[:2] == [1, 0]
    ask(ledger, "d", carol)


def test_what_one_member_received_costs_the_role_nothing_when_another_receives_it(ledger: Ledger) -> None:
    alice, bob = (request(name, role="sales", role_limit="1") for name in ("alice", "bob"))
    ask(ledger, "a", alice)
    assert ask(ledger, "a", bob).charged == cost("1")
    assert ledger.totals("role sales").get("epsilon") == ledger.totals("dataset").get("epsilon") == 10**9
    assert ledger.spent("bob") == cost("1")


def test_a_role_pays_for_what_was_drawn_for_others(ledger: Ledger) -> None:
    ask(ledger, "a", request("carol"))
    bob = request("bob", role="sales", role_limit="1")
    ask(ledger, "a", bob)
    with pytest.raises(BudgetExhausted):
        ask(ledger, "b", bob)


def test_an_analyst_and_a_role_of_one_name_are_two_accounts(ledger: Ledger) -> None:
    ask(ledger, "a", request("sales", role="dataset"))
    ask(ledger, "b", request("dataset", role="sales"))
    names = ("analyst sales", "role dataset", "analyst dataset", "role sales", "dataset")
    assert [ledger.totals(name).get("epsilon") for name in names] == [10**9] * 4 + [2 * 10**9]


def test_datasets_share_a_ledger_and_nothing_else(place: str) -> None:
    with Ledger.open(place, dataset="sales") as sales, Ledger.open(place, dataset="staff") as staff:
        ask(sales, "a", request())
        assert sales.spent("alice") == sales.spent_dataset() == cost("1")
        assert staff.spent("alice") == staff.spent_dataset() == FREE
        assert ask(staff, "a", request()).charged == cost("1")
        assert sales.refresh(Sources("an engine"), "admin") == 2
        assert staff.data_version() == 1
        assert len(staff.payments("alice")) == 1
        paid = sales.charge(request(data_version=2), (charge("z"),))
        with pytest.raises(Exception, match="no charge had paid"):
            staff.keep(paid, "z", b"draw")


def test_what_is_left_is_told_in_queries_like_the_last_one(ledger: Ledger) -> None:
    alice = request(limit="10", dataset="4.5", delta="1e-6", role="sales", role_limit="20")
    assert ledger.repeats_left(alice) is None
    ask(ledger, "a", alice)
    assert ledger.repeats_left(alice) == 9
    ask(ledger, "b", alice)
    assert ledger.repeats_left(alice) == 8
    assert ledger.repeats_left(request("bob")) is None


@pytest.mark.parametrize("name", [AccountantName.ZCDP, AccountantName.RDP])
def test_as_many_queries_fit_as_are_told(ledger: Ledger, name: AccountantName) -> None:
    alice = request(limit="1", delta="1e-6", accountant=name)
    once = (event("0.1", mechanism=Mechanism.EXPONENTIAL),)
    ledger.charge(alice, (Charge("first", "first", once),))
    told = ledger.repeats_left(alice)
    assert told is not None and told > 10
    for n in range(told):
        ledger.charge(alice, (Charge(f"k{n}", "more", once),))
    assert ledger.repeats_left(alice) == 0
    with pytest.raises(BudgetExhausted):
        ledger.charge(alice, (Charge("last", "last", once),))
