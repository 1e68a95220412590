"""Values of released tables that the keys of a group tell: MAX(t.total) beside each group, where t has one row.

Such a value is public already. It is read where the answer is finished, from the row that the keys tell, and is neither
aggregated over private rows nor one more key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import Call, Column, Expr
from dpsql.algebra.relations import Filter, Join, JoinKind, Mark, Relation, Released, passed
from dpsql.slotted import dataclass
from dpsql.sql.aggregation.told_by_keys import column_of_one
from dpsql.sql.ast.traversal import in_window
from dpsql.sql.dialect import Node, Parser, tokenize

_MOST_NODES: Final = 100_000
# The place of the key that a column is equal to, and whether both may be NULL.
_Pairs = Mapping[str, tuple[int, bool]]


@dataclass(frozen=True, slots=True)
class ToldRows:
    """The released tables of which each group has one row, or none: the places of the keys that columns are equal to.

    `keys` are those of the SELECT without `told`, which are columns of such a table and follow from the others.
    """

    keys: tuple[Expr, ...]
    told: frozenset[Expr] = frozenset()
    rows: Mapping[int, tuple[Released, _Pairs]] = field(default_factory=dict)

    @classmethod
    def by(cls, keys: tuple[Expr, ...], relation: Relation) -> ToldRows:
        """Those that the keys of a SELECT tell."""
        inputs = {node.index: node for node, _ in _released(relation, ())}
        apart = [k for k in keys if isinstance(k, Column) and k.scan in inputs and not _tells(k, inputs)]
        found = _rows(tuple(k for k in keys if k not in apart), relation)
        told = frozenset(k for k in apart if k.scan in found)
        left = tuple(k for k in keys if k not in told)
        return cls(left, told, _rows(left, relation)) if left or not keys else cls(keys)

    def value(self, node: Node, bound: Callable[[exp.Column], Expr | None], table: str) -> Node | None:
        """What a part of the SELECT is, read from a told row by the keys of a released table; None for all others."""
        if not self.rows:
            return None
        column = node if isinstance(node, exp.Column) else _only_value(node)
        if column is None:
            return None
        found = bound(column)
        if not isinstance(found, Column) or found.scan not in self.rows:
            return None
        if column is node and found not in self.told:
            return None
        value = _read(*self.rows[found.scan], found.name, table)
        mean = isinstance(node, exp.Avg)
        return exp.cast(value, exp.DataType.build("DOUBLE", dialect="duckdb"), copy=False) if mean else value


def _tells(column: Column, inputs: Mapping[int, Released]) -> bool:
    key = inputs[column.scan].key
    return key is None or column.name in key


def _only_value(node: Node) -> exp.Column | None:
    """The column that is aggregated, where its only value in a group is the result, a mean included."""
    if isinstance(node, exp.Avg) and isinstance(node.this, exp.Column):
        return None if in_window(node) or isinstance(node.parent, exp.Filter) else node.this
    return column_of_one(node)


def _rows(keys: tuple[Expr, ...], relation: Relation) -> dict[int, tuple[Released, _Pairs]]:
    """Guarantees that all rows of a group have the same row of the table, or all of them none.

    *Because* what tells its rows apart is equal to keys, in every row by WHERE or an inner join; or the outer join that
    looks for it asks for nothing else.
    """
    places = {key: i for i, key in enumerate(keys)}
    everywhere = passed(relation, joins=True)
    found: dict[int, tuple[Released, _Pairs]] = {}
    for node, on in _released(relation, everywhere):
        if node.key is None:
            continue
        pairs = dict(_equal(node, on, places))
        if on is everywhere:
            own = ((k, i) for k, i in places.items() if isinstance(k, Column) and k.scan == node.index)
            pairs |= {k.name: (i, True) for k, i in own}
        elif len(pairs) < len(on):
            continue
        if node.key <= pairs.keys():
            found[node.index] = node, {name: pairs[name] for name in sorted(node.key)}
    return found


def _released(
    relation: Relation, everywhere: tuple[Expr, ...]
) -> Iterator[tuple[Released, tuple[Expr, ...]]]:
    """The released tables among the sources, each with the conditions that decide whether a row has one of its rows."""
    match relation:
        case Released():
            yield relation, everywhere
        case Filter() | Mark():
            yield from _released(relation.source, everywhere)
        case Join(kind=JoinKind.LEFT):
            yield from _released(relation.left, everywhere)
            if isinstance(relation.right, Released):
                yield relation.right, relation.on
        case Join():
            yield from _released(relation.left, everywhere)
            yield from _released(relation.right, everywhere)


def _equal(
    node: Released, on: tuple[Expr, ...], places: Mapping[Expr, int]
) -> Iterator[tuple[str, tuple[int, bool]]]:
    """The columns of a table that are equal to keys."""
    for part in on:
        if isinstance(part, Call) and part.op in ("eq", "is_not_distinct"):
            for own, key in (part.args, part.args[::-1]):
                if isinstance(own, Column) and own.scan == node.index and key in places:
                    yield own.name, (places[key], part.op != "eq")


def _read(node: Released, by: _Pairs, name: str, table: str) -> Node:
    """(SELECT the column of the row that has these keys), over the text of the released table."""
    tree = Parser(_MOST_NODES).parse(tokenize(node.sql), node.sql)[0]
    assert tree is not None
    alias = f"told{node.index}"
    names = [exp.to_identifier(f"c{i}", quoted=True) for i in range(len(node.columns))]
    rows = exp.Subquery(
        this=tree, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True), columns=names)
    )
    value = exp.Max(this=exp.column(name, table=alias, quoted=True))  # of one row
    select = exp.select(value).from_(rows, copy=False)
    for own, (at, null_safe) in by.items():
        key = exp.column(f"k{at}", table=table, quoted=True)
        same = exp.NullSafeEQ if null_safe else exp.EQ
        select = select.where(
            same(this=exp.column(own, table=alias, quoted=True), expression=key), copy=False
        )
    return exp.Subquery(this=select)
