"""The rules of text files: a CSV format's special characters differ, its dates can be parsed, keys are exact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dpsql.policy.date_formats import check_format
from dpsql.policy.findings import Spot
from dpsql.policy.model import ColumnType, Table
from dpsql.policy.shapes import FormatShape
from dpsql.policy.table_sources import CsvFormat, Source, SourceKind

# Two texts may become one value of these types, so that two units would have one key.
_NO_KEYS = (ColumnType.FLOAT, ColumnType.TIMESTAMP)
_JSON = (SourceKind.JSON, SourceKind.JSON_LINES)


def read_format(shape: FormatShape | None, source: Source, spot: Spot) -> CsvFormat:
    """The format of a source, with the defaults of the file's suffix."""
    usual = CsvFormat.of_file(source.path)
    if shape is None:
        return usual
    if source.kind is not SourceKind.CSV:
        spot.add_at_key(f"`format` is for CSV files; a {source.kind} file says itself how it is read")
        return usual
    given = {key: value for key, value in shape if value is not None}
    form = replace(usual, **{"escape": given.get("quote", usual.quote), **given})
    _check_characters(form, spot)
    _check_moments(form, spot)
    return form


def _check_characters(found: CsvFormat, spot: Spot) -> None:
    if len(found.delimiter) != 1:
        spot.under("delimiter").add("must be one character")
    elif found.delimiter in (found.quote, found.escape):
        spot.under("delimiter").add("must not be the quote or the escape as well")
    for key in ("quote", "escape"):
        if len(getattr(found, key)) > 1:
            spot.under(key).add("must be one character, or empty where no field is quoted")
    if bool(found.quote) != bool(found.escape):
        spot.under("escape").add("`quote` and `escape` are both given or both empty")
    if any(c and c in found.null for c in (found.delimiter, found.quote)):
        spot.under("null").add("must not hold the delimiter or the quote: no unquoted field could be it")


def _check_moments(found: CsvFormat, spot: Spot) -> None:
    for key, written in (("date", found.date), ("timestamp", found.timestamp)):
        try:
            if written is not None:
                check_format(written, clock=key == "timestamp")
        except ValueError as error:
            spot.under(key).add(str(error))


def check_text_files(tables: tuple[Table, ...], spot: Spot) -> None:
    """Keys that are read from text are exact, and files that do not name their columns have listed ones."""
    for table in tables:
        source = table.source
        if source.kind in _JSON and not table.columns:
            spot.under(table.name).add(
                "a JSON file needs `columns`: their types are not guessed from its rows"
            )
        if source.database is not None and not table.columns:
            spot.under(table.name).add("a table of a database needs `columns`: they alone are copied")
        if source.kind is SourceKind.CSV and not table.columns and not source.format.header:
            spot.under(table.name, "format", "header").add("a file without a header needs `columns`")
        for key in _keys(table, tables):
            column, where = table.column(key), _text_of(source, key)
            if column is not None and where is not None and column.type in _NO_KEYS:
                spot.under(table.name, "columns", key, "type").add(
                    f"a key {where} is no {column.type}: two {_values(source)} could become one key; declare it text"
                )


def _text_of(source: Source, name: str) -> str | None:
    """What the text is that the values of a column are read from, in words; None where they have a type."""
    if name.lower() in (folder.lower() for folder in source.folder_columns):
        return "in a folder's name"
    if source.kind in _JSON:
        return "of a JSON file"
    if source.database is not None and source.database.file is not None:
        return "of a SQLite file"
    return "of a CSV file" if source.kind is SourceKind.CSV else None


def _values(source: Source) -> str:
    return "texts" if source.database is None else "values"


def _keys(table: Table, tables: tuple[Table, ...]) -> Iterator[str]:
    """The columns of a table that identify units, here or from another table."""
    own = (table.unit_key, table.unit_path.column if table.unit_path is not None else None)
    led_to = (p.key for t in tables if (p := t.unit_path) is not None and p.table == table.name)
    yield from dict.fromkeys(name for name in (*own, *led_to) if name is not None)
