"""A ledger in PostgreSQL: what the server, the network and other programs may do to it; nothing is lost or unpaid."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator

import psycopg
import pytest
from ledger_builders import At, charge, cost, on_path, request
from places import behind, refusal, restore_guards
from postgresql.server import Server

from dpsql.accounting.ledger import balances, stored_releases
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.accounting.storage import postgres
from dpsql.accounting.types import Step
from dpsql.privacy import FREE


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    with Ledger.open(url, timeout=0.1) as opened:
        yield opened


def cut_off(url: str) -> None:
    """End every other connection."""
    with psycopg.connect(url) as db:
        db.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://bob:secret@127.0.0.1:1/shop",
        "postgresql://bob:secret@/shop?host=/nowhere",
        "postgresql://bob:secret@host/shop?no_such_setting=1",
        "postgresql://bob:secret@[/shop",
    ],
)
def test_an_address_without_a_server_is_refused_without_naming_the_password(address: str) -> None:
    said = refusal(lambda: Ledger.open(address))
    assert "secret" not in said and "address" in said


def test_a_missing_database_is_refused(postgres_server: Server) -> None:
    assert "cannot be" in refusal(lambda: Ledger.open(postgres_server.url(database="missing")))


def test_without_psycopg_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dpsql.accounting.storage.postgres", None)
    assert 'pip install "dpsql[postgres]"' in refusal(lambda: Ledger.open("postgresql://host/shop"))


def test_a_database_without_a_ledger_gets_one_only_where_charges_are_to_be_made(nowhere: str) -> None:
    assert "there is no ledger" in refusal(lambda: Ledger.open(nowhere, dataset=""))
    Ledger.open(nowhere).close()
    with Ledger.open(nowhere, dataset="") as ledger:
        assert ledger.verify() == ()


def test_hosts_that_make_the_ledger_at_the_same_moment_share_one(nowhere: str, executions: int) -> None:
    wrong: list[BaseException] = []

    def host(gate: threading.Barrier) -> None:
        gate.wait()
        try:
            with Ledger.open(nowhere, timeout=60) as ledger:
                assert ledger.data_version() == 1
        except BaseException as error:
            wrong.append(error)

    for _ in range(executions or 2):
        with psycopg.connect(nowhere) as db:
            db.execute("DROP SCHEMA IF EXISTS dpsql_ledger CASCADE")
        gate = threading.Barrier(4)
        hosts = [threading.Thread(target=host, args=(gate,)) for _ in range(4)]
        for thread in hosts:
            thread.start()
        for thread in hosts:
            thread.join()
        assert wrong == []
    with Ledger.open(nowhere) as ledger:
        assert [line.what for line in ledger.log()] == ["version"] and ledger.verify() == ()


def test_a_schema_of_another_program_is_refused_and_left_alone(nowhere: str) -> None:
    with psycopg.connect(nowhere) as db:
        db.execute("CREATE SCHEMA dpsql_ledger")
        db.execute("CREATE TABLE dpsql_ledger.songs (title text)")
    assert "another program" in refusal(lambda: Ledger.open(nowhere))
    with psycopg.connect(nowhere) as db:
        tables = db.execute("SELECT relname FROM pg_class WHERE relnamespace = 'dpsql_ledger'::regnamespace")
        assert tables.fetchall() == [("songs",)]


@pytest.mark.parametrize(("form", "told"), [(1, "older dpsql"), (99, "newer dpsql")])
def test_a_ledger_of_another_format_is_refused(nowhere: str, form: int, told: str) -> None:
    Ledger.open(nowhere).close()
    with behind(nowhere) as db:
        db.execute("ALTER TABLE format DISABLE TRIGGER append_only")
        db.execute(f"UPDATE format SET format = {form}".encode())
    assert told in refusal(lambda: Ledger.open(nowhere))


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_hold_every_text_is_refused(
    postgres_server: Server, url: str, encoding: str
) -> None:
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(f"CREATE DATABASE narrow ENCODING '{encoding}' TEMPLATE template0".encode())
    assert "UTF-8" in refusal(lambda: Ledger.open(postgres_server.url(database="narrow")))
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("DROP DATABASE narrow")


def test_a_lock_held_for_too_long_fails_closed_and_stops_no_free_repeat(ledger: Ledger, url: str) -> None:
    ledger.keep(ledger.charge(request(), (charge("k"),)), "k", b"draw")
    with psycopg.connect(url) as holder:
        holder.execute(f"SELECT pg_advisory_lock({postgres.APPLICATION})".encode())
        begin = time.monotonic()
        assert "stayed locked" in refusal(lambda: ledger.charge(request(), (charge("new"),)))
        assert time.monotonic() - begin < 5
        assert ledger.charge(request(), (charge("k"),)).charged == FREE
        assert ledger.spent_dataset() == cost("1")
    assert ledger.charge(request(), (charge("new"),)).charged == cost("1")


def test_a_connection_that_was_lost_between_two_queries_is_opened_anew(ledger: Ledger, url: str) -> None:
    ledger.charge(request(), (charge("a"),))
    cut_off(url)
    assert ledger.charge(request(), (charge("b"),)).charged == cost("1")
    cut_off(url)
    assert ledger.spent_dataset() == cost("2")


def test_a_connection_that_is_lost_in_a_charge_fails_closed_and_charges_nothing(url: str) -> None:
    at = At(Step.AFTER_INSERT, lambda: cut_off(url))
    with Ledger.open(url, steps=at) as ledger:
        assert "connection" in refusal(lambda: ledger.charge(request(), (charge("a"),)))
        assert ledger.spent_dataset() == FREE
        assert ledger.charge(request(), (charge("a"),)).charged == cost("1")


def test_a_connection_that_breaks_in_a_charge_is_not_called_a_wrong_address(url: str) -> None:
    def broken() -> None:
        descriptor = ledger._database._db.fileno()  # type: ignore[attr-defined]
        with socket.socket(fileno=os.dup(descriptor)) as half:
            half.shutdown(socket.SHUT_RDWR)

    with Ledger.open(url, steps=At(Step.AFTER_INSERT, broken)) as ledger:
        assert "lost its connection" in refusal(lambda: ledger.charge(request(), (charge("a"),)))
        assert ledger.spent_dataset() == FREE


def test_a_key_that_is_too_long_for_an_index_is_told_as_that(ledger: Ledger) -> None:
    assert "so long" in refusal(lambda: ledger.charge(request(), (charge(os.urandom(3000).hex()),)))
    assert ledger.charge(request(), (charge("k"),)).charged == cost("1")


def test_a_connection_that_is_lost_before_a_draw_is_kept_leaves_the_charge_and_keeps_the_draw(
    url: str,
) -> None:
    with Ledger.open(url, steps=At(Step.BEFORE_KEEP, lambda: cut_off(url))) as ledger:
        stored = ledger.keep(ledger.charge(request(), (charge("a"),)), "a", b"draw")
        assert stored.get("a") == b"draw"
        assert ledger.spent_dataset() == cost("1")


def test_a_host_that_freezes_in_a_charge_does_not_hold_up_the_others(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "IDLE_SECONDS", 1)

    def freeze() -> None:
        with Ledger.open(url, timeout=10) as other:
            other.charge(request("bob"), (charge("b"),))

    with Ledger.open(url, steps=At(Step.AFTER_INSERT, freeze)) as frozen:
        assert "connection" in refusal(lambda: frozen.charge(request(), (charge("a"),)))
        assert (frozen.spent("alice"), frozen.spent("bob")) == (FREE, cost("1"))


def test_every_charge_survives_a_server_that_stops_as_if_the_power_had_failed(
    postgres_server: Server, url: str
) -> None:
    with Ledger.open(url) as ledger:
        for n in range(20):
            ledger.charge(request(), (charge(f"k{n}"),))
        postgres_server.stop(signal.SIGQUIT)
        assert "cannot be reached" in refusal(lambda: ledger.charge(request(), (charge("down"),)))
        postgres_server.start()
        assert ledger.spent("alice") == cost("20")
        assert ledger.charge(request(), (charge("up"),)).charged == cost("1")


def test_a_user_who_may_only_read_and_append_is_all_that_a_host_needs(
    postgres_server: Server, ledger: Ledger, url: str
) -> None:
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("DROP ROLE IF EXISTS host")
        db.execute("CREATE ROLE host LOGIN")
        db.execute("GRANT USAGE ON SCHEMA dpsql_ledger TO host")
        as_host = postgres_server.url("host")
        assert "does not allow this user" in refusal(lambda: Ledger.open(as_host))
        db.execute("GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA dpsql_ledger TO host")
        with Ledger.open(as_host) as host:
            host.keep(host.charge(request(), (charge("k"),)), "k", b"draw")
            host.refresh(Sources("an engine"), "host")
            assert host.verify() == ()
        with pytest.raises(psycopg.errors.InsufficientPrivilege), behind(as_host) as raw:
            raw.execute("ALTER TABLE entries DISABLE TRIGGER append_only")
        db.execute("DROP OWNED BY host; DROP ROLE host")
    assert ledger.spent_dataset() == cost("1")


@pytest.mark.parametrize("setting", ["off", "local", "on"])
def test_a_charge_is_synced_whatever_the_user_s_default_is_and_a_note_need_not_be(
    url: str, setting: str
) -> None:
    seen: list[object] = []

    def look() -> None:
        db = ledger._database._db  # type: ignore[attr-defined]
        seen.extend(db.execute("SHOW synchronous_commit").fetchone())

    options = f"{url}&options=-csynchronous_commit%3D{setting}"
    with Ledger.open(options, steps=At(Step.AFTER_INSERT, look)) as ledger:
        ledger.charge(request(), (charge("k"),))
    assert seen == ["on"]


def test_a_table_that_lost_its_guard_is_told(ledger: Ledger, url: str) -> None:
    with behind(url) as db:
        db.execute("ALTER TABLE charges ENABLE TRIGGER append_only")  # replication could change it
    assert ledger.verify() == ("the table charges is not append-only any more",)
    with behind(url) as db:
        restore_guards(db)
    assert ledger.verify() == ()


def test_a_charge_waits_for_the_log_and_a_draw_only_beside_others(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[object] = []

    def watched(work: Callable[..., object]) -> Callable[..., object]:
        def noted(db: psycopg.Connection, *arguments: object, **named: object) -> object:
            waits.append(db.execute("SHOW synchronous_commit").fetchone()[0])  # type: ignore[index]
            return work(db, *arguments, **named)

        return noted

    monkeypatch.setattr(balances, "book", watched(balances.book))
    monkeypatch.setattr(stored_releases, "keep", watched(stored_releases.keep))
    for wanted in (charge("alone"), on_path("first", "1"), on_path("finer", "2")):
        ledger.keep(ledger.charge(request(), (wanted,)), wanted.key, b"draw", ledger.beside(wanted).count)
    assert waits == ["on", "off", "on", "off", "on", "on"]
