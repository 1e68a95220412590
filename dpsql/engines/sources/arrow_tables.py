"""Frames of any library as Arrow tables of plain types, and a digest of what is in them.

Nothing is guessed: an object of a pandas column is a value of the type that the policy gives the column, or NULL, and
no row has a say in how another one is read.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from dpsql.policy.model import Column, ColumnType, Table
from dpsql.policy.names import name_mistake
from dpsql.slotted import dataclass

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]
    import pyarrow  # type: ignore[import-untyped]

_AT_ONCE = 1 << 16
_ROWS_OF_GROUP = 1 << 17
_LEAST, _MOST = -(2**63), 2**63 - 1
_PER_UNIT = {"s": 1_000_000, "ms": 1_000}
_HALVES = re.compile("[\ud800-\udfff]")


class UnfitFrame(Exception):
    """A frame cannot be read as the policy says; the text is for whoever handed it over."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """The names of a frame's columns, and how one of them is read, by its place and as the policy lists it."""

    names: tuple[object, ...]
    read: Callable[[int, Column | None], pyarrow.ChunkedArray]


def arrow_table(frame: object, table: Table) -> pyarrow.Table:
    """The listed columns of a frame in plain types; of a public table that lists none, all that have such a type.

    Raises UnfitFrame.
    """
    try:
        import pyarrow
    except ImportError:
        raise UnfitFrame("a frame is read by pyarrow: pip install 'dpsql[arrow]'") from None
    found = _of_pandas(frame, pyarrow) if _is_pandas(frame) else _of_stream(frame, pyarrow)
    columns = {}
    for at, name, column in _wanted(found.names, table):
        try:
            values = _plain(found.read(at, column), pyarrow)
            if pyarrow.types.is_null(values.type) and column is not None:
                values = values.cast(_type_of(column.type, pyarrow))
        except (pyarrow.ArrowException, ValueError, TypeError, OverflowError):
            kind = column.type.value if column is not None else "one type"
            raise UnfitFrame(f"the frame's column {name} cannot be read as {kind}") from None
        if _is_kept(values.type, pyarrow.types):
            columns[name] = values
        elif column is not None:
            raise UnfitFrame(
                f"the frame's column {name} is {values.type}, which cannot be read as {column.type}"
            )
    return pyarrow.table(columns).combine_chunks()


def write_copy(table: pyarrow.Table, path: Path) -> None:
    """Writes a table to a Parquet file that is there. Raises UnfitFrame."""
    import pyarrow
    from pyarrow import parquet

    try:
        with path.open("wb") as file:
            parquet.write_table(
                table, file, row_group_size=_ROWS_OF_GROUP, store_schema=False, compression="none"
            )
    except (OSError, pyarrow.ArrowException) as error:
        raise UnfitFrame(f"the frame cannot be copied: {str(error).partition(chr(10))[0]}") from None


def content_of_table(table: pyarrow.Table) -> str:
    """BLAKE2b of names, types and values, whichever library they came from and however it keeps them in memory."""
    import pyarrow

    digest = hashlib.blake2b(digest_size=32)
    digest.update(repr([(field.name, str(field.type)) for field in table.schema]).encode())
    for batch in table.to_batches(max_chunksize=_AT_ONCE):
        for column in batch.columns:
            digest.update(len(column).to_bytes(8, "little"))
            for piece in _pieces(column, pyarrow):
                digest.update(piece)
    return digest.hexdigest()


def _pieces(column: pyarrow.Array, arrow: ModuleType) -> Iterator[bytes]:
    """Where there are NULLs, and the values, with one and the same value in the place of every NULL."""
    kind = column.type
    yield column.is_null().to_numpy(zero_copy_only=False).tobytes()
    if arrow.types.is_large_string(kind):
        filled = column.fill_null("")
        yield arrow.compute.binary_length(filled).to_numpy(zero_copy_only=False).tobytes()
        yield "".join(filled.to_pylist()).encode()
    elif arrow.types.is_decimal(kind):
        yield "\0".join(map(str, column.to_pylist())).encode()
    elif arrow.types.is_boolean(kind):
        yield column.fill_null(False).to_numpy(zero_copy_only=False).tobytes()
    elif arrow.types.is_temporal(kind):
        whole = arrow.int32() if arrow.types.is_date(kind) else arrow.int64()
        yield column.cast(whole).fill_null(0).to_numpy(zero_copy_only=False).tobytes()
    else:
        yield column.fill_null(0).to_numpy(zero_copy_only=False).tobytes()


def _wanted(names: tuple[object, ...], table: Table) -> list[tuple[int, str, Column | None]]:
    """The columns that are read: the place of each, its name and how the policy lists it. Raises UnfitFrame."""
    places: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        if isinstance(name, str) and name_mistake(name) is None:
            places.setdefault(name.lower(), []).append(at)
    listed = {c.name.lower(): c for c in table.source_columns}
    read = [name for name in (listed or places) if name in places]
    twice = next((name for name in read if len(places[name]) > 1), None)
    if twice is not None:
        raise UnfitFrame(f"the frame has two columns {twice}")
    if not read:
        raise UnfitFrame("the frame has none of the columns")
    return [
        (places[n][0], listed[n].name if listed else str(names[places[n][0]]), listed.get(n)) for n in read
    ]


def _is_pandas(frame: object) -> bool:
    loaded = sys.modules.get("pandas")
    return loaded is not None and isinstance(frame, loaded.DataFrame)


def _of_stream(frame: object, arrow: ModuleType) -> _Frame:
    """A table of any library that speaks Arrow."""
    if not hasattr(frame, "__arrow_c_stream__"):
        kind = type(frame).__name__
        raise UnfitFrame(
            f"a frame is a table of pyarrow, pandas or polars, not {kind}; collect a lazy one first"
        )
    try:
        made = arrow.RecordBatchReader.from_stream(frame).read_all()
        made.validate(full=True)
    except (arrow.ArrowException, ValueError, TypeError):
        raise UnfitFrame("the frame cannot be read: it is no table, or a text in it is damaged") from None
    return _Frame(tuple(made.column_names), lambda at, column: made.column(at))


def _of_pandas(frame: pandas.DataFrame, arrow: ModuleType) -> _Frame:
    """A frame of pandas: what it takes for missing is NULL, NaN included; its index is no column."""

    def read(at: int, column: Column | None) -> pyarrow.ChunkedArray:
        return _of_series(frame.iloc[:, at], column, arrow)

    return _Frame(tuple(frame.columns), read)


def _of_series(series: pandas.Series, column: Column | None, arrow: ModuleType) -> pyarrow.ChunkedArray:
    if series.dtype == "category":
        kinds, codes = series.cat.categories.to_series(), series.cat.codes.to_numpy()
        words = _of_series(kinds if len(kinds) else kinds.astype(object), column, arrow)
        return words.take(arrow.array(codes, mask=codes < 0))  # a missing value has no category
    if series.dtype == object:
        return _of_objects(series, column.type if column is not None else ColumnType.TEXT, arrow)
    if (
        getattr(series.dtype, "storage", None) == "python"
    ):  # texts of Python's, half surrogate pairs among them
        return _of_objects(series, ColumnType.TEXT, arrow)
    if isinstance(series.dtype, np.dtype):
        return arrow.chunked_array([arrow.array(series.to_numpy(), mask=series.isna().to_numpy())])
    made = arrow.array(series.array)
    made = arrow.chunked_array([made]) if isinstance(made, arrow.Array) else made
    return _without_nan(made, arrow) if arrow.types.is_floating(made.type) else made


def _without_nan(column: pyarrow.ChunkedArray, arrow: ModuleType) -> pyarrow.ChunkedArray:
    return arrow.compute.if_else(arrow.compute.is_nan(column), arrow.scalar(None, column.type), column)


def _of_objects(objects: pandas.Series, kind: ColumnType, arrow: ModuleType) -> pyarrow.ChunkedArray:
    values = [_of_object(v, kind) for v in objects]
    return arrow.chunked_array([arrow.array(values, type=_type_of(kind, arrow))])


def _type_of(kind: ColumnType, arrow: ModuleType) -> pyarrow.DataType:
    types = {
        ColumnType.INTEGER: arrow.int64(),
        ColumnType.FLOAT: arrow.float64(),
        ColumnType.TEXT: arrow.large_string(),
        ColumnType.BOOLEAN: arrow.bool_(),
        ColumnType.DATE: arrow.date32(),
        ColumnType.TIMESTAMP: arrow.timestamp("us"),
    }
    return types[kind]


def _of_object(value: object, kind: ColumnType) -> object:
    """An object of Python as a value of a type, None where it is none; each is looked at by itself."""
    match kind:
        case ColumnType.TEXT:
            return value if isinstance(value, str) and _HALVES.search(value) is None else None
        case ColumnType.BOOLEAN:
            return bool(value) if isinstance(value, bool | np.bool_) else None
        case ColumnType.INTEGER:
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                return None
            return value if _LEAST <= int(value) <= _MOST else None
        case ColumnType.FLOAT:
            return _float(value)
        case ColumnType.DATE:
            return value if isinstance(value, date) and not isinstance(value, datetime) else None
        case ColumnType.TIMESTAMP:
            return _moment(value) if isinstance(value, datetime) and value == value else None


def _float(value: object) -> float | None:
    """NaN is none, as everywhere in pandas; so is a whole number that no float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if number == number else None


def _moment(value: datetime) -> datetime | None:
    """A moment to the microsecond; one with a zone in UTC."""
    try:
        there = value.astimezone(UTC) if value.tzinfo is not None else value
        clock = there.hour, there.minute, there.second, there.microsecond
        return datetime(there.year, there.month, there.day, *clock)
    except (OverflowError, ValueError):
        return None


def _plain(column: pyarrow.ChunkedArray, arrow: ModuleType) -> pyarrow.ChunkedArray:
    """A column in a type that a file keeps as it is and engines read; of any other type it is left alone."""
    kind, types = column.type, arrow.types
    if isinstance(kind, arrow.BaseExtensionType):
        return _plain(column.cast(kind.storage_type), arrow)
    if types.is_dictionary(kind):
        return _decoded(column, arrow)
    if types.is_string(kind) or types.is_string_view(kind):
        return column.cast(arrow.large_string())
    if types.is_float16(kind):
        return column.cast(arrow.float32())
    if types.is_timestamp(kind) and kind.tz is not None:
        return _plain(column.cast(arrow.timestamp(kind.unit)), arrow)  # Arrow keeps the moment in UTC
    if types.is_timestamp(kind) and kind.unit in _PER_UNIT:
        return _in_microseconds(column, _PER_UNIT[kind.unit], arrow)
    if types.is_date64(kind):
        return column.cast(arrow.date32())
    return column


def _in_microseconds(column: pyarrow.ChunkedArray, per_unit: int, arrow: ModuleType) -> pyarrow.ChunkedArray:
    """Moments that are counted more coarsely; one that is too far for microseconds moves to its nearest end."""
    compute, furthest = arrow.compute, _MOST // per_unit
    inside = compute.min_element_wise(column.cast(arrow.int64()), furthest, skip_nulls=False)
    inside = compute.max_element_wise(inside, -furthest, skip_nulls=False)
    return compute.multiply(inside, per_unit).cast(arrow.timestamp("us"))


def _decoded(column: pyarrow.ChunkedArray, arrow: ModuleType) -> pyarrow.ChunkedArray:
    """The values of a column that keeps them in a dictionary for each piece."""
    empty = _plain(arrow.chunked_array([], type=column.type.value_type), arrow)
    words = [_plain(arrow.chunked_array([piece.dictionary]), arrow) for piece in column.chunks]
    taken = [w.take(p.indices).combine_chunks() for w, p in zip(words, column.chunks, strict=True)]
    return arrow.chunked_array(taken, type=empty.type)


def _is_kept(kind: pyarrow.DataType, types: ModuleType) -> bool:
    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_large_string)
    moments = (types.is_date32, types.is_timestamp, types.is_decimal128)
    return any(test(kind) for test in (*tests, *moments))
