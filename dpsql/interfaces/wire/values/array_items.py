"""The values inside an array that a client sends, each still as it was sent; NULL is None.

PostgreSQL's layouts: https://www.postgresql.org/docs/16/arrays.html#ARRAYS-IO for text, and array_recv in
src/backend/utils/adt/arrayfuncs.c for binary.
"""

from __future__ import annotations

import re
import struct
from typing import Final

MOST_ITEMS: Final = 10_000
_BETWEEN: Final = re.compile(r"\s*([,}])\s*")
_ITEM: Final = re.compile(
    r'\s*(?:"((?:[^"\\]|\\.)*)"|((?:[^\s,{}"\\]|\\.)(?:(?:[^,{}"\\]|\\.)*(?:[^\s,{}"\\]|\\.))?))', re.DOTALL
)


class NotAnArray(Exception):
    """What was sent is no array that is read here; the text is for the client."""


def items_of_text(text: str) -> list[bytes | None]:
    """The values in {1,2,"a b",NULL}. Raises NotAnArray."""
    text = text.strip()
    if text.startswith("["):
        raise NotAnArray("arrays that do not begin at 1 are not supported as parameters")
    if not text.startswith("{"):
        raise NotAnArray("the value of a parameter is not an array: it has no braces")
    if text[1:].strip() == "}":
        return []
    return _items(text)


def _items(text: str) -> list[bytes | None]:
    found: list[bytes | None] = []
    at = 1
    while at < len(text):
        item = _ITEM.match(text, at)
        if item is None:
            nested = text[at:].lstrip().startswith("{")
            raise NotAnArray(_NESTED if nested else _BROKEN)
        between = _BETWEEN.match(text, item.end())
        if between is None or len(found) >= MOST_ITEMS:
            raise NotAnArray(_BROKEN if between is None else _LONG)
        found.append(_unescaped(*item.groups()))
        at = between.end()
        if between.group(1) == "}":
            break
    if at < len(text) or not text.endswith("}"):
        raise NotAnArray(_BROKEN)
    return found


def _unescaped(quoted: str | None, plain: str | None) -> bytes | None:
    if quoted is None and plain is not None and plain.upper() == "NULL":
        return None
    return re.sub(r"\\(.)", r"\1", quoted if quoted is not None else plain or "", flags=re.DOTALL).encode()


def items_of_binary(data: bytes, oid: int) -> list[bytes | None]:
    """The values of an array in binary, whose type must be this one. Raises NotAnArray."""
    try:
        dimensions, _, item = struct.unpack_from("!iiI", data)
        if item != oid:
            raise NotAnArray("the array of a parameter has values of another type than it was declared with")
        if dimensions == 0:
            return []
        if dimensions != 1:
            raise NotAnArray(_NESTED)
        count, first = struct.unpack_from("!ii", data, 12)
    except struct.error:
        raise NotAnArray(_BROKEN) from None
    if first != 1:
        raise NotAnArray("arrays that do not begin at 1 are not supported as parameters")
    if not 0 <= count <= MOST_ITEMS:
        raise NotAnArray(_LONG)
    return _sized_items(data, count)


def _sized_items(data: bytes, count: int) -> list[bytes | None]:
    found: list[bytes | None] = []
    at = 20
    for _ in range(count):
        if at + 4 > len(data):
            raise NotAnArray(_BROKEN)
        size = int.from_bytes(data[at : at + 4], signed=True)
        at += 4
        if size < -1 or at + size > len(data):
            raise NotAnArray(_BROKEN)
        found.append(None if size < 0 else data[at : at + size])
        at += max(size, 0)
    if at != len(data):
        raise NotAnArray(_BROKEN)
    return found


_NESTED: Final = "arrays of arrays are not supported as parameters"
_BROKEN: Final = "the value of a parameter is not an array"
_LONG: Final = f"an array has at most {MOST_ITEMS} values"
