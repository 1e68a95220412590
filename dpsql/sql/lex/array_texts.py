"""Arrays as PostgreSQL writes them in a text: {1,2,"a b",NULL}.

The layout: https://www.postgresql.org/docs/16/arrays.html#ARRAYS-IO
"""

from __future__ import annotations

import re
from typing import Final

MOST_ITEMS: Final = 10_000
"""So many values may an array have."""
_BETWEEN: Final = re.compile(r"\s*([,}])\s*")
_ITEM: Final = re.compile(
    r'\s*(?:"((?:[^"\\]|\\.)*)"|((?:[^\s,{}"\\]|\\.)(?:(?:[^,{}"\\]|\\.)*(?:[^\s,{}"\\]|\\.))?))', re.DOTALL
)
NESTED: Final = "arrays of arrays are not supported"
BROKEN: Final = "this is not an array"
LONG: Final = f"an array has at most {MOST_ITEMS} values"


class NotAnArray(Exception):
    """A text is no array that is read here; its text says why."""


def array_items(text: str) -> list[str | None]:
    """The values of an array in braces, NULL as None. Raises NotAnArray."""
    text = text.strip()
    if text.startswith("["):
        raise NotAnArray("arrays that do not begin at 1 are not supported")
    if not text.startswith("{"):
        raise NotAnArray("an array stands in braces")
    if text[1:].strip() == "}":
        return []
    return _items(text)


def _items(text: str) -> list[str | None]:
    found: list[str | None] = []
    at = 1
    while at < len(text):
        item = _ITEM.match(text, at)
        if item is None:
            nested = text[at:].lstrip().startswith("{")
            raise NotAnArray(NESTED if nested else BROKEN)
        between = _BETWEEN.match(text, item.end())
        if between is None or len(found) >= MOST_ITEMS:
            raise NotAnArray(BROKEN if between is None else LONG)
        found.append(_unescaped(*item.groups()))
        at = between.end()
        if between.group(1) == "}":
            break
    if at < len(text) or not text.endswith("}"):
        raise NotAnArray(BROKEN)
    return found


def _unescaped(quoted: str | None, plain: str | None) -> str | None:
    if quoted is None and plain is not None and plain.upper() == "NULL":
        return None
    return re.sub(r"\\(.)", r"\1", quoted if quoted is not None else plain or "", flags=re.DOTALL)
