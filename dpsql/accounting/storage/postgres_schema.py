"""The ledger's tables in PostgreSQL: the same as SQLite's, in a schema of their own."""

from __future__ import annotations

import re

from dpsql.accounting.storage.sqlite_schema import APPLICATION, FORMAT, NAMES, TABLES

SCHEMA = "dpsql_ledger"
# Text in the order of its bytes, as SQLite has it: hashes depend on it, and a locale's order may change.
TYPES = {"INTEGER": "BIGINT", "BLOB": "BYTEA", "TEXT": 'TEXT COLLATE "C"'}


def _in_postgres(statement: str) -> str:
    return re.sub(r"\b(INTEGER|BLOB|TEXT)\b", lambda word: TYPES[word[0]], statement)


def _guards(table: str) -> tuple[str, str]:
    """No row changes or goes, also where a session pretends to apply replication."""
    return (
        f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION append_only()",
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only",
    )


GUARDED = (*NAMES, "format")

CREATION = (
    f"CREATE SCHEMA {SCHEMA}",
    *map(_in_postgres, TABLES),
    "CREATE TABLE format (application BIGINT NOT NULL, format BIGINT NOT NULL)",
    f"INSERT INTO format VALUES ({APPLICATION}, {FORMAT})",
    "CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$",
    *(statement for table in GUARDED for statement in _guards(table)),
)
