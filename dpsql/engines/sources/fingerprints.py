"""What a policy's data is read from: whether a file changed, and a digest of what is in it; for the admin alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from dpsql.accounting.ledger.recorded_sources import SourceFile, Sources
from dpsql.engines.identity import engine_identity
from dpsql.engines.sources.file_sets import Unresolved, files_of
from dpsql.errors import PolicyError, Problem
from dpsql.policy.model import Policy, Table
from dpsql.policy.rules.sources import FRAME
from dpsql.policy.table_sources import Source, SourceKind

# What DuckDB writes beside a database until a checkpoint, and reads together with it.
_BESIDE = (".wal", ".wal.checkpoint", ".wal.recovery")
_DUCKDB_HEADERS = 3 * 4096
_PARQUET_TAIL = 8
_DIGEST_BYTES = 32
_AT_ONCE = 1 << 20
_MISSING = "missing"
_SET, _FRAME = "set:", "frame:"
NOT_HANDED = (
    "the policy takes a frame here; hand it over in Python: "
    "dpsql.connect(policy, analyst=..., tables={{'{0}': frame}})"
)

Stamps = tuple[tuple[int, ...] | None, ...]


def sources_of(policy: Policy) -> Sources:
    """The files of a policy with their fingerprints, and the engine.

    A fingerprint is a file's size, its time of change in nanoseconds, and a digest of what names its content: the
    footer of a Parquet file, the headers of a DuckDB file. No inode: a copy that keeps its times is the same file.
    Where a pattern stands, the names that it meets are one more entry: a file that is gone is a change, too. Raises
    PolicyError for a DuckDB file with rows that are not in it yet, but in its write-ahead log, for a pattern that meets
    none or what is no plain file, and for a frame that is not handed over.
    """
    problems: list[Problem] = []
    tables: dict[str, list[Table]] = {}
    prints: dict[str, str] = {}
    for table in policy.tables:
        try:
            of_table = _prints_of(table)
        except Unresolved as error:
            problems.append(Problem(str(policy.path), None, f"tables.{table.name}.source", str(error)))
            continue
        for path, fingerprint in of_table:
            tables.setdefault(path, []).append(table)
            prints.setdefault(path, fingerprint)
    if problems:
        raise PolicyError(tuple(problems))
    _require_checkpoint(policy)
    return Sources(
        engine_identity(),
        tuple(
            SourceFile(path, tuple(sorted(t.name.lower() for t in of)), prints[path])
            for path, of in sorted(tables.items())
        ),
    )


def _prints_of(table: Table) -> Iterator[tuple[str, str]]:
    """What a table is read from, with fingerprints. Raises Unresolved."""
    source = table.source
    if source.kind is SourceKind.FRAME:
        if not source.content:
            raise Unresolved(NOT_HANDED.format(table.name))
        return iter([(f"{FRAME} {table.name.lower()}", f"{_FRAME}{source.content}")])
    files = files_of(source)
    prints = [(str(path), _fingerprint(path, source)) for path in files]
    return iter([(str(source.path), _names(source, files))] * bool(source.parts) + prints)


def _names(source: Source, files: tuple[Path, ...]) -> str:
    """The fingerprint of which files a pattern meets, by their names below the folder that holds all of them."""
    names = ["/".join(file.parts[-len(source.parts) :]) for file in files]
    return f"{_SET}{hashlib.blake2b(chr(0).join(names).encode(), digest_size=16).hexdigest()}"


def stamps(policy: Policy) -> Stamps:
    """What the system notes of every file, and of what would be read with it: no change leaves all of it as it was."""
    paths = {path: table.source.kind for table in policy.tables for path in _present(table.source)}
    noted = []
    for path, kind in paths.items():
        noted.append(_stamp(str(path)))
        noted += map(_stamp, _beside(path) if kind is SourceKind.DUCKDB else ())
    return tuple(noted)


def _beside(path: Path) -> tuple[str, ...]:
    """Where DuckDB looks for what it reads with a database; where a link leads to the file, that is beside the file."""
    places = dict.fromkeys((str(path), os.path.realpath(path)))
    return tuple(f"{place}{end}" for place in places for end in _BESIDE)


def with_contents(sources: Sources, key: str) -> Sources:
    """The same with digests of what is in the files, under a key in hex. Raises OSError for a missing file."""
    return replace(
        sources,
        files=tuple(replace(file, content=content_of(file, key)) for file in sources.files),
        key=key,
    )


def content_of(file: SourceFile, key: str) -> str:
    """A digest of what an entry stands for. Raises OSError for a missing file."""
    is_whole = file.fingerprint.startswith((_SET, _FRAME))
    return file.fingerprint if is_whole else content_digest(file.path, key)


def content_digest(path: str, key: str) -> str:
    """BLAKE2b of a whole file, read in pieces, under a key in hex. Raises OSError."""
    digest = hashlib.blake2b(key=bytes.fromhex(key), digest_size=_DIGEST_BYTES)
    with open(path, "rb") as file:
        while piece := file.read(_AT_ONCE):
            digest.update(piece)
    return digest.hexdigest()


def _present(source: Source) -> tuple[Path, ...]:
    try:
        return files_of(source)
    except Unresolved:
        return (source.path,)


def _stamp(path: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev)


def _require_checkpoint(policy: Policy) -> None:
    problems = []
    for table in policy.tables:
        if table.source.kind is not SourceKind.DUCKDB:
            continue
        if logs := [beside for beside in _beside(table.source.path) if os.path.lexists(beside)]:
            message = (
                f"{Path(logs[0]).name} holds changes that are not in {table.source.path.name} yet; close whatever "
                "writes to it, or open it and run CHECKPOINT"
            )
            problems.append(Problem(str(policy.path), None, f"tables.{table.name}.source", message))
    if problems:
        raise PolicyError(tuple(problems))


def _fingerprint(path: Path, source: Source) -> str:
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            named = _named(file, source.kind, status.st_size)
    except OSError:
        return _MISSING
    digest = f":{hashlib.blake2b(named, digest_size=16).hexdigest()}" if named else ""
    return f"{status.st_size}:{status.st_mtime_ns}{digest}"


def _named(file: BinaryIO, kind: SourceKind, size: int) -> bytes:
    """The part of a file that changes with nearly all that is in it; nothing where there is none."""
    if kind is SourceKind.DUCKDB:
        return file.read(_DUCKDB_HEADERS)
    if kind is not SourceKind.PARQUET or size < _PARQUET_TAIL:
        return b""
    file.seek(size - _PARQUET_TAIL)
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(size - _PARQUET_TAIL - length, 0))
    return file.read()
