"""COPY of a query or a table to its client, with options in either of the two ways to write them."""

from __future__ import annotations

from dpsql.sql.lex.statement_words import Words, is_name, parts_of, value_of
from dpsql.sql.lex.text import Text
from dpsql.sql.parse.client_statements import CopyOption, CopyOut


def copy_statement(words: Words, text: Text) -> CopyOut | None:
    """COPY of a query, or of a table as the query that reads it; None for another form."""
    if words.upper[1:2] == ("(",):
        end = words.closing(1)
        if end is None or not _is_out(words.behind(end + 1)):
            return None
        start = words.starts[2]
        query, options = text.sql[start : words.starts[end]], words.behind(end + 3)
    else:
        at = words.upper.index("TO") if "TO" in words.upper else len(words.upper)
        if not _is_out(words.behind(at)):
            return None
        query, start, options = _table_query(words, at, text), 0, words.behind(at + 2)
    read = _options(options)
    return CopyOut(query, start, read) if query and read is not None else None


def _is_out(words: Words) -> bool:
    """Whether these begin with TO STDOUT, which PostgreSQL lets clients write as TO STDIN, too: PHP does."""
    return words.upper[:1] == ("TO",) and words.upper[1:2] in (("STDOUT",), ("STDIN",))


def _table_query(words: Words, end: int, text: Text) -> str:
    """The query of COPY table (columns), with both as they are written."""
    opened = words.upper.index("(") if "(" in words.upper[:end] else end
    table = text.sql[words.starts[1] : words.starts[opened]].strip()
    if opened == end:
        return f"SELECT * FROM {table}"
    columns = text.sql[words.starts[opened] + 1 : words.starts[end]].strip().removesuffix(")")
    return f"SELECT {columns} FROM {table}"


def _options(words: Words) -> tuple[CopyOption, ...] | None:
    """None where they are not known."""
    if words.upper[:1] == ("WITH",):
        words = words.behind(1)
    if words.upper[:1] == ("(",):
        return _listed_options(words.behind(1)) if words.upper[-1] == ")" else None
    options: list[CopyOption] = []
    while words.upper:
        word = words.upper[0]
        if word in ("CSV", "BINARY", "HEADER"):
            options.append(("header", ("true",)) if word == "HEADER" else ("format", (word.lower(),)))
            words = words.behind(1)
        elif words.upper[:2] == ("FORCE", "QUOTE"):
            quoted = _listed(words.behind(2))
            options.append(("force_quote", quoted))
            words = words.behind(1 + 2 * len(quoted))
        elif word in ("DELIMITER", "NULL", "QUOTE", "ESCAPE", "ENCODING"):
            at = 1 + (words.upper[1:2] == ("AS",))
            options.append((word.lower(), tuple(map(value_of, words.written[at : at + 1]))))
            words = words.behind(at + 1)
        else:
            return None
    return tuple(options) if all(values for _, values in options) else None


def _listed(words: Words) -> tuple[str, ...]:
    """The names between commas that these words begin with."""
    named: list[str] = []
    while words.written and (is_name(words.written[0]) or words.written[0] == "*"):
        named.append(words.name(0))
        if words.written[1:2] != (",",):
            break
        words = words.behind(2)
    return tuple(named)


def _listed_options(words: Words) -> tuple[CopyOption, ...] | None:
    options: list[CopyOption] = []
    for name, *value in (part or ["?"] for part in parts_of(words.written[:-1])):  # "?" is no name
        is_list = value[:1] == ["("] and value[-1] == ")"
        listed = parts_of(value[1:-1]) if is_list else [value or ["true"]]
        if not is_name(name) or any(len(part) != 1 for part in listed):
            return None
        options.append((name.lower(), tuple(value_of(part[0]) for part in listed)))
    return tuple(options)
