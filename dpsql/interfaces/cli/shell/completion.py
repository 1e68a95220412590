"""What may stand where the cursor is: names of tables, columns and functions, key words, and commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from dpsql.algebra.functions import FUNCTIONS
from dpsql.algebra.functions.aggregates import CALLS
from dpsql.interfaces.cli.shell.backslash_commands import COMMANDS
from dpsql.interfaces.cli.shell.statements import is_in_literal
from dpsql.slotted import dataclass
from dpsql.sql.system_tables.reports import TableReport

_WORD: Final = re.compile(r"\\?[\w+]*\Z")
_QUALIFIER: Final = re.compile(r"([\w.]+)\.\Z")
_AFTER_TABLE_WORD: Final = re.compile(r"(?:\b(?:from|join|describe)|\\d)\s+\Z", re.IGNORECASE)
_NAMED: Final = re.compile(r"\b(?:from|join)\s+([\w.]+)(?:\s+(?:as\s+)?(\w+))?", re.IGNORECASE)
_PLAIN: Final = re.compile(r"[a-z_][\w]*")
_KEYWORDS: Final = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "HAVING", "LIMIT", "JOIN", "LEFT JOIN", "ON", "USING", "AS",
    "AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "IS NULL", "IS NOT NULL", "CASE", "WHEN", "THEN", "ELSE", "END",
    "DISTINCT", "FILTER", "WITH", "UNION ALL", "EXISTS", "DESC", "ASC", "ROLLUP", "CUBE", "OVER", "PARTITION BY",
    "DATE", "TIMESTAMP", "INTERVAL", "CAST", "NULL", "TRUE", "FALSE", "EXPLAIN", "OPTIONS",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text for the word at the cursor, and what it is."""

    text: str
    what: str


@dataclass(frozen=True, slots=True)
class Names:
    """What can be named: the tables with their columns, and the functions."""

    tables: tuple[TableReport, ...]
    functions: tuple[str, ...]


def names_of(tables: Iterable[TableReport]) -> Names:
    """The names of these tables and of every function on private rows."""
    calls = {call.name for call in CALLS}
    spelled = {name for f in FUNCTIONS.values() for name in f.spellings if re.fullmatch(r"\w+", name)}
    return Names(tuple(tables), tuple(sorted({name.upper() for name in spelled | calls})))


def word_before(text: str) -> str:
    """The word that the cursor stands at the end of."""
    word = _WORD.search(text)
    return word[0] if word else ""


def candidates(before: str, whole: str, names: Names) -> Iterator[Candidate]:
    """What may complete the word at the end of `before`, the most likely first; `whole` is all that was typed."""
    word = word_before(before)
    if word.startswith("\\"):
        if not before[: -len(word)].strip():
            yield from _fitting(word, (Candidate(f"\\{name}", c.meaning) for name, c in COMMANDS.items()))
        return
    if is_in_literal(before):
        return
    yield from _fitting(word, _possible(before[: len(before) - len(word)], whole, names), least=1)


def _possible(before: str, whole: str, names: Names) -> Iterator[Candidate]:
    qualifier = _QUALIFIER.search(before)
    if qualifier is not None:
        yield from _qualified(qualifier[1].lower(), whole, names)
        return
    if _AFTER_TABLE_WORD.search(before):
        yield from _tables(names.tables)
        return
    mentioned = {table for table, _ in _sources(whole)}
    here = [t for t in names.tables if _table(t).lower() in mentioned]
    yield from _columns(here or [t for t in names.tables if not t.system])
    yield from (Candidate(f"{name}(", "function") for name in names.functions)
    yield from (Candidate(keyword, "key word") for keyword in _KEYWORDS)
    yield from _tables(names.tables)


def _qualified(qualifier: str, whole: str, names: Names) -> Iterator[Candidate]:
    """Columns of a table or of its alias, or the tables of a schema."""
    meant = {table for table, alias in _sources(whole) if alias == qualifier} | {qualifier}
    yield from _columns([t for t in names.tables if _table(t).lower() in meant])
    yield from (Candidate(_quoted(t.name), "table") for t in names.tables if t.schema.lower() == qualifier)


def _sources(whole: str) -> list[tuple[str, str]]:
    """The tables that a text names after FROM and JOIN, each with its alias or an empty text."""
    return [(found[1].lower(), (found[2] or "").lower()) for found in _NAMED.finditer(whole)]


def _tables(tables: Sequence[TableReport]) -> Iterator[Candidate]:
    yield from (Candidate(_table(t), "about the system" if t.system else "table") for t in tables)


def _columns(tables: Sequence[TableReport]) -> Iterator[Candidate]:
    yield from (Candidate(_quoted(c.name), f"{c.type} of {_table(t)}") for t in tables for c in t.columns)


def _table(table: TableReport) -> str:
    name = _quoted(table.name)
    return name if table.schema == "main" else f"{_quoted(table.schema)}.{name}"


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name.lower()) else '"' + name.replace('"', '""') + '"'


def _fitting(word: str, possible: Iterable[Candidate], least: int = 0) -> Iterator[Candidate]:
    """Those that begin with the word in any case, each text once; none for a word that is too short to say anything."""
    seen: set[str] = set()
    for found in possible:
        fits = found.text.lower().startswith(word.lower()) and found.text != word
        if (
            fits
            and found.text not in seen
            and (len(word) >= least or found.what not in ("function", "key word"))
        ):
            seen.add(found.text)
            yield found
