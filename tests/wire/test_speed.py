"""How fast rows are sent, beside a real PostgreSQL in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import psycopg
import pytest
from postgresql.server import Server

from dpsql.interfaces.wire.channel import Message
from dpsql.interfaces.wire.conversation import converse
from wire.openings import Shop

ROWS = 100_000
MOST_TIMES = 5
TRIES = 12
QUERY = "SELECT id, label, price, day FROM items"
POLICY = """
version: 1
privacy: {unit: visits.person, max_rows_per_unit: 1}
tables:
  visits: {source: items.duckdb, unit_key: person, columns: {person: {type: integer}}}
  items: {source: items.duckdb, public: true}
budgets:
  dataset: {epsilon: 10, delta: 1e-3}
  default: {epsilon: 10, delta: 1e-3, per_query: {epsilon: 1, delta: 1e-6}}
"""
TABLE = (
    "CREATE TABLE items AS SELECT CAST(r AS BIGINT) AS id, 'name ' || r AS label, "
    "CAST(r * 0.5 AS double precision) AS price, DATE '2024-01-01' + CAST(r % 365 AS INTEGER) AS day FROM {} AS t(r)"
)


class Counting:
    """A channel that asks once, and keeps the last of what it is sent."""

    def __init__(self, asked: list[Message]) -> None:
        self.asked = asked
        self.last = b""

    def receive(self) -> Message | None:
        return self.asked.pop() if self.asked else None

    def send(self, messages: bytes) -> None:
        self.last = messages


def taken(work: Callable[[], object]) -> float:
    """How many seconds a try takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


@pytest.mark.slow
def test_rows_of_a_public_table_take_at_most_five_times_as_long(
    tmp_path: Path, postgres_server: Server
) -> None:
    with duckdb.connect(str(tmp_path / "items.duckdb")) as data:
        data.execute(TABLE.format(f"range({ROWS})"))
        data.execute("CREATE TABLE visits AS SELECT 1 AS person")
    (tmp_path / "items.yaml").write_text(POLICY, encoding="utf-8")
    opening = Shop(tmp_path / "items.yaml", tmp_path / "items.ledger").opening()

    def ours() -> None:
        channel = Counting([Message(b"Q", QUERY.encode() + b"\0")])
        converse(channel, opening)
        assert b"SELECT 100000" in channel.last

    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        db.execute(f"DROP TABLE IF EXISTS items; {TABLE.format(f'generate_series(0, {ROWS - 1})')}".encode())
        # A busy machine holds up now the one and now the other: the best of some pairs counts.
        ratio = min(taken(ours) / taken(lambda: db.pgconn.exec_(QUERY.encode())) for _ in range(TRIES))
    assert ratio <= MOST_TIMES
