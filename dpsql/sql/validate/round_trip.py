"""That the tree holds what the text says: every literal and name once, every call with all of its arguments.

sqlglot drops arguments of some functions, invents others and renames units without a word. The tree is
therefore compared with the tokens it was made from: each literal and quoted name must be at exactly one
place in the tree, the tree may hold no other, and each call must have become the node of its name with as
many arguments.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.errors import Place, QueryRefused, Refusal
from dpsql.sql.ast.descriptions import reason_against
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.dialect import OTHERS_TYPES, UNITS, Node, Token, TokenType
from dpsql.sql.lex.tokens import Call, Tokens, refuse_at
from dpsql.sql.normalize.foreign.date_parts import PARTS as FOREIGN_PARTS
from dpsql.sql.normalize.foreign.dialect_dates import READ_BY_ARGUMENTS
from dpsql.sql.validate.allow import PARTS
from dpsql.sql.validate.function_names import BARE, BY_NAME, FUNCTIONS, NodeType

_LEAVES: Final = (exp.Identifier, exp.Literal, exp.Star)
_CHECKED: Final = frozenset({TokenType.STRING, TokenType.NUMBER, TokenType.IDENTIFIER, TokenType.VAR})
# Functions of which sqlglot makes one argument anew: which, and where it stands among those written.
_REBUILT: Final = MappingProxyType[NodeType, tuple[str, int]](
    {exp.TimestampTrunc: ("unit", 0), exp.DateDiff: ("unit", 0), exp.TimeToStr: ("format", 1)}
)
_SIZED_TYPES: Final = frozenset({"DECIMAL", "NUMERIC", "DEC", "VARCHAR", "CHAR", "BPCHAR", "TEXT", "STRING"})
# What sqlglot, as DuckDB, makes of a unit of one or two letters behind a number, as in INTERVAL '24h'.
_LONG_UNITS: Final = MappingProxyType(
    {
        "Y": "YEAR", "W": "WEEK", "D": "DAY", "H": "HOUR", "M": "MINUTE", "S": "SECOND", "MS": "MILLISECOND",
        "US": "MICROSECOND",
    }
)  # fmt: skip
_SHORT_UNIT: Final = re.compile(r"(?P<amount>[+-]?[0-9]+)(?P<unit>Y|W|D|H|M|S|MS|US)")
# Words that belong to the grammar and leave no name in the tree.
_GRAMMAR: Final = frozenset(
    {
        "BOTH", "LEADING", "TRAILING", "MATERIALIZED", "NULLS", "LAST", "IGNORE", "UNBOUNDED",
        "PRECEDING", "FOLLOWING", "CURRENT", "GROUPS", "EXCLUDE", "INCLUDE", "TIES", "OTHERS", "NO", "UNKNOWN",
        "PRECISION", "WITHOUT", "ZONE", "DEC", "LONG", "SHORT", "SIGNED", "FLOAT4", "FLOAT8", "INT1", "INT2",
        "INT4", "INT8", "INT16", "INT32", "INT64", "REAL", "WITHIN", "GROUP", "AT",
        *OTHERS_TYPES,
    }
)  # fmt: skip
_HOLDS: Final = MappingProxyType[NodeType, tuple[str, ...]](
    {exp.Count: ("this",), exp.Trim: ("this", "expression")}
)
# Calls and keywords that become nodes of the syntax; others with such a node are names that only sqlglot knows.
_SYNTAX: Final = MappingProxyType[str, NodeType](
    {
        "CAST": exp.Cast, "TRY_CAST": exp.TryCast, "CASE": exp.Case, "IF": exp.If, "EXISTS": exp.Exists,
        "ANY": exp.Any, "SOME": exp.Any, "ALL": exp.All, "GENERATE_SERIES": exp.GenerateSeries,
        "RANGE": exp.GenerateSeries, "UNNEST": exp.Explode,
    }
)  # fmt: skip


def check_reading(nodes: Iterable[Node], tokens: Tokens) -> None:
    """Refuse a tree of these nodes that does not hold exactly what its tokens say.

    Raises QueryRefused at the first literal, name or call that the tree holds differently.
    """
    seen = _Seen(tokens.calls)
    for node in nodes:
        seen.take(node)
    for at, token in enumerate(tokens.items):
        if token.token_type in _CHECKED and not seen.holds(token) and not _is_grammar(tokens.items, at):
            raise refuse_at(token, f"{_shown(token)} cannot be understood here")
    for call in tokens.calls:
        if not call.name.isascii():  # which is another one in capitals, or for DuckDB
            raise refuse_at(call.word, "the name of a function has plain letters only")
        if call.name.upper() == "IF" and call.arguments != 3:
            raise refuse_at(
                call.word, "IF takes three arguments", "Write CASE WHEN ... THEN ... ELSE ... END."
            )
    _check_betweens(seen.connectives, tokens.items)
    _check_intervals(seen.intervals, tokens.items)


class _Seen:
    """What a walk over the tree has met, by offset: literals, names and calls, and units spelled as text."""

    def __init__(self, calls: tuple[Call, ...]) -> None:
        self._calls = {call.word.start: call for call in calls}
        self._literals: set[int] = set()
        self._others: set[int] = set()
        self.intervals: list[exp.Interval] = []
        self.connectives = 0

    def holds(self, token: Token) -> bool:
        """Whether the tree has this literal, name or call."""
        is_literal = token.token_type in (TokenType.STRING, TokenType.NUMBER)
        return token.start in (self._literals if is_literal else self._others)

    def take(self, node: Node) -> None:
        """Note a node's place and check it against the text there."""
        start = node.meta.get("start")
        written = node.meta.get("written")
        if written is not None and type(node) not in FUNCTIONS and _SYNTAX.get(written) is not type(node):
            reason, hint = reason_against(written) or (f"{written} is not supported", None)
            raise refuse_node(node, reason, hint, Refusal.NO_FUNCTION)
        if isinstance(node, _LEAVES):
            self._take_leaf(node, start)
        elif type(node) in FUNCTIONS:
            self._take_call(node, start)
        elif type(node) is exp.And:
            self.connectives += 1
        elif isinstance(node, exp.Interval):
            self.intervals.append(node)
        elif isinstance(node, exp.Placeholder) and start is None:
            raise refuse_node(node, "a placeholder cannot be read the way it is written", "Write ? or $name.")
        elif start is not None:
            self._others.add(start)

    def _take_leaf(self, node: Node, start: int | None) -> None:
        places = self._literals if isinstance(node, exp.Literal) else self._others
        if start is None:
            if not _is_rebuilt(node):
                raise refuse_node(node, "a part of the query cannot be read the way it is written")
        elif start in places:
            raise refuse_node(node, "a part of the query would be read twice")
        else:
            places.add(start)

    def _take_call(self, node: Node, start: int | None) -> None:
        call = None if start is None else self._calls.get(start)
        if start is None or call is None:
            if type(node) in BARE or (type(node) is exp.Pow and start is None):  # x ^ y
                return
            raise refuse_node(node, "a part of the query cannot be read the way it is written")
        name = call.name.upper()
        kind = BY_NAME.get(name)
        plain = type(node) is exp.Anonymous and (kind is None or name in READ_BY_ARGUMENTS)
        if kind is not type(node) and not plain:
            raise refuse_node(node, f"{name} is not supported", kind=Refusal.NO_FUNCTION)
        if _arguments(node) != call.arguments:
            raise refuse_node(node, f"{name} does not take {_counted(call.arguments)}")
        self._others.add(start)
        if type(node) in _REBUILT:
            self._take_rebuilt(node, call, *_REBUILT[type(node)])

    def _take_rebuilt(self, node: Node, call: Call, key: str, at: int) -> None:
        text = call.texts[at]
        if text is None and isinstance(node, exp.TimeToStr):
            text = call.texts[0]  # the format may stand first
        if text is None or text.text.upper() != node.args[key].name.upper():
            raise refuse_node(node, f"the {key} of {call.name.upper()} must be a plain string literal")
        self._literals.add(text.start)


def _shown(token: Token) -> str:
    return f"the text {token.text[:40]!r}" if token.token_type is TokenType.STRING else token.text[:40]


def _is_rebuilt(node: Node) -> bool:
    """Whether sqlglot makes this literal anew: the size of a type, an interval, a format, where a series begins."""
    if isinstance(node.parent, exp.GenerateSeries):
        return node.arg_key == "start" and node.name == "0"
    return isinstance(node.parent, (exp.Interval, exp.DataTypeParam, exp.TimeToStr))


def _arguments(node: Node) -> int:
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Distinct):
        return len(node.this.expressions)
    keys = _HOLDS.get(type(node), tuple(node.args))
    values = [node.args.get(key) for key in keys]
    ordered = sum(
        len(v.expressions) - 1 for v in values if isinstance(v, exp.Order)
    )  # commas in ORDER BY a, b
    rows = sum(
        len(v.expressions) - 1 for v in node.expressions if isinstance(v, exp.Values)
    )  # ALL (VALUES (1), (2))
    return sum(_held(value) for value in values) + ordered + rows


def _held(value: object) -> int:
    if isinstance(value, list):
        return len(value)
    return int(isinstance(value, Node))


def _counted(number: int) -> str:
    return f"{number} argument{'' if number == 1 else 's'}"


def _is_grammar(items: tuple[Token, ...], at: int) -> bool:
    """Whether the token at `at` belongs to the grammar around it and leaves no leaf of its own."""
    token, before = items[at], items[at - 1] if at else None
    word = token.text.upper()
    if before is not None and before.token_type is TokenType.BETWEEN and is_symmetric(token, "ASYMMETRIC"):
        return True
    if token.token_type is TokenType.VAR:
        behind_dollar = before is not None and before.token_type is TokenType.PARAMETER
        return behind_dollar or word in _GRAMMAR or word in PARTS or word in FOREIGN_PARTS
    if before is None or token.token_type is TokenType.IDENTIFIER:
        return False
    if before.token_type is TokenType.INTERVAL:
        return True
    if token.token_type is TokenType.STRING:
        return False
    return before.token_type in (TokenType.PARAMETER, TokenType.DOT) or _is_size(items, at)


def is_symmetric(token: Token, *others: str) -> bool:
    """Whether a token behind BETWEEN is the word SYMMETRIC, or one of the others."""
    return token.token_type is TokenType.VAR and token.text.upper() in ("SYMMETRIC", *others)


def _is_size(items: tuple[Token, ...], at: int) -> bool:
    """Whether a number is the size of a type: the 10 and the 2 of DECIMAL(10, 2)."""
    back = at - 1
    if items[back].token_type is TokenType.COMMA and items[back - 1].token_type is TokenType.NUMBER:
        back -= 2
    return (
        back > 0
        and items[back].token_type is TokenType.L_PAREN
        and items[back - 1].text.upper() in _SIZED_TYPES
    )


def _check_betweens(connectives: int, items: tuple[Token, ...]) -> None:
    """Refuse a BETWEEN without an AND of its own, which sqlglot does not miss: BETWEEN colour 'a' AND 'b'."""
    betweens = [token for token in items if token.token_type is TokenType.BETWEEN]
    ands = sum(token.token_type is TokenType.AND for token in items)
    if betweens and ands != connectives + len(betweens):
        raise refuse_at(
            betweens[0], "BETWEEN cannot be read the way it is written", "Write x BETWEEN a AND b."
        )


def _check_intervals(intervals: list[exp.Interval], items: tuple[Token, ...]) -> None:
    """Compare the intervals of the text with those of the tree; sqlglot loses a word of '1 day ago'."""
    written: Counter[str] = Counter()
    place = None
    for at, token in enumerate(items[:-1]):
        value = items[at + 1]
        if token.token_type is TokenType.INTERVAL and value.token_type in (
            TokenType.STRING,
            TokenType.NUMBER,
        ):
            place = place or Place(token.line, token.col)
            written[_spelled(value, items[at + 2] if at + 2 < len(items) else None)] += 1
    nodes = (n for n in intervals if isinstance(n.this, exp.Literal))
    if written != Counter(_squeezed(n.this.name + n.text("unit")) for n in nodes):
        hint = "Write INTERVAL 1 DAY, or INTERVAL '1 day 2 hours' with a unit behind each number."
        raise QueryRefused("an interval cannot be read the way it is written", place=place, hint=hint)


def _spelled(value: Token, behind: Token | None) -> str:
    has_unit = any(c.isalpha() for c in value.text)
    unit = behind.text if behind is not None and not has_unit and behind.text.upper() in UNITS else ""
    text = _squeezed(value.text + unit)
    short = _SHORT_UNIT.fullmatch(text)
    return text if short is None else short["amount"] + _LONG_UNITS[short["unit"]]


def _squeezed(text: str) -> str:
    return "".join(text.upper().split())
