"""What differs between the supported versions of sqlglot (28.10 up to 31), in one place.

Types are checked with sqlglot 30. What it has named or added since 28 has a stand-in here, found by looking
whether it is there and never by the number of the version.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, TypeVar

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ErrorLevel

if TYPE_CHECKING:
    from sqlglot.expressions import DType
    from sqlglot.parsers.duckdb import DuckDBParser
    from sqlglot.tokenizer_core import Token, TokenType

    Node = exp.Expr
else:
    from sqlglot.tokens import Token, TokenType

    # The base of all nodes and the kinds of types have names of their own since sqlglot 30.
    Node = getattr(exp, "Expr", exp.Expression)
    DType = getattr(exp, "DType", exp.DataType.Type)
    DuckDBParser = DuckDB.Parser

__all__ = ["DType", "Node", "Parser", "Token", "TokenType", "TooManyNodes", "tokenize"]

E = TypeVar("E", bound=Node)


def tokenize(sql: str) -> list[Token]:
    """The tokens of a text; raises sqlglot's TokenError."""
    tokens = DuckDB().tokenize(sql)
    for token, behind in pairwise(tokens):
        # FETCH FIRST 1 ROW ONLY: ROW makes a struct everywhere before sqlglot 30.20.
        if token.token_type is TokenType.STRUCT and behind.text.upper() in ("ONLY", "WITH"):
            token.token_type = TokenType.ROW if token.text.upper() == "ROW" else token.token_type
    return tokens


class TooManyNodes(Exception):
    """A parser has made more nodes than it may.

    No ParseError: sqlglot takes one for the end of an attempt and goes on with the next.
    """


class Parser(DuckDBParser):
    """sqlglot's parser of DuckDB's SQL; raises ParseError at the first error, TooManyNodes beyond `most`."""

    # TRUNC is no node in 28, and one that loses its second argument in 29: here it is read by its name alone.
    FUNCTIONS = DuckDBParser.FUNCTIONS | {"TODAY": exp.CurrentDate.from_arg_list}
    FUNCTIONS.pop("TRUNC", None)
    # DuckDB's % binds like *, and stands among the sums before sqlglot 30.
    TERM: ClassVar = {kind: node for kind, node in DuckDBParser.TERM.items() if kind is not TokenType.MOD}
    FACTOR = DuckDBParser.FACTOR | {TokenType.MOD: exp.Mod}

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

    def _parse_limit(
        self, this: Node | None = None, top: bool = False, skip_limit_token: bool = False
    ) -> Node | None:
        node = super()._parse_limit(this, top, skip_limit_token)
        if isinstance(node, exp.Fetch) and node.args.get("count") is None:
            # FETCH FIRST ROW ONLY is rendered as LIMIT without a number before sqlglot 30.20.
            node.set("count", exp.Literal.number(1).update_positions(self._prev))
        return node
