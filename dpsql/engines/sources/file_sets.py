"""The files of a source: the one that it names, or all that its pattern meets, in the order of their names.

Who reads a source reads the files that are found here and no others. A link is not followed: it could lead to a file of
another table.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from dpsql.policy.model import Column
from dpsql.policy.names import name_mistake
from dpsql.policy.table_sources import Source
from dpsql.slotted import dataclass

MOST_FILES = 10_000
"""The most files of one source."""
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What a folder is called that has no value, where Hive and Spark write it."""


class Unresolved(Exception):
    """The files of a source cannot be told; the text is for the admin."""


@dataclass(frozen=True, slots=True)
class FolderValue:
    """A column that a folder's name gives, and its text, the same for all rows of a file; None is no value."""

    column: Column
    text: str | None


def files_of(source: Source) -> tuple[Path, ...]:
    """The files that a source is read from. Raises Unresolved where a pattern meets none, or what is no plain file."""
    if not source.parts:
        return (source.path,)
    base = Path(*source.path.parts[: -len(source.parts)])
    try:
        files = tuple(sorted(_met(base, source.parts)))
    except OSError as error:
        raise Unresolved(f"{error.filename} cannot be read: {(error.strerror or '').lower()}") from None
    if not files:
        raise Unresolved(f"no file is met by {'/'.join(source.parts)} in {base.name}")
    if len(files) > MOST_FILES:
        raise Unresolved(f"{len(files)} files are met by the pattern; a source has at most {MOST_FILES}")
    return files


def folder_values(source: Source, file: Path, columns: tuple[Column, ...]) -> tuple[FolderValue, ...]:
    """Of the columns those that the folders of a file give."""
    listed = {column.name.lower(): column for column in columns}
    named = zip(source.parts[:-1], file.parts[len(file.parts) - len(source.parts) :], strict=False)
    pairs = [(part[:-2], there[len(part) - 1 :]) for part, there in named if part.endswith("=*")]
    return tuple(FolderValue(listed[n.lower()], _decoded(text)) for n, text in pairs if n.lower() in listed)


def _met(folder: Path, parts: tuple[str, ...]) -> Iterator[Path]:
    wanted, last = _pattern(parts[0]), len(parts) == 1
    with os.scandir(folder) as entries:
        for entry in entries:
            if not wanted.fullmatch(entry.name):
                continue
            _require_plain(entry, last)
            if last:
                yield Path(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                yield from _met(Path(entry.path), parts[1:])


def _require_plain(entry: os.DirEntry[str], last: bool) -> None:
    if name_mistake(entry.name):
        raise Unresolved(f"a name in {Path(entry.path).parent.name} holds control or invisible characters")
    if entry.is_symlink():
        raise Unresolved(f"{entry.name} is a link; a pattern meets plain files and folders alone")
    if last and not entry.is_file(follow_symlinks=False):
        raise Unresolved(f"{entry.name} is no file; write each folder as a part of the pattern")


def _pattern(part: str) -> re.Pattern[str]:
    """A star stands for any characters; names with a dot in front, which are hidden, are met by name alone."""
    shown = "(?!\\.)" if part.startswith("*") else ""
    return re.compile(shown + ".*".join(map(re.escape, part.split("*"))), re.DOTALL)


def _decoded(text: str) -> str | None:
    """A folder's text without its percent signs; what they spell is NUL where it is no text."""
    if text == NO_VALUE:
        return None
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return "\0"
