"""Ordinary SQL on private data, answered with differential privacy, through a PEP 249 connection.

A public name is imported when it is first asked for: the command's help, an engine's child and a tool that lists its
dialects import `dpsql` without all that answers a query.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpsql.dbapi import Connection, Cursor, apilevel, connect, paramstyle, refresh, threadsafety
    from dpsql.errors import (
        BudgetExhausted,
        DatabaseError,
        DataError,
        Error,
        IntegrityError,
        InterfaceError,
        InternalError,
        LedgerUnavailable,
        NotSupportedError,
        OperationalError,
        PolicyError,
        ProgrammingError,
        QueryFailed,
        QueryRefused,
        TooManyRows,
        Warning,
        WrongType,
        sentence,
    )
    from dpsql.release.render.type_codes import (
        BINARY,
        DATETIME,
        NUMBER,
        ROWID,
        STRING,
        Binary,
        Date,
        DateFromTicks,
        Time,
        TimeFromTicks,
        Timestamp,
        TimestampFromTicks,
    )
    from dpsql.release.types import (
        BudgetReport,
        Description,
        ExpectedError,
        Explanation,
        Interval95,
        PartReport,
        Released,
        ReleaseReport,
        Span,
    )
    from dpsql.sql.system_tables.reports import ColumnReport, ForeignKey, TableReport

__version__ = "0.1.0"

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "Binary",
    "BudgetExhausted",
    "BudgetReport",
    "ColumnReport",
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Description",
    "Error",
    "ExpectedError",
    "Explanation",
    "ForeignKey",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "Interval95",
    "LedgerUnavailable",
    "NotSupportedError",
    "OperationalError",
    "PartReport",
    "PolicyError",
    "ProgrammingError",
    "QueryFailed",
    "QueryRefused",
    "ReleaseReport",
    "Released",
    "Span",
    "TableReport",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "TooManyRows",
    "Warning",
    "WrongType",
    "__version__",
    "apilevel",
    "connect",
    "paramstyle",
    "refresh",
    "sentence",
    "threadsafety",
]

_HOMES = (
    "dpsql.errors",
    "dpsql.dbapi",
    "dpsql.release.types",
    "dpsql.release.render.type_codes",
    "dpsql.sql.system_tables.reports",
)


def __getattr__(name: str) -> object:
    if name in __all__:
        for home in map(import_module, _HOMES):
            if hasattr(home, name):
                return globals().setdefault(name, getattr(home, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
