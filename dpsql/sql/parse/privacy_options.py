"""SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(...), BigQuery's clause, taken off a checked text before anything parses it.

The clause is found in the text's code, where comments are blank and quoted pieces are masked, so that neither can hold
one. It stands once, directly behind the SELECT of the outermost query; what it says is read as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from dpsql.errors import Place
from dpsql.slotted import dataclass
from dpsql.sql.lex.text import Lines, Text, refuse_text

NAMES: Final = (
    "epsilon", "delta", "accuracy", "fresh", "clipping", "combine", "empty_conditions",
    "max_rows_contributed", "max_groups_contributed", "privacy_unit_column",
)  # fmt: skip
"""The options that are known."""
_KNOWN: Final = f"There is: {', '.join(NAMES)}."

_CLAUSE: Final = re.compile(
    r"(?<![\w$.])SELECT\s+(WITH\s+DIFFERENTIAL_PRIVACY)\b(?:\s*(OPTIONS)\s*(\())?", re.IGNORECASE
)
_EDGE: Final = re.compile(r"[()]|(?<![\w$.])SELECT\b", re.IGNORECASE)
_PARENTHESIS: Final = re.compile(r"[()]")
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
    clauses = list(_CLAUSE.finditer(text.code))
    if not clauses:
        return text, None
    outermost = _outermost(text.code)
    for clause in clauses:
        if clause.start() != outermost:
            reason = "WITH DIFFERENTIAL_PRIVACY stands only directly behind the SELECT of the outermost query"
            raise refuse_text(text.sql, clause.start(1), reason)
    (clause,) = clauses
    start, end = clause.span(1)
    options: tuple[Option, ...] = ()
    if clause.group(3) is not None:
        end = _end(text, clause.end(3))
        options = tuple(_options(text, clause.end(3), end - 1))
    sql, code = (
        whole[:start] + re.sub(r"[^\r\n]", " ", whole[start:end]) + whole[end:]
        for whole in (text.sql, text.code)
    )
    return replace(text, sql=sql, code=code, statement=sql[len(sql) - len(text.statement) :]), options


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
    edge = _PARENTHESIS.search(text.code, start)
    if edge is None or edge.group() != ")":
        at = start - 1 if edge is None else edge.start()
        raise refuse_text(text.sql, at, "OPTIONS takes options only, each as name = value")
    return edge.end()


def _options(text: Text, start: int, end: int) -> Iterator[Option]:
    seen: set[str] = set()
    for piece in text.code[start:end].split(","):
        option = _OPTION.fullmatch(text.code, start, start + len(piece))
        at = start if option is None else option.start(1)
        if option is None:
            raise refuse_text(text.sql, at, "an option is written as name = value", _KNOWN)
        name = option.group(1).lower()
        if name not in NAMES:
            raise refuse_text(text.sql, at, f"there is no option {name}", _KNOWN)
        if name in seen:
            raise refuse_text(text.sql, at, f"the option {name} is given twice")
        seen.add(name)
        yield Option(name, text.sql[option.start(2) : option.end(2)], Lines.of(text.sql).place(at))
        start += len(piece) + 1
