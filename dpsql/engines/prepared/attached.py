"""A prepared file in an engine: read-only, beside the tables of the policy that are not prepared; and its lists."""

from __future__ import annotations

import duckdb

from dpsql.algebra.scan import quoted, text_literal
from dpsql.engines.base import LISTS
from dpsql.engines.prepared.manifest import PreparedFile
from dpsql.engines.sqlgen.relation import PREPARED
from dpsql.errors import PolicyError, Problem
from dpsql.policy.model import Policy

_MARK = f'{PREPARED}.main."#mark"'
_SCHEMA = "#lists"
_LISTS = f"{PREPARED}.{quoted(_SCHEMA)}"


def stored_list(table: str) -> str:
    """Where the file has what would be that table of a list."""
    return f"{_LISTS}.{table.removeprefix(f'{LISTS}.')}"


def begin_file(connection: duckdb.DuckDBPyConnection, mark: str) -> None:
    """Writes into a new file by which run it was made, and makes room for lists."""
    connection.execute(f"CREATE SCHEMA {_LISTS}")
    connection.execute(f"CREATE TABLE {_MARK} AS SELECT {text_literal(mark)} AS mark")


def attach(connection: duckdb.DuckDBPyConnection, policy: Policy, file: PreparedFile) -> None:
    """Opens a prepared file for reading. Raises PolicyError where it cannot be read, or is another one by now."""
    try:
        connection.execute(f"ATTACH {text_literal(file.path)} AS {PREPARED} (READ_ONLY, TYPE duckdb)")
        whole = connection.execute(f"SELECT mark FROM {_MARK}").fetchall() == [(file.mark,)]
        begin_lists(connection)
        reason = None if whole else "it was made by another run"
    except duckdb.Error as error:
        reason = str(error).partition("\n")[0]
    if reason is not None:
        message = f"{file.path} cannot be read: {reason}; run `dpsql prepare` again, or with --remove"
        raise PolicyError((Problem(str(policy.path), None, "engine.prepared", message),))


def begin_lists(connection: duckdb.DuckDBPyConnection) -> None:
    """Makes the database of lists, with those of a prepared file alone, in the place of the one that is there."""
    connection.execute(f"DETACH DATABASE IF EXISTS {LISTS}")
    connection.execute(f"ATTACH ':memory:' AS {LISTS} (COMPRESS)")
    for name in _lists_in(connection):
        connection.execute(f"CREATE VIEW {LISTS}.{quoted(name)} AS FROM {_LISTS}.{quoted(name)}")


def _lists_in(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The tables of lists that are in the file."""
    there = f"database_name = '{PREPARED}' AND schema_name = '{_SCHEMA}'"
    return [
        n for (n,) in connection.execute(f"SELECT table_name FROM duckdb_tables() WHERE {there}").fetchall()
    ]
