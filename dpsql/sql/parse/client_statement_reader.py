"""Reads a client's statements about its session, word by word and as a whole.

Of the text only names, values and an inner query are kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from dpsql.sql.lex.statement_words import Words, is_name, name_of, parts_of, value_of
from dpsql.sql.lex.text import Text, read_text, refuse_text
from dpsql.sql.parse.client_statements import (
    Begin,
    ClientStatement,
    CloseCursor,
    Commit,
    Deallocate,
    Declare,
    Discard,
    Fetch,
    Listen,
    Mark,
    Release,
    Reset,
    Rollback,
    Savepoint,
    SetCall,
    SetConstraints,
    SettingCalls,
    SetTransaction,
    SetValue,
    Show,
    Unlisten,
    Way,
)
from dpsql.sql.parse.copy_statements import copy_statement
from dpsql.sql.parse.prepared_statements import execute_statement, prepare_statement

_FIRST: Final = re.compile(
    r"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*+\*/)*+"
    r"(ABORT|BEGIN|CLOSE|COMMIT|COPY|DEALLOCATE|DECLARE|DISCARD|END|EXECUTE|FETCH|LISTEN|MOVE|PREPARE|RELEASE|RESET|ROLLBACK|"
    r"SAVEPOINT|SET|SHOW|START|UNLISTEN)\b",
    re.IGNORECASE,
)
_SETTING_CALL: Final = re.compile(
    r"\s*SELECT\s+(?:pg_catalog\.)?(?:set_config|current_setting)\s*\(", re.IGNORECASE
)
_MODE: Final = re.compile(
    r"ISOLATION LEVEL (READ UNCOMMITTED|READ COMMITTED|REPEATABLE READ|SERIALIZABLE)(?: , | |$)"
    r"|(READ (?:ONLY|WRITE))(?: , | |$)|((?:NOT )?DEFERRABLE)(?: , | |$)"
)
_DECLARED: Final = re.compile(
    r"((?:BINARY |ASENSITIVE |INSENSITIVE |SCROLL |NO SCROLL )*)CURSOR(?: WITHOUT HOLD| WITH HOLD)?"
)
_COUNT: Final = re.compile(r"-?\d{1,9}")
_HINT: Final = (
    "Queries are answered; SET, SHOW, BEGIN, COMMIT, DECLARE, FETCH and COPY (query) TO STDOUT are known."
)
_HINTS: Final = MappingProxyType(
    {
        "PREPARE": "Write PREPARE name (int8, text) AS SELECT ..., with parameters $1, $2, ...",
        "EXECUTE": "Write EXECUTE name (1, 'a', NULL): values are constants, and an array is a text such as '{a,b}'.",
    }
)


def client_statement(sql: str) -> ClientStatement | None:
    """What a text says about the session; None where it is to be answered as a query.

    Raises QueryRefused for such a statement in another form.
    """
    first = _FIRST.match(sql)
    if first is None:
        return setting_calls(sql) if _SETTING_CALL.match(sql) is not None else None
    text = read_text(sql)
    words = Words.of(text)
    read = _of_words(first.group(1).upper(), words, text)
    if read is None:
        reason = f"this form of {first.group(1).upper()} is not supported"
        raise refuse_text(text.sql, first.start(1), reason, _HINTS.get(first.group(1).upper(), _HINT))
    return read


def setting_calls(sql: str) -> SettingCalls | None:
    """A SELECT of nothing but set_config and current_setting of constants; None for any other, which sets nothing."""
    items = []
    for part in parts_of(Words.of(read_text(sql)).written[1:]):
        at = len(part) - part[::-1].index(")") if ")" in part else 0
        asked, alias = _setting_call(part[:at]), part[at:]
        if len(alias) == 2 and alias[0].upper() == "AS":
            alias = alias[1:]
        if asked is None or len(alias) > 1 or not all(map(is_name, alias)):
            return None
        own = "set_config" if isinstance(asked, SetCall) else "current_setting"
        items.append((name_of(alias[0]) if alias else own, asked))
    return SettingCalls(tuple(items))


def _setting_call(call: list[str]) -> SetCall | Show | None:
    name = call[0].upper().removeprefix("PG_CATALOG.") if call[1:2] == ["("] else ""
    match name, parts_of(call[2:-1]):
        case "SET_CONFIG", [setting, value, [local]] if local.upper() in ("TRUE", "FALSE"):
            asked, given = _given(setting), _given(value) or _setting_call(value)
            if asked is not None and given is not None and not isinstance(given, SetCall):
                return SetCall(asked, given, local.upper() == "TRUE")
        case "CURRENT_SETTING", [[text]] if text.startswith("'"):
            return Show(value_of(text))
        case "CURRENT_SETTING", [[text], [missing_ok]] if missing_ok.upper() in ("TRUE", "FALSE"):
            return Show(value_of(text)) if text.startswith("'") else None
    return None


def _given(words: list[str]) -> str | Mark | None:
    """A constant text or a parameter; None for anything else."""
    match words:
        case [text] if text.startswith("'"):
            return value_of(text)
        case ["$", number] if number.isdecimal() and len(number) < 6:
            return Mark(int(number))
    return None


def _of_words(first: str, words: Words, text: Text) -> ClientStatement | None:
    match first:
        case "BEGIN" | "START" | "COMMIT" | "END" | "ROLLBACK" | "ABORT" | "SAVEPOINT" | "RELEASE":
            return _transaction(words)
        case "SET" | "RESET" | "SHOW":
            return _setting(words)
        case "DECLARE":
            return _declare(words, text)
        case "FETCH" | "MOVE":
            return _fetch(words)
        case "COPY":
            return copy_statement(words, text)
        case "PREPARE":
            return prepare_statement(words, text.sql)
        case "EXECUTE":
            return execute_statement(words)
        case _:
            return _forget(words)


def _transaction(words: Words) -> ClientStatement | None:
    said = [w for w in words.upper if w not in ("WORK",)]
    match said:
        case ["BEGIN", "TRANSACTION", *modes] | ["BEGIN", *modes] | ["START", "TRANSACTION", *modes]:
            tag = "BEGIN" if said[0] == "BEGIN" else "START TRANSACTION"
            read = _modes(modes)
            return Begin(tag, read) if read is not None else None
        case ["COMMIT" | "END", *rest] if (chain := _chained(rest)) is not None:
            return Commit(chain)
        case ["ROLLBACK" | "ABORT", *rest] if (chain := _chained(rest)) is not None:
            return Rollback(chain=chain)
        case ["ROLLBACK", *_, "TO", name] | ["ROLLBACK", *_, "TO", "SAVEPOINT", name] if is_name(name):
            return Rollback(words.name(-1))
        case ["SAVEPOINT", name] if is_name(name):
            return Savepoint(words.name(-1))
        case ["RELEASE", name] | ["RELEASE", "SAVEPOINT", name] if is_name(name):
            return Release(words.name(-1))
    return None


def _chained(rest: Sequence[str]) -> bool | None:
    """Whether another transaction begins behind the end of one; None where something else is said."""
    match rest:
        case [] | ["TRANSACTION"] | ["AND", "NO", "CHAIN"] | ["TRANSACTION", "AND", "NO", "CHAIN"]:
            return False
        case ["AND", "CHAIN"] | ["TRANSACTION", "AND", "CHAIN"]:
            return True
    return None


def _modes(words: Sequence[str]) -> tuple[tuple[str, str], ...] | None:
    """The kind of a transaction as settings with their values; None where it says something else."""
    said, at, modes = " ".join(words), 0, []
    while at < len(said):
        mode = _MODE.match(said, at)
        if mode is None:
            return None
        level, access, deferrable = mode.groups()
        if level:
            modes.append(("transaction_isolation", level.lower()))
        elif access:
            modes.append(("transaction_read_only", "on" if access == "READ ONLY" else "off"))
        else:
            modes.append(("transaction_deferrable", "on" if deferrable == "DEFERRABLE" else "off"))
        at = mode.end()
    return tuple(modes) if not said.endswith(",") else None


def _kind(words: Sequence[str], *, session: bool) -> SetTransaction | None:
    modes = _modes(words)
    return SetTransaction(modes, session) if modes else None


def _setting(words: Words) -> ClientStatement | None:
    match words.upper:
        case ("SET", "SESSION", "CHARACTERISTICS", "AS", "TRANSACTION", *said):
            return _kind(said, session=True)
        case ("SET", "TRANSACTION", *said):
            return _kind(said, session=False)
        case ("SET", "CONSTRAINTS", "ALL", "DEFERRED" | "IMMEDIATE"):
            return SetConstraints()
        case ("RESET", "ALL"):
            return Reset(None)
        case ("RESET", "TIME", "ZONE"):
            return Reset("timezone")
        case ("RESET", "SESSION", "AUTHORIZATION"):
            return Reset("role")
        case ("RESET", _):
            return Reset(words.name(1))
        case ("SHOW", "TIME", "ZONE"):
            return Show("timezone")
        case ("SHOW", "SESSION", "AUTHORIZATION"):
            return Show("session_authorization")
        case ("SHOW", "TRANSACTION", "ISOLATION", "LEVEL"):
            return Show("transaction_isolation")
        case ("SHOW", *said):
            return Show(words.name(1) if len(said) == 1 else "")
        case ("SET", "SESSION", "AUTHORIZATION", _):
            return _assignment(words.behind(1), local=False)
        case ("SET", "LOCAL" | "SESSION" as scope, *_):
            return _assignment(words.behind(2), local=scope == "LOCAL")
    return _assignment(words.behind(1), local=False)


def _assignment(words: Words, *, local: bool) -> SetValue | None:
    match words.upper:
        case ("TIME", "ZONE", _):
            name, values = "timezone", words.written[2:]
        case ("TIME", "ZONE", "INTERVAL", _, "HOUR", "TO", "MINUTE"):
            name, values = "timezone", words.written[3:4]
        case ("NAMES" | "SCHEMA" as word, _):
            name, values = "client_encoding" if word == "NAMES" else "search_path", words.written[1:]
        case ("ROLE", "NONE" | "'none'"):
            return SetValue("role", "none", local)
        case ("SESSION", "AUTHORIZATION", "DEFAULT"):
            return SetValue("role", None, local)  # nobody is another than who has logged in
        case (_, "=" | "TO", *_):
            name, values = words.name(0), words.written[2:]
        case _:
            return None
    items = [v for v in values if v != ","]
    if not items or len(values) != 2 * len(items) - 1 or "," in values[::2]:
        return None
    if [v.upper() for v in items] in (["DEFAULT"], ["LOCAL"] if name == "timezone" else ["DEFAULT"]):
        return SetValue(name, None, local)
    written = _schema if name == "search_path" and len(items) > 1 else value_of
    return SetValue(name, ", ".join(map(written, items)), local)


def _schema(word: str) -> str:
    """A schema as it stands in a list of several: in quotes where it is no plain name, as in "$user"."""
    name = value_of(word)
    return name if re.fullmatch(r"[a-z_][a-z0-9_]*", name) else f'"{name}"'


def _forget(words: Words) -> ClientStatement | None:
    match words.upper:
        case ("DEALLOCATE", "ALL") | ("DEALLOCATE", "PREPARE", "ALL"):
            return Deallocate(None)
        case ("DEALLOCATE", name) | ("DEALLOCATE", "PREPARE", name) if is_name(name):
            return Deallocate(words.name(-1))
        case ("DISCARD", "ALL" | "PLANS" | "SEQUENCES" | "TEMP" as what):
            return Discard(what)
        case ("DISCARD", "TEMPORARY"):
            return Discard("TEMP")
        case ("CLOSE", "ALL"):
            return CloseCursor(None)
        case ("CLOSE", name) if is_name(name):
            return CloseCursor(words.name(-1))
        case ("LISTEN", name) if is_name(name):
            return Listen()
        case ("UNLISTEN", _):
            return Unlisten()
    return None


def _declare(words: Words, text: Text) -> Declare | None:
    if "FOR" not in words.upper or len(words.upper) < 5 or not is_name(words.written[1]):
        return None
    at = words.upper.index("FOR")
    said = " ".join(words.upper[2:at])
    declared = _DECLARED.fullmatch(said)
    if declared is None or at + 1 == len(words.starts):
        return None
    start, kind = words.starts[at + 1], declared.group(1)
    hold, back, binary = said.endswith("WITH HOLD"), "NO SCROLL" not in kind, "BINARY" in kind
    return Declare(words.name(1), text.sql[start:], start, hold, back, binary)


def _fetch(words: Words) -> Fetch | None:
    move, name = words.upper[0] == "MOVE", words.name(-1)
    if not is_name(words.written[-1]) or len(words.upper) < 2:
        return None
    said = list(words.upper[1:-1])
    if said and said[-1] in ("FROM", "IN"):
        said.pop()
    match said:
        case ["FIRST" | "LAST" as end]:
            return Fetch(name, 1 if end == "FIRST" else -1, move, Way.ABSOLUTE)
        case ["ABSOLUTE" | "RELATIVE" as way, count] if _COUNT.fullmatch(count):
            return Fetch(name, int(count), move, Way[way])
        case [] | ["NEXT"]:
            return Fetch(name, 1, move)
        case ["PRIOR"]:
            return Fetch(name, 1, move, Way.BACKWARD)
        case ["FORWARD" | "BACKWARD" as way, *most]:
            return _counted(name, most, move, Way[way])
    return _counted(name, said, move, Way.FORWARD)


def _counted(name: str, most: list[str], move: bool, way: Way) -> Fetch | None:
    match most:
        case []:
            return Fetch(name, 1, move, way)
        case ["ALL"]:
            return Fetch(name, None, move, way)
        case [count] if _COUNT.fullmatch(count):
            return Fetch(name, int(count), move, way)
    return None
