"""Random queries over the whole supported surface; a seed gives the same query for good."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from fuzz.selects import ALIAS, CLOSE, KINDS, OPEN, PUBLIC_COLUMNS, Select, Selects
from fuzz.worlds import COLUMNS, World


@dataclass(frozen=True, slots=True)
class Query:
    """A query for dpsql, and `plain`, the same for DuckDB alone with SUM and COUNT_IF over nothing as 0.

    `ordered`: the rows have one order. `columns` says of each output whether it is a "key", a "count", a "sum", or a
    "null" measure (NULL over no rows), where groups without rows may be in the answer; None where they may not.
    `score` is a query of keys and scores where the query selects one best group; `descending` is its direction.
    """

    sql: str
    plain: str
    params: tuple[object, ...] | dict[str, object] | None = None
    ordered: bool = False
    columns: tuple[str, ...] | None = None
    score: str | None = None
    descending: bool = True
    tags: frozenset[str] = frozenset()


@dataclass(slots=True)
class Queries(Selects):
    """Draws whole queries."""

    def query(self) -> Query:
        """A query of any shape."""
        shapes = ("grouped", "grouped", "grouped", "single", "single", "outer", "outer", "windows", "several", "union",
                  "top", "top", "top", "distinct", "joined", "related")  # fmt: skip
        shape = self.draw.choice(shapes)
        self._tag(shape)
        build = {
            "grouped": self._grouped,
            "single": self._single,
            "outer": self._outer,
            "windows": self._windows,
            "several": self._several,
            "union": self._union,
            "top": self._top,
            "distinct": self._distinct,
            "joined": self._joined,
            "related": self._related,
        }[shape]
        return build()

    def _done(self, sql: str, **more: object) -> Query:
        ctes = f"WITH {', '.join(self.ctes)} " if self.ctes else ""
        sql = ctes + sql
        params: tuple[object, ...] | dict[str, object] | None = None
        if self.params:
            used = re.findall(r"\$(p\d+)", sql)
            if self._chance(0.5):
                params = tuple(self.params[n] for n in used)
                sql = re.sub(r"\$p\d+", "?", sql)
                self._tag("? parameters")
            else:
                params = {n: self.params[n] for n in used}
                self._tag("$ parameters")
            params = params or None
        text = sql.replace(OPEN, "").replace(CLOSE, "")
        plain = sql.replace(OPEN, "COALESCE(").replace(CLOSE, ", 0)")
        return Query(text, plain, params, tags=frozenset(self.tags), **more)  # type: ignore[arg-type]

    def _grouped(self) -> Query:
        """Keys and measures, with every group of the domain, or with HAVING, ORDER BY and LIMIT."""
        robust = self._chance(0.5)
        select = self._aggregating(self.draw.choice((1, 1, 2)), robust)
        if not robust:
            return self._done(select.sql, columns=tuple(role for _, _, role in select.outputs))
        by = ", ".join(
            f"{i + 1}{self.draw.choice((' DESC', '', ' NULLS FIRST'))}" for i in range(select.keys)
        )
        counts = [n for n, _, role in select.outputs if role == "count"]
        first = f"{self.draw.choice(counts)} DESC, " if counts and self._chance(0.5) else ""
        limit = f" LIMIT {self.draw.choice((1, 2, 100))}" + self.draw.choice(("", " OFFSET 1"))
        self._tag("order by", "limit")
        return self._done(f"{select.sql} ORDER BY {first}{by}{limit}", ordered=True)

    def _single(self) -> Query:
        """No GROUP BY, always one row; with arithmetic over the measures now and then."""
        select = self._aggregating(0, robust=False)
        if self._chance(0.5):
            return self._done(select.sql)
        wrapped = [f"COALESCE({n}, -1) AS o{i}" for i, (n, _, _) in enumerate(select.outputs)]
        if any(role == "count" for _, _, role in select.outputs):
            count = next(n for n, _, role in select.outputs if role == "count")
            wrapped.append(f"CASE WHEN {count} > 2 THEN 'many' ELSE 'few' END")
            wrapped.append(f"ROUND({count} * 100.0 / 7, 2)")
        self._tag("arithmetic on results")
        return self._done(f"SELECT {', '.join(wrapped)} FROM ({select.sql}) AS v")

    def _outer(self) -> Query:
        """A tool's SELECT over the user's query: filters, sorts, groups again, or counts its rows."""
        select = self._aggregating(self.draw.choice((1, 2)), robust=True)
        counts = [n for n, _, role in select.outputs if role == "count"] or ["1"]
        c = self.draw.choice(counts)
        name = self._fresh("v")
        source = f"({select.sql}) AS {name}"
        if self._chance(0.5):
            self.ctes.append(f"{name} AS ({select.sql})")
            source = name
            self._tag("cte of results")
        order = "k0" if select.keys == 1 else "k0, k1"
        texts = (
            f"SELECT * FROM {source}",
            f"SELECT k0, {c} AS c FROM {source} WHERE {c} >= 1 ORDER BY {order} LIMIT 1000",
            f"SELECT COUNT(*), SUM({c}), MAX({c}) FROM {source}",
            f"SELECT {c} > 1 AS big, COUNT(*) AS n FROM {source} GROUP BY 1 ORDER BY 1",
            f"SELECT k0, SUM({c}) AS s FROM {source} GROUP BY k0 HAVING COUNT(*) > 0 ORDER BY k0",
        )
        at = self.draw.randrange(len(texts))
        return self._done(texts[at], ordered=at in (1, 3, 4))

    def _windows(self) -> Query:
        """Window functions over the results, in the same SELECT or above it."""
        source, scope = self._from()
        e = self._expressions(scope)
        key, _ = self._key(e)
        where = f" WHERE {e.condition(1)}" if self._chance(0.4) else ""
        group = "k0" if self._chance(0.5) else "1"
        window = self.draw.choice(
            (
                "RANK() OVER (ORDER BY COUNT(*) DESC)",
                "ROW_NUMBER() OVER (ORDER BY COUNT(*), k0)" if self._chance(0.5) else "SUM(COUNT(*)) OVER ()",
                "COUNT(*) * 100.0 / SUM(COUNT(*)) OVER ()",
                "SUM(COUNT(*)) OVER (ORDER BY COUNT(*) ROWS UNBOUNDED PRECEDING)",
                "MAX(COUNT(*)) OVER () - COUNT(*)",
            )
        )
        rest = f"FROM {source}{where} GROUP BY {group} HAVING COUNT(*) > 0"
        select = f"SELECT {key} AS k0, COUNT(*) AS m0, {window} AS w {rest}"
        if "k0" in window or "ROWS" in window or self._chance(0.5):
            inner = f"SELECT {key} AS k0, COUNT(*) AS m0 {rest}"
            select = (
                f"SELECT k0, m0, RANK() OVER (ORDER BY m0 DESC) AS r, LAG(m0) OVER (ORDER BY k0) AS l, "
                f"SUM(m0) OVER (ORDER BY m0, k0) AS s FROM ({inner}) AS v"
            )
        return self._done(select)

    def _several(self) -> Query:
        """Several releases as scalar subqueries and in arithmetic between them."""
        first, second = self._aggregating(0, robust=False), self._aggregating(0, robust=False)
        one = first.sql.partition(" FROM ")
        a, b = self._first(first), self._first(second)
        assert one[1]
        return self._done(
            self.draw.choice((f"SELECT ({a}) AS a, ({b}) AS b", f"SELECT ({a}) AS a, 1 + ({b}) AS b"))
        )

    def _first(self, select: Select) -> str:
        return f"SELECT m0 FROM ({select.sql}) AS {self._fresh('q')}"

    def _union(self) -> Query:
        first, second = self._aggregating(0, robust=False), self._aggregating(0, robust=False)
        return self._done(f"{self._first(first)} UNION ALL {self._first(second)}")

    def _top(self) -> Query:
        """The key of one best group."""
        source, scope = self._from()
        e = self._expressions(scope)
        key, _ = self._key(e)
        score, _, role = self._aggregate(e)
        if role == "null":
            score = f"COUNT(DISTINCT {e.leaf(self.draw.choice(('text', 'int', 'float')))})"
        where = f" WHERE {e.condition(1)}" if self._chance(0.4) else ""
        descending = self._chance(0.6)
        direction = "DESC" if descending else "ASC"
        if "$" in key:
            key = "flag" if "flag" in dict(scope) else "t.flag"
        bound = dict(self.params)
        text = f"SELECT {key} AS k0 FROM {source}{where} GROUP BY 1 ORDER BY {score} {direction} LIMIT 1"
        full = f"SELECT {key} AS k0, {score} AS s FROM {source}{where} GROUP BY 1"
        if bound:
            self.params.clear()
            for name, value in bound.items():
                constant = {True: "TRUE", False: "FALSE"}.get(value) if isinstance(value, bool) else None
                constant = constant or (repr(value) if isinstance(value, int | float) else None)
                constant = constant or (f"DATE '{value}'" if not isinstance(value, str) else None)
                constant = constant or "'" + str(value).replace("'", "''") + "'"
                text, full = (re.sub(rf"\${name}\b", lambda _: constant, s) for s in (text, full))  # noqa: B023
                self.ctes = [re.sub(rf"\${name}\b", lambda _: constant, s) for s in self.ctes]  # noqa: B023
        done = self._done(text)
        ctes = f"WITH {', '.join(self.ctes)} " if self.ctes else ""
        plain = (ctes + full).replace(OPEN, "COALESCE(").replace(CLOSE, ", 0)")
        return Query(done.sql, plain, done.params, score=plain, descending=descending, tags=done.tags)

    def _distinct(self) -> Query:
        """SELECT DISTINCT keys, or GROUP BY without aggregates."""
        source, scope = self._from()
        e = self._expressions(scope)
        key, _ = self._key(e)
        where = f" WHERE {e.condition(1)}" if self._chance(0.4) else ""
        if self._chance(0.5):
            return self._done(f"SELECT DISTINCT {key} AS k0 FROM {source}{where}", columns=("key",))
        return self._done(f"SELECT {key} AS k0 FROM {source}{where} GROUP BY 1", columns=("key",))

    def _joined(self) -> Query:
        """Results joined with a public table or with other results."""
        select = self._aggregating(1, robust=True)
        kind = select.outputs[0][1]
        if kind == "text":
            return self._done(
                f"SELECT v.*, r.country FROM ({select.sql}) AS v LEFT JOIN regions r ON v.k0 = r.region"
            )
        other = self._aggregating(0, robust=False)
        return self._done(f"SELECT v.*, u.m0 AS other FROM ({select.sql}) AS v CROSS JOIN ({other.sql}) AS u")

    def _related(self) -> Query:
        """The public side listed by an outer join: its groups are there without private rows."""
        table, key = self.draw.choice((("regions", "region"), ("products", "product"), ("tags", "region")))
        alias = ALIAS[table]
        column = self.draw.choice(PUBLIC_COLUMNS[table])[0]
        e = self._expressions(tuple((f"t.{c}", KINDS[COLUMNS[c][0]]) for c in COLUMNS if c != "secret"))
        number = self.draw.choice(("t.age", "t.quantity", "t.amount"))
        measure = self.draw.choice(
            (f"COUNT({number})", f"{OPEN}SUM({number}){CLOSE}", f"AVG({number})", f"COUNT(DISTINCT {number})",
             f"{OPEN}SUM({number} * 2){CLOSE}")
        )  # fmt: skip
        on = f"t.{key} = {alias}.{key}" + (f" AND {e.condition(1)}" if self._chance(0.4) else "")
        both = (f"{table} {alias} LEFT JOIN t", f"t RIGHT JOIN {table} {alias}")
        role = "null" if measure.startswith("AVG") else "sum" if OPEN in measure else "count"
        return self._done(
            f"SELECT {alias}.{column} AS k0, {measure} AS m0 FROM {self.draw.choice(both)} ON {on} GROUP BY 1",
            columns=("key", role),
        )


def random_query(seed: int, world: World) -> Query:
    """The query of a seed under a policy."""
    draw = random.Random(f"query {seed} {world.name}")
    return Queries(draw, world, exact=world.exact, binding=draw.random() < 0.25).query()
