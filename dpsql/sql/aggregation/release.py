"""One aggregating SELECT over private rows: the question it asks, and what is left of it on the released table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from sqlglot import exp

from dpsql.algebra.canonical import renumbered
from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Expr
from dpsql.algebra.question import Measure, Question, Top
from dpsql.algebra.shape import shape
from dpsql.errors import QueryRefused
from dpsql.sql.aggregation.distinct_averages import without_distinct_averages
from dpsql.sql.aggregation.grouping_sets import check_spelling, grouping_sets, has_sets
from dpsql.sql.aggregation.key_types import check_keys, start_of
from dpsql.sql.aggregation.measured_times import counted, shown
from dpsql.sql.aggregation.null_tests import check_null_test
from dpsql.sql.aggregation.told_by_facts import told_number
from dpsql.sql.aggregation.told_by_keys import fixed_value, told_keys, told_value
from dpsql.sql.aggregation.told_by_releases import ToldRows
from dpsql.sql.aggregation.top_k import check_qualify, check_stars, top_groups
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.column_names import copy_of, default_name
from dpsql.sql.ast.literals import is_fraction, whole
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import in_having, in_window, shallow
from dpsql.sql.bind.aggregate_measures import measure, measured_names
from dpsql.sql.bind.outer_joins import check_outer
from dpsql.sql.bind.scope import with_released_keys
from dpsql.sql.bind.selects import OwnedRows
from dpsql.sql.dialect import Node
from dpsql.sql.public.planner_hints import Advice
from dpsql.sql.public.render import SCHEMA
from dpsql.sql.public.rollup_levels import LEVELED, KeySet, Level, grouping_of, leveled, union_of_levels

# What stands for the union of the levels of ROLLUP, CUBE and GROUPING SETS.
_LEVELS = "levels"


class ReleaseScope:
    """Takes the private parts out of a SELECT; `public` cuts a query found inside one of its expressions."""

    def __init__(
        self,
        node: exp.Select,
        rows: OwnedRows,
        public: Callable[[Node], None],
        advice: Advice,
        catalog: Catalog,
    ) -> None:
        self._node = node
        self._catalog = catalog
        self._joined = rows.joined
        self._binder = rows.binder
        self._marks = rows.marks
        self.relation = rows.joined.relation
        self._owner = rows.owner
        self._public = public
        self._advice = advice
        self._measures: list[Measure] = []
        self._place_of: dict[Measure, int] = {}
        # The measure of each call that was read, by its identity: it is met again when the SELECT is rewritten.
        self._read: dict[int, tuple[Node, Measure]] = {}
        self._table = ""
        check_stars(node)
        without_distinct_averages(node, rows, catalog)
        self._aliases = {i.alias.lower(): i.this.copy() for i in node.expressions if isinstance(i, exp.Alias)}
        self._measured = measured_names(self._aliases)
        # What names stand for, unless met inside of another one, which may not stand there.
        self._names = len(self._aliases)
        self._expansions: dict[tuple[str, bool, bool], Node] = {}
        self._is_distinct = self._lists_groups()
        self.sets: tuple[KeySet, ...] | None = None
        self._keys = self._group_keys()
        self._told = ToldRows(self._keys)
        self._top: Top | None = None

    @property
    def keys(self) -> tuple[Expr, ...]:
        """What the SELECT groups by."""
        return self._keys

    def question(self) -> Question:
        """What is asked of the private rows, over all keys; reads the whole SELECT without changing it."""
        if self.sets is None:
            self._told = ToldRows.by(self._keys, self.relation)
            keys = self._told.keys
            self._keys = keys + told_keys(self._parts(), keys, self._bound, self._joined, self._catalog)
        check_keys(self._keys, self._node)
        check_qualify(self._node, bool(self._keys))
        top = self._top_groups()
        if top is not None:
            self._top = top
            question = self._as_question()
            if self._advice.selects(question):
                return question
            self._top = None
        return replace(self._as_question(), sorted=top is not None)

    def _as_question(self) -> Question:
        for part in self._parts():
            self._visit(part, order=isinstance(part, exp.Order), replace=False)
        self.relation = self._marks.put_on(self.relation)
        question = Question(
            self.relation,
            self._keys,
            tuple(self._measures),
            self._top,
            bool(self._joined.outer_public),
            place_of(self._node),
        )
        if self._joined.outer_public:
            check_outer(question, self._joined.outer_public)
        return renumbered(question)

    def _top_groups(self) -> Top | None:
        if not self._keys or self.sets is not None:
            return None
        return top_groups(self._node, self._aliases, self._measure)

    def rewrite_levels(self, question: Question, index: Callable[[Question], int]) -> tuple[Level, ...]:
        """Changes the SELECT in place to read a table for each grouping set; returns those that are no release."""
        assert self.sets is not None
        tables = leveled(question, self.sets, index, self._advice)
        union = union_of_levels(tables, question.keys, len(question.measures), SCHEMA)
        alias = exp.TableAlias(this=exp.to_identifier(_LEVELS, quoted=True))
        source = exp.Subquery(this=union, alias=alias)
        source.meta[LEVELED] = True
        self.rewrite(_LEVELS, source)
        return tables.levels

    def rewrite(self, name: str, source: Node | None = None) -> None:
        """Changes the SELECT in place to read the released table of that name, or another source under it."""
        self._table = name
        node = self._node
        outputs = [self._output(item) for item in node.expressions]
        clauses = ["having", "qualify", "order"]
        if self._top is not None and self._top.score not in self._place_of:
            self._order_as_chosen()
            clauses.remove("order")
        for clause in clauses:
            if node.args.get(clause) is not None:
                self._rewrite_children(node.args[clause], order=clause == "order")
        for window in node.args.get("windows") or []:
            self._rewrite_children(window)
        node.set("expressions", outputs)
        if self._is_distinct:
            node.set("distinct", None)  # the released rows are distinct, and stay in their order
        self._read_released(source if source is not None else copy_of(name, SCHEMA))

    def _order_as_chosen(self) -> None:
        """The groups of a selection in the order of choice, which is their place in the released table."""
        place = exp.column("i", table=self._table, quoted=True)
        self._node.set("order", exp.Order(expressions=[exp.Ordered(this=place)]))
        self._node.set("limit", None)

    def _read_released(self, source: Node) -> None:
        node, having = self._node, self._node.args.get("having")
        for clause in ("joins", "group", "having", "where"):
            node.set(clause, None)
        if having is not None:
            node.set("where", exp.Where(this=having.this))
        node.set("from_", exp.From(this=source))

    def _parts(self) -> list[Node]:
        if self._top is not None:
            return list(self._node.expressions)
        clauses = [self._node.args.get(c) for c in ("having", "qualify", "order")]
        return [
            *self._node.expressions,
            *(self._node.args.get("windows") or []),
            *(c for c in clauses if c is not None),
        ]

    def _group_keys(self) -> tuple[Expr, ...]:
        group = self._node.args.get("group")
        if self._is_distinct:
            return _unique(start_of(self._binder.bind(i.unalias())) for i in self._node.expressions)
        if group is None:
            return ()
        if group.args.get("all"):
            written = [i.unalias() for i in self._node.expressions if not self._aggregates([i])]
        elif has_sets(group):
            return self._set_keys(group)
        else:
            # A number with a fraction is no place but a constant: Tableau writes one to group by nothing.
            written = [self._key_node(e) for e in group.expressions if not is_fraction(e)]
        return _unique(start_of(self._binder.bind(w)) for w in written)

    def _lists_groups(self) -> bool:
        """Whether SELECT DISTINCT names groups and nothing else."""
        plain = self._node.args.get("distinct") is not None and self._node.args.get("group") is None
        return plain and not self._aggregates(self._node.expressions)

    def _set_keys(self, group: exp.Group) -> tuple[Expr, ...]:
        """The keys of all grouping sets, and which of them each set has."""
        sets = [[self._key_node(key) for key in written] for written in grouping_sets(group)]
        bound = [[self._binder.bind(key) for key in written] for written in sets]
        check_spelling(zip(sets, bound, strict=True), self._node)
        keys = _unique(key for of_set in bound for key in of_set)
        self.sets = tuple(tuple(sorted({keys.index(key) for key in of_set})) for of_set in bound)
        return keys

    def _key_node(self, node: Node) -> Node:
        if not (isinstance(node, exp.Literal) and not node.is_string):
            return node
        at = whole(node.this) or 0
        if not 1 <= at <= len(self._node.expressions):
            raise QueryRefused(
                f"GROUP BY {node.this[:40]} is not a position of the SELECT list",
                place=place_of(node),
                hint=f"Its positions are 1 to {len(self._node.expressions)}.",
            )
        item: Node = self._node.expressions[at - 1].unalias()
        if self._aggregates([item]):
            raise QueryRefused(
                "GROUP BY cannot name an aggregate",
                place=place_of(node),
                hint="Group by a column or an expression of columns.",
            )
        return item

    def _aggregates(self, items: list[Node]) -> bool:
        return any(is_aggregate(n) for item in items for n in shallow(item))

    def _key_index(self, node: Node) -> int | None:
        bound = self._bound(node)
        return self._keys.index(bound) if bound in self._keys else None

    def _key(self, node: Node) -> Node | None:
        """The released column of a key; the day that a month or a week begins on is its moment, cast."""
        bound = self._bound(node)
        if bound is None or start_of(bound) not in self._keys:
            return None
        exact = bound in self._keys
        at = self._keys.index(bound if exact else start_of(bound))
        column = exp.column(f"k{at}", table=self._table, quoted=True)
        return column if exact else exp.cast(column, exp.DataType.build("DATE", dialect="duckdb"))

    def _known(self, node: Node) -> Node | None:
        """What a part of an expression is in every row of a group."""
        key = self._key(node)
        return fixed_value(self._bound(node), self._joined) if key is None else key

    def _key_around(self, column: exp.Column) -> Node | None:
        """The released column of a key that a query inside names; None for a column of no source here."""
        own = self._joined.scope.find(column) is not None
        return (self._key(column) or self._alias(column, False, True)) if own else None

    def _bound(self, node: Node) -> Expr | None:
        """What an expression is over the rows, where it can be a key."""
        if not self._keys or isinstance(node, exp.Literal | exp.Null | exp.Boolean | exp.Star):
            return None
        if any(is_aggregate(n) or self._names_measure(n) for n in shallow(node)):
            return None  # found without binding, which would put every name in its place again
        if not self._marks.knows(node):
            return None
        try:
            return self._binder.bind(node)
        except QueryRefused:
            return None

    def _plainly_bound(self, column: exp.Column) -> Expr | None:
        return self._binder.bind(column) if self._joined.scope.find(column) is not None else None

    def _never_null(self, column: exp.Column) -> bool:
        bound = self._plainly_bound(column)
        return bound is not None and not shape(self.relation, self._catalog).facts().of(bound).nullable

    def _names_measure(self, node: Node) -> bool:
        """Whether a column stands for a name of the SELECT list with an aggregate behind it."""
        name = node.name.lower() if isinstance(node, exp.Column) and not node.table else ""
        return name in self._measured and all(s.find(name) is None for s in self._joined.scope.sources)

    def _rewrite_children(self, node: Node, order: bool = False) -> None:
        for name, value in list(node.args.items()):
            if isinstance(value, list):
                node.set(name, [self._visit(v, order) if isinstance(v, Node) else v for v in value])
            elif isinstance(value, Node):
                node.set(name, self._visit(value, order))

    def _output(self, item: Node) -> Node:
        rewritten = self._visit(item.unalias())
        name = exp.to_identifier(item.alias or default_name(item), quoted=True)
        return exp.alias_(rewritten, name, copy=False)

    def _visit(self, node: Node, order: bool = False, replace: bool = True) -> Node:
        """The node with its private parts replaced by released columns, or, without `replace`, only looked at."""
        if isinstance(node, exp.Ordered):
            return self._ordered(node, order, replace)
        key = self._key(node)
        if key is not None:
            return key
        if isinstance(node, exp.Query):
            if replace:
                self._public(node)
                with_released_keys(node, self._table, self._key_around)
            return node
        if isinstance(node, exp.Grouping | exp.GroupingId):
            return self._grouping(node)
        if self._keys and self.sets is None and (told := told_value(node, self._known, replace)) is not None:
            return told
        if (value := self._told.value(node, self._plainly_bound, self._table)) is not None:
            return value
        if (number := told_number(node, self._never_null)) is not None:
            return number
        check_null_test(node, self._is_measure, self._named)
        if self._is_measure(node):
            released = exp.column(f"a{self._measure_index(node)}", table=self._table, quoted=True)
            return shown(self._read[id(node)][1], released)
        if isinstance(node, exp.Column):
            return self._alias(node, order, replace)
        return self._inside(node, order, replace)

    def _grouping(self, node: Node) -> Node:
        places = [self._key_index(e) for e in node.expressions]
        keys = [p for p in places if p is not None]
        if not keys or len(keys) < len(places):
            raise QueryRefused(
                "GROUPING takes the keys of GROUP BY", place=place_of(node), hint="Name one of them."
            )
        return grouping_of(keys, None if self.sets is None else self._table)

    def _ordered(self, node: exp.Ordered, order: bool, replace: bool) -> Node:
        """ORDER BY prefers the names of the SELECT list to columns, as DuckDB does."""
        if (
            order
            and isinstance(node.this, exp.Column)
            and not node.this.table
            and node.this.name.lower() in self._aliases
        ):
            return node
        return self._inside(node, order, replace)

    def _expanded(self, name: str, order: bool, replace: bool) -> Node:
        """What a name of the SELECT list stands for; a name cannot stand for itself."""
        expanded = self._expansions.get((name, order, replace))
        if expanded is not None:
            return expanded.copy()
        written = self._aliases.pop(name)
        try:
            made = exp.paren(self._visit(written.copy(), order, replace), copy=False)
        finally:
            self._aliases[name] = written
        if len(self._aliases) == self._names:
            self._expansions[name, order, replace] = made.copy()
        return made

    def _is_measure(self, node: Node) -> bool:
        target = node.this if isinstance(node, exp.Filter) else node
        return is_aggregate(target) and not in_window(node)

    def _measure(self, node: Node) -> Measure:
        return measure(node, self._binder, self._owner, self._joined.outer_public)

    def _measure_index(self, node: Node) -> int:
        if id(node) not in self._read:
            self._read[id(node)] = (node, self._measure(node))
        measure = counted(self._read[id(node)][1])
        at = self._place_of.setdefault(measure, len(self._measures))
        if at == len(self._measures):
            self._measures.append(measure)
        return at

    def _alias(self, node: exp.Column, order: bool, replace: bool) -> Node:
        """A column that is no key: a name of the SELECT list stands for its expression, anything else is refused."""
        if self._stands_for_name(node):
            return self._expanded(node.name.lower(), order, replace)
        if self._joined.scope.find(node) is None:
            raise self._joined.scope.unknown(node)
        raise QueryRefused(
            f'the column "{node.name}" is neither grouped nor aggregated',
            place=place_of(node),
            hint="Add it to GROUP BY, or aggregate it.",
        )

    def _named(self, node: Node) -> Node | None:
        """What stands behind a name of the SELECT list, where the node is one."""
        return self._aliases[node.name.lower()] if self._stands_for_name(node) else None

    def _stands_for_name(self, node: Node) -> bool:
        """Whether a column that is no key is a name of the SELECT list; HAVING prefers one, as DuckDB does."""
        if not isinstance(node, exp.Column) or node.table or node.name.lower() not in self._aliases:
            return False
        return self._joined.scope.find(node) is None or (in_having(node) and self._key(node) is None)

    def _inside(self, node: Node, order: bool, replace: bool) -> Node:
        if replace:
            self._rewrite_children(node, order)
        else:
            for child in node.iter_expressions():
                self._visit(child, order, replace)
        return node


def _unique(keys: Iterable[Expr]) -> tuple[Expr, ...]:
    return tuple(dict.fromkeys(keys))
