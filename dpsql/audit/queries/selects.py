"""A grammar of FROM clauses, keys, aggregates and aggregating SELECTs over the private tables of a policy."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.functions.aggregates import names
from dpsql.algebra.question import Aggregate
from dpsql.audit.queries.binned_keys import pieces, wide
from dpsql.audit.queries.count_distinct import different
from dpsql.audit.queries.disjoint import aggregates
from dpsql.audit.queries.expressions import MARK, Expressions, Ref, Scope, qualified
from dpsql.audit.queries.join_columns import joinable
from dpsql.audit.queries.order_statistics import ordered_call
from dpsql.audit.queries.schema_view import TableView, View
from dpsql.audit.queries.stars import star
from dpsql.audit.queries.two_dialects import CLOSE, OPEN

_SMALL_TABLE = 60
# Ranges up to this are summed in pairs on a grid of step 1.
_SMALL_RANGE = 10_000
_OF_PAIRS, _OF_CONDITIONS = names("(y, x)"), names("(p)", Aggregate.COUNT_ROWS)
_AGGREGATES = ("rows", "rows", "count", "distinct", "unit", "if", "sum", "sum", "sum", "avg", "avg", "var", "std",
               "order", "order", "pairs")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Output:
    """A column of a SELECT: its SQL and name, its kind, and its role: key, count, sum, or null (NULL over no rows)."""

    sql: str
    name: str
    kind: str
    role: str


@dataclass(frozen=True, slots=True)
class Select:
    """An aggregating SELECT: its text and its outputs, keys first."""

    sql: str
    outputs: tuple[Output, ...]

    @property
    def keys(self) -> tuple[Output, ...]:
        """The grouping keys."""
        return tuple(o for o in self.outputs if o.role == "key")

    @property
    def counts(self) -> tuple[str, ...]:
        """The names of the counts."""
        return tuple(o.name for o in self.outputs if o.role == "count")


@dataclass(slots=True)
class Selects:
    """Draws the parts of queries for one policy. `exact` keeps to what can be compared with DuckDB's own answer."""

    draw: random.Random
    view: View
    exact: bool = False
    binding: bool = False
    params: dict[str, LiteralValue] = field(default_factory=dict)
    ctes: list[str] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    names: int = 0
    known: Mapping[str, tuple[LiteralValue, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self.known = dict(self.view.literals)

    def _chance(self, p: float) -> bool:
        return self.draw.random() < p

    def _name(self, name: str) -> str:
        """A name that no column or table of the policy has."""
        return self.view.prefix + name

    def _fresh(self, letter: str) -> str:
        self.names += 1
        return self._name(f"{letter}{self.names}")

    def _expressions(self, scope: Scope) -> Expressions:
        return Expressions(self.draw, scope, self.known, self.exact, self.params, self.binding)

    def _tag(self, *names: str) -> None:
        self.tags |= set(names)

    # Sources of private rows.

    def _base(self) -> tuple[str, Scope]:
        """A private table, itself or behind a derived table or a WITH query; columns unqualified."""
        table = self.draw.choice(self.view.privates)
        columns = scope_of(table)
        unit = () if table.unit is None else (Ref(table.unit.sql, "unit", table.unit),)
        if self._chance(0.75):
            return table.sql, unit + columns
        e = self._expressions(columns)
        where = f" WHERE {e.condition(1)}" if self._chance(0.5) else ""
        if self._chance(0.3):
            inner, scope = star(self._expressions(unit + columns), self._fresh("x"))
            self._tag(*(["star with changes"] if inner != "*" else []))
        else:
            picked = tuple(c for c in columns if self._chance(0.7)) or columns
            kept = unit if self._chance(0.8) else ()
            extra = tuple(
                (e.of(k, 2), Ref(self._fresh("x"), k)) for k in ("int", "float", "text") if self._chance(0.5)
            )
            written = [f"{sql} AS {ref.sql}" for sql, ref in extra]
            inner = ", ".join([*(r.sql for r in (*kept, *picked)), *written]) or "1 AS " + self._fresh("x")
            scope = (*kept, *picked, *(ref for _, ref in extra))
        inside = f"(SELECT {inner} FROM {table.sql}{where})"
        if self._chance(0.5):
            self._tag("cte of rows")
            name = self._fresh("w")
            self.ctes.append(f"{name} AS {inside}")
            return name, scope
        self._tag("derived rows")
        return inside, scope

    def _from(self) -> tuple[str, Scope]:
        """A FROM clause with private rows, and what it lets a query name."""
        source, columns = self._base()
        alias = self._name("t")
        if not self.view.publics or self._chance(0.5):
            return (f"{source} AS {alias}" if source.startswith("(") else source), columns
        joined, own = f"{source} AS {alias}", qualified(columns, alias)
        behind = self._behind_both(joined, own) if self._chance(0.2) else None
        if behind is not None:
            return behind
        scope = own
        wanted = 1 if self._chance(0.8) else 2
        for table in self.draw.sample(self.view.publics, min(wanted, len(self.view.publics))):
            joined, more = self._join(joined, own, table)
            scope += more
        return joined, scope

    def _behind_both(self, source: str, own: Scope) -> tuple[str, Scope] | None:
        """Private rows behind a FULL JOIN of two public tables, where columns of all three can be compared."""
        small = [t for t in self.view.publics if t.size <= _SMALL_TABLE]
        one, two = (self.draw.choice(small), self.draw.choice(small)) if small else (None, None)
        if one is None or two is None:
            return None
        a, b = self._fresh("p"), self._fresh("p")
        first, second = qualified(scope_of(one), a), qualified(scope_of(two), b)
        pairs, between = joinable(own, first), joinable(first, second)
        if not pairs or not between:
            return None
        (mine, theirs), (x, y) = self.draw.choice(pairs), self.draw.choice(between)
        self._tag("public full join")
        on = f"{x.sql} = {y.sql}{self.draw.choice(('', '', f' AND {x.sql} <> {y.sql}'))}"
        joined = f"{one.sql} {a} FULL JOIN {two.sql} {b} ON {on} JOIN {source} ON {mine.sql} = {theirs.sql}"
        return joined, (*first, *second, *own)

    def _join(self, left: str, own: Scope, table: TableView) -> tuple[str, Scope]:
        alias = self._fresh("p")
        scope = qualified(scope_of(table), alias)
        pairs = joinable(own, scope)
        if not pairs:
            if table.size > _SMALL_TABLE:
                return left, ()
            self._tag("cross join")
            return self.draw.choice(
                (f"{left} CROSS JOIN {table.sql} {alias}", f"{left}, {table.sql} {alias}")
            ), scope
        mine, theirs = self.draw.choice(pairs)
        word = self.draw.choice(("JOIN", "LEFT JOIN", "INNER JOIN", "LEFT OUTER JOIN"))
        values = theirs.column.values if theirs.column is not None else ()
        self._tag(
            "left join" if "LEFT" in word else "join",
            "unique join" if len(values) >= table.size - 1 else "fan-out",
        )
        same = "IS NOT DISTINCT FROM" if self._chance(0.1) else "="
        on = self.draw.choice((f"{theirs.sql} {same} {mine.sql}", f"{mine.sql} {same} {theirs.sql}"))
        numbers = [r.sql for r in scope if r.kind == "int" and r is not theirs]
        if numbers and self._chance(0.1):
            self._tag("join condition")
            on += f" AND {self.draw.choice(numbers)} > 0"
        return f"{left} {word} {table.sql} {alias} ON {on}", scope

    def _more_conditions(self, e: Expressions) -> list[str]:
        """Conditions of other kinds on the rows."""
        return []

    # Aggregates and keys.

    def _number(self, e: Expressions) -> str:
        """A numeric argument, mostly with a finite range."""
        bounded, totals = _summable(e)
        if totals and self._chance(0.5):
            return self._under_total(e, totals, bounded)
        if bounded and self._chance(0.2):
            return (
                f"({self.draw.choice(bounded).sql} {self.draw.choice('+-*')} {self.draw.choice(bounded).sql})"
            )
        if bounded and self._chance(0.5):
            return self.draw.choice(bounded).sql
        inner = e.of(self.draw.choice(("int", "float")), 2)
        if bounded and self._chance(0.3):
            branch = self.draw.choice(bounded).sql
            return f"CASE WHEN {e.condition(1)} THEN {branch} {self.draw.choice(('', 'ELSE 0', 'ELSE NULL'))} END"
        return inner if bounded and self._chance(0.4) else f"LEAST(GREATEST({inner}, -20), 50)"

    def _under_total(self, e: Expressions, totals: Sequence[str], bounded: Sequence[Ref]) -> str:
        """What inherits unit totals: a column that has one, a multiple of it, or a sum of multiples of two."""
        column, other = self.draw.choice(totals), self.draw.choice(totals)
        factor = self.draw.choice((self.draw.choice(bounded).sql, "0.3", "-2", "1.75", "(1 - 0.125)"))
        inherits = (
            f"({column} * {factor})",
            f"({factor} * ({column} - {column} * {factor}))",
            f"({column} / {self.draw.choice(('7', '0.25', '-3'))})",
            f"({column} * {factor} {self.draw.choice('+-')} {self.draw.choice(('', '0.3 * '))}{other})",
            f"CASE WHEN {e.condition(1)} THEN {column} * {factor} ELSE {self.draw.choice((column, '0', 'NULL'))} END",
        )
        return self.draw.choice(inherits) if self._chance(0.6) else column

    def _aggregate(self, e: Expressions) -> tuple[str, str, str]:
        """An aggregate with its kind and role."""
        only = f" FILTER (WHERE {e.condition(1)})" if self._chance(0.2) else ""
        self._tag(*(["filter"] if only else []))
        kind = self.draw.choice(_AGGREGATES)
        self._tag(f"aggregate {kind}")
        chosen = ordered_call(e, self.draw, self.exact) if kind == "order" else None
        if chosen is not None:
            return chosen[0].replace("{only}", only), chosen[1], chosen[2]
        units = e.columns("unit")
        if kind == "unit" and units:
            return f"COUNT(DISTINCT {units[0]}){only}", "int", "count"
        if kind in ("rows", "unit", "order"):
            return f"COUNT(*){only}", "int", "count"
        if kind == "count":
            return (
                f"COUNT({e.of(self.draw.choice(('int', 'text', 'float', 'date')), 1)}){only}",
                "int",
                "count",
            )
        if kind == "distinct":
            call, foreign = different(e, self.draw, self.exact)
            self._tag(*(["foreign"] if foreign else []))
            return f"{call}{only}", "int", "count"
        if kind == "if":
            return (
                f"{OPEN}{self.draw.choice(_OF_CONDITIONS)}({e.condition(1)}){only}{CLOSE}",
                "int",
                "count",
            )
        if kind == "pairs":
            return self._of_pairs(e, only)
        value = self._number(e)
        if kind == "sum":
            return f"{OPEN}SUM({value}){only}{CLOSE}", "float", "sum"
        computed = {
            "avg": (Aggregate.AVG,),
            "var": (Aggregate.VAR_SAMP, Aggregate.VAR_POP),
            "std": (Aggregate.STDDEV_SAMP, Aggregate.STDDEV_POP),
        }[kind]
        return f"{self.draw.choice(names('(x)', *computed))}({value}){only}", "float", "null"

    def _of_pairs(self, e: Expressions, only: str) -> tuple[str, str, str]:
        """An aggregate of two columns. Where y or x does not vary DuckDB says NaN, which is compared as NULL."""
        small = [
            r.sql
            for r in e.scope
            if r.kind == "int" and r.column is not None and r.column.summable and _small(r)
        ]
        if self.exact and not small:
            return f"COUNT(*){only}", "int", "count"
        y, x = (self.draw.choice(small) if self.exact else self._number(e) for _ in "yx")
        name = self.draw.choice(_OF_PAIRS)
        call = f"{name}({y}, {x}){only}"
        if name == "REGR_COUNT":
            return f"CAST({call} AS BIGINT)", "int", "count"
        return f"NULLIF({call}, CAST('nan' AS DOUBLE))", "float", "null"

    def _key(self, e: Expressions) -> tuple[str, str]:
        """A grouping key with its kind: declared, derived or private."""
        options = [
            (r.sql, r.kind) for r in e.scope if r.kind in ("text", "bool", "int") and not wide(r.column)
        ]
        if not self.exact and self._chance(0.1):
            options += [(r.sql, r.kind) for r in e.scope if r.kind in ("float", "date", "ts", "unit", "key")]
        derived = [
            (f"CASE WHEN {e.condition(1)} THEN 'yes' ELSE 'no' END", "text"),
            (f"({e.condition(1)})", "bool"),
            (f"CASE WHEN {e.condition(0)} THEN {e.of('text', 1)} WHEN {e.condition(1)} THEN 'b' END", "text"),
            (f"({e.of('int', 1)}) % 3", "int"),
            (e.of("text", 2), "text"),
        ]
        derived += [piece for r in e.scope for piece in pieces(r, self.draw)]
        return self.draw.choice(options if options and self._chance(0.6) else derived)

    # SELECTs.

    def _aggregating(self, keys: int, robust: bool, rolled: bool = False) -> Select:
        """One aggregating SELECT; `robust` leaves out the groups without rows, so that anything may stand on top.

        With `rolled` it has several grouping sets, which a last column tells apart.
        """
        source, scope = self._from()
        e = self._expressions(scope)
        conditions = [*self._more_conditions(e), *([e.condition(2)] if self._chance(0.5) else [])]
        where = f" WHERE {' AND '.join(f'({c})' for c in conditions)}" if conditions else ""
        written = [self._key(e) for _ in range(keys)]
        measures = self._measures(e)
        outputs = [Output(sql, self._name(f"k{i}"), kind, "key") for i, (sql, kind) in enumerate(written)]
        outputs += [
            Output(sql, self._name(f"m{i}"), kind, role) for i, (sql, kind, role) in enumerate(measures)
        ]
        items = ", ".join(f"{o.sql} AS {o.name}" for o in outputs)
        group = self._group_by(outputs[:keys]) if keys else ""
        if rolled:
            items += f", GROUPING({', '.join(o.name for o in outputs[:keys])}) AS {self._name('g')}"
            group = self._grouping_sets([o.name for o in outputs[:keys]])
        having = ""
        if robust and keys:
            having = f" HAVING COUNT(*) > 0{self._having(outputs)}"
        elif self._chance(0.2) and not self.exact:
            having = f" HAVING {measures[0][0]} > 1"
        return Select(f"SELECT {items} FROM {source}{where}{group}{having}", tuple(outputs))

    def _measures(self, e: Expressions) -> list[tuple[str, str, str]]:
        bounded, totals = _summable(e)
        if totals and self._chance(0.4):
            self._tag("sums under totals")
            values = [self._under_total(e, totals, bounded) for _ in range(self.draw.choice((1, 1, 2)))]
            return [(f"{OPEN}SUM({value}){CLOSE}", "float", "sum") for value in values]
        if not self._chance(0.3 if any(r.column is not None and r.column.public for r in e.scope) else 0.15):
            return [self._aggregate(e) for _ in range(self._width())]
        self._tag("disjoint rows")
        return aggregates(e, self.draw, self._number, (OPEN, CLOSE))

    def _width(self) -> int:
        """How many measures a SELECT has; now and then so many that they share one noise."""
        many = self._chance(0.12)
        self._tag(*(["many measures"] if many else []))
        return self.draw.choice((8, 16, 24, 32) if many else (1, 1, 2, 3, 4))

    def _group_by(self, keys: list[Output]) -> str:
        named = self.draw.choice(("ordinal", "alias", "text", "all"))
        if named == "text" and any(MARK in key.sql for key in keys):
            named = "ordinal"  # a parameter is not equal to itself
        self._tag(f"group by {named}")
        by = {
            "ordinal": ", ".join(str(i + 1) for i in range(len(keys))),
            "alias": ", ".join(key.name for key in keys),
            "text": ", ".join(key.sql for key in keys),
            "all": "ALL",
        }[named]
        return f" GROUP BY {by}"

    def _grouping_sets(self, keys: list[str]) -> str:
        first, rest, every = keys[0], ", ".join(keys[1:]), ", ".join(keys)
        named = self.draw.choice(("rollup", "cube", "sets", "apart", "mixed"))
        self._tag(f"group by {named}")
        by = {
            "rollup": f"ROLLUP ({every})",
            "cube": f"CUBE ({every})",
            "sets": f"GROUPING SETS (({every}), {keys[-1]}, ())",
            "apart": f"GROUPING SETS ({every}, ())",
            "mixed": f"{first}, ROLLUP ({rest})" if rest else f"GROUPING SETS (({first}), ())",
        }[named]
        return f" GROUP BY {by}"

    def _having(self, outputs: list[Output]) -> str:
        counts = [o.sql for o in outputs if o.role == "count" and MARK not in o.sql]
        if not counts or not self._chance(0.5):
            return ""
        self._tag("having")
        return f" AND {self.draw.choice(counts)} {self.draw.choice(('>', '<=', '<>'))} {self.draw.choice((1, 2, 4))}"


def scope_of(table: TableView) -> Scope:
    """The columns of a table, without the one that names the owner of a row."""
    return tuple(Ref(c.sql, c.kind, c) for c in table.columns)


def _summable(e: Expressions) -> tuple[list[Ref], list[str]]:
    """The numbers of the policy's that can be summed, and those of them that have a unit total."""
    bounded = [r for r in e.scope if r.column is not None and r.column.summable]
    return bounded, [r.sql for r in bounded if r.column is not None and r.column.total]


def _small(ref: Ref) -> bool:
    """Whether the squares of a column's values are exact and few."""
    interval = ref.column.interval if ref.column is not None else None
    return interval is not None and interval.width < _SMALL_RANGE
