"""SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(...), BigQuery's clause, taken off a checked text before anything parses it.

The clause is found in the text's code, where comments are blank and quoted pieces are masked, so that neither can hold
one. It stands once, directly behind the SELECT of the outermost query; what it says is read as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from dpsql.errors import Place, QueryRefused
from dpsql.sql.lex.text import Lines, Text

NAMES: Final = (
    "epsilon",
    "delta",
    "accuracy",
    "fresh",
    "max_rows_contributed",
    "max_groups_contributed",
    "privacy_unit_column",
)
"""The options that are known."""

_CLAUSE: Final = re.compile(
    r"(?<![\w$.])SELECT\s+(WITH\s+DIFFERENTIAL_PRIVACY)\b(?:\s*(OPTIONS)\s*(\())?", re.IGNORECASE
)
_EDGE: Final = re.compile(r"[()]|(?<![\w$.])SELECT\b", re.IGNORECASE)
_OPTION: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(\S(?:.*\S)?)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Option:
    """One option as it is written: its name in lower case, the text of its value, and where it stands."""

    name: str
    value: str
    place: Place


def says_options(text: Text) -> bool:
    """Whether a text may have the clause: its options are read as they are written."""
    return "DIFFERENTIAL_PRIVACY" in text.code.upper()


def peel_options(text: Text) -> tuple[Text, tuple[Option, ...] | None]:
    """The text with the clause blanked, offsets as before, and its options; None for a text without it.

    Raises QueryRefused for a clause in another place, a second one, and what is no list of known options.
    """
    found = list(_CLAUSE.finditer(text.code))
    if not found:
        return text, None
    outermost = _outermost(text.code)
    for clause in found:
        if clause.start() != outermost:
            raise _refusal(
                text.sql,
                clause.start(1),
                "WITH DIFFERENTIAL_PRIVACY stands only directly behind the SELECT of the outermost query",
            )
    (clause,) = found
    end = clause.end(1) if clause.group(3) is None else _end(text, clause.end(3))
    options = () if clause.group(3) is None else tuple(_options(text, clause.end(3), end - 1))
    return _blanked(text, clause.start(1), end), options


def _outermost(code: str) -> int | None:
    """Where the first SELECT outside of parentheses stands."""
    depth = 0
    for edge in _EDGE.finditer(code):
        word = edge.group()
        if word not in "()" and depth == 0:
            return edge.start()
        depth += (word == "(") - (word == ")")
    return None


def _end(text: Text, start: int) -> int:
    """The end of the list of options that begins at `start`."""
    edge = re.compile(r"[()]").search(text.code, start)
    if edge is None or edge.group() != ")":
        at = start - 1 if edge is None else edge.start()
        raise _refusal(text.sql, at, "OPTIONS takes options only, each as name = value")
    return edge.end()


def _options(text: Text, start: int, end: int) -> Iterator[Option]:
    seen: set[str] = set()
    for piece in re.compile(r"[^,]*").finditer(text.code, start, end):
        if piece.start() == piece.end() and piece.start() != start and text.code[piece.start() - 1] != ",":
            continue
        option = _OPTION.fullmatch(text.code, piece.start(), piece.end())
        name = option.group(1).lower() if option is not None else ""
        if option is None or name not in NAMES:
            at = piece.start() if option is None else option.start(1)
            reason = (
                "an option is written as name = value" if option is None else f"there is no option {name}"
            )
            raise _refusal(text.sql, at, reason, f"There is: {', '.join(NAMES)}.")
        if name in seen:
            raise _refusal(text.sql, option.start(1), f"the option {name} is given twice")
        seen.add(name)
        value = text.sql[option.start(2) : option.end(2)]
        yield Option(name, value, Lines.of(text.sql).place(option.start(1)))


def _blanked(text: Text, start: int, end: int) -> Text:
    sql, code = (
        whole[:start] + re.sub(r"[^\r\n]", " ", whole[start:end]) + whole[end:]
        for whole in (text.sql, text.code)
    )
    return replace(text, sql=sql, code=code, statement=sql[len(sql) - len(text.statement) :])


def _refusal(sql: str, at: int, reason: str, hint: str | None = None) -> QueryRefused:
    return QueryRefused(reason, place=Lines.of(sql).place(at), hint=hint)
