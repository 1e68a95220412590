"""SELECT TOP n, as SQL Server has it, is LIMIT n at the end of its query."""

from __future__ import annotations

import re
from dataclasses import field

from dpsql.slotted import dataclass
from dpsql.sql.lex.inserted import Change

_TOP = re.compile(
    r"\bSELECT\s+(?:DISTINCT\s+)?(?P<top>TOP\s*(?:\(\s*(?P<within>\d{1,18})\s*\)|\s(?P<bare>\d{1,18})))(?![\w.])"
    r"(?!\s*(?:PERCENT|WITH\s+TIES)\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[()\[\]]|[A-Za-z_]\w*")
_OF_SEVERAL = frozenset({"LIMIT", "OFFSET", "FETCH", "UNION", "EXCEPT", "INTERSECT"})
_END = "; \t\r\n"


@dataclass(slots=True)
class _Query:
    """What stands between two parentheses, or in none: its TOPs, and whether a LIMIT at its end were not theirs."""

    tops: list[re.Match[str]] = field(default_factory=list)
    several: bool = False


def limits_of_tops(code: str) -> list[Change]:
    """Blanks for each TOP, and a LIMIT behind all of its query that is no comment, in the masked code of a text.

    A TOP beside what LIMIT cannot follow stays: it is refused later.
    """
    tops = {m.start(): m for m in _TOP.finditer(code)}
    found: list[Change] = []
    around = [_Query()]
    for word in _WORD.finditer(code) if tops else ():
        text = word.group()
        if text in "([":
            around.append(_Query())
        elif text in ")]":
            found += _moved(code, word.start(), around.pop() if around[1:] else _Query())
        elif word.start() in tops:
            around[-1].tops.append(tops[word.start()])
        else:
            around[-1].several |= text.upper() in _OF_SEVERAL
    return found + _moved(code, len(code), around[0]) if len(around) == 1 else found


def _moved(code: str, end_of_query: int, query: _Query) -> list[Change]:
    """The changes for the one TOP of a query."""
    if query.several or len(query.tops) != 1:
        return []
    (top,) = query.tops
    start, end = top.span("top")
    last = len(code[:end_of_query].rstrip(_END))
    return [(start, end, " " * (end - start)), (last, last, f" LIMIT {top['within'] or top['bare']}")]
