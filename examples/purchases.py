"""Many rows per person: purchases, with customers bounded to a number of rows and a total, as a pandas frame.

pip install ".[demo]"
python examples/purchases.py
"""

from __future__ import annotations

import tempfile
from datetime import date
from pathlib import Path

import dpsql
from dpsql.interfaces.cli.demo_data import prepare_demo_data

BY_MONTH = """
    SELECT date_trunc('month', day) AS month, COUNT(*) AS purchases, SUM(amount) AS revenue,
           SUM(amount) / SUM(SUM(amount)) OVER () AS share
    FROM purchases
    WHERE day < ?
    GROUP BY month
    ORDER BY month
"""


def main() -> None:
    """A monthly table, the same question again for nothing, and a question that is refused."""
    policy = prepare_demo_data() / "cdnow.yaml"
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "purchases.ledger"  # an admin would keep it beside the policy, for good
        with dpsql.connect(policy, analyst="alice", ledger=ledger) as connection:
            cursor = connection.execute(BY_MONTH, [date(1997, 7, 1)])
            print(cursor.df().to_string(index=False))
            print(f"charged epsilon {float(cursor.release.epsilon):g}")
            again = connection.execute(BY_MONTH, [date(1997, 7, 1)])
            print(f"asked again: charged epsilon {float(again.release.epsilon):g}")
            try:
                connection.execute("SELECT * FROM purchases")
            except dpsql.QueryRefused as refusal:
                print(f"refused: {refusal}")


if __name__ == "__main__":
    main()
