"""The types of private expressions, and how a policy's column types become them."""

from __future__ import annotations

import enum

from dpsql.policy.model import ColumnType


class SqlType(enum.StrEnum):
    """The logical types of expressions on private rows.

    An INTEGER is a BIGINT in the engine where its range fits, a HUGEINT otherwise. A DOUBLE is finite or NULL,
    always. A DATE or TIMESTAMP lies in the years 1 to 9999. NULL is the type of the bare literal.
    """

    BOOLEAN = "BOOLEAN"
    INTEGER = "BIGINT"
    DOUBLE = "DOUBLE"
    TEXT = "VARCHAR"
    DATE = "DATE"
    TIMESTAMP = "TIMESTAMP"
    INTERVAL = "INTERVAL"
    NULL = "NULL"


NUMERIC = frozenset({SqlType.INTEGER, SqlType.DOUBLE})
TEMPORAL = frozenset({SqlType.DATE, SqlType.TIMESTAMP})

_OF_COLUMN = {
    ColumnType.INTEGER: SqlType.INTEGER,
    ColumnType.FLOAT: SqlType.DOUBLE,
    ColumnType.TEXT: SqlType.TEXT,
    ColumnType.BOOLEAN: SqlType.BOOLEAN,
    ColumnType.DATE: SqlType.DATE,
    ColumnType.TIMESTAMP: SqlType.TIMESTAMP,
}


def sql_type(column_type: ColumnType) -> SqlType:
    """The type that a policy's column has in an expression."""
    return _OF_COLUMN[column_type]


def base_name(engine_type: str) -> str:
    """A DuckDB type without its parameters: `DECIMAL(38,2)` gives `DECIMAL`; a list keeps its brackets."""
    name = engine_type.partition("(")[0]
    return f"{name}[]" if engine_type.endswith("]") and not name.endswith("]") else name
