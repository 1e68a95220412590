"""Where a table's rows come from, as a policy writes it: a file by its suffix, files by a pattern, or a frame."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dpsql.policy.findings import Spot
from dpsql.policy.names import name_mistake
from dpsql.policy.table_sources import DatabaseTable, Source, SourceKind

SUFFIXES = (
    (".duckdb", SourceKind.DUCKDB), (".db", SourceKind.DUCKDB), (".ddb", SourceKind.DUCKDB),
    (".parquet", SourceKind.PARQUET), (".pq", SourceKind.PARQUET),
    (".csv", SourceKind.CSV), (".csv.gz", SourceKind.CSV), (".tsv", SourceKind.CSV),
    (".json", SourceKind.JSON), (".json.gz", SourceKind.JSON),
    (".jsonl", SourceKind.JSON_LINES), (".jsonl.gz", SourceKind.JSON_LINES),
    (".ndjson", SourceKind.JSON_LINES), (".ndjson.gz", SourceKind.JSON_LINES),
)  # fmt: skip
"""What the names of files end in, and what each ending means."""

FRAME = "frame"
"""The source of a table whose rows are handed over in Python."""

DATABASES = ("postgresql://", "postgres://")
"""What the address of a PostgreSQL database begins with."""

SQLITE = "sqlite:"
"""What the address of a SQLite file begins with."""

_ENDINGS = ", ".join(suffix for suffix, _ in SUFFIXES)
_READ = (
    f"a source is a local file whose name ends in one of {_ENDINGS}, several files of one kind by a pattern such as "
    "orders/*.parquet, a table of PostgreSQL as postgresql://host/database#schema.table or of SQLite as "
    "sqlite:///shop.db#table, or "
    f"`{FRAME}` for a pyarrow, pandas or polars table that is handed to dpsql.connect"
)


def read_source(name: str, text: str, folder: Path, spot: Spot) -> Source:
    """The source of a table of that name; whether it exists is for the engine that opens it."""
    table = name.rpartition(".")[2]
    if text == FRAME:
        return Source(SourceKind.FRAME, Path(os.path.abspath(folder / FRAME)), table)
    if text.lower().startswith(DATABASES):
        return _read_database(name, text, folder, spot)
    if text.lower().startswith(SQLITE):
        return _read_sqlite(name, text, folder, spot)
    lowered = text.lower()
    kind = next((kind for suffix, kind in SUFFIXES if lowered.endswith(suffix)), None)
    written = Path(text).parts
    at = next((i for i, part in enumerate(written) if "*" in part), len(written))
    mistake = _mistake(text, kind, written[at:])
    if mistake is not None:
        spot.add(mistake)
    path = Path(os.path.abspath(folder / text)) if "\0" not in text else folder
    return Source(kind or SourceKind.DUCKDB, path, table, parts=written[at:])


def copy_of(source: Source, policy: Path, folder: Path | None) -> Source:
    """The source with the place of its copy, where it is a table of a database: in the folder of prepared tables."""
    if source.database is None:
        return source
    key = hashlib.blake2b(source.database.address.encode(), digest_size=8).hexdigest()
    where = folder if folder is not None else policy.with_suffix(".prepared")
    return replace(source, path=where / f"{policy.stem}.copy-{key}.duckdb")


def _read_database(name: str, text: str, folder: Path, spot: Spot) -> Source:
    """A table of a database; `#schema.table` names it where it is not the policy's table in the schema public."""
    address, _, written = text.partition("#")
    schema, dot, table = (written or name).rpartition(".")
    message = name_mistake(address) or name_mistake(table) or (name_mistake(schema) if dot else None)
    if _holds_password(address):
        message = "a policy is public: no password in it; libpq takes it from PGPASSWORD or PGPASSFILE"
    if message is not None:
        spot.add(message)
    database = DatabaseTable(address, schema if dot else "public", table)
    return Source(SourceKind.DUCKDB, Path(os.path.abspath(folder)), name, database=database)


def _read_sqlite(name: str, text: str, folder: Path, spot: Spot) -> Source:
    """A table of a SQLite file; `#table` names it where it is not the policy's.

    The address of a file is the same however the policy spells its path, so that it is read once.
    """
    written, _, named = text.partition("#")
    table = named or name.rpartition(".")[2]
    place = written[len(SQLITE) + 3 :]
    message = name_mistake(text) or name_mistake(table)
    if not written[len(SQLITE) :].startswith("///") or not place or "?" in place:
        message = (
            "a SQLite file is written sqlite:///shop.db, relative to the policy, or sqlite:////srv/shop.db; "
            "#table names a table in it, and nothing else is read of an address"
        )
    if message is not None:
        spot.add(message)
        place = "unread"
    file = Path(os.path.abspath(folder / place))
    address = f"{SQLITE}///{os.path.relpath(file, folder)}"
    return Source(SourceKind.DUCKDB, folder, name, database=DatabaseTable(address, "main", table, file))


def _holds_password(address: str) -> bool:
    parts = urlsplit(address)
    # Some tools write a colon with nothing behind it.
    written = parts.netloc.rpartition("@")[0].partition(":")[2]
    return bool(written) or "password" in unquote(parts.query).lower()


def _mistake(text: str, kind: SourceKind | None, parts: tuple[str, ...]) -> str | None:
    if "://" in text:
        return f"this address cannot be read: {_READ}"
    if any(c in text for c in "?["):
        return "a pattern is made of * alone; ? and [ are not read"
    if name_mistake(text):
        return "a file's name must not be empty nor hold control or invisible characters"
    if kind is None:
        return f"unknown kind of source: {_READ}"
    if parts and kind is SourceKind.DUCKDB:
        return "a DuckDB file is named by itself, without *"
    if any("**" in part or part == ".." for part in parts):
        return "write each folder of a pattern as a part of its own, without ** and .."
    return _mistake_of_folders(Source(kind, Path(text), "", parts=parts).folder_columns)


def _mistake_of_folders(names: tuple[str, ...]) -> str | None:
    """What is wrong with the columns that folders name."""
    unfit = next((name for name in names if name_mistake(name) or "*" in name), None)
    if unfit is not None:
        return f"{unfit}=* names no column"
    folded = [name.lower() for name in names]
    twice = next((name for name in folded if folded.count(name) > 1), None)
    return f"two folders name the column {twice}" if twice is not None else None
