"""What a child process may say to its parent, as bytes: plain values and integers, and nothing that could run.

A child holds an engine that reads what a hostile analyst wrote. So its replies are taken for a stranger's: JSON and raw
64-bit integers, of bounded size, which become values of the types listed here and of no other. (Pickle is not used, not
even restricted: its own opcodes can be made to take memory without end.)
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import MappingProxyType, NoneType
from typing import Any, Final
from uuid import UUID

import numpy as np
import numpy.typing as npt

from dpsql.engines.codecs.column_codec import coded_columns, columns_in, texts_in
from dpsql.engines.column_rows import ColumnRows
from dpsql.slotted import dataclass

_HEAD = 16
_WORD = np.dtype("<i8")
_DOUBLE = np.dtype("<f8")
_DOUBLES: Final = "doubles"
_DAYS: Final = "date"
_COLUMNS: Final = "columns"
_PLAIN: Final = frozenset({NoneType, bool, int, float, str})

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Most:
    """The longest JSON of a reply, and the most 64-bit integers beside it; texts of long columns count as JSON.

    Values of JSON can take some twenty times as much memory in the parent.
    """

    text: int = 64 * 2**20
    integers: int = 64 * 2**20


USUAL: Final = Most()
_UNLIMITED: Final = 2**36


def most_of(kind: str, memory: int | None) -> Most:
    """What a child may say of its engine: of the "private" one, as much as fits into its own memory.

    Less would tell by a failure how many groups there are, to the byte: an analyst can lengthen each key at will.
    """
    if kind != "private":
        return USUAL
    size = memory if memory is not None else _UNLIMITED
    return Most(size, size // _WORD.itemsize)


class Malformed(Exception):
    """The bytes are no reply."""


class TooLarge(Exception):
    """A reply would be larger than a reply may be."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a child answers: how it went, a value of JSON's types, rows, and integers of any shape; None for none.

    Cells of rows are None, bool, int, float, str, bytes, date, datetime, time, timedelta, Decimal, UUID, or lists,
    tuples and dicts of them. Rows that are held as columns stay so; they have no integers beside them.
    """

    status: str
    value: Any = None
    rows: Sequence[Sequence[object]] | None = None
    integers: npt.NDArray[np.int64] | None = None


def encode(reply: Reply, most: Most = USUAL) -> bytes:
    """The bytes of a reply: two lengths, the JSON, the integers. Raises TooLarge, and TypeError for other types."""
    if isinstance(reply.rows, ColumnRows):
        heads, raw = coded_columns(reply.rows)
        if texts_in(heads) > most.text:
            raise TooLarge
        return _framed([reply.status, reply.value, [len(reply.rows), _COLUMNS, heads], None], raw, most)
    raw = b"" if reply.integers is None else np.ascontiguousarray(reply.integers, dtype=_WORD).tobytes()
    shape = None if reply.integers is None else list(reply.integers.shape)
    rows = (
        None if reply.rows is None else [len(reply.rows), [_column(c) for c in zip(*reply.rows, strict=True)]]
    )
    return _framed([reply.status, reply.value, rows, shape], raw, most)


def _framed(reply: list[object], raw: bytes, most: Most) -> bytes:
    text = json.dumps(reply, ensure_ascii=False, separators=(",", ":"))
    coded = text.encode("utf-8", "surrogatepass")
    if len(coded) > most.text or len(raw) > most.integers * _WORD.itemsize:
        raise TooLarge
    return len(coded).to_bytes(8, "little") + len(raw).to_bytes(8, "little") + coded + raw


def lengths(head: bytes, most: Most = USUAL) -> tuple[int, int]:
    """How many bytes of JSON and of integers follow a head of `_HEAD` bytes. Raises Malformed above the bounds."""
    text, raw = int.from_bytes(head[:8], "little"), int.from_bytes(head[8:], "little")
    if len(head) != _HEAD or text > most.text or raw > most.integers * _WORD.itemsize:
        raise Malformed("a reply is larger than a reply may be")
    return text, raw


def decode(text: bytes | bytearray, raw: bytes | bytearray, most: Most = USUAL) -> Reply:
    """The reply in these bytes, whoever wrote them. Raises Malformed and nothing else, whatever they are."""
    try:
        status, value, rows, shape = json.loads(text.decode("utf-8", "surrogatepass"))
        if not isinstance(status, str):
            raise Malformed("a reply has no status")
        if isinstance(rows, list) and len(rows) == 3:
            return Reply(status, value, _column_rows(raw, most, *rows))
        return Reply(status, value, None if rows is None else _rows(*rows), _integers(raw, shape))
    except Malformed:
        raise
    except Exception:
        pass
    raise Malformed("a reply cannot be read")


def _integers(raw: bytes | bytearray, shape: object) -> npt.NDArray[np.int64] | None:
    if shape is None:
        return None
    if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in shape):
        raise Malformed("a reply has no shape")
    return np.frombuffer(raw, dtype=_WORD).reshape(shape)


def _column_rows(
    raw: bytes | bytearray, most: Most, count: int, kind: str, heads: list[list[Any]]
) -> ColumnRows:
    if kind != _COLUMNS or texts_in(heads) > most.text:
        raise Malformed("a reply has other columns than it may have")
    return columns_in(count, heads, raw)


def _rows(count: int, columns: list[list[Any]]) -> Rows:
    """The rows of columns that each have `count` values; without a column there is at most one row."""
    values = [_cells(*column) for column in columns]
    if any(len(v) != count for v in values) or (not values and count not in (0, 1)):
        raise Malformed("the columns of a reply differ in length")
    return list(zip(*values, strict=True)) if values else [()] * count


def _column(cells: Sequence[object]) -> list[object]:
    """A column as numbers in binary, by its one type, as plain values, or each value with its type."""
    kinds = set(map(type, cells))
    if kinds == {float}:  # digits would take ten times as long, on both sides
        return [_DOUBLES, base64.b64encode(np.array(cells, dtype=_DOUBLE).tobytes()).decode("ascii")]
    if kinds <= _PLAIN:
        return ["plain", cells]
    kinds.discard(NoneType)
    name, code = _CODES.get(next(iter(kinds)), ("", str)) if len(kinds) == 1 else ("", str)
    if name == _DAYS:
        return [name, _each(code, cells)]
    if name:
        return [name, [None if cell is None else code(cell) for cell in cells]]
    return ["mixed", [_coded(cell) for cell in cells]]


def _cells(kind: str, cells: list[Any]) -> list[object]:
    if kind == _DOUBLES:
        return _doubles(cells)
    if kind == "plain":
        if not set(map(type, cells)) <= _PLAIN:
            raise Malformed("a plain cell is not plain")
        return cells
    if kind == "mixed":
        return [_decoded(cell) for cell in cells]
    read = _READERS[kind]
    if kind == _DAYS:
        return _each(read, cells)
    return [None if cell is None else read(cell) for cell in cells]


def _doubles(text: Any) -> list[object]:
    return list(np.frombuffer(base64.b64decode(text, validate=True), dtype=_DOUBLE).tolist())


def _each(change: Callable[[Any], object], cells: Sequence[Any]) -> list[object]:
    """The cells changed, equal ones once: a long column of days has few."""
    made = {cell: None if cell is None else change(cell) for cell in set(cells)}
    return [made[cell] for cell in cells]


def _coded(value: Any) -> object:
    """A value in JSON: plain ones as they are, all others as a list of their kind and their content."""
    if type(value) in _PLAIN:
        return value
    if type(value) in (list, tuple):
        return [type(value).__name__, [_coded(v) for v in value]]
    if type(value) is dict:
        return ["dict", [[_coded(k), _coded(v)] for k, v in value.items()]]
    name, code = _CODES[type(value)]
    return [name, code(value)]


def _decoded(coded: Any) -> object:
    if type(coded) in _PLAIN:
        return coded
    kind, content = coded
    if kind == "list":
        return [_decoded(v) for v in content]
    if kind == "tuple":
        return tuple(_decoded(v) for v in content)
    if kind == "dict":
        return {_decoded(k): _decoded(v) for k, v in content}
    return _READERS[kind](content)


_Code = Callable[[Any], object]
# How the values of a type are written, and read.
_BOTH_WAYS: Final = MappingProxyType[type, tuple[_Code, _Code]](
    {
        date: (date.isoformat, date.fromisoformat),
        datetime: (datetime.isoformat, datetime.fromisoformat),
        time: (time.isoformat, time.fromisoformat),
        timedelta: (lambda v: [v.days, v.seconds, v.microseconds], lambda parts: timedelta(*parts)),
        Decimal: (str, Decimal),
        UUID: (str, UUID),
        bytes: (
            lambda value: base64.b64encode(value).decode("ascii"),
            lambda text: base64.b64decode(text, validate=True),
        ),
    }
)
_CODES: Final = {kind: (kind.__name__.lower(), code) for kind, (code, _) in _BOTH_WAYS.items()}
_READERS: Final = {kind.__name__.lower(): read for kind, (_, read) in _BOTH_WAYS.items()}
