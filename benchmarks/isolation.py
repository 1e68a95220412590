"""What engines in child processes cost beside engines in the caller's process, on one file in one run.

python benchmarks/isolation.py --rows 1e6
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from purchases import make_purchases
from queries import QUESTIONS

import dpsql

PLACES = ("inline", "process")


@dataclass(frozen=True, slots=True)
class Run:
    """Seconds of one connection: to open, for the first query, for each question, for a stored answer, to close."""

    steps: dict[str, float]


def main() -> None:
    """Make the data where it is missing, then print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e6, help="rows of the table (default 1e6)")
    parser.add_argument("--runs", type=int, default=5, help="connections in each place (default 5)")
    options = parser.parse_args()
    data = make_purchases(int(options.rows))
    policies = {place: _policy(data.per_person, place) for place in PLACES}
    runs = [(place, _run(policies[place])) for _ in range(options.runs) for place in PLACES]
    print(f"{int(options.rows):,} rows, medians over {options.runs} connections\n")
    print("| step | inline ms | process ms |\n| --- | ---: | ---: |")
    for step in runs[0][1].steps:
        inline, process = (
            statistics.median(r.steps[step] for p, r in runs if p == place) for place in PLACES
        )
        print(f"| {step} | {inline * 1e3:.1f} | {process * 1e3:.1f} |")


def _policy(policy: Path, place: str) -> Path:
    target = policy.with_name(f"{policy.stem}_{place}.yaml")
    target.write_text(
        policy.read_text(encoding="utf-8") + f"engine: {{isolation: {place}}}\n", encoding="utf-8"
    )
    return target


def _run(policy: Path) -> Run:
    steps: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        with _timed(steps, "open"):
            connection = dpsql.connect(policy, analyst="benchmark", ledger=Path(folder) / "benchmark.ledger")
        with _timed(steps, "first query"):
            connection.execute("SELECT COUNT(*) FROM purchases WHERE age > 60")
        for question in QUESTIONS:
            with _timed(steps, question.name):
                connection.execute(question.of_run(0))
        with _timed(steps, "a stored answer"):
            connection.execute(QUESTIONS[0].of_run(0))
        with _timed(steps, "close"):
            connection.close()
    return Run(steps)


@contextmanager
def _timed(steps: dict[str, float], name: str) -> Iterator[None]:
    begin = time.perf_counter()
    yield
    steps[name] = time.perf_counter() - begin


if __name__ == "__main__":
    main()
