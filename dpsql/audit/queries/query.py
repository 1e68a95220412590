"""What a generated query is, and how one is put together: names of WITH, parameters, and the same text for DuckDB."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dpsql.algebra.expressions import LiteralValue
from dpsql.audit.queries.expressions import END_MARK, MARK
from dpsql.audit.queries.released_sources import FedRows
from dpsql.audit.queries.two_dialects import to_dpsql, to_duckdb

Params = tuple[LiteralValue, ...] | dict[str, LiteralValue] | None
_SELECT = "SELECT "
_CLAUSE = "WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) "
_PARAMETER = re.compile(f"{MARK}(p[0-9]+){END_MARK}")


@dataclass(frozen=True, slots=True)
class Query:
    """A query for dpsql, and `plain`, the same for DuckDB alone with SUM and COUNT_IF over nothing as 0.

    `ordered`: the rows have one order. `columns` says of each output whether it is a "key", a "count", a "sum", a
    "bool" or a "null" measure (NULL over no rows), if groups without rows may be in the answer; None if they may not.
    `score` is a query of keys and scores where the query asks for the `most` best groups, maybe with their scores;
    `descending` is its direction. `described` is what DuckDB describes where it cannot read the query itself.
    """

    sql: str
    plain: str
    params: Params = None
    ordered: bool = False
    columns: tuple[str, ...] | None = None
    score: str | None = None
    descending: bool = True
    most: int = 1
    tags: frozenset[str] = frozenset()
    described: str | None = None


@dataclass(slots=True)
class Asking(FedRows):
    """Makes whole queries of what is drawn."""

    def _done(
        self,
        sql: str,
        *,
        ordered: bool = False,
        columns: tuple[str, ...] | None = None,
        score: str | None = None,
        descending: bool = True,
        most: int = 1,
    ) -> Query:
        ctes = f"WITH {', '.join(self.ctes)} " if self.ctes else ""
        full, params = self._bound(ctes + sql)
        mine, described = to_dpsql(full), to_duckdb(full) if "foreign" in self.tags else None
        if sql.startswith(_SELECT) and not self.binding and self._chance(0.05):
            self._tag("differential privacy clause")
            described = described or mine
            mine = to_dpsql(ctes + sql.replace(_SELECT, _SELECT + _CLAUSE, 1))
        compared = to_duckdb(ctes + score) if score is not None else None
        return Query(mine, compared or to_duckdb(full), params, ordered, columns, compared, descending,
                     most, frozenset(self.tags), described)  # fmt: skip

    def _bound(self, sql: str) -> tuple[str, Params]:
        """The text with its parameters as `?` or `$name`, and their values."""
        used = _PARAMETER.findall(sql)
        if not used:
            return sql, None
        if self._chance(0.5):
            self._tag("? parameters")
            return _PARAMETER.sub("?", sql), tuple(self.params[n] for n in used)
        self._tag("$ parameters")
        return _PARAMETER.sub(lambda m: "$" + m[1], sql), {n: self.params[n] for n in used}
