"""Clients before their login: silent, flooding, lying. None keeps an honest one waiting."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import ExitStack, closing, suppress

import psycopg
import pytest

from server.raw_client import GSS_REQUEST, SSL_REQUEST, RawClient, message, start_up
from server.served import Served
from server.test_scram import Client as ScramClient

MIB = 1 << 20


def login_seconds(server: Served, user: str = "alice") -> float:
    began = time.perf_counter()
    server.connect(user).close()
    return time.perf_counter() - began


def test_three_hundred_silent_sockets_and_a_login_works_within_a_second(server: Served) -> None:
    before = server.memory()
    with ExitStack() as opened:
        for _ in range(300):
            opened.enter_context(closing(socket.create_connection(("127.0.0.1", server.port), 10)))
        assert login_seconds(server) < 1
        assert server.memory() - before < 20 * MIB
    assert server.memory() < 100 * MIB


def test_sockets_that_stop_in_the_middle_of_a_start_up_keep_nobody_out(server: Served) -> None:
    with ExitStack() as opened:
        for _ in range(40):
            opened.enter_context(RawClient(server.port)).send((9_000).to_bytes(4) + b"\0\3\0\0user")
        assert login_seconds(server) < 1


def test_a_flood_of_failed_logins_is_slow_and_others_of_its_address_are_not(server: Served) -> None:
    stop, tried, source = threading.Event(), [], "127.0.0.9"

    def flood() -> None:
        while not stop.is_set():
            with RawClient(server.port, source) as client, suppress(AssertionError, TimeoutError):
                client.socket.settimeout(1)
                client.log_in("bob", "wrong")
            tried.append(1)

    threads = [threading.Thread(target=flood) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    began = time.perf_counter()
    with RawClient(server.port, source) as client:
        client.log_in("carol")
    seconds = time.perf_counter() - began
    stop.set()
    for thread in threads:
        thread.join()
    assert seconds < 1
    assert 3 <= len(tried) < 40  # without delays there would be hundreds


def failure(server: Served, user: str, source: str) -> dict[str, str]:
    with RawClient(server.port, source) as client:
        client.start(user)
        proof = ScramClient("wrong password")
        assert client.message()[0] == b"R"
        first = proof.first()
        client.send(message(b"p", b"SCRAM-SHA-256\0" + len(first).to_bytes(4) + first))
        client.send(message(b"p", proof.final(client.message()[1][4:])))
        said = client.error()
        assert client.is_closed()
        return {**said, "M": said["M"].replace(user, "USER")}


def test_every_failed_login_looks_the_same(server: Served) -> None:
    users = ("dave", "nobody", "robot", "somebody else")
    said = [failure(server, user, f"127.0.1.{i}") for i, user in enumerate(users, 1)]
    told = {"S": "FATAL", "V": "FATAL", "C": "28P01", "M": 'password authentication failed for user "USER"'}
    assert said == [told] * 4


def challenge(server: Served, user: str) -> tuple[tuple[bytes, bytes], bytes]:
    """What a client is asked for, and the salt it is told."""
    with RawClient(server.port) as client:
        asked = client.start(user).message()
        client.send(message(b"p", b"SCRAM-SHA-256\0" + (11).to_bytes(4) + b"n,,n=,r=abc"))
        return asked, client.message()[1].split(b",")[1]


def test_a_login_that_does_not_exist_is_asked_as_one_that_does_and_has_always_the_same_salt(
    server: Served,
) -> None:
    first, again, known = challenge(server, "ghost"), challenge(server, "ghost"), challenge(server, "alice")
    assert first == again
    assert first[0] == known[0]
    assert len(first[1]) == len(known[1]) and first[1] != known[1]


@pytest.mark.parametrize(
    "sent",
    [
        (300 * MIB).to_bytes(4) + b"\0\3\0\0",
        (10_001).to_bytes(4) + b"\0\3\0\0" + bytes(10_000),
        (7).to_bytes(4) + b"\0\3\0\0",
        b"\xff\xff\xff\xff\0\3\0\0",
        b"GET / HTTP/1.1\r\n\r\n",
        start_up({"database": "shop"}),
        (9).to_bytes(4) + b"\0\3\0\0\0",
        start_up({"user": "alice"}, 4 << 16),
        start_up({"user": "alice"})[:-1] + b"x\0",
    ],
    ids=repr,
)
def test_a_start_up_that_is_none_is_refused_at_once(server: Served, sent: bytes) -> None:
    with RawClient(server.port) as client:
        assert client.send(sent[:20_000]).error()["S"] == "FATAL"
        assert client.is_closed()


def test_a_proof_that_is_too_long_is_refused_unread(server: Served) -> None:
    with RawClient(server.port) as client:
        client.start("alice").message()
        assert client.send(b"p" + (MIB).to_bytes(4) + bytes(5000)).error()["C"] == "08P01"
        assert client.is_closed()


def test_a_query_in_the_place_of_a_proof_is_refused(server: Served) -> None:
    with RawClient(server.port) as client:
        client.start("alice").message()
        assert client.send(message(b"Q", b"SELECT 1\0")).error()["C"] == "08P01"
        assert client.is_closed()


def test_encryption_that_is_not_there_is_declined_and_a_third_request_ends_it(server: Served) -> None:
    with RawClient(server.port) as client:
        assert client.send(GSS_REQUEST).exactly(1) == b"N"
        assert client.send(SSL_REQUEST).exactly(1) == b"N"
        client.start("alice")
        assert client.message()[0] == b"R"
    with RawClient(server.port) as client:
        assert client.send(SSL_REQUEST * 3).exactly(4) == b"NNN"
    with RawClient(server.port) as client:
        client.send(b"\x16\x03\x01")  # a TLS handshake where there is no TLS
        assert client.is_closed()


def test_a_token_is_not_asked_for_in_clear(server: Served) -> None:
    assert challenge(server, "robot")[0] == challenge(server, "alice")[0]


def cancel_seconds(server: Served, key: bytes) -> float:
    """How long a request to cancel took, which has never an answer."""
    with RawClient(server.port, "127.0.0.8") as client:
        began = time.perf_counter()
        assert client.send((16).to_bytes(4) + (80877102).to_bytes(4) + key).is_closed()
        return time.perf_counter() - began


def test_a_cancel_with_a_wrong_key_does_nothing_and_gets_slower_for_that_session_alone(
    server: Served,
) -> None:
    with server.connect() as connection, RawClient(server.port) as other:
        other.log_in("bob")
        number = connection.info.backend_pid.to_bytes(4)
        seconds = [cancel_seconds(server, number + bytes(4)) for _ in range(4)]
        assert seconds[-1] >= 0.4
        assert cancel_seconds(server, other.key) < 0.1
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


def test_a_message_that_is_too_long_ends_the_session_unread(server: Served) -> None:
    with RawClient(server.port) as client:
        client.log_in("alice")
        error = client.send(b"Q" + (2 * MIB).to_bytes(4) + bytes(1000)).error()
        assert (error["S"], error["C"]) == ("FATAL", "54000")
        assert client.is_closed()


def test_an_analyst_has_ten_sessions_and_others_have_theirs(server: Served) -> None:
    with ExitStack() as opened:
        for _ in range(10):
            opened.enter_context(server.connect("dave"))
        with pytest.raises(psycopg.OperationalError, match="10 sessions of this analyst"):
            server.connect("dave")
        opened.enter_context(server.connect("carol"))
    until = time.monotonic() + 5
    while True:
        try:
            return server.connect("dave").close()
        except psycopg.OperationalError:
            assert time.monotonic() < until
            time.sleep(0.05)


def test_a_database_that_is_not_served_is_told_after_the_login_alone(server: Served) -> None:
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        server.connect(database="other")
    with RawClient(server.port, "127.0.0.7") as client, pytest.raises(AssertionError, match="28P01"):
        client.log_in("alice", "wrong", database="other")
