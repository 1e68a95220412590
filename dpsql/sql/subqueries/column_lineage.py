"""Which columns of a public query are columns of a released table, and which of them tell its rows apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from dpsql.algebra.local import LocalQuestion
from dpsql.algebra.question import Question
from dpsql.slotted import dataclass
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.column_names import default_name
from dpsql.sql.ast.star_expansion import star_columns
from dpsql.sql.ast.traversal import first_source, in_window, is_star, shallow
from dpsql.sql.bind.selects import Ctes
from dpsql.sql.dialect import Node
from dpsql.sql.public.render import SCHEMA

_RELEASE = re.compile(r"r(\d+)")
_APART = ("joins", "laterals", "pivots", "sample")


@dataclass(frozen=True, slots=True)
class Origin:
    """A key or a measure of a release, both counted from 0."""

    release: int
    key: int | None = None
    measure: int | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """A column of a query: its name in lower case, and the released column that it is as it stands, if any."""

    name: str
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Lineage:
    """The columns of a query, and the places of some that no two rows agree on; None where nothing is known of that."""

    columns: tuple[Named, ...]
    unique: frozenset[int] | None


def origins(node: Node, ctes: Ctes, questions: Sequence[Question]) -> Lineage | None:
    """What is known of a public query that has been cut; None where its columns cannot be told from the text."""
    if isinstance(node, exp.Table):
        return _table(node, ctes, questions)
    if isinstance(node, exp.Subquery):
        inner = origins(node.this, ctes, questions) if not node.args.get("with_") else None
        return _renamed(inner, node)
    if isinstance(node, exp.Select) and not node.args.get("with_"):
        return _select(node, ctes, questions)
    if isinstance(node, exp.Union) and node.args.get("distinct") and not node.args.get("by_name"):
        left = origins(node.this, ctes, questions)
        if left is not None:
            every = tuple(Named(c.name) for c in left.columns)
            return Lineage(every, frozenset(range(len(every))))
    return None


def _table(node: exp.Table, ctes: Ctes, questions: Sequence[Question]) -> Lineage | None:
    match = _RELEASE.fullmatch(node.name) if node.db == SCHEMA else None
    if match is not None:
        return _released(int(match.group(1)), questions)
    cte = ctes.get(node.name.lower()) if not node.db else None
    if isinstance(cte, exp.CTE):
        outer = {n: c for n, c in ctes.items() if n != node.name.lower()}
        return _renamed(_renamed(origins(cte.this, outer, questions), cte), node)
    return None


def _released(at: int, questions: Sequence[Question]) -> Lineage | None:
    question = questions[at]
    if isinstance(question, LocalQuestion):
        return None
    keys = tuple(Named(f"k{i}", Origin(at, key=i)) for i in range(len(question.keys)))
    measures = tuple(Named(f"a{i}", Origin(at, measure=i)) for i in range(len(question.measures)))
    one = question.top is not None and question.top.count == 1
    apart = frozenset[int]() if one else frozenset(range(1, len(keys) + 1))
    return Lineage((Named("i"), *keys, *measures), apart)


def _renamed(lineage: Lineage | None, node: Node) -> Lineage | None:
    alias = node.args.get("alias")
    names = [c.name.lower() for c in alias.columns] if isinstance(alias, exp.TableAlias) else []
    if lineage is None or not names:
        return lineage
    columns = [Named(n, c.origin) for n, c in zip(names, lineage.columns, strict=False)]
    return Lineage((*columns, *lineage.columns[len(names) :]), lineage.unique)


def _select(node: exp.Select, ctes: Ctes, questions: Sequence[Question]) -> Lineage | None:
    first = first_source(node) if not any(node.args.get(c) for c in _APART) else None
    source = origins(first, ctes, questions) if first is not None else None
    columns: list[Named] = []
    places: list[int | None] = []  # of the source's columns
    for item in node.expressions:
        if is_star(item):
            if source is None:
                return None
            for column in star_columns(item, [c.name for c in source.columns]):
                made = column.written is not None
                columns.append(Named(column.name.lower(), None if made else source.columns[column.at].origin))
                places.append(None if made else column.at)
        else:
            at = _place(item.unalias(), source)
            origin = source.columns[at].origin if source is not None and at is not None else None
            columns.append(Named((item.alias or default_name(item)).lower(), origin))
            places.append(at)
    unique = _unique(node, source, places)
    return Lineage(tuple(columns), unique)


def _place(node: Node, source: Lineage | None) -> int | None:
    """The place of a column of the source that an expression is as it stands."""
    if not isinstance(node, exp.Column) or source is None:
        return None
    at = [i for i, c in enumerate(source.columns) if c.name == node.name.lower()]
    return at[0] if len(at) == 1 else None


def _unique(node: exp.Select, source: Lineage | None, places: list[int | None]) -> frozenset[int] | None:
    if any(isinstance(n, exp.UDTF | exp.Explode | exp.Unnest) for e in node.expressions for n in shallow(e)):
        return None
    if _is_one(node.args.get("limit")) or node.args.get("from_") is None:
        return frozenset()
    if node.args.get("distinct") is not None:
        on = node.args["distinct"].args.get("on")
        return frozenset(range(len(places))) if on is None else None
    if node.args.get("group") is not None:
        return _grouped(node, source)
    if any(is_aggregate(n) and not in_window(n) for e in node.expressions for n in shallow(e)):
        return frozenset()
    if source is None or source.unique is None or not source.unique <= {p for p in places if p is not None}:
        return None
    return frozenset(places.index(at) for at in source.unique)


def _grouped(node: exp.Select, source: Lineage | None) -> frozenset[int] | None:
    """The places of all that a SELECT groups by, where it lists it."""
    group = node.args["group"]
    if any(value for name, value in group.args.items() if name != "expressions" and value):
        return None
    if any(is_star(i) for i in node.expressions):
        return None
    places = [_listed(key, node.expressions, source) for key in group.expressions]
    listed = [at for at in places if at is not None]
    return frozenset(listed) if len(listed) == len(places) else None


def _listed(key: Node, items: list[Node], source: Lineage | None) -> int | None:
    """The place of an item that is grouped by; names stand for columns of the source before they stand for items."""
    if isinstance(key, exp.Literal) and not key.is_string:
        return int(key.this) - 1 if key.this.isdigit() and 1 <= int(key.this) <= len(items) else None
    at = next((i for i, item in enumerate(items) if item.unalias() == key), None)
    if at is not None or not isinstance(key, exp.Column) or key.table or source is None:
        return at
    if any(c.name == key.name.lower() for c in source.columns):
        return None
    return next((i for i, item in enumerate(items) if item.alias.lower() == key.name.lower()), None)


def _is_one(limit: Node | None) -> bool:
    count = limit.args.get("expression") if isinstance(limit, exp.Limit) else None
    return (
        isinstance(count, exp.Literal)
        and count.this in ("0", "1")
        and not (limit and limit.args.get("limit_options"))
    )
