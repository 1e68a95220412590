"""What planning a query costs that was not asked before: milliseconds of the process, step by step.

python benchmarks/planning.py --runs 20 --tpch

No private row is read, so the tables are empty. What is printed is processor time, which other processes do not change
much; the queries take turns, as they would in a session, large ones among themselves, and what was planned before is
not found again. Only the last column is of texts whose words were planned before, with another comment.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ParamSpec, TypeVar
from unittest.mock import patch

import duckdb

import dpsql
from dpsql.stages.state import Plans

P = ParamSpec("P")
T = TypeVar("T")
TPCH = Path(__file__).parents[1] / "examples" / "tpch"
# The functions that a step is made of, by module of `dpsql`; a query is planned by the first verb of its pipeline.
STEPS = {
    "parse": ("stages.prepare", "read_text", "admitted_with"),
    "bind": ("stages.prepare", "cut"),
    "plan": ("stages.prepare", "plan_query"),
    "trial": ("stages.prepare", "described_columns", "try_public_query"),
    "planning": ("pipeline", "prepare"),
    "explain": ("pipeline", "reuse_received", "explain_query"),
}
SHOP = """\
version: 1
privacy: {unit: users.id, max_rows_per_unit: 20}
tables:
  users:
    source: shop.duckdb
    one_row_per_unit: true
    columns:
      id:   {type: integer}
      age:  {type: integer, lower: 18, upper: 90}
      plan: {type: text, values: [free, plus, pro]}
  orders:
    source: shop.duckdb
    unit_key: user_id
    columns:
      user_id:  {type: integer}
      region:   {type: text, values: [north, east, south, west]}
      product:  {type: integer, lower: 1, upper: 100}
      quantity: {type: integer, lower: 1, upper: 9}
      amount:   {type: float, lower: 0, upper: 500, step: 0.01}
      day:      {type: date, lower: 2025-01-01, upper: 2025-12-31}
  products: {source: shop.duckdb, public: true}
budgets:
  dataset: {epsilon: 1000, delta: 1e-3}
  default: {epsilon: 1000, delta: 1e-3, per_query: {epsilon: 1, delta: 1e-6}}
"""
TABLES = (
    "users (id INTEGER, age INTEGER, plan VARCHAR)",
    "orders (user_id INTEGER, region VARCHAR, product INTEGER, quantity INTEGER, amount DOUBLE, day DATE)",
    "products AS SELECT range AS product, 'kind ' || range % 5 AS kind FROM range(1, 101)",
)
QUERIES = {
    "COUNT": "SELECT COUNT(*) FROM orders",
    "AVG": "SELECT AVG(amount) FROM orders WHERE region = 'north'",
    "MEDIAN": "SELECT MEDIAN(amount) FROM orders",
    "COUNT by region": "SELECT region, COUNT(*) FROM orders GROUP BY region ORDER BY 2 DESC",
    "COUNT, SUM, AVG by region": "SELECT region, COUNT(*), SUM(amount), AVG(amount) FROM orders "
    "WHERE day >= DATE '2025-03-01' GROUP BY region ORDER BY region",
    "COUNT by month": "SELECT date_trunc('month', day) AS month, COUNT(*) FROM orders GROUP BY 1 ORDER BY 1",
    "COUNT by product": "SELECT product, COUNT(*) FROM orders GROUP BY product",
    "average of totals": "WITH t AS (SELECT user_id, SUM(amount) AS total FROM orders GROUP BY user_id) "
    "SELECT AVG(LEAST(total, 2000)) FROM t",
    "join on the unit": "SELECT u.plan, COUNT(*), SUM(o.amount) FROM users u JOIN orders o ON o.user_id = u.id "
    "WHERE u.age >= 30 GROUP BY u.plan",
    "join to a public table": "SELECT p.kind, SUM(o.quantity) FROM orders o JOIN products p USING (product) "
    "WHERE p.kind IN ('kind 1', 'kind 2') GROUP BY p.kind",
    "the top region": "SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1",
}
LARGE = {
    "10 conditional sums": "SELECT "
    + ", ".join(
        f"SUM(CASE WHEN product = {i} THEN amount ELSE 0 END) AS s{i}, COUNT(*) FILTER (quantity = {i}) AS n{i}"
        for i in range(1, 6)
    )
    + " FROM orders",
    "60 COUNT(*) FILTER": "SELECT "
    + ", ".join(f"COUNT(*) FILTER (WHERE product = {i})" for i in range(1, 61))
    + " FROM orders",
    "CUBE of 12,500 groups": "SELECT region, product, day, COUNT(*) FROM orders WHERE day < DATE '2025-01-25' "
    "GROUP BY CUBE (region, product, day)",
}


@dataclass(slots=True)
class Clock:
    """Processor seconds of each step of one planning."""

    spent: dict[str, float] = field(default_factory=dict)

    def timing(self, step: str, work: Callable[P, T]) -> Callable[P, T]:
        """The same function, with its time added to a step."""

        def timed(*args: P.args, **kwargs: P.kwargs) -> T:
            begin = time.process_time()
            try:
                return work(*args, **kwargs)
            finally:
                self.spent[step] = self.spent.get(step, 0) + time.process_time() - begin

        return timed


@contextmanager
def clocked() -> Iterator[Clock]:
    """A block in which the steps of planning are timed."""
    clock = Clock()
    with ExitStack() as patches:
        for step, (place, *names) in STEPS.items():
            module = importlib.import_module(f"dpsql.{place}")
            timed = {name: clock.timing(step, getattr(module, name)) for name in names}
            patches.enter_context(patch.multiple(module, **timed))
        yield clock


def main() -> None:
    """Prints a line for each query."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=20, help="times that each query is planned (default 20)")
    parser.add_argument(
        "--tpch", action="store_true", help="also the 22 queries of TPC-H (needs tpchgen-cli)"
    )
    parser.add_argument("--only", default="", help="only queries whose name holds this")
    options = parser.parse_args()
    print(f"milliseconds of the process, medians of {options.runs} runs\n")
    print("| query | parse | bind | plan | trial | planning in all | explain | the same words |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        shop = make_shop(Path(folder))
        _table(shop, QUERIES, options.only, options.runs)
        _table(shop, LARGE, options.only, options.runs)
        if options.tpch:
            sys.path.insert(0, str(TPCH))
            made = importlib.import_module("run").generated(0.001, Path(folder)) / "policy.yaml"
            queries = {f"TPC-H {p.stem}": p.read_text("utf-8") for p in sorted(TPCH.glob("queries/*.sql"))}
            _table(made, queries, options.only, options.runs)


def make_shop(folder: Path) -> Path:
    """Writes the shop's tables and its policy to a folder, and returns the policy."""
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        for table in TABLES:
            connection.execute(f"CREATE TABLE {table}")
    policy = folder / "shop.yaml"
    policy.write_text(SHOP, encoding="utf-8")
    return policy


def _table(policy: Path, queries: dict[str, str], only: str, runs: int) -> None:
    asked = {name: sql for name, sql in queries.items() if only in name}
    with dpsql.connect(policy, analyst="benchmark") as connection, clocked() as clock:
        rounds = [
            {name: _planned(connection, sql, n, clock) for name, sql in asked.items()}
            for n in range(runs + 1)
        ]
    for name in asked:
        print(_line(name, [found[name] for found in rounds[1:]]))


def _planned(connection: dpsql.Connection, sql: str, number: int, clock: Clock) -> dict[str, float]:
    """The seconds of each step, and of the same words with another comment."""
    clock.spent.clear()
    sql = sql.rstrip().rstrip(";")
    with patch.object(Plans, "find", lambda plans, key: None):
        _explained(connection, f"{sql} -- {number}", clock)
    steps = dict(clock.spent)
    clock.timing("words", _explained)(connection, f"{sql} -- {number} again", clock)
    return steps | {"words": clock.spent["words"]}


def _explained(connection: dpsql.Connection, sql: str, clock: Clock) -> None:
    try:
        connection.explain(sql)
    except dpsql.QueryRefused:
        clock.spent["refused"] = 1


def _line(name: str, found: list[dict[str, float]]) -> str:
    def median(step: str) -> float:
        return 1000 * statistics.median(f.get(step, 0) for f in found)

    figures = " | ".join(f"{median(step):.1f}" for step in (*STEPS, "words"))
    return f"| {name}{', refused' if 'refused' in found[0] else ''} | {figures} |"


if __name__ == "__main__":
    main()
