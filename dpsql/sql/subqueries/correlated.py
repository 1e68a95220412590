"""One aggregate of private rows for each row around it, released once: a released table by what ties it to the row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.canonical import Reindexed, renumbered
from dpsql.algebra.expressions import Call, Column, Expr, Literal
from dpsql.algebra.functions import apply
from dpsql.algebra.question import Question
from dpsql.algebra.relations import (
    Filter,
    Join,
    JoinKind,
    Relation,
    Scan,
    columns_from,
    read_around,
    reads,
    sources,
)
from dpsql.algebra.shape import matches, table_of
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.aggregation.per_unit import PerUnitScope
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.from_state import Table
from dpsql.sql.bind.mark_joins import Beside, Lookup
from dpsql.sql.bind.ordered_aggregates import aggregate_call
from dpsql.sql.bind.scope import Output, Scope, Source
from dpsql.sql.bind.selects import Ctes, OwnedRows, Private, is_value
from dpsql.sql.dialect import DType, Node
from dpsql.sql.public.render import SCHEMA
from dpsql.sql.subqueries.cuts import Cuts
from dpsql.sql.subqueries.released_source import keyed
from dpsql.sql.subqueries.scalar_release import ReleasedValue, is_count

# The name of the released group beside a public row; no name of a query can be the same.
_GROUP = "#group"
StandsFor = Callable[[Node], Expr | None]
Pairs = list[tuple[Expr, Expr]]
_ZERO = Literal(0, SqlType.INTEGER)
_CAST: Final = MappingProxyType({SqlType.DATE: DType.DATE, SqlType.TIMESTAMP: DType.TIMESTAMP})


class Correlated:
    """An aggregate whose rows are tied to the row `around` it by equalities.

    It is needed for those rows around it alone of which every condition of `passed` is true.
    """

    def __init__(
        self, value: ReleasedValue, around: Relation, cutter: Cuts, passed: tuple[Expr, ...] = ()
    ) -> None:
        self._value = value
        self._around = around
        self._cutter = cutter
        self._passed = passed

    def beside(self, select: exp.Select, node: Node, pending: list[Beside]) -> Expr:
        """The item over the released values of the group that the row around belongs to."""
        relation, pairs = self._split(node)
        item = select.expressions[0].unalias()
        relation, keys = self._listed(relation, pairs, node)
        question, at = self.question(relation, keys, node)
        group = keyed(self._cutter.next(node), at, question, [k.type for k in keys], self._cutter.catalog)
        on = tuple(apply("eq", (outer, group.column(i))) for i, (_, outer) in enumerate(pairs))
        pending.append(Lookup(group, on))
        return self._item(item, lambda i: group.column(len(keys) + i))

    def released(self, node: exp.Select, tables: Sequence[Source]) -> None:
        """Changes the SELECT in place to read the group of the public row around it from the released table."""
        relation, pairs = self._split(node)
        if any(self._cutter.owner(relation).leads_to_unit(inner) for inner, _ in pairs):
            raise QueryRefused(
                "an aggregate for each person cannot stand beside public rows",
                place=place_of(node),
                hint="Compare something that many people share with the public table.",
            )
        outer = [_written(o, tables, node) for _, o in pairs]
        relation, keys = self._listed(relation, pairs, node)
        _, at = self.question(relation, keys, node)
        item = node.expressions[0]
        item.replace(self._over_released(item.copy()))
        same = (exp.EQ(this=_column(f"k{i}"), expression=o) for i, o in enumerate(outer))
        name = exp.to_identifier(f"r{at}", quoted=True)
        table = exp.Table(this=name, db=exp.to_identifier(SCHEMA, quoted=True))
        table.set("alias", exp.TableAlias(this=exp.to_identifier(_GROUP, quoted=True)))
        node.set("from_", exp.From(this=table))
        for clause in ("joins", "order"):
            node.set(clause, None)
        node.set("where", exp.Where(this=exp.and_(*same)))

    def _over_released(self, node: Node) -> Node:
        """The item with the greatest value of the one group, or of none, in the place of each aggregate."""
        if isinstance(node, exp.Query):
            raise QueryRefused("a subquery is not supported here", place=place_of(node))
        measure = self._value.measure_of(node)
        if measure is not None:
            value = exp.Max(this=_column(f"a{self._value.measures.index(measure)}"))
            zero = exp.Literal.number(0)
            return value if not is_count(measure) else exp.Coalesce(this=value, expressions=[zero])
        for name, value in list(node.args.items()):
            if isinstance(value, list):
                node.set(name, [self._over_released(v) if isinstance(v, Node) else v for v in value])
            elif isinstance(value, Node):
                node.set(name, self._over_released(value))
        return node

    def question(self, relation: Relation, keys: tuple[Expr, ...], node: Node) -> tuple[Question, int]:
        """What is released, and as which release."""
        self._cutter.owner(relation)
        question = renumbered(Question(relation, keys, tuple(self._value.measures), place=place_of(node)))
        return question, self._cutter.index(question)

    def _item(self, item: Node, column: Callable[[int], Expr]) -> Expr:
        """The item of the SELECT; without rows a count is 0, and all else NULL."""

        def stands_for(node: Node) -> Expr | None:
            measure = self._value.measure_of(node)
            if measure is None:
                return None
            value = column(self._value.measures.index(measure))
            return value if not is_count(measure) else apply("coalesce", (value, _ZERO))

        return Binder(Scope(()), self._cutter.params, self._cutter.now, stands_for=stands_for).bind(item)

    def _split(self, node: Node) -> tuple[Relation, Pairs]:
        """The rows of the aggregate on their own, and what of them is equal to what of the row around them."""
        alone, pairs = split(self._value.relation)
        tied = [p for p in pairs if p is not None and reads(p[1]) <= columns_from(self._around)]
        read = {i for m in self._value.measures for e in (m.arg, m.where) if e is not None for i in reads(e)}
        if len(tied) < len(pairs) or read_around(alone) or not read <= columns_from(alone):
            raise QueryRefused(
                "an aggregate of private rows can depend on the row around it by equalities in WHERE alone",
                place=place_of(node),
                hint="Aggregate by that column first, and join the result.",
            )
        return alone, tied

    def _listed(self, relation: Relation, pairs: Pairs, node: Node) -> tuple[Relation, tuple[Expr, ...]]:
        """The rows and their keys, which are columns of a public table where those tell its rows apart.

        Such a table lists every group that a row around the aggregate can ask for, and multiplies nothing. Conditions
        on it alone leave groups out that no row asks for, and with them what units have there.
        """
        keys: list[Expr] = [inner for inner, _ in pairs]
        for scan in sources(self._around):
            named = {i: o for i, (_, o) in enumerate(pairs) if isinstance(o, Column) and o.scan == scan.index}
            if not named or not isinstance(scan, Scan) or not table_of(scan, self._cutter.catalog).public:
                continue
            again = Scan(scan.table, self._cutter.next(node))
            columns = {i: replace(o, scan=again.index) for i, o in named.items()}
            on = tuple(apply("eq", (pairs[i][0], c)) for i, c in columns.items())
            if matches(again, on, columns_from(relation), self._cutter.catalog) == 1:
                joined = Join(relation, again, JoinKind.INNER, on)
                narrowed = self._conditions_on(scan, again)
                relation = Filter(joined, narrowed) if narrowed else joined
                for i, c in columns.items():
                    keys[i] = c
        return relation, tuple(keys)

    def _conditions_on(self, scan: Scan, again: Scan) -> tuple[Expr, ...]:
        """What rows around have to pass that is of one table alone, of its other scan."""
        moved = Reindexed(lambda: again.index, {scan.index: again.index})
        return moved.sorted(tuple(c for c in self._passed if reads(c) == {scan.index}))


def of_unit(
    select: exp.Select, rows: OwnedRows, around: Relation, cutter: Cuts, pending: list[Beside]
) -> Expr | None:
    """The aggregate of the rows of the unit that owns the row around it, private like that; None for any other."""
    outputs = outputs_of_unit(select, rows, around, cutter, pending)
    return outputs[0].expr if outputs is not None else None


def outputs_of_unit(
    select: exp.Select, rows: OwnedRows, around: Relation, cutter: Cuts, pending: list[Beside]
) -> tuple[Output, ...] | None:
    """The columns of a SELECT of aggregates of the rows of the unit that owns the row around it; None for any other."""
    relation, split_pairs = split(rows.joined.relation)
    pairs = [p for p in split_pairs if p is not None and reads(p[1]) <= columns_from(around)]
    if len(pairs) < len(split_pairs) or not pairs or read_around(relation):
        return None
    owner = cutter.owner(relation)
    if not any(owner.leads_to_unit(inner) for inner, _ in pairs):
        return None
    index, keys = cutter.next(select), tuple(dict.fromkeys(inner for inner, _ in pairs))
    scope = PerUnitScope(select, relation, keys, owner, rows.binder, cutter.catalog, index)

    def binder(inside: Scope, stands_for: StandsFor) -> Binder:
        return Binder(inside, cutter.params, cutter.now, stands_for=lambda n: _counted(n, stands_for(n)))

    rows_of_unit, outputs = scope.build(binder)
    if rows.marks.pending or read_around(rows_of_unit):
        raise QueryRefused(
            "a subquery is not supported here", place=place_of(select), hint="Test it in WHERE."
        )
    on = tuple(apply("eq", (outer, scope.column(inner))) for inner, outer in pairs)
    pending.append(Lookup(rows_of_unit, on))
    return outputs


def split(relation: Relation) -> tuple[Relation, list[tuple[Expr, Expr] | None]]:
    """Rows on their own, and both sides of each equality with other rows, their own first; None for all else."""
    passed: tuple[Expr, ...] = ()
    if isinstance(relation, Filter):
        passed, relation = relation.conjuncts, relation.source
    own = columns_from(relation)
    inside = tuple(c for c in passed if reads(c) <= own)
    pairs = [pair_of(c, own) for c in passed if not reads(c) <= own]
    return (Filter(relation, inside) if inside else relation), pairs


def _counted(node: Node, value: Expr | None) -> Expr | None:
    """A count over no rows is 0; what an outer join leaves without a match is NULL."""
    call = node.this if isinstance(node, exp.Filter) else node
    named = aggregate_call(call)
    counts = isinstance(call, exp.Count) or (named is not None and named.counts)
    return apply("coalesce", (value, _ZERO)) if counts and value is not None else value


def _column(name: str) -> exp.Column:
    return exp.column(name, table=_GROUP, quoted=True)


def _written(outer: Expr, tables: Sequence[Source], node: Node) -> Node:
    """A column of the public row around, as the query names it, also as the day or the moment that it is cast to."""
    if isinstance(outer, Call) and outer.op == "cast" and outer.type in _CAST:
        return exp.cast(_written(outer.args[0], tables, node), _CAST[outer.type])
    for source in tables:
        for output in source.outputs:
            if output.expr == outer:
                return exp.column(output.name, table=source.alias, quoted=True)
    raise QueryRefused(
        "an aggregate of private rows can be tied to plain columns of the public row around it alone",
        place=place_of(node),
        hint="Compute what it is compared with in a subquery.",
    )


def for_each_row(cutter: Cuts, node: Node, ctes: Ctes, sources_around: Callable[[], Sequence[Table]]) -> bool:
    """Whether a query is one aggregate of private rows for each public row around it; it is changed in place if so."""
    select = node.unnest() if isinstance(node, exp.Subquery) else node
    if not isinstance(select, exp.Select) or not is_value(select) or not _may_depend(select, ctes, cutter):
        return False
    around = sources_around()
    if not around:
        return False
    copy, tables = select.copy(), tuple(t.source for t in around)
    rows = cutter.owned(copy, ctes, Scope(tables))
    if rows is None:
        return False
    value = ReleasedValue(rows.joined.relation, rows.binder, rows.marks, rows.owner, cutter.catalog)
    outside = Binder(Scope(()), cutter.params, cutter.now, stands_for=value.stands_for)
    value.question(copy.expressions[0].unalias(), outside, select)
    if not value.reads_outside:
        return False
    public = reduce(lambda a, b: Join(a, b, JoinKind.INNER, ()), (t.relation for t in around))
    Correlated(value, public, cutter).released(select, tables)
    return True


def _may_depend(select: exp.Select, ctes: Ctes, cutter: Cuts) -> bool:
    """Whether a query reads private rows, and a column that may be none of its own sources."""
    inside = all_of(select, exp.Table, exp.Subquery, exp.Values)
    infos = [cutter.catalog.tables.get(item.name.lower()) for item in inside if isinstance(item, exp.Table)]
    private = any(info is not None and not info.public for info in infos)
    if not private and not any(isinstance(ctes.get(item.name.lower()), Private) for item in inside):
        return False
    aliases = {item.alias_or_name.lower() for item in inside}
    known = {column.name.lower() for info in infos if info is not None for column in info.columns}
    columns = all_of(select, exp.Column)
    return any(c.table.lower() not in aliases if c.table else c.name.lower() not in known for c in columns)


def pair_of(condition: Expr, own: frozenset[int]) -> tuple[Expr, Expr] | None:
    """Both sides of an equality, that of the aggregated rows first, or None for any other condition."""
    if not isinstance(condition, Call) or condition.op != "eq":
        return None
    for inner, outer in (condition.args, condition.args[::-1]):
        if reads(inner) and reads(inner) <= own and not reads(outer) & own:
            return inner, outer
    return None
