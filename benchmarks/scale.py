"""How time and memory grow with the rows: the queries of benchmarks/queries.py at several sizes, live and prepared.

python benchmarks/scale.py --rows 1e6 1e7
python benchmarks/scale.py --rows 1e6 1e7 1e8     # a table of 0.9 GB, twice; look at the disk first

A table whose times grow in proportion has the same number of nanoseconds per row in every line of a query.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from contextlib import ExitStack

from purchases import Purchases, make_purchases
from queries import QUESTIONS, TITLES, WARM_UP, Ask, Subject, peak_memory, subjects


def main() -> None:
    """Make the tables where they are missing, then print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=float, nargs="+", default=[1e6, 1e7], help="default: 1e6 1e7")
    parser.add_argument("--runs", type=int, default=5, help="fresh draws of each query (default 5)")
    parser.add_argument("--policy", choices=TITLES, default="per_person")
    parser.add_argument("--no-memory", action="store_true", help="leave out peak memory")
    options = parser.parse_args()
    sizes = [int(rows) for rows in options.rows]
    asked = {rows: _asked(make_purchases(rows), options.policy) for rows in sizes}
    print(f"{TITLES[options.policy]}, medians of {options.runs} runs\n")
    each = "ms | ratio | ns per row"
    print(f"| rows | query | DuckDB, table ms | dpsql, table {each} | dpsql, prepared {each} |")
    print("| ---: | --- |" + " ---: |" * 7)
    for rows in sizes:
        _lines(rows, asked[rows], options.runs, not options.no_memory)


def _asked(data: Purchases, policy: str) -> list[Subject]:
    """Plain DuckDB over a table, dpsql over the same, and over tables that are prepared from it."""
    return [s for s in subjects(data, policy) if not s.name.endswith("Parquet")]


def _lines(rows: int, asked: Sequence[Subject], runs: int, memory: bool) -> None:
    with ExitStack() as stack:
        asks = [stack.enter_context(s.opened()) for s in asked]
        _print(rows, "the first query", [_seconds(ask, WARM_UP) for ask in asks])
        for question in QUESTIONS:
            times = [[_seconds(ask, question.of_run(i)) for ask in asks] for i in range(runs)]
            _print(rows, question.name, [statistics.median(s) for s in zip(*times, strict=True)])
    if memory:
        plain, *private = (peak_memory(s) for s in asked)
        cells = [f"{m:,.0f} | {m / plain:.2f} | " for m in private]
        print(f"| {rows:,} | peak memory, MB | {plain:,.0f} | {' | '.join(cells)} |", flush=True)


def _print(rows: int, name: str, seconds: Sequence[float]) -> None:
    plain, *private = seconds
    cells = [f"{s * 1e3:,.1f} | {s / plain:.2f} | {s * 1e9 / rows:,.1f}" for s in private]
    print(f"| {rows:,} | {name} | {plain * 1e3:,.1f} | {' | '.join(cells)} |", flush=True)


def _seconds(ask: Ask, sql: str) -> float:
    begin = time.perf_counter()
    ask(sql)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
