"""How much work a query can be to plan: its SELECTs and joins, with every name of WITH, and what its stars list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from sqlglot import exp

from dpsql.algebra.question import Question
from dpsql.errors import QueryRefused
from dpsql.slotted import dataclass
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of, every, from_items, is_star, of_kinds, outermost, shallow
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.templates import Room

MOST_QUERIES = 250
"""The most SELECTs that may be written in one query."""
MOST_EXPANDED = 1_000
"""The most SELECTs of a query once every name of WITH is replaced by what it stands for."""
MOST_JOINS = 60
"""The most joins of a query, counted in the same way: the time to order them grows faster than their number."""


MOST_WINDOWS = 100
"""The most windows of a query, counted in the same way: the time to plan n of them grows like n**2."""


MOST_CORRELATED = 30
"""The most subqueries that may refer to what is around them: the time to plan n of them grows like n**5."""


MOST_ALIASED = 10_000
"""The most words that names of the SELECT list may stand for: `x + x AS y, y + y AS z` doubles with every step."""


_MACROS = (exp.Nullif, exp.SplitPart, exp.ArrayToString)
"""In the place of these DuckDB puts a CASE in which their first argument stands twice."""
_OF_A_COPY = 4
"""As measured: the time to bind and plan n of them within one another grows like 4**n."""


MOST_RELEASES = 100
"""The most releases of one query; each is an engine query and a charge of its own."""
MOST_MEASURES = 300
"""The most aggregates of private rows in one query, over all its releases."""


def check_number(questions: Sequence[Question]) -> None:
    """Refuses the last of the questions where they are too many. Raises QueryRefused."""
    if len(questions) > MOST_RELEASES or sum(len(q.measures) for q in questions) > MOST_MEASURES:
        raise QueryRefused(
            f"a query has at most {MOST_RELEASES} releases and {MOST_MEASURES} aggregates of private rows",
            place=questions[-1].place,
            hint="Send several queries; GROUP BY answers for many groups at once.",
        )


@dataclass(frozen=True, slots=True)
class _Size:
    queries: int = 0
    joins: int = 0
    windows: int = 0
    correlated: int = 0

    def __add__(self, other: _Size) -> _Size:
        return _Size(
            self.queries + other.queries,
            self.joins + other.joins,
            self.windows + other.windows,
            self.correlated + other.correlated,
        )


def check_size(tree: Node, nodes: Sequence[Node]) -> None:
    """Refuse a query of too many SELECTs or joins, naming the limit; `nodes` are its own. Raises QueryRefused."""
    selects = of_kinds(nodes, exp.Select)
    written = len(selects)
    if written > MOST_QUERIES:
        raise QueryRefused(
            f"the query has {written} SELECTs; {MOST_QUERIES} are the most", hint="Send several queries."
        )
    _check_macros(nodes)
    if sum(map(_aliased, selects)) > MOST_ALIASED:
        raise QueryRefused(
            f"with every name of the SELECT list put in its place the query has more than {MOST_ALIASED} words",
            hint="Compute in steps: SELECT ... FROM (SELECT ...) AS v.",
        )
    windows = Counter(id(w.find_ancestor(exp.Query)) for w in of_kinds(nodes, exp.Window))
    size = _size(tree, {}, windows=windows)
    if size.queries > MOST_EXPANDED:
        raise QueryRefused(
            f"with every name of WITH put in its place the query has more than {MOST_EXPANDED} SELECTs",
            hint="Refer to each name less often.",
        )
    if size.joins > MOST_JOINS:
        raise QueryRefused(
            f"with every name of WITH put in its place the query has more than {MOST_JOINS} joins",
            hint="Join fewer tables, or aggregate in steps of their own.",
        )
    if size.windows > MOST_WINDOWS:
        raise QueryRefused(
            f"with every name of WITH put in its place the query has more than {MOST_WINDOWS} windows",
            hint="Send several queries.",
        )


def _check_macros(nodes: Sequence[Node]) -> None:
    """Refuses macros within one another, at which DuckDB plans for hours. Raises QueryRefused."""
    room = Room()
    for call in of_kinds(nodes, *_MACROS):
        room.take(_OF_A_COPY * _copied(call) * len(every(call.this)), call, call.sql_name())


def _copied(node: Node) -> int:
    """How many times as much work a node is where it stands in arguments of macros."""
    times = 1
    while node.parent is not None:
        times *= _OF_A_COPY if isinstance(node.parent, _MACROS) and node.arg_key == "this" else 1
        node = node.parent
    return times


def check_correlated(tree: Node) -> None:
    """Refuse more than MOST_CORRELATED subqueries that may be correlated. Raises QueryRefused.

    DuckDB's time limit does not stop its planner. A subquery counts where one of its columns does not name a table
    inside it: without names of columns, that one is not found outside cannot be known.
    """
    if len(all_of(tree, exp.Query)) > 1:
        _check_correlated(tree, _is_open)


def check_correlated_text(
    tree: Node, nodes: Sequence[Node], columns: Callable[[str], Collection[str] | None]
) -> None:
    """The same of a text as it was written, which DuckDB describes; `nodes` are those of its tree.

    `columns` are those of a table, in lower case. A column without a table counts where no table inside the subquery
    has one of its name. EXISTS by plain equalities takes no such time, and does not count.
    """
    if len(of_kinds(nodes, exp.Query)) <= MOST_CORRELATED:
        return
    made = {e.alias_or_name.lower() for s in of_kinds(nodes, exp.Select) for e in s.expressions}
    for table in of_kinds(nodes, exp.Table):
        made |= set(columns(table.name) or ())

    def is_open(query: Node) -> bool:
        tables = [columns(t.name) for t in all_of(query, exp.Table)]
        plain = all(t is not None for t in tables) and not all_of(query, exp.Subquery)
        own = {name for t in tables for name in t or ()} if plain else made
        inside = _sources(query)
        outer = [
            c
            for c in all_of(query, exp.Column)
            if (c.table.lower() not in inside if c.table else c.name.lower() not in own)
        ]
        return bool(outer) and not (isinstance(query.parent, exp.Exists) and all(map(_is_tie, outer)))

    _check_correlated(tree, is_open)


def _is_tie(column: exp.Column) -> bool:
    """Whether a column stands in an equality that must hold."""
    node = column.parent
    if not isinstance(node, exp.EQ):
        return False
    while isinstance(node.parent, exp.And | exp.Paren):
        node = node.parent
    return isinstance(node.parent, exp.Where)


def _check_correlated(tree: Node, is_open: Callable[[Node], bool]) -> None:
    if _size(tree, {}, is_open).correlated > MOST_CORRELATED:
        raise QueryRefused(
            f"more than {MOST_CORRELATED} subqueries may refer to the query around them",
            hint="Write columns with the names of their tables, or join instead.",
        )


def _size(
    node: Node,
    outer: Mapping[str, _Size],
    is_open: Callable[[Node], bool] = lambda _: False,
    windows: Counter[int] | None = None,
) -> _Size:
    """The size of a query; `outer` are the sizes behind the names of WITH, `windows` the number in each query by id."""
    names = dict(outer)
    clause = node.args.get("with_")
    for cte in clause.expressions if clause is not None else ():
        names[cte.alias.lower()] = _size(cte.this, names, is_open, windows)
    joins = len(node.args.get("joins") or ())
    total = _Size(int(isinstance(node, exp.Select)), joins, windows[id(node)] if windows else 0)
    apart = frozenset({id(clause)})
    for table in shallow(node) if names else ():
        if isinstance(table, exp.Table) and not table.db:
            total += names.get(table.name.lower(), _Size())
    is_operand = isinstance(node, exp.SetOperation | exp.Subquery)
    for inner in outermost(list(node.args.values()), apart):
        total += _size(inner, names, is_open, windows)
        if not (is_operand and inner.arg_key in ("this", "expression")) and is_open(inner):
            total += _Size(correlated=1)
    return total


def _is_open(query: Node) -> bool:
    """Whether a column of a query may stand for one of a query around it."""
    inside = _sources(query)
    return any(column.table.lower() not in inside for column in all_of(query, exp.Column))


def _sources(query: Node) -> set[str]:
    return {source.alias_or_name.lower() for source in all_of(query, exp.Table, exp.Subquery)}


def _aliased(select: Node) -> int:
    """How many nodes the names of a SELECT list stand for, in all the places where they are used."""
    items = {i.alias.lower(): i.this for i in select.expressions if isinstance(i, exp.Alias)}
    return _weight(select, items, {}) if items else 0


def _weight(node: Node, items: Mapping[str, Node], weights: dict[str, int]) -> int:
    """The nodes behind the names used in a node; `weights` are the names met before, with nothing while being met."""
    total = 0
    for column in all_of(node, exp.Column):
        name = column.name.lower()
        if column.table or name not in items:
            continue
        if name not in weights:
            weights[name] = 0
            weights[name] = sum(1 for _ in items[name].walk()) + _weight(items[name], items, weights)
        total += weights[name] * _copied(column)
    return total


MOST_LISTED = 5_000
"""The most columns that the stars of one query may list, together."""
# The columns of a table: this is a first look, at the text alone.
_OF_A_TABLE = 10


def check_stars_list(tree: Node, nodes: Iterable[Node]) -> None:
    """Refuses stars that list more than MOST_LISTED columns. Raises QueryRefused at the SELECT of the last of them.

    `nodes` are all of the tree.
    """
    if any(isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count) for node in nodes):
        _Widths().query(tree, {})


class _Widths:
    def __init__(self) -> None:
        self._listed = 0

    def query(self, node: Node, around: Mapping[str, int]) -> int:
        """How many columns a query is taken to have; `around` are the widths behind the names of WITH."""
        names = dict(around)
        clause = node.args.get("with_")
        for cte in clause.expressions if clause is not None else ():
            names[cte.alias.lower()] = self.query(cte.this, names)
        inside = outermost(list(node.args.values()), frozenset({id(clause)}))
        widths = {id(q): self.query(q, names) for q in inside}
        if not isinstance(node, exp.Select):
            inner = node.args.get("this")
            return widths.get(id(inner), 1) if isinstance(inner, Node) else 1
        stars = sum(is_star(item) for item in node.expressions)
        if not stars:
            return len(node.expressions)
        listed = stars * sum(_width(source, names, widths) for source in from_items(node))
        self._listed += listed
        if self._listed > MOST_LISTED:
            raise QueryRefused(
                f"the stars of the query list more than {MOST_LISTED} columns",
                place=place_of(node),
                hint="Write * once in each SELECT, or name the columns.",
            )
        return listed + len(node.expressions) - stars


def _width(source: Node, names: Mapping[str, int], widths: Mapping[int, int]) -> int:
    if isinstance(source, exp.Table):
        width = names.get(source.name.lower()) if not source.db else None
        return width if width is not None else _OF_A_TABLE
    inner = source.this if isinstance(source, exp.Lateral) else source
    return widths.get(id(inner), 1)
