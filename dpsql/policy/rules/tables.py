"""The rules across keys and tables: who owns a row, what a name may be, where rows come from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dpsql.policy.findings import Spot, check_names
from dpsql.policy.model import Column, JsonType, Privacy, Table, Unit, ViewKind
from dpsql.policy.names import column_name_mistake, did_you_mean, fold_table, same_name, table_name_mistake
from dpsql.policy.naming.key_names import NamedColumn, holder_of, named_table
from dpsql.policy.rules.columns import read_column
from dpsql.policy.rules.csv_format import check_text_files, read_format
from dpsql.policy.rules.declared_fields import check_no_key, read_fields
from dpsql.policy.rules.partition import check_partition
from dpsql.policy.rules.references import check_references, read_reference
from dpsql.policy.rules.shape_check import part
from dpsql.policy.rules.sources import read_source
from dpsql.policy.rules.unit_paths import check_paths, read_path, table_of
from dpsql.policy.scalars import Leaf
from dpsql.policy.shapes import ColumnShape, PrivacyShape, TableShape
from dpsql.policy.table_sources import Source, SourceKind
from dpsql.policy.yaml_positions import Entry, Mapping, column_names, entries
from dpsql.slotted import dataclass

_SAME = "is the same name as {}, whatever the case"


@dataclass(frozen=True, slots=True)
class SourceText:
    """A table's source as the policy writes it, which the digest covers instead of the absolute path."""

    table: str
    text: str


def read_privacy(tree: Mapping, spot: Spot) -> tuple[Privacy | None, Unit | None]:
    """The privacy part and the unit it names, resolved against the tables' names."""
    entry = tree.get("privacy")
    shape = part(PrivacyShape, entry.value if entry else None)
    if shape is None:
        return None, None
    unit = _find_unit(shape.unit, entries(tree, "tables"), spot.under("privacy", "unit"))
    return Privacy(**{**dict(shape), "unit": str(unit) if unit else shape.unit}), unit


def _find_unit(written: str, tables: tuple[Entry, ...], spot: Spot) -> Unit | None:
    named = table_of(written, tables)
    if named is None:
        table, dot, _ = written.rpartition(".")
        hint = did_you_mean(table, (t.key for t in tables)) if dot else "; write table.column or table.*"
        spot.add(f"there is no table of this name in `tables`{hint}")
        return None
    owner, column = named
    if _says_public(owner):
        spot.add(f"{owner.key} is public; the unit is named by a private table")
        return None
    if column == "*":
        return Unit(owner.key, None)
    listed = column_names(owner)
    key = same_name(column, listed)
    if key is None:
        spot.add(f"{owner.key} lists no column {column}{did_you_mean(column, listed)}")
    return Unit(owner.key, key) if key else None


def _says_public(table: Entry) -> bool:
    entry = table.value.get("public") if isinstance(table.value, Mapping) else None
    return entry is not None and isinstance(entry.value, Leaf) and entry.value.value is True


def read_tables(
    tree: Mapping, unit: Unit | None, folder: Path, spot: Spot
) -> tuple[tuple[Table, ...], tuple[SourceText, ...]]:
    """Every table whose shape is right, with its columns, and its source as written."""
    listed = entries(tree, "tables")
    inside = spot.under("tables")
    if not listed and isinstance(getattr(tree.get("tables"), "value", None), Mapping):
        inside.add("no table is listed, so that nothing could be asked")
    check_names(listed, table_name_mistake, fold_table, _SAME, inside)
    tables: list[Table] = []
    sources: list[SourceText] = []
    for entry in listed:
        here = inside.under(entry.key)
        columns = _read_columns(entry, listed, here.under("columns"))
        shape = part(TableShape, entry.value, frozenset({"columns"}))
        if shape is None:
            continue
        tables.append(_read_table(entry, shape, columns, unit, folder, listed, here))
        sources.append(SourceText(entry.key, shape.source))
    _check_key_types(tuple(tables), unit, inside)
    check_paths(tuple(tables), inside)
    check_no_key(tuple(tables), unit, inside)
    check_partition(tuple(tables), inside)
    check_references(tuple(tables), inside)
    check_text_files(tuple(tables), inside)
    return tuple(tables), tuple(sources)


def _read_columns(table: Entry, tables: tuple[Entry, ...], spot: Spot) -> tuple[Column, ...]:
    listed = entries(table.value, "columns")
    check_names(listed, column_name_mistake, str.lower, _SAME, spot)
    shapes = [(e.key, part(ColumnShape, e.value)) for e in listed]
    read = [_columns_of(name, shape, tables, spot.under(name)) for name, shape in shapes if shape]
    columns = tuple(column for columns in read for column in columns)
    names = [c.name.lower() for c in columns if c.field is None]
    for column in columns:
        if column.field is not None and column.name.lower() in names:
            spot.add(f"the column {column.name} has the name of a field of {column.field.column}")
    return columns


def _columns_of(name: str, shape: ColumnShape, tables: tuple[Entry, ...], spot: Spot) -> tuple[Column, ...]:
    """A column as queries have it: JSON text is as many as it has fields."""
    if shape.type is JsonType.JSON:
        return read_fields(name, shape, tables, spot)
    if shape.fields:
        spot.under("fields").add("only a column of type json has `fields`")
    column = read_column(name, shape.type, shape, spot)
    if shape.references is None:
        return (column,)
    target = read_reference(shape.references, tables, spot.under("references"))
    return (replace(column, references=target),)


def _read_table(
    entry: Entry,
    shape: TableShape,
    columns: tuple[Column, ...],
    unit: Unit | None,
    folder: Path,
    tree_tables: tuple[Entry, ...],
    spot: Spot,
) -> Table:
    source = read_source(entry.key, shape.source, folder, spot.under("source"))
    source = replace(source, format=read_format(shape.format, source, spot.under("format")))
    key = None
    if shape.public:
        _check_public(shape, columns, spot)
    else:
        key = _read_unit_key(entry, shape, unit, spot) if shape.unit_path is None else None
        _check_private(column_names(entry), columns, key, spot)
    row_is_unit = unit == Unit(entry.key, None)
    if row_is_unit and "one_row_per_unit" in shape.model_fields_set and not shape.one_row_per_unit:
        spot.under("one_row_per_unit").add(f"privacy.unit is {unit}: every unit has one row; leave it out")
    return Table(
        entry.key,
        source,
        shape.public,
        key,
        row_is_unit,
        shape.one_row_per_unit or row_is_unit,
        shape.max_rows_per_unit,
        columns,
        read_path(entry, shape, unit, tree_tables, spot) if shape.unit_path and not shape.public else None,
        _view(shape, source, spot),
    )


def _view(shape: TableShape, source: Source, spot: Spot) -> ViewKind | None:
    if shape.view is not None and source.kind is not SourceKind.DUCKDB:
        spot.under("view").add("only a DuckDB file has views; leave `view` out")
    return shape.view


def _check_public(shape: TableShape, columns: tuple[Column, ...], spot: Spot) -> None:
    """A public table has no units, so none of the keys about units."""
    for key in ("unit_key", "unit_path", "one_row_per_unit", "max_rows_per_unit"):
        if getattr(shape, key):
            spot.under(key).add(f"a public table has no units; leave `{key}` or `public: true` out")
    for column in columns:
        if column.unit_total is not None:
            spot.under("columns", *column.keys, "unit_total").add("a public table has no units; leave it out")
        if column.max_length is not None:
            spot.under("columns", *column.keys, "max_length").add("public texts are read whole; leave it out")
        if column.hidden:
            spot.under("columns", column.name, "hidden").add(
                "every column of a public table that is listed may be read; leave the column out"
            )


def _read_unit_key(entry: Entry, shape: TableShape, unit: Unit | None, spot: Spot) -> str | None:
    """The column that owns the rows of a private table, as it is listed; None where the unit is not known."""
    if unit is None and shape.unit_key is None:
        return None
    if unit is not None and unit.column is None:
        _check_row_unit(entry, shape, unit, spot)
        return None
    if shape.unit_key is None:
        return _implied_key(entry, unit, spot)
    listed = column_names(entry)
    key = same_name(shape.unit_key, listed)
    if key is None:
        hint = did_you_mean(shape.unit_key, listed) or "; list it, `hidden: true` if no query may name it"
        spot.under("unit_key").add(f"the table lists no column {shape.unit_key}{hint}")
    elif unit is not None and unit.table == entry.key and key != unit.column:
        spot.under("unit_key").add(f"must be {unit.column}, the column that privacy.unit names")
        return unit.column
    return key


def _check_row_unit(entry: Entry, shape: TableShape, unit: Unit, spot: Spot) -> None:
    if unit.table != entry.key:
        spot.add(f"privacy.unit is {unit}: no other table is private; write `public: true`")
    elif shape.unit_key is not None:
        spot.under("unit_key").add(f"privacy.unit is {unit}: every row is its own unit; leave it out")


def _implied_key(entry: Entry, unit: Unit | None, spot: Spot) -> str | None:
    if unit is not None and unit.table == entry.key:
        return unit.column
    spot.add(f"`unit_key` is missing: name the column that owns a row ({unit}), or write `public: true`")
    return None


def _check_private(listed: tuple[str, ...], columns: tuple[Column, ...], key: str | None, spot: Spot) -> None:
    if not listed:
        spot.add("a private table needs `columns`: what is not listed does not exist")
    for column in columns:
        if column.name != key:
            continue
        if column.lower is not None or column.is_listed or column.step is not None:
            spot.under("columns", column.name).add(
                "a unit_key has no bounds, values or step: clamping would make one unit of several"
            )


def _check_key_types(tables: tuple[Table, ...], unit: Unit | None, spot: Spot) -> None:
    """The unit's key has one type in all tables, so that the same person is the same unit."""
    owner = next((t for t in tables if unit and t.name == unit.table), None)
    key = owner.column(unit.column) if owner and unit and unit.column else None
    for table in tables:
        own = table.column(table.unit_key) if table.unit_key else None
        if key and own and own.type is not key.type:
            spot.under(table.name, "unit_key").add(
                f"{own.name} is {own.type}, but {unit} is {key.type}{_proposed_key(table, own, key, tables)}"
            )


def _proposed_key(table: Table, own: Column, key: Column, tables: tuple[Table, ...]) -> str:
    """The column that is called like the unit's, or else the path over the one other private table that has the key.

    Nothing where there is neither, or where several tables have it; a table that it owns has no path.
    """
    like = table.column(key.name)
    if like is not None and like.type is key.type:
        return f"; write `unit_key: {like.name}`"
    others = [named_table(t) for t in tables if not t.public and t.unit_key != own.name]
    holder = holder_of(NamedColumn(table.name, own.name, own.type), others)
    if holder is None:
        return ""
    path = f"`unit_path: {{{own.name}: {holder.table}.{holder.name}}}`"
    return f"; where rows belong to those of {holder.table}, write in its place {path}"
