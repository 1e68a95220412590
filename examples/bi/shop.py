"""A shop to point tools at: 6,000 made-up orders of 800 customers, and a policy for them.

python examples/bi/shop.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb

POLICY = """\
version: 1
privacy: {unit: orders.customer, max_rows_per_unit: 12}
tables:
  orders:
    source: shop.duckdb
    unit_key: customer
    columns:
      customer: {type: integer, hidden: true}
      country:  {type: text, values: [Austria, Belgium, Denmark, France, Germany, Italy, Poland, Spain]}
      product:  {type: text, values: [bags, books, lamps, mugs, prints, toys]}
      online:   {type: boolean}
      quantity: {type: integer, lower: 0, upper: 10}
      amount:   {type: float, lower: 0, upper: 200, step: 0.01}
      day:      {type: date, lower: 2025-01-01, upper: 2025-12-31}
  countries: {source: shop.duckdb, public: true}
budgets:
  dataset: {epsilon: 100}
  default: {epsilon: 50, per_query: 1}
"""
ORDERS = """
CREATE OR REPLACE TABLE orders AS
SELECT (draw * draw // 7919) % 800 AS customer,
    ['Austria', 'Belgium', 'Denmark', 'France', 'Germany', 'Italy', 'Poland', 'Spain'][1 + draw % 47 % 8] AS country,
    ['bags', 'books', 'lamps', 'mugs', 'prints', 'toys'][1 + draw % 31 % 6] AS product,
    draw % 5 < 3 AS online, 1 + draw % 4 AS quantity,
    round(5 + draw % 12000 / 100.0 + 20 * sin(order_number % 365 / 58.0), 2) AS amount,
    DATE '2025-01-01' + (order_number % 365)::INTEGER AS day
FROM (SELECT range AS order_number, (range * 7919 + 104729) % 999983 AS draw FROM range(6000))
"""
COUNTRIES = """
CREATE OR REPLACE TABLE countries AS SELECT * FROM (VALUES
    ('Austria', 'south'), ('Belgium', 'west'), ('Denmark', 'north'), ('France', 'west'), ('Germany', 'north'),
    ('Italy', 'south'), ('Poland', 'north'), ('Spain', 'south')) AS v(country, part)
"""


def make_shop(folder: Path) -> Path:
    """Writes the data and the policy to a folder, and returns the policy's path."""
    folder.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.execute(ORDERS)
        connection.execute(COUNTRIES)
    policy = folder / "shop.yaml"
    policy.write_text(POLICY, encoding="utf-8")
    return policy


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python examples/bi/shop.py FOLDER")
    print(make_shop(Path(sys.argv[1])))
