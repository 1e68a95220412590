"""A grammar of private rows beside public ones and beside each other in older ways: calendars, commas, DISTINCT."""

from __future__ import annotations

from dataclasses import dataclass

from dpsql.audit.databases import texts
from dpsql.audit.queries.expressions import Expressions, Ref, Scope, qualified
from dpsql.audit.queries.join_columns import joinable
from dpsql.audit.queries.joins import JoinedRows
from dpsql.audit.queries.private_sources import named, others
from dpsql.audit.queries.schema_view import TableView
from dpsql.audit.queries.selects import scope_of

# A public table of more rows is no calendar.
_FEW = 12
_MOST_COLUMNS = 5
# What public text is to private text, and to its own types, is asked more often where there is much of it.
_MANY_TEXTS = 4


@dataclass(slots=True)
class PublicRows(JoinedRows):
    """Draws sources and conditions in which public tables stand beside private rows without owning any."""

    def _base(self) -> tuple[str, Scope]:
        """Private rows; now and then those of a derived table with a comma, or with DISTINCT."""
        owned = [t for t in self.view.privates if t.unit is not None]
        if not owned or not self._chance(0.06):
            return JoinedRows._base(self)
        return self.draw.choice((self._commas, self._each_once))(self.draw.choice(owned))

    def _from(self) -> tuple[str, Scope]:
        """A FROM clause, now and then with many rows of a public table beside each private one."""
        found = [
            (t, p, pair)
            for t in self.view.privates
            for p in self.view.publics
            if t.unit is not None and p.size <= _FEW
            for pair in joinable(scope_of(t), scope_of(p))
        ]
        if found and self._chance(0.05):
            return self._calendar(*self.draw.choice(found))
        small = [p for p in self.view.publics if p.size <= _FEW]
        texts_there = any(len([c for c in p.columns if c.kind == "text"]) >= _MANY_TEXTS for p in small)
        if not small or not self._chance(0.35 if texts_there else 0.1):
            return JoinedRows._from(self)
        form = self.draw.choice((self._on_anything, self._lateral_public))
        return form(self.draw.choice(self.view.privates), self.draw.choice(small))

    def _commas(self, table: TableView) -> tuple[str, Scope]:
        """Two private tables behind each other, tied to one unit by a condition of WHERE."""
        left, right, mine, theirs = self.draw.choice(self._pairs())
        self._tag("comma join")
        a, b = self._fresh("a"), self._fresh("b")
        both = named(left, a) + named(right, b)
        where = f"{a}.{mine} = {b}.{theirs}"
        if self._chance(0.4):
            where += f" AND {self._expressions(both).condition(1)}"
        chosen = self.draw.sample(scope_of(left), min(len(left.columns), _MOST_COLUMNS))
        more = self.draw.sample(scope_of(right), min(len(right.columns), 2))
        key = () if left.unit is None else (Ref(left.unit.sql, "unit", left.unit),)
        picked = [*qualified((*key, *chosen), a), *qualified(tuple(more), b)]
        return self._renamed(picked, f"FROM {left.sql} AS {a}, {right.sql} AS {b} WHERE {where}")

    def _each_once(self, table: TableView) -> tuple[str, Scope]:
        """The different rows of each unit."""
        assert table.unit is not None
        self._tag("distinct rows")
        chosen = self.draw.sample(scope_of(table), min(len(table.columns), self.draw.choice((1, 2, 3))))
        where = f" WHERE {self._expressions(scope_of(table)).condition(1)}" if self._chance(0.4) else ""
        picked = [Ref(table.unit.sql, "unit", table.unit), *chosen]
        return self._renamed(picked, f"FROM {table.sql}{where}", "DISTINCT ")

    def _renamed(self, picked: list[Ref], rest: str, word: str = "") -> tuple[str, Scope]:
        """A derived table of columns under new names."""
        refs = tuple(Ref(self._fresh("x"), r.kind, r.column) for r in picked)
        items = ", ".join(f"{r.sql} AS {new.sql}" for r, new in zip(picked, refs, strict=True))
        return f"(SELECT {word}{items} {rest})", refs

    def _calendar(self, table: TableView, public: TableView, pair: tuple[Ref, Ref]) -> tuple[str, Scope]:
        """Every unit beside every row of a public table, with the unit's rows there, if there are any."""
        assert table.unit is not None
        self._tag("calendar")
        a, p, r, u = self._fresh("a"), self._fresh("p"), self._fresh("r"), self._fresh("u")
        unit, units = f"{a}.{u}", f"(SELECT DISTINCT {table.unit.sql} AS {u} FROM {table.sql}) AS {a}"
        alone = [t for t in self.view.privates if t.unit is not None and t is not table]
        if alone and self._chance(0.5):
            other = self.draw.choice(alone)
            assert other.unit is not None
            unit, units = f"{a}.{other.unit.sql}", f"{other.sql} AS {a}"
        mine, theirs = pair
        on = f"{r}.{table.unit.sql} = {unit} AND {r}.{mine.sql} = {p}.{theirs.sql}"
        days = qualified(scope_of(public), p)
        beside = self.draw.choice(
            (f" CROSS JOIN {public.sql} AS {p}", f", {public.sql} AS {p}", f" LEFT JOIN {public.sql} AS {p} ON "
             + self._expressions(days).condition(0))
        )  # fmt: skip
        rows = others(named(table, r), ())
        scope = (Ref(unit, "unit", table.unit), *days, *rows)
        word = self.draw.choice(("LEFT JOIN", "LEFT JOIN", "JOIN"))
        return f"{units}{beside} {word} {table.sql} AS {r} ON {on}", scope

    def _on_anything(self, table: TableView, public: TableView) -> tuple[str, Scope]:
        """Private rows and the public ones that satisfy any condition together: as many as there are, at worst."""
        self._tag("join on any condition")
        a, p = self._fresh("a"), self._fresh("p")
        scope = (*named(table, a), *qualified(scope_of(public), p))
        pairs = [(m, t) for m in named(table, a) for t in qualified(scope_of(public), p) if m.kind == t.kind]
        e = self._expressions(scope)
        on = (texts.beside(e, self.draw) if self._chance(0.4) else None) or e.condition(1)
        if pairs and self._chance(0.4):
            mine, theirs = self.draw.choice(pairs)
            on = f"{mine.sql} {self.draw.choice(('=', '=', '<', '>=', '<>', 'IS NOT DISTINCT FROM'))} {theirs.sql}"
        word = self.draw.choice(("JOIN", "LEFT JOIN"))
        return f"{table.sql} AS {a} {word} {public.sql} AS {p} ON {on}", scope

    def _lateral_public(self, table: TableView, public: TableView) -> tuple[str, Scope]:
        """Private rows and the public ones that a query finds for each of them."""
        a, b, i, x = self._fresh("a"), self._fresh("b"), self._fresh("i"), self._fresh("x")
        own, inner = named(table, a), qualified(scope_of(public), i)
        pairs = joinable(own, inner)
        if not pairs:
            return self._on_anything(table, public)
        self._tag("lateral public rows")
        (mine, theirs), shown = self.draw.choice(pairs), self.draw.choice(inner)
        where = f"{theirs.sql} = {mine.sql}"
        if self._chance(0.5):
            where += f" AND {self._expressions(inner).condition(1)}"
        query = f"LATERAL (SELECT {shown.sql} AS {x} FROM {public.sql} AS {i} WHERE {where}) AS {b}"
        both = self.draw.choice((f", {query}", f" JOIN {query} ON TRUE", f" LEFT JOIN {query} ON TRUE"))
        return f"{table.sql} AS {a}{both}", (*own, Ref(f"{b}.{x}", shown.kind, shown.column))

    def _more_conditions(self, e: Expressions) -> list[str]:
        """Tests for rows of a public table, and comparisons with values of one."""
        found = JoinedRows._more_conditions(self, e)
        if self.view.publics and self._chance(0.08):
            found.append(self._public_test(e))
        test = texts.beside(e, self.draw) if self._chance(0.6) else None
        if test is not None:
            self._tag("text beside text")
            found.append(test)
        return found

    def _key(self, e: Expressions) -> tuple[str, str]:
        """A grouping key; now and then it is public text, or made of it and of private text."""
        key = texts.key(e, self.draw) if self._chance(0.25) else None
        if key is None:
            return JoinedRows._key(self, e)
        self._tag("key of public text")
        return key, "text"

    def _public_test(self, e: Expressions) -> str:
        public = self.draw.choice(self.view.publics)
        i = self._fresh("i")
        inner = self._expressions(qualified(scope_of(public), i))
        where, word = inner.condition(0), self.draw.choice(("", "NOT "))
        pairs = joinable(e.scope, inner.scope)
        if not pairs or self._chance(0.2):
            self._tag("value of a public table")
            column = self.draw.choice(inner.scope)
            value = self.draw.choice(("MIN({})", "MAX({})", "COUNT({})")).format(column.sql)
            kind = "int" if value.startswith("COUNT") else column.kind
            asked = f"SELECT {value} FROM {public.sql} AS {i} WHERE {where}"
            return f"{e.leaf(kind)} {self.draw.choice(('=', '<', '>='))} ({asked})"
        self._tag("test for public rows")
        mine, theirs = self.draw.choice(pairs)
        if self._chance(0.5):
            tied = f"{theirs.sql} = {mine.sql} AND {where}"
            return f"{word}EXISTS (SELECT 1 FROM {public.sql} AS {i} WHERE {tied})"
        return f"{mine.sql} {word}IN (SELECT {theirs.sql} FROM {public.sql} AS {i} WHERE {where})"
