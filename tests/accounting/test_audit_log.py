"""What the ledger tells an admin afterwards: a log that cannot be changed unnoticed, totals that can be recomputed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from dp_accounting.dp_event import DpEvent
from ledger_builders import charge, event, gaussian, request
from places import tamper

from dpsql.accounting.accountants.dp_accounting_export import dp_event
from dpsql.accounting.ledger import ledger_pages as pages
from dpsql.accounting.ledger.audit_log import chained
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.accounting.types import Step
from dpsql.policy.model import AccountantName
from dpsql.privacy import Charge, Mechanism
from dpsql.progress import Phase


@pytest.fixture
def filled(place: str) -> str:
    """A ledger with all there is: two datasets, a role, private keys, a Gaussian, a stored and a lost draw."""
    with Ledger.open(place, clock=lambda: 1_700_000_000.0) as ledger:
        alice = request(role="sales", accountant=AccountantName.RDP)
        for key, events in (
            ("a", (event("1/3"), event("0.1", "1e-9", Mechanism.TRUNCATED_GEOMETRIC))),
            ("b", (gaussian("0.5"),)),
        ):
            stored = ledger.charge(alice, (Charge(key, f"form of {key}", events),))
            ledger.keep(stored, key, f"draw of {key}".encode())
        ledger.charge(request("bob", accountant=AccountantName.RDP), (charge("c"),))
        ledger.refresh(Sources("an engine"), "admin")
        ledger.note("carol", "refused", {"sql": "SELECT 1"})
    with Ledger.open(place, dataset="staff") as staff:
        staff.keep(staff.charge(request("dora"), (charge("a"),)), "a", b"another draw")
    return place


def test_a_ledger_that_nobody_touched_verifies(filled: str) -> None:
    assert tamper(filled) == ()


def test_a_verification_says_how_much_of_the_log_it_has_read(
    filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "LINES", 2)
    told = list[Phase]()
    with Ledger.open(filled) as ledger:
        assert ledger.verify(told.append) == ()
        last = ledger.last_line()
    assert last is not None
    read = [phase for phase in told if phase.total is not None]
    assert [phase.total for phase in read] == [last.id] * len(read)
    assert [phase.done for phase in read] == [min(2 * n, last.id) for n in range(1, len(read) + 1)]
    assert len(read) > 2 and read[-1].share == 1


def test_what_several_releases_of_a_query_cost_verifies_in_whatever_order_they_are_asked(
    ledger: Ledger,
) -> None:
    ledger.charge(request(role="sales"), tuple(map(charge, "cab")))
    assert ledger.verify() == ()


def test_an_empty_ledger_verifies(ledger: Ledger) -> None:
    assert ledger.verify() == ()


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE log SET body = replace(body, 'SELECT 1', 'SELECT 2')", "line [0-9]+ of the log is not what"),
        ("UPDATE log SET who = 'mallory' WHERE what = 'grant'", "line [0-9]+ of the log is not what"),
        ("DELETE FROM log WHERE what = 'refused'", "line [0-9]+ of the log is missing"),
        ("DELETE FROM log WHERE what = 'charge' AND who = 'bob'", "entry 3 is not what the log says"),
        ("UPDATE entries SET epsilon = 1 WHERE id = 1", "entry 1 charges another epsilon"),
        ("UPDATE entries SET analyst = 'bob' WHERE id = 1", "entry 1 is not what the log says"),
        ("UPDATE balances SET totals = '{}' WHERE entry = 2 AND account = 'dataset'", "totals of dataset after ent"),
        ("DELETE FROM balances WHERE entry = 2 AND account = 'role sales'", "totals of role sales after entry 2"),
        ("UPDATE charges SET drawn_credit = NULL WHERE entry = 3", "entry 3 has totals of dataset, which paid"),
        ("UPDATE charges SET events = replace(events, '1/3', '1/9')", "totals of analyst alice after entry 1"),
        ("UPDATE shelf SET payload = (SELECT payload FROM shelf WHERE entry = 1) WHERE entry = 2", "b is not the one"),
        ("DELETE FROM shelf WHERE key = 'b'", "release b was drawn and is missing"),
        ("INSERT INTO shelf SELECT dataset, 'c', 3, payload, path FROM shelf WHERE entry = 1", "release c is not"),
        ("INSERT INTO repeats VALUES (2, 1, 1)", "free answers that came of entry 2 are not those of the log"),
        ("INSERT INTO receipts VALUES ('main', 'analyst bob', 'a', 1, '')", "receipt of analyst bob for the release a"),
        ("DELETE FROM grants", "entry 1 is not what the log says"),
    ],
)  # fmt: skip
def test_whatever_is_changed_or_taken_out_is_told(filled: str, statement: str, told: str) -> None:
    wrong = tamper(filled, statement)
    assert any(re.search(told, line) for line in wrong), wrong


def test_a_long_ledger_is_read_some_rows_at_a_time_and_says_the_same(
    filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(filled, dataset="") as ledger:
        whole = tuple(ledger.log()), tuple(ledger.export())
        monkeypatch.setattr(pages, "LINES", 3)
        monkeypatch.setattr(pages, "ENTRIES", 1)
        assert (tuple(ledger.log()), tuple(ledger.export())) == whole and ledger.verify() == ()
        assert ledger.last_line() == whole[0][-1]
    wrong = tamper(
        *(filled, "DELETE FROM log WHERE what = 'charge' AND who <> 'dora'"),
        "UPDATE balances SET totals = '{}' WHERE entry = 4",
    )
    assert all(f"entry {n} is not what the log says was written" in wrong for n in (1, 2, 3, 4))
    assert any("totals of analyst dora after entry 4" in line for line in wrong)


def test_an_entry_that_is_taken_out_with_all_that_belongs_to_it_is_missed(filled: str) -> None:
    parts = ("charges", "balances", "grants")
    wrong = tamper(
        filled, *(f"DELETE FROM {part} WHERE entry = 3" for part in parts), "DELETE FROM entries WHERE id = 3"
    )
    assert "entry 3 is missing" in wrong and "entry 3 is in the log and is missing" in wrong


def test_lines_say_who_did_what_and_when(filled: str) -> None:
    with Ledger.open(filled, dataset="") as ledger:
        lines = tuple(ledger.log())
        assert [line.what for line in lines] == [
            *("version", "grant", "grant", "grant", "charge", "draw", "charge", "draw", "grant", "charge"),
            *("version", "refused", "version", "grant", "grant", "charge", "draw"),
        ]
        assert [line.who for line in lines if line.what == "charge"] == ["alice", "alice", "bob", "dora"]
        assert {line.time for line in lines[:12]} == {1_700_000_000}
        assert tuple(ledger.log(after=16)) == lines[16:]


def test_a_limit_is_noted_once_and_again_whenever_it_changes(place: str) -> None:
    with Ledger.open(place) as ledger:
        for n, limit in enumerate(("1", "1", "2", "2", "1")):
            ledger.charge(request(limit=limit, per_query="0.1"), (charge(f"k{n}", "0.1"),))
        grants = [json.loads(line.body) for line in ledger.log() if line.what == "grant"]
    mine = [
        (json.loads(g["granted"])["epsilon"], g["before"]) for g in grants if g["account"] == "analyst alice"
    ]
    assert [epsilon for epsilon, _ in mine] == ["1", "2", "1"]
    assert mine[0][1] == "nothing" and json.loads(mine[1][1])["epsilon"] == "1"
    assert len([g for g in grants if g["account"] == "dataset"]) == 1


def test_what_is_exported_is_read_by_dp_accounting_and_says_the_same(filled: str) -> None:
    with Ledger.open(filled, dataset="") as ledger:
        entries = [json.loads(json.dumps(entry)) for entry in ledger.export()]
    assert [entry["analyst"] for entry in entries] == ["alice", "alice", "bob", "dora"]
    assert [entry["dataset"] for entry in entries] == ["main", "main", "main", "staff"]
    assert entries[0]["charges"][0]["paid_by"] == ["analyst alice", "role sales", "dataset"]
    first, second = entries[0]["charges"][0]["events"]
    assert (first["epsilon"], second["delta"]) == ("1/3", "1/1000000000")
    assert first["dp_event"] == {
        "module_name": "dp_accounting.dp_event",
        "class_name": "DiscreteLaplaceDpEvent",
        "noise_parameter": pytest.approx(1 / 3),
        "sensitivity": 1,
    }
    assert entries[1]["charges"][0]["events"][0]["dp_event"]["noise_multiplier"] == 2


@pytest.mark.parametrize("mechanism", Mechanism)
@pytest.mark.parametrize("epsilon", ["0", "0.5"])
def test_every_mechanism_has_an_event_of_dp_accounting(mechanism: Mechanism, epsilon: str) -> None:
    is_gaussian = mechanism is Mechanism.DISCRETE_GAUSSIAN
    found = dp_event(gaussian("1") if is_gaussian else event(epsilon, mechanism=mechanism))
    fields = type("Fields", (), {"_fields": tuple(found), **found})()
    read = DpEvent.from_named_tuple(fields)
    assert type(read).__name__ == found["class_name"]


class Watching:
    """Notes how carefully SQLite writes at each step."""

    def __init__(self) -> None:
        self.modes: list[object] = []
        self.ledger: Ledger | None = None

    def reached(self, step: Step) -> None:
        if step in (Step.BEFORE_BEGIN, Step.AFTER_INSERT) and self.ledger is not None:
            assert self.ledger._database._db is not None
            self.modes += self.ledger._database._db.execute("PRAGMA synchronous").fetchone()


def test_a_note_need_not_be_synced_and_every_charge_is(path: Path) -> None:
    watching = Watching()
    with Ledger.open(path, steps=watching) as ledger:
        watching.ledger = ledger
        ledger.note("alice", "refused", {})
        ledger.charge(request(), (charge("a"),))
    assert watching.modes == [1, 2]


def test_a_line_that_is_written_anew_with_its_own_hash_breaks_the_next(filled: str) -> None:
    with Ledger.open(filled, dataset="") as ledger:
        before, line = tuple(ledger.log())[10:12]
    fields = (line.id, line.time, line.dataset, "mallory", line.what, line.body)
    forged = f"UPDATE log SET who = 'mallory', hash = '{chained(before.hash, fields)}' WHERE id = {line.id}"
    assert tamper(filled, forged) == (f"line {line.id + 1} of the log is not what was written",)


def test_free_answers_are_counted_for_the_payment_that_they_came_of(place: str) -> None:
    with Ledger.open(place) as ledger:
        asked = (("alice", "a"), ("alice", "b"), ("bob", "a"))
        for analyst, key in asked:
            stored = ledger.charge(request(analyst), (charge(key),))
            if stored.get(key) is None:
                ledger.keep(stored, key, b"draw")
        for analyst, keys in (("alice", ("a",)), ("alice", ("a", "b")), ("bob", ("a",)), ("bob", ("b",))):
            ledger.note_repeat(analyst, keys, {"keys": list(keys)})
        assert [p.free_answers for p in ledger.payments("alice")] == [2, 1]
        assert [p.free_answers for p in ledger.payments("bob")] == [1]
        assert [line.what for line in ledger.log()].count("stored") == 4
        assert ledger.verify() == ()
    wrong = tamper(place, "DELETE FROM repeats WHERE entry = 1 AND count = 1")
    assert wrong == ("the free answers that came of entry 1 are not those of the log",)
