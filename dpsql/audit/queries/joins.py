"""A grammar of joins inside one unit: USING, NATURAL, FULL, SEMI and ANTI, chains of three, and tests in conditions."""

from __future__ import annotations

from dataclasses import dataclass

from dpsql.audit.queries.expressions import Ref, Scope, qualified
from dpsql.audit.queries.private_sources import OwnedRows, named, others
from dpsql.audit.queries.schema_view import ColumnView, TableView
from dpsql.audit.queries.selects import scope_of

_OUTER = ("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")


@dataclass(slots=True)
class JoinedRows(OwnedRows):
    """Draws FROM clauses in which rows of one unit meet in every way that SQL has."""

    def _from(self) -> tuple[str, Scope]:
        """A FROM clause; now and then with a join of another kind than on an equality of two columns."""
        owned = [t for t in self.view.privates if t.unit is not None]
        if not owned or not self._chance(0.2):
            return OwnedRows._from(self)
        forms = (
            self._using,
            self._full,
            self._natural,
            self._semi,
            self._three,
            self._with_groups,
            self._tested,
            self._lateral,
            self._lateral,
            self._constants,
        )
        return self.draw.choice(forms)(self.draw.choice(owned))

    def _using(self, table: TableView) -> tuple[str, Scope]:
        """Rows of a unit beside each other; of an outer join USING names a key that is never NULL."""
        assert table.unit is not None
        word = self.draw.choice(_OUTER)
        self._tag("using")
        a, b = self._fresh("a"), self._fresh("b")
        right = [t for t in self.view.privates if t.unit is not None and t.unit.sql == table.unit.sql]
        other = self.draw.choice(right)
        scope = (*qualified(scope_of(table), a), *qualified(scope_of(other), b))
        unit = Ref(table.unit.sql, "unit", table.unit)
        return f"{table.sql} AS {a} {word} {other.sql} AS {b} USING ({table.unit.sql})", (unit, *scope)

    def _full(self, table: TableView) -> tuple[str, Scope]:
        """Two private tables of which each keeps its rows."""
        pairs = self._pairs()
        left, right, mine, theirs = self.draw.choice(pairs)
        self._tag("full join")
        a, b = self._fresh("a"), self._fresh("b")
        both = named(left, a) + named(right, b)
        on = f"{a}.{mine} = {b}.{theirs}"
        if self._chance(0.3):
            on += f" AND {self._expressions(both).condition(1)}"
        return f"{left.sql} AS {a} FULL JOIN {right.sql} AS {b} ON {on}", others(both, ())

    def _natural(self, table: TableView) -> tuple[str, Scope]:
        """A public table joined on all columns that it shares."""
        names = {c.name: c for c in table.columns}
        publics = [p for p in self.view.publics if any(c.name in names for c in p.columns)]
        unit = () if table.unit is None else (Ref(table.unit.sql, "unit", table.unit),)
        if not publics:
            return OwnedRows._from(self)
        self._tag("natural join")
        public = self.draw.choice(publics)
        word = self.draw.choice(("NATURAL JOIN", "NATURAL LEFT JOIN", "NATURAL INNER JOIN"))
        more = tuple(Ref(c.sql, c.kind, c) for c in public.columns if c.name not in names)
        return f"{table.sql} {word} {public.sql}", (*unit, *scope_of(table), *more)

    def _semi(self, table: TableView) -> tuple[str, Scope]:
        """The rows that have, or do not have, another one beside them."""
        assert table.unit is not None
        word = self.draw.choice(("SEMI JOIN", "ANTI JOIN"))
        self._tag("semi or anti join")
        a, b = self._fresh("a"), self._fresh("b")
        one = named(table, a)
        other = self.draw.choice([t for t in self.view.privates if t.unit is not None])
        assert other.unit is not None
        condition = self._expressions(one + named(other, b)).condition(1)
        on = f"{a}.{table.unit.sql} = {b}.{other.unit.sql} AND {condition}"
        return f"{table.sql} AS {a} {word} {other.sql} AS {b} ON {on}", one

    def _three(self, table: TableView) -> tuple[str, Scope]:
        """Three sources, the third tied to either of the two before it."""
        pairs = self._pairs()
        left, middle, mine, theirs = self.draw.choice(pairs)
        a, b, c = self._fresh("a"), self._fresh("b"), self._fresh("c")
        ends = [(alias, p) for alias, t in ((a, left), (b, middle)) for p in pairs if p[0] is t]
        alias, (_, right, from_, to) = self.draw.choice(ends)
        words = self.draw.choice(("JOIN", "LEFT JOIN")), self.draw.choice(("JOIN", "JOIN", "LEFT JOIN"))
        self._tag("three private tables")
        scope = named(left, a) + others(named(middle, b) + named(right, c), ())
        return (
            f"{left.sql} AS {a} {words[0]} {middle.sql} AS {b} ON {a}.{mine} = {b}.{theirs} "
            f"{words[1]} {right.sql} AS {c} ON {alias}.{from_} = {c}.{to}"
        ), scope

    def _constants(self, table: TableView) -> tuple[str, Scope]:
        """Rows beside a table of constants, which may hold one twice."""
        self._tag("list of constants")
        a, b, n = self._fresh("a"), self._fresh("b"), self._fresh("n")
        many = self.draw.randint(1, 4)
        numbers = [str(self.draw.randint(-1, 3)) for _ in range(many)]
        listed = self.draw.choice(
            (
                f"range({many})",
                f"generate_series({numbers[0]}, {many}, 2)",
                f"unnest([{', '.join(numbers)}])",
                f"(VALUES ({'), ('.join(numbers)}))",
            )
        )
        scope = (*named(table, a), Ref(f"{b}.{n}", "int"))
        source = f"{listed} AS {b}({n})"
        if self._chance(0.3):
            return f"{table.sql} AS {a}, {source}", scope
        word = self.draw.choice(("JOIN", "LEFT JOIN"))
        return f"{table.sql} AS {a} {word} {source} ON {self._expressions(scope).condition(1)}", scope

    def _with_groups(self, table: TableView) -> tuple[str, Scope]:
        """Rows beside what their own unit's groups come to, on one key or on two."""
        assert table.unit is not None
        self._tag("join with groups of a unit")
        a, b, unit, key, count = (self._fresh(x) for x in "abukn")
        keys = [c for c in table.columns if c.kind in ("text", "int", "bool")]
        chosen: ColumnView | None = self.draw.choice(keys) if keys and self._chance(0.7) else None
        listed = f"{table.unit.sql} AS {unit}, " + (f"{chosen.sql} AS {key}, " if chosen is not None else "")
        group = f"(SELECT {listed}LEAST(COUNT(*), 9) AS {count} FROM {table.sql} GROUP BY {'1, 2' if chosen else '1'})"
        on = f"{a}.{table.unit.sql} = {b}.{unit}"
        if chosen is not None and self._chance(0.8):
            on += f" AND {a}.{chosen.sql} = {b}.{key}"
        word = self.draw.choice(("JOIN", "LEFT JOIN"))
        more = (
            (Ref(f"{b}.{count}", "int"),)
            if chosen is None
            else (Ref(f"{b}.{count}", "int"), Ref(f"{b}.{key}", chosen.kind))
        )
        return f"{table.sql} AS {a} {word} {group} AS {b} ON {on}", (*named(table, a), *more)

    def _lateral(self, table: TableView) -> tuple[str, Scope]:
        """Rows beside what a query finds or computes for each of them: other rows, the first ones, or aggregates."""
        assert table.unit is not None
        a, b, i = self._fresh("a"), self._fresh("b"), self._fresh("i")
        one = named(table, a)
        other = self.draw.choice([t for t in self.view.privates if t.unit is not None])
        form = self.draw.choice(("rows", "first", "aggregates", "groups", "computed"))
        self._tag(f"lateral {form}")
        number, text = self._fresh("x"), self._fresh("y")
        columns, rest = self._found(form, one, other, (a, table), i)
        query = f"LATERAL (SELECT {columns[0]} AS {number}, {columns[1]} AS {text}{rest}) AS {b}"
        both = self.draw.choice((f", {query}", f" JOIN {query} ON TRUE", f" LEFT JOIN {query} ON TRUE"))
        return f"{table.sql} AS {a}{both}", (*one, Ref(f"{b}.{number}", "int"), Ref(f"{b}.{text}", "text"))

    def _found(
        self, form: str, one: Scope, other: TableView, around: tuple[str, TableView], alias: str
    ) -> tuple[tuple[str, str], str]:
        """What a LATERAL query lists, and its clauses."""
        assert other.unit is not None and around[1].unit is not None
        if form == "computed":
            e = self._expressions(one)
            return (f"{e.of('int', 1)} % 7", e.of("text", 1)), ""
        e = self._expressions(named(other, alias))
        tied = f"{alias}.{other.unit.sql} = {around[0]}.{around[1].unit.sql}"
        rest = f" FROM {other.sql} AS {alias} WHERE {tied} AND {e.condition(1)}"
        if form == "aggregates":
            return ("LEAST(COUNT(*), 5)", f"MAX({e.of('text', 1)})"), rest
        if form == "groups":
            return ("LEAST(COUNT(*), 5)", f"MAX({e.of('text', 1)})"), f"{rest} GROUP BY {e.leaf('text')}"
        if form == "first":
            order = ", ".join(f"{alias}.{c.sql}" for c in other.columns) or tied
            rest += f" ORDER BY {order} LIMIT {self.draw.choice((1, 2))}"
        elif self._chance(0.3):
            rest += f" AND {self._expressions(one + named(other, alias)).condition(1)}"
        return (f"{e.of('int', 1)} % 7", e.of("text", 1)), rest

    def _tested(self, table: TableView) -> tuple[str, Scope]:
        """Two private tables, with a test for other rows of the unit in the condition of their join."""
        assert table.unit is not None
        self._tag("test in a join condition")
        a, b = self._fresh("a"), self._fresh("b")
        one = named(table, a)
        other = self.draw.choice([t for t in self.view.privates if t.unit is not None])
        assert other.unit is not None
        two = named(other, b)
        word = self.draw.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN"))
        side = self.draw.choice((one, two))
        test = self._test(side if word != "JOIN" or self._chance(0.7) else one + two)
        if self._chance(0.3):
            test = f"({test} OR {self._expressions(one + two).condition(1)})"
        on = f"{a}.{table.unit.sql} = {b}.{other.unit.sql} AND {test}"
        scope = one if word != "RIGHT JOIN" else two
        return f"{table.sql} AS {a} {word} {other.sql} AS {b} ON {on}", (*scope, *others(one + two, scope))
