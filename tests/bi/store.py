"""A store whose orders meet no bound of its policy: without noise, answers are those of plain DuckDB."""

from __future__ import annotations

from pathlib import Path

import duckdb

TABLES = """
CREATE TABLE orders AS SELECT (range * 7919) % 90 AS user_id, range AS order_id,
    ['north', 'south', 'east', 'west'][1 + (range * 31) % 4] AS region,
    ['new', 'paid', 'shipped', 'returned'][1 + ((range * 17) // 5) % 4] AS status,
    'sku' || (range * 7) % 6 AS product_name,
    (range * 11) % 6 AS product_id, 1 + ((range * 3) // 7) % 9 AS quantity, ((range * 37) % 400)::DOUBLE / 4 AS amount,
    CASE WHEN range % 7 > 0 THEN ((range * 5) % 40)::DOUBLE / 4 END AS discount, range % 3 = 0 AS is_paid,
    DATE '2024-01-01' + ((range * 97) % 730)::INTEGER AS order_date,
    TIMESTAMP '2024-01-01' + INTERVAL (((range * 97) % 730) * 86400 + (range * 1237) % 86400) SECOND AS created_at,
    CASE WHEN range % 11 > 0 THEN ['DE', 'FR', 'IT'][1 + (range * 19) % 3] END AS country
FROM range(1500);
CREATE TABLE customers AS SELECT range AS user_id, 18 + (range * 7) % 60 AS age,
    ['gold', 'silver', 'basic'][1 + (range * 5) % 3] AS segment,
    DATE '2020-01-01' + ((range * 53) % 1400)::INTEGER AS signup
FROM range(90);
CREATE TABLE products AS SELECT range AS product_id, 'P' || range AS name, ['a', 'b', 'c'][1 + range % 3] AS brand
FROM range(6)"""
POLICY = """
version: 1
privacy: {unit: customers.user_id, max_rows_per_unit: 200}
tables:
  customers:
    source: store.duckdb
    one_row_per_unit: true
    columns:
      user_id: {type: integer}
      age:     {type: integer, lower: 18, upper: 80}
      segment: {type: text, values: [gold, silver, basic]}
      signup:  {type: date, lower: 2020-01-01, upper: 2023-12-31}
  orders:
    source: store.duckdb
    unit_key: user_id
    columns:
      user_id:      {type: integer}
      order_id:     {type: integer}
      region:       {type: text, values: [north, south, east, west]}
      status:       {type: text, values: [new, paid, shipped, returned]}
      product_name: {type: text}
      product_id:   {type: integer}
      quantity:     {type: integer, lower: 0, upper: 10}
      amount:       {type: float, lower: 0, upper: 100, step: 0.25}
      discount:     {type: float, lower: 0, upper: 10, step: 0.25, nullable: true}
      is_paid:      {type: boolean}
      order_date:   {type: date, lower: 2024-01-01, upper: 2025-12-31}
      created_at:   {type: timestamp, lower: 2024-01-01 00:00:00, upper: 2025-12-31 23:59:59}
      country:      {type: text, values: [DE, FR, IT], nullable: true}
  products: {source: store.duckdb, public: true}
budgets:
  dataset: {epsilon: 1000, delta: 1e-2}
  default: {epsilon: 900, delta: 9e-3, per_query: {epsilon: 0.5, delta: 1e-7}}
"""


def make_store(folder: Path) -> Path:
    """Writes the data and the policy to a folder, and returns the policy."""
    with duckdb.connect(str(folder / "store.duckdb")) as connection:
        connection.execute(TABLES)
    policy = folder / "store.yaml"
    policy.write_text(POLICY, encoding="utf-8")
    return policy
