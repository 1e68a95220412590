"""An answer as an Arrow table or a frame of pandas or polars; types follow the answer's columns, never its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dpsql.algebra.types import base_name
from dpsql.engines.base import OutputColumn, Row
from dpsql.engines.column_rows import column_values
from dpsql.errors import DataError, InterfaceError, NotSupportedError
from dpsql.release.render.type_codes import decimal_shape

if TYPE_CHECKING:
    from types import ModuleType

    import pandas  # type: ignore[import-untyped]
    import polars
    import pyarrow  # type: ignore[import-untyped]

_ARROW = {
    "BOOLEAN": "bool", "TINYINT": "int8", "SMALLINT": "int16", "INTEGER": "int32", "BIGINT": "int64",
    "UTINYINT": "uint8", "USMALLINT": "uint16", "UINTEGER": "uint32", "UBIGINT": "uint64",
    "FLOAT": "float32", "DOUBLE": "float64", "VARCHAR": "string", "ENUM": "string", "UUID": "string",
    "JSON": "string", "BLOB": "binary", "DATE": "date32", "TIME": "time64[us]", "TIMESTAMP": "timestamp[us]",
    "TIMESTAMP_S": "timestamp[s]", "TIMESTAMP_MS": "timestamp[ms]", "TIMESTAMP_NS": "timestamp[ns]",
    '"NULL"': "null", "NULL": "null",
}  # fmt: skip
_PANDAS = {
    "BOOLEAN": "boolean", "TINYINT": "Int8", "SMALLINT": "Int16", "INTEGER": "Int32", "BIGINT": "Int64",
    "UTINYINT": "UInt8", "USMALLINT": "UInt16", "UINTEGER": "UInt32", "UBIGINT": "UInt64",
    "HUGEINT": "float64", "UHUGEINT": "float64", "DECIMAL": "float64",
    "DOUBLE": "float64", "FLOAT": "float32",
    "VARCHAR": "string", "ENUM": "string", "UUID": "string", "JSON": "string",
    "DATE": "datetime64[us]", "TIMESTAMP": "datetime64[us]", "TIMESTAMP_S": "datetime64[s]",
    "TIMESTAMP_MS": "datetime64[ms]", "TIMESTAMP_NS": "datetime64[ns]", "INTERVAL": "timedelta64[us]",
}  # fmt: skip
_TEXT = frozenset({"VARCHAR", "ENUM", "UUID", "JSON"})


def arrow_library() -> ModuleType:
    """The module pyarrow; InterfaceError where it is not installed."""
    try:
        import pyarrow
    except ImportError:
        raise InterfaceError("Arrow tables need pyarrow: pip install 'dpsql[arrow]'") from None
    return pyarrow  # type: ignore[no-any-return]


def to_arrow(columns: Sequence[OutputColumn], rows: Sequence[Row]) -> pyarrow.Table:
    """The answer as an Arrow table; HUGEINT becomes decimal128(38, 0), as in DuckDB.

    Raises `InterfaceError` without pyarrow, `NotSupportedError` for a type that has no Arrow type here, and
    `DataError` for a HUGEINT of more than 38 digits.
    """
    pyarrow = arrow_library()
    schema = pyarrow.schema([(c.name, _arrow_type(c)) for c in columns])
    try:
        arrays = [pyarrow.array(_values(c.type, i, rows), type=_arrow_type(c)) for i, c in enumerate(columns)]
    except pyarrow.ArrowInvalid as error:
        raise DataError(f"a value does not fit its Arrow type: {error}") from None
    return pyarrow.Table.from_arrays(arrays, schema=schema)


def to_frame(columns: Sequence[OutputColumn], rows: Sequence[Row]) -> pandas.DataFrame:
    """The answer as a pandas frame.

    Integers, booleans and text take pandas' nullable types; HUGEINT and DECIMAL become float64, as in
    DuckDB's frames (fetched rows and Arrow tables keep them exact). Raises `InterfaceError` without pandas.
    """
    try:
        import pandas
    except ImportError:
        raise InterfaceError("frames need pandas: pip install 'dpsql[pandas]'") from None
    frame = pandas.concat(
        [
            pandas.Series(
                _values(c.type, i, rows, floats=True), dtype=_PANDAS.get(base_name(c.type), "object")
            )
            for i, c in enumerate(columns)
        ],
        axis=1,
    )
    frame.columns = pandas.Index([c.name for c in columns])
    return frame


def to_polars(columns: Sequence[OutputColumn], rows: Sequence[Row]) -> polars.DataFrame:
    """The answer as a polars frame, made of its Arrow table.

    Raises `InterfaceError` without polars or pyarrow, and `NotSupportedError` for two columns of one name and for types
    that polars has not.
    """
    try:
        import polars
        import pyarrow  # noqa: F401
    except ImportError:
        raise InterfaceError("polars frames need polars and pyarrow: pip install 'dpsql[polars]'") from None
    if len({c.name for c in columns}) < len(columns):
        raise NotSupportedError("a polars frame has each name once; give the columns names with AS")
    table = to_arrow(columns, rows)
    try:
        frame = polars.from_arrow(table)
    except (polars.exceptions.PolarsError, NotImplementedError, BaseExceptionGroup):
        frame = None
    if not isinstance(frame, polars.DataFrame):
        raise NotSupportedError("a column of the answer has a type that polars has not; CAST it to text")
    return frame


def _arrow_type(column: OutputColumn) -> pyarrow.DataType:
    import pyarrow

    if column.type.endswith("[]"):
        return pyarrow.list_(_arrow_type(replace(column, type=column.type.removesuffix("[]"))))
    if shape := decimal_shape(column.type):
        return pyarrow.decimal128(*shape)
    match name := base_name(column.type):
        case "HUGEINT" | "UHUGEINT":
            return pyarrow.decimal128(38, 0)
        case "TIMESTAMP WITH TIME ZONE":
            return pyarrow.timestamp("us", tz="UTC")
        case "INTERVAL":
            return pyarrow.month_day_nano_interval()
        case _ if name in _ARROW:
            return pyarrow.type_for_alias(_ARROW[name])
    raise NotSupportedError(
        f'column "{column.name}" of type {column.type} has no Arrow type; fetch its rows instead'
    )


def _values(kind: str, at: int, rows: Sequence[Row], *, floats: bool = False) -> list[object]:
    """One column's values; UUIDs as text, and, for frames, wide integers and decimals as floats."""
    name = base_name(kind)
    values = column_values(rows, at)
    if name in _TEXT:
        return [None if v is None else str(v) for v in values]
    if floats and _PANDAS.get(name) == "float64":
        return [None if v is None else float(str(v)) for v in values]
    return values
