"""How expressions are written for people."""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from dpsql.sql.ast.column_names import UNCHANGED, shown
from dpsql.sql.ast.traversal import kinds_of

SQL = (
    "SELECT COUNT(*) FILTER (WHERE (a = 1 AND \"B\" <> 'x') OR a < 2), AVG(a), MIN(a), "
    "SUM(CASE WHEN t.a >= 1 THEN a + 1 - 2 * 3 ELSE NULL END), "
    "MAX(CASE WHEN a > 1 AND TRUE THEN 1 WHEN a <= 2 THEN 3 END)"
)


def test_rendering_leaves_alone_what_it_gets_no_copy_of() -> None:
    items = sqlglot.parse_one(SQL, dialect="duckdb").expressions
    met: set[type[exp.Expression]] = set()
    for item in items:
        before, expected = repr(item), item.sql(dialect="duckdb", comments=False)
        assert kinds_of(item) <= UNCHANGED
        assert (shown(item), repr(item)) == (expected, before)
        met |= kinds_of(item)
    assert met == UNCHANGED
