"""Runs the statements that make tables of units' rows."""

from __future__ import annotations

import duckdb

from dpsql.engines.base import Either, Statement, Weighing
from dpsql.engines.lists.group_weights import weighed


def execute(connection: duckdb.DuckDBPyConnection, statement: Statement) -> None:
    """Runs a statement, in as many passes as its rows ask for, or the one of two that they ask for: nobody is shown."""
    if isinstance(statement, str):
        connection.execute(statement)
        return
    if isinstance(statement, Either):
        found = connection.execute(statement.query).fetchall()
        connection.execute(statement.some if found else statement.none)
        return
    if isinstance(statement, Weighing):
        if weighed(connection, statement):
            return
        statement = statement.by_sql
    rows = 0
    if statement.counted:
        ((rows,),) = connection.execute(statement.counted).fetchall()
    for text in statement.statements(rows):
        connection.execute(text)
