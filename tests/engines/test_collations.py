"""Text is compared byte by byte, whatever collation its source has: who owns a row does not hang on it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.policy.load import load_policy
from dpsql.session import build_session

POLICY = """version: 1
privacy: {unit: people.name, max_rows_per_unit: 9}
accountant: pure
tables:
  people: {source: d.duckdb, one_row_per_unit: true, columns: {name: {type: text}}}
  trips: {source: d.duckdb, unit_key: name, columns: {name: {type: text}, code: {type: text}}}
  parcels: {source: d.duckdb, unit_path: {of: trips.code}, columns: {of: {type: text}}}
budgets: {dataset: {epsilon: 1000}, default: {epsilon: 1000, per_query: 1}}
"""


@pytest.mark.one_in(6)
@pytest.mark.parametrize("people", ["", "COLLATE NOCASE", "COLLATE NFC"])
@pytest.mark.parametrize("parcels", ["", "COLLATE NOCASE"])
def test_rows_that_a_collation_holds_equal_keep_their_own_owners(
    people: str, parcels: str, tmp_path: Path
) -> None:
    with closing(duckdb.connect(str(tmp_path / "d.duckdb"))) as source:
        source.execute(f"CREATE TABLE people (name VARCHAR {people})")
        source.execute("CREATE TABLE trips (name VARCHAR, code VARCHAR)")
        source.execute(f'CREATE TABLE parcels ("of" VARCHAR {parcels})')
        source.execute("INSERT INTO people VALUES ('a'), ('b')")
        source.execute("INSERT INTO trips VALUES ('a', 'x'), ('A', 'X'), ('b', 'y')")
        source.execute("INSERT INTO parcels VALUES ('X'), ('x '), ('y')")
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    policy = load_policy(tmp_path / "policy.yaml")
    with closing(build_session(policy, "a", None, (None, None), Noiseless())) as session:

        def count(rows: str) -> object:
            return session.answer(f"SELECT COUNT(*) FROM {rows}").rows[0][0]

        assert count("parcels") == 2
        assert count('trips JOIN parcels ON code = parcels."of"') == 2
        assert count("people JOIN trips ON people.name = trips.name") == 2
        assert count("people WHERE name IN (SELECT name FROM trips WHERE name = people.name)") == 2
