"""How time and memory grow with the rows: the queries of benchmarks/queries.py at several sizes of the table.

python benchmarks/scale.py --rows 1e6 1e7
python benchmarks/scale.py --rows 1e6 1e7 1e8     # a table of 0.9 GB, twice; look at the disk first

A table whose times grow in proportion has the same number of nanoseconds per row in every line of a query.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence

from purchases import Purchases, make_purchases
from queries import QUESTIONS, TITLES, WARM_UP, Ask, peak_memory, subjects


def main() -> None:
    """Make the tables where they are missing, then print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=float, nargs="+", default=[1e6, 1e7], help="default: 1e6 1e7")
    parser.add_argument("--runs", type=int, default=5, help="fresh draws of each query (default 5)")
    parser.add_argument("--policy", choices=TITLES, default="per_person")
    parser.add_argument("--no-memory", action="store_true", help="leave out peak memory")
    options = parser.parse_args()
    tables = {int(rows): make_purchases(int(rows)) for rows in options.rows}
    print(f"{TITLES[options.policy]}, medians of {options.runs} runs\n")
    print("| rows | query | DuckDB, table ms | dpsql, table ms | ratio | dpsql ns per row |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |")
    for rows, data in tables.items():
        _lines(rows, data, options.policy, options.runs, not options.no_memory)


def _lines(rows: int, data: Purchases, policy: str, runs: int, memory: bool) -> None:
    plain, private = (s for s in subjects(data, policy) if s.name.endswith("table"))
    with plain.opened() as known, private.opened() as asked:
        both = (known, asked)
        _print(rows, "the first query", [_seconds(ask, WARM_UP) for ask in both])
        for question in QUESTIONS:
            runs_of_both = [[_seconds(ask, question.of_run(i)) for ask in both] for i in range(runs)]
            _print(rows, question.name, [statistics.median(s) for s in zip(*runs_of_both, strict=True)])
    if not memory:
        return
    without, with_noise = peak_memory(plain), peak_memory(private)
    print(
        f"| {rows:,} | peak memory, MB | {without:,.0f} | {with_noise:,.0f} | {with_noise / without:.2f} | |"
    )


def _print(rows: int, name: str, seconds: Sequence[float]) -> None:
    plain, private = seconds
    cells = f"{plain * 1e3:,.1f} | {private * 1e3:,.1f} | {private / plain:.2f} | {private * 1e9 / rows:,.1f}"
    print(f"| {rows:,} | {name} | {cells} |", flush=True)


def _seconds(ask: Ask, sql: str) -> float:
    begin = time.perf_counter()
    ask(sql)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
