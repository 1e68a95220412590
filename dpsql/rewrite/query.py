"""One part of a release as one engine query: scan, bound, group, and exact sums of integers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dpsql.algebra.canonical import digest
from dpsql.algebra.expr import TRUE, Call, Column, Expr
from dpsql.algebra.facts import NATURAL, Fact, Facts
from dpsql.algebra.relation import Filter, Join, Relation
from dpsql.algebra.shape import Shape, shape, table_of
from dpsql.algebra.types import SqlType
from dpsql.catalog import Catalog
from dpsql.engines.base import EngineQuery, UnitList
from dpsql.functions import emit, fact_rule
from dpsql.plan.types import Bounding, Part, Release, Scores, Sum, Sums, Term
from dpsql.policy.model import Policy
from dpsql.rewrite.bounding import Table, capped, content_order, heavy, light, totalled, units_above
from dpsql.rewrite.grid import clipped, grid_sql, with_total
from dpsql.rewrite.relation import (
    TOTAL,
    UNIT,
    FromWhere,
    Read,
    Rows,
    from_where,
    plain,
    public_rows,
    reference,
)
from dpsql.scan import quoted

_BITS = 62


def engine_query(release: Release, part: Part, policy: Policy, catalog: Catalog) -> EngineQuery:
    """The SQL of one part: the keys, then every term as two BIGINT columns (v >> 62, v & (2**62 - 1))."""
    return _Writer(release, part.bounding, policy, catalog).query(terms_of(part))


def terms_of(part: Part) -> tuple[Term, ...]:
    """The distinct exact integers that a part needs, in the order of the query's columns."""
    if isinstance(part, Sums):
        return tuple(dict.fromkeys(t for f in part.families for t in f.terms))
    if isinstance(part, Scores):
        return (part.term,)
    return (Term(Sum.UNITS),)


@dataclass(slots=True)
class _Inputs:
    """Row expressions that the aggregates read, each written once, named v0, v1, ..."""

    written: dict[str, str] = field(default_factory=dict)

    def name(self, sql: str) -> str:
        return self.written.setdefault(sql, f"v{len(self.written)}")


class _Writer:
    def __init__(self, release: Release, bounding: Bounding, policy: Policy, catalog: Catalog) -> None:
        self.question = release.question
        self.keys = release.keys
        self.bounding = bounding
        self.catalog = catalog
        self.shape: Shape = shape(self.question.relation, catalog)
        assert self.shape.owner is not None
        self.owner = self.shape.owner
        self.info = table_of(self.owner, catalog)
        self.policy = policy
        self.table = Table(self.info, digest(policy.digest, self.info.name)[:16])
        self.inputs = _Inputs()
        self.reference = reference if bounding.rows is None else lambda c: quoted(_flat(c))
        self.unit = f"s{self.owner.index}.{UNIT}" if bounding.rows is None else UNIT
        self.total = Column(self.owner.index, TOTAL, SqlType.INTEGER)
        self.base: Facts = self._facts()

    def _facts(self) -> Facts:
        total = Fact(SqlType.INTEGER, True, NATURAL[SqlType.INTEGER])
        return Facts({**self.shape.base, self.total: total}, fact_rule)

    def query(self, terms: tuple[Term, ...]) -> EngineQuery:
        sums = [self._aggregate(t) for t in terms]
        keys = [emit(k, self.base, self.reference) for k in self.keys.exprs]
        source = self._source(terms)
        inner = [f"{sql} AS k{i}" for i, sql in enumerate(keys)]
        inner += [f"{sql} AS {name}" for sql, name in self.inputs.written.items()]
        outer = [f"k{i}" for i in range(len(keys))]
        outer += [half for i, s in enumerate(sums) for half in _halves(s, i)]
        group = f" GROUP BY {', '.join(f'k{i}' for i in range(len(keys)))}" if keys else ""
        sql = f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(inner or ['1'])} {source.sql}){group}"
        return EngineQuery(sql, len(keys), len(terms), _ordered(source.lists))

    def _aggregate(self, term: Term) -> str:
        only = ""
        if term.where != TRUE:
            only = f" FILTER (WHERE {self.inputs.name(emit(term.where, self.base, self.reference))})"
        if term.sum is Sum.ROWS:
            return f"count(*){only}"
        if term.sum is Sum.UNITS:
            if self.info.unit_key is None or self.shape.rows_per_unit == 1:
                return f"count(*){only}"
            return f"count(DISTINCT {self.inputs.name(self.unit)}){only}"
        assert term.arg is not None
        if term.sum in (Sum.VALUES, Sum.DISTINCT):
            word = "DISTINCT " if term.sum is Sum.DISTINCT else ""
            return f"count({word}{self._value(term)}){only}"
        return self._sum(term, only)

    def _value(self, term: Term) -> str:
        assert term.arg is not None
        return self.inputs.name(emit(term.arg, self.base, self.reference))

    def _sum(self, term: Term, only: str) -> str:
        grid = term.grid
        assert grid is not None
        if grid.unit_total is not None:
            name = self.inputs.name(emit(self._with_total(grid.arg), self.base, self.reference))
            return f"coalesce(sum({name}){only}, 0)"
        on_grid = clipped(self.inputs.name(grid_sql(grid, self.base, self.reference)), grid)
        if term.sum is Sum.TOTAL:
            return f"coalesce(sum({on_grid}){only}, 0)"
        s = f"({on_grid} - ({grid.lo}))"
        return f"coalesce(sum({s if term.sum is Sum.SHIFTED else f'{s} * {s}'}){only}, 0)"

    def _with_total(self, arg: Expr) -> Expr:
        assert self.bounding.total is not None and isinstance(self.bounding.total.grid.arg, Column)
        return with_total(arg, self.bounding.total.grid.arg, self.total)

    def _names(self, terms: tuple[Term, ...]) -> frozenset[str]:
        """The owner's columns that the query reads."""
        exprs = [*self.keys.exprs, *_predicates(self.question.relation), *(t.where for t in terms)]
        exprs += [t.arg for t in terms if t.arg is not None]
        found: set[str] = set()
        for expr in exprs:
            stack: list[Expr] = [expr]
            while stack:
                node = stack.pop()
                if isinstance(node, Column) and node.scan == self.owner.index:
                    found.add(node.name)
                elif isinstance(node, Call):
                    stack.extend(node.args)
        return frozenset(found)

    def _owned(self, names: frozenset[str]) -> Rows:
        """The owner's rows with what has to be enforced on the table itself."""
        cap = self.info.rows_per_unit
        if self.bounding.total is not None:
            return totalled(self.table, names, self.bounding.total)
        if self.bounding.table_cap and cap is not None:
            return capped(self.table, names, cap)
        return Rows(plain(self.info, names, owned=True))

    def _read(self, owned: Rows) -> Read:
        return lambda scan: owned if scan == self.owner else public_rows(scan, self.catalog)

    def _source(self, terms: tuple[Term, ...]) -> FromWhere:
        names = self._names(terms)
        cap = self.bounding.rows
        if cap is None:
            return from_where(self.question.relation, self.base, self._read(self._owned(names)))
        return self._bounded(names, cap)

    def _bounded(self, names: frozenset[str], cap: int) -> FromWhere:
        """At most `cap` rows of a unit after filters and joins: only units that can have more are ordered."""
        every = self._owned(self.table.every)
        limit = cap // self.shape.fan_out
        columns = self._in_reach()
        chosen = ", ".join(f"{reference(c)} AS {quoted(_flat(c))}" for c in columns if self._needed(c, names))
        unit = f"s{self.owner.index}.{UNIT}"
        chosen = f"{unit} AS {UNIT}" + (f", {chosen}" if chosen else "")
        units = units_above(Rows(self._owned(frozenset()).sql, every.lists), limit)
        rows = every if limit == 0 else heavy(every, units)
        many = from_where(self.question.relation, self.base, self._read(rows))
        order = content_order([reference(c) for c in columns], self.table.salt)
        numbered = (
            f'SELECT {chosen}, row_number() OVER (PARTITION BY {unit} ORDER BY {order}) AS "#n" {many.sql}'
        )
        kept = f'SELECT * EXCLUDE ("#n") FROM ({numbered}) WHERE "#n" <= {cap}'
        lists = many.lists
        if limit > 0:
            few = from_where(self.question.relation, self.base, self._read(light(self._owned(names), units)))
            kept, lists = f"SELECT {chosen} {few.sql} UNION ALL {kept}", (*few.lists, *lists)
        return FromWhere(f"FROM ({kept})", lists)

    def _in_reach(self) -> list[Column]:
        return sorted(self.shape.base, key=lambda c: (c.scan, c.name))

    def _needed(self, column: Column, names: frozenset[str]) -> bool:
        return column.scan != self.owner.index or column.name in names


def _flat(column: Column) -> str:
    return f"{column.scan}.{column.name}"


def _halves(sql: str, index: int) -> Iterator[str]:
    """A sum as two BIGINT columns: HUGEINT does not survive the way into numpy."""
    value = f"CAST({sql} AS HUGEINT)"
    yield f"CAST({value} >> {_BITS} AS BIGINT) AS h{index}"
    yield f"CAST({value} & {2**_BITS - 1}::HUGEINT AS BIGINT) AS l{index}"


def _predicates(relation: Relation) -> Iterator[Expr]:
    if isinstance(relation, Filter):
        yield from relation.conjuncts
        yield from _predicates(relation.source)
    elif isinstance(relation, Join):
        yield from relation.on
        yield from _predicates(relation.left)
        yield from _predicates(relation.right)


def _ordered(lists: tuple[UnitList, ...]) -> tuple[UnitList, ...]:
    return tuple(dict.fromkeys(lists))
