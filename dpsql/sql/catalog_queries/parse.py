"""Parses catalog queries in PostgreSQL's dialect, with its operators, arrays and types.

The text itself is never run: what is parsed is rewritten to nodes that are allowed.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, ClassVar, Final

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ErrorLevel, TokenError

from dpsql.slotted import dataclass
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.catalog_queries.calls import KNOWN
from dpsql.sql.dialect import Node, Token, TokenType, TooManyNodes
from dpsql.sql.lex.text import Lines
from dpsql.sql.lex.tokens import MAX_NESTING, MAX_TOKENS, like, parted, word_of
from dpsql.sql.parse.gate import quiet

if TYPE_CHECKING:
    from sqlglot.parsers.postgres import PostgresParser
else:
    PostgresParser = Postgres.Parser

_NODES_PER_TOKEN: Final = 6
_COLLATIONS: Final = frozenset({"default", "c", "posix", "ucs_basic"})
_OPENING: Final = frozenset({"(", "[", "CASE"})
_CLOSING: Final = frozenset({")", "]", "END"})
_LISTS: Final = frozenset({"regtype", "regclass", "regproc", "oid"})


class Unreadable(Exception):
    """The text is no query in PostgreSQL's dialect, or too long. The ordinary parser says what is wrong."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A statement: its tree and its placeholders, as in `sql.parse.gate.Admitted`."""

    tree: exp.Query
    positional: int
    named: tuple[str, ...]


class _Tokenizer(Postgres.Tokenizer):
    """Without dollar-quoted strings, which no text has that comes here: sqlglot takes `$1,$2` for the tag of one."""

    HEREDOC_STRINGS: ClassVar[list[str | tuple[str, str]]] = []
    SINGLE_TOKENS: ClassVar = {**Postgres.Tokenizer.SINGLE_TOKENS, "$": TokenType.PARAMETER}


class _Parser(PostgresParser):
    """sqlglot's PostgreSQL parser, which leaves the calls of KNOWN functions anonymous."""

    FUNCTIONS: ClassVar = {
        name: f for name, f in PostgresParser.FUNCTIONS.items() if name.lower() not in KNOWN
    }

    FUNCTION_PARSERS: ClassVar = {
        name: f for name, f in PostgresParser.FUNCTION_PARSERS.items() if name.lower() not in KNOWN
    }

    def __init__(self, most: int) -> None:
        # Both dialects count from 1: a subscript stays as it is, whatever is bound to it later.
        dialect = Postgres()
        dialect.INDEX_OFFSET = 0
        super().__init__(ErrorLevel.IMMEDIATE, error_message_context=0, dialect=dialect)
        self._left = most
        self._validate = self.validate_expression
        self.validate_expression = self._counted  # type: ignore[method-assign, assignment]

    def _counted(self, expression: Node, args: list[Node] | None = None) -> Node:
        self._left -= 1
        if self._left < 0:
            raise TooManyNodes
        return self._validate(expression, args)


def parse_catalog_query(sql: str) -> Parsed:
    """The tree of one statement. Raises Unreadable where it cannot be read as one query."""
    tokens = _tokens(sql)
    items, positional, named = _numbered(_without_schemas(tokens))
    parser = _Parser(_NODES_PER_TOKEN * len(items) + 500)
    try:
        with quiet():
            trees = parser.parse(items, sql)
    except Exception:
        # Some malformed texts end in an error inside sqlglot.
        raise Unreadable from None
    tree = trees[0] if len(trees) == 1 else None
    while isinstance(tree, exp.Subquery):
        tree = tree.this
    if not isinstance(tree, exp.Select | exp.SetOperation):
        raise Unreadable
    tree.pop()
    for node in all_of(tree, exp.Parameter):
        node.replace(exp.Placeholder(this=node.name))
    for subscript in all_of(tree, exp.Bracket):
        subscript.set("offset", 1)  # and is written as it stands
    names = {*named, *map(str, range(1, positional + 1))}
    if any(node.name not in names for node in all_of(tree, exp.Placeholder)):  # such as :name
        raise Unreadable
    return Parsed(tree, positional, named)


def _tokens(sql: str) -> list[Token]:
    """The tokens of one statement, with line and column."""
    try:
        tokens = _Tokenizer(dialect=Postgres()).tokenize(sql)
    except TokenError:
        raise Unreadable from None
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    if len(tokens) > MAX_TOKENS or any(t.token_type is TokenType.SEMICOLON for t in tokens):
        raise Unreadable
    lines, depth = Lines.of(sql), 0
    for token in tokens:
        line = bisect_right(lines.starts, token.start)
        token.line, token.col, token.comments = line, token.start - lines.starts[line - 1] + 1, []
        word = word_of(token)
        depth += (word in _OPENING) - (word in _CLOSING)
        if depth > MAX_NESTING:
            raise Unreadable
    return tokens


def _without_schemas(tokens: list[Token]) -> list[Token]:
    """The tokens without `pg_catalog.`, `OPERATOR(...)` and collations that change nothing."""
    tokens = _without_qualifier(_with_names([part for token in tokens for part in parted(token)]))
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        words = [word_of(t) for t in tokens[at : at + 4]]
        if words[:2] == ["OPERATOR", "("] and len(words) == 4 and words[3] == ")":
            kept.append(tokens[at + 2])
            at += 4
        elif words[0] == "COLLATE" and at + 1 < len(tokens) and tokens[at + 1].text.lower() in _COLLATIONS:
            at += 2
        elif _is_list_of_names(tokens, at):
            kept.append(like(tokens[at], TokenType.VAR, f"{tokens[at].text.lower()}_list"))
            at += 3
        else:
            kept.append(tokens[at])
            at += 1
    return kept


def _with_names(tokens: list[Token]) -> list[Token]:
    """The tokens with every word after AS as a name: PostgreSQL allows `AS select`."""
    named = list(tokens)
    for at in range(1, len(tokens) - 1):
        behind = tokens[at + 1].token_type in (TokenType.COMMA, TokenType.FROM)
        is_word = tokens[at].token_type is not TokenType.IDENTIFIER and tokens[at].text.isalpha()
        if tokens[at - 1].token_type is TokenType.ALIAS and behind and is_word:
            named[at] = like(tokens[at], TokenType.VAR, tokens[at].text)
    return named


def _is_list_of_names(tokens: list[Token], at: int) -> bool:
    """Whether `::regtype[]` or `AS oid[]` stands here, types that sqlglot cannot parse."""
    before = tokens[at - 1].token_type if at > 0 else None
    is_type = tokens[at].text.lower() in _LISTS and before in (TokenType.DCOLON, TokenType.ALIAS)
    return is_type and [word_of(t) for t in tokens[at + 1 : at + 3]] == ["[", "]"]


def _without_qualifier(tokens: list[Token]) -> list[Token]:
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        if at + 2 < len(tokens) and tokens[at + 1].token_type is TokenType.DOT and _is_silent(tokens, at):
            at += 2
            continue
        kept.append(tokens[at])
        at += 1
    return kept


def _is_silent(tokens: list[Token], at: int) -> bool:
    """Whether this is a redundant schema: pg_catalog, or information_schema before a type or function."""
    if at and tokens[at - 1].token_type is TokenType.DOT:
        return False
    name = tokens[at].text.lower()
    of_type = at > 0 and tokens[at - 1].token_type is TokenType.DCOLON
    of_function = tokens[at + 2].text.lower().startswith("_pg_")
    return name == "pg_catalog" or (name == "information_schema" and (of_type or of_function))


def _numbered(tokens: list[Token]) -> tuple[list[Token], int, tuple[str, ...]]:
    """The tokens with every `?` as $1, $2, ..., how many there are, and the names of $name."""
    numbered: list[Token] = []
    positional = 0
    named: dict[str, None] = {}
    for at, token in enumerate(tokens):
        if token.token_type is TokenType.PLACEHOLDER:
            positional += 1
            numbered.append(like(token, TokenType.PARAMETER, "$"))
            numbered.append(like(token, TokenType.NUMBER, str(positional)))
            continue
        numbered.append(token)
        if token.token_type is TokenType.PARAMETER and at + 1 < len(tokens):
            named[tokens[at + 1].text] = None
    if positional and named:
        raise Unreadable
    return numbered, positional, tuple(named)
