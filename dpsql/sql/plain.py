"""A rest that does nothing but list columns of one released table, and perhaps sorts and cuts its rows.

DuckDB cannot fail on it, whatever the rows are: it needs no trial, its types are those of the table, and it is written
without a renderer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpsql.formula import EXACT, Formula, Measured
from dpsql.scan import quoted
from dpsql.sql.dialect import Node
from dpsql.sql.trace import INDEX, Shown, Trace, released_source

_COLUMN: Final = re.compile(r"i|[ak]\d+")
_WHOLE: Final = re.compile(r"\d{1,9}")
_SELECT: Final = frozenset({"expressions", "from_", "order", "limit", "offset"})
# As DuckDB spells them, in a declaration and when it is asked for a type.
_TYPES: Final = frozenset(
    {"BIGINT", "BOOLEAN", "DATE", "DOUBLE", "HUGEINT", "INTEGER", "SMALLINT", "TIMESTAMP", "VARCHAR"}
)


@dataclass(frozen=True, slots=True)
class Plain:
    """What a plain rest lists: columns of the table of the `release`-th release, by their names there."""

    release: int
    columns: tuple[str, ...]

    def types(self, declared: Sequence[tuple[str, str]]) -> tuple[str, ...] | None:
        """The types of its columns where these are the table's; None where one is not known for certain."""
        known = dict(declared)
        found = tuple(known.get(name, "") for name in self.columns)
        return found if _TYPES.issuperset(found) else None


@dataclass(frozen=True, slots=True)
class Written:
    """A plain rest, its SQL, and its traced form."""

    plain: Plain
    sql: str
    trace: Trace


def plain(tree: Node) -> Written | None:
    """The plain rest that a finished tree is, written as sqlglot would, or None."""
    table = _source(tree)
    if table is None:
        return None
    names = [_listed(item, table) for item in tree.expressions]
    columns = [n for n in names if n is not None]
    aliases = [item.alias for item in tree.expressions]
    tail = _tail(tree, table, aliases)
    if tail is None or len(columns) < len(names) or any(a.lower() == INDEX for a in aliases):
        return None
    shown = [f"{quoted(table)}.{quoted(n)} AS {quoted(a)}" for n, a in zip(columns, aliases, strict=True)]
    source = f' FROM "released".{quoted(table)} AS {quoted(table)}{tail}'
    sql = f"SELECT {', '.join(shown)}{source}"
    traced = f"SELECT {', '.join(shown)}, {quoted(table)}.{quoted('i')} AS {quoted(INDEX)}{source}"
    release = int(table[1:])
    trace = Trace(traced, (Shown(release),), tuple(map(_formula, columns)))
    return Written(Plain(release, tuple(columns)), sql, trace)


def _source(tree: Node) -> str | None:
    """The released table that a SELECT reads under its own name, if it has none but plain clauses."""
    if not isinstance(tree, exp.Select) or not _only(tree, _SELECT) or not tree.expressions:
        return None
    source = released_source(tree)
    if source is None or not _only(tree.args["from_"], frozenset({"this"})):
        return None
    alias = source.args.get("alias")
    if not isinstance(alias, exp.TableAlias) or not _only(alias, frozenset({"this"})):
        return None
    if not _only(source, frozenset({"this", "db", "alias"})) or alias.name != source.name:
        return None
    name: str = source.name
    return name


def _only(node: Node, allowed: frozenset[str]) -> bool:
    """Whether nothing else is set on a node."""
    return all(
        name in allowed or value is None or value is False or value == [] for name, value in node.args.items()
    )


def _listed(item: Node, table: str) -> str | None:
    """The released column that an item lists under a quoted alias."""
    if not isinstance(item, exp.Alias) or not _only(item, frozenset({"this", "alias"})):
        return None
    alias = item.args.get("alias")
    named = isinstance(alias, exp.Identifier) and bool(alias.args.get("quoted"))
    return _released(item.this, table) if named else None


def _released(node: Node, table: str) -> str | None:
    """The name of a column of the released table."""
    if not isinstance(node, exp.Column) or not _only(node, frozenset({"this", "table"})):
        return None
    parts = (node.this, node.args.get("table"))
    if not all(isinstance(p, exp.Identifier) and p.args.get("quoted") for p in parts) or node.table != table:
        return None
    name: str = node.name
    return name if _COLUMN.fullmatch(name) else None


def _tail(tree: Node, table: str, aliases: Sequence[str]) -> str | None:
    """ORDER BY, LIMIT and OFFSET; None where they are more than names, positions and numbers."""
    order, found = tree.args.get("order"), []
    if order is not None:
        if not _only(order, frozenset({"expressions"})):
            return None
        items = [_ordered(item, table, aliases) for item in order.expressions]
        found.append(f" ORDER BY {', '.join(i for i in items if i is not None)}" if all(items) else None)
    for clause, word in (("limit", "LIMIT"), ("offset", "OFFSET")):
        node = tree.args.get(clause)
        if node is not None:
            found.append(_counted(node, word))
    texts = [t for t in found if t is not None]
    return "".join(texts) if len(texts) == len(found) else None


def _counted(node: Node, word: str) -> str | None:
    number = node.args.get("expression")
    known = (
        isinstance(node, exp.Limit | exp.Offset)
        and _only(node, frozenset({"expression"}))
        and isinstance(number, exp.Literal)
        and not number.is_string
        and _WHOLE.fullmatch(number.this)
    )
    return f" {word} {number.this}" if known and number is not None else None


def _ordered(item: Node, table: str, aliases: Sequence[str]) -> str | None:
    if not isinstance(item, exp.Ordered) or not _only(item, frozenset({"this", "desc", "nulls_first"})):
        return None
    text = _sorted_by(item.this, table, aliases)
    if text is None:
        return None
    desc = item.args.get("desc")
    direction = " DESC" if desc else " ASC" if desc is False else ""
    return f"{text}{direction}{' NULLS FIRST' if item.args.get('nulls_first') else ''}"


def _sorted_by(node: Node, table: str, aliases: Sequence[str]) -> str | None:
    """A position, a name of the list that stands there once, or a released column."""
    if isinstance(node, exp.Literal):
        known = not node.is_string and _WHOLE.fullmatch(node.this) and 1 <= int(node.this) <= len(aliases)
        return str(node.this) if known else None
    name = _released(node, table)
    if name is not None:
        return f"{quoted(table)}.{quoted(name)}"
    if not isinstance(node, exp.Column) or not _only(node, frozenset({"this"})):
        return None
    if (
        not isinstance(node.this, exp.Identifier)
        or [a.lower() for a in aliases].count(node.name.lower()) != 1
    ):
        return None
    return quoted(node.name) if node.this.args.get("quoted") else str(node.name)


def _formula(column: str) -> Formula:
    return Measured(int(column[1:])) if column[0] == "a" else EXACT
