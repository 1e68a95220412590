"""Refusals at the end of a dispatch that no text is known to reach: what calls them by themselves.

What stands before them refuses every text that would come to them, or sqlglot and DuckDB are known to read
alike what they compare. They stand there for the day on which one of those changes, and are called here with what
would arrive then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime

import sqlglot
from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Literal
from dpsql.algebra.functions import apply, coerce
from dpsql.algebra.types import SqlType
from dpsql.plan.types import Plan
from dpsql.release.prepared_query import PreparedQuery
from dpsql.sql.lex.text import Lines
from dpsql.sql.lex.tokens import Tokens, _settle, read_tokens, tokenize
from dpsql.sql.parse.gate import _parse, gate
from dpsql.sql.public.cut_query import Query
from dpsql.sql.public.planner_hints import Advice
from dpsql.sql.split.cut import cut
from dpsql.sql.validate.precedence import check_precedence
from dpsql.sql.validate.round_trip import check_reading
from dpsql.stages.finish import columns_of

TRUE = Literal(True, SqlType.BOOLEAN)


class TwoStatements:
    """A parser that finds a second SELECT statement in every text."""

    def select_statements(self, _text: str) -> int:
        return 2


def cut_ungated(sql: str) -> Callable[[Catalog], object]:
    """Cuts a text as sqlglot alone reads it."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    for node in tree.walk():
        node.meta.clear()  # versions of sqlglot differ in where a name stands

    def unasked(*_: object) -> bool:
        raise AssertionError

    advice = Advice(unasked, unasked, unasked, unasked)  # type: ignore[arg-type]
    return lambda catalog: cut(tree.copy(), catalog, {}, datetime(2025, 1, 1), unasked, advice)  # type: ignore[arg-type]


def at(node: exp.Expression, start: int) -> exp.Expression:
    """A node with the place of the first line that an offset is."""
    node.meta.update(line=1, col=start + 1, start=start, end=start)
    return node


def read(sql: str, *nodes: exp.Expression) -> object:
    return check_reading(nodes, read_tokens(sql, sql))


def settled(sql: str, text: str) -> object:
    """The last token of a text, if it had another text."""
    token = tokenize(sql)[-1]
    token.text = text
    return _settle(token, sql, Lines.of(sql))


BEHIND: Mapping[str, Callable[[Catalog], object]] = {
    "COUNT takes one column. COUNT(DISTINCT (a, b)) counts different pairs.": cut_ungated(
        "SELECT COUNT(quantity, amount) FROM orders"
    ),
    "COUNT of the rows of one unit takes one column. COUNT(DISTINCT (a, b)) counts different pairs.": cut_ungated(
        "SELECT AVG(n) FROM (SELECT customer, COUNT(quantity, amount) AS n FROM orders GROUP BY customer) AS v"
    ),
    "a table function cannot be read. Name a table.": cut_ungated("SELECT * FROM read_csv('orders.csv')"),
    "an outer join needs a condition. Add ON.": cut_ungated("SELECT COUNT(*) FROM orders LEFT JOIN regions"),
    "a CASE needs pairs of a condition and a value, and one value for ELSE": lambda _: apply(
        "case", (TRUE,) * 4
    ),
    "a moment with a time zone cannot be a column of the answer. CAST it to TIMESTAMP or to text.": lambda _: (
        columns_of((), ("TIMESTAMP WITH TIME ZONE",), PreparedQuery(Query((), "", None), Plan((), "")))
    ),
    "a cast names the type it converts to; write CAST(x AS type)": lambda _: apply("cast", (TRUE,)),
    "NaN and infinity are not numbers here; use NULL": lambda _: coerce(
        Literal(math.inf, SqlType.DOUBLE), SqlType.DOUBLE
    ),
    "the text cannot be read as one statement. Write one SELECT statement.": lambda _: _parse(
        "", Tokens((), (), 0, (), ())
    ),
    "the text is not exactly one statement. Send one statement at a time.": lambda _: gate(
        "SELECT 1", TwoStatements()
    ),
    "line 1, column 8: a part of the query would be read twice": lambda _: read(
        "SELECT a", at(exp.to_identifier("a"), 7), at(exp.to_identifier("a"), 7)
    ),
    "a placeholder cannot be read the way it is written. Write ? or $name.": lambda _: read(
        "SELECT ?", exp.Placeholder(this="1")
    ),
    "line 1, column 8: operators stand here in an order that can be read in two ways. "
    "Put parentheses around what belongs together.": lambda _: check_precedence(
        [
            exp.Mul(
                this=exp.Add(this=at(exp.to_identifier("a"), 7), expression=exp.null()), expression=exp.null()
            )
        ]
    ),
    "line 1, column 8: this literal can be read in more than one way. Write it without escapes.": lambda _: (
        settled("SELECT 'a\\n'", "a\n")
    ),
}
