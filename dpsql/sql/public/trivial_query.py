"""A public query that does nothing but list columns of one released table, and perhaps sorts and cuts its rows.

DuckDB cannot fail on it, whatever the rows are: it needs no trial, its types are those of the table, and it is written
without a renderer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from dpsql.algebra.formula import EXACT, Formula, Measured
from dpsql.algebra.scan import quoted
from dpsql.slotted import dataclass
from dpsql.sql.dialect import Node
from dpsql.sql.public.row_provenance import INDEX, Shown, Trace, released_source

_COLUMN: Final = re.compile(r"i|[ak]\d+")
_WHOLE: Final = re.compile(r"\d{1,9}")
_SELECT: Final = frozenset({"expressions", "from_", "order", "limit", "offset"})
# As DuckDB spells them, in a declaration and when it is asked for a type.
_TYPES: Final = frozenset(
    {"BIGINT", "BOOLEAN", "DATE", "DOUBLE", "HUGEINT", "INTEGER", "SMALLINT", "TIMESTAMP", "VARCHAR"}
)


@dataclass(frozen=True, slots=True)
class By:
    """A column of the released table that rows are sorted by."""

    column: str
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class Plain:
    """What a plain public query lists: columns of the table of the `release`-th release, by their names there.

    Its rows are sorted by `order`, one column after the other; those from `offset` on are shown, `limit` at most.
    """

    release: int
    columns: tuple[str, ...]
    order: tuple[By, ...] = ()
    limit: int | None = None
    offset: int = 0

    def types(self, declared: Sequence[tuple[str, str]]) -> tuple[str, ...] | None:
        """The types of its columns where these are the table's; None where one is not known for certain."""
        declared_types = dict(declared)
        types = tuple(declared_types.get(name, "") for name in self.columns)
        return types if _TYPES.issuperset(types) else None


@dataclass(frozen=True, slots=True)
class Written:
    """A plain public query, its SQL, and its traced form."""

    plain: Plain
    sql: str
    trace: Trace


def plain(tree: Node) -> Written | None:
    """The plain public query that a finished tree is, written as sqlglot would, or None."""
    table = _source(tree)
    if table is None:
        return None
    names = [_listed(item, table) for item in tree.expressions]
    columns = tuple(n for n in names if n is not None)
    aliases = [item.alias for item in tree.expressions]
    if len(columns) < len(names) or any(a.lower() == INDEX for a in aliases):
        return None
    order = _order(tree.args.get("order"), table, dict(enumerate(columns, 1)), aliases)
    counts = [_counted(tree.args.get(clause)) for clause in ("limit", "offset")]
    if order is None or None in counts:
        return None
    limit, offset = (c for c in counts if c is not None)
    tail = f"{order.sql}{limit and f' LIMIT {limit}'}{offset and f' OFFSET {offset}'}"
    query = Plain(
        int(table[1:]), columns, order.by, int(limit) if limit else None, int(offset) if offset else 0
    )
    return _written(query, table, aliases, tail)


def _written(query: Plain, table: str, aliases: Sequence[str], tail: str) -> Written:
    shown = [
        f"{quoted(table)}.{quoted(n)} AS {quoted(a)}" for n, a in zip(query.columns, aliases, strict=True)
    ]
    source = f' FROM "released".{quoted(table)} AS {quoted(table)}{tail}'
    traced = f"SELECT {', '.join(shown)}, {quoted(table)}.{quoted('i')} AS {quoted(INDEX)}{source}"
    trace = Trace(traced, (Shown(query.release),), tuple(map(_formula, query.columns)))
    return Written(query, f"SELECT {', '.join(shown)}{source}", trace)


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


def _counted(node: Node | None) -> str | None:
    """The number of LIMIT or OFFSET, empty without one; None for anything else."""
    if node is None:
        return ""
    number = node.args.get("expression")
    is_count = isinstance(node, exp.Limit | exp.Offset) and _only(node, frozenset({"expression"}))
    if not is_count or not isinstance(number, exp.Literal) or number.is_string:
        return None
    return str(number.this) if _WHOLE.fullmatch(number.this) else None


@dataclass(frozen=True, slots=True)
class _Order:
    by: tuple[By, ...] = ()
    sql: str = ""


def _order(node: Node | None, table: str, listed: Mapping[int, str], aliases: Sequence[str]) -> _Order | None:
    """ORDER BY, of nothing but released columns, positions and names of the list."""
    if node is None:
        return _Order()
    if not _only(node, frozenset({"expressions"})):
        return None
    terms = [_ordered(item, table, listed, aliases) for item in node.expressions]
    ordered = [f for f in terms if f is not None]
    if len(ordered) < len(terms):
        return None
    return _Order(tuple(by for by, _ in ordered), f" ORDER BY {', '.join(sql for _, sql in ordered)}")


def _ordered(
    item: Node, table: str, listed: Mapping[int, str], aliases: Sequence[str]
) -> tuple[By, str] | None:
    if not isinstance(item, exp.Ordered) or not _only(item, frozenset({"this", "desc", "nulls_first"})):
        return None
    column_sql = _sorted_by(item.this, table, listed, aliases)
    if column_sql is None:
        return None
    column, sql = column_sql
    desc, first = item.args.get("desc"), bool(item.args.get("nulls_first"))
    direction = " DESC" if desc else " ASC" if desc is False else ""
    return By(column, bool(desc), first), f"{sql}{direction}{' NULLS FIRST' if first else ''}"


def _sorted_by(
    node: Node, table: str, listed: Mapping[int, str], aliases: Sequence[str]
) -> tuple[str, str] | None:
    """The column behind a position, a name of the list that stands there once, or a released column; and its SQL."""
    if isinstance(node, exp.Literal):
        at = int(node.this) if not node.is_string and _WHOLE.fullmatch(node.this) else 0
        return (listed[at], str(node.this)) if at in listed else None
    name = _released(node, table)
    if name is not None:
        return name, f"{quoted(table)}.{quoted(name)}"
    if not isinstance(node, exp.Column) or not _only(node, frozenset({"this"})):
        return None
    names = [a.lower() for a in aliases]
    if not isinstance(node.this, exp.Identifier) or names.count(node.name.lower()) != 1:
        return None
    column = listed[names.index(node.name.lower()) + 1]
    return column, quoted(node.name) if node.this.args.get("quoted") else str(node.name)


def _formula(column: str) -> Formula:
    return Measured(int(column[1:])) if column[0] == "a" else EXACT
