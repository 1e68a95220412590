"""SHOW, DESCRIBE, PRAGMA and SELECT version(), as tools send them, become queries on system tables.

A statement is matched token by token, as a whole; the query that it becomes passes the same gate as any other. Only
names of the policy's tables and aliases are copied from the statement, quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.scan import quoted
from dpsql.algebra.system_tables import CATALOG, MAIN, VERSION, system_name
from dpsql.errors import Place, QueryRefused, Refusal
from dpsql.sql.dialect import Token, TokenType
from dpsql.sql.lex.text import read_text
from dpsql.sql.lex.tokens import read_tokens, refuse_at, word_of
from dpsql.sql.system_tables.pg_settings import setting

# Possessive, since backtracking over many comments would take quadratic time.
_FIRST: Final = re.compile(
    r"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*+\*/)*+(?:(SHOW|DESCRIBE|DESC|PRAGMA)\b|SELECT\s+(\w+)\b)",
    re.IGNORECASE,
)
_HINT: Final = (
    "SHOW TABLES, SHOW SCHEMAS, SHOW DATABASES, SHOW COLUMNS FROM t, DESCRIBE t and PRAGMA table_info('t') are "
    "answered; so are queries on information_schema.tables and information_schema.columns."
)
_TABLES: Final = (
    "SELECT table_name AS name FROM information_schema.tables WHERE table_type = 'BASE TABLE'{} ORDER BY 1"
)
_SCHEMAS: Final = (
    "SELECT catalog_name AS database_name, schema_name, schema_name = 'main' AS \"current\" "
    "FROM information_schema.schemata ORDER BY schema_name"
)
_DATABASES: Final = f"SELECT '{CATALOG}' AS database_name"
_SEARCH_PATH: Final = f"SELECT '{MAIN}' AS search_path"
_SETTINGS: Final = (
    "SELECT name, setting, short_desc AS description FROM pg_catalog.pg_settings ORDER BY lower(name)"
)
_OF_TABLE: Final = (
    "FROM information_schema.columns WHERE table_schema = {} AND table_name = {} ORDER BY ordinal_position"
)
_DESCRIBED: Final = (
    'SELECT column_name, data_type AS column_type, is_nullable AS "null", CAST(NULL AS VARCHAR) AS "key", '
    'CAST(NULL AS VARCHAR) AS "default", CAST(NULL AS VARCHAR) AS extra ' + _OF_TABLE
)
_TABLE_INFO: Final = (
    "SELECT ordinal_position - 1 AS cid, column_name AS name, data_type AS type, is_nullable = 'NO' AS \"notnull\", "
    "CAST(NULL AS VARCHAR) AS dflt_value, FALSE AS pk " + _OF_TABLE
)
_NAMES: Final = frozenset({"VERSION", "CURRENT_SCHEMA", "CURRENT_DATABASE", "CURRENT_CATALOG"})
_WITHOUT_CALL: Final = frozenset(
    {"CURRENT_SCHEMA", "CURRENT_CATALOG", "CURRENT_ROLE", "CURRENT_USER", "SESSION_USER", "USER"}
)
_QUALIFIERS: Final = frozenset({"PG_CATALOG"})

Items = tuple[Token, ...]


def introspected(sql: str, catalog: Catalog, analyst: str) -> str:
    """The query that such a statement means; any other text unchanged.

    Raises QueryRefused for SHOW, DESCRIBE and PRAGMA in other forms.
    """
    first = _FIRST.match(sql) if isinstance(sql, str) else None
    if first is None or (first.group(2) is not None and not _may_name(first.group(2))):
        return sql
    if first.group(1) is None:
        return _constants(sql, analyst) or sql
    text = read_text(sql)
    items = read_tokens(text.sql, text.code).items
    return sql if text.explain else _statement(items, catalog)


def _may_name(word: str) -> bool:
    return word.upper() in _NAMES | _WITHOUT_CALL | _QUALIFIERS


def _statement(items: Items, catalog: Catalog) -> str:
    match [word_of(t) for t in items]:
        case ["SHOW", "TABLES"] | ["PRAGMA", "SHOW_TABLES"]:
            return _TABLES.format("")
        case ["SHOW", "TABLES", "FROM" | "IN", _]:
            return _TABLES.format(f" AND lower(table_schema) = {_literal(_name(items[3]).lower())}")
        case ["SHOW", "SCHEMAS"]:
            return _SCHEMAS
        case ["SHOW", "DATABASES"]:
            return _DATABASES
        case ["SHOW", "SEARCH_PATH"]:
            return _SEARCH_PATH
        case ["SHOW", "COLUMNS", "FROM" | "IN", _, *_]:
            return _about(_DESCRIBED, items[3:], catalog)
        case ["DESCRIBE" | "DESC", "TABLE", _, *_]:
            return _about(_DESCRIBED, items[2:], catalog)
        case ["DESCRIBE" | "DESC", _, *_]:
            return _about(_DESCRIBED, items[1:], catalog)
        case ["PRAGMA", "TABLE_INFO", "(", _, *_, ")"]:
            return _about(_TABLE_INFO, items[3:-1], catalog)
        case ["SHOW", "ALL"]:
            return _SETTINGS
        case ["SHOW", *_] if (setting := _setting(items[1:])) is not None:
            return f"SELECT {_literal(setting[1])} AS {quoted(setting[0])}"
        case ["SHOW", _]:
            place, reason = Place(items[1].line, items[1].col), f'there is no setting "{items[1].text[:60]}"'
            raise QueryRefused(reason, place=place, hint=_HINT, kind=Refusal.NO_SETTING)
    raise refuse_at(items[0], f"this form of {items[0].text.upper()} is not supported", _HINT)


def _setting(items: Items) -> tuple[str, str] | None:
    """The name and value of the setting after SHOW, also by its name in standard SQL."""
    words = " ".join(map(word_of, items))
    name = {"TRANSACTION ISOLATION LEVEL": "transaction_isolation", "TIME ZONE": "TimeZone"}.get(words, words)
    value = setting(name)
    return None if value is None else (name.lower() if name == words else name, value)


def _name(token: Token) -> str:
    if token.token_type is not TokenType.IDENTIFIER and not re.fullmatch(r"[^\W\d]\w*", token.text):
        raise refuse_at(token, "a name is expected here", _HINT)
    return token.text


def _about(query: str, items: Items, catalog: Catalog) -> str:
    """The query about the table that these tokens name: t, schema.t, or 't' in PRAGMA."""
    if len(items) == 1 and items[0].token_type is TokenType.STRING:
        parts = items[0].text.split(".")
    elif len(items) in (1, 3, 5) and all(word_of(t) == "." for t in items[1::2]):
        parts = [_name(t) for t in items[::2]]
    else:
        raise refuse_at(items[0], "nothing but the name of a table is expected here", _HINT)
    table = _schema_and_name(parts, catalog)
    if table is None:
        names = ", ".join(sorted(t.name for t in catalog.tables.values()))
        raise refuse_at(items[0], f'there is no table "{".".join(parts)}"', f"There is: {names}.")
    return query.format(*map(_literal, table))


def _schema_and_name(parts: Sequence[str], catalog: Catalog) -> tuple[str, str] | None:
    """The schema and the name of a table as information_schema.columns has them."""
    if len(parts) == 3 and parts[0].lower() == CATALOG:
        parts = parts[1:]
    if len(parts) > 2:
        return None
    if len(parts) == 2 and (system_name(*parts) or "").startswith("dpsql."):
        return parts[0].lower(), parts[1].lower()
    info = catalog.named(parts[0] if len(parts) == 2 else "", parts[-1])
    if info is None:
        return None
    schema, _, table = info.name.rpartition(".")
    return schema or MAIN, table


def _constants(sql: str, analyst: str) -> str | None:
    """A SELECT of constants of a connection, such as version() or session_user, with aliases; None for any other."""
    try:
        text = read_text(sql)
        rest = read_tokens(text.sql, text.code).items[1:]
    except QueryRefused:  # whatever else it is
        return None
    selected = []
    while rest:
        constant = _constant(rest, analyst)
        if constant is None:
            return None
        value, name, rest = constant
        name, rest = _aliased(name, rest)
        selected.append(f"{_literal(value)} AS {quoted(name)}")
        if rest and (word_of(rest[0]) != "," or len(rest) == 1):
            return None
        rest = rest[1:]
    return f"SELECT {', '.join(selected)}"


def _constant(items: Items, analyst: str) -> tuple[str, str, Items] | None:
    """The value and name of the constant at the beginning, and the tokens after it."""
    words = [word_of(t) for t in items[:5]]
    if words[:2] == ["PG_CATALOG", "."]:
        items, words = items[2:], words[2:]
    if len(words) > 2 and words[0] in _NAMES and words[1:3] == ["(", ")"]:
        return _value(words[0], analyst), f"{words[0].lower()}()", items[3:]
    if words and words[0] in _WITHOUT_CALL:
        return _value(words[0], analyst), words[0].lower(), items[1:]
    return None


def _value(name: str, analyst: str) -> str:
    constants = {"VERSION": f"dpsql {VERSION}", "CURRENT_SCHEMA": MAIN}
    databases = dict.fromkeys(("CURRENT_DATABASE", "CURRENT_CATALOG"), CATALOG)
    return (constants | databases).get(name, analyst)


def _aliased(name: str, items: Items) -> tuple[str, Items]:
    if items and items[0].token_type is TokenType.ALIAS:
        return (_name(items[1]), items[2:]) if len(items) > 1 else (name, items)
    if items and (items[0].token_type in (TokenType.IDENTIFIER, TokenType.VAR)):
        return _name(items[0]), items[1:]
    return name, items


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
