"""Where the rows of a table come from, as frozen values."""

from __future__ import annotations

import dataclasses
import enum
from pathlib import Path

from dpsql.slotted import dataclass


class SourceKind(enum.StrEnum):
    """Where a table's rows come from."""

    DUCKDB = "duckdb"
    PARQUET = "parquet"
    CSV = "csv"
    JSON = "json"
    JSON_LINES = "jsonl"
    FRAME = "frame"


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """How every line of a CSV file is parsed; nothing is guessed.

    `quote` and `escape` may be empty: then no field is quoted. A field that is `null`, and is not quoted, is NULL.
    Without a header the columns are the policy's, in its order. `date` and `timestamp` are strptime formats; None
    is ISO 8601.
    """

    delimiter: str = ","
    quote: str = '"'
    escape: str = '"'
    header: bool = True
    null: str = ""
    date: str | None = None
    timestamp: str | None = None

    @classmethod
    def of_file(cls, path: Path) -> CsvFormat:
        """The default format of a file, by its suffix."""
        return cls("\t" if path.suffix.lower() == ".tsv" else ",")

    def beside(self, usual: CsvFormat) -> dict[str, str | bool | None]:
        """The attributes that differ from another format, by name."""
        given = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {key: value for key, value in given.items() if value != getattr(usual, key)}


@dataclass(frozen=True, slots=True)
class DatabaseTable:
    """A table of a database that is read from a copy alone: `address` has no password.

    `file` is the absolute path of a SQLite file; None is PostgreSQL.
    """

    address: str
    schema: str
    table: str
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A file of rows, or several: `path` is absolute; `table` names the table inside a DuckDB file.

    `format` is for CSV files alone. `parts`, the last parts of the path, are patterns where the source is all files
    that they meet. Of a frame `content` is a digest of its rows, and `path` is where they are; until it is handed over,
    `content` is empty. With `database`, the DuckDB file is a copy of tables of that database, made by `dpsql prepare`.
    """

    kind: SourceKind
    path: Path
    table: str
    format: CsvFormat = CsvFormat()
    parts: tuple[str, ...] = ()
    content: str = ""
    database: DatabaseTable | None = None

    @property
    def folder_columns(self) -> tuple[str, ...]:
        """The columns that are named by folders: `year` where a part of the path is `year=*`."""
        return tuple(part[:-2] for part in self.parts[:-1] if part.endswith("=*"))
