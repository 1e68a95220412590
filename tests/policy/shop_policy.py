"""A good policy with one of everything, for tests to load and to break."""

SHOP = """\
# yaml-language-server: $schema=./policy.schema.json
version: 1
privacy:
  unit: customers.customer_id
  neighbours: add_remove           # or substitute
  max_rows_per_unit: 20
tables:
  customers:
    source: shop.duckdb
    unit_key: customer_id
    one_row_per_unit: true         # verified, not believed
    columns:
      customer_id: {type: integer}
      age:     {type: integer, lower: 18, upper: 90}
      country: {type: text, values: [DE, FR, IT], nullable: true}
      email:   {type: text, hidden: true}
  orders:
    source: orders.parquet
    unit_key: customer_id
    max_rows_per_unit: 10
    columns:
      customer_id: {type: integer}
      amount:  {type: float, lower: 0, upper: 500, step: 0.01, unit_total: 2000}
      day:     {type: date, lower: 2025-01-01, upper: 2025-12-31}
      product: {type: integer}
  countries:
    source: countries.csv
    public: true
budgets:
  dataset: {epsilon: 50, delta: 1e-6}
  default: {epsilon: 1, delta: 1e-7, per_query: 0.1}
  analysts:
    alice: {epsilon: 10, delta: 1e-7, per_query: 0.5}
accountant: approx
"""
