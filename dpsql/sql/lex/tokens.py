"""The tokens of a checked text: one statement, known symbols, bounded nesting, numbered placeholders, calls.

All of this is counted before anything parses, so that no refusal depends on a parser's recursion.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import field, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from sqlglot.errors import TokenError

from dpsql.errors import Place, QueryRefused, Refusal
from dpsql.slotted import dataclass
from dpsql.sql.dialect import Token, TokenType, tokenize
from dpsql.sql.lex.field_tokens import WrittenField, with_field_names
from dpsql.sql.lex.inserted import Inserted
from dpsql.sql.lex.text import Lines

MAX_TOKENS = 20_000
MAX_NESTING = 30

_QUOTED: Final = frozenset({TokenType.STRING, TokenType.IDENTIFIER})
_SYMBOLS: Final = frozenset(
    {"(", ")", ",", ".", "+", "-", "*", "/", "//", "%", "||", "=", "==", "<>", "!=", "<", "<=", ">", ">=", "::", ";",
     "[", "]", "?", "$", "~", "~*", "->", "->>", "^", "**", "&", "|", "<<", ">>"}
)  # fmt: skip
_OPENING: Final = frozenset({"(", "[", "CASE"})
_CLOSING: Final = frozenset({")", "]", "END"})
_PREFIXES: Final = frozenset({"NOT", "-", "+"})
_NUMBER: Final = re.compile(r"(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_WORD_CHARACTER: Final = re.compile(r"[\w$]")
_MARK_NUMBER: Final = re.compile(r"[1-9]\d{0,3}\Z")
_INSTEAD: Final = MappingProxyType(
    {
        "!": "Write NOT, and x <> y for not equal.",
        "&&": "Write AND.",
        "@": "Write ABS(x), and a parameter as ? or $name.",
        ":": "Write a parameter as ? or $name, an alias as AS name, and a slice as SUBSTRING(x, 1, 2) or "
        "LIST_SLICE(x, 1, 2).",
        "{": "Structs, maps, templates and escapes such as {fn ...} are not supported.",
        "~~": "Write LIKE.",
        "~~*": "Write ILIKE.",
        "<=>": "Write IS NOT DISTINCT FROM.",
        "#": "Name the column.",
    }
)
# Words that part the arguments of these calls as a comma does, and words that only open them.
_SEPARATORS: Final = MappingProxyType[str, Set[str]](
    {"EXTRACT": {"FROM"}, "TRIM": {"FROM"}, "SUBSTRING": {"FROM", "FOR"}, "POSITION": {"IN"}}
)
# What may follow LIMIT ALL, which is left out.
_BEHIND_ALL: Final[tuple[list[TokenType], ...]] = ([], [TokenType.R_PAREN], [TokenType.OFFSET])
_BEHIND_PIVOT: Final = frozenset({TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET})
_SELECTED: Final = (
    (TokenType.SELECT, "SELECT"),
    (TokenType.STAR, "*"),
    (TokenType.FROM, "FROM"),
    (TokenType.L_PAREN, "("),
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
    """The tokens of one statement, in order, without semicolons and comments; `line`, `col` say where they begin.

    Each `?` has become `$1`, `$2`, ... in the order of the text; `marks` holds the token of each placeholder by that
    name. `calls` are in the order of their closing parentheses. Each of the `fields` of JSON is one quoted name.
    """

    items: tuple[Token, ...]
    calls: tuple[Call, ...]
    positional: int
    named: tuple[str, ...]
    marks: tuple[tuple[str, Token], ...]
    fields: tuple[WrittenField, ...] = ()


def read_tokens(sql: str, code: str, inserted: Inserted = ()) -> Tokens:
    """Tokenise one statement and check everything that can be checked without a tree.

    `code` is the text with its comments blanked, as the text was read before: sqlglot must see the same. Places are
    those in the text without what is `inserted`.

    Raises QueryRefused for a second statement, unknown symbols, more than MAX_TOKENS tokens or MAX_NESTING
    levels, and placeholders of two kinds.
    """
    lines = Lines.of(sql, inserted)
    try:
        tokens = [token for one in tokenize(sql) for token in parted(one)]
    except TokenError:
        raise QueryRefused("the text cannot be split into words and symbols", kind=Refusal.SYNTAX) from None
    if len(tokens) > MAX_TOKENS:
        raise QueryRefused(f"the query has more than {MAX_TOKENS} words and symbols")
    for token in tokens:
        _settle(token, sql, lines)
    if sum(map(_length, tokens)) != len("".join(code.split())):
        raise QueryRefused(
            "the text can be split into words and symbols in more than one way",
            hint="Write comments as -- or /* */; braces as in {# #} are not supported.",
        )
    items, fields = with_field_names(_one_statement(tokens))
    _check_nesting(items)
    return replace(_numbered(items, _calls(items)), fields=fields)


def parted(token: Token) -> tuple[Token, ...]:
    """A `?::`, which is one symbol to sqlglot, as a placeholder and a cast."""
    if token.text != "?::" or token.token_type in _QUOTED:
        return (token,)
    at, line, col = token.start, token.line, token.col
    cast = Token(TokenType.DCOLON, "::", line, col + 1, at + 1, token.end)
    return Token(TokenType.PLACEHOLDER, "?", line, col, at, at), cast


def refuse_at(token: Token, reason: str, hint: str | None = None) -> QueryRefused:
    """The refusal of a token, whose `line` and `col` already say where it begins."""
    return QueryRefused(reason, place=Place(token.line, token.col), hint=hint)


def _settle(token: Token, sql: str, lines: Lines) -> None:
    """Give a token its exact beginning, drop its comments (some steer sqlglot) and check its spelling."""
    token.line, token.col = lines.at(token.start)
    token.comments = []
    kind = token.token_type
    if kind in _QUOTED:
        quote = sql[token.start]
        if token.text != sql[token.start + 1 : token.end].replace(quote * 2, quote):
            reason = "this literal can be read in more than one way"
            raise refuse_at(token, reason, "Write it without escapes.")
    elif kind is TokenType.NUMBER:
        number, after = sql[token.start : token.end + 1].replace("_", ""), sql[token.end + 1 : token.end + 2]
        if not _NUMBER.fullmatch(number) or _WORD_CHARACTER.match(after):
            raise refuse_at(token, "a number runs into a name", "Put a space between them.")
    elif not _is_symbol(token, sql) and (kind.name.endswith("_STRING") or not _is_word(token)):
        raise refuse_at(token, f"the symbol {token.text} is not supported", _INSTEAD.get(token.text))


def _is_symbol(token: Token, sql: str) -> bool:
    """Whether this is a known symbol; ! is one in !~ and !~* alone."""
    return token.text in _SYMBOLS or (token.text == "!" and sql[token.end + 1 : token.end + 2] == "~")


def _is_word(token: Token) -> bool:
    return token.text[:1].isalpha() or token.text[:1] == "_"


def word_of(token: Token) -> str:
    """A word or symbol in capitals; nothing for what is quoted."""
    return token.text.upper() if token.token_type not in _QUOTED else ""


def _length(token: Token) -> int:
    """How many characters of the text a token covers; GROUP BY is one token with white space inside."""
    is_phrase = " " in token.text and token.token_type not in _QUOTED
    return len(token.text.replace(" ", "")) if is_phrase else token.end - token.start + 1


def _one_statement(tokens: list[Token]) -> tuple[Token, ...]:
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    if not tokens:
        raise QueryRefused("there is nothing to run", hint="Write a SELECT statement.")
    for at, token in enumerate(tokens):
        complaint = _complaint(tokens[at - 1] if at else None, token, tokens[at + 1 : at + 3])
        if complaint is not None:
            raise refuse_at(token, *complaint)
    return tuple(_around_pivot(_without_limit_all(_with_quoted_aliases(tokens))))


def _with_quoted_aliases(tokens: list[Token]) -> list[Token]:
    """The tokens with a text behind AS as the name that it is to DuckDB."""
    pairs = zip((None, *tokens), tokens, strict=False)
    is_alias = [
        before is not None and (before.token_type, token.token_type) == (TokenType.ALIAS, TokenType.STRING)
        for before, token in pairs
    ]
    return [like(t, TokenType.IDENTIFIER, t.text) if a else t for t, a in zip(tokens, is_alias, strict=True)]


def _without_limit_all(tokens: list[Token]) -> list[Token]:
    """The tokens without LIMIT ALL, which is no limit: versions of sqlglot read it in several ways."""
    kinds = pairwise(t.token_type for t in tokens)
    idle = {at for at, pair in enumerate(kinds) if pair == (TokenType.LIMIT, TokenType.ALL)}
    return [t for at, t in enumerate(tokens) if at not in idle and at - 1 not in idle] if idle else tokens


def _around_pivot(tokens: list[Token]) -> list[Token]:
    """PIVOT ... ORDER BY ... as SELECT * FROM (PIVOT ...) ORDER BY ..., which sqlglot reads."""
    depth = 0
    for at, token in enumerate(tokens if word_of(tokens[0]) == "PIVOT" else ()):
        depth += (word_of(token) in _OPENING) - (word_of(token) in _CLOSING)
        if depth == 0 and token.token_type in _BEHIND_PIVOT:
            opening = [_at(tokens[0], *word) for word in _SELECTED]
            return [*opening, *tokens[:at], _at(token, TokenType.R_PAREN, ")"), *tokens[at:]]
    return tokens


def _at(token: Token, kind: TokenType, text: str) -> Token:
    """A token that is not written, at the place of one that is."""
    return Token(kind, text, token.line, token.col, token.start, token.end)


def _complaint(before: Token | None, token: Token, behind: list[Token]) -> tuple[str, str] | None:
    """What is wrong with a token between these, and what to write instead; None for nothing."""
    last, kind, word = before.token_type if before is not None else None, token.token_type, word_of(token)
    kinds = [t.token_type for t in behind]
    if last is TokenType.SEMICOLON:
        return "a second statement begins here", "Send one statement at a time."
    if last is kind is TokenType.STRING:
        return "two string literals stand side by side", "Join them with ||, or put a comma between them."
    if last is TokenType.LIMIT and kind is TokenType.ALL and kinds[:1] not in _BEHIND_ALL:
        return "ALL is not supported here", "Leave LIMIT out."
    if last is TokenType.IN and token.text == "[":
        return "a list behind IN is not supported", "Write IN ('a', 'b')."
    if last in (TokenType.SELECT, TokenType.DISTINCT) and word == "TOP":
        if kinds[:1] == [TokenType.NUMBER] or kinds == [TokenType.L_PAREN, TokenType.NUMBER]:
            return "TOP is not supported here", "Write LIMIT at the end of that SELECT."
    elif word == "EXPORT_STATE" and before is not None and before.text == ")":
        # DuckDB gives the state of an aggregate then; sqlglot takes the word for a name.
        return "EXPORT_STATE is not supported", 'Leave it out, or write AS "export_state" for a name.'
    if (found := _of_another_database(last, kind, word, behind)) is not None:
        return found
    if kind is TokenType.VALUES and kinds[:1] != [TokenType.L_PAREN]:
        return "VALUES is not a name here", 'Write VALUES (...), or "values" for a name.'
    return None


_BEFORE_A_NAME: Final = frozenset({TokenType.FROM, TokenType.JOIN, TokenType.DOT, TokenType.ALIAS})
_OPERANDS: Final = frozenset(
    {TokenType.VAR, TokenType.IDENTIFIER, TokenType.NUMBER, TokenType.L_PAREN, TokenType.R_PAREN}
)


def _of_another_database(
    last: TokenType | None, kind: TokenType, word: str, behind: list[Token]
) -> tuple[str, str] | None:
    """What is no SQL of DuckDB's at a word, and what to write instead; None for anything else."""
    if kind is TokenType.RLIKE:
        return f"{word} is not supported", "Write REGEXP_MATCHES(x, 'pattern')."
    if word == "DIV" and last in _OPERANDS and behind and behind[0].token_type in _OPERANDS:
        return "DIV is not supported", "Write CAST(TRUNC(a / b) AS BIGINT)."
    if word == "MINUS" and behind and behind[0].token_type is TokenType.SELECT:
        return "MINUS is not supported", "Write EXCEPT."
    if word == "[" and last in _BEFORE_A_NAME:
        return "a name in brackets is not supported", 'Write names in double quotes, as in "region".'
    if word == "WITH" and [word_of(token) for token in behind] == ["(", "NOLOCK"]:
        return "WITH (NOLOCK) is not supported", "Leave it out."
    if kind is TokenType.LIMIT and [t.token_type for t in behind] == [TokenType.NUMBER, TokenType.COMMA]:
        return "LIMIT with two numbers is not supported", "Write LIMIT 10 OFFSET 20 for LIMIT 20, 10."
    return None


def _check_nesting(items: tuple[Token, ...]) -> None:
    """Refuse deep nesting of parentheses and CASE, together with a run of prefix operators."""
    depth, chain = 0, 0
    for token in items:
        word = word_of(token)
        chain = chain + 1 if word in _PREFIXES else 0
        depth += (word in _OPENING) - (word in _CLOSING)
        if depth + max(chain - 1, 0) > MAX_NESTING:
            reason = f"the query is nested deeper than {MAX_NESTING} levels here"
            raise refuse_at(token, reason, "Name inner queries in a WITH clause.")


@dataclass(slots=True)
class _Frame:
    """An opening parenthesis being counted: `word` is the token before it."""

    word: Token | None = None
    separators: Set[str] = frozenset()
    texts: list[Token | None] = field(default_factory=list)
    length: int = 0


def _calls(items: tuple[Token, ...]) -> tuple[Call, ...]:
    calls: list[Call] = []
    frames = [_Frame()]
    before: Token | None = None
    for token in items:
        text, frame = word_of(token), frames[-1]
        if text == ")" and len(frames) > 1:
            calls += _closed(frames.pop(), before)
        elif text == "]" and len(frames) > 1:
            frames.pop()
        elif text in ("(", "["):
            frame.length += 1
            frames.append(_opened(before) if text == "(" else _Frame())
        elif text == "," or text in frame.separators:
            _end_part(frame, before)
        elif not (frame.length == 0 and frame.separators and text in _TRIM_SIDES):
            frame.length += 1
        before = token
    return tuple(calls)


def _opened(before: Token | None) -> _Frame:
    if before is None or before.token_type in (TokenType.STRING, TokenType.NUMBER):
        return _Frame()
    if before.token_type is TokenType.IDENTIFIER:
        return _Frame(before)
    return _Frame(before if _is_word(before) else None, _SEPARATORS.get(word_of(before), frozenset()))


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
    _check_one_kind(items)
    for at, token in enumerate(items):
        if token.token_type is TokenType.PLACEHOLDER:
            positional += 1
            marks[str(positional)] = token
            out += [like(token, TokenType.PARAMETER, "$"), like(token, TokenType.NUMBER, str(positional))]
            continue
        out.append(token)
        if token.token_type is TokenType.PARAMETER:
            marks.setdefault(_name_behind(items, at), token)
    named = () if positional else tuple(marks)
    return Tokens(tuple(out), calls, positional, named, tuple(marks.items()))


def _check_one_kind(items: tuple[Token, ...]) -> None:
    """Refuses the first placeholder that is of another kind than the one before: `?` and `$1` have the same names."""
    marks = [t for t in items if t.token_type in (TokenType.PLACEHOLDER, TokenType.PARAMETER)]
    for token in marks:
        if token.token_type is not marks[0].token_type:
            raise refuse_at(token, "? and $name are mixed", "Use one kind of placeholder.")


def like(token: Token, kind: TokenType, text: str) -> Token:
    """Another token at the same place."""
    return Token(kind, text, token.line, token.col, token.start, token.end)


def _name_behind(items: tuple[Token, ...], at: int) -> str:
    name = items[at + 1] if at + 1 < len(items) else items[at]
    pattern = _MARK_NUMBER if name.token_type is TokenType.NUMBER else _WORD_CHARACTER
    is_name = name.token_type not in _QUOTED and pattern.match(name.text)
    if name.start != items[at].end + 1 or not is_name:
        reason = "a $ stands here without a name behind it"
        raise refuse_at(items[at], reason, "Write a parameter as ? or $name.")
    return name.text
