"""The tokens of a checked text: one statement, known symbols, bounded nesting, numbered placeholders, calls.

All of this is counted before anything parses, so that no refusal depends on a parser's recursion.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from sqlglot.errors import TokenError

from dpsql.errors import Place, QueryRefused
from dpsql.sql.dialect import Token, TokenType, tokenize
from dpsql.sql.lex.text import Lines

MAX_TOKENS = 20_000
MAX_NESTING = 30

_QUOTED: Final = frozenset({TokenType.STRING, TokenType.IDENTIFIER})
_SYMBOLS: Final = frozenset(
    {
        "(",
        ")",
        ",",
        ".",
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "||",
        "=",
        "==",
        "<>",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "::",
        ";",
        "[",
        "]",
        "?",
        "$",
        "~",
    }
)
_OPENING: Final = frozenset({"(", "[", "CASE"})
_CLOSING: Final = frozenset({")", "]", "END"})
_PREFIXES: Final = frozenset({"NOT", "-", "+"})
_NUMBER: Final = re.compile(r"(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_WORD_CHARACTER: Final = re.compile(r"[\w$]")
_INSTEAD: Final = MappingProxyType(
    {
        "!": "Write NOT.",
        "^": "Write POWER(a, b).",
        "**": "Write POWER(a, b).",
        "@": "Write ABS(x), and a parameter as ? or $name.",
        ":": "Write a parameter as ? or $name, and an alias as AS name.",
        "{": "Structs, maps, templates and escapes such as {fn ...} are not supported.",
        "->": "Lambdas and JSON paths are not supported.",
        "->>": "JSON paths are not supported.",
        "~*": "Write REGEXP_MATCHES(LOWER(x), 'pattern') with a pattern of small letters.",
        "~~": "Write LIKE.",
        "~~*": "Write ILIKE.",
        "<=>": "Write IS NOT DISTINCT FROM.",
        "#": "Name the column.",
    }
)
# Words that part the arguments of these calls as a comma does, and words that only open them.
_SEPARATORS: Final = MappingProxyType(
    {
        "EXTRACT": frozenset({"FROM"}),
        "TRIM": frozenset({"FROM"}),
        "SUBSTRING": frozenset({"FROM", "FOR"}),
        "POSITION": frozenset({"IN"}),
    }
)
_TRIM_SIDES: Final = frozenset({"BOTH", "LEADING", "TRAILING"})


@dataclass(frozen=True, slots=True)
class Call:
    """A word with an opening parenthesis behind it, as written: and how many arguments it has.

    `texts` holds, for each argument, its token where it is a lone string literal.
    """

    word: Token
    arguments: int
    texts: tuple[Token | None, ...]

    @property
    def name(self) -> str:
        """The name as written."""
        return self.word.text


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one statement, in order, without semicolons and comments; `line`, `col` say where they
    begin.

    Each `?` has become `$1`, `$2`, ... in the order of the text; `marks` holds the token of each
    placeholder by that name. `calls` are in the order of their closing parentheses.
    """

    items: tuple[Token, ...]
    calls: tuple[Call, ...]
    positional: int
    named: tuple[str, ...]
    marks: tuple[tuple[str, Token], ...]


def read_tokens(sql: str, code: str) -> Tokens:
    """Tokenise one statement and check everything that can be checked without a tree.

    `code` is the text with its comments blanked, as the text was read before: sqlglot must see the same.

    Raises QueryRefused for a second statement, unknown symbols, more than MAX_TOKENS tokens or MAX_NESTING
    levels, and placeholders of two kinds.
    """
    lines = Lines.of(sql)
    try:
        found = [token for one in tokenize(sql) for token in _parted(one)]
    except TokenError:
        raise QueryRefused("the text cannot be split into words and symbols") from None
    if len(found) > MAX_TOKENS:
        raise QueryRefused(f"the query has more than {MAX_TOKENS} words and symbols")
    for token in found:
        _settle(token, sql, lines)
    if sum(map(_length, found)) != len("".join(code.split())):
        raise QueryRefused(
            "the text can be split into words and symbols in more than one way",
            hint="Write comments as -- or /* */; braces as in {# #} are not supported.",
        )
    items = _one_statement(found)
    _check_nesting(items)
    return _numbered(items, _calls(items))


def _parted(token: Token) -> tuple[Token, ...]:
    """A `?::`, which is one symbol to sqlglot, as a placeholder and a cast."""
    if token.text != "?::" or token.token_type in _QUOTED:
        return (token,)
    at, line = token.start, token.line
    return (
        Token(TokenType.PLACEHOLDER, "?", line, token.col, at, at),
        Token(TokenType.DCOLON, "::", line, token.col + 1, at + 1, token.end),
    )


def refuse_at(token: Token, reason: str, hint: str | None = None) -> QueryRefused:
    """The refusal of a token, whose `line` and `col` already say where it begins."""
    return QueryRefused(reason, place=_place(token), hint=hint)


def _place(token: Token) -> Place:
    return Place(token.line, token.col)


def _settle(token: Token, sql: str, lines: Lines) -> None:
    """Give a token its exact beginning, drop its comments (some steer sqlglot) and check its spelling."""
    line = bisect_right(lines.starts, token.start)
    token.line, token.col, token.comments = line, token.start - lines.starts[line - 1] + 1, []
    kind = token.token_type
    if kind in _QUOTED:
        quote = sql[token.start]
        if token.text != sql[token.start + 1 : token.end].replace(quote * 2, quote):
            raise refuse_at(
                token, "this literal can be read in more than one way", "Write it without escapes."
            )
    elif kind is TokenType.NUMBER:
        after = sql[token.end + 1 : token.end + 2]
        if not _NUMBER.fullmatch(sql[token.start : token.end + 1].replace("_", "")) or _WORD_CHARACTER.match(
            after
        ):
            raise refuse_at(token, "a number runs into a name", "Put a space between them.")
    elif not _is_symbol(token, sql) and (kind.name.endswith("_STRING") or not _is_word(token)):
        raise refuse_at(token, f"the symbol {token.text} is not supported", _INSTEAD.get(token.text))


def _is_symbol(token: Token, sql: str) -> bool:
    """Whether this is a known symbol; ! is one in !~ alone."""
    return token.text in _SYMBOLS or (token.text == "!" and sql[token.end + 1 : token.end + 2] == "~")


def _is_word(token: Token) -> bool:
    return token.text[:1].isalpha() or token.text[:1] == "_"


def _length(token: Token) -> int:
    """How many characters of the text a token covers; GROUP BY is one token with white space inside."""
    is_phrase = " " in token.text and token.token_type not in _QUOTED
    return len(token.text.replace(" ", "")) if is_phrase else token.end - token.start + 1


def _one_statement(found: list[Token]) -> tuple[Token, ...]:
    count = len(found)
    while count and found[count - 1].token_type is TokenType.SEMICOLON:
        count -= 1
    items = tuple(found[:count])
    if not items:
        raise QueryRefused("there is nothing to run", hint="Write a SELECT statement.")
    for at, token in enumerate(items):
        if token.token_type is TokenType.SEMICOLON:
            raise refuse_at(items[at + 1], "a second statement begins here", "Send one statement at a time.")
        if at and token.token_type is items[at - 1].token_type is TokenType.STRING:
            raise refuse_at(token, "two string literals stand side by side", "Join them with ||.")
        if at and items[at - 1].token_type is TokenType.LIMIT and token.token_type is TokenType.ALL:
            raise refuse_at(token, "ALL is not supported here", "Leave LIMIT out.")
        if at and items[at - 1].token_type is TokenType.IN and token.text == "[":
            raise refuse_at(token, "a list behind IN is not supported", "Write IN ('a', 'b').")
        if _is_top(items, at):
            raise refuse_at(token, "TOP is not supported", "Write LIMIT at the end of the query.")
        if at and items[at - 1].text == ")" and _is_state(token):
            raise refuse_at(
                token, "EXPORT_STATE is not supported", 'Leave it out, or write AS "export_state" for a name.'
            )
        if token.token_type is TokenType.VALUES and not _opens(items, at + 1):
            raise refuse_at(token, "VALUES is not a name here", 'Write VALUES (...), or "values" for a name.')
    return items


def _is_top(items: tuple[Token, ...], at: int) -> bool:
    """Whether this is TOP of SELECT TOP 3 or SELECT TOP (3)."""
    selects = at and items[at - 1].token_type in (TokenType.SELECT, TokenType.DISTINCT)
    if not selects or items[at].text.upper() != "TOP" or items[at].token_type in _QUOTED:
        return False
    behind = items[at + 1 : at + 3]
    number = [t for t in behind if t.token_type is TokenType.NUMBER]
    return bool(number) and (behind[0] is number[0] or behind[0].token_type is TokenType.L_PAREN)


def _is_state(token: Token) -> bool:
    """Whether this word makes DuckDB give the state of an aggregate; sqlglot takes it for a name."""
    return token.token_type not in _QUOTED and token.text.upper() == "EXPORT_STATE"


def _opens(items: tuple[Token, ...], at: int) -> bool:
    return at < len(items) and items[at].token_type is TokenType.L_PAREN


def _check_nesting(items: tuple[Token, ...]) -> None:
    """Refuse deep nesting of parentheses and CASE, together with a run of prefix operators."""
    depth, chain = 0, 0
    for token in items:
        word = token.text.upper() if token.token_type not in _QUOTED else ""
        chain = chain + 1 if word in _PREFIXES else 0
        depth += (word in _OPENING) - (word in _CLOSING)
        if depth + max(chain - 1, 0) > MAX_NESTING:
            raise refuse_at(
                token,
                f"the query is nested deeper than {MAX_NESTING} levels here",
                "Name inner queries in a WITH clause.",
            )


@dataclass(slots=True)
class _Frame:
    """An opening parenthesis being counted: `word` is the token before it."""

    word: Token | None
    separators: frozenset[str]
    texts: list[Token | None] = field(default_factory=list)
    length: int = 0


def _calls(items: tuple[Token, ...]) -> tuple[Call, ...]:
    calls: list[Call] = []
    frames = [_Frame(None, frozenset())]
    before: Token | None = None
    for token in items:
        text = token.text if token.token_type not in _QUOTED else ""
        frame = frames[-1]
        if text == ")" and len(frames) > 1:
            calls += _closed(frames.pop(), before)
        elif text == "]" and len(frames) > 1:
            frames.pop()
        elif text in ("(", "["):
            frame.length += 1
            frames.append(_opened(before) if text == "(" else _Frame(None, frozenset()))
        elif text == "," or text.upper() in frame.separators:
            _end_part(frame, before)
        elif not (frame.length == 0 and frame.separators and text.upper() in _TRIM_SIDES):
            frame.length += 1
        before = token
    return tuple(calls)


def _opened(before: Token | None) -> _Frame:
    if before is None or before.token_type in (TokenType.STRING, TokenType.NUMBER):
        return _Frame(None, frozenset())
    if before.token_type is TokenType.IDENTIFIER:
        return _Frame(before, frozenset())
    return _Frame(before if _is_word(before) else None, _SEPARATORS.get(before.text.upper(), frozenset()))


def _end_part(frame: _Frame, last: Token | None) -> None:
    if frame.length:
        is_text = frame.length == 1 and last is not None and last.token_type is TokenType.STRING
        frame.texts.append(last if is_text else None)
    frame.length = 0


def _closed(frame: _Frame, last: Token | None) -> list[Call]:
    _end_part(frame, last)
    return [] if frame.word is None else [Call(frame.word, len(frame.texts), tuple(frame.texts))]


def _numbered(items: tuple[Token, ...], calls: tuple[Call, ...]) -> Tokens:
    """Number the placeholders: sqlglot keeps neither the order nor the place of a `?`."""
    out: list[Token] = []
    marks: dict[str, Token] = {}
    positional = 0
    for at, token in enumerate(items):
        if token.token_type is TokenType.PLACEHOLDER:
            positional += 1
            marks[str(positional)] = token
            out += [_like(token, TokenType.PARAMETER, "$"), _like(token, TokenType.NUMBER, str(positional))]
            continue
        out.append(token)
        if token.token_type is TokenType.PARAMETER:
            marks.setdefault(_name_behind(items, at), token)
    if positional and len(marks) > positional:
        raise refuse_at(
            _second_kind(tuple(marks.values())), "? and $name are mixed", "Use one kind of placeholder."
        )
    named = () if positional else tuple(marks)
    return Tokens(tuple(out), calls, positional, named, tuple(marks.items()))


def _like(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end)


def _name_behind(items: tuple[Token, ...], at: int) -> str:
    name = items[at + 1] if at + 1 < len(items) else items[at]
    is_name = name.token_type not in (*_QUOTED, TokenType.NUMBER) and _WORD_CHARACTER.match(name.text)
    if name.start != items[at].end + 1 or not is_name:
        raise refuse_at(
            items[at], "a $ stands here without a name behind it", "Write a parameter as ? or $name."
        )
    return name.text


def _second_kind(marks: tuple[Token, ...]) -> Token:
    """The first placeholder that is of another kind than the first one."""
    ordered = sorted(marks, key=lambda t: t.start)
    return next(t for t in ordered if t.token_type is not ordered[0].token_type)
