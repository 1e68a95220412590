"""A clinic in three kinds of files, and its policy for either place where engines may run."""

from __future__ import annotations

from pathlib import Path

import duckdb

from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy

_POLICY = """
version: 1
privacy: {{unit: visits.patient, max_rows_per_unit: 3}}
tables:
  visits:
    source: clinic.duckdb
    unit_key: patient
    columns:
      patient: {{type: integer}}
      ward: {{type: text, values: [north, south], nullable: true}}
      cost: {{type: float, lower: 0, upper: 500, step: 0.01}}
      doctor: {{type: integer}}
      day: {{type: date, lower: 2025-01-01, upper: 2025-12-31}}
  stays:
    source: stays.parquet
    unit_key: patient
    columns: {{patient: {{type: integer}}, nights: {{type: integer, lower: 0, upper: 30}}}}
  notes:
    source: notes.csv
    unit_key: patient
    one_row_per_unit: true
    columns: {{patient: {{type: integer}}, note: {{type: text}}}}
  wards: {{source: clinic.duckdb, public: true}}
  kinds: {{source: clinic.duckdb, public: true}}
  many: {{source: clinic.duckdb, public: true}}
budgets:
  dataset: {{epsilon: 100, delta: 1e-3}}
  default: {{epsilon: 90, delta: 1e-4, per_query: {{epsilon: 1, delta: 1e-7}}}}
engine: {{isolation: {isolation}{limits}}}
{more}
"""
_VISITS = """CREATE TABLE visits AS SELECT range % 40 AS patient, ['north', 'south', NULL][1 + range % 3] AS ward,
    range * 1.25 AS cost, range % 7 AS doctor, DATE '2025-01-01' + (range % 300)::INTEGER AS day FROM range(400)"""
_KINDS = """CREATE TABLE kinds AS SELECT 7::HUGEINT AS huge, 1.50::DECIMAL(9, 2) AS price, TIME '10:30:00' AS at,
    TIMESTAMP '2025-01-02 03:04:05.678' AS moment, INTERVAL 3 DAY AS span, 'a\\x00b'::BLOB AS raw, true AS truth,
    uuid '6ba7b810-9dad-11d1-80b4-00c04fd430c8' AS id, [1, NULL] AS list, {'a': 1, 'b': 'x'} AS pair,
    MAP {1: 'y'} AS map, 'infinity'::DOUBLE AS large, 'zoë' AS name"""


def clinic(folder: Path, isolation: str, limits: str = "", more: str = "") -> Policy:
    """The policy over files that are written where they are missing."""
    if not (folder / "clinic.duckdb").exists():
        with duckdb.connect(str(folder / "clinic.duckdb")) as connection:
            connection.execute(_VISITS)
            connection.execute(
                "CREATE TABLE wards AS SELECT * FROM (VALUES ('north', 'old'), ('south', 'new')) v(ward, wing)"
            )
            connection.execute(_KINDS)
            connection.execute(
                "CREATE TABLE many AS SELECT range AS number, range % 7 AS kind FROM range(3000)"
            )
            connection.execute(
                f"COPY (SELECT range % 30 AS patient, range % 9 AS nights FROM range(90)) TO '{folder}/stays.parquet'"
            )
            connection.execute(
                f"COPY (SELECT range AS patient, 'n' || range AS note FROM range(20)) TO '{folder}/notes.csv'"
            )
    name = folder / f"{isolation}{abs(hash((limits, more)))}.yaml"
    text = _POLICY.format(isolation=isolation, limits=limits and f", {limits}", more=more)
    name.write_text(text, encoding="utf-8")
    return load_policy(name)
