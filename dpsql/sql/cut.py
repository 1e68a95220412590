"""Cuts a query in two: typed questions about private rows, and ordinary SQL over released and public tables.

Every maximal private part of the tree must end in an aggregation that forgets the privacy unit; its place is taken
by a reference to a released table. What is left is public and is rendered once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlglot import exp

from dpsql.algebra.expr import Column, Expr
from dpsql.algebra.question import Question
from dpsql.algebra.relation import Filter, Relation, Scan, conjuncts
from dpsql.catalog import Catalog, TableInfo
from dpsql.errors import QueryRefused
from dpsql.sql import from_clause
from dpsql.sql.aggregates import is_aggregate
from dpsql.sql.bind import Binder
from dpsql.sql.dialect import Node
from dpsql.sql.from_clause import Joined, Table
from dpsql.sql.names import default_name, unqualified
from dpsql.sql.place import place_of
from dpsql.sql.public import check_public, render
from dpsql.sql.release import ReleaseScope
from dpsql.sql.scope import Output, Scope, Source
from dpsql.sql.size import check_correlated
from dpsql.sql.trace import Trace, trace
from dpsql.sql.walk import in_window, is_star, outermost, shallow


@dataclass(frozen=True, slots=True)
class Query:
    """A query after the cut: the distinct questions in the order of the text, and the SQL that finishes their answers.

    `rest` reads released tables `released.r0`, `released.r1`, ... (one per question) with key columns k0, k1, ...
    and measure columns a0, a1, ..., and public tables by their names.
    """

    questions: tuple[Question, ...]
    rest: str
    trace: Trace | None


@dataclass(frozen=True, slots=True)
class _Private:
    """A derived table or common table expression of private rows."""

    relation: Relation
    outputs: tuple[Output, ...]
    owner: int | None
    unit: Column | None


MOST_RELEASES = 100
"""The most releases of one query; each is an engine query and a charge of its own."""
MOST_MEASURES = 300
"""The most aggregates of private rows in one query, over all its releases."""

# The schema of a table without one.
_SCHEMA = "main"
# A name of WITH: private rows, or None for a query that is public by now.
_Ctes = Mapping[str, _Private | None]


def cut(tree: Node, catalog: Catalog, params: Mapping[str, object], now: datetime) -> Query:
    """Cuts an admitted tree, which it takes over and changes. Raises QueryRefused."""
    cutter = _Cutter(catalog, params, now)
    if cutter.query(tree, {}) is not None:
        raise QueryRefused(
            "the query would return rows of a private table",
            place=place_of(tree),
            hint="Aggregate them: COUNT, SUM, AVG, with or without GROUP BY.",
        )
    check_public(tree, catalog, params)
    check_correlated(tree)
    for column in tree.find_all(exp.Column):
        column.set("db", None)
    rest = render(tree, params, now)
    return Query(tuple(cutter.questions), rest, trace(tree))


class _Cutter:
    def __init__(self, catalog: Catalog, params: Mapping[str, object], now: datetime) -> None:
        self.catalog = catalog
        self.params = params
        self.now = now
        self.questions: list[Question] = []
        self._known: dict[Question, int] = {}
        self._scans = 0

    def query(self, node: Node, ctes: _Ctes) -> _Private | None:
        """The private rows that a query stands for, or None once it is public (and changed in place)."""
        if isinstance(node, exp.Subquery):
            return self._wrapped(node, ctes)
        ctes = self._with(node, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, ctes)
        if isinstance(node, exp.SetOperation):
            self._set_operation(node, ctes)
            return None
        if isinstance(node, exp.Values):
            self._public_parts(node, ctes, ("alias",))
            return None
        raise QueryRefused(f"{type(node).__name__.upper()} is not supported", place=place_of(node))

    def _wrapped(self, node: exp.Subquery, ctes: _Ctes) -> _Private | None:
        found = self.query(node.this, self._with(node, ctes))
        if found is not None and (node.args.get("limit") is not None or node.args.get("offset") is not None):
            raise _limited(node)
        return found

    def _with(self, node: Node, ctes: _Ctes) -> _Ctes:
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        known = dict(ctes)
        for cte in list(clause.expressions):
            found = self.query(cte.this, known)
            if found is not None:
                found = _renamed(found, cte)
                cte.pop()
            known[cte.alias.lower()] = found
        if not clause.expressions:
            clause.pop()
        return known

    def _set_operation(self, node: exp.SetOperation, ctes: _Ctes) -> None:
        for side in (node.this, node.expression):
            if self.query(side, ctes) is not None:
                raise QueryRefused(
                    f"{type(node).__name__.upper()} of private rows is not supported",
                    place=place_of(side),
                    hint="Aggregate each side, then combine the results.",
                )
        self._public_parts(node, ctes, ("this", "expression", "with_"))

    def _select(self, node: exp.Select, ctes: _Ctes) -> _Private | None:
        items = [f.this for f in [node.args.get("from_")] if f is not None]
        joins = node.args.get("joins") or []
        tables = [self._resolve(item, ctes) for item in items + [j.this for j in joins]]
        if not any(isinstance(t, _Private) or (isinstance(t, TableInfo) and not t.public) for t in tables):
            self._public_select(node, items + [j.this for j in joins], tables, ctes)
            return None
        joined = self._join_all(items + [j.this for j in joins], joins, tables)
        binder = Binder(joined.scope, self.params, self.now, _aliases(node))
        where = node.args.get("where")
        if where is not None:
            joined = _filtered(joined, binder.predicate(where.this))
        if _is_release(node):
            self._release(node, joined, binder, ctes)
            return None
        return self._projection(node, joined, binder)

    def _resolve(self, item: Node, ctes: _Ctes) -> _Private | TableInfo | None:
        """What a source of FROM is: private rows, a table of the policy, or None for a public query."""
        if isinstance(item, exp.Subquery | exp.Values):
            return self.query(item, ctes)
        if not isinstance(item, exp.Table) or not isinstance(item.this, exp.Identifier):
            raise QueryRefused("a table function cannot be read", place=place_of(item), hint="Name a table.")
        schema = item.args.get("db")
        if schema is None and item.name.lower() in ctes:
            return ctes[item.name.lower()]
        return self._table(item, schema)

    def _table(self, item: exp.Table, schema: Node | None) -> TableInfo:
        if item.args.get("catalog") is not None:
            raise QueryRefused("a table may not be qualified by a catalog", place=place_of(item))
        found = None
        if schema is not None:
            found = self.catalog.table(f"{schema.name}.{item.name}")
        if found is None and (schema is None or schema.name.lower() == "main"):
            found = self.catalog.table(item.name)
        if found is None:
            known = ", ".join(sorted(t.name for t in self.catalog.tables.values()))
            name = f"{schema.name}.{item.name}" if schema is not None else item.name
            raise QueryRefused(
                f'there is no table "{name}"', place=place_of(item), hint=f"There is: {known}."
            )
        return found

    def _public_select(
        self,
        node: exp.Select,
        items: list[Node],
        tables: list[_Private | TableInfo | None],
        ctes: _Ctes,
    ) -> None:
        for item, table in zip(items, tables, strict=True):
            if isinstance(table, TableInfo):
                _check_hidden(item, table, ctes)
                unqualified(item, table.name)
        self._public_parts(node, ctes, ("from_", "with_"), skip=frozenset(id(i) for i in items))

    def _public_parts(
        self, node: Node, ctes: _Ctes, apart: tuple[str, ...], skip: frozenset[int] = frozenset()
    ) -> None:
        """Cuts the queries inside the expressions of a public query, which must all be public themselves."""
        for name, value in node.args.items():
            if name not in apart:
                for inner in outermost(value, skip):
                    self.public(inner, ctes)

    def public(self, node: Node, ctes: _Ctes) -> None:
        """Cuts a query that stands inside a public expression. Refuses private rows there."""
        if self.query(node, ctes) is not None:
            raise QueryRefused(
                "a subquery would return rows of a private table",
                place=place_of(node),
                hint="Aggregate them in the subquery.",
            )

    def _join_all(
        self, items: list[Node], joins: list[exp.Join], tables: list[_Private | TableInfo | None]
    ) -> Joined:
        sources = [self._source(item, table) for item, table in zip(items, tables, strict=True)]
        joined = from_clause.first(sources[0])
        for node, source in zip(joins, sources[1:], strict=True):
            joined = from_clause.join(joined, node, source, self._predicate)
        return joined

    def _predicate(self, node: Node, scope: Scope) -> Expr:
        return Binder(scope, self.params, self.now).predicate(node)

    def _source(self, item: Node, table: _Private | TableInfo | None) -> Table:
        if table is None:
            raise QueryRefused(
                "a join of private rows with a query is not supported",
                place=place_of(item),
                hint="Join the public table itself, or join after aggregating.",
            )
        if isinstance(table, _Private):
            table = _renamed(table, item)
            return Table(table.relation, Source(item.alias, table.outputs), table.owner, table.unit)
        return self._base_table(item, table)

    def _base_table(self, item: Node, info: TableInfo) -> Table:
        scan = Scan(info.name, self._scans)
        self._scans += 1
        columns = {c.name: Column(scan.index, c.name, c.type) for c in info.columns}
        outputs = tuple(Output(c.name, columns[c.name]) for c in info.columns if not c.hidden)
        hidden = tuple(c.name for c in info.columns if c.hidden)
        outputs = _renamed_outputs(outputs, item)
        key = info.column(info.unit_key) if info.unit_key is not None else None
        unit = columns[key.name] if key is not None else None
        owner = None if info.public else scan.index
        schema = item.args["db"].name if item.args.get("db") is not None else _SCHEMA
        return Table(scan, Source(item.alias or item.name, outputs, hidden, schema), owner, unit)

    def _release(self, node: exp.Select, joined: Joined, binder: Binder, ctes: _Ctes) -> None:
        scope = ReleaseScope(node, joined, binder, lambda inner: self.public(inner, ctes))
        asked = scope.question()
        scope.rewrite(f"r{self._index(asked)}")
        for clause in ("limit", "offset"):
            for inner in outermost(node.args.get(clause)):
                self.public(inner, ctes)

    def _index(self, asked: Question) -> int:
        """Which release answers a question: one that stands twice in the text is released once."""
        at = self._known.setdefault(asked, len(self.questions))
        if at < len(self.questions):
            return at
        self.questions.append(asked)
        measures = sum(len(q.measures) for q in self.questions)
        if at >= MOST_RELEASES or measures > MOST_MEASURES:
            raise QueryRefused(
                f"a query has at most {MOST_RELEASES} releases and {MOST_MEASURES} aggregates of private rows",
                place=asked.place,
                hint="Send several queries; GROUP BY answers for many groups at once.",
            )
        return at

    def _projection(self, node: exp.Select, joined: Joined, binder: Binder) -> _Private:
        if node.args.get("limit") is not None or node.args.get("offset") is not None:
            raise _limited(node)
        if node.args.get("qualify") is not None:
            raise QueryRefused(
                "QUALIFY on private rows depends on the rows of others",
                place=place_of(node.args["qualify"]),
                hint="Filter with WHERE; QUALIFY works on the results of GROUP BY.",
            )
        if joined.outer_public:
            raise QueryRefused(
                "rows of a public table without a match have no owner",
                place=place_of(node),
                hint="Use JOIN, or aggregate in the same SELECT and group by the public table's columns.",
            )
        outputs: list[Output] = []
        for item in node.expressions:
            if is_star(item):
                outputs += joined.scope.star(item)
            else:
                outputs.append(Output(item.alias or default_name(item), binder.bind(item.unalias())))
        return _Private(joined.relation, tuple(outputs), joined.owner, joined.unit)


def _check_hidden(item: Node, table: TableInfo, ctes: _Ctes) -> None:
    """The public engine knows a table by its name alone, which a name of WITH would hide."""
    if table.name.lower() in ctes:
        raise QueryRefused(
            f'WITH gives the name of the table "{table.name}" to another query',
            place=place_of(item),
            hint="Use another name in WITH.",
        )


def _limited(node: Node) -> QueryRefused:
    return QueryRefused(
        "LIMIT on private rows depends on their order",
        place=place_of(node),
        hint="Aggregate the rows; to take fewer of them, filter with WHERE.",
    )


def _aliases(node: exp.Select) -> Mapping[str, Node]:
    return {item.alias.lower(): item.this for item in node.expressions if isinstance(item, exp.Alias)}


def _filtered(joined: Joined, predicate: Expr) -> Joined:
    found = conjuncts(predicate)
    if not found:
        return joined
    relation: Relation = joined.relation
    if isinstance(relation, Filter):
        found = relation.conjuncts + found
        relation = relation.source
    return Joined(Filter(relation, found), joined.scope, joined.owner, joined.unit, joined.outer_public)


def _is_release(node: exp.Select) -> bool:
    if node.args.get("group") is not None or node.args.get("distinct") is not None:
        return True
    places = [*node.expressions]
    for clause in ("having", "qualify", "order"):
        part = node.args.get(clause)
        places += [part] if part is not None else []
    if node.args.get("having") is not None:
        return True
    return any(is_aggregate(n) and not in_window(n) for place in places for n in shallow(place))


def _renamed(table: _Private, item: Node) -> _Private:
    return _Private(table.relation, _renamed_outputs(table.outputs, item), table.owner, table.unit)


def _renamed_outputs(outputs: tuple[Output, ...], item: Node) -> tuple[Output, ...]:
    alias = item.args.get("alias")
    names = [c.name for c in alias.columns] if isinstance(alias, exp.TableAlias) else []
    if len(names) > len(outputs):
        raise QueryRefused("more column aliases than columns", place=place_of(item))
    return tuple(Output(n, o.expr) for n, o in zip(names, outputs, strict=False)) + outputs[len(names) :]
