"""A first guess at how a CSV file is written, for a policy that is being written; no session comes here."""

from __future__ import annotations

from pathlib import Path

import duckdb

from dpsql.policy.model import ColumnType, CsvFormat
from dpsql.policy.moments import check_format

_NOTHING = "(empty)"
_TYPES = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT"), ColumnType.INTEGER),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), ColumnType.FLOAT),
    "BOOLEAN": ColumnType.BOOLEAN,
    "DATE": ColumnType.DATE,
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP WITH TIME ZONE"), ColumnType.TIMESTAMP),
}


def sniff(file: Path) -> tuple[CsvFormat, tuple[tuple[str, ColumnType, str], ...]]:
    """The format of a file, and its columns with a type and DuckDB's, by its first lines. Raises duckdb.Error."""
    asked = "Delimiter, Quote, Escape, HasHeader, DateFormat, TimestampFormat, Columns"
    with duckdb.connect() as connection:
        rows = connection.execute(f"SELECT {asked} FROM sniff_csv(?)", [str(file)]).fetchall()
    delimiter, quote, escape, header, date, moment, columns = rows[0]
    plain = CsvFormat.of_file(file)
    form = CsvFormat(
        str(delimiter) if len(columns) > 1 else plain.delimiter,
        plain.quote if quote in (_NOTHING, "") else str(quote),
        plain.quote if quote in (_NOTHING, "") else _given(escape, str(quote)),
        bool(header),
        plain.null,
        _moment(date, "%Y-%m-%d", clock=False),
        _moment(moment, "%Y-%m-%d", clock=True),
    )
    return form, tuple((str(c["name"]), _type(str(c["type"])), str(c["type"])) for c in columns)


def _given(escape: object, quote: str) -> str:
    return quote if escape in (_NOTHING, "", None) else str(escape)


def _moment(found: object, usual: str, *, clock: bool) -> str | None:
    """A format that differs from the usual one and that a policy has; else None."""
    if not isinstance(found, str) or found.startswith(usual):
        return None
    try:
        check_format(found, clock=clock)
    except ValueError:
        return None
    return found


def _type(raw: str) -> ColumnType:
    """Every field is text at least."""
    return _TYPES.get(raw.partition("(")[0], ColumnType.TEXT)
