"""A grammar of private rows beyond one table: joins inside a unit, tests for other rows, and rows unit by unit."""

from __future__ import annotations

from dataclasses import dataclass

from dpsql.audit.queries.expressions import Expressions, Ref, Scope, qualified
from dpsql.audit.queries.schema_view import TableView
from dpsql.audit.queries.selects import Selects, scope_of
from dpsql.audit.queries.windows import WindowRows

_QUANTILES = ("MEDIAN({})", "QUANTILE_CONT({}, 0.9)", "QUANTILE_DISC({}, 0.25)")
_SPREADS = ("STDDEV", "STDDEV_POP", "VARIANCE", "VAR_POP")


@dataclass(slots=True)
class OwnedRows(WindowRows):
    """Draws sources and conditions in which several rows of one unit meet."""

    def _base(self) -> tuple[str, Scope]:
        """One table mostly; else rows for each unit and group, rows beside others of the unit, or of two branches."""
        owned = [t for t in self.view.privates if t.unit is not None]
        if not owned or not self._chance(0.25):
            return Selects._base(self)
        table = self.draw.choice(owned)
        form = self.draw.choice((self._per_unit, self._per_unit, self._beside, self._both))
        source, scope = form(table)
        if self._chance(0.3):
            name = self._fresh("w")
            self.ctes.append(f"{name} AS {source}")
            return name, scope
        return source, scope

    def _per_unit(self, table: TableView) -> tuple[str, Scope]:
        """The rows of each unit aggregated, mostly with a bound on what has none."""
        assert table.unit is not None
        self._tag("per unit")
        e = self._expressions(scope_of(table))
        keys = [self._key(e)] if self._chance(0.4) else []
        where = f" WHERE {e.condition(1)}" if self._chance(0.4) else ""
        only = f" FILTER (WHERE {e.condition(1)})" if self._chance(0.2) else ""
        value, text = self._number(e), e.of("text", 1)
        choices = [
            (self.draw.choice(("LEAST(COUNT(*), 1)", "LEAST(COUNT(*), 3)", "COUNT(*)")), "int"),
            (f"LEAST(COUNT({text}){only}, 5)", "int"),
            (f"LEAST(COUNT(DISTINCT {text}), 4)", "int"),
            (f"LEAST(GREATEST(SUM({value}){only}, -30), 60)", "float"),
            (f"SUM({value}){only}", "float"),
            (f"AVG({value}){only}", "float"),
            (f"MIN({value}){only}", "float"),
            (f"{self.draw.choice(_QUANTILES).format(value)}{only}", "float"),
            # no two ways of rounding disagree on which side of a whole number this is
            (f"FLOOR({self.draw.choice(_SPREADS)}({value}){only} * 10 + 0.0371)", "float"),
            (f"MAX({text})", "text"),
            (f"{self.draw.choice(('BOOL_OR', 'BOOL_AND'))}({e.condition(1)}){only}", "bool"),
        ]
        picked = self.draw.sample(choices, self.draw.choice((1, 2, 3)))
        unit = Ref(self._fresh("u"), "unit", table.unit)
        refs = [Ref(self._fresh("x"), kind) for _, kind in (*keys, *picked)]
        items = [f"{sql} AS {r.sql}" for (sql, _), r in zip((*keys, *picked), refs, strict=True)]
        group = ", ".join(str(i + 1) for i in range(1 + len(keys)))
        having = f" HAVING COUNT(*) {self.draw.choice(('> 1', '<= 2'))}" if self._chance(0.2) else ""
        chosen = f"SELECT {', '.join([f'{table.unit.sql} AS {unit.sql}', *items])} FROM {table.sql}{where}"
        return f"({chosen} GROUP BY {group}{having})", (unit, *refs)

    def _both(self, table: TableView) -> tuple[str, Scope]:
        """The same columns of two selections of rows, stacked or compared."""
        assert table.unit is not None
        word = self.draw.choice(
            ("UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL")
        )
        self._tag("union of rows" if word == "UNION ALL" else "rows compared")
        columns = self.draw.sample(table.columns, min(len(table.columns), 4))
        e = self._expressions(scope_of(table))
        unit = Ref(self._fresh("u"), "unit", table.unit)
        gone = self.draw.choice(columns) if self._chance(0.3) else None  # a column that one side has not
        lists = ([c.sql for c in columns], ["NULL" if c is gone else c.sql for c in columns])
        branches = [
            f"SELECT {', '.join([f'{table.unit.sql} AS {unit.sql}', *items])} FROM {table.sql} WHERE {e.condition(1)}"
            for items in lists
        ]
        refs = (Ref(c.sql, c.kind, None if c is gone else c) for c in columns)
        return f"({f' {word} '.join(branches)})", (unit, *refs)

    def _from(self) -> tuple[str, Scope]:
        """One source, joined with public tables, or two private sources of one unit."""
        pairs = self._pairs()
        if not pairs or not self._chance(0.3):
            return Selects._from(self)
        left, right, mine, theirs = self.draw.choice(pairs)
        a, b = self._fresh("a"), self._fresh("b")
        one, two = named(left, a), named(right, b)
        second = right.sql
        if self._chance(0.3):
            second, two = self._computed(right, b)
        on = f"{a}.{mine} = {b}.{theirs}"
        e = self._expressions(one + two)
        if self._chance(0.3):
            on += f" AND {e.condition(1)}"
        form = self.draw.choice(("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN"))
        self._tag("private join" if form == "JOIN" else "private outer join")
        scope = one if form != "RIGHT JOIN" else two
        return f"{left.sql} AS {a} {form} {second} AS {b} ON {on}", (*scope, *others(one + two, scope))

    def _computed(self, table: TableView, alias: str) -> tuple[str, Scope]:
        """A table with computed columns beside its own, constants and tests among them."""
        self._tag("computed columns")
        e = self._expressions(named(table, table.sql))
        number, text, test = (self._fresh("x") for _ in range(3))
        found = (self._test(e.scope) if self._chance(0.5) else None) or e.condition(1)
        chosen = (
            f"{self.draw.choice(('1', '0', e.of('int', 1)))} % 7 AS {number}, {e.of('text', 1)} AS {text}"
        )
        refs = (
            Ref(f"{alias}.{number}", "int"),
            Ref(f"{alias}.{text}", "text"),
            Ref(f"{alias}.{test}", "bool"),
        )
        return f"(SELECT *, {chosen}, ({found}) AS {test} FROM {table.sql})", (*named(table, alias), *refs)

    def _pairs(self) -> list[tuple[TableView, TableView, str, str]]:
        """Two private tables with the columns that tie their rows to one unit."""
        found = []
        for left in self.view.privates:
            for right in self.view.privates:
                if left.unit is not None and right.unit is not None:
                    found.append((left, right, left.unit.sql, right.unit.sql))
                if left.path is not None and left.path[1] == right.name:
                    key = next(c for c in right.columns if c.name == left.path[2])
                    found += [
                        (left, right, left.path[0].sql, key.sql),
                        (right, left, key.sql, left.path[0].sql),
                    ]
                if left.path is not None and left is right:
                    found.append((left, right, left.path[0].sql, left.path[0].sql))
        return found

    def _more_conditions(self, e: Expressions) -> list[str]:
        """Tests for other rows of the unit, and comparisons with a released value, now and then."""
        found = []
        test = self._test(e.scope) if self._chance(0.2) else None
        if test is not None:
            found.append(test if self._chance(0.7) else f"{test} OR {e.condition(1)}")
        numbers = [r for r in e.scope if r.column is not None and r.column.summable]
        if numbers and self._chance(0.1):
            found.append(self._above_average(self.draw.choice(numbers)))
        moments = [
            r for r in e.scope if r.column is not None and r.kind in ("date", "ts") and r.column.interval
        ]
        if moments and self._chance(0.1):
            found.append(self._after_the_middle(self.draw.choice(moments)))
        return [*found, *e.some_parts()]

    def _key(self, e: Expressions) -> tuple[str, str]:
        """A grouping key; now and then it is a test for other rows, as it stands or in a CASE."""
        test = self._test(e.scope) if self._chance(0.1) else None
        if test is None:
            return Selects._key(self, e)
        if self._chance(0.5):
            return f"({test})", "bool"
        return f"CASE WHEN {test} THEN {e.of('text', 1)} ELSE {e.of('text', 0)} END", "text"

    def _test(self, scope: Scope) -> str | None:
        """A test for other rows of the unit that owns the rows in scope, where that can be named."""
        units = [r for r in scope if r.kind == "unit"]
        owned = [t for t in self.view.privates if t.unit is not None]
        return (
            self._semi_join(self.draw.choice(units), self.draw.choice(owned), scope)
            if units and owned
            else None
        )

    def _semi_join(self, unit: Ref, table: TableView, around: Scope, depth: int = 1) -> str:
        """EXISTS or IN on the unit's key, or IN on any other column beside it, maybe with a test inside."""
        assert table.unit is not None
        self._tag("semi join")
        inner = self._fresh("s")
        scope = named(table, inner)
        e = self._expressions(scope)
        where, word = e.condition(1), self.draw.choice(("", "NOT "))
        if depth and self._chance(0.25):
            self._tag("nested test")
            other = self.draw.choice([t for t in self.view.privates if t.unit is not None])
            where += f" AND {self._semi_join(scope[0], other, scope, depth - 1)}"
        tied = f"{inner}.{table.unit.sql} = {unit.sql}"
        form = self.draw.choice(("exists", "in", "other"))
        if form == "exists":
            return f"{word}EXISTS (SELECT 1 FROM {table.sql} AS {inner} WHERE {tied} AND {where})"
        if form == "other":
            pairs = [(r.sql, e.of(r.kind, 1)) for r in around if r.kind in ("int", "text", "bool")]
            if pairs:
                self._tag("test of values")
                mine, theirs = self.draw.choice(pairs)
                return (
                    f"{mine} {word}IN (SELECT {theirs} FROM {table.sql} AS {inner} WHERE {tied} AND {where})"
                )
        rows = f"SELECT {inner}.{table.unit.sql} FROM {table.sql} AS {inner} WHERE {where}"
        return f"{unit.sql} {word}IN ({rows})"

    def _above_average(self, number: Ref) -> str:
        assert number.column is not None
        self._tag("released value")
        column = number.column
        table = next((t for t in self.view.privates if column in t.columns), None)
        if table is None or self.exact:
            return "1 = 1"
        inner = self._expressions(scope_of(table))
        where = f" WHERE {inner.condition(1)}" if self._chance(0.5) else ""
        return f"{number.sql} >= (SELECT AVG({column.sql}) FROM {table.sql}{where})"

    def _after_the_middle(self, moment: Ref) -> str:
        """Moments behind one that is released first."""
        assert moment.column is not None
        table = next((t for t in self.view.privates if moment.column in t.columns), None)
        if table is None or self.exact:
            return "1 = 1"
        self._tag("released moment")
        value = self.draw.choice(("MAX({})", "MIN({})", "QUANTILE_DISC({}, 0.5)")).format(moment.column.sql)
        return f"{moment.sql} >= (SELECT {value} FROM {table.sql}) - INTERVAL 7 DAY"


def named(table: TableView, alias: str) -> Scope:
    """The columns of a table under an alias, its unit among them."""
    unit = () if table.unit is None else (Ref(table.unit.sql, "unit", table.unit),)
    return qualified((*unit, *scope_of(table)), alias)


def others(both: Scope, scope: Scope) -> Scope:
    """The columns of the other side, which may be NULL: the unit's key is not one there."""
    return tuple(r for r in both if r not in scope and r.kind != "unit")
