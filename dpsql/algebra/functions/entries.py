"""Every function on private rows, by its operation and by its names in SQL: what is not here is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from dpsql.algebra.functions import casts, choose, logic
from dpsql.algebra.functions.dates import buckets, constructors, parts, steps, time_zones
from dpsql.algebra.functions.numbers import arithmetic, decimals, powers
from dpsql.algebra.functions.table import Function
from dpsql.algebra.functions.text import splitting, strings
from dpsql.algebra.types import SqlType

# In the order of docs/functions.md.
_MODULES = (
    logic, choose, arithmetic, powers, casts, decimals, strings, splitting, parts, steps, constructors, buckets,
    time_zones,
)  # fmt: skip
FUNCTIONS: Mapping[str, Function] = MappingProxyType({f.name: f for m in _MODULES for f in m.rows()})
SPELLINGS: Mapping[str, Function] = MappingProxyType({s: f for f in FUNCTIONS.values() for s in f.spellings})
STRICT = frozenset(f.name for f in FUNCTIONS.values() if f.strict)


def by_spelling(name: str) -> Function | None:
    """The function that SQL calls by that name, in any case, or None."""
    return SPELLINGS.get(name.lower())


_KINDS: Mapping[SqlType, str] = MappingProxyType(
    {
        SqlType.INTEGER: "int", SqlType.DOUBLE: "float", SqlType.TEXT: "text", SqlType.BOOLEAN: "bool",
        SqlType.DATE: "date", SqlType.TIMESTAMP: "ts",
    }
)  # fmt: skip
_ARGUMENT = re.compile(r"\{([a-z]+)\}")


def examples(kind: str) -> tuple[str, ...]:
    """Calls whose value is an int, float, text, bool, date or ts, by each of their names, with such arguments open."""
    entries = (f for f in FUNCTIONS.values() if f.example and _kind(f) == kind)
    return tuple(f"{name.upper()}({f.example})" for f in entries for name in f.spellings)


def _kind(function: Function) -> str:
    gives = function.takes.gives
    return _KINDS[gives] if gives is not None else _ARGUMENT.findall(function.example)[0]
