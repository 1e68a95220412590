"""The public domain of group keys: every group that can appear, derived from the policy and public tables alone.

The domain is itself a query on public values. Each column of the keys with finitely many values becomes a source
that lists them; a condition, a small integer or a truncated date over other columns becomes a variable that ranges
over its possible values; conjuncts that speak of listed sources only narrow the list. Where no finite list can be
derived the keys are private.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor

from dpsql.algebra.expr import Call, Column, Expr, Literal, LiteralValue, columns_of, holes_of
from dpsql.algebra.facts import MICROS_PER_DAY, NATURAL, Fact, Facts, fits_bigint, value_at
from dpsql.algebra.of_unit import Place
from dpsql.algebra.ownership import unmatched
from dpsql.algebra.question import Question
from dpsql.algebra.relation import (
    Filter,
    JoinKind,
    Mark,
    PerUnit,
    Relation,
    Released,
    Scan,
    Source,
    Windows,
    sources,
)
from dpsql.algebra.shape import Shape, shape, table_of
from dpsql.algebra.types import SqlType
from dpsql.catalog import Catalog, ColumnInfo
from dpsql.functions import emit, fact_rule
from dpsql.functions.spell import literal
from dpsql.plan.types import Key, Keys
from dpsql.privacy import Interval
from dpsql.scan import column_sql, quoted

MOST_GROUPS = 1_000_000
"""The most groups of a public domain, and the most key values in all of them: they are listed before any charge."""
_WHOLE_DOUBLES = 2**53
_UNITS = ("hour", "day", "week", "month", "quarter", "year")

# Runs a query on public values only.
Evaluate = Callable[[str], list[tuple[LiteralValue, ...]]]


@dataclass(frozen=True, slots=True)
class _Listed:
    """A source of the domain query: the columns it provides, the SQL that lists their values, and how many.

    `values` are the values themselves where the policy lists them.
    """

    columns: tuple[Column, ...]
    write: Callable[[], str]
    size: int
    values: tuple[LiteralValue, ...] | None = None

    @property
    def sql(self) -> str:
        """A SELECT of the values; written only where they have to be queried."""
        return self.write()


def keys(question: Question, found: Shape, catalog: Catalog, evaluate: Evaluate) -> Keys:
    """The keys of a question with their declared types and, where there is one, their public domain."""
    types = tuple(declared(k, found.base_facts().of(k)) for k in question.keys)
    if not question.keys:
        return Keys((), (), ((),))
    return Keys(question.keys, types, _Domain(question, found, catalog).groups(evaluate))


def has_domain(question: Question, found: Shape, catalog: Catalog) -> bool:
    """Whether all groups of a question are public; none is listed."""
    return not question.keys or _Domain(question, found, catalog).query() is not None


def declared(key: Expr, fact: Fact) -> str:
    """The type of a key's column in a released table."""
    return "HUGEINT" if key.type is SqlType.INTEGER and not fits_bigint(fact.interval) else key.type.value


@dataclass(slots=True)
class _Domain:
    question: Question
    shape: Shape
    catalog: Catalog
    listed: dict[Column, _Listed] = field(default_factory=dict)
    variables: dict[Expr, Column] = field(default_factory=dict)
    facts: Facts = field(init=False)
    outer: frozenset[int] = field(init=False)
    sources: dict[int, Source] = field(init=False)

    def __post_init__(self) -> None:
        self.facts = self.shape.facts()
        self.sources = {s.index: s for s in sources(self.question.relation)}
        self.outer = frozenset(unmatched(self.question.relation))

    def groups(self, evaluate: Evaluate) -> tuple[Key, ...] | None:
        found = self._found()
        if found is None:
            return None
        exprs, sources, conditions = found
        direct = self._direct(exprs, sources, conditions)
        if direct is not None:
            return direct
        rows = evaluate(self._sql(exprs, sources, conditions))
        return tuple(tuple(r) for r in rows)

    def query(self) -> tuple[str, int] | None:
        """The query that lists the groups, and the most there can be, or None where the keys are private."""
        found = self._found()
        return (self._sql(*found), _size(found[1])) if found is not None else None

    def _found(self) -> tuple[list[Expr], list[_Listed], tuple[Expr, ...]] | None:
        """The keys over listed columns, the sources to list, and the conditions on them."""
        written = [self._abstract(k) for k in self.question.keys]
        if any(w is None for w in written):
            return None
        exprs = [w for w in written if w is not None]
        needed = frozenset(c for e in exprs for c in columns_of(e))
        conditions = self._conditions()
        sources = self._closure(needed, conditions)
        if _size(sources) * len(exprs) > MOST_GROUPS:
            sources = self._sources(needed)
        if _size(sources) * len(exprs) > MOST_GROUPS:
            return None
        return exprs, sources, conditions

    def _direct(
        self, exprs: list[Expr], sources: list[_Listed], conditions: tuple[Expr, ...]
    ) -> tuple[Key, ...] | None:
        """The product of the listed values, where each key is a listed column that no condition speaks of."""
        lists = [self.listed[e].values for e in exprs if isinstance(e, Column)]
        provided = {c for s in sources for c in s.columns}
        plain = len(lists) == len(exprs) == len(sources) == len(set(exprs))
        if not plain or any(columns_of(c) & provided for c in conditions):
            return None
        known = [values for values in lists if values is not None]
        return tuple(itertools.product(*known)) if len(known) == len(lists) else None

    def _abstract(self, expr: Expr) -> Expr | None:
        """The expression over listed columns only, or None where it has no finite list of values."""
        if not holes_of(expr) and all(self._list_column(c) for c in columns_of(expr)):
            return expr
        variable = self._variable(expr)
        if variable is not None or not isinstance(expr, Call):
            return variable
        args = [self._abstract(a) for a in expr.args]
        if any(a is None for a in args):
            return None
        return Call(expr.op, tuple(a for a in args if a is not None), expr.type)

    def _list_column(self, column: Column) -> bool:
        if column in self.listed:
            return True
        if column.scan < 0:
            return False
        found = self._column_values(column)
        if found is None:
            return False
        self.listed |= dict.fromkeys(found.columns, found)
        return True

    def _column_values(self, column: Column) -> _Listed | None:
        """The values that a column of a source can have; a column of a per-unit relation has those of its key."""
        source = self.sources.get(column.scan)
        if isinstance(source, Scan):
            info = table_of(source, self.catalog)
            return (
                self._public(source)
                if info.public
                else self._declared_values(column, info.column(column.name))
            )
        if isinstance(source, Released) and source.rows is not None:
            return self._constant(source, source.rows)
        behind, null = _behind(source, column)
        if isinstance(source, PerUnit | Windows) and behind is not None:
            return self._behind(column, source, behind, null)
        fact = self.facts.of(column)
        integral = column.type in (SqlType.INTEGER, SqlType.DATE)
        return _range(column, fact.interval, fact.nullable) if integral else None

    def _behind(self, column: Column, source: PerUnit | Windows, key: Expr, null: bool) -> _Listed | None:
        """The values of what a source passes on, which are those of its expression over the rows inside."""
        question = replace(self.question, relation=source.source, keys=(key,), public_keys_only=False)
        inside = _Domain(question, shape(source.source, self.catalog), self.catalog)
        found = inside.query()
        if found is None:
            return None
        name, null = quoted(_name(column)), null or source.index in self.outer
        listed = f"SELECT k0 AS {name} FROM ({found[0]})" + (" UNION ALL SELECT NULL" if null else "")
        return _Listed((column,), lambda: listed, found[1] + null)

    def _public(self, scan: Scan) -> _Listed | None:
        """A public table lists its own rows, and one of NULLs where an outer join can leave it without a match."""
        info = table_of(scan, self.catalog)
        columns = tuple(Column(scan.index, c.name, c.type) for c in info.columns)
        size = self.catalog.public.fan_out(info.name, ()) + (scan.index in self.outer)
        if size > MOST_GROUPS:
            return None
        pairs = zip(info.columns, columns, strict=True)
        listed = ", ".join(f"{column_sql(c, f't.{quoted(c.name)}')} AS {quoted(_name(k))}" for c, k in pairs)
        sql = f"SELECT {listed} FROM {quoted(info.name)} AS t"
        if scan.index in self.outer:
            sql += " UNION ALL SELECT " + ", ".join("NULL" for _ in columns)
        return _Listed(columns, lambda: sql, size)

    def _constant(self, source: Released, rows: int) -> _Listed | None:
        """The rows of a query over public tables alone, and one of NULLs where nothing may match them."""
        columns = tuple(source.column(i) for i in range(len(source.columns)))
        if rows >= MOST_GROUPS:
            return None
        cast = (f"CAST(c{i} AS {c.type.value}) AS {quoted(_name(c))}" for i, c in enumerate(columns))
        names = ", ".join(f"c{i}" for i in range(len(columns)))
        sql = f"SELECT {', '.join(cast)} FROM ({source.sql}) AS t({names})"
        if source.index in self.outer:
            sql += " UNION ALL SELECT " + ", ".join("NULL" for _ in columns)
        return _Listed(columns, lambda: sql, rows + 1)

    def _declared_values(self, column: Column, info: ColumnInfo | None) -> _Listed | None:
        assert info is not None
        fact = self.facts.of(column)
        null = (info.null_group or column.scan in self.outer) and fact.nullable
        if info.values is not None:
            return _values(column, info.values, null)
        return _range(column, fact.interval, null) if column.type in (SqlType.INTEGER, SqlType.DATE) else None

    def _variable(self, expr: Expr) -> Expr | None:
        """A fresh variable for an expression with few possible values whatever its columns hold."""
        if expr in self.variables:
            return self.variables[expr]
        fact = self.facts.of(expr)
        variable = Column(-1 - len(self.listed), "v", expr.type)
        found: _Listed | None = None
        if expr.type is SqlType.BOOLEAN:
            found = _values(variable, (False, True), fact.nullable)
        elif expr.type in (SqlType.INTEGER, SqlType.DATE) and isinstance(expr, Call):
            found = _range(variable, fact.interval, fact.nullable)
        elif isinstance(expr, Call) and expr.op == "date_trunc":
            found = self._truncated(variable, expr, fact.nullable)
        elif isinstance(expr, Call) and expr.type is SqlType.DOUBLE and _is_whole(expr):
            found = _whole_range(variable, fact)
        if found is None:
            return None
        self.listed[variable] = found
        self.variables[expr] = variable
        return variable

    def _truncated(self, variable: Column, expr: Call, null: bool) -> _Listed | None:
        unit, interval = expr.args[0], self.facts.of(expr.args[1]).interval
        if not isinstance(unit, Literal) or unit.value not in _UNITS or interval is None:
            return None
        step = MICROS_PER_DAY // 24 if unit.value == "hour" else MICROS_PER_DAY
        scale = MICROS_PER_DAY if expr.args[1].type is SqlType.DATE else 1
        size = int(interval.width * scale / step) + 2
        if size > MOST_GROUPS:
            return None
        first = Fraction(int(interval.lo * scale // step) * step)
        start = literal(Literal(value_at(first, SqlType.TIMESTAMP), SqlType.TIMESTAMP))
        end = literal(Literal(value_at(interval.hi * scale, SqlType.TIMESTAMP), SqlType.TIMESTAMP))
        every = "INTERVAL 1 HOUR" if unit.value == "hour" else "INTERVAL 1 DAY"
        name = quoted(_name(variable))
        moments = f"(SELECT unnest(generate_series({start}, {end}, {every})) AS x)"
        listed = f"SELECT DISTINCT date_trunc('{unit.value}', x) AS {name} FROM {moments}"
        return _Listed((variable,), lambda: listed + (" UNION ALL SELECT NULL" if null else ""), size)

    def _conditions(self) -> tuple[Expr, ...]:
        """The conjuncts that every row passes and that speak of listed columns only."""
        known = _passed(self.question.relation, joins=not self.question.public_keys_only)
        fixed = (c for c in known if columns_of(c) and not holes_of(c))
        return tuple(c for c in fixed if all(self._list_column(x) for x in columns_of(c)))

    def _sources(self, columns: frozenset[Column]) -> list[_Listed]:
        return list(dict.fromkeys(self.listed[c] for c in columns))

    def _closure(self, columns: frozenset[Column], conditions: tuple[Expr, ...]) -> list[_Listed]:
        """The sources of the columns and of everything that a condition ties to them."""
        reached, grown = set(columns), True
        while grown:
            provided = {c for s in self._sources(frozenset(reached)) for c in s.columns}
            more = {c for x in conditions if columns_of(x) & provided for c in columns_of(x)}
            grown = not more <= reached
            reached |= more
        return self._sources(frozenset(reached))

    def _sql(self, exprs: list[Expr], sources: list[_Listed], conditions: tuple[Expr, ...]) -> str:
        provided = {c for s in sources for c in s.columns}
        used = [c for c in conditions if columns_of(c) <= provided]
        base = Facts({**self.shape.base, **{c: _fact_of(c) for c in provided if c.scan < 0}}, fact_rule)
        selected = ", ".join(f"{emit(e, base, _reference)} AS k{i}" for i, e in enumerate(exprs))
        tables = ", ".join(f"({s.sql}) AS d{i}" for i, s in enumerate(sorted(sources, key=lambda s: s.sql)))
        where = " AND ".join(emit(c, base, _reference) for c in used)
        sql = f"SELECT DISTINCT {selected}" + (f" FROM {tables}" if tables else "")
        return sql + (f" WHERE {where}" if where else "") + " ORDER BY ALL"


def _behind(source: Source | None, column: Column) -> tuple[Expr | None, bool]:
    """The expression over the rows inside a source whose values a column of it has; and whether NULL is one more."""
    if isinstance(source, PerUnit):
        return next((k for i, k in enumerate(source.keys) if source.key(i) == column), None), False
    if not isinstance(source, Windows):
        return None, False
    moved = next((w for i, w in enumerate(source.windows) if source.window(i) == column), None)
    if moved is not None and isinstance(moved.value, Place):
        return moved.value.arg, moved.may_miss
    return next((e for i, e in enumerate(source.outputs) if source.column(i) == column), None), False


def _fact_of(variable: Column) -> Fact:
    """The widest fact that a variable's type allows, for the emission of what stands above it."""
    return Fact(variable.type, True, NATURAL.get(variable.type))


def _name(column: Column) -> str:
    return f"{column.scan}.{column.name}"


def _reference(column: Column) -> str:
    return quoted(_name(column))


def _size(sources: list[_Listed]) -> int:
    size = 1
    for s in sources:
        size *= max(1, s.size)
    return size


def _values(column: Column, values: tuple[LiteralValue, ...], null: bool) -> _Listed:
    every = (*values, None) if null else values

    def write() -> str:
        rows = ", ".join(literal(Literal(v, column.type)) for v in every)
        return f"SELECT unnest([{rows}]) AS {quoted(_name(column))}"

    return _Listed((column,), write, len(every), every)


def _range(column: Column, interval: Interval | None, null: bool) -> _Listed | None:
    if interval is None or interval.width >= MOST_GROUPS:
        return None
    lo, hi = int(interval.lo), int(interval.hi)
    name = quoted(_name(column))
    number = f"unnest(range(({lo})::BIGINT, ({hi + 1})::BIGINT))"
    if column.type is SqlType.DATE:
        listed = f"SELECT DATE '1970-01-01' + x::INTEGER AS {name} FROM (SELECT {number} AS x)"
    else:
        listed = f"SELECT {number} AS {name}"
    return _Listed((column,), lambda: listed + (" UNION ALL SELECT NULL" if null else ""), hi - lo + 1 + null)


def _is_whole(expr: Call) -> bool:
    """Whether a double is a whole number, whatever its argument."""
    return expr.op in ("floor", "ceil", "trunc") or (expr.op == "round" and len(expr.args) == 1)


def _whole_range(column: Column, fact: Fact) -> _Listed | None:
    """The whole numbers of a range, as doubles, which all of them are."""
    interval = fact.interval
    if interval is None or interval.magnitude > _WHOLE_DOUBLES:
        return None
    integers = _range(
        column, Interval(Fraction(floor(interval.lo)), Fraction(ceil(interval.hi))), fact.nullable
    )
    if integers is None:
        return None
    name = quoted(_name(column))
    return replace(integers, write=lambda: f"SELECT CAST({name} AS DOUBLE) AS {name} FROM ({integers.sql})")


def _passed(relation: Relation, *, joins: bool) -> tuple[Expr, ...]:
    """The conjuncts that every row of the relation passes: of its filters and inner joins, not below outer joins.

    Without `joins` only those of filters: rows that a join does not match may belong to the result as well.
    """
    if isinstance(relation, Source):
        return ()
    if isinstance(relation, Filter):
        return relation.conjuncts + _passed(relation.source, joins=joins)
    if isinstance(relation, Mark):
        return _passed(relation.source, joins=joins)
    left = _passed(relation.left, joins=joins)
    if relation.kind is JoinKind.LEFT:
        return left
    return (relation.on if joins else ()) + left + _passed(relation.right, joins=joins)
