"""How fast the ledger is: durable charges and kept draws a second, and the time to find and to answer what is stored.

Run: python benchmarks/ledger.py [--charges 1000] [--before 0] [--accountant rdp] [--folder DIR]. The folder decides
which disk is measured. `--before` fills the ledger first, with so many charges and draws of a hundred analysts.
"""

from __future__ import annotations

import argparse
import resource
import sqlite3
import statistics
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import charged

import dpsql
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.types import Request
from dpsql.policy.model import AccountantName
from dpsql.privacy import Charge

BLOCK = 25
REGIONS = ("north", "south")
STORED = "SELECT region, count(*) AS n, sum(amount) AS total FROM orders GROUP BY region"
# Texts over the same stored release, each another one for another number.
TEXTS = (
    ("same text", STORED),
    ("other alias", "SELECT region, count(*) AS n{n}, sum(amount) AS total FROM orders GROUP BY region"),
    ("one measure", "SELECT region, count(*) AS n{n} FROM orders GROUP BY region"),
    ("arithmetic", "SELECT region, sum(amount) / count(*) + {n} AS mean FROM orders GROUP BY region"),
    ("HAVING", STORED + " HAVING count(*) > {n}"),
    ("ORDER BY, LIMIT", STORED + " ORDER BY total + {n} DESC LIMIT 2"),
)
POLICY = """
version: 1
privacy: {unit: orders.customer, max_rows_per_unit: 5}
tables:
  orders:
    source: orders.csv
    unit_key: customer
    columns:
      customer: {type: integer}
      region: {type: text, values: [north, south]}
      amount: {type: float, lower: 0, upper: 100, step: 0.01}
budgets: {dataset: {epsilon: 1}, default: {epsilon: 1, per_query: 0.05}}
"""


def main() -> None:
    """Print one line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--charges", type=int, default=1000)
    parser.add_argument("--before", type=int, default=0)
    parser.add_argument("--accountant", type=AccountantName, default=AccountantName.RDP)
    parser.add_argument("--folder", type=Path, default=None)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder) / "bench.ledger"
        if arguments.before:
            with timed("filled in bulk", arguments.before):
                charged.fill(path, arguments.before, time.time, arguments.accountant)
            size = path.stat().st_size / arguments.before
            print(f"{'ledger size':<28}{size:10.0f} bytes a charge, with a draw of {len(charged.PAYLOAD)}")
        with timed("opened"):
            ledger = Ledger.open(path)
        with ledger:
            of = charged.request(0, arguments.accountant)
            beside_plain(ledger, of, Path(folder) / "plain.db", arguments.charges)
            measure(ledger, of, arguments.charges)
            report(ledger, of)
            read_whole(ledger, arguments.before + 2 * arguments.charges)
        ask_again(Path(folder), min(arguments.charges, 500))


def report(ledger: Ledger, request: Request) -> None:
    """Time what is shown to an analyst and looked up for a new question."""
    about = charged.charge(0)
    with timed("received before"):
        ledger.received(request, tuple(f"{n:064x}" for n in range(5)))
    with timed("received about the same rows"):
        ledger.received_alike(request, about.canonical[: about.about])
    with timed("budget"):
        ledger.standing(request)
        ledger.repeats_left(request)
    with timed("history"):
        paid = ledger.payments(request.analyst)
    print(f"{'history':<28}{len(paid):10.0f} payments")


def read_whole(ledger: Ledger, entries: int) -> None:
    """Time what reads a ledger from its beginning to its end."""
    with timed("entries verified", entries):
        wrong = ledger.verify()
    if wrong:
        raise SystemExit(wrong[0])
    with timed("entries exported", entries):
        deque(ledger.export(), maxlen=0)
    last = ledger.last_line()
    with timed("lines of the log", last.id if last is not None else 0):
        deque(ledger.log(), maxlen=0)
    print(f"{'most memory':<28}{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:10.0f} MB")


def beside_plain(ledger: Ledger, request: Request, file: Path, count: int) -> None:
    """Time charges in turn with durable inserts of one row as long as a charge, by SQLite alone, block by block."""
    row = "x" * len(charged.charge(0).canonical)
    turns = [range(first, min(first + BLOCK, count)) for first in range(0, count, BLOCK)]
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        for setting in ("journal_mode = WAL", "synchronous = FULL"):
            db.execute(f"PRAGMA {setting}")
        db.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)")
        ratios, plain = [], []
        for turn in turns:
            begin = time.perf_counter()
            for _ in turn:
                db.execute("INSERT INTO rows (text) VALUES (?)", (row,))
            middle = time.perf_counter()
            for n in turn:
                ledger.charge(request, (Charge(f"y{n:063x}", f"sum of table {n}", charged.EVENTS),))
            plain.append(len(turn) / (middle - begin))
            ratios.append((middle - begin) / (time.perf_counter() - middle))
    print(f"{'plain SQLite loop':<28}{statistics.median(plain):10.0f} a second")
    print(f"{'durable charges beside it':<28}{statistics.median(ratios):10.2f} of that", flush=True)


def measure(ledger: Ledger, request: Request, count: int) -> None:
    """Time charges, keeps and lookups of as many distinct releases."""
    charges = tuple(Charge(f"x{n:063x}", f"count of table {n}", charged.EVENTS) for n in range(count))
    with timed("durable charges", count):
        paid = [ledger.charge(request, (charge,)) for charge in charges]
    with timed("keeps", count):
        for releases, charge in zip(paid, charges, strict=True):
            ledger.keep(releases, charge.key, charged.PAYLOAD)
    times = [lookup(ledger, request, charge) for charge in charges]
    print(f"{'stored answer, median':<28}{statistics.median(times) * 1e3:10.3f} ms")
    print(f"{'stored answer, 99 %':<28}{sorted(times)[int(count * 0.99)] * 1e3:10.3f} ms")


def ask_again(folder: Path, times: int) -> None:
    """Time questions whose answer is stored: planning a text never seen before, and what `execute` adds to it."""
    (folder / "orders.csv").write_text(
        "customer,region,amount\n" + "".join(f"{n},{REGIONS[n % 2]},{n % 90}\n" for n in range(1000))
    )
    (folder / "shop.yaml").write_text(POLICY)
    with dpsql.connect(folder / "shop.yaml", analyst="alice") as connection:
        connection.execute(STORED)
        for name, text in TEXTS:
            planned, executed = zip(
                *(asked_again(connection, text.format(n=n)) for n in range(times)), strict=True
            )
            print(
                f"{f'stored, {name}':<28}planning {of_all(planned)}, execute {of_all(executed)}", flush=True
            )


def asked_again(connection: dpsql.Connection, sql: str) -> tuple[float, float]:
    """Milliseconds of the process to plan a question, and to answer it then."""
    begin = time.process_time()
    connection.explain(sql)
    planned = time.process_time()
    answer = connection.execute(sql)
    answer.fetchall()
    if answer.release.epsilon:
        raise SystemExit("a stored answer was paid for")
    return (planned - begin) * 1e3, (time.process_time() - planned) * 1e3


def of_all(times: tuple[float, ...]) -> str:
    """The median and the fastest tenth."""
    return f"{statistics.median(times):.2f} ms (fastest tenth {sorted(times)[len(times) // 10]:.2f})"


def lookup(ledger: Ledger, request: Request, charge: Charge) -> float:
    """Seconds to find a stored release that costs nothing."""
    begin = time.perf_counter()
    releases = ledger.charge(request, (charge,))
    seconds = time.perf_counter() - begin
    if releases.get(charge.key) != charged.PAYLOAD or releases.charged.epsilon:
        raise SystemExit("a stored release was not found or not free")
    return seconds


@contextmanager
def timed(name: str, count: int = 0) -> Iterator[None]:
    """Print how long a block takes, or how many of what it does it does a second; by the wall, and in the process."""
    begin, used = time.perf_counter(), time.process_time()
    yield
    seconds, used = time.perf_counter() - begin, time.process_time() - used
    figure = f"{count / seconds:10.0f} a second" if count else f"{seconds * 1e3:10.3f} ms"
    print(f"{name:<28}{figure}, {used * 1e3 / max(count, 1):.3f} ms of the process each", flush=True)


if __name__ == "__main__":
    main()
