"""One row per person: a survey with a sensitive question, asked through a PEP 249 connection.

pip install ".[demo]"
python examples/survey.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import dpsql
from dpsql.interfaces.cli.demo_data import prepare_demo_data
from dpsql.release.types import Interval95

QUERIES = (
    "SELECT COUNT(*), AVG(age), STDDEV(age) FROM fair",
    "SELECT religious, COUNT(*), AVG(children) FROM fair GROUP BY religious ORDER BY religious",
    "SELECT rate_marriage FROM fair WHERE affairs > 0 GROUP BY rate_marriage ORDER BY COUNT(*) DESC LIMIT 1",
)


def main() -> None:
    """Asks each query and prints its rows, the 95 % intervals and what is left of the budget."""
    policy = prepare_demo_data() / "fair.yaml"
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "survey.ledger"  # an admin would keep it beside the policy, for good
        with dpsql.connect(policy, analyst="alice", ledger=ledger) as connection:
            for sql in QUERIES:
                ask(connection, sql)


def ask(connection: dpsql.Connection, sql: str) -> None:
    """One query: what it will cost, its answer, and the budget after it."""
    print(f"\n{sql}\nwill cost epsilon {float(connection.explain(sql).epsilon):g}")
    cursor = connection.execute(sql)
    for row, intervals in zip(cursor.fetchall(), cursor.release.intervals, strict=True):
        print("  ".join(["", *map(shown, row, intervals)]))
    print(f"epsilon left: {float(connection.budget().remaining.epsilon):g}")


def shown(value: object, interval: Interval95 | None) -> str:
    """A value with its 95 % interval, where it carries noise."""
    text = f"{value:.2f}" if isinstance(value, float) else str(value)
    return f"{text} [{interval.low:.2f}, {interval.high:.2f}]" if interval is not None else text


if __name__ == "__main__":
    main()
