"""The 22 queries of TPC-H, unmodified, with customers as the people: what is answered, how near, and how fast.

pip install ".[tpch]"
python examples/tpch/run.py --scale 0.1 --runs 3
python examples/tpch/run.py --scale 1 --runs 200 --queries 8
"""

from __future__ import annotations

import argparse
import math
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import duckdb

import dpsql

HERE = Path(__file__).parent
Row = tuple[object, ...]
# The columns of each query that hold measures; the others tell its rows apart.
MEASURES = {
    1: (2, 3, 4, 5, 6, 7, 8, 9), 3: (1,), 4: (1,), 5: (1,), 6: (0,), 7: (3,), 8: (1,), 9: (2,), 12: (1, 2), 13: (1,),
    14: (0,), 15: (4,), 17: (0,), 19: (0,), 21: (1,), 22: (1, 2),
}  # fmt: skip
TABLES = ("customer", "orders", "lineitem", "part", "partsupp", "supplier", "nation", "region")


@dataclass(frozen=True)
class Outcome:
    """What became of a query: exact and free, answered with noise, or refused; times in seconds."""

    number: int
    kind: str
    error: float | None = None
    plan: float = 0
    seconds: float = 0
    plain: float = 0
    reason: str = ""

    def __str__(self) -> str:
        if self.kind == "refused":
            return f"Q{self.number:<3} refused   {self.reason}"
        shown = "-" if self.error is None else f"{100 * self.error:.2g} %"
        ratio = self.seconds / max(self.plain, 1e-9)
        times = f"{1000 * self.plan:>9.0f} {1000 * self.seconds:>9.0f} {ratio:>7.1f}x"
        return f"Q{self.number:<3} {self.kind:<9} {shown:>10} {times}"


def generated(scale: float, folder: Path) -> Path:
    """A folder with the data at a scale and the policy beside it."""
    tool = shutil.which("tpchgen-cli", path=str(Path(sys.executable).parent)) or shutil.which("tpchgen-cli")
    if tool is None:
        raise SystemExit('tpchgen-cli is missing: pip install ".[tpch]"')
    subprocess.run(
        [tool, "parquet", "-s", str(scale), "--output-dir", str(folder)], check=True, capture_output=True
    )
    shutil.copy(HERE / "policy.yaml", folder)
    return folder


def ask(number: int, connection: dpsql.Connection, plain: duckdb.DuckDBPyConnection) -> Outcome:
    """Asks one query both ways."""
    sql = (HERE / "queries" / f"q{number:02}.sql").read_text(encoding="utf-8")
    start = time.perf_counter()
    try:
        connection.explain(sql)
        planned = time.perf_counter()
        cursor = connection.execute(sql)
    except dpsql.QueryRefused as refusal:
        return Outcome(number, "refused", reason=str(refusal))
    answered = time.perf_counter()
    rows = cursor.fetchall()
    begin = time.perf_counter()
    exact = plain.execute(sql).fetchall()
    end = time.perf_counter()
    kind = "exact" if cursor.release.epsilon == 0 else "noise"
    error = median_error(number, rows, exact)
    return Outcome(number, kind, error, planned - start, answered - planned, end - begin)


def median_error(number: int, rows: list[Row], exact: list[Row]) -> float | None:
    """The median relative error of a query's measures over the rows whose other columns both answers have."""
    at = MEASURES.get(number)
    if at is None:
        return 0.0 if alike(rows, exact) else None
    known = {_key(row, at): row for row in exact}
    pairs = [
        (float(row[i]), float(other[i]))  # type: ignore[arg-type]
        for row in rows
        if (other := known.get(_key(row, at))) is not None
        for i in at
        if row[i] is not None and other[i]
    ]
    return statistics.median(abs(a - b) / abs(b) for a, b in pairs) if pairs else None


def alike(rows: list[Row], exact: list[Row]) -> bool:
    """Whether two answers are the same; decimals of public tables are doubles here, whose sums are rounded."""
    pairs = [(a, b) for row, other in zip(rows, exact, strict=False) for a, b in zip(row, other, strict=True)]
    return len(rows) == len(exact) and all(_same(a, b) for a, b in pairs)


def _same(a: object, b: object) -> bool:
    if isinstance(a, float | Decimal) and isinstance(b, float | Decimal):
        return math.isclose(a, b, rel_tol=1e-12)
    return a == b


def _key(row: Row, measures: tuple[int, ...]) -> Row:
    return tuple(float(v) if isinstance(v, Decimal) else v for i, v in enumerate(row) if i not in measures)


def every(
    numbers: list[int], folder: Path, epsilon: str, run: int, plain: duckdb.DuckDBPyConnection
) -> list[Outcome]:
    """Each query once, with a ledger of their own, so that nothing was asked before."""
    ledger = folder / f"run-{run}.ledger"
    how = {
        "epsilon": epsilon,
        "ledger": ledger,
        "empty_conditions": True,
    }  # Q19 asks for a mode that nothing is sent by
    with dpsql.connect(folder / "policy.yaml", analyst="alice", **how) as connection:
        return [ask(n, connection, plain) for n in numbers]


def middle(outcomes: tuple[Outcome, ...]) -> Outcome:
    """One query's outcome in the middle of several runs."""
    errors = [o.error for o in outcomes if o.error is not None]
    plan, seconds, plain = (
        statistics.median(t) for t in zip(*((o.plan, o.seconds, o.plain) for o in outcomes), strict=True)
    )
    error = statistics.median(errors) if errors else None
    return replace(outcomes[0], error=error, plan=plan, seconds=seconds, plain=plain)


def main() -> None:
    """Prints a line for each query and a summary: the middle of as many runs as are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=0.01)
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--queries", type=int, nargs="+", default=[*range(1, 23)])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = generated(options.scale, Path(name))
        plain = duckdb.connect()
        for table in TABLES:
            plain.execute(f"CREATE VIEW {table} AS FROM '{folder / f'{table}.parquet'}'")
        print("     outcome   med. error   plan ms    run ms   ratio to plain DuckDB")
        runs = [every(options.queries, folder, options.epsilon, run, plain) for run in range(options.runs)]
        found = [middle(outcomes) for outcomes in zip(*runs, strict=True)]
        plain.close()
    print("\n".join(map(str, found)))
    kinds = {kind: sum(o.kind == kind for o in found) for kind in ("exact", "noise", "refused")}
    near = sum(o.kind == "noise" and o.error is not None and o.error <= 0.1 for o in found)
    told = f"exact and free {kinds['exact']}, with noise {kinds['noise']}, refused {kinds['refused']}"
    print(f"{told}; with noise and within 10 %: {near}")


if __name__ == "__main__":
    main()
