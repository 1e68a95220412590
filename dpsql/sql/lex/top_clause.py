"""SELECT TOP n, as SQL Server has it, is LIMIT n at the end of the query."""

from __future__ import annotations

import re

_TOP = re.compile(
    r"\bSELECT\s+(?:DISTINCT\s+)?(?P<top>TOP\s*(?:\(\s*(?P<within>\d{1,18})\s*\)|\s(?P<bare>\d{1,18})))(?![\w.])"
    r"(?!\s*(?:PERCENT|WITH\s+TIES)\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[()\[\]]|[A-Za-z_]\w*")
_OF_SEVERAL = frozenset({"LIMIT", "OFFSET", "FETCH", "UNION", "EXCEPT", "INTERSECT"})
_END = "; \t\r\n"


def with_limit(sql: str, code: str) -> tuple[str, str]:
    """The text and its masked code with the TOP of the outermost SELECT as LIMIT behind all that is no comment.

    What stands before keeps its place. A TOP elsewhere, or beside what LIMIT cannot follow, stays: it is refused later.
    """
    found = next((m for m in _TOP.finditer(code) if _depth(code[: m.start()]) == 0), None)
    if found is None or _is_one_of_several(code):
        return sql, code
    start, end = found.span("top")
    limit = f" LIMIT {found['within'] or found['bare']}"
    last = len(code.rstrip(_END))

    def moved(text: str) -> str:
        return text[:start] + " " * (end - start) + text[end:last] + limit + text[last:]

    return moved(sql), moved(code)


def _depth(code: str) -> int:
    return sum(code.count(c) for c in "([") - sum(code.count(c) for c in ")]")


def _is_one_of_several(code: str) -> bool:
    """Whether a LIMIT at the end would be another query's, or a second one."""
    depth = 0
    for word in _WORD.findall(code):
        depth += (word in "([") - (word in ")]")
        if depth == 0 and word.upper() in _OF_SEVERAL:
            return True
    return False
