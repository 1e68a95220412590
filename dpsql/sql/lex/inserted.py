"""Changes of a text before it is parsed, and where in the new text something stands that its author did not write."""

from __future__ import annotations

import re
from collections.abc import Iterable

Change = tuple[int, int, str]
"""What is put in the place of which part of a text: something of the same length, or something where nothing stood."""
Inserted = tuple[tuple[int, int], ...]
"""Where something stands in a text that its author did not write, and how much of it there is up to its end."""

_QUOTED = re.compile(r"'[^']*'")
_PARENTHESIS = re.compile(r"[()]")


def with_changes(sql: str, code: str, changes: Iterable[Change]) -> tuple[str, str, Inserted]:
    """The text and its masked code with these changes.

    What is inserted moves the rest of its line, and is listed, by its place in the new text, so that the places of the
    author's words are known.
    """
    ordered = sorted(changes, key=lambda change: change[0])
    inserted, grown = [], 0
    for at, end, put in ordered:
        if at == end:
            grown += len(put)
            inserted.append((at + grown - len(put), grown))
    masked = [(at, end, _QUOTED.sub(lambda text: "'" * len(text.group()), put)) for at, end, put in ordered]
    return _changed(sql, ordered), _changed(code, masked), tuple(inserted)


def closing(code: str) -> dict[int, int]:
    """Behind which place each parenthesis that opens is closed, in the masked code of a text."""
    opened: list[int] = []
    closed: dict[int, int] = {}
    for found in _PARENTHESIS.finditer(code):
        if found.group() == "(":
            opened.append(found.start())
        elif opened:
            closed[opened.pop()] = found.end()
    return closed


def _changed(text: str, changes: list[Change]) -> str:
    pieces, done = [], 0
    for start, end, put in changes:
        pieces += [text[done:start], put]
        done = end
    return "".join([*pieces, text[done:]])
