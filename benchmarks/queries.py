"""What privacy costs in time and accuracy: six queries beside plain DuckDB on one file in one run.

python benchmarks/queries.py --rows 1e6
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import duckdb
from purchases import MAX_ROWS_PER_UNIT, make_purchases

import dpsql

T = TypeVar("T")
Rows = tuple[tuple[object, ...], ...]
WARM_UP = "SELECT COUNT(*) FROM purchases WHERE age > 60"


@dataclass(frozen=True, slots=True)
class Question:
    """A query and how many of its leading columns are keys; a query of keys alone is right or wrong."""

    name: str
    sql: str
    keys: int


QUESTIONS = (
    Question("COUNT(*)", "SELECT COUNT(*) FROM purchases", 0),
    Question(
        "COUNT, SUM, AVG by region",
        "SELECT region, COUNT(*), SUM(amount), AVG(amount) FROM purchases GROUP BY region",
        1,
    ),
    Question("COUNT by product", "SELECT product, COUNT(*) FROM purchases GROUP BY product", 1),
    Question(
        "SUM(amount * quantity) with WHERE",
        "SELECT SUM(amount * quantity) FROM purchases "
        "WHERE age BETWEEN 30 AND 39 AND day >= DATE '2025-07-01'",
        0,
    ),
    Question("COUNT(DISTINCT user_id)", "SELECT COUNT(DISTINCT user_id) FROM purchases", 0),
    Question(
        "the top region",
        "SELECT region FROM purchases GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1",
        1,
    ),
)


@dataclass(frozen=True, slots=True)
class Run:
    """One question asked once with a ledger of its own: seconds, charge, and the error of each cell."""

    answer: float
    cold: float
    warm: float
    epsilon: float
    errors: tuple[float, ...]


def main() -> None:
    """Make the data where it is missing, then print one table for each policy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e6, help="rows of the table (default 1e6)")
    parser.add_argument("--runs", type=int, default=20, help="fresh draws of each query (default 20)")
    options = parser.parse_args()
    rows = int(options.rows)
    data = make_purchases(rows)
    print(f"{rows:,} rows, {rows // 10:,} people, medians over {options.runs} runs\n")
    for title, policy in (
        ("one row per person", data.per_row),
        (f"at most {MAX_ROWS_PER_UNIT} rows per person", data.per_person),
    ):
        print(f"### {title}\n")
        print("| query | DuckDB ms | dpsql ms | ratio | plan cold ms | warm ms | median error | epsilon |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        for question in QUESTIONS:
            print(_line(data.data, policy, question, options.runs), flush=True)
        print()


def _line(data: Path, policy: Path, question: Question, runs: int) -> str:
    plain, exact = _plain(data, question.sql, runs)
    private = tuple(_run(policy, question, exact) for _ in range(runs))
    answer, cold, warm = (
        statistics.median(getattr(r, f) for r in private) for f in ("answer", "cold", "warm")
    )
    error = statistics.median(e for r in private for e in r.errors)
    return (
        f"| {question.name} | {plain * 1e3:.1f} | {answer * 1e3:.1f} | {answer / plain:.2f} "
        f"| {cold * 1e3:.2f} | {warm * 1e3:.2f} | {error:.2%} | {private[0].epsilon:g} |"
    )


def _plain(data: Path, sql: str, runs: int) -> tuple[float, Rows]:
    """How long plain DuckDB takes, with as many threads as dpsql uses, and the exact answer."""
    with duckdb.connect(str(data), read_only=True) as connection:
        exact = tuple(connection.execute(sql).fetchall())
        seconds = [_timed(lambda: connection.execute(sql).fetchall())[0] for _ in range(runs)]
    return statistics.median(seconds), exact


def _run(policy: Path, question: Question, exact: Rows) -> Run:
    """Ask with a fresh ledger, since a ledger's stored answer would be given again without any work.

    Another query comes first, so that what is built once for a data version is not counted with this one.
    The text that is planned differs by a blank, so that its plan is not known from the answer.
    """
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "benchmark.ledger"
        with dpsql.connect(policy, analyst="benchmark", ledger=ledger) as connection:
            connection.execute(WARM_UP)
            answer, cursor = _timed(lambda: connection.execute(question.sql))
            cold, _ = _timed(lambda: connection.explain(question.sql + " "))
            warm, _ = _timed(lambda: connection.explain(question.sql + " "))
            errors = _errors(question, tuple(cursor.fetchall()), exact)
            return Run(answer, cold, warm, float(cursor.release.epsilon), errors)


def _errors(question: Question, rows: Rows, exact: Rows) -> tuple[float, ...]:
    """The relative error of each number; for keys alone 0 or 1."""
    keys = question.keys
    if len(exact[0]) == keys:
        return (float(rows != exact),)
    wanted = {row[:keys]: row[keys:] for row in exact}
    return tuple(
        abs(float(str(got)) / float(str(true)) - 1)
        for row in rows
        for got, true in zip(row[keys:], wanted[row[:keys]], strict=True)
    )


def _timed(action: Callable[[], T]) -> tuple[float, T]:
    begin = time.perf_counter()
    result = action()
    return time.perf_counter() - begin, result


if __name__ == "__main__":
    main()
