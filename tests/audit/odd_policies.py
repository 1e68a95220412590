"""Policies that an audit must take as they are; no private source of theirs exists."""

from __future__ import annotations

from pathlib import Path

from fuzz import typed

from dpsql.audit.databases.random_database import Style
from dpsql.audit.sensitivity import Subject, subject
from dpsql.policy.load import load_policy

ROOT = Path(__file__).parents[2]
BUDGETS = """
budgets:
  dataset: {epsilon: 1000, delta: 0.001}
  analysts: {bob: {epsilon: 10, delta: 0.0001, per_query: 1}}
"""
ONE_TEXT = """
version: 1
privacy: {unit: "notes.*"}
tables:
  notes: {source: notes.csv, columns: {note: {type: text}}}
"""
ROWS = """
version: 1
privacy: {unit: "visits.*", neighbours: substitute}
accountant: pure
tables:
  visits:
    source: visits.parquet
    columns:
      stay: {type: float, lower: -0.1, upper: 0.3, step: 0.1, nullable: true}
      at: {type: timestamp, lower: 2024-02-28 23:59:59, upper: 2024-03-01 00:00:01}
"""
ODD_NAMES = """
version: 1
privacy: {unit: "select.group", neighbours: substitute, max_rows_per_unit: 2}
tables:
  select:
    source: rows.csv
    unit_key: group
    columns:
      group: {type: text}
      "a b": {type: integer, lower: -5, upper: 100, nullable: true, unit_total: 150}
      "größe": {type: float, lower: 0.4, upper: 2.6, step: 1}
      'say "x"': {type: text, values: ["it's", "", "ÄÖ"], nullable: true}
      when: {type: timestamp}
      k0: {type: date, lower: 2024-02-29, upper: 2024-03-02}
  s.other:
    source: other.parquet
    unit_key: Group
    one_row_per_unit: true
    columns:
      Group: {type: text, hidden: true}
      flag: {type: boolean, nullable: true}
      m1: {type: integer}
"""
KEYS_ALONE = """
version: 1
privacy: {unit: people.id, max_rows_per_unit: 3}
tables:
  people:
    source: people.duckdb
    unit_key: id
    max_rows_per_unit: 5
    columns:
      id: {type: date}
      day: {type: date}
      seen: {type: timestamp, nullable: true}
  codes: {source: codes.csv, public: true}
"""
PARTS = """
version: 1
privacy: {unit: people.id, max_rows_per_unit: 4}
tables:
  people:
    source: people.parquet
    unit_key: id
    columns:
      id: {type: text}
      since: {type: date, values: [2024-02-29, 2025-01-01], nullable: true, partition: true}
  visits:
    source: visits.duckdb
    unit_key: id
    columns:
      id: {type: text}
      number: {type: integer}
      "Since When": {type: date, values: [2025-01-01, 2024-02-29], partition: true, nullable: true}
      cost: {type: integer, lower: -3, upper: 9}
  notes:
    source: notes.csv
    unit_path: {visit: visits.number}
    max_rows_per_unit: 3
    columns:
      visit: {type: integer}
      mark: {type: integer, values: [1, 2], nullable: true}
"""
PARTS_OF_ROWS = """
version: 1
privacy: {unit: "flags.*", neighbours: substitute}
tables:
  flags:
    source: flags.parquet
    columns:
      flag: {type: boolean, nullable: true, partition: true}
      size: {type: integer, lower: 0, upper: 5}
"""
UNLISTED = """
version: 1
privacy: {unit: notes.author, max_rows_per_unit: 3}
tables:
  notes:
    source: notes.duckdb
    unit_key: author
    columns:
      author: {type: text}
      word: {type: text, nullable: true}
      place: {type: text, values: [north, Abc, south, abc, ""], nullable: true}
      mark: {type: integer, values: [1, 2, 3]}
  words: {source: public.duckdb, public: true}
  codes: {source: public.duckdb, public: true}
  nested: {source: nested.parquet, public: true}
  wide: {source: wide.parquet, public: true}
"""
POLICIES = {
    "one_text": ONE_TEXT + BUDGETS,
    "rows": ROWS + BUDGETS.replace(", delta: 0.001", "").replace(", delta: 0.0001", ""),
    "odd_names": ODD_NAMES + BUDGETS,
    "keys_alone": KEYS_ALONE + BUDGETS,
    "parts": PARTS + BUDGETS,
    "parts_of_rows": PARTS_OF_ROWS + BUDGETS,
    "unlisted": UNLISTED + BUDGETS,
    "cdnow": (ROOT / "policies" / "cdnow.yaml").read_text(encoding="utf-8"),
    "fair": (ROOT / "policies" / "fair.yaml").read_text(encoding="utf-8"),
}


def written(name: str, folder: Path) -> Path:
    """The policy's file in a folder, with its public tables and without its private ones."""
    path = folder / f"{name}.yaml"
    path.write_text(POLICIES[name], encoding="utf-8")
    (folder / "codes.csv").write_text(
        "day,code\n2025-01-01,a\n2025-01-01,b\n2025-02-28,c\n", encoding="utf-8"
    )
    if name == "unlisted":
        typed.write(folder)
    (folder / "occupations.csv").write_text("code,occupation\n1,student\n2,farmer\n", encoding="utf-8")
    return path


def audited(name: str, folder: Path) -> Subject:
    """The policy as the fuzz takes it."""
    return subject(load_policy(written(name, folder)), name, Style())
