"""The public domain of group keys: every group that can appear, derived from the policy and public tables alone.

The domain is itself a query on public values. Each column of the keys with finitely many values becomes a source
that lists them; a condition, a small integer or a truncated date over other columns becomes a variable that ranges
over its possible values; conjuncts that speak of listed sources only narrow the list. Where no finite list can be
derived the keys are private.

A value that is not on its column's list is NULL in the rows, and what a key makes of that NULL is one of its values;
but NULL itself is one only where listed values make it: `Keys.never_null` says which rows are left out.
"""

from __future__ import annotations

import itertools
from dataclasses import field, replace

from dpsql.algebra.catalog import Catalog, ColumnInfo
from dpsql.algebra.expressions import Call, Column, Expr, columns_of, parameters_of
from dpsql.algebra.facts import NATURAL, Fact, Facts, fits_bigint
from dpsql.algebra.functions import emit, fact_rule
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.ownership import unmatched
from dpsql.algebra.question import Question
from dpsql.algebra.relations import PerUnit, Released, Scan, Source, Windows, passed, sources
from dpsql.algebra.scan import column_sql, quoted
from dpsql.algebra.shape import Shape, shape, table_of
from dpsql.algebra.types import SqlType
from dpsql.plan.analyzed_question import Evaluate
from dpsql.plan.keys.domain_sizes import most_rows, product_size
from dpsql.plan.keys.finite_values import (
    MOST_GROUPS,
    FiniteDomain,
    day_of,
    domain_of_call,
    domain_of_range,
    domain_of_values,
    moved_day,
    name_of,
    over_day,
    unlisted_sql,
    without_unlisted,
)
from dpsql.plan.keys.held_rows import held_rows
from dpsql.plan.keys.passed_on import behind_column
from dpsql.plan.keys.written_values import values_within, written_values
from dpsql.plan.types import Key, Keys
from dpsql.slotted import dataclass

# As many values are listed at no cost to speak of.
_FEW = 20_000


def keys(question: Question, shaped: Shape, catalog: Catalog, evaluate: Evaluate) -> Keys:
    """The keys of a question with their declared types and, where there is one, their public domain."""
    types = tuple(declared(k, shaped.base_facts().of(k)) for k in question.keys)
    if not question.keys:
        return Keys((), (), ((),))
    return Keys(question.keys, types, _Domain(question, shaped, catalog).groups(evaluate))


def most_groups(question: Question, shaped: Shape, catalog: Catalog) -> int | None:
    """How many groups there are at most, found without running a query; None for private keys."""
    if not question.keys:
        return 1
    domain = _Domain(question, shaped, catalog)
    domain_keys = domain.found()
    if domain_keys is None:
        return None
    size = domain.most(*domain_keys[1:])
    direct = domain.direct(*domain_keys) if size <= _FEW else None
    return size if direct is None else len(direct)


def has_domain(question: Question, shaped: Shape, catalog: Catalog) -> bool:
    """Whether all groups of a question are public; none is listed."""
    return not question.keys or _Domain(question, shaped, catalog).query() is not None


def declared(key: Expr, fact: Fact) -> str:
    """The type of a key's column in a released table, which is that of a column of DuckDB for a bare NULL."""
    if key.type is SqlType.NULL:
        return "INTEGER"
    return "HUGEINT" if key.type is SqlType.INTEGER and not fits_bigint(fact.interval) else key.type.value


@dataclass(slots=True)
class _Domain:
    question: Question
    shape: Shape
    catalog: Catalog
    domains: dict[Column, FiniteDomain] = field(default_factory=dict)
    variables: dict[Expr, Column] = field(default_factory=dict)
    rewritten: dict[Expr, Expr] = field(default_factory=dict)
    facts: Facts = field(init=False)
    in_parts: bool = True
    outer: frozenset[int] = field(init=False)
    sources: dict[int, Source] = field(init=False)

    def __post_init__(self) -> None:
        self.facts = self.shape.facts()
        self.sources = {s.index: s for s in sources(self.question.relation)}
        self.outer = frozenset(unmatched(self.question.relation))

    def groups(self, evaluate: Evaluate) -> tuple[Key, ...] | None:
        lists = self.found()
        if lists is None:
            return None
        exprs, sources, conditions = lists
        direct = self.direct(exprs, sources, conditions)
        if direct is not None:
            return direct
        rows = evaluate(self._sql(exprs, sources, conditions))
        return tuple(map(tuple, rows)) if unlisted_sql(sources) is None else without_unlisted(rows)

    def query(self) -> tuple[str, int, bool] | None:
        """The query that lists the groups, and the most there can be, or None where the keys are private.

        Where that is true, its column `u` says which groups only unlisted values make.
        """
        lists = self.found()
        if lists is None:
            return None
        return self._sql(*lists), self.most(*lists[1:]), bool(unlisted_sql(lists[1]))

    def found(self) -> tuple[list[Expr], list[FiniteDomain], tuple[Expr, ...]] | None:
        """The keys over listed columns, the sources to list, and the conditions on them.

        Keys in parts are lists that are true of all keys together, such as the days behind years and months; where
        those are too many, each key is a list of its own.
        """
        for self.in_parts in (True, False):
            self.domains, self.variables, self.rewritten = {}, {}, {}
            lists = self._attempt()
            if lists is not None:
                return lists
        return None

    def _attempt(self) -> tuple[list[Expr], list[FiniteDomain], tuple[Expr, ...]] | None:
        written = [self._abstract(k) for k in self.question.keys]
        if any(w is None for w in written):
            return None
        exprs = [w for w in written if w is not None]
        needed = frozenset(c for e in exprs for c in columns_of(e))
        conditions = self._conditions()
        sources = self._closure(needed, conditions)
        if self.most(sources, conditions) * len(exprs) > MOST_GROUPS:
            sources = self._sources(needed)
        if self.most(sources, conditions) * len(exprs) > MOST_GROUPS:
            return None
        return exprs, sources, conditions

    def most(self, sources: list[FiniteDomain], conditions: tuple[Expr, ...]) -> int:
        """How many rows the domain query has at most."""
        return most_rows(sources, conditions, self._is_key)

    def _is_key(self, column: Column) -> bool:
        """Whether no two rows of the source of a listed column have one value of it, NULL aside."""
        found = self.domains.get(column)
        if found is None or found.values is not None or found.span is not None:
            return found is not None
        scan = self.sources.get(column.scan)
        info = table_of(scan, self.catalog) if isinstance(scan, Scan) else None
        if info is None or not info.public:
            return False
        return self.catalog.public.fan_out(info.name, (column.name,)) <= 1

    def direct(
        self, exprs: list[Expr], sources: list[FiniteDomain], conditions: tuple[Expr, ...]
    ) -> tuple[Key, ...] | None:
        """The product of the listed values, where each key is a listed column that no condition speaks of.

        Values that the policy lists have its order; what has others among them has the order of the engine.
        """
        lists = [self.domains[e] for e in exprs if isinstance(e, Column)]
        provided = {c for s in sources for c in s.columns}
        plain = len(lists) == len(exprs) == len(sources) == len(set(exprs))
        if not plain or any(columns_of(c) & provided for c in conditions):
            return None
        named = all(s.values is not None for s in lists)
        values = [v for s in lists if (v := s.values if named else s.in_order()) is not None]
        return tuple(itertools.product(*values)) if len(values) == len(lists) else None

    def _abstract(self, expr: Expr) -> Expr | None:
        """The expression over listed columns only, or None where it has no finite list of values."""
        rewritten = self._over_domains(moved_day(expr))
        if rewritten is not None:
            self.rewritten[expr] = rewritten
        return rewritten

    def _over_domains(self, expr: Expr) -> Expr | None:
        if not parameters_of(expr) and all(self._list_column(c) for c in columns_of(expr)):
            return expr if self.in_parts else self._fewest(expr)
        day = day_of(expr) if self.in_parts else None
        listed_day = self._abstract(day) if day is not None else None
        if listed_day is not None and isinstance(expr, Call):
            return over_day(expr, listed_day)
        variable = self._variable(expr)
        if not isinstance(expr, Call) or (variable is not None and not self.in_parts):
            return variable
        args = [self._abstract(a) for a in expr.args]
        if any(a is None for a in args):
            return variable
        made = Call(expr.op, tuple(a for a in args if a is not None), expr.type)
        return made if variable is None or self._is_no_larger(made, variable) else variable

    def _fewest(self, expr: Expr) -> Expr:
        """What has listed columns as it is, or as a variable where it has fewer values than they."""
        variable = self._variable(expr) if isinstance(expr, Call) else None
        if variable is None:
            return expr
        of_columns, of_whole = (product_size(self._sources(columns_of(e))) for e in (expr, variable))
        return variable if of_whole < of_columns else expr

    def _is_no_larger(self, made: Call, variable: Expr) -> bool:
        """Whether the values of the parts are few, or no more than those of the whole, and give it without overflow.

        All that the parts give is in the range of the whole, so that they never list more groups.
        """
        try:
            self._over_variables().of(made)
        except Mistyped:
            return False
        of_parts, of_whole = (product_size(self._sources(columns_of(e))) for e in (made, variable))
        return of_parts <= max(of_whole, _FEW)

    def _over_variables(self) -> Facts:
        """What is known of listed columns and of variables, for the emission of what stands above them."""
        widest = {c: Fact(c.type, True, NATURAL.get(c.type)) for c in self.domains if c.scan < 0}
        return Facts({**self.shape.base, **widest}, fact_rule)

    def _list_column(self, column: Column) -> bool:
        if column in self.domains:
            return True
        if column.scan < 0:
            return False
        values = self._column_values(column) or self._written(column, column)
        if values is None:
            return False
        self.domains |= dict.fromkeys(values.columns, values)
        return True

    def _column_values(self, column: Column) -> FiniteDomain | None:
        """The values that a column of a source can have; a column of a per-unit relation has those of its key."""
        source = self.sources.get(column.scan)
        if isinstance(source, Scan):
            info = table_of(source, self.catalog)
            if info.public:
                return self._public(source)
            return self._declared_values(column, info.column(column.name))
        if isinstance(source, Released) and source.rows is not None:
            return self._constant(source, source.rows)
        behind, null = behind_column(source, column)
        if isinstance(source, PerUnit | Windows) and behind is not None:
            return self._behind(column, source, behind, null)
        fact = self.facts.of(column)
        integral = column.type in (SqlType.INTEGER, SqlType.DATE)
        return domain_of_range(column, fact.interval, fact.nullable) if integral else None

    def _behind(
        self, column: Column, source: PerUnit | Windows, key: Expr, null: bool
    ) -> FiniteDomain | None:
        """The values of what a source passes on, which are those of its expression over the rows inside."""
        question = replace(self.question, relation=source.source, keys=(key,), public_keys_only=False)
        inside = _Domain(question, shape(source.source, self.catalog), self.catalog)
        inner = inside.query()
        if inner is None:
            return None
        name, null = quoted(name_of(column)), null or source.index in self.outer
        unlisted = quoted(f"{name_of(column)}#u") if inner[2] else None
        one, none = (f", u AS {unlisted}", ", false") if unlisted is not None else ("", "")
        listed = f"SELECT k0 AS {name}{one} FROM ({inner[0]})"
        listed += f" UNION ALL SELECT NULL{none}" if null else ""
        return FiniteDomain((column,), lambda: listed, inner[1] + null, unlisted=unlisted)

    def _public(self, scan: Scan) -> FiniteDomain | None:
        """A public table lists its own rows, and one of NULLs where an outer join can leave it without a match."""
        info = table_of(scan, self.catalog)
        columns = tuple(Column(scan.index, c.name, c.type) for c in info.columns)
        size = self.catalog.public.fan_out(info.name, ()) + (scan.index in self.outer)
        if size > MOST_GROUPS:
            return None
        pairs = zip(info.columns, columns, strict=True)
        listed = ", ".join(
            f"{column_sql(c, f't.{quoted(c.name)}')} AS {quoted(name_of(k))}" for c, k in pairs
        )
        sql = f"SELECT {listed} FROM {quoted(info.name)} AS t"
        if scan.index in self.outer:
            sql += " UNION ALL SELECT " + ", ".join("NULL" for _ in columns)
        return FiniteDomain(columns, lambda: sql, size)

    def _constant(self, source: Released, rows: int) -> FiniteDomain | None:
        """The rows of a query over public tables alone, and one of NULLs where nothing may match them."""
        columns = tuple(source.column(i) for i in range(len(source.columns)))
        if rows >= MOST_GROUPS:
            return None
        listed = held_rows(source, columns, [name_of(c) for c in columns])
        unmatched_row = " UNION ALL SELECT " + ", ".join("NULL" for _ in columns)
        more = unmatched_row if source.index in self.outer else ""
        return None if listed is None else FiniteDomain(columns, lambda: listed() + more, rows + 1)

    def _declared_values(self, column: Column, info: ColumnInfo | None) -> FiniteDomain | None:
        assert info is not None
        fact = self.facts.of(column)
        null = (info.null_group or column.scan in self.outer) and fact.nullable
        if info.values is not None:
            return domain_of_values(column, info.values, null, unlisted=fact.nullable)
        return (
            domain_of_range(column, fact.interval, null)
            if column.type in (SqlType.INTEGER, SqlType.DATE)
            else None
        )

    def _variable(self, expr: Expr) -> Expr | None:
        """A fresh variable for an expression with few possible values whatever its columns hold."""
        if expr in self.variables:
            return self.variables[expr]
        variable = Column(-1 - len(self.domains), "v", expr.type)
        values = domain_of_call(variable, expr, self.facts) or self._written(variable, expr)
        if values is None:
            return None
        self.domains[variable] = values
        self.variables[expr] = variable
        return variable

    def _written(self, column: Column, expr: Expr) -> FiniteDomain | None:
        """The constants that WHERE lists for an expression, under the name of a column.

        Where nothing is counted they are no answer: whether rows have them is what is asked.
        """
        values = written_values(expr, self._passed(), nullable=self.facts.of(expr).nullable)
        counted = bool(self.question.measures) or self.question.top is not None
        if values is None or not (counted or values == (None,)):
            return None
        interval = self.shape.base_facts().of(expr).interval if expr.type is SqlType.INTEGER else None
        return domain_of_values(column, values_within(values, interval), null=False)

    def _passed(self) -> tuple[Expr, ...]:
        return passed(self.question.relation, joins=not self.question.public_keys_only)

    def _conditions(self) -> tuple[Expr, ...]:
        """The conjuncts that every row passes and that speak of listed columns, or of what keys are, only."""
        fixed = [c for c in self._passed() if columns_of(c) and not parameters_of(c)]
        listed = tuple(c for c in fixed if all(self._list_column(x) for x in columns_of(c)))
        of_keys = (self._of_keys(c) for c in fixed if c not in listed) if self.rewritten else ()
        return (*listed, *(c for c in of_keys if c is not None and self._can_be_tried(c)))

    def _of_keys(self, expr: Expr) -> Expr | None:
        """The expression over listed columns and what keys are written over; None where it reads more."""
        if expr in self.rewritten:
            return self.rewritten[expr]
        day = day_of(expr)
        if day is not None and day in self.rewritten and isinstance(expr, Call):
            return over_day(expr, self.rewritten[day])
        if isinstance(expr, Column):
            return expr if self._list_column(expr) else None
        if not isinstance(expr, Call):
            return expr
        args = [self._of_keys(a) for a in expr.args]
        rewritten = tuple(a for a in args if a is not None)
        return Call(expr.op, rewritten, expr.type) if len(rewritten) == len(args) else None

    def _can_be_tried(self, condition: Expr) -> bool:
        """Whether a condition is total whatever its variables are."""
        try:
            self._over_variables().of(condition)
        except Mistyped:
            return False
        return True

    def _sources(self, columns: frozenset[Column]) -> list[FiniteDomain]:
        return list(dict.fromkeys(self.domains[c] for c in columns))

    def _closure(self, columns: frozenset[Column], conditions: tuple[Expr, ...]) -> list[FiniteDomain]:
        """The sources of the columns and of everything that a condition ties to them."""
        reached, grown = set(columns), True
        while grown:
            provided = {c for s in self._sources(frozenset(reached)) for c in s.columns}
            more = {c for x in conditions if columns_of(x) & provided for c in columns_of(x)}
            grown = not more <= reached
            reached |= more
        return self._sources(frozenset(reached))

    def _sql(self, exprs: list[Expr], sources: list[FiniteDomain], conditions: tuple[Expr, ...]) -> str:
        provided = {c for s in sources for c in s.columns}
        used = [c for c in conditions if columns_of(c) <= provided]
        base = self._over_variables()
        selected = ", ".join(f"{emit(e, base, _reference)} AS k{i}" for i, e in enumerate(exprs))
        tables = ", ".join(f"({s.sql}) AS d{i}" for i, s in enumerate(sorted(sources, key=lambda s: s.sql)))
        unlisted = unlisted_sql(sources)
        selected += f", {unlisted} AS u" if unlisted is not None else ""
        where = " AND ".join(emit(c, base, _reference) for c in used)
        sql = f"SELECT DISTINCT {selected}" + (f" FROM {tables}" if tables else "")
        return sql + (f" WHERE {where}" if where else "") + " ORDER BY ALL"


def _reference(column: Column) -> str:
    return quoted(name_of(column))
