"""Cuts a query in two: typed questions about private rows, and ordinary SQL over released and public tables.

Every maximal private part of the tree must end in an aggregation that forgets the privacy unit; its place is taken
by a reference to a released table. What is left is public and is rendered once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, partial

from sqlglot import exp

from dpsql.algebra.canonical import Reindexed
from dpsql.algebra.catalog import ByIdentity, Catalog, TableInfo
from dpsql.algebra.question import Question
from dpsql.algebra.relations import Relation
from dpsql.errors import QueryRefused, Refusal
from dpsql.sql.aggregation.grouping_sets import check_one_set
from dpsql.sql.aggregation.local_model import LocalScope, check_clauses, is_local
from dpsql.sql.aggregation.per_unit import PerUnitScope
from dpsql.sql.aggregation.release import ReleaseScope
from dpsql.sql.ast.column_names import unqualified
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import every, outermost
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.from_state import Joined, Table
from dpsql.sql.bind.policy_tables import SystemTable, find_table
from dpsql.sql.bind.row_owner import Owner, owner_of
from dpsql.sql.bind.scope import Output, Scope, marked
from dpsql.sql.bind.selects import (
    Ctes,
    OwnedRows,
    Private,
    aliases,
    filtered,
    is_private,
    is_release,
    limited,
    outputs_of,
    renamed,
)
from dpsql.sql.dialect import Node
from dpsql.sql.joins.set_operations import combined, public_side
from dpsql.sql.normalize.lateral_tables import is_lateral
from dpsql.sql.public.counted_groups import counted_groups
from dpsql.sql.public.cut_query import Query
from dpsql.sql.public.planner_hints import Advice
from dpsql.sql.public.render import SCHEMA, fix, written
from dpsql.sql.public.replay_query import replay_query
from dpsql.sql.public.rollup_levels import Level
from dpsql.sql.public.row_provenance import trace
from dpsql.sql.public.shown_quotients import with_quotients
from dpsql.sql.public.trivial_query import plain
from dpsql.sql.split.distinct_windows import group_windows
from dpsql.sql.split.interval_functions import bounds
from dpsql.sql.split.mixed_sources import joined, public_sources
from dpsql.sql.split.public_checks import check_one_row, check_rest
from dpsql.sql.split.returned_rows import rows_refused
from dpsql.sql.split.windows import WindowScope, has_windows
from dpsql.sql.subqueries.correlated import for_each_row
from dpsql.sql.subqueries.cuts import Evaluate, Resolved
from dpsql.sql.subqueries.nested_queries import Inside, passed_by, sources_of
from dpsql.sql.subqueries.redundant_limits import without_idle_limits
from dpsql.sql.subqueries.released_source import Text, public_text, released_input, with_public_facts
from dpsql.sql.validate.query_size import check_number


def cut(
    tree: Node,
    catalog: Catalog,
    params: Mapping[str, object],
    now: datetime,
    evaluate: Evaluate,
    advice: Advice,
) -> Query:
    """Cuts an admitted tree, which it takes over and changes; `evaluate` runs SQL on public values. May refuse."""
    nodes = every(tree)
    marked(nodes)
    without_idle_limits(nodes)
    cutter = Cutter(catalog, params, now, evaluate, advice)
    if cutter.query(tree, {}, top=True) is not None:
        raise rows_refused(tree)
    levels = tuple(dict.fromkeys(cutter.levels))
    system = tuple(sorted(cutter.system))
    # A plain public query has no function, query, placeholder or value that could be checked or fixed.
    questions, at_once = tuple(cutter.questions), plain(tree)
    if at_once is None:
        bounded = bounds(tree)
        check_rest(tree, catalog, params, cutter.questions)
        fix(tree, params, now)
        at_once = plain(tree)
    if at_once is not None:
        return Query(questions, at_once.sql, at_once.trace, system, (), levels, at_once.plain)
    traced = trace(tree, levels)
    questions = with_quotients(tree, questions, traced, bounded)
    replay = replay_query(tree, questions, levels, catalog, traced) if not bounded and not system else None
    counted = counted_groups(tree)
    return Query(questions, written(tree), traced, system, bounded, levels, None, replay, counted)


class Cutter:
    """Cuts one query; the queries inside its expressions come back to it by `Inside`."""

    def __init__(
        self,
        catalog: Catalog,
        params: Mapping[str, object],
        now: datetime,
        evaluate: Evaluate,
        advice: Advice,
    ) -> None:
        self.catalog = catalog
        self.params = params
        self.now = now
        self.questions: list[Question] = []
        self.evaluate = evaluate
        self.advice = advice
        self.levels: list[Level] = []
        self.system: set[str] = set()
        self._sources = 0
        self._places: dict[int, Node] = {}
        self._index_of: dict[Question, int] = {}
        self._owners: ByIdentity[Owner] = ByIdentity()

    def query(self, node: Node, ctes: Ctes, top: bool = False) -> Private | None:
        """The private rows that a query stands for, or None once it is public (and changed in place).

        `top` says that the rows would be the answer: rows that a foreign key tells apart are then groups to select.
        """
        if isinstance(node, exp.Subquery):
            return self._wrapped(node, ctes)
        ctes = self._with(node, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, ctes, top)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, ctes)
        if isinstance(node, exp.Values):
            self._public_parts(node, ctes, ("alias",))
            return None
        raise QueryRefused(f"{type(node).__name__.upper()} is not supported", place=place_of(node))

    def _wrapped(self, node: exp.Subquery, ctes: Ctes) -> Private | None:
        rows = self.query(node.this, self._with(node, ctes))
        if rows is not None and (node.args.get("limit") is not None or node.args.get("offset") is not None):
            raise limited(node)
        return rows

    def _with(self, node: Node, ctes: Ctes) -> Ctes:
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        names = dict(ctes)
        for cte in list(clause.expressions):
            private = self.query(cte.this, names)
            if private is not None:
                cte.pop()
            names[cte.alias.lower()] = renamed(private, cte) if private is not None else cte
        if not clause.expressions:
            clause.pop()
        return names

    def _set_operation(self, node: exp.SetOperation, ctes: Ctes) -> Private | None:
        sides = [(side, self.query(side, ctes)) for side in (node.this, node.expression)]
        private = [(side, rows) for side, rows in sides if rows is not None]
        if not private:
            self._public_parts(node, ctes, ("this", "expression", "with_"))
            return None
        if len(private) < len(sides):
            raise public_side(node, private[0][0])
        if any(node.args.get(c) for c in ("limit", "offset", "by_name")):
            raise limited(node)
        return combined(self, node, private[0][1], private[1][1])

    def next(self, node: Node) -> int:
        """The index of one more source, which stands at a node."""
        self._places[self._sources] = node
        self._sources += 1
        return self._sources - 1

    def owner(self, relation: Relation) -> Owner:
        """The owner of a relation's rows. Refuses rows of two units."""
        return self._owners.made(relation, lambda: owner_of(relation, self.catalog, self._places))

    def _select(self, node: exp.Select, ctes: Ctes, top: bool) -> Private | None:
        items, joins = sources_of(node)
        tables = self.resolved(items, ctes)
        if not any(is_private(t) for t in tables):
            self._public_select(node, items, tables, ctes)
            return None
        if is_local(node):
            self._local(node, items, tables, ctes)
            return None
        group_windows(node)
        rows = self._owned(node, (items, joins), tables, ctes)
        if is_release(node):
            return self._aggregated(node, rows, ctes, top)
        return self._projection(node, rows)

    def _local(self, node: exp.Select, items: list[Node], tables: Resolved, ctes: Ctes) -> None:
        """Rows of responses, or estimates from them, are public."""
        check_clauses(node)
        joined = self.joined(items, [], tables, ctes)
        binder = Binder(joined.scope, self.params, self.now)
        own, evaluate = self.owner(joined.relation), lambda inner: self.public(inner, ctes)
        scope = LocalScope(node, joined.relation, binder, own, self.catalog, evaluate)
        scope.rewrite(f"r{self.index(scope.question())}")
        self._cut_limits(node, ctes)

    def owned(self, node: exp.Select, ctes: Ctes, outer: Scope | None = None) -> OwnedRows | None:
        """The private rows behind a SELECT after its WHERE, inside of a scope, or None for one that is public."""
        items, joins = sources_of(node)
        tables = self.resolved(items, ctes)
        private = any(is_private(t) for t in tables)
        return self._owned(node, (items, joins), tables, ctes, outer) if private else None

    def _owned(
        self,
        node: exp.Select,
        clause: tuple[list[Node], list[exp.Join]],
        tables: Resolved,
        ctes: Ctes,
        outer: Scope | None = None,
    ) -> OwnedRows:
        joined = self.joined(*clause, tables, ctes, outer)
        where = node.args.get("where")
        passed = passed_by(where, Binder(joined.scope, self.params, self.now, aliases(node)))
        marks = Inside(self, joined.relation, ctes, node, passed).marks()
        binder = Binder(joined.scope, self.params, self.now, aliases(node), marks)
        if where is not None:
            predicate = binder.predicate(where.this)
            joined = filtered(replace(joined, relation=marks.put_on(joined.relation)), predicate)
        owner = self.owner(joined.relation)
        if joined.outer_public and not joined.outer_public >= {s.index for s in owner.private}:
            raise QueryRefused(
                "an outer join that lists a public table's rows can have one private table",
                place=place_of(node),
                hint="Join the private tables first, in a derived table, or write JOIN for each of them.",
            )
        return OwnedRows(joined, binder, marks, owner)

    def _aggregated(self, node: exp.Select, rows: OwnedRows, ctes: Ctes, top: bool) -> Private | None:
        """Groups within one unit are private rows still; any other aggregation is a release."""
        joined, binder, marks, owner = rows.joined, rows.binder, rows.marks, rows.owner
        scope = ReleaseScope(node, rows, lambda inner: self.public(inner, ctes), self.advice, self.catalog)
        per_unit = owner.is_unit if top else owner.leads_to_unit
        if not any(per_unit(k) for k in scope.keys):
            self._release(scope, node, ctes)
            return None
        if top:
            raise QueryRefused(
                "the query would return a row for each unit",
                place=place_of(node),
                hint="Group by something that many units share, or aggregate these rows in an outer query.",
            )
        if joined.outer_public or node.args.get("limit") is not None or node.args.get("offset") is not None:
            raise limited(node)
        check_one_set(node)
        relation = marks.put_on(joined.relation)
        self.owner(relation)
        built = PerUnitScope(node, relation, scope.keys, owner, binder, self.catalog, self.next(node))
        made = built.build(lambda s, stands_for: Binder(s, self.params, self.now, stands_for=stands_for))
        if marks.pending:
            raise QueryRefused(
                "a subquery is not supported here", place=place_of(node), hint="Test it in WHERE."
            )
        return Private(*made)

    def resolved(self, items: list[Node], ctes: Ctes) -> Resolved:
        """What the sources of a FROM clause are; a LATERAL query behind private rows is looked at where they are."""
        sources: Resolved = []
        for item in items:
            later = is_lateral(item) and any(is_private(t) for t in sources)
            sources.append(None if later else self._resolve(item, ctes))
        return sources

    def _resolve(self, item: Node, ctes: Ctes) -> Private | TableInfo | SystemTable | None:
        """What a source of FROM is: private rows, a table of the policy, or None for a public query."""
        if isinstance(item, exp.Subquery | exp.Values):
            return self.query(item, ctes)
        if not isinstance(item, exp.Table) or not isinstance(item.this, exp.Identifier):
            raise QueryRefused("a table function cannot be read", place=place_of(item), hint="Name a table.")
        if item.args.get("db") is None and item.name.lower() in ctes:
            rows = ctes[item.name.lower()]
            return self._reindexed(rows, item) if isinstance(rows, Private) else None
        return find_table(item, self.catalog)

    def _reindexed(self, rows: Private, item: Node) -> Private:
        """Private rows of WITH under indexes of their own, so that they can stand in one query twice."""
        indexes = Reindexed(lambda: self.next(item))
        relation = indexes.relation(rows.relation)
        return Private(relation, tuple(Output(o.name, indexes.expr(o.expr)) for o in rows.outputs))

    def _public_select(self, node: exp.Select, items: list[Node], tables: Resolved, ctes: Ctes) -> None:
        for item, table in zip(items, tables, strict=True):
            if isinstance(table, TableInfo):
                unqualified(item, table.name, ctes)
            elif isinstance(table, SystemTable):
                unqualified(item, table.name, schema=SCHEMA)
                self.system.add(table.name)
        skip = frozenset(id(i) for i in items)
        around = cache(partial(public_sources, self, items, tables, ctes))
        self._public_parts(node, ctes, ("from_", "with_"), skip, around)

    def _public_parts(
        self,
        node: Node,
        ctes: Ctes,
        apart: tuple[str, ...],
        skip: frozenset[int] = frozenset(),
        around: Callable[[], Sequence[Table]] = tuple,
    ) -> None:
        """Cuts the queries inside the expressions of a public query, which must all be public themselves."""
        for value in (v for name, v in node.args.items() if name not in apart):
            for inner in outermost(value, skip):
                if not for_each_row(self, inner, ctes, around):
                    self.public(inner, ctes)

    def public(self, node: Node, ctes: Ctes) -> None:
        """Cuts a query that stands inside a public expression. Refuses private rows there."""
        if self.query(node, ctes) is not None:
            raise QueryRefused(
                "a subquery would return rows of a private table",
                place=place_of(node),
                hint="Compare a count, which has noise, with more than the noise: (SELECT COUNT(*) FROM t) > 20."
                if isinstance(node.parent, exp.Exists)
                else "Aggregate them in the subquery, or write SELECT DISTINCT there.",
                kind=Refusal.PRIVATE_ROWS,
            )

    def joined(
        self,
        items: list[Node],
        joins: list[exp.Join],
        tables: Resolved,
        ctes: Ctes,
        outer: Scope | None = None,
    ) -> Joined:
        """The FROM clause of these sources, inside of the scope `outer`."""
        return joined(self, items, joins, tables, ctes, outer)

    def released_input(self, node: Node, ctes: Ctes) -> Private:
        """The rows of a public query that has been cut, or of a name of WITH, as an input of later releases."""
        text = self.text(node, ctes)
        check_one_row(node, ctes, self.catalog, self.questions if text.reads else ())
        source = released_input(
            node, text, self.next(node), ctes, self.questions, self.catalog, self.advice.described
        )
        return source if text.reads else with_public_facts(source, self.evaluate)

    def text(self, node: Node, ctes: Ctes) -> Text:
        """A public query that has been cut, or a name of WITH, as SQL."""
        query = exp.select("*").from_(exp.table_(node.this)) if isinstance(node, exp.Table) else node.copy()
        query.set("alias", None)
        return public_text(query, ctes, self.params, self.now, self.catalog)

    def _release(self, scope: ReleaseScope, node: exp.Select, ctes: Ctes) -> None:
        question = scope.question()
        self.owner(scope.relation)
        if scope.sets is not None:
            self.levels += scope.rewrite_levels(question, self.index)
        else:
            scope.rewrite(f"r{self.index(question)}")
        self._cut_limits(node, ctes)

    def _cut_limits(self, node: exp.Select, ctes: Ctes) -> None:
        for clause in ("limit", "offset"):
            for inner in outermost(node.args.get(clause)):
                self.public(inner, ctes)

    def index(self, question: Question) -> int:
        """Which release answers a question: one that stands twice in the text is released once."""
        at = self._index_of.setdefault(question, len(self.questions))
        if at < len(self.questions):
            return at
        self.questions.append(question)
        check_number(self.questions)
        return at

    def _projection(self, node: exp.Select, rows: OwnedRows) -> Private:
        joined = rows.joined
        if node.args.get("limit") is not None or node.args.get("offset") is not None:
            raise limited(node)
        if joined.outer_public:
            raise QueryRefused(
                "rows of a public table without a match have no owner",
                place=place_of(node),
                hint="Use JOIN, or aggregate in the same SELECT and group by the public table's columns.",
            )
        if has_windows(node):
            windows = WindowScope(node, rows, self.next(node), self)
            return Private(*windows.build())
        outputs = outputs_of(node, joined, rows.binder)
        relation = rows.marks.put_on(joined.relation)
        self.owner(relation)
        return Private(relation, outputs)
