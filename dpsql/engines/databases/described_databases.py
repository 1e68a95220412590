"""What a database is made of, for a policy that is being written: names of its tables, and types as they are declared.

No row is looked at. SQLite may hold values of other types than a column is declared with; `dpsql prepare` counts those.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dpsql.engines.databases.snapshots import UnfitDatabase
from dpsql.engines.databases.sqlite_tables import sqlite_snapshot
from dpsql.engines.sources.described import describe_source
from dpsql.engines.sources.files import is_sqlite
from dpsql.errors import PolicyError, Problem
from dpsql.policy.model import ColumnType
from dpsql.policy.rules.sources import DATABASES, SQLITE
from dpsql.policy.skeleton import SourceColumn, SourceTable

_TABLES = r"""SELECT t.name, c.name, c.type FROM main.sqlite_master AS t, pragma_table_xinfo(t.name, 'main') AS c
WHERE t.type = 'table' AND t.rootpage > 0 AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND c.hidden = 0
ORDER BY t.name, c.cid"""
# A type is found by what its name contains, as SQLite itself finds how to store a value; the first that fits counts.
_CONTAINED = (
    ("BOOL", ColumnType.BOOLEAN),
    ("DATETIME", ColumnType.TIMESTAMP),
    ("TIMESTAMP", ColumnType.TIMESTAMP),
    ("DATE", ColumnType.DATE),
    ("INT", ColumnType.INTEGER),
    *((part, ColumnType.TEXT) for part in ("CHAR", "CLOB", "TEXT", "JSON", "UUID")),
    *((part, ColumnType.FLOAT) for part in ("REAL", "FLOA", "DOUB", "NUM", "DEC")),
)


def describe(source: str) -> tuple[SourceTable, ...]:
    """The tables of a file of any kind that is a source: of a SQLite file or its address, by what it declares.

    Raises PolicyError where it cannot be read, and for an address of PostgreSQL, with what to write by hand.
    """
    lowered = source.lower()
    if lowered.startswith(DATABASES):
        raise _mistake(
            "a database",
            "tables of PostgreSQL are not described; write each by hand, its `columns` with their types, under "
            "`source: postgresql://host/database#schema.table`, then run `dpsql prepare`",
        )
    if lowered.startswith(f"{SQLITE}///"):
        return _tables_of_sqlite(source[len(SQLITE) + 3 :])
    return _tables_of_sqlite(source) if is_sqlite(Path(source)) else describe_source(source)


def _tables_of_sqlite(path: str) -> tuple[SourceTable, ...]:
    written = f"{SQLITE}///{path}"
    try:
        with sqlite_snapshot(Path(path).absolute()) as snapshot:
            rows: list[tuple[str, str, str]] = snapshot.database.execute(_TABLES).fetchall()
    except UnfitDatabase as error:
        raise _mistake(path, str(error)) from None
    return tuple(
        SourceTable(name, written, tuple(_columns(rows, name)))
        for name in dict.fromkeys(t for t, _, _ in rows)
    )


def _columns(rows: list[tuple[str, str, str]], table: str) -> Iterator[SourceColumn]:
    for of, name, declared in rows:
        if of == table:
            raw = declared.upper()
            kind = next((kind for part, kind in _CONTAINED if part in raw), None)
            yield SourceColumn(name, kind if raw else ColumnType.TEXT, raw)


def _mistake(place: str, message: str) -> PolicyError:
    return PolicyError((Problem(place, None, "", message),))
