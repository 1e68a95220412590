"""`*` and `alias.*` with EXCLUDE, REPLACE and RENAME: which columns they list, and under which names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from dpsql.slotted import dataclass
from dpsql.sql.ast.traversal import is_star
from dpsql.sql.dialect import Node


@dataclass(frozen=True, slots=True)
class StarColumn:
    """A column that a star lists: its place among those of the source, its name, what REPLACE has in its stead."""

    at: int
    name: str
    written: Node | None = None


def star_columns(item: Node, names: Sequence[str]) -> tuple[StarColumn, ...]:
    """What a star lists of the columns of these names, in their order; names are equal in any case."""
    star = _star(item)
    left_out = {c.name.lower() for c in star.args.get("except_") or ()}
    replaced = {a.alias.lower(): a.this for a in star.args.get("replace") or ()}
    renamed = {a.this.name.lower(): a.alias for a in star.args.get("rename") or ()}
    return tuple(
        StarColumn(at, renamed.get(name.lower(), name), replaced.get(name.lower()))
        for at, name in enumerate(names)
        if name.lower() not in left_out
    )


def named_by(item: Node) -> Iterator[exp.Alias]:
    """What REPLACE and RENAME write into the list of a star."""
    star = _star(item)
    yield from (*(star.args.get("replace") or ()), *(star.args.get("rename") or ()))


def complaint_of_star(node: Node) -> str | None:
    """What is wrong with EXCLUDE, REPLACE and RENAME behind a star, or None."""
    columns = [*(node.args.get("except_") or ()), *(a.this for a in node.args.get("rename") or ())]
    if all(isinstance(c, exp.Column) and not c.table and not is_star(c) for c in columns):
        return None
    return "EXCLUDE and RENAME behind * take names of columns"


def _star(item: Node) -> Node:
    return item.this if isinstance(item, exp.Column) else item
