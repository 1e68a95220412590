"""A grammar of windows over the rows of one unit: places, values of other rows, aggregates, and their frames."""

from __future__ import annotations

from dataclasses import dataclass

from dpsql.audit.queries.expressions import Expressions, Ref, Scope
from dpsql.audit.queries.schema_view import TableView
from dpsql.audit.queries.selects import Selects, scope_of

_ENDS = (
    "2 PRECEDING AND CURRENT ROW",
    "1 PRECEDING AND 1 FOLLOWING",
    "UNBOUNDED PRECEDING AND 1 PRECEDING",
    "CURRENT ROW AND UNBOUNDED FOLLOWING",
    "1 FOLLOWING AND 3 FOLLOWING",
    "UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
)
_DISTANCES = {"int": ("0", "1", "30"), "float": ("0.5", "20"), "date": ("INTERVAL 7 DAY", "INTERVAL 1 MONTH"),
              "ts": ("INTERVAL 90 MINUTE", "INTERVAL 2 DAY")}  # fmt: skip


@dataclass(slots=True)
class WindowRows(Selects):
    """Draws rows with values that depend on the other rows of their unit."""

    def _beside(self, table: TableView) -> tuple[str, Scope]:
        """Rows with windows, all of them or only the first ones.

        An order that does not name every column leaves equal rows that may differ: exact queries take no value of one.
        """
        assert table.unit is not None
        self._tag("window")
        e = self._expressions(scope_of(table))
        whole = ", ".join(c.sql for c in table.columns)
        some = (
            f"{e.of(self.draw.choice(('int', 'text')), 1)}{self.draw.choice(('', ' DESC', ' NULLS FIRST'))}"
        )
        total = f"{some}, {whole}" if whole and (self.exact or self._chance(0.5)) else some
        unit = table.unit.sql
        by = f"PARTITION BY {unit}" + (f", {e.of('text', 1)}" if self._chance(0.2) else "")
        choices = [*self._places(by, total, some, unit), *self._values(e, table, by, total, some)]
        choices += self._ranges(e, table, by)
        picked = self.draw.sample(choices, self.draw.choice((1, 1, 2)))
        refs = [Ref(self._fresh("x"), kind) for _, kind in picked]
        items = [f"{sql} AS {r.sql}" for (sql, _), r in zip(picked, refs, strict=True)]
        where = f" WHERE {e.condition(1)}" if self._chance(0.3) else ""
        columns = tuple(Ref(c.sql, c.kind, c) for c in table.columns)
        key = Ref(unit, "unit", table.unit)
        kept, first = "", ""
        if self._chance(0.2):
            self._tag("distinct on")
            first, kept = f"DISTINCT ON ({unit}) ", f" ORDER BY {unit}, {total}"
        elif self._chance(0.5):
            self._tag("first rows of a unit")
            number = f"row_number() OVER (PARTITION BY {unit} ORDER BY {total})"
            kept = f" QUALIFY {number} {self.draw.choice(('= 1', '<= 2', '< 3', 'BETWEEN 2 AND 3', 'IN (1, 3)'))}"
        return f"(SELECT {first}*, {', '.join(items)} FROM {table.sql}{where}{kept})", (key, *columns, *refs)

    def _places(self, by: str, total: str, some: str, unit: str) -> list[tuple[str, str]]:
        """Numbers, ranks and shares."""
        share = self.draw.choice(("percent_rank", "cume_dist"))
        return [
            (f"row_number() OVER ({by} ORDER BY {total})", "int"),
            (f"row_number() OVER (PARTITION BY {unit} ORDER BY {total})", "int"),
            (f"{self.draw.choice(('rank', 'dense_rank'))}() OVER ({by} ORDER BY {some})", "int"),
            (f"ntile({self.draw.choice((1, 2, 3))}) OVER ({by} ORDER BY {total})", "int"),
            (f"{share}() OVER ({by} ORDER BY {some})", "float"),
        ]

    def _values(
        self, e: Expressions, table: TableView, by: str, total: str, some: str
    ) -> list[tuple[str, str]]:
        """Values of other rows, and aggregates over them."""
        moved, kind = self.draw.choice([(c.sql, c.kind) for c in table.columns] or [("1", "int")])
        framed = self.draw.choice(("", f" ROWS BETWEEN {self.draw.choice(_ENDS)}"))
        ends = self.draw.choice(_ENDS)
        default = f", 1, {self.draw.choice((moved, 'NULL'))}" if self._chance(0.3) else ""
        skips = " IGNORE NULLS" if self._chance(0.3) else ""
        away, end = self.draw.choice(("lag", "lead")), self.draw.choice(("first_value", "last_value"))
        return [
            (f"{away}({moved}{default}{skips}) OVER ({by} ORDER BY {total})", kind),
            (f"{end}({moved}{skips}) OVER ({by} ORDER BY {total}{framed})", kind),
            (
                f"nth_value({moved}, {self.draw.choice((1, 2))}{skips}) OVER ({by} ORDER BY {total}{framed})",
                kind,
            ),
            (f"LEAST(COUNT(*) OVER ({by} ORDER BY {some}), 9)", "int"),
            (f"COUNT({e.of('text', 1)}) OVER ({by} ORDER BY {total} ROWS BETWEEN {ends})", "int"),
            (f"MAX({e.of('text', 1)}) OVER ({by})", "text"),
            (f"MIN({self._number(e)}) OVER ({by} ORDER BY {total} ROWS UNBOUNDED PRECEDING)", "float"),
            (f"AVG({self._number(e)}) OVER ({by} ORDER BY {total} ROWS BETWEEN {ends})", "float"),
            (f"MAX({self._number(e)}) OVER ({by} ORDER BY {some} GROUPS BETWEEN {ends})", "float"),
            (
                f"MIN({self._number(e)}) OVER ({by} ORDER BY {total} ROWS BETWEEN {ends} EXCLUDE CURRENT ROW)",
                "float",
            ),
        ]

    def _ranges(self, e: Expressions, table: TableView, by: str) -> list[tuple[str, str]]:
        """Counts of the rows whose values of one column are near."""
        near = [c for c in table.columns if c.kind in _DISTANCES and c.interval is not None]
        if not near:
            return []
        column = self.draw.choice(near)
        far = self.draw.choice(_DISTANCES[column.kind])
        ends = self.draw.choice((f"{far} PRECEDING AND CURRENT ROW", f"{far} PRECEDING AND {far} FOLLOWING",
                                 f"UNBOUNDED PRECEDING AND {far} PRECEDING"))  # fmt: skip
        order = f"ORDER BY {column.sql}{self.draw.choice(('', ' DESC'))} RANGE BETWEEN {ends}"
        without = self.draw.choice(("", "", " EXCLUDE GROUP", " EXCLUDE TIES", " EXCLUDE CURRENT ROW"))
        return [
            (f"LEAST(COUNT(*) OVER ({by} {order}{without}), 7)", "int"),
            (f"MAX({self._number(e)}) OVER ({by} {order}{without})", "float"),
        ]
