"""Random queries over the whole supported surface; a seed gives the same query for good."""

from __future__ import annotations

import random
from dataclasses import dataclass

from dpsql.audit.queries.expressions import Expressions, Ref, qualified
from dpsql.audit.queries.join_columns import joinable
from dpsql.audit.queries.query import Query
from dpsql.audit.queries.schema_view import TableView, View
from dpsql.audit.queries.selects import scope_of
from dpsql.audit.queries.shapes import Shapes
from dpsql.audit.queries.two_dialects import CLOSE, OPEN


@dataclass(slots=True)
class Queries(Shapes):
    """Draws whole queries."""

    def query(self) -> Query:
        """A query of any shape."""
        build = {
            "grouped": self._grouped,
            "single": self._single,
            "outer": self._outer,
            "rolled": self._rolled,
            "windows": self._windows,
            "several": self._several,
            "union": self._union,
            "top": self._top,
            "distinct": self._distinct,
            "joined": self._joined,
            "related": self._related,
            "series": self._series,
            "twice": self._twice,
            "sure": self._sure,
            "looked up": self._looked_up,
            "statistics": self._statistics,
        }
        if self.view.local is not None:
            build["local"] = self._local
        often = {"grouped": 5, "single": 3, "outer": 3, "rolled": 3, "top": 4}
        shape = self.draw.choice([name for name in build for _ in range(often.get(name, 1))])
        self._tag(shape)
        return build[shape]()

    def _local(self) -> Query:
        """Rows released one by one, or what is estimated from them."""
        found = self._responding()
        assert found is not None, "only where the policy allows it"
        sql, true = found
        return Query(sql, true, tags=frozenset(self.tags))

    def _grouped(self) -> Query:
        """Keys and measures, with every group of the domain, or with HAVING, ORDER BY and LIMIT."""
        robust = self._chance(0.5)
        select = self._aggregating(self.draw.choice((1, 1, 2)), robust)
        if not robust:
            return self._done(select.sql, columns=tuple(o.role for o in select.outputs))
        directions = (" DESC", "", " NULLS FIRST")
        by = ", ".join(f"{i + 1}{self.draw.choice(directions)}" for i in range(len(select.keys)))
        first = f"{self.draw.choice(select.counts)} DESC, " if select.counts and self._chance(0.5) else ""
        limit = f" LIMIT {self.draw.choice((1, 2, 100))}" + self.draw.choice(("", " OFFSET 1"))
        self._tag("order by", "limit")
        return self._done(f"{select.sql} ORDER BY {first}{by}{limit}", ordered=True)

    def _rolled(self) -> Query:
        """Groups and their totals at several levels."""
        return self._done(self._aggregating(self.draw.choice((1, 2, 2)), robust=True, rolled=True).sql)

    def _single(self) -> Query:
        """No GROUP BY, always one row; with arithmetic over the measures now and then."""
        select = self._aggregating(0, robust=False)
        if self._chance(0.5):
            return self._done(select.sql)
        items = [f"COALESCE({o.name}, -1) AS {self._name(f'o{i}')}" for i, o in enumerate(select.outputs)]
        if select.counts:
            items.append(f"CASE WHEN {select.counts[0]} > 2 THEN 'many' ELSE 'few' END")
            items.append(f"ROUND({select.counts[0]} * 100.0 / 7, 2)")
        self._tag("arithmetic on results")
        return self._done(f"SELECT {', '.join(items)} FROM ({select.sql}) AS {self._name('v')}")

    def _outer(self) -> Query:
        """A tool's SELECT over the user's query: filters, sorts, groups again, or counts its rows."""
        select = self._aggregating(self.draw.choice((1, 2)), robust=True)
        c, k = self.draw.choice(select.counts or ("1",)), select.keys[0].name
        name = self._fresh("v")
        source = f"({select.sql}) AS {name}"
        if self._chance(0.5):
            self.ctes.append(f"{name} AS ({select.sql})")
            source = name
            self._tag("cte of results")
        order = ", ".join(key.name for key in select.keys)
        texts = (
            f"SELECT * FROM {source}",
            f"SELECT {k}, {c} AS {self._name('c')} FROM {source} WHERE {c} >= 1 ORDER BY {order} LIMIT 1000",
            f"SELECT COUNT(*), SUM({c}), MAX({c}) FROM {source}",
            f"SELECT {c} > 1 AS {self._name('b')}, COUNT(*) AS {self._name('n')} FROM {source} GROUP BY 1 ORDER BY 1",
            f"SELECT {k}, SUM({c}) AS {self._name('s')} FROM {source} GROUP BY {k} HAVING COUNT(*) > 0 ORDER BY {k}",
        )
        at = self.draw.randrange(len(texts))
        return self._done(texts[at], ordered=at in (1, 3, 4))

    def _windows(self) -> Query:
        """Window functions over the results, in the same SELECT or above it."""
        source, scope = self._from()
        e = self._expressions(scope)
        key, _ = self._key(e)
        where = f" WHERE {e.condition(1)}" if self._chance(0.4) else ""
        k, m, v = self._name("k0"), self._name("m0"), self._name("v")
        rest = f"FROM {source}{where} GROUP BY {self.draw.choice((k, '1'))} HAVING COUNT(*) > 0"
        if self._chance(0.4):
            window = self.draw.choice(
                (
                    "RANK() OVER (ORDER BY COUNT(*) DESC)",
                    "SUM(COUNT(*)) OVER ()",
                    "COUNT(*) * 100.0 / SUM(COUNT(*)) OVER ()",
                    "MAX(COUNT(*)) OVER () - COUNT(*)",
                )
            )
            if self._chance(0.3):
                self._tag("qualify over results")
                rest += f" QUALIFY RANK() OVER (ORDER BY COUNT(*) DESC) <= {self.draw.choice((1, 2))}"
            return self._done(f"SELECT {key} AS {k}, COUNT(*) AS {m}, {window} AS {self._name('w')} {rest}")
        return self._done(
            f"SELECT {k}, {m}, RANK() OVER (ORDER BY {m} DESC) AS {self._name('r')}, LAG({m}) OVER (ORDER BY {k}) AS "
            f"{self._name('l')}, SUM({m}) OVER (ORDER BY {m}, {k} ROWS UNBOUNDED PRECEDING) AS {self._name('s')} FROM "
            f"(SELECT {key} AS {k}, COUNT(*) AS {m} {rest}) AS {v}"
        )

    def _several(self) -> Query:
        """Several releases as scalar subqueries and in arithmetic between them."""
        a, b = self._first(), self._first()
        one = self.draw.choice(("", "1 + "))
        return self._done(f"SELECT ({a}) AS {self._name('a')}, {one}({b}) AS {self._name('b')}")

    def _first(self) -> str:
        """The first measure of a SELECT without groups."""
        select = self._aggregating(0, robust=False)
        return f"SELECT {select.outputs[0].name} FROM ({select.sql}) AS {self._fresh('q')}"

    def _union(self) -> Query:
        return self._done(f"{self._first()} UNION ALL {self._first()}")

    def _top(self) -> Query:
        """The keys of the best groups, now and then with what they are chosen by."""
        self.binding = False  # the same text stands twice in what it is compared with
        source, scope = self._from()
        e = self._expressions(scope)
        key, _ = self._key(e)
        score, _, role = self._aggregate(e)
        bounded, often = [r.sql for r in scope if r.column is not None and r.column.summable], 0.3
        if bounded and self._chance(0.2):
            score, role = f"{OPEN}SUM({self.draw.choice(bounded)}){CLOSE}", "sum"
        elif (units := e.columns("unit")) and self._chance(0.35):
            score, role, often = f"COUNT(DISTINCT {units[0]})", "count", 0.7
        if role in ("null", "bool"):
            score = f"COUNT(DISTINCT {e.leaf(self.draw.choice(('text', 'int', 'float')))})"
        where = f" WHERE {e.condition(1)}" if self._chance(0.4) else ""
        k, s, rest = self._name("k0"), self._name("s"), f"FROM {source}{where} GROUP BY 1"
        descending, most = self._chance(0.6), self.draw.choice((1, 1, 1, 2, 3))
        self._tag(f"best {most}")
        shown = f", {score} AS {s}" if self._chance(often) else ""
        by = self._risen(s if shown and self._chance(0.5) else score, descending)
        return self._done(
            f"SELECT {key} AS {k}{shown} {rest} ORDER BY {by}{self.draw.choice(('', '', ', 1'))} LIMIT {most}",
            score=f"SELECT {key} AS {k}, {score} AS {s} {rest}",
            descending=descending,
            most=most,
        )

    def _risen(self, score: str, descending: bool) -> str:
        """A term of ORDER BY that ranks as a score does in a direction."""
        form = self.draw.choice(("", "", "", "turned", "doubled", "moved"))
        self._tag(*(["score expression"] if form else []))
        down = descending is not (form == "turned")
        written = {"turned": f"-({score})", "doubled": f"({score}) * 2", "moved": f"{score} + 1"}.get(
            form, score
        )
        return f"{written} {'DESC' if down else 'ASC'}"

    def _distinct(self) -> Query:
        """SELECT DISTINCT keys, or GROUP BY without aggregates."""
        source, scope = self._from()
        e = self._expressions(scope)
        key, _ = self._key(e)
        k = self._name("k0")
        where = f" WHERE {e.condition(1)}" if self._chance(0.4) else ""
        if self._chance(0.5):
            return self._done(f"SELECT DISTINCT {key} AS {k} FROM {source}{where}", columns=("key",))
        return self._done(f"SELECT {key} AS {k} FROM {source}{where} GROUP BY 1", columns=("key",))

    def _joined(self) -> Query:
        """Results joined with a public table or with other results."""
        select = self._aggregating(1, robust=True)
        key, v, p, u = select.keys[0], self._name("v"), self._name("p"), self._name("u")
        same = [
            (t, c) for t in self.view.publics for c in t.columns if c.kind == key.kind and len(t.columns) > 1
        ]
        if same and key.kind in ("text", "int") and self._chance(0.7):
            table, column = self.draw.choice(same)
            other = self.draw.choice([c for c in table.columns if c is not column])
            return self._done(
                f"SELECT {v}.*, {p}.{other.sql} AS {self._name('o')} FROM ({select.sql}) AS {v} "
                f"LEFT JOIN {table.sql} {p} ON {v}.{key.name} = {p}.{column.sql}"
            )
        one = self._aggregating(0, robust=False)
        return self._done(
            f"SELECT {v}.*, {u}.{one.outputs[0].name} AS {self._name('o')} FROM ({select.sql}) AS {v} "
            f"CROSS JOIN ({one.sql}) AS {u}"
        )

    def _related(self) -> Query:
        """The public side listed by an outer join: its groups are there without private rows."""
        t, p = self._name("t"), self._name("p")
        found = [
            (private, public, pair)
            for private in self.view.privates
            for public in self.view.publics
            for pair in joinable(qualified(scope_of(private), t), qualified(scope_of(public), p))
        ]
        if not found:
            return self._grouped()
        private, public, (mine, theirs) = self.draw.choice(found)
        e = self._expressions(qualified(scope_of(private), t))
        column = self.draw.choice(public.columns).sql
        measure, role = self._measure_of_rows(e, mine)
        on = f"{mine.sql} = {theirs.sql}" + (f" AND {e.condition(1)}" if self._chance(0.4) else "")
        word = self.draw.choice(("LEFT JOIN", "LEFT JOIN", "FULL JOIN"))
        both = (
            f"{public.sql} {p} {word} {private.sql} AS {t}",
            f"{private.sql} AS {t} {word.replace('LEFT', 'RIGHT')} {public.sql} {p}",
        )
        rest = f"{self.draw.choice(both)} ON {on}{self._joined_behind(private, t)}"
        rest += " GROUP BY 1" + (f" HAVING COUNT({mine.sql}) > 0" if self._chance(0.2) else "")
        return self._done(
            f"SELECT {p}.{column} AS {self._name('k0')}, {measure} AS {self._name('m0')} FROM {rest}",
            columns=("key", role),
        )

    def _joined_behind(self, private: TableView, alias: str) -> str:
        """One more private table behind an outer join that lists public rows, by the key of the unit."""
        if private.unit is None or not self._chance(0.3):
            return ""
        self._tag("join behind a listed table")
        other = self.draw.choice([v for v in self.view.privates if v.unit is not None])
        assert other.unit is not None
        name, word = self._fresh("b"), self.draw.choice(("JOIN", "LEFT JOIN"))
        return f" {word} {other.sql} AS {name} ON {alias}.{private.unit.sql} = {name}.{other.unit.sql}"

    def _measure_of_rows(self, e: Expressions, key: Ref) -> tuple[str, str]:
        """A measure that is empty where no private row is, with its role."""
        numbers = [r.sql for r in e.scope if r.column is not None and r.column.summable]
        units = e.columns("unit")
        if units and self._chance(0.3):
            return f"COUNT(DISTINCT {units[0]})", "count"
        if not numbers:
            return self.draw.choice((f"COUNT({key.sql})", f"COUNT(DISTINCT {key.sql})")), "count"
        x = self.draw.choice(numbers)
        return self.draw.choice(
            ((f"COUNT({x})", "count"), (f"{OPEN}SUM({x}){CLOSE}", "sum"), (f"AVG({x})", "null"),
             (f"COUNT(DISTINCT {x})", "count"), (f"{OPEN}SUM({x} * 2){CLOSE}", "sum"),
             (f"{OPEN}SUM(CASE WHEN {e.condition(1)} THEN {x} END){CLOSE}", "sum"))
        )  # fmt: skip


def random_query(seed: int, view: View, *, exact: bool = False) -> Query:
    """The query of a seed under a policy; `exact` ones can be compared with DuckDB's own answers."""
    draw = random.Random(f"query {seed}")
    return Queries(draw, view, exact=exact, binding=draw.random() < 0.25).query()
