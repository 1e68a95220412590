"""How long a process takes to its first answer, beside what it imports of others.

python benchmarks/start.py --runs 15

Fresh processes take turns. One imports duckdb, sqlglot, numpy and yaml, then dpsql, and then what `dpsql.connect`
needs; each step is timed in it. The other is `dpsql query`, from its start to its end: it answers a question over a
small file, charges it and prints CSV. What Python compiles is kept from the first round, which is not counted.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

POLICY = """\
version: 1
privacy: {unit: orders.user_id, max_rows_per_unit: 20}
tables:
  orders:
    source: orders.parquet
    columns:
      user_id: {type: integer}
      region:  {type: text, values: [north, south]}
      amount:  {type: integer, lower: 0, upper: 500}
budgets:
  dataset: {epsilon: 1000, delta: 1e-3}
  default: {epsilon: 1000, delta: 1e-3, per_query: {epsilon: 1, delta: 1e-6}}
"""
ROWS = (
    "SELECT r % 1000 AS user_id, ['north', 'south'][r % 2 + 1] AS region, r % 500 AS amount "
    "FROM range(10_000) AS t(r)"
)
QUERY = "SELECT region, COUNT(*), AVG(amount) FROM orders GROUP BY region"
STEPS = ("import duckdb, sqlglot, numpy, yaml", "import dpsql", "dpsql.connect")
IMPORTS = "\n".join(
    [
        "from time import perf_counter as now",
        "b = now()",
        *(f"{s}; print(now() - b); b = now()" for s in STEPS),
    ]
)


def main() -> None:
    """Prints the median and the least seconds of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=15, help="processes of each kind (default 15)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ask, environment = _query(Path(folder)), _environment(Path(folder))
        rounds = [_seconds([*ask, str(n)], environment) for n in range(options.runs + 1)][1:]
    print("| seconds, alternating | median | least |\n| --- | ---: | ---: |")
    for name, taken in zip((*STEPS, "dpsql query"), zip(*rounds, strict=True), strict=True):
        print(f"| {name} | {statistics.median(taken):.2f} | {min(taken):.2f} |")


def _query(folder: Path) -> list[str]:
    """The command that asks; the analyst's name follows, so that no question was answered before."""
    duckdb.sql(ROWS).write_parquet(str(folder / "orders.parquet"))
    policy = folder / "shop.yaml"
    policy.write_text(POLICY, encoding="utf-8")
    return [sys.executable, "-m", "dpsql", "query", str(policy), QUERY, "--analyst"]


def _environment(folder: Path) -> dict[str, str]:
    """That of this process, with compiled modules kept in the folder, as an installation keeps them beside its own."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "XDG_STATE_HOME": str(folder)}


def _seconds(ask: list[str], environment: dict[str, str]) -> list[float]:
    """The seconds of each import, and of the whole command."""
    steps = subprocess.run(
        [sys.executable, "-c", IMPORTS], env=environment, capture_output=True, text=True, check=True
    )
    begin = time.perf_counter()
    subprocess.run(ask, env=environment, stdout=subprocess.DEVNULL, check=True)
    return [*map(float, steps.stdout.split()), time.perf_counter() - begin]


if __name__ == "__main__":
    main()
