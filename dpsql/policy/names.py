"""How names are compared: tables and columns as DuckDB compares them, analysts after Unicode folding."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable

_UNWRITABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_NO_CHARACTERS = "\ufffe\uffff"
# In analysts' names unassigned and private-use characters are not allowed either.
_UNSEEN = _UNWRITABLE | {"Cn", "Co"}
_MOST_OF_NAME = 128
# Letters and marks that Unicode calls ignorable or fillers, or that are drawn as blanks.
_IGNORED = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
_BLANK = re.compile(r"[^\S ]|  ")
OWN = "#"
"""How names begin that engines add to those of a policy: of databases and views, and of columns such as the unit."""
RESERVED_SCHEMAS = frozenset(
    {
        *("dpsql", "dpsql_information_schema", "dpsql_own", "information_schema"),
        *("memory", "pg_catalog", "system", "temp"),
    }
)


def fold_name(name: str) -> str:
    """An analyst's name as it is compared and stored: NFKC, case-folded; folding twice changes nothing."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def fold_table(name: str) -> str:
    """A table's name as it is compared: any case, and `main.t` is `t`."""
    return name.lower().removeprefix("main.")


def same_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that differs from this one in case at most, or None."""
    return next((k for k in known if k.lower() == name.lower()), None)


def name_mistake(name: str) -> str | None:
    """Why no query could write this name, or None."""
    if not name.strip():
        return "a name must not be empty"
    if any(unicodedata.category(c) in _UNWRITABLE or c in _NO_CHARACTERS for c in name):
        return "a name must not hold control or invisible characters"
    return None


def column_name_mistake(name: str) -> str | None:
    """Why this cannot be the name of a listed column, or None: engines add columns and views of their own."""
    if name.startswith(OWN):
        return f"names that begin with {OWN} are dpsql's own: rename it in the source, or in a view of it"
    return name_mistake(name)


def table_name_mistake(name: str) -> str | None:
    """Why this cannot be a table's name, or None; one dot separates a schema from a table."""
    parts = name.split(".")
    if len(parts) > 2:
        return "a table's name holds at most one dot, as in schema.table"
    if len(parts) == 2 and parts[0].lower() in RESERVED_SCHEMAS:
        return f"the schema {parts[0]} is reserved; choose another"
    return next(filter(None, map(column_name_mistake, parts)), None)


def analyst_name_mistake(name: str) -> str | None:
    """Why this cannot be an analyst's name, or None; `dataset` is the account of all analysts together."""
    if fold_name(name) == "dataset":
        return "`dataset` names the account of all analysts together; choose another name"
    return account_name_mistake(name)


def account_name_mistake(name: str) -> str | None:
    """Why no account can have this name, or None: names that look alike would have budgets of their own.

    The rule holds for the name and for its folded form, which may hold other characters.
    """
    return _unlike(name) or _unlike(fold_name(name))


def _unlike(name: str) -> str | None:
    if not 1 <= len(name) <= _MOST_OF_NAME:
        return f"a name has 1 to {_MOST_OF_NAME} characters"
    if any(unicodedata.category(c) in _UNSEEN for c in name) or _IGNORED.search(name):
        return "a name must not hold control or invisible characters"
    if name != name.strip() or _BLANK.search(name):
        return "a name must not begin or end with a blank, and between its words stands one space"
    composed = unicodedata.normalize("NFC", name)
    if name != composed:
        return f"a name is written in composed characters (Unicode NFC), here {composed}"
    return None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` did you mean `upper`?` with the closest known name, or an empty text."""
    names = {k.lower(): k for k in known}
    close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.6)
    return f"; did you mean `{names[close[0]]}`?" if close else ""
