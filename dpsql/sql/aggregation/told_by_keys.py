"""Values of public tables that the keys of a group tell: MAX(w.beds) by w.ward, where each ward has one row.

Such a value is one more key: the groups are the same, and their values are public.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Call, Column, Expr
from dpsql.algebra.relations import Relation, Scan, passed, sources
from dpsql.algebra.shape import table_of
from dpsql.sql.ast.traversal import in_window, shallow
from dpsql.sql.dialect import Node

_OF_ONE: Final = (exp.Max, exp.Min, exp.AnyValue)


def column_of_one(node: Node) -> exp.Column | None:
    """The column whose only value in a group is what this aggregate gives, if there is only one; None for others."""
    call = node.this if isinstance(node, exp.IgnoreNulls) else node  # as ANY_VALUE is parsed
    around = node.parent.parent if isinstance(node.parent, exp.IgnoreNulls) else node.parent
    if not isinstance(call, _OF_ONE) or in_window(node) or isinstance(around, exp.Filter):
        return None
    return call.this if isinstance(call.this, exp.Column) else None


def told_keys(
    parts: Iterable[Node],
    keys: tuple[Expr, ...],
    bound: Callable[[Node], Expr | None],
    relation: Relation,
    catalog: Catalog,
) -> tuple[Expr, ...]:
    """The columns of public tables in these parts of a SELECT that are aggregated and have one value in each group."""
    written = [c for part in parts for n in shallow(part) if (c := column_of_one(n)) is not None]
    told = told_sources(keys, relation, catalog) if written else frozenset()
    columns = dict.fromkeys(bound(column) for column in written)
    return tuple(c for c in columns if isinstance(c, Column) and c.scan in told and c not in keys)


def told_sources(keys: tuple[Expr, ...], relation: Relation, catalog: Catalog) -> frozenset[int]:
    """The public tables of which all rows of a group have one row, or all of them none: by the index of their scan.

    Requires that each key is one value in every group. Guarantees it because the keys hold a unique key of the table
    that is never NULL there, so that NULL means no row; or are equal to one in every row, by WHERE or an inner join.
    What an outer join compares does not count: its other conditions, on private columns, leave rows of a group without.
    """
    equal = tuple(_equalities(relation))
    scans = (s for s in sources(relation) if isinstance(s, Scan))
    return frozenset(s.index for s in scans if _is_told(s, keys, equal, catalog))


def _equalities(relation: Relation) -> Iterator[tuple[Expr, Expr]]:
    for part in passed(relation, joins=True):
        if isinstance(part, Call) and part.op == "eq":
            one, other = part.args
            yield from ((one, other), (other, one))


def _is_told(
    scan: Scan, keys: tuple[Expr, ...], equal: tuple[tuple[Expr, Expr], ...], catalog: Catalog
) -> bool:
    info = table_of(scan, catalog)
    if not info.public:
        return False
    never_null = {c.name for c in info.columns if not c.fact.nullable}
    own = {k.name for k in keys if isinstance(k, Column) and k.scan == scan.index and k.name in never_null}
    met = {c.name for c, k in equal if isinstance(c, Column) and c.scan == scan.index and k in keys}
    names = tuple(sorted(own | met))
    return bool(names) and catalog.public.fan_out(info.name, names) <= 1
