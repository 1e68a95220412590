"""Calls whose constants say what they mean: format('%I.%I', a, b), set_config('bytea_output', 'hex', false)."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.catalog_queries.calls import CALLS
from dpsql.sql.catalog_queries.lookups import Lookups, made
from dpsql.sql.dialect import Node
from dpsql.sql.parse.session_statements import is_harmless

_FIELD: Final = re.compile(r"%(?:(\d+)\$)?([sIL%])")


def _formatted(call: exp.Anonymous, lookups: Lookups) -> Node:
    """format(): its text, with each value as text, as a name or as a literal in place of %s, %I and %L."""
    text, *values = call.expressions
    if not isinstance(text, exp.Literal) or not text.is_string or "%" in _FIELD.sub("", text.name):
        raise refuse_node(call, "format takes a constant text with %s, %I and %L here")
    parts: list[Node] = []
    at = taken = 0
    for field in _FIELD.finditer(text.name):
        parts.append(exp.Literal.string(text.name[at : field.start()]))
        at = field.end()
        if field.group(2) == "%":
            parts.append(exp.Literal.string("%"))
            continue
        taken = int(field.group(1)) if field.group(1) else taken + 1
        if not 0 < taken <= len(values):
            raise refuse_node(call, "format has more fields than values")
        parts.append(_field(field.group(2), values[taken - 1], lookups))
    return made("concat", *parts, exp.Literal.string(text.name[at:]))


def _field(kind: str, value: Node, lookups: Lookups) -> Node:
    name = {"I": "quote_ident", "L": "quote_nullable"}.get(kind)
    return lookups.room.take(value.copy()) if name is None else lookups.filled(CALLS[name][1], [value])


def _set(call: exp.Anonymous, lookups: Lookups) -> Node:
    """set_config() of a setting that changes no answer: its new value, as PostgreSQL answers."""
    known = [e.name for e in call.expressions[:2] if isinstance(e, exp.Literal) and e.is_string]
    if len(call.expressions) != 3 or len(known) != 2 or not is_harmless(*known):
        raise refuse_node(call, "this setting cannot be changed")
    return exp.Literal.string(known[1])


def _object(call: exp.Anonymous, lookups: Lookups) -> Node:
    return made("json_object", *call.expressions)


WRITTEN: Final = MappingProxyType[str, Callable[[exp.Anonymous, Lookups], Node]](
    {
        "format": _formatted,
        "set_config": _set,
        "json_build_object": _object,
        "jsonb_build_object": _object,
    }
)
"""For each function, what makes DuckDB's expression of a call."""
