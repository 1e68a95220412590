"""PREPARE and EXECUTE: the words of a statement's types and values, of which only constants are taken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dpsql.sql.lex.statement_words import Words, is_name, name_of, parts_of
from dpsql.sql.parse.client_statements import Constant, Execute, Prepare

_NUMBER: Final = re.compile(r"-?(\d+(\.\d*)?|\.\d+)(e-?\d+)?", re.IGNORECASE)
_BARE: Final = frozenset({"TRUE", "FALSE"})


def prepare_statement(words: Words, sql: str) -> Prepare | None:
    """PREPARE name (types) AS query; None for another form."""
    if len(words.upper) < 4 or not is_name(words.written[1]):
        return None
    types: tuple[str, ...] = ()
    at = 2
    if words.upper[2] == "(":
        end = words.closing(2)
        if end is None or not all(listed := parts_of(words.written[3:end])):
            return None
        types, at = tuple(_type(part) for part in listed), end + 1
    if words.upper[at : at + 1] != ("AS",) or at + 1 >= len(words.starts):
        return None
    start = words.starts[at + 1]
    return Prepare(words.name(1), types, sql[start:], start)


def execute_statement(words: Words) -> Execute | None:
    """EXECUTE name (constants); None for another form."""
    if len(words.upper) < 2 or not is_name(words.written[1]):
        return None
    if len(words.upper) == 2:
        return Execute(words.name(1))
    end = words.closing(2) if words.upper[2] == "(" else None
    if end is None or end + 1 != len(words.upper) or end == 3:
        return None
    constants = [_constant(part) for part in parts_of(words.written[3:end])]
    values = tuple(c for c in constants if c is not None)
    return Execute(words.name(1), values) if len(values) == len(constants) else None


def _type(words: Sequence[str]) -> str:
    """A type in one spelling: lower case, one space between words, none around brackets and parentheses."""
    return re.sub(r" ?([\[\]()]) ?", r"\1", " ".join(name_of(word) for word in words)).strip()


def _constant(words: Sequence[str]) -> Constant | None:
    """'text', 12, -1.5, TRUE, NULL, each perhaps with ::type behind it, or a type before a text."""
    match list(words):
        case [word]:
            return _plain(word, None)
        case ["-" | "+" as sign, word] if _NUMBER.fullmatch(word):
            return _plain(sign.strip("+") + word, None)
        case [word, ":", ":", *kind] if kind:
            return _plain(word, _type(kind))
        case ["-", word, ":", ":", *kind] if kind and _NUMBER.fullmatch(word):
            return _plain("-" + word, _type(kind))
        case [kind, word] if word.startswith("'") and re.fullmatch(r"[^\W\d]\w+", kind):
            return _plain(word, _type([kind]))
    return None


def _plain(word: str, kind: str | None) -> Constant | None:
    if word.startswith("'"):
        return Constant(word[1:-1].replace("''", "'"), kind)
    if word.upper() == "NULL":
        return Constant(None, kind)
    is_constant = word.upper() in _BARE or _NUMBER.fullmatch(word) is not None
    return Constant(word, kind) if is_constant else None
