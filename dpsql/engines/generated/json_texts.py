"""Rows as a generated source stores them: fields of JSON columns put together to the JSON text that they stand in."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dpsql.policy.model import Column, ColumnType, JsonField, Table

Named = tuple[str, str]
Row = Sequence[str | None]
_WITHOUT_FIELDS = (None, "", "{", "[]", '{"a":', "null")
_UNQUOTED = (ColumnType.INTEGER, ColumnType.FLOAT, ColumnType.BOOLEAN)
_BEYOND_JSON = {
    "nan": "NaN",
    "inf": "Infinity",
    "infinity": "Infinity",
    "-inf": "-Infinity",
    "-infinity": "-Infinity",
}


def as_stored(
    table: Table, columns: Sequence[Named], rows: Sequence[Row]
) -> tuple[list[Named], list[list[str | None]]]:
    """The columns of a source, by name and type, and its rows, for a table whose fields have columns of their own.

    A value is text that its type can be cast from, or None. Rows without any field become what may stand in the place
    of an object as well: no value, text that is no JSON.
    """
    kept = [i for i, (name, _) in enumerate(columns) if _field(table, name) is None]
    texts: dict[str, list[tuple[int, Column, JsonField]]] = {}
    for i, (name, _) in enumerate(columns):
        column, field = table.column(name), _field(table, name)
        if column is not None and field is not None:
            texts.setdefault(field.column, []).append((i, column, field))
    named = [columns[i] for i in kept] + [(name, "VARCHAR") for name in texts]
    stored = [
        [*(row[i] for i in kept), *(_text(row, fields, at) for fields in texts.values())]
        for at, row in enumerate(rows)
    ]
    return named, stored


def _field(table: Table, name: str) -> JsonField | None:
    column = table.column(name)
    return column.field if column is not None else None


def _text(row: Row, fields: Sequence[tuple[int, Column, JsonField]], at: int) -> str | None:
    given = [(field.steps, _value(value, c)) for i, c, field in fields if (value := row[i]) is not None]
    return _object(given) if given else _WITHOUT_FIELDS[at % len(_WITHOUT_FIELDS)]


def _object(given: Sequence[tuple[tuple[str, ...], str]]) -> str:
    """An object of values under their names; a field beside fields of its own name has that name twice."""
    parts = [f"{json.dumps(steps[0])}: {value}" for steps, value in given if len(steps) == 1]
    for name in dict.fromkeys(steps[0] for steps, _ in given if len(steps) > 1):
        inner = [(steps[1:], value) for steps, value in given if steps[0] == name and len(steps) > 1]
        parts.append(f"{json.dumps(name)}: {_object(inner)}")
    return f"{{{', '.join(parts)}}}"


def _value(text: str, column: Column) -> str:
    """A value as JSON has it, or as DuckDB takes it for JSON."""
    if column.type not in _UNQUOTED:
        return json.dumps(text)
    lowered = text.strip().lower()
    return _BEYOND_JSON.get(lowered, lowered.removeprefix("+"))
