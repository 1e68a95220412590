"""What clients say about their session before they ask: settings and levels that change no answer here."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from dpsql.sql.lex.statement_words import Words
from dpsql.sql.lex.text import read_text, refuse_text

_FIRST: Final = re.compile(
    r"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*+\*/)*+"
    r"(SET|DISCARD|RESET|DEALLOCATE|UNLISTEN|CLOSE|USE|BEGIN|START|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT)\b",
    re.IGNORECASE,
)
# What a client may say of a setting, in lower case; None for anything.
_SETTINGS: Final = MappingProxyType[str, frozenset[str] | None](
    {
        **dict.fromkeys(
            ("application_name", "extra_float_digits", "client_min_messages", "bytea_output", "intervalstyle",
             "datestyle", "xmlbinary", "xmloption", "jit")
        ),
        **dict.fromkeys(("client_encoding", "names"), frozenset({"utf8", "utf-8", "unicode"})),
        "standard_conforming_strings": frozenset({"on", "true", "1"}),
        "timezone": frozenset({"utc", "gmt", "etc/utc", "z"}),
    }
)  # fmt: skip
_MODE: Final = r"(ISOLATION LEVEL (READ UNCOMMITTED|READ COMMITTED|REPEATABLE READ|SERIALIZABLE)|READ ONLY)"
_LEVEL: Final = re.compile(rf"(SESSION CHARACTERISTICS AS )?TRANSACTION {_MODE}( ,)?( {_MODE})?")
_TRANSACTIONS: Final = frozenset({"BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT"})
_FORGOTTEN: Final = frozenset({"DISCARD ALL", "RESET ALL", "DEALLOCATE ALL", "CLOSE ALL", "UNLISTEN *"})
_KNOWN: Final = (
    "SET of application_name, client_encoding, DateStyle, extra_float_digits or TimeZone 'UTC', SET SESSION "
    "CHARACTERISTICS and DISCARD ALL are taken and change nothing."
)


def changes_nothing(sql: object) -> bool:
    """Whether a text is such a statement, of those that are known to change nothing that is asked here.

    Nothing is set: no engine is told. Raises QueryRefused for other settings, and for transactions, which there are
    none of; False for any other text.
    """
    first = _FIRST.match(sql) if isinstance(sql, str) else None
    if first is None:
        return False
    text, at = read_text(sql), first.start(1)
    word, words = first.group(1).upper(), list(Words.of(text).written)
    if word in _TRANSACTIONS:
        reason, hint = f"{word} is not supported as a statement", "There are no transactions: leave it out."
        raise refuse_text(text.sql, at, reason, hint)
    said = " ".join(words).upper()
    if said in _FORGOTTEN or (word == "SET" and _is_known(words[1:])):
        return True
    raise refuse_text(text.sql, at, f"this form of {word} is not supported", _KNOWN)


def _is_known(words: list[str]) -> bool:
    if _LEVEL.fullmatch(" ".join(words).upper()):
        return True
    if words and words[0].upper() in ("SESSION", "LOCAL"):
        words = words[1:]
    if [w.upper() for w in words[:2]] == ["TIME", "ZONE"]:
        words = ["timezone", "=", *words[2:]]
    if words and words[0].upper() == "NAMES":
        words = ["names", "=", *words[1:]]
    if len(words) < 3 or words[1].upper() not in ("=", "TO") or words[0].lower() not in _SETTINGS:
        return False
    values = [w.strip("'\"") for w in words[2:] if w != ","]
    return len(values) in (1, 2) and is_harmless(words[0], " ".join(values))


def is_harmless(name: str, value: str) -> bool:
    """Whether a setting may be given a value because that changes no answer."""
    allowed = _SETTINGS.get(name.lower(), frozenset())
    return allowed is None or value.lower() in allowed
