"""What a ledger in PostgreSQL takes on trust from its server, and what it looks at in every transaction."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import psycopg
import pytest
from ledger_builders import At, charge, cost, request
from places import behind, drop_guards, refusal, restore_guards, rows
from postgresql.server import Server

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.accounting.storage.postgres_schema import GUARDED
from dpsql.accounting.types import Step


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    with Ledger.open(url, timeout=0.1) as opened:
        yield opened


@pytest.fixture
def host(postgres_server: Server, ledger: Ledger, url: str) -> Iterator[str]:
    """The address of the ledger for a user who may only read and append."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE ROLE host LOGIN")
        db.execute("GRANT USAGE ON SCHEMA dpsql_ledger TO host")
        db.execute("GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA dpsql_ledger TO host")
        yield postgres_server.url("host")
        db.execute("DROP OWNED BY host; DROP ROLE host")


@pytest.fixture
def unsynced(url: str) -> Iterator[Callable[[str], None]]:
    """Turns a setting off on the running server, until the test ends."""
    with psycopg.connect(url, autocommit=True) as db:

        def turn_off(setting: str) -> None:
            db.execute(f"ALTER SYSTEM SET {setting} = off".encode())
            db.execute("SELECT pg_reload_conf()")

        yield turn_off
        db.execute("ALTER SYSTEM RESET ALL")
        db.execute("SELECT pg_reload_conf()")
        while db.execute(
            "SELECT 1 FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'"
        ).fetchone():
            time.sleep(0.01)


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_may_lose_what_it_confirmed_is_refused_from_the_moment_on(
    ledger: Ledger, url: str, setting: str, unsynced: Callable[[str], None]
) -> None:
    ledger.charge(request(), (charge("a"),))
    unsynced(setting)
    db = ledger._database._db  # type: ignore[attr-defined]
    while db.execute(f"SHOW {setting}").fetchone() == ("on",):
        time.sleep(0.01)
    assert f"with {setting} off" in refusal(lambda: ledger.charge(request(), (charge("b"),)))
    assert rows(url, "SELECT count(*) FROM entries") == [(1,)]
    assert f"with {setting} off" in refusal(lambda: Ledger.open(url))


@pytest.fixture
def off_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Moves the clock of this computer."""
    right = time.time
    return lambda seconds: monkeypatch.setattr(time, "time", lambda: right() + seconds)


@pytest.mark.parametrize("seconds", [-400 * 86400, -200, 200, 400 * 86400])
def test_a_host_whose_clock_is_not_the_server_s_stops_nobody_but_itself(
    url: str, off_by: Callable[[float], None], seconds: float
) -> None:
    off_by(0)
    with Ledger.open(url, clock=lambda: time.time()) as ledger:
        ledger.charge(request(), (charge("a"),))
        off_by(seconds)
        for touch in (lambda: ledger.charge(request(), (charge("b"),)), lambda: ledger.standing(request())):
            assert "more than 150 seconds apart" in refusal(touch)
        off_by(0)
        assert ledger.charge(request(), (charge("b"),)).charged == cost("1")


def test_hosts_whose_clocks_are_about_right_never_learn_when_others_asked(
    url: str, off_by: Callable[[float], None]
) -> None:
    with Ledger.open(url, clock=lambda: time.time()) as ledger:
        off_by(145)
        ledger.charge(request("bob"), (charge("a"),))
        off_by(-145)
        assert ledger.charge(request(), (charge("b"),)).charged == cost("1")
        assert ledger.standing(request()).spent == cost("1")


def restored(root: psycopg.Connection, copy: str, database: str) -> None:
    """Put a copy of a database in its place, as `pg_restore` would."""
    root.execute(f"DROP DATABASE {database} WITH (FORCE)".encode())
    root.execute(f"CREATE DATABASE {database} TEMPLATE {copy}".encode())


@pytest.mark.one_in(8)
@pytest.mark.parametrize("since", [3, 0])
@pytest.mark.parametrize("charged", [True, False])
def test_an_older_state_that_is_restored_is_noticed_by_open_sessions_however_far_it_went_on(
    nowhere: str, url: str, since: int, charged: bool
) -> None:
    with Ledger.open(nowhere) as first:
        first.charge(request("zoe"), (charge("z"),))
    with psycopg.connect(url, autocommit=True) as root:
        root.execute("CREATE DATABASE copy TEMPLATE nowhere")
        with Ledger.open(nowhere) as other:
            other.charge(request("bob"), (charge("a"),))
            with Ledger.open(nowhere) as ledger:
                if charged:
                    ledger.charge(request(), (charge("b"),))
                restored(root, "copy", "nowhere")
                with Ledger.open(nowhere) as later:
                    for n in range(since):
                        later.charge(request("eve"), (charge(f"e{n}"),))
                before = rows(nowhere, "SELECT max(id) FROM log")
                said = refusal(lambda: ledger.charge(request(), (charge("c"),)))
                assert "not the one that was there before" in said
                refusal(lambda: ledger.note("alice", "refused", {}))
                refusal(lambda: ledger.spent("alice"))
                assert rows(nowhere, "SELECT max(id) FROM log") == before
        root.execute("DROP DATABASE copy")


def test_lines_that_did_not_wait_for_the_disk_may_vanish_where_the_server_stops(
    ledger: Ledger, url: str
) -> None:
    ledger.first_seen(Sources("an engine"))
    ledger.charge(request(), (charge("a"),))
    ledger.note("alice", "refused", {})
    ledger.first_seen(Sources("an engine"))  # writes nothing, and so waits for nothing
    with behind(url) as db:
        drop_guards(db)
        db.execute("DELETE FROM log WHERE what = 'refused'")
        restore_guards(db)
    assert ledger.charge(request(), (charge("b"),)).charged == cost("1")
    assert ledger.verify() == ()


@pytest.fixture
def without_its_standby(postgres_server: Server, url: str) -> Iterator[str]:
    """The address of a ledger whose server waits for a standby that there is not."""
    Ledger.open(url).close()
    postgres_server.stop()
    try:
        postgres_server.start("synchronous_standby_names=ghost")
        yield url
    finally:
        postgres_server.stop()
        postgres_server.start()


def cancel_the_wait(url: str) -> None:
    """Cancel a commit that waits for a standby, as soon as there is one."""
    with psycopg.connect(url, autocommit=True) as db:
        for _ in range(600):
            if db.execute(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            ).fetchall():
                return
            time.sleep(0.05)


@pytest.mark.parametrize("level", ["warning", "error"])
def test_a_charge_that_its_standby_has_not_confirmed_gets_no_answer(
    without_its_standby: str, level: str
) -> None:
    canceller = threading.Thread(target=cancel_the_wait, args=(without_its_standby,))
    address = f"{without_its_standby}&options=-cclient_min_messages%3D{level}"
    with Ledger.open(address, steps=At(Step.AFTER_INSERT, canceller.start)) as ledger:
        assert "a charge may stand" in refusal(lambda: ledger.charge(request(), (charge("a"),)))
        assert ledger.spent("alice") == cost("1")
    canceller.join()


@pytest.fixture
def roles(nowhere: str) -> Iterator[psycopg.Connection]:
    """The owner of a database in which eve and keeper may create schemas; keeper has the role keepers."""
    with psycopg.connect(nowhere, autocommit=True) as db:
        db.execute("CREATE ROLE eve LOGIN; CREATE ROLE keepers; CREATE ROLE keeper LOGIN IN ROLE keepers")
        db.execute("GRANT CREATE ON DATABASE nowhere TO eve, keeper, keepers")
        yield db
        db.execute("ALTER DATABASE nowhere OWNER TO admin")
        db.execute("DROP OWNED BY eve, keeper, keepers; DROP ROLE eve, keeper, keepers")


def shared(postgres_server: Server, maker: str) -> None:
    """A ledger that a role makes and lets everybody use."""
    with psycopg.connect(postgres_server.url(maker, "nowhere"), autocommit=True) as db:
        Ledger.open(postgres_server.url(maker, "nowhere")).close()
        db.execute("GRANT USAGE ON SCHEMA dpsql_ledger TO PUBLIC")
        db.execute("GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA dpsql_ledger TO PUBLIC")


@pytest.mark.parametrize("user", ["admin", "keeper"])
def test_a_ledger_that_somebody_else_made_first_is_refused(
    postgres_server: Server, roles: psycopg.Connection, user: str
) -> None:
    shared(postgres_server, "eve")
    mine = postgres_server.url(user, "nowhere")
    assert "belongs to eve" in refusal(lambda: Ledger.open(mine))
    assert "belongs to eve" in refusal(lambda: Ledger.open(mine, dataset=""))
    roles.execute("ALTER DATABASE nowhere OWNER TO eve")  # so the admin says that eve is to be trusted
    with Ledger.open(mine) as ledger:
        assert ledger.charge(request(), (charge("k"),)).charged == cost("1")


@pytest.mark.parametrize(
    "part", ["SCHEMA dpsql_ledger", "TABLE dpsql_ledger.log", "FUNCTION dpsql_ledger.append_only"]
)
def test_a_ledger_of_which_a_part_is_somebody_else_s_is_refused(
    postgres_server: Server, roles: psycopg.Connection, part: str
) -> None:
    shared(postgres_server, "keeper")
    with Ledger.open(postgres_server.url("keeper", "nowhere")) as ledger:
        ledger.charge(request(), (charge("k"),))
    roles.execute(f"ALTER {part} OWNER TO eve".encode())
    assert "belongs to eve" in refusal(lambda: Ledger.open(postgres_server.url("keeper", "nowhere")))


def test_a_ledger_of_a_role_that_the_user_has_is_the_user_s(
    postgres_server: Server, roles: psycopg.Connection
) -> None:
    shared(postgres_server, "keeper")
    for part in ("SCHEMA dpsql_ledger", *(f"TABLE dpsql_ledger.{name}" for name in GUARDED)):
        roles.execute(f"ALTER {part} OWNER TO keepers".encode())
    with Ledger.open(postgres_server.url("keeper", "nowhere")) as ledger:
        assert ledger.charge(request(), (charge("k"),)).charged == cost("1")
    assert "belongs to keeper" in refusal(lambda: Ledger.open(postgres_server.url("eve", "nowhere")))


@pytest.mark.parametrize("table", ["entries", "balances", "log", "receipts"])
def test_a_ledger_with_rows_that_the_user_may_not_see_is_not_used(
    ledger: Ledger, url: str, host: str, table: str
) -> None:
    ledger.keep(ledger.charge(request(), (charge("k"),)), "k", b"draw")
    with Ledger.open(host) as hosted, psycopg.connect(url, autocommit=True) as db:
        db.execute(f"ALTER TABLE dpsql_ledger.{table} ENABLE ROW LEVEL SECURITY".encode())
        db.execute(f"CREATE POLICY more ON dpsql_ledger.{table} FOR INSERT WITH CHECK (true)".encode())
        assert "does not allow this user" in refusal(lambda: hosted.charge(request(), (charge("new"),)))
        db.execute(f"DROP POLICY more ON dpsql_ledger.{table}".encode())
        db.execute(f"ALTER TABLE dpsql_ledger.{table} DISABLE ROW LEVEL SECURITY".encode())
        assert hosted.charge(request(), (charge("new"),)).charged == cost("1")
