"""A text file as its lines, each taken alone: no line decides where another begins, or how it is decoded."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast


class TextMistake(Exception):
    """A file cannot be read as the policy says, whatever its rows hold; the text is for the admin."""


LONGEST = 2**20
"""Bytes of the longest line; a longer one is broken."""
BROKEN = "\0"
"""What stands in the place of a line that is no text."""
_MARK = "\ufeff"
_BLOCK = 2**20


def text_blocks(path: Path) -> Iterator[str]:
    """The file as pieces of text that begin and end with a line, each with line feeds between its lines.

    Lines end in a line feed and in nothing else; a carriage return before it and a byte order mark at the beginning are
    taken off every line. A line that is not UTF-8 is BROKEN; one that is longer than LONGEST
    keeps more than LONGEST bytes or is BROKEN, so that a piece takes little memory. Raises OSError.
    """
    with _opened(path) as file:
        yield from (_bare(_decoded(lines)) for lines in _whole_lines(file))


def whole_file(path: Path) -> bytes:
    """All bytes of a file, unpacked. Raises OSError."""
    with _opened(path) as file:
        return b"".join(iter(partial(_read, file), b""))


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    rest = b""
    for block in iter(partial(_read, file), b""):
        whole, feed, tail = block.rpartition(b"\n")
        if feed:
            yield rest + whole
            rest = tail
        else:
            rest = (rest + tail)[: LONGEST + 1]
    if rest:
        yield rest


def _read(file: BinaryIO) -> bytes:
    try:
        return file.read(_BLOCK)
    except (EOFError, zlib.error):
        raise OSError("the packed file is damaged or cut off") from None


def _bare(lines: str) -> str:
    """Every line without a carriage return at its end and a mark at its beginning, one of each."""
    without = lines.removesuffix("\r").replace("\r\n", "\n")
    return without.removeprefix(_MARK).replace(f"\n{_MARK}", "\n")


def _decoded(block: bytes) -> str:
    try:
        return block.decode()
    except UnicodeDecodeError:
        return "\n".join(map(_line, block.split(b"\n")))


def _line(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return BROKEN
