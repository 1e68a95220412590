"""Whatever a client sends after its login, the listener answers or ends the session, and keeps nothing of it.

`--messages N` opens N sessions in the place of a few, and then listener and worker must not have grown.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from wire.protocol_scripts import split
from wire.test_hostile_messages import some_message

from server.raw_client import RawClient, message
from server.served import Served, directly, prepare, serving
from server.test_hostile_clients import MIB, login_seconds

USUAL = 6
MANY = 1_000
SYNC, TERMINATE = message(b"S", b""), message(b"X", b"")


def conversation(rng: random.Random) -> bytes:
    """Messages, of which some are cut off or have a length that is not theirs, and at last the end of a session."""
    sent = [some_message(rng) for _ in range(rng.randrange(1, 25))]
    if rng.random() < 0.2:
        at = rng.randrange(len(sent))
        wrong = rng.choice((0, 3, len(sent[at]) + 2, 1 << 20, (1 << 20) + 5, 2**31 - 1, 2**32 - 1))
        sent[at] = sent[at][:1] + wrong.to_bytes(4) + sent[at][5:]
    if rng.random() < 0.2:
        sent[-1] = sent[-1][: rng.randrange(len(sent[-1]))]
    return b"".join([*sent, SYNC, TERMINATE])


def held(client: RawClient, sent: bytes) -> bytes:
    """What comes back until the server closes the connection, which it must do soon after the client's last byte."""
    client.socket.settimeout(60)
    received = b""
    try:
        client.send(sent)
        client.socket.shutdown(1)
        while part := client.socket.recv(1 << 16):
            received += part
    except (BrokenPipeError, ConnectionResetError):
        pass  # what the server has not read any more
    return received


def worker_memory(server: Served) -> int:
    status = Path(f"/proc/{server.worker()}/statm").read_text(encoding="ascii")
    return int(status.split()[1]) * 4096


def test_sessions_of_hostile_clients_end_and_leave_nothing(
    tmp_path: Path, request: pytest.FixtureRequest, fuzz_seed: int
) -> None:
    prepare(tmp_path)
    count = request.config.getoption("--messages") or USUAL
    with serving(tmp_path, directly(tmp_path, ("shop",))) as server:
        early = listener = 0
        for number in range(count):
            if number == count // 10:
                early, listener = worker_memory(server), server.memory()
            rng = random.Random(fuzz_seed * 1_000_003 + number)
            with RawClient(server.port) as client:
                answers = held(client.log_in("carol"), conversation(rng))
            for answer in split(answers):
                assert not (answer[:1] == b"E" and b"CXX000" in answer), number
        assert login_seconds(server) < 5
        assert len(server.of("worker died")) == 0 and not server.of("text")
        grown = (server.memory() - listener, worker_memory(server) - early)
        print(
            f"{count} sessions; listener {listener >> 20} MB and {grown[0] >> 20} more, worker {grown[1] >> 20} more"
        )
        assert grown[0] < 20 * MIB and server.memory() < 100 * MIB
        assert count < MANY or grown[1] < 128 * MIB
