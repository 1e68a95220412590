"""The operators of regular expressions: x ~ 'p' and x !~ 'p' search a text, x SIMILAR TO 'p' is about all of it.

They are calls of REGEXP_MATCHES and REGEXP_FULL_MATCH in DuckDB. PostgreSQL reads `~` alike, but takes % and _ of
SIMILAR TO for any letters, which stand for themselves in DuckDB: a pattern with one of them is refused.
"""

from __future__ import annotations

from sqlglot import exp

from dpsql.sql.ast.builders import named
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node, Search

OPERATORS: tuple[type[exp.Binary], ...] = (Search, exp.SimilarTo)
"""The nodes that the gate's parser makes of the operators."""


def complaint_of_match(node: Node) -> str | None:
    """What is wrong with the pattern of such an operator, or None."""
    pattern = node.expression
    if isinstance(node, Search):
        known = isinstance(pattern, exp.Literal | exp.Placeholder)
        return None if known else "~ takes a constant pattern; put it in quotes"
    if not isinstance(pattern, exp.Literal):
        return "SIMILAR TO takes a constant pattern; put it in quotes"
    if any(c in pattern.name for c in "%_"):
        return (
            "% and _ stand for themselves in DuckDB's SIMILAR TO; write LIKE, or REGEXP_FULL_MATCH(x, 'pattern') with "
            ".* for any letters and . for one"
        )
    return None


def without_matches(tree: Node) -> None:
    """Changes the operators into the calls that they are."""
    for node in reversed(all_of(tree, *OPERATORS)):
        pair = {"this": node.this, "expression": node.expression}
        if isinstance(node, Search):
            node.replace(named(exp.RegexpLike(**pair), "REGEXP_MATCHES"))
        else:
            node.replace(named(exp.RegexpFullMatch(**pair), "REGEXP_FULL_MATCH"))
