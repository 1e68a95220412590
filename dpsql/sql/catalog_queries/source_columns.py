"""The columns that sources of a catalog query have side by side: joined, united or renamed."""

from __future__ import annotations

from sqlglot import exp

from dpsql.slotted import dataclass
from dpsql.sql.ast.pg_column_names import folded
from dpsql.sql.catalog_queries.pg_type_rules import common_type
from dpsql.sql.dialect import Node


@dataclass(frozen=True, slots=True)
class PgColumn:
    """A column: its name, and the name of its type where it is known."""

    name: str
    type: str | None


Sources = tuple[tuple[str, tuple[PgColumn, ...]], ...]
"""The sources of a FROM clause by their names."""


def shared_columns(item: Node, sources: Sources) -> tuple[str, ...]:
    """The columns that the joins of a SELECT share by USING or NATURAL, in order; empty where a name is in doubt."""
    joins = item.parent.args.get("joins") or () if isinstance(item.parent, exp.Select) else ()
    if len(sources) != len(joins) + 1:
        return ()
    shared: dict[str, None] = {}
    before = {c.name for c in sources[0][1]}
    for join, (_, columns) in zip(joins, sources[1:], strict=True):
        names = {c.name for c in columns}
        if join.args.get("method") == "NATURAL":
            shared |= dict.fromkeys(c.name for c in sources[0][1] if c.name in names)
        for using in join.args.get("using") or ():
            shared[folded(using)] = None
        before |= names
    counts = [c.name for _, columns in sources for c in columns if c.name not in shared]
    return tuple(shared) if len(counts) == len(set(counts)) and before >= shared.keys() else ()


def united(left: tuple[PgColumn, ...], right: tuple[PgColumn, ...]) -> tuple[PgColumn, ...]:
    if len(left) != len(right):
        return left
    return tuple(
        PgColumn(one.name, common_type((one.type, other.type)))
        for one, other in zip(left, right, strict=True)
    )


def renamed(node: Node, columns: tuple[PgColumn, ...]) -> tuple[PgColumn, ...]:
    """The columns under the names that an alias gives the first of them."""
    alias = node.args.get("alias")
    names = (
        [folded(name) for name in alias.args.get("columns") or ()]
        if isinstance(alias, exp.TableAlias)
        else []
    )
    given = [PgColumn(name, column.type) for name, column in zip(names, columns, strict=False)]
    return (*given, *columns[len(given) :])
