"""What differs between the supported versions of sqlglot (28.10 up to 31), in one place.

Types are checked with sqlglot 30. What it has named or added since 28 has a stand-in here, found by looking
whether it is there and never by the number of the version.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ErrorLevel
from sqlglot.parser import binary_range_parser

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

__all__ = [
    "UNITS",
    "DType",
    "Node",
    "Parser",
    "Search",
    "SearchAnyCase",
    "Token",
    "TokenType",
    "TooManyNodes",
    "require_extensible",
    "tokenize",
    "words_of",
]
# TRUNC is no node in sqlglot 28 and loses its second argument in 29, JARO_WINKLER_SIMILARITY is none in 28, and
# MOD becomes an operator without parentheses around it and its operands.
# TIME_BUCKET and EPOCH_MS become nodes of other functions, which are rendered otherwise.
# LOG2, LOG10, REGEXP_EXTRACT and REGEXP_REPLACE get arguments that are not written.
# The names for the list of a text's parts become one, under which DuckDB would name the column.
_BY_NAME_ALONE = frozenset(
    {"EPOCH_MS", "JARO_WINKLER_SIMILARITY", "LOG10", "LOG2", "MOD", "REGEXP_EXTRACT", "REGEXP_REPLACE", "TIME_BUCKET",
     "TRUNC", "SPLIT", "STR_SPLIT", "STRING_SPLIT", "STRING_TO_ARRAY"}
)  # fmt: skip

# Under which name the nodes' `meta` has where the words of a node are, and nodes that are written as they stand.
_WORDS = "words"
_PLAIN = (
    exp.Column,
    exp.Identifier,
    exp.Literal,
    exp.Null,
    exp.Boolean,
    exp.Star,
    exp.Placeholder,
    exp.Query,
)
_SETS = ("rollup", "cube", "grouping_sets")

_UNIT_NAMES: Final = (
    "MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR",
    "DECADE", "CENTURY", "MILLENNIUM",
)  # fmt: skip
UNITS: Final = frozenset({*_UNIT_NAMES, *(f"{n}S" for n in _UNIT_NAMES), "CENTURIES", "MILLENNIA"})
"""The words for a unit of INTERVAL, DATE_TRUNC and DATE_DIFF."""

E = TypeVar("E", bound=Node)


def _unit_first(name: str, build: Callable[[list[Node]], Node]) -> Callable[[list[Node]], Node]:
    """A function whose unit stands first, as a text; with others, elsewhere, or as a bare word, it is theirs."""

    def built(args: list[Node]) -> Node:
        spelled = bool(args) and _is_text(args[0]) and args[0].name.upper() in UNITS
        return build(args) if spelled else exp.Anonymous(this=name, expressions=args)

    return built


def _of_texts(args: list[Node]) -> Node:
    """CONTAINS(text, part); with a list it is of others."""
    is_listed = bool(args) and isinstance(args[0], exp.Array)
    own: Node = exp.Anonymous(this="CONTAINS", expressions=args) if is_listed else exp.func("CONTAINS", *args)
    return own


def _of_arguments(name: str, most: int) -> Callable[[list[Node]], Node]:
    """A function with so many arguments at most; with more it is of others."""

    def built(args: list[Node]) -> Node:
        own: Node = exp.func(name, *args) if len(args) <= most else exp.Anonymous(this=name, expressions=args)
        return own

    return built


def _truncated(args: list[Node]) -> exp.TimestampTrunc:
    """DATE_TRUNC(unit, x): sqlglot makes another node of it where x is a cast to DATE."""
    unit, this = (*args, None, None)[:2]
    return exp.TimestampTrunc(this=this, unit=unit)


def _formatted(args: list[Node]) -> exp.TimeToStr:
    """STRFTIME(x, format), or with the format first."""
    this, form = (*args, None, None)[:2]
    if this is not None and form is not None and _is_text(this) and not _is_text(form):
        this, form = form, this
    return exp.TimeToStr(this=this, format=DuckDB().format_time(form) if form is not None else None)


def _sized(written: exp.DataType) -> exp.DataType:
    """DECIMAL with its default size, which sqlglot reads from another text: its places are none in the query."""
    made = DuckDBParser.TYPE_CONVERTERS[DType.DECIMAL](written)
    if made is not written:
        for node in made.walk():
            node.meta.clear()
    return made


def _is_text(node: Node) -> bool:
    return isinstance(node, exp.Literal) and node.is_string


class _Tokenizer(DuckDB.Tokenizer):
    """Without dollar-quoted strings, which no text has that comes here: sqlglot takes `$1,$2` for the tag of one."""

    HEREDOC_STRINGS: ClassVar[list[str | tuple[str, str]]] = []


def tokenize(sql: str) -> list[Token]:
    """The tokens of a text without dollar-quoted strings; raises sqlglot's TokenError."""
    tokens = _Tokenizer(dialect=DuckDB()).tokenize(sql)
    if tokens and type(tokens[0]) is not Token:
        # sqlglotrs, an extra of sqlglot 28, makes tokens that keep their place for good.
        tokens = [Token(t.token_type, t.text, t.line, t.col, t.start, t.end) for t in tokens]
    for token, behind in pairwise(tokens):
        # FETCH FIRST 1 ROW ONLY: ROW makes a struct everywhere before sqlglot 30.20.
        if token.token_type is TokenType.STRUCT and behind.text.upper() in ("ONLY", "WITH"):
            token.token_type = TokenType.ROW if token.text.upper() == "ROW" else token.token_type
    return tokens


def _in_order(group: exp.Group) -> exp.Group:
    """ROLLUP, CUBE and GROUPING SETS among the other keys: sqlglot 28 and 29 keep them apart.

    Without keys of its own (WITH ROLLUP) one stays where it is.
    """
    apart = [(name, element) for name in _SETS for element in group.args.get(name) or ()]
    if not apart or not all(isinstance(f, Node) and f.expressions for _, f in apart):
        return group
    for name in _SETS:
        group.set(name, None)
    group.set("expressions", sorted([*group.expressions, *(f for _, f in apart)], key=_beginning))
    return group


def _beginning(node: Node) -> float:
    """Where the first name or literal in a node stands."""
    return min((n.meta["start"] for n in node.walk() if "start" in n.meta), default=math.inf)


OTHERS_TYPES: Final = MappingProxyType(
    {"FLOAT64": DType.DOUBLE, "DATETIME2": DType.TIMESTAMPNTZ, "TIMESTAMP_TZ": DType.TIMESTAMPTZ}
)
"""Types of other databases that sqlglot, as DuckDB, takes for a user's own."""


class Search(exp.SimilarTo):
    """x ~ 'pattern', which sqlglot's versions take for other calls."""


class SearchAnyCase(exp.SimilarTo):
    """x ~* 'pattern', in which letters are the same in every case."""


class TooManyNodes(Exception):
    """A parser has made more nodes than it may.

    No ParseError: sqlglot takes one for the end of an attempt and goes on with the next.
    """


def require_extensible(parser: type) -> None:
    """Raise ImportError for a parser of the compiled sqlglotc: Python cannot derive a class from it."""
    if not isinstance(parser.__init__, FunctionType):  # type: ignore[misc]
        raise ImportError(
            "dpsql extends sqlglot's parser, which sqlglotc 30 makes impossible: uninstall sqlglotc, then "
            "install sqlglot again"
        )


require_extensible(DuckDBParser)


def _in_front(parser: Parser) -> Node:
    node: Node = DuckDBParser.UNARY_PARSERS[TokenType.NOT](parser)
    node.meta["prefix"] = True
    return node


def _placed(token: Token | None, node: Node | None) -> Node | None:
    if node is not None and "start" not in node.meta:
        node.update_positions(token)
    return node


def _has_fraction(token: Token) -> bool:
    """Whether a token is a text with a unit and a point."""
    is_text = token.token_type is TokenType.STRING
    return is_text and "." in token.text and any(map(str.isalpha, token.text))


def words_of(node: Node) -> tuple[int, int] | None:
    """Where the words of an expression, a call or a type begin and end in the text, where that was kept."""
    place: tuple[int, int] | None = node.meta.get(_WORDS)
    return place


class Parser(DuckDBParser):
    """sqlglot's parser of DuckDB's SQL; raises ParseError at the first error, TooManyNodes beyond `most`.

    It keeps in the nodes' `meta` the places of calls, primaries and intervals, the written names of calls and types,
    where the words of expressions are, and which NOT stands in front.
    """

    FUNCTIONS: ClassVar = {
        **{name: build for name, build in DuckDBParser.FUNCTIONS.items() if name not in _BY_NAME_ALONE},
        "TODAY": exp.CurrentDate.from_arg_list,
        "LIST": exp.ArrayAgg.from_arg_list,  # another database's list of its arguments before sqlglot 30
        **{name: _unit_first(name, _truncated) for name in ("DATE_TRUNC", "DATETRUNC")},
        **{name: _unit_first(name, DuckDBParser.FUNCTIONS[name]) for name in ("DATE_DIFF", "DATEDIFF")},
        "STRFTIME": _formatted,
        "CURRENT_DATE": _of_arguments("CURRENT_DATE", 0),
        "DATE": _of_arguments("DATE", 1),
        "WEEK": _of_arguments("WEEK", 1),
        "LAST_DAY": _of_arguments("LAST_DAY", 1),
        "CONTAINS": _of_texts,
    }
    TYPE_CONVERTERS: ClassVar = {**DuckDBParser.TYPE_CONVERTERS, DType.DECIMAL: _sized}
    # DuckDB's % binds like *, and stands among the sums before sqlglot 30.
    TERM: ClassVar = {kind: node for kind, node in DuckDBParser.TERM.items() if kind is not TokenType.MOD}
    FACTOR = DuckDBParser.FACTOR | {TokenType.MOD: exp.Mod}
    UNARY_PARSERS = DuckDBParser.UNARY_PARSERS | {TokenType.NOT: _in_front}
    RANGE_PARSERS: ClassVar = {
        **DuckDBParser.RANGE_PARSERS,
        TokenType.TILDE: binary_range_parser(Search),
        TokenType.IRLIKE: binary_range_parser(SearchAnyCase),
    }

    def __init__(self, most: int) -> None:
        dialect = DuckDB()
        dialect.INDEX_OFFSET = 0  # a subscript stays as it is written, with its place
        super().__init__(ErrorLevel.IMMEDIATE, error_message_context=0, dialect=dialect)
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

    def _parse_function_call(
        self,
        functions: dict[str, Callable[..., Node]] | None = None,
        anonymous: bool = False,
        optional_parens: bool = True,
        any_token: bool = False,
    ) -> Node | None:
        token = self._curr
        result = super()._parse_function_call(functions, anonymous, optional_parens, any_token)
        call = self._with_words(token, result)
        while isinstance(call, (exp.Window, exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)):
            call = call.this
        if call is not None and "written" not in call.meta:
            call.update_positions(token)
            call.meta["written"] = token.text.upper()
        return result

    def _parse_expression(self) -> Node | None:
        return self._with_words(self._curr, super()._parse_expression())

    def _parse_disjunction(self) -> Node | None:
        return self._with_words(self._curr, super()._parse_disjunction())

    def _with_words(self, first: Token | None, node: Node | None) -> Node | None:
        """Keeps where the node that was read last begins and ends."""
        if node is not None and first is not None and not isinstance(node, _PLAIN):
            node.meta[_WORDS] = (first.start, self._prev.end + 1)
        return node

    def _parse_types(self, *options: bool, **named: bool) -> Node | None:
        token = self._curr
        result = self._with_words(token, super()._parse_types(*options, **named))
        if isinstance(result, exp.DataType) and token is not None:
            written = result.meta["type"] = token.text.upper()
            if result.this is DType.USERDEFINED and written in OTHERS_TYPES:
                result.set("this", OTHERS_TYPES[written])
                result.set("kind", None)
        return result

    def _parse_primary(self) -> Node | None:
        return _placed(self._curr, super()._parse_primary())

    def _parse_atom(self) -> Node | None:
        token = self._curr
        node = super()._parse_atom()
        return _placed(token, node) if isinstance(node, (exp.Null, exp.Boolean)) else node

    def _parse_interval(self, *options: bool, **named: bool) -> exp.Add | exp.Interval | None:
        token, written = self._curr, self._next
        result = super()._parse_interval(*options, **named)
        if isinstance(result, exp.Interval) and written is not None and _has_fraction(written):
            # Behind the text a unit takes whole numbers alone: INTERVAL '1.5' DAY is a day.
            result = exp.Interval(this=exp.Literal.string(written.text))
        _placed(token, self._with_words(token, result))
        return result

    def _parse_group(self, skip_group_by_token: bool = False) -> exp.Group | None:
        group = super()._parse_group(skip_group_by_token)
        return _in_order(group) if group is not None else None

    def _parse_limit(
        self, this: Node | None = None, top: bool = False, skip_limit_token: bool = False
    ) -> Node | None:
        node = super()._parse_limit(this, top, skip_limit_token)
        if isinstance(node, exp.Fetch) and node.args.get("count") is None:
            # FETCH FIRST ROW ONLY is rendered as LIMIT without a number before sqlglot 30.20.
            node.set("count", exp.Literal.number(1).update_positions(self._prev))
        return node
