"""The values inside an array that a client sends, each still as it was sent; NULL is None.

PostgreSQL's layout in binary: array_recv in src/backend/utils/adt/arrayfuncs.c; that of texts is in sql/lex.
"""

from __future__ import annotations

import struct

from dpsql.sql.lex.array_texts import BROKEN, LONG, MOST_ITEMS, NESTED, NotAnArray, array_items


def items_of_text(text: str) -> list[bytes | None]:
    """The values in {1,2,"a b",NULL}. Raises NotAnArray."""
    return [None if item is None else item.encode() for item in array_items(text)]


def items_of_binary(data: bytes, oid: int) -> list[bytes | None]:
    """The values of an array in binary, whose type must be this one. Raises NotAnArray."""
    try:
        dimensions, _, item = struct.unpack_from("!iiI", data)
        if item != oid:
            raise NotAnArray("the array of a parameter has values of another type than it was declared with")
        if dimensions == 0:
            return []
        if dimensions != 1:
            raise NotAnArray(NESTED)
        count, first = struct.unpack_from("!ii", data, 12)
    except struct.error:
        raise NotAnArray(BROKEN) from None
    if first != 1:
        raise NotAnArray("arrays that do not begin at 1 are not supported")
    if not 0 <= count <= MOST_ITEMS:
        raise NotAnArray(LONG)
    return _sized_items(data, count)


def _sized_items(data: bytes, count: int) -> list[bytes | None]:
    found: list[bytes | None] = []
    at = 20
    for _ in range(count):
        if at + 4 > len(data):
            raise NotAnArray(BROKEN)
        size = int.from_bytes(data[at : at + 4], signed=True)
        at += 4
        if size < -1 or at + size > len(data):
            raise NotAnArray(BROKEN)
        found.append(None if size < 0 else data[at : at + size])
        at += max(size, 0)
    if at != len(data):
        raise NotAnArray(BROKEN)
    return found
