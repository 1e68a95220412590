"""A small policy of its own for the front: every kind of column, caps, a unit total, public tables, little data."""

from __future__ import annotations

from pathlib import Path

import duckdb

_T = """
CREATE TABLE t AS SELECT range % 23 AS user_id, ['north', 'south', 'east', '', NULL][1 + range % 5] AS region,
    range % 3 = 0 AS flag, 15 + range % 80 AS age, range % 4 AS level, range % 12 - 4 AS quantity,
    9007199254740900 + range AS big,
    CASE range % 50 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN 'inf'::DOUBLE ELSE range * 1.25 END AS amount,
    (range % 90)::DOUBLE AS price, DATE '2025-01-01' + (range % 200)::INTEGER AS day,
    TIMESTAMP '2025-01-01' + INTERVAL (range) HOUR AS moment, 'city ' || range % 7 AS city, range % 9 AS product,
    range / 7.0::DOUBLE AS free, 's' AS secret
FROM range(300)"""
_PUBLIC = """
CREATE TABLE regions AS SELECT * FROM (VALUES ('north', 'NN', 3, 0.5::DOUBLE), ('south', 'SS', -1, 1.25),
    ('east', 'NN', 0, NULL), ('west', 'WW', 7, 2.0), (NULL, 'SS', 2, 0.0)) v(region, country, weight, rate);
CREATE TABLE tags AS SELECT * FROM (VALUES ('north', 'a', 1), ('north', 'b', 2), ('south', 'a', 3), (NULL, 'c', 4))
    v(region, tag, score);
CREATE TABLE nums AS SELECT range AS n FROM range(5)"""
_POLICY = """
version: 1
privacy: {unit: t.user_id, max_rows_per_unit: 5}
accountant: approx
tables:
  t:
    source: shop.duckdb
    unit_key: user_id
    columns:
      user_id: {type: integer}
      region: {type: text, values: [north, south, east, ''], nullable: true}
      flag: {type: boolean}
      age: {type: integer, lower: 18, upper: 90}
      level: {type: integer, values: [1, 2, 3]}
      quantity: {type: integer, lower: -3, upper: 10}
      big: {type: integer, lower: -4, upper: 9007199254740993}
      amount: {type: float, lower: -2.5, upper: 500, step: 0.25, unit_total: 700}
      price: {type: float, lower: 0, upper: 100}
      day: {type: date, lower: 2025-01-01, upper: 2025-06-30}
      moment: {type: timestamp, lower: 2025-01-01T00:00:00, upper: 2025-01-03T12:00:00}
      city: {type: text}
      product: {type: integer}
      free: {type: float}
      secret: {type: text, hidden: true}
  regions: {source: shop.duckdb, public: true}
  tags: {source: shop.duckdb, public: true}
  nums: {source: shop.duckdb, public: true}
budgets:
  dataset: {epsilon: 1000, delta: 0.001}
  default: {epsilon: 1000, delta: 0.001, per_query: {epsilon: 0.0001, delta: 0.000000001}}
"""


def write_shop(folder: Path) -> Path:
    """Writes the data and the policy, which pays for a million queries; returns the policy's path."""
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.execute(_T)
        connection.execute(_PUBLIC)
    path = folder / "policy.yaml"
    path.write_text(_POLICY, encoding="utf-8")
    return path
