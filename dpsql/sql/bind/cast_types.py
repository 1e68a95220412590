"""The types that private rows are cast to, by sqlglot's names."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpsql.algebra.types import SqlType

TYPES: Mapping[object, SqlType] = {
    **dict.fromkeys(
        (
            exp.DataType.Type.TINYINT, exp.DataType.Type.SMALLINT, exp.DataType.Type.INT,
            exp.DataType.Type.BIGINT, exp.DataType.Type.INT128,
        ),
        SqlType.INTEGER,
    ),
    **dict.fromkeys((exp.DataType.Type.FLOAT, exp.DataType.Type.DOUBLE), SqlType.DOUBLE),
    **dict.fromkeys((exp.DataType.Type.TEXT, exp.DataType.Type.VARCHAR), SqlType.TEXT),
    exp.DataType.Type.BOOLEAN: SqlType.BOOLEAN,
    exp.DataType.Type.DATE: SqlType.DATE,
    **dict.fromkeys((exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPNTZ), SqlType.TIMESTAMP),
}  # fmt: skip
