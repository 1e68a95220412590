"""A disk that may lose, at any moment, whatever was written to it and not flushed since.

SQLite reaches its files through a table of functions. In here those that change a file are recorded, in this process
alone, and do what they always do. From the record follows what a disk may hold after its power is lost: of each file
what was last flushed, and of what was written later any part, in sectors, in any order.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass, field
from pathlib import Path

import pytest

SECTOR = 512
# A name is kept by SQLite where it lies, so that it is handed on as its address.
OPEN = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
DELETE = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
WRITE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
TRUNCATE = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64)
SYNC = ctypes.CFUNCTYPE(c_int, c_void_p, c_int)
# Where these stand among the functions of a file (sqlite3_io_methods), a word for the version before them.
METHODS, WRITES, TRUNCATES, SYNCS = 19, 3, 4, 5


class Vfs(Structure):
    """The beginning of sqlite3_vfs, and what follows as it is."""

    _fields_ = (
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
        ("delete", c_void_p),
        ("others", c_void_p * 16),
    )


@dataclass(frozen=True, slots=True)
class Write:
    file: str
    offset: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Cut:
    file: str
    size: int


@dataclass(frozen=True, slots=True)
class Removed:
    file: str


@dataclass(frozen=True, slots=True)
class Flushed:
    """The file's content; with `folder`, the names of all files as well."""

    file: str
    folder: bool = False


Change = Write | Cut | Removed | Flushed


@dataclass(slots=True)
class Recorded:
    """What was done to the files whose names begin with that of the ledger, in order."""

    ledger: Path
    changes: list[Change] = field(default_factory=list)

    def add(self, change: Change) -> None:
        if change.file.startswith(self.ledger.name) and not change.file.endswith("-shm"):
            self.changes.append(change)

    def flushes(self, since: int = 0) -> int:
        return sum(isinstance(change, Flushed) for change in self.changes[since:])

    def after_power_loss(self, at: int, lost: random.Random | None, folder: Path) -> Path:
        """A copy of the ledger as the disk may have it when its power is lost after so many changes.

        Nothing that was not flushed is left, or any part of it.
        """
        folder.mkdir()
        (folder / self.ledger.name).touch()
        pending: dict[str, list[Change]] = defaultdict(list)
        files: dict[str, bytearray] = {}
        for change in self.changes[:at]:
            if isinstance(change, Flushed):
                for name in tuple(pending) if change.folder else (change.file,):
                    pending[name] = _flush(files, pending[name], name == change.file)
            else:
                pending[change.file].append(change)
        for changes in pending.values() if lost is not None else ():
            _lose(files, changes, lost)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return folder / self.ledger.name


def _flush(files: dict[str, bytearray], changes: list[Change], content: bool) -> list[Change]:
    """Have changes on the disk: all of them, or no more than that a file is gone; those that are left."""
    gone = max((n for n, change in enumerate(changes, 1) if isinstance(change, Removed)), default=0)
    for change in changes if content else changes[:gone]:
        _apply(files, change)
    return [] if content else changes[gone:]


def _lose(files: dict[str, bytearray], changes: list[Change], lost: random.Random) -> None:
    """Have any part of the changes on the disk; a file that still has its name is the one from before."""
    share = lost.choice((0.1, 0.5, 0.9, 1))
    for part in (part for change in changes for part in _parts(change)):
        if lost.random() < share:
            _apply(files, part)
        elif isinstance(part, Removed):
            return


def _parts(change: Change) -> Iterator[Change]:
    if not isinstance(change, Write):
        yield change
        return
    for at in range(0, len(change.content), SECTOR):
        yield Write(change.file, change.offset + at, change.content[at : at + SECTOR])


def _apply(files: dict[str, bytearray], change: Change) -> None:
    match change:
        case Write(file, offset, content):
            held = files.setdefault(file, bytearray())
            held.extend(bytes(max(0, offset + len(content) - len(held))))
            held[offset : offset + len(content)] = content
        case Cut(file, size):
            del files.setdefault(file, bytearray())[size:]
        case Removed(file):
            files.pop(file, None)
        case Flushed():
            raise AssertionError("a flush changes nothing by itself")


@contextmanager
def recorded(ledger: Path) -> Iterator[Recorded]:
    """A block in which what SQLite does to a ledger's files is recorded; every connection is closed inside of it."""
    library = _library()
    inner = library.sqlite3_vfs_find(None).contents
    record = Recorded(ledger)
    files: dict[int, str] = {}
    made: dict[int, ctypes.Array[c_void_p]] = {}
    keep: list[object] = []
    fresh: set[int] = set()

    def opened(vfs: int, name: int | None, file: int, flags: int, out: int) -> int:
        result = OPEN(inner.open)(ctypes.addressof(inner), name, file, flags, out)
        place = c_void_p.from_address(file)
        if result == 0 and name is not None and place.value is not None:
            files[file] = Path(ctypes.string_at(name).decode()).name
            fresh.add(file)
            table = made.get(place.value) or _watched(place.value, record, files, fresh, keep)
            made[place.value] = table
            place.value = ctypes.addressof(table)
        return int(result)

    def deleted(vfs: int, name: bytes, flush: int) -> int:
        result = DELETE(inner.delete)(ctypes.addressof(inner), name, flush)
        if result == 0:
            record.add(Removed(Path(name.decode()).name))
            if flush:
                record.add(Flushed(Path(name.decode()).name, folder=True))
        return int(result)

    outer = Vfs.from_buffer_copy(inner)
    callbacks = OPEN(opened), DELETE(deleted)
    outer.name = b"recorded"
    outer.open, outer.delete = (ctypes.cast(c, c_void_p).value for c in callbacks)
    library.sqlite3_vfs_register(ctypes.byref(outer), 1)
    try:
        yield record
    finally:
        library.sqlite3_vfs_unregister(ctypes.byref(outer))
        library.sqlite3_vfs_register(ctypes.byref(inner), 1)


def _library() -> ctypes.CDLL:
    """The SQLite that Python's own module uses."""
    library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
    if not hasattr(library, "sqlite3_vfs_find"):
        pytest.skip("this Python shows nothing of its SQLite")
    library.sqlite3_vfs_find.restype = POINTER(Vfs)
    return library


def _watched(
    methods: int, record: Recorded, files: dict[int, str], fresh: set[int], keep: list[object]
) -> ctypes.Array[c_void_p]:
    """The functions of a file, those that change it recorded."""
    table = (c_void_p * METHODS).from_buffer_copy((c_void_p * METHODS).from_address(methods))
    write, cut, flush = (
        WRITE(table[WRITES] or 0),
        TRUNCATE(table[TRUNCATES] or 0),
        SYNC(table[SYNCS] or 0),
    )

    def written(file: int, content: int, length: int, offset: int) -> int:
        return _then(write(file, content, length, offset), lambda: _write(file, content, length, offset))

    def _write(file: int, content: int, length: int, offset: int) -> Change:
        return Write(files[file], offset, ctypes.string_at(content, length))

    def truncated(file: int, size: int) -> int:
        return _then(cut(file, size), lambda: Cut(files[file], size))

    def flushed(file: int, flags: int) -> int:
        return _then(flush(file, flags), lambda: _flushed(file))

    def _flushed(file: int) -> Change:
        # The first flush of a log is one of its folder, too (os_unix.c, UNIXFILE_DIRSYNC).
        first = file in fresh and files[file].endswith(("-wal", "-journal"))
        fresh.discard(file)
        return Flushed(files[file], folder=first)

    def _then(result: int, change: Callable[[], Change]) -> int:
        if result == 0:
            record.add(change())
        return result

    for at, callback in ((WRITES, WRITE(written)), (TRUNCATES, TRUNCATE(truncated)), (SYNCS, SYNC(flushed))):
        table[at] = ctypes.cast(callback, c_void_p).value
        keep.append(callback)
    return table
