"""Who pays for what, what is stored, and what the ledger writes down."""

from __future__ import annotations

import gc
import json
import sqlite3
import stat
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import psycopg
import pytest
from ledger_builders import AMPLE, charge, cost, event, request
from places import Refused, behind, rows

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.ledger.recorded_sources import Active, SourceFile, Sources
from dpsql.accounting.types import Request, StoredReleases, UnpaidRelease, UnsupportedEvent
from dpsql.errors import BudgetExhausted, InternalError, LedgerUnavailable
from dpsql.policy.model import AccountantName
from dpsql.privacy import FREE, Charge, Mechanism


def ask(ledger: Ledger, key: str, analyst: str = "alice", epsilon: str = "1") -> StoredReleases:
    """Charge one release and draw it if it is not stored."""
    stored = ledger.charge(request(analyst), (charge(key, epsilon),))
    drawn = f"{key} drawn for {analyst}".encode()
    return ledger.keep(stored, key, drawn) if stored.missing((key,)) else stored


def test_a_new_question_is_paid_by_the_analyst_and_by_the_dataset(ledger: Ledger) -> None:
    stored = ask(ledger, "k")
    assert stored.charged == cost("1")
    assert stored.get("k") == b"k drawn for alice"
    assert ledger.spent("alice") == ledger.spent_dataset() == cost("1")


def test_a_repeat_by_the_same_analyst_is_free_and_the_same_answer(ledger: Ledger) -> None:
    first, second = ask(ledger, "k"), ask(ledger, "k")
    assert second.charged == FREE
    assert second.entry is None
    assert second.get("k") == first.get("k")
    assert ledger.spent("alice") == cost("1")


def test_a_stored_release_is_paid_by_another_analyst_but_not_again_by_the_dataset(ledger: Ledger) -> None:
    ask(ledger, "k")
    stored = ask(ledger, "k", "bob")
    assert stored.charged == cost("1")
    assert stored.get("k") == b"k drawn for alice"
    assert ask(ledger, "k", "bob").charged == FREE
    assert ledger.spent("bob") == cost("1")
    assert ledger.spent_dataset() == cost("1")


def test_a_charge_whose_draw_was_never_kept_is_paid_again(ledger: Ledger) -> None:
    ledger.charge(request(), (charge("k"),))
    stored = ledger.charge(request(), (charge("k"),))
    assert stored.missing(("k",)) == ("k",)
    assert ledger.spent("alice") == ledger.spent_dataset() == cost("2")


def test_a_payment_for_a_lost_draw_does_not_buy_somebody_elses_draw(ledger: Ledger) -> None:
    ledger.charge(request("alice"), (charge("k"),))
    ask(ledger, "k", "bob")
    assert ask(ledger, "k", "alice").charged == cost("1")
    assert ledger.spent("alice") == cost("2")


def test_of_two_who_draw_at_the_same_moment_both_pay_and_the_first_draw_stands_for_both(
    ledger: Ledger, place: str
) -> None:
    with Ledger.open(place) as other:
        mine = ledger.charge(request("alice"), (charge("k"),))
        theirs = other.charge(request("bob"), (charge("k"),))
        assert mine.charged == theirs.charged == cost("1")
        assert other.keep(theirs, "k", b"first").get("k") == b"first"
        assert ledger.keep(mine, "k", b"second").get("k") == b"first"
    assert ledger.spent_dataset() == cost("2")
    assert ask(ledger, "k", "alice").charged == ask(ledger, "k", "bob").charged == FREE


def test_one_key_twice_in_one_query_is_paid_once(ledger: Ledger) -> None:
    stored = ledger.charge(request(), (charge("k"), charge("k")))
    assert stored.charged == cost("1")
    assert ledger.spent_dataset() == cost("1")


def test_two_different_charges_under_one_key_are_a_bug_and_cost_nothing(ledger: Ledger) -> None:
    with pytest.raises(InternalError, match="same key"):
        ledger.charge(request(), (charge("k", "1"), charge("k", "2")))
    assert ledger.spent("alice") == FREE


def test_a_query_pays_for_exactly_those_of_its_releases_that_are_new(ledger: Ledger) -> None:
    ask(ledger, "old", epsilon="1")
    ask(ledger, "foreign", "bob", epsilon="2")
    wanted = (charge("old", "1"), charge("foreign", "2"), charge("new", "4"))
    stored = ledger.charge(request(), wanted)
    assert stored.charged == cost("6")
    assert stored.missing(("old", "foreign", "new", "new")) == ("new",)
    assert ledger.spent("alice") == cost("7")
    assert ledger.spent_dataset() == cost("7")


def test_what_is_stored_is_received_in_its_turn_where_something_is_drawn_before(ledger: Ledger) -> None:
    ask(ledger, "foreign", "bob")
    stored = ledger.charge(request(), (charge("new"), charge("foreign")))
    assert ledger.received(request(), ("new", "foreign")) == frozenset()
    for key in ("foreign", "new", "of nobody"):  # what is not stored, or was not paid for, stays what it is
        ledger.hand_over(stored, key)
    assert ledger.received(request(), ("new", "foreign")) == {"foreign"}
    ledger.keep(stored, "new", b"")
    assert ledger.received(request(), ("new", "foreign")) == {"new", "foreign"}
    ledger.hand_over(
        ledger.charge(request(), (charge("foreign"),)), "foreign"
    )  # free, and received long since


def test_what_is_stored_is_received_at_once_where_nothing_is_drawn(ledger: Ledger) -> None:
    ask(ledger, "k", "bob")
    ledger.charge(request(), (charge("k"),))
    assert ledger.received(request(), ("k",)) == {"k"}


def test_no_releases_cost_nothing_and_leave_no_trace(ledger: Ledger, place: str) -> None:
    assert ledger.charge(request(), ()) == StoredReleases()
    assert rows(place, "SELECT * FROM entries") == []


@pytest.mark.parametrize(
    ("limits", "account", "left"),
    [
        ({"limit": "2.5"}, "alice", "0.5"),
        ({"dataset": "2.25"}, "dataset", None),
        ({"per_query": "0.75"}, "one query by alice", "0.75"),
    ],
)
def test_what_a_limit_does_not_cover_is_refused_with_what_is_left_and_writes_nothing(
    ledger: Ledger, place: str, limits: dict[str, str], account: str, left: str | None
) -> None:
    ask(ledger, "a")
    ask(ledger, "b")
    before = rows(place, "SELECT * FROM entries")
    with pytest.raises(BudgetExhausted) as caught:
        ledger.charge(request(**limits), (charge("c", "0.5"), charge("d", "0.5")))
    assert caught.value.account == account
    told = (1, Fraction(left)) if left is not None else (None, None)
    assert (caught.value.asked_epsilon, caught.value.left_epsilon) == told
    assert rows(place, "SELECT * FROM entries") == before
    assert ask(ledger, "e", epsilon="0.25").charged == cost("0.25")


def test_the_whole_limit_can_be_spent_and_not_a_unit_more(ledger: Ledger) -> None:
    tight = request(limit="1", dataset="1", per_query="1")
    ledger.charge(tight, (charge("a", "0.999999999"),))
    ledger.charge(tight, (charge("b", "0.000000001"),))
    with pytest.raises(BudgetExhausted) as caught:
        ledger.charge(tight, (charge("c", "0.000000001"),))
    assert caught.value.left_epsilon == 0


def test_a_limit_lowered_below_what_is_spent_leaves_nothing_but_what_is_free(ledger: Ledger) -> None:
    ask(ledger, "k")
    with pytest.raises(BudgetExhausted) as caught:
        ledger.charge(request(limit="0.5"), (charge("new", "0.1"),))
    assert caught.value.left_epsilon == 0
    assert ledger.charge(request(limit="0.5"), (charge("k"),)).charged == FREE


def test_a_used_up_dataset_still_hands_out_what_is_stored(ledger: Ledger) -> None:
    ask(ledger, "k")
    assert ledger.charge(request("bob", dataset="1"), (charge("k"),)).charged == cost("1")
    with pytest.raises(BudgetExhausted, match="the data's budget does not allow"):
        ledger.charge(request("bob", dataset="1"), (charge("new"),))


def test_deltas_are_counted_and_limited_like_epsilons(ledger: Ledger) -> None:
    for key in "ab":
        ledger.charge(request(delta="2e-7"), (charge(key, "0.1", "1e-7"),))
    with pytest.raises(BudgetExhausted) as caught:
        ledger.charge(request(delta="2e-7"), (charge("c", "0.1", "1e-18"),))
    assert (caught.value.asked_delta, caught.value.left_delta) == (Fraction("1e-18"), 0)
    assert ledger.spent("alice") == ledger.spent_dataset() == cost("0.2", "2e-7")


def test_a_query_that_needs_more_delta_than_one_may_cost_is_refused(ledger: Ledger) -> None:
    one, dear = replace(request(), per_query=cost(AMPLE, "1e-7")), (charge("k", "0.1", "1.000001e-7"),)
    assert not ledger.covers(one, dear)
    with pytest.raises(BudgetExhausted, match="one query by alice"):
        ledger.charge(one, dear)
    assert ledger.spent("alice") == FREE


def test_the_pure_accountant_charges_nothing_for_an_event_that_it_refuses(ledger: Ledger) -> None:
    pure = request(accountant=AccountantName.PURE)
    with pytest.raises(UnsupportedEvent):
        ledger.charge(pure, (charge("k", "0.1", "1e-7"),))
    assert ledger.spent_dataset() == FREE


def test_a_query_is_rounded_up_once_and_never_down(ledger: Ledger) -> None:
    thirds = tuple(charge(key, "1/3", "1/3000000") for key in "abc")
    assert ledger.charge(request(limit="1", delta="1e-6"), thirds).charged == cost("1", "1e-6")
    assert ledger.charge(request("bob"), (charge("d", "1/3"),)).charged == cost("0.333333334")
    assert ledger.spent_dataset() == cost("1.333333334", "1e-6")


def test_a_charge_of_almost_nothing_is_booked_as_one_unit(ledger: Ledger) -> None:
    assert ledger.charge(request(), (charge("k", "1e-30", "1e-30"),)).charged == cost("1e-9", "1e-18")


def test_a_most_for_one_query_that_is_finer_than_the_ledgers_unit_can_be_used(ledger: Ledger) -> None:
    ledger.charge(request(per_query="1/3"), (charge("k", "1/3"),))
    with pytest.raises(BudgetExhausted):
        ledger.charge(request(per_query="1/3"), (charge("l", "0.33333333334"),))


def test_a_total_beyond_64_bits_is_not_wrapped(ledger: Ledger) -> None:
    endless = request(limit="1e30", per_query="1e30", dataset="1e30")
    for key in "abc":
        ledger.charge(endless, (charge(key, "9e9"),))
    assert ledger.spent_dataset() == cost("27e9")


def test_accounts_are_apart_and_the_dataset_adds_them_up(ledger: Ledger) -> None:
    ask(ledger, "a", "alice", "1")
    ask(ledger, "b", "bob", "0.25")
    assert (ledger.spent("alice"), ledger.spent("bob")) == (cost("1"), cost("0.25"))
    assert ledger.spent("carol") == FREE
    assert ledger.spent_dataset() == cost("1.25")


def test_everything_is_there_after_it_is_opened_again(ledger: Ledger, place: str) -> None:
    ask(ledger, "k")
    ledger.close()
    with Ledger.open(place) as again:
        assert again.spent("alice") == again.spent_dataset() == cost("1")
        assert ask(again, "k").charged == FREE


def test_an_entry_says_who_when_under_which_policy_and_what_was_done(place: str) -> None:
    done = Charge("k", "count", (event("1/3"), event("0.5", "1e-7", Mechanism.TRUNCATED_GEOMETRIC)))
    with Ledger.open(place, clock=lambda: 1_700_000_000.9) as ledger:
        ledger.charge(request(), (done,))
    assert rows(place, "SELECT id, time, analyst, policy_digest, data_version, accountant FROM entries") == [
        (1, 1_700_000_000, "alice", "digest of the policy", 1, "approx")
    ]
    ((key, canonical, events, *credits),) = rows(
        place, "SELECT key, canonical, events, own_credit, role_credit, drawn_credit FROM charges"
    )
    assert (key, canonical, credits) == ("k", "count", ["[]", None, "[]"])
    assert json.loads(str(events)) == [
        {"mechanism": "discrete_laplace", "sensitivity": 1, "epsilon": "1/3", "delta": "0"},
        {"mechanism": "truncated_geometric", "sensitivity": 1, "epsilon": "1/2", "delta": "1/10000000"},
    ]


def test_running_totals_equal_the_sums_of_what_was_paid(ledger: Ledger, place: str) -> None:
    for key, analyst in (("a", "alice"), ("b", "bob"), ("a", "bob"), ("c", "alice")):
        ask(ledger, key, analyst, "0.1")
    balances = rows(place, "SELECT account, entry, totals FROM balances ORDER BY account, entry")
    assert [(*found, json.loads(str(totals))["epsilon"]) for *found, totals in balances] == [
        ("analyst alice", 1, 10**8),
        ("analyst alice", 4, 2 * 10**8),
        ("analyst bob", 2, 10**8),
        ("analyst bob", 3, 2 * 10**8),
        ("dataset", 1, 10**8),
        ("dataset", 2, 2 * 10**8),
        ("dataset", 4, 3 * 10**8),
    ]
    assert rows(place, "SELECT sum(epsilon) FROM entries") == [(4 * 10**8,)]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "table", ["entries", "balances", "charges", "shelf", "receipts", "versions", "fingerprints"]
)
@pytest.mark.parametrize("change", ["DELETE FROM {table}", "UPDATE {table} SET {column} = {column}"])
def test_no_table_can_be_changed_or_emptied(ledger: Ledger, place: str, table: str, change: str) -> None:
    ask(ledger, "k")
    ledger.first_seen(sources("x"))
    with pytest.raises(Refused, match="append-only"), behind(place) as db:
        column = db.execute(f"SELECT * FROM {table}").description[0][0]
        db.execute(change.format(table=table, column=column))


@pytest.mark.parametrize("value", ["'a'", "0.5", "-1", "NULL", "9e999", "-(9e999)"])
def test_nothing_but_a_non_negative_integer_is_accepted_as_an_amount(
    ledger: Ledger, place: str, value: str
) -> None:
    insert = "INSERT INTO entries VALUES ({}, 0, 'main', 'a', NULL, 'p', 1, 'pure', {}, 0)"
    with behind(place) as db:
        db.execute(insert.format(1, 1))
    with suppress(Refused), behind(place) as db:
        db.execute(insert.format(2, value))
    stored = [amount for (amount,) in rows(place, "SELECT epsilon FROM entries")]
    assert stored == [1] or (
        value == "0.5" and stored == [1, 1]
    )  # PostgreSQL's column rounds; it keeps no fraction


def test_a_release_that_nobody_paid_for_cannot_be_stored(ledger: Ledger) -> None:
    with pytest.raises(UnpaidRelease):
        ledger.keep(StoredReleases(), "k", b"draw")
    paid = ledger.charge(request(), (charge("k"),))
    with pytest.raises(UnpaidRelease):
        ledger.keep(paid, "another", b"draw")
    assert ledger.keep(paid, "k", b"draw").get("k") == b"draw"


def test_who_paid_only_for_a_stored_release_cannot_replace_it(ledger: Ledger) -> None:
    ask(ledger, "k")
    bought = ledger.charge(request("bob"), (charge("k"),))
    with pytest.raises(UnpaidRelease):
        ledger.keep(bought, "k", b"other")


def test_a_payload_comes_back_byte_for_byte(ledger: Ledger) -> None:
    payload = bytes(range(256)) * 1000
    stored = ledger.keep(ledger.charge(request(), (charge("k"),)), "k", payload)
    assert stored.get("k") == payload
    assert ledger.charge(request(), (charge("k"),)).get("k") == payload


def test_an_empty_payload_is_stored_like_any_other(ledger: Ledger) -> None:
    ledger.keep(ledger.charge(request(), (charge("k"),)), "k", b"")
    assert ledger.charge(request(), (charge("k"),)) == StoredReleases((("k", b""),))


def test_a_new_ledger_and_its_companions_are_for_their_owner_alone(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ask(ledger, "k")
        modes = {f.name: stat.S_IMODE(f.stat().st_mode) for f in path.parent.iterdir()}
    assert modes == dict.fromkeys(
        ("shop.ledger", "shop.ledger-wal", "shop.ledger-shm", "shop.ledger-mark"), 0o600
    )


def sources(*fingerprints: str, engine: str = "an engine") -> Sources:
    """Files /a, /b, ... with these fingerprints."""
    files = (SourceFile(f"/{name}", (name,), text) for name, text in zip("abc", fingerprints, strict=False))
    return Sources(engine, tuple(files), "00")


def test_data_versions_count_from_1_and_move_only_by_refresh(ledger: Ledger) -> None:
    assert ledger.active() == Active(1, Sources())
    assert ledger.first_seen(sources("x", "y")) == Active(1, sources("x", "y"))
    assert ledger.first_seen(sources("z")) == ledger.active() == Active(1, sources("x", "y"))
    assert ledger.refresh(sources("z"), "admin") == 2
    assert ledger.active() == Active(2, sources("z")) and ledger.data_version() == 2


def test_a_version_has_the_sources_that_it_began_with_and_copies_of_them_alone(
    ledger: Ledger, place: str
) -> None:
    ledger.first_seen(sources("x", "y"))
    copy = SourceFile("/elsewhere", ("a",), "x")
    for _ in range(11):  # more than one digit
        ledger.accept(Sources("ignored", (copy,), "ignored"), 1, "admin")
    stands = ledger.active().sources
    assert (stands.engine, stands.key, set(stands.files)) == (
        "an engine",
        "00",
        {*sources("x", "y").files, copy},
    )
    ledger.refresh(sources("x"), "admin")
    assert ledger.active() == Active(2, sources("x"))
    with pytest.raises(LedgerUnavailable, match="version 2 by now"):
        ledger.accept(sources("y"), 1, "admin")
    assert rows(place, "SELECT version, who FROM versions") == [(1, "creation"), (2, "admin")]
    assert [line.what for line in ledger.log() if line.what == "same"] == ["same"] * 11
    assert ledger.verify() == ()


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (sources("x", "y"), []),
        (sources("x"), []),
        (sources("x:more", "y"), []),
        (sources("xx", "y"), ["/a has changed"]),
        (sources("x", "y", "z"), ["/c is not a file that the data was read from"]),
        (
            sources("x", engine="a new one"),
            ["the data was read with an engine and would now be read with a new one"],
        ),
    ],
)
def test_what_differs_from_the_record_is_told_in_words(found: Sources, told: list[str]) -> None:
    changes = found.changes(sources("x", "y"))
    assert len(changes) == len(told) and all(map(str.startswith, changes, told))
    assert found.changes(Sources()) == ()


def test_files_that_an_earlier_dpsql_recorded_one_by_one_are_known_by_size_and_time(path: Path) -> None:
    with Ledger.open(path):
        pass
    with sqlite3.connect(path) as db:
        for name, found in (("/a", "12:34:56"), ("/b", "missing")):
            db.execute("INSERT INTO fingerprints VALUES ('main', ?, 1, ?)", (name, found))
    db.close()
    with Ledger.open(path) as ledger:
        before = ledger.active()
        assert not before.is_recorded
        assert sources("12:34:abc").changes(before.sources) == sources("12:34").changes(before.sources) == ()
        for other in ("12:35:abc", "1:34", "12:345"):
            assert sources(other).changes(before.sources) == ("/a has changed",)
        assert sources("12:34", "1:2").changes(before.sources) == ("/b has changed",)
        assert ledger.first_seen(sources("12:34")) == Active(1, sources("12:34"))


def test_a_refresh_neither_refunds_nor_forgets(ledger: Ledger) -> None:
    ask(ledger, "k")
    ledger.refresh(Sources("an engine"), "admin")
    assert ledger.spent("alice") == cost("1")
    assert ledger.charge(request(data_version=2), (charge("k"),)).charged == FREE


@pytest.mark.parametrize("version", [1, 3])
def test_a_connection_with_another_data_version_is_served_nothing(ledger: Ledger, version: int) -> None:
    ask(ledger, "k")
    ledger.refresh(Sources("an engine"), "admin")
    for wanted in ("k", "new"):
        with pytest.raises(LedgerUnavailable, match=f"version 2 by now.*at version {version}"):
            ledger.charge(request(data_version=version), (charge(wanted),))
    assert ledger.spent_dataset() == cost("1")


@pytest.mark.parametrize("broken", [{"analyst": ""}, {"data_version": 0}])
def test_a_request_without_an_analyst_or_a_data_version_cannot_exist(broken: dict[str, object]) -> None:
    whole: dict[str, object] = {f: getattr(request(), f) for f in Request.__slots__}
    with pytest.raises(ValueError, match=r"analyst's name|from 1"):
        Request(**(whole | broken))  # type: ignore[arg-type]


def test_a_ledger_that_is_forgotten_lets_go_of_its_connection(place: str) -> None:
    ledger = Ledger.open(place)
    kept = ledger._database._db  # type: ignore[attr-defined]
    kept.execute("SELECT 1")
    del ledger
    gc.collect()
    with pytest.raises((sqlite3.Error, psycopg.Error)):
        kept.execute("SELECT 1")
