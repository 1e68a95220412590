"""Frames as sources: a pyarrow, pandas or polars table that is handed over is copied for the engines, and digested.

The copy holds the listed columns, in a file that has no name wherever the system can do that; the digest names its
content, whatever library it came from. `dpsql/engines/sources/arrow_tables.py` says how values are read.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from dpsql.engines.sources.arrow_tables import UnfitFrame, arrow_table, content_of_table, write_copy
from dpsql.errors import InterfaceError, PolicyError, Problem, Uncopyable, WrongType
from dpsql.policy.model import Policy, Table
from dpsql.policy.names import did_you_mean
from dpsql.policy.table_sources import Source, SourceKind


class HandedFrames(Uncopyable):
    """The copies of frames that one session's engines read; `policy` says where each of them is.

    They are gone with `close`, with this object, and with the process.
    """

    __slots__ = ("__weakref__", "_end", "policy")

    def __init__(self, policy: Policy, frames: Mapping[str, object]) -> None:
        """Copies the frames. Raises PolicyError where one is not as the policy says, InterfaceError for wrong names."""
        _check_names(policy, frames)
        copies: list[Callable[[], None]] = []
        self._end = weakref.finalize(self, _run, copies)
        handed = {str(name).lower(): frame for name, frame in frames.items()}
        problems: list[Problem] = []
        tables = []
        for table in policy.tables:
            if table.name.lower() in handed:
                try:
                    source = _copied(policy, table, handed[table.name.lower()], copies)
                    table = replace(table, source=source)
                except UnfitFrame as error:
                    problems.append(Problem(str(policy.path), None, f"tables.{table.name}", str(error)))
            tables.append(table)
        if problems:
            self.close()
            raise PolicyError(tuple(problems))
        self.policy = replace(policy, tables=tuple(tables))

    def close(self) -> None:
        """Gives the copies up; a second call does nothing."""
        self._end()


def handed_frames(policy: Policy, tables: object) -> HandedFrames:
    """Copies of the frames for the tables whose source is `frame`. Raises WrongType, InterfaceError and PolicyError."""
    if tables is not None and not isinstance(tables, Mapping):
        raise WrongType(
            f"tables is a dict of frames by the names of their tables, not {type(tables).__name__}"
        )
    return HandedFrames(policy, tables or {})


def _run(ends: list[Callable[[], None]]) -> None:
    for end in ends:
        end()


def _check_names(policy: Policy, frames: Mapping[str, object]) -> None:
    taken = [table.name for table in policy.tables if table.source.kind is SourceKind.FRAME]
    for name in map(str, frames):
        if policy.table(name) is None:
            hint = did_you_mean(name, taken)
            raise InterfaceError(f"tables: the policy has no table {name[:128]!r}{hint}")
        if name.lower() not in (known.lower() for known in taken):
            raise InterfaceError(
                f"tables: the policy reads {name} from a file; write `source: frame` for a frame in its place"
            )


def _copied(policy: Policy, table: Table, frame: object, copies: list[Callable[[], None]]) -> Source:
    arrow = arrow_table(frame, table)
    path, end = _private_file(policy.engine.temp_directory)
    copies.append(end)
    write_copy(arrow, path)
    return replace(table.source, path=path, content=content_of_table(arrow))


def _private_file(directory: Path | None) -> tuple[Path, Callable[[], None]]:
    """A file for this user alone, and what ends it: without a name, in memory unless a directory is given.

    Raises UnfitFrame where the system has no such files and no directory is given.
    """
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("dpsql frame") if directory is None else _nameless(directory)
        os.fchmod(fd, 0o600)
        return Path(f"/proc/{os.getpid()}/fd/{fd}"), lambda: os.close(fd)
    if directory is None:
        raise UnfitFrame(
            "a frame is copied into a file here: say where, as `engine: {temp_directory: /var/tmp}`"
        )
    fd, name = tempfile.mkstemp(prefix="dpsql-", suffix=".parquet", dir=directory)
    os.close(fd)
    return Path(name), lambda: Path(name).unlink(missing_ok=True)


def _nameless(directory: Path) -> int:
    try:
        fd, name = tempfile.mkstemp(prefix="dpsql-", dir=directory)
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise UnfitFrame(f"the frame cannot be copied to engine.temp_directory: {reason}") from None
    os.unlink(name)
    return fd
