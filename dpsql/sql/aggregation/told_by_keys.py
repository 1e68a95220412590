"""Values that the keys of a group tell: MIN(UPPER(region)) by region, and MIN(kind) where kind = 'a' is asked.

MIN, MAX and ANY_VALUE of them are read where the answer is finished, for nothing. So are values of public tables, as
MAX(w.beds) by w.ward where each ward has one row: such a value is one more key, as the groups are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Final

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Call, Column, Expr, Literal
from dpsql.algebra.relations import Scan, passed, sources
from dpsql.algebra.shape import table_of
from dpsql.algebra.types import SqlType
from dpsql.plan.keys.written_values import written_values
from dpsql.sql.ast.traversal import in_window, shallow
from dpsql.sql.bind.from_state import Joined
from dpsql.sql.dialect import Node

_OF_ONE: Final = (exp.Max, exp.Min, exp.AnyValue)
# Of these types equal values are the same value.
_WRITTEN: Final = frozenset({SqlType.TEXT, SqlType.INTEGER, SqlType.DATE, SqlType.TIMESTAMP})


def column_of_one(node: Node) -> exp.Column | None:
    """The column whose only value in a group is what this aggregate gives, if there is only one; None for others."""
    argument = _of_one(node)
    return argument if isinstance(argument, exp.Column) else None


def told_value(node: Node, known: Callable[[Node], Node | None], replace: bool) -> Node | None:
    """What an aggregate gives of an expression of what is `known` of every row of a group; None for others.

    The text is changed in place, or with `replace` false only looked at.
    """
    argument = _of_one(node)
    if argument is None or not (found := _known_parts(argument, known)):
        return None
    if not replace:
        return argument
    for part, value in found:
        if part is argument:
            return value
        part.replace(value)
    return exp.paren(argument, copy=False)


def fixed_value(expr: Expr | None, joined: Joined) -> Node | None:
    """The constant that an expression is equal to in every row; None for others."""
    if expr is None or expr.type not in _WRITTEN or isinstance(expr, Literal):
        return None
    values = written_values(expr, _passed(joined), nullable=False)
    return _written(values[0], expr.type) if values is not None and len(values) == 1 else None


def _of_one(node: Node) -> Node | None:
    """What is aggregated, where its only value in a group would be the result."""
    call = node.this if isinstance(node, exp.IgnoreNulls) else node  # as ANY_VALUE is parsed
    around = node.parent.parent if isinstance(node.parent, exp.IgnoreNulls) else node.parent
    if not isinstance(call, _OF_ONE) or in_window(node) or isinstance(around, exp.Filter):
        return None
    return None if call.expressions else call.this


def _known_parts(argument: Node, known: Callable[[Node], Node | None]) -> tuple[tuple[Node, Node], ...]:
    """The largest known parts of an expression and their values; none where something else varies in it."""
    found = []
    waiting = [argument]
    while waiting:
        node = waiting.pop()
        value = known(node)
        if value is not None:
            found.append((node, value))
        elif isinstance(node, exp.Column | exp.Distinct | exp.Order | exp.Query):
            return ()
        else:
            waiting += node.iter_expressions()
    return tuple(found)


def _written(value: object, kind: SqlType) -> Node:
    text = value.isoformat(" ") if isinstance(value, datetime) else str(value)
    return exp.cast(exp.Literal.string(text), exp.DataType.build(kind.value, dialect="duckdb"))


def told_keys(
    parts: Iterable[Node],
    keys: tuple[Expr, ...],
    bound: Callable[[Node], Expr | None],
    joined: Joined,
    catalog: Catalog,
) -> tuple[Expr, ...]:
    """The columns of public tables in these parts of a SELECT that are aggregated and have one value in each group."""
    written = [c for part in parts for n in shallow(part) if (c := column_of_one(n)) is not None]
    told = told_sources(keys, joined, catalog) if written else frozenset()
    columns = dict.fromkeys(bound(column) for column in written)
    return tuple(c for c in columns if isinstance(c, Column) and c.scan in told and c not in keys)


def told_sources(keys: tuple[Expr, ...], joined: Joined, catalog: Catalog) -> frozenset[int]:
    """The public tables of which all rows of a group have one row, or all of them none: by the index of their scan.

    Requires that each key is one value in every group. Guarantees it because the keys hold a unique key of the table
    that is never NULL there, so that NULL means no row; or are equal to one in every row, by WHERE or an inner join.
    What an outer join compares does not count: its other conditions, on private columns, leave rows of a group without.
    """
    equal = tuple(_equalities(joined))
    scans = (s for s in sources(joined.relation) if isinstance(s, Scan))
    return frozenset(s.index for s in scans if _is_told(s, keys, equal, catalog))


def _passed(joined: Joined) -> tuple[Expr, ...]:
    """What WHERE and inner joins leave; WHERE alone where a row that nothing matches stands in its group, too."""
    return passed(joined.relation, joins=not joined.outer_public)


def _equalities(joined: Joined) -> Iterator[tuple[Expr, Expr]]:
    for part in _passed(joined):
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
