"""What a generated query is."""

from __future__ import annotations

import re

from dpsql.algebra.expressions import LiteralValue
from dpsql.slotted import dataclass

Params = tuple[LiteralValue, ...] | dict[str, LiteralValue] | None
# A parameter in a text that is being made: no name of a policy holds a control character.
MARK, END_MARK = "\x03", "\x04"
PARAMETER = re.compile(f"{MARK}(p[0-9]+){END_MARK}")


@dataclass(frozen=True, slots=True)
class Query:
    """A query for dpsql, and `plain`, the same for DuckDB alone with SUM and COUNT_IF over nothing as 0.

    `ordered`: the rows have one order. `columns` says of each output whether it is a "key", a "count", a "sum", a
    "bool" or a "null" measure (NULL over no rows), if groups without rows may be in the answer; None if they may not.
    `score` is a query of keys and scores where the query asks for the `most` best groups, maybe with their scores;
    `descending` is its direction. `described` is what DuckDB describes where it cannot read the query itself. `tags`
    are the query's constructs, and `productions` everything that it was made of.
    """

    sql: str = ""
    plain: str = ""
    params: Params = None
    ordered: bool = False
    columns: tuple[str, ...] | None = None
    score: str | None = None
    descending: bool = True
    most: int = 1
    tags: frozenset[str] = frozenset()
    described: str | None = None
    productions: frozenset[str] = frozenset()
