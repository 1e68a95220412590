"""What differs between the supported versions of sqlglot (28.10 up to 31), in one place.

Types are checked with sqlglot 30. What it has named or added since 28 has a stand-in here, found by looking
whether it is there and never by the number of the version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ErrorLevel

if TYPE_CHECKING:
    from sqlglot.expressions import DType, Trunc
    from sqlglot.parsers.duckdb import DuckDBParser
    from sqlglot.tokenizer_core import Token, TokenType

    Node = exp.Expr
else:
    from sqlglot.tokens import Token, TokenType

    # The base of all nodes and the kinds of types have names of their own since sqlglot 30.
    Node = getattr(exp, "Expr", exp.Expression)
    DType = getattr(exp, "DType", exp.DataType.Type)
    DuckDBParser = DuckDB.Parser
    if hasattr(exp, "Trunc"):
        Trunc = exp.Trunc
    else:

        class Trunc(exp.Func):
            """TRUNC(x, decimals), a node of its own since sqlglot 29."""

            arg_types = {"this": True, "decimals": False}  # noqa: RUF012  (as sqlglot declares its own)
            _sql_names = ["TRUNC"]  # noqa: RUF012


__all__ = ["DType", "Node", "Parser", "Token", "TokenType", "TooManyNodes", "Trunc", "tokenize"]

E = TypeVar("E", bound=Node)


def tokenize(sql: str) -> list[Token]:
    """The tokens of a text; raises sqlglot's TokenError."""
    return DuckDB().tokenize(sql)


class TooManyNodes(Exception):
    """A parser has made more nodes than it may.

    No ParseError: sqlglot takes one for the end of an attempt and goes on with the next.
    """


class Parser(DuckDBParser):
    """sqlglot's parser of DuckDB's SQL; raises ParseError at the first error, TooManyNodes beyond `most`."""

    FUNCTIONS = DuckDBParser.FUNCTIONS | {"TRUNC": Trunc.from_arg_list}

    def __init__(self, most: int) -> None:
        super().__init__(ErrorLevel.IMMEDIATE, error_message_context=0, dialect=DuckDB())
        self._left = most
        # Every new node is validated; sqlglot counts by itself only since 30. In sqlglot 29 this is no
        # method but set on each parser, so that a method of a subclass would never be called.
        self._validate = self.validate_expression
        self.validate_expression = self._counted  # type: ignore[method-assign]

    def _counted(self, expression: E, args: list[Node] | None = None) -> E:
        self._left -= 1
        if self._left < 0:
            raise TooManyNodes
        return self._validate(expression, args)
