"""The rules of JSON columns: each field that is declared becomes a column of its own, and nothing else of the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType

from dpsql.policy.findings import Spot
from dpsql.policy.json_paths import arrow_text, declared_steps
from dpsql.policy.model import Column, JsonField, Table, Unit
from dpsql.policy.rules.columns import read_column
from dpsql.policy.rules.references import read_reference
from dpsql.policy.shapes import ColumnShape, FieldShape
from dpsql.policy.yaml_positions import Entry

MOST_FIELDS = 200
_NO_KEY = "{} is JSON, which is no key: store the key in a column of its own"
_OF_VALUES = ("lower", "upper", "values", "references", "step", "unit_total", "max_length")
_OF_FIELDS = "its fields have types and bounds of their own"
_INSTEAD = MappingProxyType(
    {"nullable": "leave it out: a field is NULL where the text or the field is missing"}
)
_OF_COLUMNS = ("nullable", "hidden", "partition")


def read_fields(name: str, shape: ColumnShape, tables: tuple[Entry, ...], spot: Spot) -> tuple[Column, ...]:
    """The columns that the fields of one JSON column are, with every mistake in them reported."""
    for key in (*_OF_VALUES, *_OF_COLUMNS):
        if getattr(shape, key):
            spot.under(key).add(f"JSON has no `{key}`; {_INSTEAD.get(key, _OF_FIELDS)}")
    if not shape.fields:
        spot.add(
            "a json column needs `fields`: what is not declared cannot be read, as {humidity: {type: float}}"
        )
    if len(shape.fields) > MOST_FIELDS:
        spot.under("fields").add(f"a json column has at most {MOST_FIELDS} fields")
        return ()
    inside = spot.under("fields")
    columns = tuple(_fields(name, shape.fields, tables, inside))
    _check_same(columns, inside)
    return columns


def _fields(
    name: str, fields: dict[str, FieldShape], tables: tuple[Entry, ...], spot: Spot
) -> Iterator[Column]:
    for key, shape in fields.items():
        here = spot.under(key)
        try:
            steps = declared_steps(key)
        except ValueError as error:
            here.add_at_key(str(error))
            continue
        column = read_column(arrow_text(name, steps), shape.type, shape, here)
        target = (
            read_reference(shape.references, tables, here.under("references")) if shape.references else None
        )
        yield replace(column, references=target, field=JsonField(name, steps))


def _check_same(columns: tuple[Column, ...], spot: Spot) -> None:
    """Columns are compared without regard to case, the names in JSON are not."""
    seen: set[str] = set()
    for column in columns:
        if column.name.lower() in seen:
            spot.add(f"{column.name} is the name of two fields, whatever the case: declare one of them")
        seen.add(column.name.lower())


def check_no_key(tables: tuple[Table, ...], unit: Unit | None, spot: Spot) -> None:
    """No JSON column says who owns a row: a text in it may be missing, or be written in several ways."""
    texts = {(t.name, c.field.column) for t in tables for c in t.columns if c.field is not None}
    for table in tables:
        here, path = spot.under(table.name), table.unit_path
        if table.unit_key is not None and (table.name, table.unit_key) in texts:
            here.under("unit_key").add(_NO_KEY.format(table.unit_key))
        if path is not None and {(table.name, path.column), (path.table, path.key)} & texts:
            here.under("unit_path").add(_NO_KEY.format(f"{path.column} or {path.table}.{path.key}"))
        for column in table.columns:
            target = column.references
            if target is not None and (target.table, target.column) in texts:
                here.under("columns", *column.keys, "references").add(_NO_KEY.format(target))
    if unit is not None and (unit.table, unit.column) in texts:
        spot.under(unit.table).add(_NO_KEY.format(unit))
