"""How fast the ledger is: durable charges and kept draws a second, and the time to find and to answer what is stored.

Run: python benchmarks/ledger.py [--charges 1000] [--before 0] [--accountant rdp] [--folder DIR]. The folder decides
which disk is measured. `--before` fills the ledger with so many charges of an analyst's first, many to a transaction.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import dpsql
from dpsql.accounting.ledger import Ledger
from dpsql.accounting.types import Request
from dpsql.policy.model import AccountantName
from dpsql.privacy import Charge, Cost, Event, Mechanism

LIMIT = Cost(Fraction(10**6), Fraction(1, 10**6))
BATCH = 2_000
EVENTS = (Event(Mechanism.DISCRETE_LAPLACE, 1, Cost(Fraction(1, 100))),)
PAYLOAD = bytes(2_000)
REGIONS = ("north", "south")
QUESTIONS = (
    ("count", "SELECT count(*) FROM orders"),
    ("groups", "SELECT region, count(*) FROM orders GROUP BY region"),
)
POLICY = """
version: 1
privacy: {unit: orders.customer, max_rows_per_unit: 5}
tables:
  orders:
    source: orders.csv
    unit_key: customer
    columns: {customer: {type: integer}, region: {type: text, values: [north, south]}}
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
        request = Request("alice", LIMIT, LIMIT, LIMIT, "policy", 1, arguments.accountant)
        with Ledger.open(path) as ledger:
            fill(ledger, request, arguments.before)
            measure(ledger, request, arguments.charges)
        with Ledger.open(path) as ledger:
            begin = time.perf_counter()
            if wrong := ledger.verify():
                raise SystemExit(wrong[0])
            report("entries verified", time.perf_counter() - begin, arguments.before + arguments.charges)
        ask_again(Path(folder), min(arguments.charges, 500))
        size = path.stat().st_size - len(PAYLOAD) * arguments.charges
        print(
            f"{'ledger size':<28}{size / (arguments.before + arguments.charges):10.0f} bytes a charge, without draws"
        )


def fill(ledger: Ledger, request: Request, count: int) -> None:
    """Book so many charges that nobody waits for, by the ledger's own code."""
    begin = time.perf_counter()
    for first in range(0, count, BATCH):
        charges = [
            Charge(f"{n:064x}", f"count of table {n}", EVENTS)
            for n in range(first, min(first + BATCH, count))
        ]
        ledger._database.write(lambda db, of=charges: [ledger._pay(db, request, (c,)) for c in of])  # type: ignore[misc]
    if count:
        report("charges booked in bulk", time.perf_counter() - begin, count)


def measure(ledger: Ledger, request: Request, count: int) -> None:
    """Time charges, keeps and lookups of as many distinct releases."""
    charges = tuple(Charge(f"x{n:063x}", f"count of table {n}", EVENTS) for n in range(count))
    begin = time.perf_counter()
    shelves = [ledger.charge(request, (charge,)) for charge in charges]
    report("durable charges", time.perf_counter() - begin, count)
    begin = time.perf_counter()
    for shelf, charge in zip(shelves, charges, strict=True):
        ledger.keep(shelf, charge.key, PAYLOAD)
    report("durable keeps", time.perf_counter() - begin, count)
    times = [lookup(ledger, request, charge) for charge in charges]
    print(f"{'stored answer, median':<28}{statistics.median(times) * 1e3:10.3f} ms")
    print(f"{'stored answer, 99 %':<28}{sorted(times)[int(count * 0.99)] * 1e3:10.3f} ms")


def ask_again(folder: Path, times: int) -> None:
    """Time `execute` of a question whose answer is stored: plan, ledger, the finished query, the log's line."""
    (folder / "orders.csv").write_text(
        "customer,region\n" + "".join(f"{n},{REGIONS[n % 2]}\n" for n in range(1000))
    )
    (folder / "shop.yaml").write_text(POLICY)
    with dpsql.connect(folder / "shop.yaml", analyst="alice") as connection:
        for name, sql in QUESTIONS:
            first = connection.execute(sql).fetchall()
            asked_again(connection, f"{name}, same text", [sql] * times, first)
            others = [sql.replace("count(*)", f"count(*) AS n{n}") for n in range(times)]
            asked_again(connection, f"{name}, other text", others, first)


def asked_again(connection: dpsql.Connection, name: str, texts: list[str], first: list[object]) -> None:
    """Time `execute` and `fetchall` of questions that are stored, by the wall and in the process."""
    wall, cpu = [], []
    for sql in texts:
        connection.explain(sql)  # planning is timed in queries.py
        begin, used = time.perf_counter(), time.process_time()
        again = connection.execute(sql).fetchall()
        wall.append((time.perf_counter() - begin) * 1e3)
        cpu.append((time.process_time() - used) * 1e3)
        if again != first:
            raise SystemExit("a stored answer changed")
    print(
        f"{f'stored {name}':<28}{statistics.median(wall):10.3f} ms, "
        f"fastest tenth {sorted(wall)[len(wall) // 10]:.3f} ms, in the process {statistics.median(cpu):.3f} ms"
    )


def lookup(ledger: Ledger, request: Request, charge: Charge) -> float:
    """Seconds to find a stored release that costs nothing."""
    begin = time.perf_counter()
    shelf = ledger.charge(request, (charge,))
    seconds = time.perf_counter() - begin
    if shelf.get(charge.key) != PAYLOAD or shelf.charged.epsilon:
        raise SystemExit("a stored release was not found or not free")
    return seconds


def report(name: str, seconds: float, count: int) -> None:
    """Print a rate."""
    print(f"{name:<28}{count / seconds:10.0f} a second")


if __name__ == "__main__":
    main()
