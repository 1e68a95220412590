"""The text of a query before anything parses it: its length, its characters, its literals and comments.

Two parsers read the same text, and what they could read differently (odd white space, invisible characters,
prefixed and dollar-quoted strings, a lone carriage return) is refused here, with its place.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace
from enum import IntEnum

from dpsql.errors import Place, ProgrammingError, QueryRefused, Refusal
from dpsql.slotted import dataclass
from dpsql.sql.lex.escaped_strings import OPENING, without_escapes
from dpsql.sql.lex.foreign_texts import without_foreign_texts
from dpsql.sql.lex.inserted import Inserted, with_changes
from dpsql.sql.lex.signed_intervals import with_signs_inside
from dpsql.sql.lex.sql_server_texts import casts_of_converts, with_quotes
from dpsql.sql.lex.top_clause import limits_of_tops
from dpsql.sql.lex.values_body import selects_of_values

MAX_CHARACTERS = 100_000

_QUOTED = r"""
      (?P<string>'[^']*(?:''[^']*)*')
    | (?P<name>"[^"]*(?:""[^"]*)*")
    | (?P<tick>`[^`"]+`)
    | (?P<comment>--[^\n]*)
    | (?P<opened>/\*)
    | (?P<dollar>\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$)
    | (?P<odd_dollar>\$\w*\$)
    | (?P<broken>['"])
    """
_PIECE = re.compile(rf"""{_QUOTED} | (?P<code>[^'"`\-/$]+|.)""", re.VERBOSE | re.DOTALL)
_WITH_ESCAPES = re.compile(
    rf"""(?P<escaped>{OPENING.pattern}(?:[^'\\]|\\.|'')*') | {_QUOTED}
    | (?P<code>(?:(?!{OPENING.pattern})[^'"`\-/$])+|.)""",
    re.VERBOSE | re.DOTALL,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_SHARED_EDGE = re.compile(r"/\*/|\*/\*")
_STRINGS = ("string", "dollar", "escaped")
_TAG_CHARACTER = re.compile(r"[\w$]")
_SPACED = "Put a space between them."
_SPACE = re.compile(r"(\s+)")
_ODD = re.compile(r"[^\t\n\x20-\x7e]")
_UNUSABLE_IN_STRING = re.compile("[\x00\ud800-\udfff]")
_WORD_BEFORE = re.compile(r"[\w&]+\Z")
_WORD_AROUND = re.compile(r"\w{1,50}")
_EXPLAIN = re.compile(
    r"\s*(EXPLAIN\b(?:\s*(VERBOSE\b|\(\s*VERBOSE\s*\)))?)"
    r"\s*(?:(ANALYZE|ANALYSE)\b|(\()\s*(?!SELECT\b|WITH\b|FROM\b|\())?",
    re.IGNORECASE,
)
_CAST_BEFORE = re.compile(r"::\s*\Z")
_QUOTED_TYPE = re.compile(r"::\s*\"")
# "char" is another type than char.
_TYPES_AS_NAMES = frozenset(
    f'"{name}"'
    for name in (
        *("bool", "date", "float8", "int2", "int4", "int8", "numeric", "text"),
        *("timestamp", "timestamptz", "varchar"),
    )
)
_OF_SQL_SERVER = re.compile(r"\[|[NR]'", re.IGNORECASE)
_EXPLAIN_WORDS = ("", "EXPLAIN", "EXPLAIN VERBOSE")
# Words that name the type of the literal right behind them, as in DATE'2024-01-01'.
BEFORE_LITERALS = frozenset(
    {
        *("DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "INTERVAL"),
        *("AND", "BETWEEN", "CASE", "ELSE", "ESCAPE", "ILIKE", "LIKE", "NOT", "OR", "SELECT", "THEN", "WHEN"),
    }
)
"""The words that a literal may follow without a space: types, and keywords that neither parser takes for a prefix."""


class Explain(IntEnum):
    """Whether a plan is asked for, and with the SQL that would run; false where the answer is."""

    NO = 0
    SHORT = 1
    VERBOSE = 2


@dataclass(frozen=True, slots=True)
class Text:
    """A checked text. `code` has the same length, with comments as blanks and quoted pieces as quote marks.

    `explain` says which EXPLAIN was found and blanked out of `sql` and `code`, so that offsets stay the analyst's;
    `statement` is the text behind it, comments and a trailing semicolon kept. `inserted` is what the analyst did not
    write.
    """

    sql: str
    code: str
    explain: Explain
    statement: str
    inserted: Inserted = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """Where the lines of a text begin; turns an offset into a place."""

    starts: tuple[int, ...]
    inserted: Inserted = ()

    @classmethod
    def of(cls, sql: str, inserted: Inserted = ()) -> Lines:
        """The lines of a text, without what is inserted into it; a line ends with a line feed."""
        return cls((0, *(m.end() for m in re.finditer("\n", sql))), inserted)

    def place(self, offset: int) -> Place:
        """The place of an offset."""
        return Place(*self.at(offset))

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self.starts, offset)
        start = self.starts[line - 1]
        inserted = self._inserted(offset) - self._inserted(start) if self.inserted else 0
        return line, offset - start - inserted + 1

    def _inserted(self, offset: int) -> int:
        """How much is inserted before an offset: what stands inside of it is where it was put in."""
        before = bisect_left(self.inserted, (offset,))
        if not before:
            return 0
        begin, grown = self.inserted[before - 1]
        earlier = self.inserted[before - 2][1] if before > 1 else 0
        return min(grown, earlier + offset - begin)


def read_text(sql: object) -> Text:
    """Check a statement's text and peel off EXPLAIN.

    Raises ProgrammingError where it is no text, QueryRefused where it is too long or holds characters, literals or
    comments that are not unmistakable.
    """
    if not isinstance(sql, str):
        raise ProgrammingError(f"a query is text, not {type(sql).__name__}")
    if len(sql) > MAX_CHARACTERS:
        raise QueryRefused(
            f"the query has {len(sql)} characters; {MAX_CHARACTERS} are the most that are read",
            hint="Put long lists of values into a public table and join with it.",
        )
    sql = with_plain_strings(sql)
    sql = with_quotes(sql, masked_code(sql)) if _OF_SQL_SERVER.search(sql) else sql
    sql, code = with_signs_inside(sql, "".join(_masked(sql)))
    changes = [
        *limits_of_tops(code), *selects_of_values(code), *without_foreign_texts(code), *casts_of_converts(code),
    ]  # fmt: skip
    sql, code, inserted = with_changes(sql, code, changes)
    if not code.strip("; \t\r\n"):
        raise QueryRefused("there is nothing to run", hint="Write a SELECT statement.")
    return replace(_peel_explain(sql, code), inserted=inserted)


def bare(text: Text) -> str:
    """A checked text without comments, and with one space for all that stands between two words.

    Guarantees: texts with the same bare text are the same statement to every parser, token by token. Two string
    literals with a line feed between them are one, and stay apart from those with a space. A hint, `/*+`, is kept.
    """
    words, gap, last = [_EXPLAIN_WORDS[text.explain]] if text.explain else [], " ", ""
    for kind, start, end in _pieces(text.sql):
        piece = text.sql[start:end]
        if kind == "comment" and not piece.startswith("/*+"):
            gap += "\n" if "\n" in piece else " "
            continue
        for word in _SPACE.split(piece) if kind == "code" else (piece,):
            if not word or word.isspace():
                gap += word
                continue
            joined = "\n" in gap and last == kind == "string"
            words += ["\n" if joined else " "] if gap and words else []
            words.append(word)
            gap, last = "", kind
    return "".join(words)


def masked_code(sql: str) -> str:
    """An unchecked text of any number of statements, as long as it is, with comments as blanks and what is quoted as
    quote marks. Raises QueryRefused for a comment without an end.
    """
    return "".join(_mask(sql, *piece) for piece in _pieces(sql))


def _mask(sql: str, kind: str, start: int, end: int) -> str:
    """A piece of the text with what is quoted or commented masked."""
    if kind == "code":
        return sql[start:end]
    return (" " if kind == "comment" else "'") * (end - start)


def _pieces(sql: str) -> Iterator[tuple[str, int, int]]:
    """The kind of each piece of the text, where it begins and where it ends."""
    at, all_close = 0, True
    pattern = _WITH_ESCAPES if OPENING.search(sql) else _PIECE
    while at < len(sql):
        piece = pattern.match(sql, at)
        assert piece is not None  # the last alternative takes any character
        kind, start, at = str(piece.lastgroup), at, piece.end()
        if kind == "opened":
            at, kind = _comment_end(sql, start), "comment"
        elif kind == "dollar":
            # Behind one without an end, none is looked for: each search may take the whole text.
            end = sql.find(piece.group(), at) if all_close else -1
            all_close = end >= 0
            at, kind = (end + len(piece.group()), kind) if all_close else (at, "open_dollar")
        yield kind, start, at


def with_plain_strings(sql: str) -> str:
    """The text in double quotes and single quotes alone; its length stays.

    Names stand in backticks in MySQL and BigQuery, and strings between $$ or $word$, or behind an E, in PostgreSQL and
    DuckDB. A type in quotes, as in x::"text", loses them. Raises QueryRefused for those that are not unmistakable.
    """
    has_any = "`" in sql or "$" in sql or OPENING.search(sql) or _QUOTED_TYPE.search(sql)
    return "".join(_quoted(sql)) if has_any else sql


def _quoted(sql: str) -> Iterator[str]:
    before = ""
    for kind, start, end in _pieces(sql):
        if kind in _STRINGS and before in _STRINGS and "escaped" in (kind, before):
            raise refuse_text(sql, start, "a string stands beside one behind an E", "Write one string.")
        if kind == "dollar":
            yield _between_dollars(sql, start, end)
        elif kind == "escaped":
            yield _without_escapes(sql, start, end)
        elif kind == "name" and sql[start:end] in _TYPES_AS_NAMES and _is_cast(sql, start):
            yield f" {sql[start + 1 : end - 1]} "
        else:
            yield f'"{sql[start + 1 : end - 1]}"' if kind == "tick" else sql[start:end]
        if kind != "comment" and not (kind == "code" and sql[start:end].isspace()):
            before = kind


def _is_cast(sql: str, start: int) -> bool:
    return _CAST_BEFORE.search(sql, max(0, start - 20), start) is not None


def _between_dollars(sql: str, start: int, end: int) -> str:
    """A string between dollars in quotes, with spaces behind it for what it is shorter.

    What stands right beside it would be read as a part of it, or of its tag, by one parser or another.
    """
    around = _TAG_CHARACTER.match(sql, end) or (start and _TAG_CHARACTER.match(sql, start - 1))
    if around:
        raise refuse_text(sql, start, "a string between dollars touches a word or another dollar", _SPACED)
    tag = sql.index("$", start + 1) + 1 - start
    quoted = "'" + sql[start + tag : end - tag].replace("'", "''") + "'"
    if len(quoted) > end - start:
        raise refuse_text(
            sql,
            start,
            "a string between dollars holds many single quotes",
            "Write 'text', each quote in it twice.",
        )
    return quoted.ljust(end - start)


def _without_escapes(sql: str, start: int, end: int) -> str:
    plain = without_escapes(sql[start:end])
    if plain is None:
        hint = "Write the character itself."
        raise refuse_text(sql, start, "an escape in this string is not one character everywhere", hint)
    return plain


def _masked(sql: str) -> Iterator[str]:
    """Check the text piece by piece; yield its code, with what is quoted or commented masked."""
    for kind, start, end in _pieces(sql):
        _check_piece(sql, kind, start, end)
        yield _mask(sql, kind, start, end)


def _check_piece(sql: str, kind: str, start: int, end: int) -> None:
    if kind == "broken":
        what = "a string literal" if sql[start] == "'" else "a quoted name"
        raise refuse_text(sql, start, f"{what} is opened here and never closed", kind=Refusal.SYNTAX)
    if kind == "open_dollar":
        raise refuse_text(
            sql, start, "a string between dollars is opened here and never closed", kind=Refusal.SYNTAX
        )
    if kind == "odd_dollar":
        raise refuse_text(sql, start, "no string between dollars begins so", "Write 'text'.")
    if kind == "string":
        _check_string(sql, start, end)
        return
    if kind == "name" and end - start == 2:
        raise refuse_text(sql, start, "a quoted name is empty")
    for odd in _ODD.finditer(sql, start, end):
        _check_odd(sql, odd.start(), kind)


def _check_string(sql: str, start: int, end: int) -> None:
    bad = _UNUSABLE_IN_STRING.search(sql, start, end)
    if bad:
        what = "a NUL character" if bad.group() == "\0" else "half of a surrogate pair"
        raise refuse_text(sql, bad.start(), f"{what} cannot stand in a string literal")
    prefix = _WORD_BEFORE.search(sql, max(0, start - 20), start)
    if prefix and prefix.group().upper() not in BEFORE_LITERALS:
        reason = "string literals with a prefix (x'...', U&'...') are not supported"
        raise refuse_text(sql, prefix.start(), reason, "Write 'text'.")


def _check_odd(sql: str, at: int, kind: str) -> None:
    """Refuse a character that two parsers, or a parser and a person, may take differently."""
    char = sql[at]
    if char == "\r" and sql[at + 1 : at + 2] == "\n":
        return
    category = unicodedata.category(char)
    if category[0] in "CZ":
        shown = f"U+{ord(char):04X} ({unicodedata.name(char, 'control character').lower()})"
        reason = f"the character {shown} is not allowed outside string literals"
        raise refuse_text(sql, at, reason, "Use plain spaces and line feeds.")
    if kind == "code" and category[0] != "L":
        reason = f"the character {char!r} is not allowed in an unquoted name"
        is_quote = category in ("Pi", "Pf", "Ps")
        straight = "Write straight quotes: 'text' or \"name\"."
        hint = straight if is_quote else 'Put the name in "double quotes".'
        raise refuse_text(sql, at, reason, hint)
    if kind != "comment" and any(c.isascii() for c in char.lower()):
        raise refuse_text(sql, at, f"the character {char!r} is not allowed in a name")
    if kind == "code":
        _check_word(sql, at)


def _check_word(sql: str, at: int) -> None:
    """Refuse a word that is ASCII in upper case, as `ſum`: DuckDB changes the case of ASCII alone, sqlglot of all."""
    word = _WORD_AROUND.match(sql, at)
    before = _WORD_BEFORE.search(sql, max(0, at - 50), at)
    whole = (before.group() if before else "") + (word.group() if word else "")
    if whole.upper().isascii() or whole.casefold().isascii():
        reason = f"the word {whole[:40]} is another one in upper case"
        raise refuse_text(sql, at, reason, 'Put a name in "double quotes".')


def _comment_end(sql: str, start: int) -> int:
    """The end of the block comment that opens at `start`; block comments nest, in DuckDB and in sqlglot."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(sql, start):
        depth += 1 if edge.group() == "/*" else -1
        if depth == 0:
            _check_edges(sql, start, edge.end())
            return edge.end()
    raise refuse_text(sql, start, "a comment is opened here and never closed", kind=Refusal.SYNTAX)


def _check_edges(sql: str, start: int, end: int) -> None:
    """Refuse `/*/` and `*/*` inside a comment: parsers differ in where the next edge begins."""
    shared = _SHARED_EDGE.search(sql, start, end)
    if shared:
        raise refuse_text(sql, shared.start(), "a comment can be read in more than one way", "Leave it out.")


def _peel_explain(sql: str, code: str) -> Text:
    explain = _EXPLAIN.match(code)
    if explain is None:
        return Text(sql, code, Explain.NO, sql)
    if explain.group(3) or explain.group(4):
        what = "EXPLAIN ANALYZE is" if explain.group(3) else "options of EXPLAIN are"
        raise refuse_text(
            sql,
            explain.start(1),
            f"{what} not supported",
            "Write EXPLAIN, or EXPLAIN VERBOSE for the SQL, and the query.",
        )
    start, end = explain.span(1)
    sql, code = (whole[:start] + " " * (end - start) + whole[end:] for whole in (sql, code))
    asked = Explain.VERBOSE if explain.group(2) else Explain.SHORT
    return Text(sql, code, asked, sql[end:].lstrip())


def refuse_text(
    sql: str, at: int, reason: str, hint: str | None = None, kind: Refusal = Refusal.UNSUPPORTED
) -> QueryRefused:
    """The refusal of what begins at an offset of a text."""
    return QueryRefused(reason, place=Lines.of(sql).place(at), hint=hint, kind=kind)
