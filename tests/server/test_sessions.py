"""Sessions of real clients: psql and psycopg, limits after the login, and what the processes are made of."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import threading
import time
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest

import dpsql
from server.raw_client import RawClient, message
from server.served import PASSWORD, Served

BY_REGION = "SELECT region, COUNT(*) FROM orders WHERE quantity > 1 GROUP BY region ORDER BY region"


def psql(server: Served, *commands: str, user: str = "alice") -> subprocess.CompletedProcess[str]:
    given = [part for command in commands for part in ("-c", command)]
    return subprocess.run(
        ["psql", "--no-psqlrc", "--csv", server.address(user), *given],
        capture_output=True, text=True, timeout=60, check=False, env={**os.environ, "LC_ALL": "C"},
    )  # fmt: skip


def test_psql_asks_and_is_told_what_it_cost(server: Served) -> None:
    asked = psql(server, BY_REGION, "SELECT name FROM rows_of_nobody")
    lines = asked.stdout.split()
    assert lines[0] == "region,count" and len(lines) == 5
    assert re.search(r"NOTICE:\s+charged epsilon 1", asked.stderr)
    assert "rows_of_nobody" in asked.stderr and asked.returncode == 1


def test_psql_lists_tables(server: Served) -> None:
    assert "orders" in psql(server, r"\dt").stdout
    assert "amount" in psql(server, r"\d orders").stdout


def test_the_same_answer_as_embedded_and_one_budget(server: Served) -> None:
    with server.connect("bob") as connection:
        served = connection.execute(BY_REGION).fetchall()
        spent = connection.execute("SELECT epsilon_spent FROM dpsql.budget").fetchone()
    with dpsql.connect(server.folder / "shop.yaml", analyst="bob") as embedded:
        assert embedded.execute(BY_REGION).fetchall() == served
        assert spent is not None and Decimal(str(spent[0])) == embedded.budget().spent.epsilon == 1


def test_sessions_of_several_analysts_are_each_their_own(server: Served) -> None:
    with ExitStack() as opened:
        names = [
            opened.enter_context(server.connect(user)).execute("SELECT current_user").fetchone()
            for user in ("alice", "bob", "carol", "dave") * 3
        ]
    assert names == [(user,) for user in ("alice", "bob", "carol", "dave") * 3]


def test_a_cancel_with_the_right_key_ends_the_query_at_once(slow: Served) -> None:
    with slow.connect(database="slow") as connection:
        threading.Timer(0.3, connection.cancel).start()
        began = time.perf_counter()
        with pytest.raises(psycopg.errors.QueryCanceled, match="what was charged stands"):
            connection.execute(BY_REGION)
        assert time.perf_counter() - began < 1.5
        assert connection.execute("SELECT 1").fetchone() == (1,)
        time.sleep(2)
        assert len(connection.execute(BY_REGION).fetchall()) == 4  # the call went on; asking again is free
        spent = connection.execute("SELECT epsilon_spent FROM dpsql.budget").fetchone()
        assert spent is not None and float(spent[0]) == 1


def test_nothing_waits_for_a_clients_acknowledgement(server: Served) -> None:
    """Nagle's algorithm would hold each greeting back for the 40 ms after which Linux acknowledges a lone packet."""
    seconds = []
    for _ in range(8):
        with RawClient(server.port) as client:
            began = time.perf_counter()
            client.log_in("certified")
            seconds.append(time.perf_counter() - began)
    assert min(seconds) < 0.03


@pytest.mark.parametrize(("protocol", "length"), [(0x30000, 4), (0x30002, 32)])
def test_the_key_that_cancels_is_as_long_as_the_protocol_allows(
    slow: Served, protocol: int, length: int
) -> None:
    with RawClient(slow.port) as client:
        client.log_in("dave", protocol=protocol, database="slow")
        assert len(client.key) == 4 + length
        client.send(message(b"Q", f"SELECT COUNT(*) FROM orders WHERE product > {length}\0".encode()))
        time.sleep(0.3)
        request = (80877102).to_bytes(4) + client.key
        with RawClient(slow.port) as other:
            assert other.send((len(request) + 4).to_bytes(4) + request).is_closed()
        assert client.error()["C"] == "57014"
        assert client.message()[0] == b"Z"


def test_a_newer_protocol_is_told_what_is_spoken(server: Served) -> None:
    with RawClient(server.port) as client:
        kind, body = client.start("alice", 0x30009, **{"_pq_.something": "on"}).message()
        assert kind == b"v" and body == (3 << 16 | 2).to_bytes(4) + (1).to_bytes(4) + b"_pq_.something\0"
        assert client.message()[0] == b"R"


def test_the_listener_holds_no_engine_no_parser_and_no_policy(server: Served) -> None:
    maps = Path(f"/proc/{server.process.pid}/maps").read_text(encoding="utf-8")
    assert not re.search("duckdb|numpy|pydantic|arrow|psycopg", maps)
    opened = {os.readlink(f) for f in Path(f"/proc/{server.process.pid}/fd").iterdir() if f.exists()}
    assert not any(name.endswith((".yaml", ".duckdb", ".ledger")) for name in opened)
    worker = Path(f"/proc/{server.worker()}/maps").read_text(encoding="utf-8")
    assert "duckdb" in worker  # which the same look would have found


def test_engines_run_in_processes_of_their_own(server: Served) -> None:
    children = [
        (Path("/proc") / child / "cmdline").read_bytes()
        for task in Path(f"/proc/{server.worker()}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]
    assert len([command for command in children if b"dpsql.engines.serve" in command]) >= 2


def test_the_log_holds_no_query(server: Served) -> None:
    psql(server, "SELECT COUNT(*) FROM orders WHERE product = 424242", "SELECT 'a secret text'")
    with pytest.raises(psycopg.Error), server.connect() as connection:
        connection.execute("SELECT nonsense 'secret'")
    text = repr(server.events)
    assert "424242" not in text and "secret" not in text and PASSWORD not in text and "SELECT" not in text
    assert {"listening", "worker started", "session begins", "session ends"} <= {
        e["event"] for e in server.events
    }


def test_a_client_that_does_not_read_fills_no_memory(server: Served) -> None:
    before = server.memory()
    with ExitStack() as opened:
        for _ in range(5):
            client = opened.enter_context(RawClient(server.port)).log_in("carol")
            client.send(message(b"Q", b"SELECT repeat('x', 1000000) FROM range(30)\0"))
        time.sleep(1)
        assert server.memory() - before < 8 << 20


def test_a_client_that_leaves_in_the_middle_leaves_nothing_behind(server: Served) -> None:
    for _ in range(12):  # more than an analyst may have at a time
        with RawClient(server.port) as client:
            client.log_in("dave").send(b"Q" + (1000).to_bytes(4) + b"SELECT")
        time.sleep(0.02)
    time.sleep(0.2)
    with server.connect("dave") as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_client_that_sends_no_more_gets_its_answers(server: Served) -> None:
    with RawClient(server.port) as client:
        client.log_in("dave").send(
            message(b"Q", b"SELECT COUNT(*) FROM orders\0") + message(b"Q", b"SELECT 2\0")
        )
        client.socket.shutdown(socket.SHUT_WR)
        kinds = []
        while kind := client.message()[0]:
            kinds.append(kind)
    assert b"".join(kinds).endswith(b"NTDCZTDCZ")
