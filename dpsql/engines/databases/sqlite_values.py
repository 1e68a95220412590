"""How values of SQLite are read as types of a policy: by the storage class that a value itself has, each alone.

A column of SQLite has no type that binds its values, so nothing is taken from how it is declared, or from other rows.
What is no value of the type is NULL. SQLite passes on what has the right storage class, and DuckDB reads texts as dates
and moments; both do it by expressions that have a value for every value. No two values of a key become one, but those
that SQLite itself takes for equal, as 12 and 12.0.
"""

from __future__ import annotations

from dpsql.algebra.scan import quoted
from dpsql.engines.sources.fields import value_sql
from dpsql.engines.sources.lines import LONGEST
from dpsql.policy.model import ColumnType
from dpsql.policy.table_sources import CsvFormat

_DAY = len("2025-01-31")
_ISO = CsvFormat()

READS = {
    ColumnType.INTEGER: "integer",
    ColumnType.FLOAT: "number",
    ColumnType.TEXT: "text of UTF-8",
    ColumnType.BOOLEAN: "integer 0 or 1",
    ColumnType.DATE: "text such as 2025-01-31",
    ColumnType.TIMESTAMP: "text such as 2025-01-31 10:00:00",
}
"""What a column of a type is read from, in words."""


def stored_sql(name: str, wanted: ColumnType) -> str:
    """For SQLite: the value of a column where its storage class is one that the type is read from, else NULL."""
    value = quoted(name)
    match wanted:
        case ColumnType.INTEGER:
            return f"CASE typeof({value}) WHEN 'integer' THEN {value} WHEN 'real' THEN {_whole(value)} END"
        case ColumnType.FLOAT:
            return f"CASE WHEN typeof({value}) IN ('integer', 'real') THEN CAST({value} AS REAL) END"
        case ColumnType.TEXT | ColumnType.TIMESTAMP:
            # The length as a text would end at the first NUL.
            short = f"length(CAST({value} AS BLOB)) <= {LONGEST}"
            return f"CASE WHEN typeof({value}) = 'text' AND {short} THEN {value} END"
        case ColumnType.BOOLEAN:
            return f"CASE WHEN typeof({value}) = 'integer' AND {value} IN (0, 1) THEN {value} END"
        case ColumnType.DATE:
            # Without blanks around it: two texts would be one day, which may be a key.
            short = f"length(CAST({value} AS BLOB)) = {_DAY}"
            return f"CASE WHEN typeof({value}) = 'text' AND {short} THEN {value} END"


def _whole(value: str) -> str:
    """A REAL as an integer where it is one of 64 bits: SQLite casts others to one near by, and compares exactly."""
    return f"CASE WHEN {value} = CAST({value} AS INTEGER) THEN CAST({value} AS INTEGER) END"


def carried_type(wanted: ColumnType) -> str:
    """The type in DuckDB by which a block of stored values comes."""
    match wanted:
        case ColumnType.INTEGER | ColumnType.BOOLEAN:
            return "BIGINT"
        case ColumnType.FLOAT:
            return "DOUBLE"
        case ColumnType.TEXT | ColumnType.DATE | ColumnType.TIMESTAMP:
            return "VARCHAR"


def read_sql(carried: str, wanted: ColumnType) -> str:
    """For DuckDB: a stored value as one of the type, NULL where it is none."""
    match wanted:
        case ColumnType.DATE | ColumnType.TIMESTAMP:
            return value_sql(_ISO, carried, wanted)
        case ColumnType.BOOLEAN:
            return f"{carried} = 1"
        case ColumnType.INTEGER | ColumnType.FLOAT | ColumnType.TEXT:
            return carried


def text_of(stored: bytes) -> str | None:
    """A TEXT of SQLite, which may be any bytes: None where it is no UTF-8, or has NUL."""
    try:
        text = stored.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
