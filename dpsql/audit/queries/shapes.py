"""A grammar of whole queries in which what was released is chosen among, read twice, looked up by, or told how sure."""

from __future__ import annotations

from dataclasses import dataclass

from dpsql.audit.queries.expressions import Expressions, Ref, qualified
from dpsql.audit.queries.join_columns import joinable
from dpsql.audit.queries.query import Asking, Query
from dpsql.audit.queries.schema_view import TableView
from dpsql.audit.queries.selects import scope_of
from dpsql.audit.queries.two_dialects import CONT, either

# Columns of at most so many integers have a cell for each, in any number of groups.
_CELLS = 63
_LEVELS = ("0.5", "0.25", "0.9", "0.1", "0.333")
# Where DuckDB has one of several values, or another than a private choice aims at, it is asked for all of them.
_MOST = either("MODE(", "{'most': LIST("), either("", "}")
_MOST_WITHIN = either("MODE() WITHIN GROUP (ORDER BY ", "{'most': LIST("), either("", "}")
_LEAST = either("MIN(", "{'among': LIST("), either("", "}")
_GREATEST = either("MAX(", "{'among': LIST("), either("", "}")


@dataclass(slots=True)
class Shapes(Asking):
    """Draws queries of these shapes."""

    def _series(self) -> Query:
        """Groups by two keys, of the best values of one of them: a join or a condition that is kept late."""
        table = self.draw.choice(self.view.privates)
        refs = [r for r, t in self._shared(scope_of(table)) if t is table]
        if not refs:
            return self._statistics()
        ref = self.draw.choice(refs)
        e = self._expressions(scope_of(table))
        keys = [ref.sql, *([self._key(e)[0]] if self._chance(0.5) else [])]
        items = [f"{key} AS {self._name(f'k{i}')}" for i, key in enumerate(keys)]
        items += [f"{sql} AS {self._name(f'm{i}')}" for i, (sql, _, _) in enumerate(self._measures(e))]
        best, column = self._best(ref, table)
        where = [e.condition(1)] if self._chance(0.3) else []
        form = self.draw.choice(("join", "in", "not in", "in derived"))
        self._tag(f"series by {form}")
        name, join = self._fresh("v"), ""
        if form == "join":
            on = self.draw.choice((f"{ref.sql} = {column}", f"{name}.{column} = {ref.sql}"))
            join = f" JOIN ({best}) AS {name} ON {on}"
        elif form == "in derived":
            where.append(f"{ref.sql} IN (SELECT {column} FROM ({best}) AS {name})")
        else:
            where.append(f"{ref.sql} {form.upper()} ({best})")
        conditions = (
            f" WHERE {' AND '.join(f'({c})' if c is not where[-1] else c for c in where)}" if where else ""
        )
        group = f"GROUP BY {', '.join(str(i + 1) for i in range(len(keys)))} HAVING COUNT(*) > 0"
        return self._done(f"SELECT {', '.join(items)} FROM {table.sql}{join}{conditions} {group}")

    def _best(self, ref: Ref, table: TableView) -> tuple[str, str]:
        """A query of the best values of a column, and its name there; of equal ones the first by itself."""
        column = self._fresh("p")
        numbers = [c.sql for c in table.columns if c.summable]
        score = (
            f"SUM({self.draw.choice(numbers)})"
            if numbers and self._chance(0.3) and not self.exact
            else "COUNT(*)"
        )
        having = (
            f" HAVING COUNT(*) > {self.draw.choice((0, 1, 3))}" if self.exact or self._chance(0.5) else ""
        )
        best = (
            f" ORDER BY {score} DESC, 1 LIMIT {self.draw.choice((1, 2, 3))}"
            if not having or self._chance(0.6)
            else ""
        )
        return f"SELECT {ref.sql} AS {column} {self._of(table)} GROUP BY 1{having}{best}", column

    def _twice(self) -> Query:
        """A name of WITH that is read twice and released once, or whose rows are."""
        name = self._fresh("w")
        if self._chance(0.4):
            self._tag("rows read twice")
            source, scope = self._base()
            e = self._expressions(scope)
            self.ctes.append(
                f"{name} AS (SELECT * FROM {source} AS {self._fresh('t')} WHERE {e.condition(1)})"
            )
            values = ("COUNT(*)", f"COUNT({e.leaf('text')})", f"COUNT(DISTINCT {e.leaf('int')})")
            a, b = (f"(SELECT {self.draw.choice(values)} FROM {name})" for _ in "ab")
            return self._done(f"SELECT {a} AS {self._name('a')}, {b} AS {self._name('b')}")
        self._tag("results read twice")
        select = self._aggregating(1, robust=True)
        key, (first, *_) = select.keys[0].name, [o.name for o in select.outputs[1:]]
        self.ctes.append(f"{name} AS ({select.sql})")
        a, b, word = self._name("a"), self._name("b"), self.draw.choice(("JOIN", "LEFT JOIN"))
        on = f"{a}.{key} = {b}.{key}"
        return self._done(
            f"SELECT {a}.*, {b}.{first} AS {self._name('o')} FROM {name} AS {a} {word} {name} AS {b} ON {on}"
        )

    def _sure(self) -> Query:
        """Results with the ends of their intervals, which another SELECT passes on."""
        select = self._aggregating(self.draw.choice((0, 1, 1)), robust=True)
        known = [
            o
            for o in select.outputs
            if o.role in (("count", "sum") if self.exact else ("count", "sum", "null"))
        ]
        if not known:
            return self._done(select.sql)
        self._tag("interval", "foreign")
        measure, name = self.draw.choice(known).name, self._fresh("v")
        asked = self.draw.choice((measure, measure, f"{measure} * 2 + 1"))
        ends = [either(f"DP_INTERVAL_{end}({asked})", asked) for end in ("LOW", "HIGH")]
        items = [*(k.name for k in select.keys), measure]
        if self.exact:
            items.append(f"({ends[0]} <= {asked} AND {asked} <= {ends[1]}) AS {self._name('i')}")
        else:
            items += [f"{ends[0]} AS {self._name('i')}", f"{ends[1]} AS {self._name('j')}"]
        source = f"({select.sql}) AS {name}"
        if self._chance(0.4):
            self.ctes.append(f"{name} AS ({select.sql})")
            source = name
        if self._chance(0.4):
            listed = ", ".join(o.name for o in select.outputs)
            source = f"(SELECT {listed} FROM {source}) AS {self._fresh('v')}"
        return self._done(f"SELECT {', '.join(items)} FROM {source}")

    def _looked_up(self) -> Query:
        """Groups with what a public table says of each."""
        t, p = self._name("t"), self._name("p")
        found = [
            (private, public, pair)
            for private in self.view.privates
            for public in self.view.publics
            for pair in joinable(qualified(scope_of(private), t), qualified(scope_of(public), p))
            if len(public.columns) > 1
        ]
        if not found:
            return self._statistics()
        private, public, (mine, theirs) = self.draw.choice(found)
        e = self._expressions(qualified(scope_of(private), t))
        measure, _, _ = self._aggregate(e)
        inner = f"FROM {public.sql} AS {p} WHERE {p}.{theirs.sql.rpartition('.')[2]} = {mine.sql}"
        other = self.draw.choice([c for c in public.columns if c.sql != theirs.sql.rpartition(".")[2]]).sql
        value = self.draw.choice(("MAX", "MIN", "COUNT"))
        having = " HAVING COUNT(*) > 0"
        if self._chance(0.3):
            having += f" AND {self.draw.choice(('', 'NOT '))}EXISTS (SELECT 1 {inner})"
        where = f" WHERE {e.condition(1)}" if self._chance(0.4) else ""
        return self._done(
            f"SELECT {mine.sql} AS {self._name('k0')}, {measure} AS {self._name('m0')}, "
            f"(SELECT {value}({p}.{other}) {inner}) AS {self._name('o')} "
            f"FROM {private.sql} AS {t}{where} GROUP BY {self.draw.choice(('1', mine.sql))}{having}"
        )

    def _statistics(self) -> Query:
        """Order statistics and modes of groups, lists of them, and those of listed text."""
        source, scope = self._from()
        e = self._expressions(scope)
        calls = self._ordered_calls(e)
        if not calls:
            return self._done(f"SELECT COUNT(*) AS {self._name('m0')} FROM {source}")
        forms = list(dict.fromkeys(call[0] for call in calls))
        asked = [self.draw.choice(forms) for _ in range(self.draw.choice((1, 1, 2)))]
        picked = [self.draw.choice([call for call in calls if call[0] == form]) for form in asked]
        only = f" FILTER (WHERE {e.condition(1)})" if self._chance(0.2) else ""
        measures = [f"{before}{x}{behind}{only}{after} AS {self._name(f'm{i}')}"
                    for i, (before, x, behind, after) in enumerate(picked)]  # fmt: skip
        where = f" WHERE {e.condition(1)}" if self._chance(0.3) else ""
        if self._chance(0.4):
            return self._done(f"SELECT {', '.join(measures)} FROM {source}{where}")
        key, _ = self._key(e)
        items = ", ".join([f"{key} AS {self._name('k0')}", *measures])
        roles = ("key", *("null" for _ in measures))
        return self._done(f"SELECT {items} FROM {source}{where} GROUP BY 1", columns=roles)

    def _ordered_calls(self, e: Expressions) -> list[tuple[str, str, str, str]]:
        """Calls, each as what stands before the argument, the argument, and what stands before and behind FILTER."""
        level, more = self.draw.choice(_LEVELS), self.draw.choice(("0.1", "0.75, 0.5", "0.2, 0.9, 0.5"))
        found: list[tuple[str, str, str, str]] = []
        for ref in e.scope:
            if ref.column is None or ref.column.public:
                continue
            listed = ref.kind == "bool" or bool(ref.column.values)
            if listed:
                found += [(begin, ref.sql, ")", end) for begin, end in (_MOST, _MOST_WITHIN)]
            if self._has_cells(ref) or (listed and ref.kind == "text"):
                found += [(begin, ref.sql, ")", end) for begin, end in (_LEAST, _GREATEST)]
            if self._has_cells(ref):
                found += self._quantiles(ref.sql, ref.kind, level, more)
        return found

    def _quantiles(self, x: str, kind: str, level: str, more: str) -> list[tuple[str, str, str, str]]:
        """Quantiles, one or several at once; those of integers that are no integers have no answer to compare with."""
        within = " WITHIN GROUP (ORDER BY "
        found = [
            ("QUANTILE(", x, f", {level})", ""),
            ("QUANTILE_DISC(", x, f", [{more}])", ""),
            (f"PERCENTILE_DISC({level}){within}", x, ")", ""),
            (f"PERCENTILE_DISC(ARRAY[{more}]){within}", x, ")", ""),
        ]
        if self.exact and kind != "float":
            return found
        return [
            *found,
            (either("MEDIAN(", "QUANTILE_DISC("), x, either(")", ", 0.5)"), ""),
            (f"QUANTILE_{CONT}(", x, f", [{more}])", ""),
            (f"PERCENTILE_{CONT}({level}){within}", x, ")", ""),
            (f"PERCENTILE_{CONT}([{more}]){within}", x, ")", ""),
        ]

    def _has_cells(self, ref: Ref) -> bool:
        """Whether a private choice among a column's values can be told to be DuckDB's own, or need not be."""
        interval = ref.column.interval if ref.column is not None else None
        if interval is None or ref.kind not in ("int", "float"):
            return interval is not None and not self.exact
        return not self.exact or ref.kind == "float" or interval.width <= _CELLS
