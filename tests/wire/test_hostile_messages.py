"""Whatever a client sends, a conversation ends or goes on: whole messages, no failure inside, one answer a Sync.

`--messages N` holds N conversations in the place of a few, and then the process must not have grown.
"""

from __future__ import annotations

import contextlib
import random
import resource
from collections.abc import Callable
from pathlib import Path
from struct import pack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpsql.interfaces.wire import messages
from dpsql.interfaces.wire.conversation import converse
from dpsql.interfaces.wire.failures import Failure
from dpsql.interfaces.wire.messages import ProtocolViolation, message
from dpsql.interfaces.wire.startup import first_packet
from dpsql.interfaces.wire.values.bound_values import value_of
from dpsql.interfaces.wire.values.wire_types import TYPES
from wire.openings import Shop
from wire.protocol_scripts import MemoryChannel, split

USUAL = 40
MANY = 2_000
MOST_GROWTH = 64 << 20
"""So many bytes may the process grow by between the first tenth of many conversations and their end."""
READERS: tuple[Callable[[bytes], object], ...] = (
    messages.query_text,
    messages.parse_message,
    messages.bind_message,
    messages.named_message,
    messages.execute_message,
    messages.sasl_initial,
    messages.empty_message,
    first_packet,
)
STATEMENTS = (
    "SELECT 1 AS one", "SELECT $1 AS a", "SELECT label FROM products WHERE product = $1", "BEGIN", "COMMIT",
    "ROLLBACK", "SAVEPOINT a", "ROLLBACK TO a", "DECLARE c CURSOR FOR SELECT 1", "FETCH 2 FROM c", "CLOSE ALL",
    "COPY (SELECT 1, 'x') TO STDOUT", "COPY products TO STDOUT (FORMAT binary)", "SHOW dpsql.epsilon",
    "SET dpsql.epsilon = '0.5'", "SET dpsql.epsilon = '1e999'", "SET a = b", "", ";;", "SELECT count(*) FROM orders",
    "SELECT * FROM orders", "SELECT 'open", "/* open", "DISCARD ALL", "DEALLOCATE a", "SELECT $1 + $2 AS s, ?",
    "SELECT 1; SELECT 2", "SHOW tables", "SELECT $2 AS only_the_second", "\ud7ff\u0000", "SELECT $1::int + 1 AS n",
    "SELECT label FROM products WHERE product = ANY($1)", "PREPARE a (int8[]) AS SELECT $1 = ANY($2)", "EXECUTE a (1)",
    "PREPARE b AS SELECT label FROM products WHERE product <> ALL($1)", "EXECUTE b ('{1,2}')", "EXECUTE c", "FETCH c",
)  # fmt: skip
NAMES = ("", "a", "b", "c")


def some_message(rng: random.Random) -> bytes:
    """A message that is well made, or was until a byte of it changed, or never was."""
    made = _well_made(rng)
    match rng.randrange(10):
        case 0:
            return message(made[:1], made[5 : 5 + rng.randrange(len(made))])
        case 1:
            return message(bytes((rng.randrange(256),)), rng.randbytes(rng.randrange(20)))
        case 2 if len(made) > 5:
            at = rng.randrange(5, len(made))
            return made[:at] + bytes((rng.randrange(256),)) + made[at + 1 :]
        case 3:
            return message(made[:1], made[5:] + rng.randbytes(rng.randrange(4)))
        case _:
            return made


def _well_made(rng: random.Random) -> bytes:
    sql, name, portal = _zero(rng.choice(STATEMENTS)), _zero(rng.choice(NAMES)), _zero(rng.choice(NAMES))
    match rng.choice("QQQPPPBBBBDDEEECCSSSSHdcfF"):
        case "Q":
            return message(b"Q", sql)
        case "P":
            oids = [
                rng.choice((0, 0, 20, 23, 25, 700, 1700, 16, 1082, 1009, 1016, 99999))
                for _ in range(rng.randrange(3))
            ]
            return message(b"P", name + sql + pack("!h", len(oids)) + b"".join(pack("!I", o) for o in oids))
        case "B":
            return message(b"B", portal + name + _values(rng))
        case "D" | "C" as kind:
            return message(kind.encode(), rng.choice((b"S", b"P")) + rng.choice((name, portal)))
        case "E":
            return message(b"E", portal + pack("!i", rng.choice((0, 0, 1, 2, -1, 2**31 - 1))))
        case kind:
            return message(kind.encode())


def _zero(text: str) -> bytes:
    return text.encode() + b"\0"


def _values(rng: random.Random) -> bytes:
    values = [
        rng.choice((b"1", b"x", b"", None, b"\0\0\0\1", b"{1,2}", rng.randbytes(8)))
        for _ in range(rng.randrange(3))
    ]
    formats = [rng.randrange(2) for _ in range(rng.choice((0, 1, len(values))))]
    cells = b"".join(pack("!i", -1) if v is None else pack("!i", len(v)) + v for v in values)
    results = [rng.randrange(2) for _ in range(rng.randrange(3))]
    return (
        pack("!h", len(formats)) + b"".join(pack("!h", f) for f in formats)
        + pack("!h", len(values)) + cells + pack("!h", len(results)) + b"".join(pack("!h", f) for f in results)
    )  # fmt: skip


def test_conversations_with_hostile_clients(
    shop: Shop, request: pytest.FixtureRequest, fuzz_seed: int
) -> None:
    count = request.config.getoption("--messages") or USUAL
    early, messages_sent = 0, 0
    for number in range(count):
        if number == count // 10:
            early = resident()
        rng = random.Random(fuzz_seed * 1_000_003 + number)
        sent = tuple(some_message(rng) for _ in range(rng.randrange(1, 25)))
        channel = MemoryChannel(sent)
        converse(channel, shop.opening())
        answers = list(split(channel.received))
        assert not any(m[:1] == b"E" and b"CXX000" in m for m in answers), (number, sent)
        assert shop.turns.running == 0
        least, most = _ends(sent)
        ends = sum(m[:1] == b"Z" for m in answers) - 1
        fatal = any(m[:1] == b"E" and b"SFATAL" in m for m in answers)
        assert ends <= most, (number, sent)
        assert fatal or least <= ends, (number, sent)
        messages_sent += len(sent)
    grown = resident() - early
    print(f"{messages_sent} messages; {early >> 20} MB after a tenth, {grown >> 20} MB more at the end")
    assert count < MANY or grown < MOST_GROWTH


def resident() -> int:
    """The memory of this process in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def _ends(sent: tuple[bytes, ...]) -> tuple[int, int]:
    """How often the client is told at least and at most that the session waits for it.

    Once for each Sync, and for each query, unless a message of the extended protocol has failed since the last Sync.
    """
    least = most = 0
    may_skip = False
    for kind in (m[:1] for m in sent):
        if kind in b"SQF":
            most += 1
            least += kind == b"S" or not may_skip
        may_skip = kind != b"S" and (may_skip or kind in b"PBDEC")
        if kind == b"X":
            break
    return least, most


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=60))
def test_bodies_are_read_or_refused(body: bytes) -> None:
    for read in READERS:
        with contextlib.suppress(ProtocolViolation):
            read(body)


@settings(max_examples=300)
@given(st.binary(max_size=40), st.sampled_from([0, 1]), st.sampled_from([*TYPES.values()]))
def test_values_are_read_or_refused(data: bytes, form: int, kind: object) -> None:
    with contextlib.suppress(Failure, ProtocolViolation):
        value_of(data, form, kind.oid)


@settings(max_examples=300)
@given(st.text("0123456789-+:. TZe/nainfyNd", max_size=30), st.sampled_from([*TYPES.values()]))
def test_texts_of_values_are_read_or_refused(text: str, kind: object) -> None:
    with contextlib.suppress(Failure, ProtocolViolation):
        value_of(text.encode(), 0, kind.oid)
