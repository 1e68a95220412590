"""How fast the ledger is: durable charges and kept draws a second, and the time to look up a stored release.

Run: python benchmarks/ledger.py [--charges 1000] [--folder DIR]. The folder decides which disk is measured.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from fractions import Fraction
from pathlib import Path

from dpsql.accounting.ledger import Ledger
from dpsql.accounting.types import Request
from dpsql.policy.model import AccountantName
from dpsql.privacy import Charge, Cost, Event, Mechanism

LIMIT = Cost(Fraction(10**6))
REQUEST = Request("alice", LIMIT, LIMIT, LIMIT, "policy", 1, AccountantName.PURE)
EVENTS = (Event(Mechanism.DISCRETE_LAPLACE, 1, Cost(Fraction(1, 100))),)
PAYLOAD = bytes(2_000)


def main() -> None:
    """Print one line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--charges", type=int, default=1000)
    parser.add_argument("--folder", type=Path, default=None)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder) / "bench.ledger"
        with Ledger.open(path) as ledger:
            measure(ledger, arguments.charges)
        size = path.stat().st_size / arguments.charges
        print(f"{'ledger size':<28}{size:10.0f} bytes a release, payloads of {len(PAYLOAD)} included")


def measure(ledger: Ledger, count: int) -> None:
    """Time charges, keeps and lookups of as many distinct releases."""
    charges = tuple(Charge(f"{n:064x}", f"count of table {n}", EVENTS) for n in range(count))
    begin = time.perf_counter()
    shelves = [ledger.charge(REQUEST, (charge,)) for charge in charges]
    report("durable charges", time.perf_counter() - begin, count)
    begin = time.perf_counter()
    for shelf, charge in zip(shelves, charges, strict=True):
        ledger.keep(shelf, charge.key, PAYLOAD)
    report("durable keeps", time.perf_counter() - begin, count)
    times = [lookup(ledger, charge) for charge in charges]
    print(f"{'stored answer, median':<28}{statistics.median(times) * 1e3:10.3f} ms")
    print(f"{'stored answer, 99 %':<28}{sorted(times)[int(count * 0.99)] * 1e3:10.3f} ms")


def lookup(ledger: Ledger, charge: Charge) -> float:
    """Seconds to find a stored release that costs nothing."""
    begin = time.perf_counter()
    shelf = ledger.charge(REQUEST, (charge,))
    seconds = time.perf_counter() - begin
    if shelf.get(charge.key) != PAYLOAD or shelf.charged.epsilon:
        raise SystemExit("a stored release was not found or not free")
    return seconds


def report(name: str, seconds: float, count: int) -> None:
    """Print a rate."""
    print(f"{name:<28}{count / seconds:10.0f} a second")


if __name__ == "__main__":
    main()
