"""Walking a tree, and what stands around or inside a node of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from sqlglot import exp

from dpsql.sql.dialect import Node

N = TypeVar("N", bound=Node)
# Nothing stands below these.
_LEAVES = frozenset({exp.Identifier, exp.Literal, exp.Boolean, exp.Null})


def every(tree: Node) -> list[Node]:
    """Every node of a tree, in the order of sqlglot's `walk`, which takes six times as long."""
    nodes: list[Node] = [tree]
    for node in nodes:  # which grows meanwhile
        if type(node) in _LEAVES:
            continue
        for value in node.args.values():
            if value is None or value is False:
                continue
            if type(value) is list:
                nodes += [v for v in value if isinstance(v, Node)]
            elif isinstance(value, Node):
                nodes.append(value)
    return nodes


def kinds_of(tree: Node) -> frozenset[type[Node]]:
    """The classes of the nodes of a tree."""
    return frozenset(map(type, every(tree)))


def holds(kinds: frozenset[type[Node]], *wanted: type[Node]) -> bool:
    """Whether one of these classes is one of `wanted`."""
    return any(issubclass(kind, wanted) for kind in kinds)


def all_of(tree: Node, *kinds: type[N]) -> list[N]:
    """Every node of these kinds, in the same order."""
    return of_kinds(every(tree), *kinds)


def of_kinds(nodes: Iterable[Node], *kinds: type[N]) -> list[N]:
    """Those of these kinds."""
    return [node for node in nodes if isinstance(node, kinds)]


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below a node."""
    for value in node.args.values():
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, Node):
                yield child


def outermost(value: object, skip: frozenset[int] = frozenset()) -> Iterator[Node]:
    """The queries that stand inside an argument of a node and inside no other query; `skip` are left out by id."""
    stack = [value]
    while stack:
        node = stack.pop()
        if node is None or node is False:
            continue
        if isinstance(node, list):
            stack.extend(reversed(node))
        elif isinstance(node, Node) and id(node) not in skip:
            if isinstance(node, exp.Query):
                yield node
            else:
                stack.extend(reversed(node.args.values()))


def shallow(node: Node) -> Iterator[Node]:
    """Every node of an expression that does not belong to a query inside it, the node itself first."""
    stack: list[object] = [node]
    while stack:
        current = stack.pop()
        if current is None or current is False:
            continue
        if isinstance(current, list):
            stack.extend(reversed(current))
        elif isinstance(current, Node) and (current is node or not isinstance(current, exp.Query)):
            yield current
            stack.extend(reversed(current.args.values()))


def in_window(node: Node) -> bool:
    """Whether a call is the function of a window: SUM(...) OVER (...)."""
    parent = node.parent
    while isinstance(parent, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        node, parent = parent, parent.parent
    return isinstance(parent, exp.Window) and parent.this is node


def in_having(node: Node) -> bool:
    """Whether a node stands in HAVING, of the query that it is in."""
    return isinstance(node.find_ancestor(exp.Having, exp.Query), exp.Having)


def is_star(node: Node) -> bool:
    """Whether a column of SELECT is `*` or `alias.*`."""
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))


def is_number(node: Node) -> bool:
    """Whether a node is a number as it is written, without a sign."""
    return isinstance(node, exp.Literal) and not node.is_string


def outside_parentheses(node: Node) -> tuple[Node, Node | None]:
    """The node, or the outermost parentheses around it, and what that stands in."""
    while isinstance(node.parent, exp.Paren):
        node = node.parent
    return node, node.parent


def conjuncts(condition: Node) -> list[Node]:
    """What AND joins in a condition, in order."""
    return list(condition.flatten(unnest=False)) if isinstance(condition, exp.And) else [condition]


def at_place(select: Node, term: Node) -> Node:
    """The column of the SELECT list whose place a number of GROUP BY or ORDER BY is, else the term as it is written."""
    at = int(term.name) if is_number(term) and term.name.isdigit() else 0
    item: Node = select.expressions[at - 1].unalias() if 0 < at <= len(select.expressions) else term
    return item


def first_source(select: Node) -> Node | None:
    """What stands first in FROM."""
    clause = select.args.get("from_")
    return clause.this if clause is not None else None


def named_queries(query: Node) -> list[exp.CTE]:
    """What WITH names in front of a query, in order."""
    clause = query.args.get("with_")
    return clause.expressions if clause is not None else []


def named_query(table: exp.Table) -> Node | None:
    """The query that a name of WITH stands for; within itself a name is that of something else."""
    around, inside = table.parent, {id(table)}
    while around is not None:
        for cte in named_queries(around):
            if cte.alias.lower() == table.name.lower() and id(cte) not in inside:
                query: Node = cte.this
                return query
        inside.add(id(around))
        around = around.parent
    return None


def from_items(select: Node) -> list[Node]:
    """What stands in FROM and behind each JOIN."""
    clause = select.args.get("from_")
    first = [clause.this] if clause is not None else []
    return first + [join.this for join in select.args.get("joins") or ()]


def from_items_within(select: Node) -> Iterator[Node]:
    """The same with LATERAL queries, and with what is joined inside of parentheses."""
    for item in [*from_items(select), *(select.args.get("laterals") or ())]:
        yield item
        yield from from_items_within(item)


def plain_groups(select: Node) -> list[Node]:
    """The expressions of a plain GROUP BY; nothing for one with sets, or none."""
    group = select.args.get("group")
    if group is None or any(value for key, value in group.args.items() if key != "expressions"):
        return []
    return list(group.expressions)


def tables(node: Node, names: frozenset[str] = frozenset()) -> Iterator[exp.Table]:
    """The tables of a query that are no names of WITH where they stand; `names` are those around the query."""
    clause = node.args.get("with_")
    for cte in clause.expressions if clause is not None else ():
        yield from tables(cte.this, names)
        names |= {cte.alias.lower()}
    for own in shallow(node):
        if isinstance(own, exp.Table) and (own.db or own.name.lower() not in names):
            yield own
    for inner in outermost(list(node.args.values()), frozenset({id(clause)})):
        yield from tables(inner, names)
