"""VALUES as a statement, and as what a name of WITH stands for, is `SELECT * FROM (VALUES ...) AS v`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from dpsql.sql.lex.inserted import Change, closing

_BODY: Final = re.compile(
    r"(?:\A\s*(?:EXPLAIN\s+(?:VERBOSE\s+)?)?|\bAS\s*(?:(?<=\s)(?:NOT\s+)?MATERIALIZED\s*)?\(\s*)(?P<values>VALUES)\s*(?=\()",
    re.IGNORECASE,
)
_BETWEEN_ROWS: Final = re.compile(r"\s*,\s*(?=\()")
_BEHIND_ROWS: Final = re.compile(
    r"\s*(?:\Z|[);]|(?:ORDER|LIMIT|OFFSET|FETCH|UNION|INTERSECT|EXCEPT)\b)", re.IGNORECASE
)


def selects_of_values(code: str) -> list[Change]:
    """What is put around each VALUES, up to the end of its rows, in the masked code of a text."""
    bodies = list(_BODY.finditer(code))
    closed = closing(code) if bodies else {}
    found: list[Change] = []
    for body in bodies:
        begin, end = body.start("values"), _end_of_rows(code, body.end(), closed)
        if end is not None:
            found += [(begin, begin, "SELECT * FROM ("), (end, end, ") AS v")]
    return found


def _end_of_rows(code: str, at: int, closed: Mapping[int, int]) -> int | None:
    """Where the rows end of which the first one begins there.

    None where a parenthesis stays open, or where something follows that no VALUES has behind its rows.
    """
    while (end := closed.get(at)) is not None:
        behind = _BETWEEN_ROWS.match(code, end)
        if behind is None:
            return end if _BEHIND_ROWS.match(code, end) else None
        at = behind.end()
    return None
