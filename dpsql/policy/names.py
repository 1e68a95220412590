"""How names are compared: tables and columns as DuckDB compares them, analysts after Unicode folding."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

_UNWRITABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_NO_CHARACTERS = "\ufffe\uffff"
RESERVED_SCHEMAS = frozenset(
    {"dpsql", "dpsql_information_schema", "dpsql_own", "information_schema", "pg_catalog", "system", "temp"}
)


def fold_name(name: str) -> str:
    """An analyst's name as it is compared and stored: NFKC, case-folded; folding twice changes nothing."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def fold_table(name: str) -> str:
    """A table's name as it is compared: any case, and `main.t` is `t`."""
    return name.lower().removeprefix("main.")


def name_mistake(name: str) -> str | None:
    """Why no query could write this name, or None."""
    if not name.strip():
        return "a name must not be empty"
    if any(unicodedata.category(c) in _UNWRITABLE or c in _NO_CHARACTERS for c in name):
        return "a name must not hold control or invisible characters"
    return None


def table_name_mistake(name: str) -> str | None:
    """Why this cannot be a table's name, or None; one dot separates a schema from a table."""
    parts = name.split(".")
    if len(parts) > 2:
        return "a table's name holds at most one dot, as in schema.table"
    if len(parts) == 2 and parts[0].lower() in RESERVED_SCHEMAS:
        return f"the schema {parts[0]} is reserved; choose another"
    return next(filter(None, map(name_mistake, parts)), None)


def analyst_name_mistake(name: str) -> str | None:
    """Why this cannot be an analyst's name, or None; `dataset` is the account of all analysts together."""
    if name != name.strip():
        return "an analyst's name must not begin or end with a space"
    if fold_name(name) == "dataset":
        return "`dataset` names the account of all analysts together; choose another name"
    return name_mistake(name)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` did you mean `upper`?` with the closest known name, or an empty text."""
    names = {k.lower(): k for k in known}
    close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.6)
    return f"; did you mean `{names[close[0]]}`?" if close else ""
