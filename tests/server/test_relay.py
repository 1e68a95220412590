"""What stands between a client and its session: frames, slow clients, idle ones, and workers that die in between."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace

import pytest

from dpsql.interfaces.server.control import (
    CancelSession,
    Control,
    Finish,
    OpenSession,
    Reload,
    SessionEnded,
    packet,
    unpacked,
)
from dpsql.interfaces.server.limits import Limits
from dpsql.interfaces.server.listening.client_stream import ClientGone, ClientStream
from dpsql.interfaces.server.listening.session_relay import Ending, SessionRelay
from dpsql.interfaces.server.listening.worker_socket import WorkerSocket
from dpsql.interfaces.server.working.session_channel import SessionChannel
from dpsql.interfaces.wire.channel import Message
from dpsql.interfaces.wire.messages import message

QUERY, LIMITS = message(b"Q", b"SELECT 1\0"), Limits(message=1000, write_seconds=0.3)
Talk = Callable[[socket.socket, socket.socket], Coroutine[None, None, None]]


@pytest.fixture
def channel() -> Iterator[Callable[..., tuple[SessionChannel, socket.socket]]]:
    """Makes the two ends of a session's socket, and closes them after the test."""
    with ExitStack() as opened:

        def made(idle: float = 10) -> tuple[SessionChannel, socket.socket]:
            ours, theirs = map(opened.enter_context, socket.socketpair())
            theirs.settimeout(5)
            return SessionChannel(ours, idle, 1000), theirs

        yield made


def frames(listener: socket.socket) -> list[bytes]:
    """Every frame up to the one that says the end; a last one without end is None."""
    found = []
    while True:
        length = int.from_bytes(_exactly(listener, 4))
        if not length:
            return found
        found.append(_exactly(listener, length))


def _exactly(raw: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = raw.recv(count - len(data))
        assert part
        data += part
    return data


def test_messages_come_whole_however_they_are_cut(channel) -> None:
    session, listener = channel()
    sent = QUERY + message(b"S") + message(b"X")
    for byte in sent:
        listener.sendall(bytes((byte,)))
    received = [session.receive() for _ in range(3)]
    assert received == [Message(b"Q", b"SELECT 1\0"), Message(b"S", b""), Message(b"X", b"")]


def test_a_client_that_left_in_the_middle_of_a_message_is_gone(channel) -> None:
    session, listener = channel()
    listener.sendall(QUERY[:-1])
    listener.close()
    assert session.receive() is None
    with pytest.raises(ConnectionError):
        session.send(QUERY)
        session.send(QUERY)


def test_answers_are_frames_and_the_end_is_an_empty_one(channel) -> None:
    session, listener = channel()
    large = message(b"d", bytes(300_000))
    threading.Thread(target=lambda: (session.send(QUERY), session.send(large), session.close())).start()
    assert frames(listener) == [QUERY, large]


def test_an_idle_client_is_told_and_left(channel) -> None:
    session, listener = channel(idle=0.05)
    assert session.receive() is None
    session.close()
    (told,) = frames(listener)
    assert told[:1] == b"E" and b"57P05" in told


@pytest.mark.parametrize("length", [0, 3, 1005, 2**31, 2**32 - 1])
def test_a_length_that_no_message_has_ends_the_session(channel, length: int) -> None:
    session, listener = channel()
    listener.sendall(b"Q" + length.to_bytes(4) + bytes(2000))
    assert session.receive() is None
    session.close()
    assert b"08P01" in frames(listener)[0]


def test_a_session_that_is_ended_hears_no_other_message(channel) -> None:
    session, listener = channel()
    listener.sendall(QUERY * 2)
    assert session.receive() is not None
    session.end_with("57P01", "the server is being stopped")
    assert session.receive() is None and session.receive() is None
    session.close()
    assert b"being stopped" in frames(listener)[0]


def relayed(talk: Talk, limits: Limits = LIMITS) -> Ending:
    """How a session ended while a client (first socket) and a worker (second) talked over it."""

    async def run() -> Ending:
        (client, listeners), (worker, ours) = socket.socketpair(), socket.socketpair()
        for each in (client, listeners, worker, ours):
            each.setblocking(False)
        loop = asyncio.get_running_loop()
        _, served = await loop.connect_accepted_socket(ClientStream, listeners)
        relay = asyncio.create_task(SessionRelay(served, WorkerSocket(ours), limits).run())
        try:
            await asyncio.wait_for(talk(client, worker), 5)
            return await asyncio.wait_for(relay, 5)
        finally:
            client.close()
            worker.close()
            await served.close(5)

    return asyncio.run(run())


async def send(raw: socket.socket, data: bytes) -> None:
    await asyncio.get_running_loop().sock_sendall(raw, data)


async def until_closed(raw: socket.socket) -> bytes:
    data, loop = b"", asyncio.get_running_loop()
    while part := await loop.sock_recv(raw, 1 << 16):
        data += part
    return data


async def exactly(raw: socket.socket, count: int) -> bytes:
    data, loop = b"", asyncio.get_running_loop()
    while len(data) < count:
        part = await loop.sock_recv(raw, count - len(data))
        assert part, data
        data += part
    return data


def frame(data: bytes) -> bytes:
    return len(data).to_bytes(4) + data


def test_both_ways_and_an_end() -> None:
    async def talk(client: socket.socket, worker: socket.socket) -> None:
        await send(client, QUERY)
        assert await exactly(worker, len(QUERY)) == QUERY
        await send(worker, frame(QUERY) + frame(QUERY * 3) + bytes(4))
        assert await exactly(client, 4 * len(QUERY)) == QUERY * 4

    assert relayed(talk) is Ending.FINISHED


def test_bytes_go_on_however_they_are_cut() -> None:
    large = message(b"Q", bytes(700))

    async def talk(client: socket.socket, worker: socket.socket) -> None:
        for byte in QUERY + large:
            await send(client, bytes((byte,)))
            await asyncio.sleep(0)
        await send(client, QUERY * 40 + large[:300])
        await send(client, large[300:])
        sent = QUERY + large + QUERY * 40 + large
        assert await exactly(worker, len(sent)) == sent
        for byte in frame(QUERY) + frame(large * 3) + frame(QUERY):
            await send(worker, bytes((byte,)))
            await asyncio.sleep(0)
        answered = QUERY + large * 3 + QUERY
        assert await exactly(client, len(answered)) == answered
        await send(worker, bytes(4))

    assert relayed(talk) is Ending.FINISHED


def test_what_a_client_sent_before_its_session_began_is_the_sessions_first() -> None:
    async def run() -> None:
        client, listeners = socket.socketpair()
        worker, ours = socket.socketpair()
        for each in (client, listeners, worker, ours):
            each.setblocking(False)
        _, served = await asyncio.get_running_loop().connect_accepted_socket(ClientStream, listeners)
        await send(client, b"password" + QUERY)
        assert await served.exactly(8) == b"password"
        more = message(b"Q", bytes(900)) * 45  # more than is kept for a login
        await send(client, more)
        await asyncio.sleep(0.1)
        relay = asyncio.create_task(SessionRelay(served, WorkerSocket(ours), LIMITS).run())
        assert await exactly(worker, len(QUERY + more)) == QUERY + more
        await send(client, QUERY)
        assert await exactly(worker, len(QUERY)) == QUERY
        client.close()
        assert await until_closed(worker) == b""
        await send(worker, bytes(4))
        assert await relay is Ending.CLIENT_LEFT
        worker.close()
        await served.close(5)

    asyncio.run(asyncio.wait_for(run(), 10))


def test_a_client_that_floods_a_login_has_to_wait_and_one_that_left_is_gone() -> None:
    async def run() -> None:
        client, listeners = socket.socketpair()
        for each in (client, listeners):
            each.setblocking(False)
        _, served = await asyncio.get_running_loop().connect_accepted_socket(ClientStream, listeners)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(send(client, bytes(20_000_000)), 0.5)
        assert len(served._bytes) < 1_000_000
        client.close()
        with pytest.raises(ClientGone):
            while True:
                await served.exactly(50_000)
        await served.close(5)

    asyncio.run(asyncio.wait_for(run(), 10))


def test_a_worker_that_dies_between_two_messages_is_told_of() -> None:
    async def talk(client: socket.socket, worker: socket.socket) -> None:
        await send(worker, frame(QUERY))
        await exactly(client, len(QUERY))
        worker.close()
        told = await exactly(client, 60)
        assert told[:1] == b"E" and b"57P01" in told

    assert relayed(talk) is Ending.WORKER_DIED


def test_a_worker_that_dies_inside_a_message_leaves_no_other_behind_it() -> None:
    async def talk(client: socket.socket, worker: socket.socket) -> None:
        await send(worker, frame(QUERY)[:-2])
        worker.close()
        with suppress(ConnectionResetError):
            assert await until_closed(client) == QUERY[:-2]

    assert relayed(talk) is Ending.WORKER_DIED


def test_a_message_that_is_too_long_does_not_reach_the_worker() -> None:
    async def talk(client: socket.socket, worker: socket.socket) -> None:
        await send(client, QUERY + b"Q" + (1005).to_bytes(4) + bytes(1001))
        assert await until_closed(worker) == QUERY
        told = await exactly(client, 40)
        assert b"54000" in told

    assert relayed(talk) is Ending.MESSAGE_TOO_LONG


def test_a_client_that_leaves_is_seen_by_the_worker() -> None:
    async def talk(client: socket.socket, worker: socket.socket) -> None:
        await send(client, QUERY)
        client.close()
        assert await until_closed(worker) == QUERY
        await send(worker, bytes(4))

    assert relayed(talk) is Ending.CLIENT_LEFT


def test_a_client_that_left_is_gone_with_the_first_answer_that_nobody_takes() -> None:
    async def talk(client: socket.socket, worker: socket.socket) -> None:
        await send(client, QUERY * 3)
        client.close()
        assert await until_closed(worker) == QUERY * 3
        with pytest.raises(ConnectionError):
            while True:
                await send(worker, frame(QUERY))

    assert relayed(talk) is Ending.CLIENT_LEFT


def test_a_client_that_sends_no_more_is_answered() -> None:
    sent = message(b"Q", bytes(900)) * 2000  # more than a socket takes at once

    async def talk(client: socket.socket, worker: socket.socket) -> None:
        sending = asyncio.create_task(send(client, sent))
        await asyncio.sleep(0.1)
        received = asyncio.create_task(until_closed(worker))
        await sending
        client.shutdown(socket.SHUT_WR)
        assert await received == sent
        await send(worker, frame(QUERY * 3) + bytes(4))
        assert await exactly(client, 3 * len(QUERY)) == QUERY * 3

    assert relayed(talk) is Ending.CLIENT_LEFT


def test_what_a_worker_said_before_it_went_is_told_whatever_the_client_sends() -> None:
    async def talk(client: socket.socket, worker: socket.socket) -> None:
        await send(worker, frame(QUERY) + bytes(4))
        worker.close()
        with suppress(ConnectionError):
            await send(client, QUERY)
            await send(client, QUERY)
        assert await exactly(client, len(QUERY)) == QUERY

    for _ in range(20):  # which of the two is seen first is a matter of luck
        assert relayed(talk) is Ending.FINISHED


def test_a_client_that_does_not_read_is_left() -> None:
    async def talk(client: socket.socket, worker: socket.socket) -> None:
        try:
            for _ in range(100):
                await asyncio.wait_for(send(worker, frame(bytes(100_000))), 2)
        except (ConnectionError, TimeoutError):
            return
        raise AssertionError("ten megabytes went somewhere")

    assert relayed(talk) is Ending.CLIENT_TOO_SLOW


def test_a_client_that_sends_more_than_the_worker_reads_waits() -> None:
    async def talk(client: socket.socket, worker: socket.socket) -> None:
        sent = 0
        with pytest.raises(TimeoutError):
            for _ in range(200):
                await asyncio.wait_for(send(client, message(b"d", bytes(90_000))), 0.3)
                sent += 90_000
        assert sent < 5_000_000
        worker.close()

    relayed(talk, replace(LIMITS, message=100_000))


@pytest.mark.parametrize(
    "sent",
    [
        OpenSession(
            7, "alice", "säles", "shop", {"user": "alice", "options": "-c a=\n"}, (3, 2), bytes(32), True
        ),
        CancelSession(7),
        CancelSession(7, 12.5),
        SessionEnded(2**31 - 1),
        Reload(),
        Finish(),
    ],
    ids=lambda sent: type(sent).__name__,
)
def test_what_the_processes_tell_each_other_arrives(sent: Control) -> None:
    assert unpacked(packet(sent)) == sent
