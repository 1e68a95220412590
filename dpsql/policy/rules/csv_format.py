"""The rules of a CSV file's format: its special characters differ, its dates can be parsed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dpsql.policy.date_formats import check_format
from dpsql.policy.findings import Spot
from dpsql.policy.model import ColumnType, CsvFormat, Source, SourceKind, Table
from dpsql.policy.shapes import FormatShape

# Two texts may become one value of these types, so that two units would have one key.
_NO_KEYS = (ColumnType.FLOAT, ColumnType.TIMESTAMP)


def read_format(shape: FormatShape | None, source: Source, spot: Spot) -> CsvFormat:
    """The format of a source, with the defaults of the file's suffix."""
    usual = CsvFormat.of_file(source.path)
    if shape is None:
        return usual
    if source.kind is not SourceKind.CSV:
        spot.add_at_key(f"`format` is for CSV files; a {source.kind} file says itself how it is read")
        return usual
    given = {key: value for key, value in shape if value is not None}
    found = replace(usual, **{"escape": given.get("quote", usual.quote), **given})
    _check_characters(found, spot)
    _check_moments(found, spot)
    return found


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


def check_csv(tables: tuple[Table, ...], spot: Spot) -> None:
    """Keys of CSV files are exact, and files without a header have listed columns."""
    for table in tables:
        if table.source.kind is not SourceKind.CSV:
            continue
        if not table.columns and not table.source.format.header:
            spot.under(table.name, "format", "header").add("a file without a header needs `columns`")
        for key in _keys(table, tables):
            column = table.column(key)
            if column is not None and column.type in _NO_KEYS:
                spot.under(table.name, "columns", key, "type").add(
                    f"a key of a CSV file is no {column.type}: two texts could become one key; declare it text"
                )


def _keys(table: Table, tables: tuple[Table, ...]) -> Iterator[str]:
    """The columns of a table that identify units, here or from another table."""
    own = (table.unit_key, table.unit_path.column if table.unit_path is not None else None)
    led_to = (p.key for t in tables if (p := t.unit_path) is not None and p.table == table.name)
    yield from dict.fromkeys(name for name in (*own, *led_to) if name is not None)
