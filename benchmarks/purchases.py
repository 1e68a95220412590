"""The purchases table of the benchmarks, made by DuckDB from row numbers alone, and policies for it.

One person in a hundred owns more than 50 rows and one owns 10,000; the others own about 9 each. Rows are
ordered by day, so that a person's rows are far apart, as in a table that grew over time.

    python benchmarks/purchases.py --rows 1e6
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

import duckdb

REGIONS = (
    "north", "north-east", "east", "south-east", "south",
    "south-west", "west", "north-west", "centre", "islands",
)  # fmt: skip
PRODUCTS = 1_000
ROWS_PER_PERSON = 10
MAX_ROWS_PER_UNIT = 20
GENEROUS_ROWS_PER_UNIT = 1_000
LARGEST_PERSON = 10_000


@dataclass(frozen=True, slots=True)
class Purchases:
    """Where the table is (a DuckDB file, table `purchases`, and a Parquet file) and its policies.

    `per_row`: every row is a person of its own. `per_person`: a query reads at most 20 rows of a person. `per_table`:
    a person has at most 20 rows, whatever is asked. `per_query`: what a person adds is limited by what is found for
    each query, up to 1,000 rows. `of_parquet`: the same policies by these names, over Parquet.
    """

    data: Path
    parquet: Path
    per_row: Path
    per_person: Path
    per_table: Path
    per_query: Path
    of_parquet: dict[str, Path]


def make_purchases(rows: int, folder: Path | None = None) -> Purchases:
    """The table of `rows` rows and a tenth as many people, made once and kept in `folder`."""
    home = (folder or _cache()) / f"purchases-{rows}"
    home.mkdir(parents=True, exist_ok=True)
    data, parquet = home / "purchases.duckdb", home / "purchases.parquet"
    if not data.exists():
        _write_table(data, rows)
    if not parquet.exists():
        _write_parquet(data, parquet)
    unit, key = "  unit: purchases.user_id\n", "    unit_key: user_id\n"
    cap = f"max_rows_per_unit: {MAX_ROWS_PER_UNIT}\n"
    caps = {
        "per_row": ("  unit: purchases.*\n", ""),
        "per_person": (f"{unit}  {cap}", key),
        "per_table": (unit, f"{key}    {cap}"),
        "per_query": (f"{unit}  max_rows_per_unit: {GENEROUS_ROWS_PER_UNIT}\n  clipping: private\n", key),
    }
    stored = {name: _stored(home / f"{name}.yaml", *c, data) for name, c in caps.items()}
    of_parquet = {name: _stored(home / f"{name}_parquet.yaml", *c, parquet) for name, c in caps.items()}
    return Purchases(data, parquet, *stored.values(), of_parquet=of_parquet)


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dpsql-benchmarks"


def _write_table(target: Path, rows: int) -> None:
    people = rows // ROWS_PER_PERSON
    unfinished = target.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    with duckdb.connect(str(unfinished)) as connection:
        connection.execute("CREATE TEMP MACRO coin(x, salt) AS hash(x, salt) / 18446744073709551616.0")
        connection.execute(_owners(rows, people))
        connection.execute(_purchases())
    unfinished.replace(target)


def _write_parquet(data: Path, target: Path) -> None:
    unfinished = target.with_suffix(".unfinished")
    with duckdb.connect(str(data), read_only=True) as connection:
        connection.execute(f"COPY purchases TO '{unfinished}' (FORMAT parquet)")
    unfinished.replace(target)


def _owners(rows: int, people: int) -> str:
    """The owner of each row: person 0, then the active hundredth by rank, then everybody else at random."""
    active = people // 100 - 1
    return f"""
    CREATE TEMP TABLE owners AS
    WITH heavy AS (
        SELECT 0 AS user_id FROM range({LARGEST_PERSON})
        UNION ALL
        SELECT rank AS user_id
        FROM (SELECT range AS rank, unnest(range(51 + CAST(20 * sqrt({active} / range) AS BIGINT)))
              FROM range(1, {active + 1}))
    ), numbered AS (
        SELECT i.range AS row, {active} + 1 + hash(i.range) % {people - active - 1} AS light
        FROM range({rows} - (SELECT count(*) FROM heavy)) AS i
    )
    SELECT user_id::INTEGER AS user_id, row_number() OVER () AS row FROM
    (SELECT user_id FROM heavy UNION ALL SELECT light FROM numbered)
    """


def _purchases() -> str:
    regions = ", ".join(f"'{name}'" for name in REGIONS)
    return f"""
    CREATE TABLE purchases AS
    SELECT user_id,
           [{regions}][1 + (10 * coin(row, 1) ** 1.5)::INTEGER % 10] AS region,
           ({PRODUCTS} * coin(row, 2) ** 2)::INTEGER % {PRODUCTS} AS product,
           18 + (hash(user_id, 3) % 73)::INTEGER AS age,
           1 + (hash(row, 4) % 9)::INTEGER AS quantity,
           round(least(-60 * ln(1 - coin(row, 5)), 500), 2) AS amount,
           DATE '2025-01-01' + (hash(row, 6) % 365)::INTEGER AS day
    FROM owners
    ORDER BY day, hash(row)
    """


def _stored(policy: Path, privacy: str, table: str, source: Path) -> Path:
    policy.write_text(_policy(privacy, table, source), encoding="utf-8")
    return policy


def _policy(privacy: str, table: str, source: Path) -> str:
    """Bounds as an admin would choose them, products unlisted; budgets that no benchmark exhausts."""
    return f"""\
version: 1
privacy:
{privacy}tables:
  purchases:
    source: {source.name}
{table}    columns:
      user_id:  {{type: integer}}
      region:   {{type: text, values: [{", ".join(REGIONS)}]}}
      product:  {{type: integer}}
      age:      {{type: integer, lower: 18, upper: 90}}
      quantity: {{type: integer, lower: 1, upper: 9}}
      amount:   {{type: float, lower: 0, upper: 500, step: 0.01}}
      day:      {{type: date, lower: 2025-01-01, upper: 2025-12-31}}
budgets:
  dataset: {{epsilon: 1000, delta: 0.001}}
  default: {{epsilon: 1000, delta: 0.001, per_query: {{epsilon: 1, delta: 1e-6}}}}
accountant: approx
"""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e6)
    print(make_purchases(int(parser.parse_args().rows)).data)
