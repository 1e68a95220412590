"""What a policy's data is read from: whether a file changed, and a digest of what is in it; for the admin alone."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from dpsql.accounting.ledger.recorded_sources import SourceFile, Sources
from dpsql.engines.identity import engine_identity
from dpsql.errors import PolicyError, Problem
from dpsql.policy.model import Policy, Source, SourceKind, Table

# What DuckDB writes beside a database until a checkpoint, and reads together with it.
_BESIDE = (".wal", ".wal.checkpoint", ".wal.recovery")
_DUCKDB_HEADERS = 3 * 4096
_PARQUET_TAIL = 8
_DIGEST_BYTES = 32
_AT_ONCE = 1 << 20
_MISSING = "missing"

Stamps = tuple[tuple[int, ...] | None, ...]


def files_of(source: Source) -> tuple[Path, ...]:
    """The files that a source is read from."""
    return (source.path,)


def sources_of(policy: Policy) -> Sources:
    """The files of a policy with their fingerprints, and the engine.

    A fingerprint is a file's size, its time of change in nanoseconds, and a digest of what names its content: the
    footer of a Parquet file, the headers of a DuckDB file. No inode: a copy that keeps its times is the same file.
    Raises PolicyError for a DuckDB file with rows that are not in it yet, but in its write-ahead log.
    """
    tables: dict[Path, list[Table]] = {}
    for table in policy.tables:
        for path in files_of(table.source):
            tables.setdefault(path, []).append(table)
    _require_checkpoint(policy)
    return Sources(
        engine_identity(),
        tuple(
            SourceFile(str(path), tuple(sorted(t.name.lower() for t in of)), _fingerprint(path, of[0].source))
            for path, of in sorted(tables.items())
        ),
    )


def stamps(policy: Policy) -> Stamps:
    """What the system notes of every file, and of what would be read with it: no change leaves all of it as it was."""
    paths = {path: table.source.kind for table in policy.tables for path in files_of(table.source)}
    noted = []
    for path, kind in paths.items():
        noted.append(_stamp(str(path)))
        noted += [_stamp(f"{path}{end}") for end in _BESIDE if kind is SourceKind.DUCKDB]
    return tuple(noted)


def with_contents(sources: Sources, key: str) -> Sources:
    """The same with digests of what is in the files, under a key in hex. Raises OSError for a missing file."""
    return replace(
        sources,
        files=tuple(replace(file, content=content_digest(file.path, key)) for file in sources.files),
        key=key,
    )


def content_digest(path: str, key: str) -> str:
    """BLAKE2b of a whole file, read in pieces, under a key in hex. Raises OSError."""
    digest = hashlib.blake2b(key=bytes.fromhex(key), digest_size=_DIGEST_BYTES)
    with open(path, "rb") as file:
        while piece := file.read(_AT_ONCE):
            digest.update(piece)
    return digest.hexdigest()


def _stamp(path: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev)


def _require_checkpoint(policy: Policy) -> None:
    problems = []
    for table in policy.tables:
        logs = [
            beside
            for path in files_of(table.source)
            for end in _BESIDE
            if table.source.kind is SourceKind.DUCKDB and os.path.lexists(beside := f"{path}{end}")
        ]
        if logs:
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
    """The part of a file that changes with whatever is in it; nothing where there is none."""
    if kind is SourceKind.DUCKDB:
        return file.read(_DUCKDB_HEADERS)
    if kind is not SourceKind.PARQUET or size < _PARQUET_TAIL:
        return b""
    file.seek(size - _PARQUET_TAIL)
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(size - _PARQUET_TAIL - length, 0))
    return file.read()
