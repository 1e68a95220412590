"""INTERVAL -6 MONTH, as MySQL and BigQuery have it, is INTERVAL (-6) MONTH: in as many characters."""

from __future__ import annotations

import re

_UNIT = "YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MILLISECOND|MICROSECOND"
# DuckDB reads no text in which a unit stands there: for it the unit is no name of what is subtracted.
_SIGNED = re.compile(
    rf"(?<![\w.])INTERVAL\s*(?P<before>\s)-\s*\d+(?P<behind>\s)\s*(?:{_UNIT})S?\b", re.IGNORECASE
)


def with_signs_inside(sql: str, code: str) -> tuple[str, str]:
    """The text and its masked code with a parenthesis in the place of each blank around a number behind a minus.

    One with a comment in it stays: it is refused later, and no end of a comment is written over.
    """
    whole = (m for m in _SIGNED.finditer(code) if sql[m.start() : m.end()] == m.group())
    places = [(m.start("before"), m.start("behind")) for m in whole]
    return (_put(sql, places), _put(code, places)) if places else (sql, code)


def _put(text: str, places: list[tuple[int, int]]) -> str:
    characters = list(text)
    for before, behind in places:
        characters[before], characters[behind] = "(", ")"
    return "".join(characters)
