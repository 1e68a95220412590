"""JSON files, row by row: an object of a line, or of an array, becomes the texts of its listed fields.

Nothing is guessed: a field has the type that the policy gives its column, or no value. What one object holds changes
how no other is read. In a `.json` file the objects of one array are told apart by brackets and quotes alone, so that a
number that no reader takes, or a name that stands twice, is the matter of its own object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NoReturn

from dpsql.engines.sources.fields import value_sql
from dpsql.engines.sources.lines import LONGEST, TextMistake, text_blocks, whole_file
from dpsql.policy.model import Column, ColumnType
from dpsql.policy.table_sources import CsvFormat, Source, SourceKind
from dpsql.slotted import dataclass

_ROWS = 20_000
_ISO = CsvFormat()
_MISFIT = "\0"
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9:.]+Z?)?$")
_DAY = len("2025-01-31")
_SPACE = " \t\r\n"
# What may end or nest an element: the text between is passed over at once.
_MARKS = re.compile(r'["\[\]{},]')
_TEXT_END = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
DEEPEST = 64
"""How many brackets may stand within one another; an object that is deeper is malformed."""
_HALVES = re.compile("[\ud800-\udfff]")
_UNTOLD = "is not one JSON array of objects: brackets or quotes do not close"

_NUMBERS = (ColumnType.INTEGER, ColumnType.FLOAT)
_TEXTS = (ColumnType.TEXT, ColumnType.DATE, ColumnType.TIMESTAMP)

JSON = (SourceKind.JSON, SourceKind.JSON_LINES)
"""The kinds of files that are read here."""

Fields = list[str | None] | None


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


class _Object(list[tuple[str, object]]):
    """The fields of an object in order, with those that stand twice."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class OpenJson:
    """A file of objects: each block is a list of rows, a row the texts of the columns or None where it is malformed."""

    columns: tuple[Column, ...]
    blocks: Iterator[object]

    @property
    def shape(self) -> str:
        """What a sound row is made of, in words."""
        return "JSON that can be read"

    def find(self, columns: Sequence[Column]) -> tuple[tuple[int, Column], ...]:
        """The columns that are read, each with its place; an object that lacks a field has no value there."""
        places = {column.name: at for at, column in enumerate(self.columns)}
        return tuple((places[c.name], c) for c in columns if c.name in places)

    def values(self, columns: Sequence[tuple[int, Column]]) -> str:
        """Of every row `sound`, and for each column its text `t<i>` and its value `c<i>`."""
        texts = "".join(f", f[{at + 1}] AS t{i}" for i, (at, _) in enumerate(columns))
        values = "".join(f", {_value(f't{i}', c.type)} AS c{i}" for i, (_, c) in enumerate(columns))
        rows = "SELECT unnest(CAST($1 AS VARCHAR[][])) AS f"
        return f"SELECT *{values} FROM (SELECT f IS NOT NULL AS sound{texts} FROM ({rows}))"


def open_json(source: Source, columns: tuple[Column, ...]) -> OpenJson:
    """The file, of which these columns are read. Raises OSError; its blocks raise OSError and TextMistake."""
    listed = {column.name.lower(): (at, column) for at, column in enumerate(columns)}
    rows = (_fields(text, listed) for text in _objects(source))
    return OpenJson(columns, iter(lambda: list(islice(rows, _ROWS)), []))


def sampled_fields(source: Source, rows: int) -> dict[str, frozenset[ColumnType]]:
    """The fields of a file's first objects, and the types that all of their values have, for a policy to begin with.

    Raises OSError and TextMistake.
    """
    kinds: dict[str, frozenset[ColumnType]] = {}
    for text in islice(_objects(source), rows):
        for name, value in _parsed(text) or ():
            if value is not None:
                kinds[name] = kinds.get(name, frozenset(ColumnType)) & _types_of(value)
            else:
                kinds.setdefault(name, frozenset(ColumnType))
    return kinds


def _types_of(value: object) -> frozenset[ColumnType]:
    """The types that a value could have by how it is written."""
    if isinstance(value, _Number):
        whole = value.lstrip("-").isdigit()
        return frozenset({ColumnType.FLOAT, ColumnType.INTEGER} if whole else {ColumnType.FLOAT})
    if isinstance(value, bool):
        return frozenset({ColumnType.BOOLEAN})
    if not isinstance(value, str):
        return frozenset()
    kinds = {ColumnType.TEXT, ColumnType.TIMESTAMP} if _MOMENT.match(value) else {ColumnType.TEXT}
    return frozenset(
        {*kinds, ColumnType.DATE} if len(value) == _DAY and kinds != {ColumnType.TEXT} else kinds
    )


def elements(text: str) -> Iterator[str]:
    """The texts of the elements of an array, told apart by brackets and quotes. Raises TextMistake."""
    body = text.strip(_SPACE)
    if not body.startswith("["):
        raise TextMistake(_UNTOLD)
    depth, begin, at = 1, 1, 1
    while depth:
        mark = _MARKS.search(body, at)
        if mark is None:
            raise TextMistake(_UNTOLD)
        kind, at = mark.group(), mark.end()
        if kind == '"':
            closed = _TEXT_END.match(body, at)
            if closed is None:
                raise TextMistake(_UNTOLD)
            at = closed.end()
            continue
        depth += (kind in "[{") - (kind in "]}")
        if (depth == 1 and kind == ",") or depth == 0:
            element = body[begin : at - 1].strip(_SPACE)
            if element or kind == "," or begin > 1:
                yield element
            begin = at
    if at != len(body):
        raise TextMistake(_UNTOLD)


def _objects(source: Source) -> Iterator[str]:
    of_lines = source.kind is SourceKind.JSON_LINES
    return _lines(source.path) if of_lines else elements(_whole_text(source.path))


def _value(text: str, kind: ColumnType) -> str:
    if kind is ColumnType.TEXT:
        return f"CASE WHEN {text} <> chr(0) THEN {text} END"
    return value_sql(_ISO, text, kind)


def _lines(path: Path) -> Iterator[str]:
    for block in text_blocks(path):
        yield from (line for line in block.split("\n") if line.strip(_SPACE))


def _whole_text(path: Path) -> str:
    """The file as text; bytes that are none are a mark that no object may hold."""
    return whole_file(path).decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")


def _fields(text: str, columns: dict[str, tuple[int, Column]]) -> Fields:
    """The texts of an object's listed fields; None where it is malformed, or has a listed field twice."""
    fields = _parsed(text)
    return _listed(fields, columns) if fields is not None else None


def _parsed(text: str) -> _Object | None:
    """The fields of an object, None where it is malformed."""
    try:
        size = len(text) if text.isascii() else len(text.encode())
        if size > LONGEST or "\0" in text or _is_deep(text):
            return None
        fields = _READER.decode(text.strip(_SPACE))
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, _Object) else None


def _is_deep(text: str) -> bool:
    """Whether brackets nest deeper than any reader is sure to follow."""
    if text.count("{") + text.count("[") <= DEEPEST:
        return False
    depth = deepest = at = 0
    while (mark := _MARKS.search(text, at)) is not None:
        at = mark.end()
        if mark.group() == '"':
            closed = _TEXT_END.match(text, at)
            at = closed.end() if closed is not None else len(text)
        depth += (mark.group() in "[{") - (mark.group() in "]}")
        deepest = max(deepest, depth)
    return deepest > DEEPEST


def _listed(pairs: _Object, columns: dict[str, tuple[int, Column]]) -> Fields:
    values: list[str | None] = [None] * len(columns)
    seen = set()
    for name, value in pairs:
        wanted = columns.get(name.lower())
        if wanted is None:
            continue
        at, column = wanted
        if at in seen:
            return None
        seen.add(at)
        is_json = column.field is not None and isinstance(value, list)
        values[at] = _written(value) if is_json else _text(value, column.type)
    return values


def _written(value: object) -> str:
    """JSON as text: names that stand twice, numbers as they are written, and half a surrogate pair as an escape."""
    match value:
        case _Number():
            return value
        case _Object():
            return f"{{{', '.join(f'{json.dumps(name)}: {_written(of)}' for name, of in value)}}}"
        case list():
            return f"[{', '.join(map(_written, value))}]"
        case _:
            return json.dumps(value)


def _text(value: object, kind: ColumnType) -> str | None:
    """The text of a value, for a column of a type; what cannot be one of it is a misfit, and becomes NULL."""
    if value is None:
        return None
    if isinstance(value, _Number):
        return value if kind in _NUMBERS else _MISFIT
    if isinstance(value, bool):
        return str(value).lower() if kind is ColumnType.BOOLEAN else _MISFIT
    return value if isinstance(value, str) and kind in _TEXTS and _is_text(value) else _MISFIT


def _is_text(value: str) -> bool:
    """Whether a text can be kept: NUL and half a surrogate pair can be written in JSON, and are no text."""
    return "\0" not in value and (value.isascii() or _HALVES.search(value) is None)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_READER = json.JSONDecoder(
    object_pairs_hook=_Object, parse_int=_Number, parse_float=_Number, parse_constant=_refuse
)
