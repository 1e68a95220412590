"""A grammar of local queries: responses of every row, and estimates from them."""

from __future__ import annotations

from dataclasses import dataclass

from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.local import MOST_BITS, MOST_VALUES
from dpsql.audit.queries.expressions import Expressions, constant
from dpsql.audit.queries.public_sources import PublicRows
from dpsql.audit.queries.schema_view import ColumnView, TableView
from dpsql.audit.queries.selects import scope_of

# NULL counts as a value too.
_MOST_BITS_LISTED = MOST_BITS - 1


@dataclass(slots=True)
class Responses(PublicRows):
    """Draws SELECTs of responses from the table of the unit, where the policy allows them."""

    def _responding(self) -> tuple[str, str] | None:
        """A SELECT of responses or estimates, and the same over the true values; the latter is empty for estimates.

        None where no table of the policy may be released row by row.
        """
        table = self.view.local
        if table is None:
            return None
        e = self._expressions(scope_of(table))
        self.binding = False  # what is written twice is compared
        e.binding = False
        if not self.exact and self._chance(0.4):
            return self._estimates(table, e), ""
        calls = [self._response(table, e) for _ in range(self.draw.choice((1, 1, 2, 3)))]
        names = [self._name(f"k{i}") for i in range(len(calls))]
        noisy = ", ".join(f"{call} AS {n}" for (call, _), n in zip(calls, names, strict=True))
        true = ", ".join(f"{value} AS {n}" for (_, value), n in zip(calls, names, strict=True))
        one, other = f"SELECT {noisy} FROM {table.sql}", f"SELECT {true} FROM {table.sql}"
        if self._chance(0.3):
            self._tag("counted responses")
            counts = f"SELECT {names[0]}, COUNT(*) AS {self._name('n')} FROM ({{}}) AS {self._fresh('v')} GROUP BY 1"
            return counts.format(one), counts.format(other)
        return one, other

    def _response(self, table: TableView, e: Expressions) -> tuple[str, str]:
        value, values = self._listed(table, e)
        rappor = not self.exact and 0 < values <= _MOST_BITS_LISTED and self._chance(0.4)
        self._tag("rappor" if rappor else "randomized response")
        return f"{'RAPPOR' if rappor else 'RANDOMIZED_RESPONSE'}({value})", value

    def _listed(self, table: TableView, e: Expressions) -> tuple[str, int]:
        """An expression with a public list of values, and at most how many these are; a condition mostly."""
        columns = [c for c in table.columns if self._few(c)]
        if not columns or self._chance(0.4):
            return e.condition(1), 3
        column = self.draw.choice(columns)
        return column.sql, self._few(column)

    def _few(self, column: ColumnView) -> int:
        """How many values a column can have, 0 where they are too many or not listed."""
        if column.kind == "bool":
            return 3
        if column.values:
            return len(column.values) + 1
        if column.kind != "int" or column.interval is None or column.interval.width >= MOST_VALUES:
            return 0
        return int(column.interval.width) + 2

    def _estimates(self, table: TableView, e: Expressions) -> str:
        """Estimates from all rows."""
        self._tag("estimates of responses")
        items = [self._estimate(table, e) for _ in range(self.draw.choice((1, 2)))]
        named = ", ".join(f"{item} AS {self._name(f'm{i}')}" for i, item in enumerate(items))
        return f"SELECT {named} FROM {table.sql}"

    def _estimate(self, table: TableView, e: Expressions) -> str:
        columns = [c for c in table.columns if c.values]
        if not columns or self._chance(0.3):
            return f"RR_COUNT({e.condition(1)}, TRUE)"
        column = self.draw.choice(columns)
        values: tuple[LiteralValue, ...] = column.values
        call = "RAPPOR_COUNT" if len(values) <= _MOST_BITS_LISTED and self._chance(0.5) else "RR_COUNT"
        return f"{call}({column.sql}, {constant(self.draw.choice(values))})"
