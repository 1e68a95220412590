"""One text of several statements, as some clients send it, in its statements: the same reading that each gets later."""

from __future__ import annotations

from dpsql.slotted import dataclass
from dpsql.sql.lex.text import Lines, masked_code


@dataclass(frozen=True, slots=True)
class StatementText:
    """A statement without its semicolon, and where in the whole text it begins, in characters from 0."""

    sql: str
    start: int

    def position(self, line: int, column: int) -> int:
        """The place of the statement, line and column from 1, as a place in the whole text, in characters from 1."""
        starts = Lines.of(self.sql).starts
        within = starts[min(line, len(starts)) - 1] + column - 1
        return self.start + min(within, len(self.sql)) + 1


def statement_texts(sql: str) -> tuple[StatementText, ...]:
    """The statements of a text in order; those of white space and comments alone are left out.

    A semicolon ends one unless it is quoted or in a comment. Raises QueryRefused for a comment without an end; what
    else is wrong with a statement is found when that is read by itself.
    """
    code = masked_code(sql)
    texts, start = [], 0
    while start <= len(sql):
        end = code.find(";", start)
        end = len(sql) if end < 0 else end
        if code[start:end].strip():
            texts.append(StatementText(sql[start:end], start))
        start = end + 1
    return tuple(texts)
