"""Answers written to files: Parquet and Arrow as columns with types, the other formats as text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpsql.engines.base import OutputColumn
from dpsql.errors import NotSupportedError
from dpsql.interfaces.cli.answer_formats import Sheet, as_csv, as_json, as_markdown
from dpsql.release.render.arrow import arrow_library, to_arrow

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]

BINARY = ("parquet", "arrow")
WITH_INTERVALS = ("csv", *BINARY)
"""The formats that `--intervals` is for: the others have intervals beside the numbers."""
_BY_ENDING = {
    "": "csv",
    ".csv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".json": "json",
    ".md": "markdown",
}


def format_of(style: str | None, output: Path | None, *, intervals: bool) -> str | None:
    """The format that is meant: the given one, or the one of the file's ending; None leaves it to where rows go.

    Raises UsageError for what cannot be, before anything is asked; InterfaceError where a library is missing.
    """
    if output is not None:
        style = style or _BY_ENDING.get(output.suffix.lower())
        if style is None:
            endings = ", ".join(filter(None, _BY_ENDING))
            raise click.UsageError(
                f"no format has the ending of {output.name}; there is {endings}, or give --format"
            )
        if style == "table":
            raise click.UsageError(
                "a table is for a terminal; choose csv, json, markdown, parquet or arrow for --output"
            )
        if not output.absolute().parent.is_dir():
            raise click.UsageError(f"there is no folder {output.absolute().parent} to write to")
    if style in BINARY:
        if output is None:
            raise click.UsageError(f"{style} is written to a file: give --output FILE")
        arrow_library()
    if intervals and style is None:
        style = "csv"
    if intervals and style not in WITH_INTERVALS:
        raise click.UsageError(
            f"--intervals is for {', '.join(WITH_INTERVALS)}; {style} has intervals anyway"
        )
    return style


def write_sheet(sheet: Sheet, style: str, output: Path) -> None:
    """Writes the answer; a file that was there is replaced. Raises ClickException where it cannot be written."""
    try:
        if style in BINARY:
            _write_table(_table(sheet), style, output)
        else:
            text = {"csv": as_csv, "json": as_json, "markdown": as_markdown}[style](sheet)
            output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(
            f"{output} is not written: {error.strerror}; the same query gives the same answer again for nothing"
        ) from None


def _table(sheet: Sheet) -> pyarrow.Table:
    columns = [OutputColumn(name, kind) for name, kind in zip(sheet.names, sheet.types, strict=True)]
    return to_arrow(columns, sheet.rows)


def _write_table(table: pyarrow.Table, style: str, output: Path) -> None:
    pyarrow = arrow_library()
    try:
        if style == "parquet":
            import pyarrow.parquet as parquet  # type: ignore[import-untyped]

            parquet.write_table(table, output)
        else:
            with pyarrow.ipc.new_file(output, table.schema) as file:
                file.write_table(table)
    except (pyarrow.ArrowNotImplementedError, pyarrow.ArrowInvalid):
        raise NotSupportedError(
            f"a column of the answer has a type that {style} files have not; choose csv or json, or CAST it to text"
        ) from None
