"""A grammar of queries in which one release reads what another gave: tests, joins and aggregates for each row."""

from __future__ import annotations

from dataclasses import dataclass

from dpsql.audit.queries.expressions import Expressions, Ref, Scope, qualified
from dpsql.audit.queries.local_model import Responses
from dpsql.audit.queries.public_sources import PublicRows
from dpsql.audit.queries.schema_view import TableView
from dpsql.audit.queries.selects import scope_of


@dataclass(slots=True)
class FedRows(Responses):
    """Draws sources and conditions that read released tables."""

    def _from(self) -> tuple[str, Scope]:
        """A FROM clause, now and then with a released or a public query in it."""
        source, scope = PublicRows._from(self)
        refs = self._shared(scope)
        if not refs or not self._chance(0.12):
            return source, scope
        ref, table = self.draw.choice(refs)
        if not self._chance(0.8):
            return self._beside_one_row(source, scope, table)
        self._tag("join of a released table")
        name, key, count = self._fresh("f"), self._fresh("k"), self._fresh("n")
        rows = f"(SELECT {_column(ref)} AS {key}, COUNT(*) AS {count} {self._of(table)} GROUP BY 1 HAVING COUNT(*) > 0)"
        word = self.draw.choice(("JOIN", "LEFT JOIN"))
        more = f" AND {name}.{count} > 1" if self._chance(0.3) else ""
        on = f"{name}.{key} = {ref.sql}{more}"
        return f"{source} {word} {rows} AS {name} ON {on}", (*scope, Ref(f"{name}.{count}", "int"))

    def _beside_one_row(self, source: str, scope: Scope, table: TableView) -> tuple[str, Scope]:
        """A cross join with a name of WITH that is one released row."""
        self._tag("released row")
        name, count = self._fresh("w"), self._fresh("n")
        self.ctes.append(f"{name} AS (SELECT COUNT(*) AS {count} {self._of(table)})")
        return f"{source} CROSS JOIN {name}", (*scope, Ref(f"{name}.{count}", "int"))

    def _more_conditions(self, e: Expressions) -> list[str]:
        """Conditions on released groups, and on aggregates of the rows that belong to the row at hand."""
        found = PublicRows._more_conditions(self, e)
        refs = self._shared(e.scope)
        if refs and self._chance(0.08):
            found.append(self._in_groups(*self.draw.choice(refs)))
        if refs and self._chance(0.08):
            found.append(self._for_each(*self.draw.choice(refs)))
        units = [r for r in e.scope if r.kind == "unit"]
        owned = [t for t in self.view.privates if t.unit is not None]
        if units and owned and self._chance(0.1):
            found.append(self._for_each_unit(self.draw.choice(units), self.draw.choice(owned)))
        return found

    def _in_groups(self, ref: Ref, table: TableView) -> str:
        self._tag("released groups")
        column, word = _column(ref), self.draw.choice(("", "NOT "))
        if self._chance(0.3) and not self.exact:
            best = f"GROUP BY 1 HAVING COUNT(*) > 0 ORDER BY COUNT(*) DESC LIMIT {self.draw.choice((1, 2))}"
            return f"{ref.sql} {word}IN (SELECT {column} {self._of(table)} {best})"
        least = self.draw.choice((0, 1, 3))
        return f"{ref.sql} {word}IN (SELECT {column} {self._of(table)} GROUP BY 1 HAVING COUNT(*) > {least})"

    def _for_each(self, ref: Ref, table: TableView) -> str:
        self._tag("released for each row")
        inner = self._fresh("i")
        e = self._expressions(qualified(scope_of(table), inner))
        value = "COUNT(*)" if self.exact or self._chance(0.5) else f"AVG({self._number(e)})"
        where = f" AND {e.condition(1)}" if self._chance(0.4) else ""
        asked = f"SELECT {value} FROM {table.sql} AS {inner} WHERE {inner}.{_column(ref)} = {ref.sql}{where}"
        return f"({asked}) {self.draw.choice(('>', '<='))} {self.draw.choice((0, 1, 2, 5))}"

    def _for_each_unit(self, unit: Ref, table: TableView) -> str:
        """An aggregate of the unit's own rows, which is private like them."""
        assert table.unit is not None
        self._tag("aggregate of the unit")
        inner = self._fresh("i")
        e = self._expressions(qualified(scope_of(table), inner))
        # A bare name is that of the inner row: then everybody is aggregated, and a MAX is released, which is not exact.
        values = ("COUNT(*)", f"COUNT({e.of('text', 1)})", f"MAX({e.of('int', 1)} % 5)")
        value = self.draw.choice(values[:2] if self.exact and "." not in unit.sql else values)
        tied = f"{inner}.{table.unit.sql} = {unit.sql}"
        if self._chance(0.5):
            tied += f" AND {e.condition(1)}"
        asked = f"SELECT {value} FROM {table.sql} AS {inner} WHERE {tied}"
        return f"({asked}) {self.draw.choice(('>', '<=', '='))} {self.draw.choice((0, 1, 2))}"

    def _of(self, table: TableView) -> str:
        e = self._expressions(scope_of(table))
        return f"FROM {table.sql}" + (f" WHERE {e.condition(1)}" if self._chance(0.4) else "")

    def _shared(self, scope: Scope) -> list[tuple[Ref, TableView]]:
        """Columns with few values that stand as they are in a private table."""
        few = [
            r
            for r in scope
            if r.column is not None and not r.column.public and (r.column.values or r.kind == "bool")
        ]
        return [(r, t) for r in few for t in self.view.privates if r.column in t.columns]


def _column(ref: Ref) -> str:
    assert ref.column is not None
    return ref.column.sql
