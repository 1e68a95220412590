"""What may be wrong with a text that no parser reads: the likely mistake, found in its words and symbols alone."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from dpsql.errors import Place
from dpsql.sql.dialect import Token, TokenType

_ORDER: Final = ("SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "QUALIFY", "ORDER BY", "LIMIT")
_BEGINS_ANEW: Final = frozenset({"UNION", "EXCEPT", "INTERSECT"})
_WANTS_MORE: Final = frozenset(
    {
        *_ORDER, "AND", "OR", "NOT", "ON", "USING", "JOIN", "AS", "BY", "IN", "IS", "LIKE", "BETWEEN", "WHEN", "THEN",
        "ELSE", "CASE", "WITH", "OVER", "FILTER", "OFFSET", "=", "<", ">", "<=", ">=", "<>", "+", "-", "*", "/", ",",
        ".",
    }
)  # fmt: skip
_OFTEN_MISSPELT: Final = (
    "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "JOIN", "UNION", "DISTINCT", "BETWEEN", "FILTER",
    "OFFSET", "USING", "QUALIFY", "INNER", "OUTER", "EXISTS", "WHEN", "THEN", "ELSE",
)  # fmt: skip
# Key words of DuckDB that columns are called by.
_NAMES_TO_QUOTE: Final = frozenset(
    {"AT", "BINARY", "CHECK", "COLUMN", "DEFAULT", "END", "GENERATED", "MAP", "REFERENCES", "TABLE", "TO", "WINDOW"}
)  # fmt: skip
_BEFORE_A_NAME: Final = frozenset(
    {"SELECT", "DISTINCT", "FROM", "GROUP BY", "ORDER BY", "BY", "WHERE", "AND", "OR", "(", ","}
)
_BEHIND_A_NAME: Final = frozenset(
    {
        "FROM", "AS", "AND", "OR", "IS", "IN", "BETWEEN", "ORDER BY", "LIMIT", "DESC", "ASC", ")", ",", "=", "<", ">",
        "<=", ">=", "<>", "+", "-", "::", ";",
    }
)  # fmt: skip
_TIED_WITHOUT: Final = frozenset({"CROSS", "NATURAL", "POSITIONAL"})
_LEAST_ALIKE: Final = 0.85
_SHORTEST: Final = 4
_LONGEST: Final = 40
_NAMES: Final = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_ANYTHING: Final = (
    "Look for a comma, a parenthesis or a key word that is missing or too many. "
    "Texts stand in 'single quotes'."
)


_INSTEAD_OF_APPLY: Final = (
    "Write CROSS JOIN LATERAL (...), and LEFT JOIN LATERAL (...) ON TRUE for OUTER APPLY."
)


def syntax_hint(tokens: Sequence[Token], place: Place | None) -> str:
    """The likely mistake in a text that cannot be read at that place, or anywhere; else what to look for."""
    at = _index(tokens, place)
    rules: tuple[Callable[[], str], ...] = (
        lambda: _parentheses(tokens),
        lambda: _without_by(tokens),
        lambda: _applied(tokens),
        lambda: _untied(tokens),
        lambda: _table_in_parentheses(tokens),
        lambda: _unfinished(tokens),
        lambda: _out_of_order(tokens),
        lambda: _misspelt(tokens[: at + 1][-3:]),
        lambda: _case(tokens),
        lambda: _behind_pivot(tokens, at),
        lambda: _comma(tokens, at) if place is not None else "",
        lambda: _named_like_a_key_word(tokens),
    )
    return next(filter(None, (rule() for rule in rules)), _ANYTHING)


def _index(tokens: Sequence[Token], place: Place | None) -> int:
    """The number of the token at a place, which is where it begins or ends, as sqlglot says it; else of the last."""
    if place is None:
        return len(tokens) - 1
    before = [i for i, t in enumerate(tokens) if (t.line, t.col) <= (place.line, place.column)]
    return before[-1] if before else 0


def _word(token: Token) -> str:
    """A key word or a symbol in capitals; nothing for a text or a quoted name."""
    quoted = token.token_type in (TokenType.STRING, TokenType.IDENTIFIER)
    return "" if quoted else " ".join(token.text.upper().split())


def _where(token: Token) -> str:
    return str(Place(token.line, token.col))


def _parentheses(tokens: Sequence[Token]) -> str:
    opened: list[Token] = []
    for token in tokens:
        if _word(token) == "(":
            opened.append(token)
        elif _word(token) == ")":
            if not opened:
                return f"The parenthesis at {_where(token)} closes none."
            opened.pop()
    return f"The parenthesis at {_where(opened[-1])} is never closed." if opened else ""


def _without_by(tokens: Sequence[Token]) -> str:
    for before, token in zip((None, *tokens), tokens, strict=False):
        word = _word(token).removesuffix("BY")
        in_front = _word(before) if before is not None else ""
        if token.token_type is not TokenType.VAR or word not in ("GROUP", "ORDER", "PARTITION"):
            continue
        if in_front in ("FROM", "JOIN"):
            return f'{word} is a key word of SQL: as the name of a table it is written "{token.text}".'
        if in_front != "WITHIN":
            return f"Write {word} BY."
    return ""


def _applied(tokens: Sequence[Token]) -> str:
    """CROSS APPLY and OUTER APPLY of SQL Server."""
    applied = {_word(before) for before, token in pairwise(tokens) if _word(token) == "APPLY"}
    return _INSTEAD_OF_APPLY if applied & {"CROSS", "OUTER"} else ""


def _untied(tokens: Sequence[Token]) -> str:
    """USING without parentheses, or more tables that are joined than conditions that tie them."""
    words = [_word(token) for token in tokens]
    if words[:1] in (["PIVOT"], ["UNPIVOT"]):
        return ""
    for token, behind in pairwise(tokens):
        if _word(token) == "USING" and behind.token_type in _NAMES:
            return f"Write USING ({behind.text})."
    joins = [
        i for i, w in enumerate(words) if w == "JOIN" and not set(words[max(i - 2, 0) : i]) & _TIED_WITHOUT
    ]
    if len(joins) <= words.count("ON") + words.count("USING"):
        return ""
    place = _where(tokens[joins[-1]])
    return f"Say how the JOIN at {place} ties its tables together: JOIN t ON ... or JOIN t USING (...)."


def _table_in_parentheses(tokens: Sequence[Token]) -> str:
    """DuckDB reads joins and queries there, but since 2.0.1 no table alone."""
    for before, opened, name, behind in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        alone = _word(opened) == "(" and name.token_type in _NAMES and _word(behind) == ")"
        if alone and (_word(before) == "FROM" or _word(before).endswith("JOIN")):
            return f"Write {name.text} without parentheses, at {_where(opened)}."
    return ""


def _misspelt(near: Sequence[Token]) -> str:
    """A name just before the place that looks like a key word: its letters in another order, or nearly the same."""
    names = [t for t in near if t.token_type is TokenType.VAR and _SHORTEST <= len(t.text) <= _LONGEST]
    for is_meant in (_has_its_letters, _is_alike):
        for token in names:
            for keyword in _OFTEN_MISSPELT:
                if is_meant(token.text.upper(), keyword):
                    return f"Did you mean {keyword} instead of {token.text}?"
    return ""


def _has_its_letters(word: str, keyword: str) -> bool:
    return sorted(word) == sorted(keyword)


def _is_alike(word: str, keyword: str) -> bool:
    """Plurals of key words, such as orders and groups, are names that people give."""
    plural = word == f"{keyword}S"
    return not plural and difflib.SequenceMatcher(None, word, keyword).ratio() >= _LEAST_ALIKE


def _unfinished(tokens: Sequence[Token]) -> str:
    last = _word(tokens[-1]) if tokens else ""
    return f"The text ends after {last}, where something has to follow." if last in _WANTS_MORE else ""


def _out_of_order(tokens: Sequence[Token]) -> str:
    """A clause behind one that it has to stand before, in the same SELECT."""
    reached = [0]
    for before, token in zip((None, *tokens), tokens, strict=False):
        word = _word(token)
        if word == "(":
            reached.append(0)
        elif word == ")" and len(reached) > 1:
            reached.pop()
        elif word in _BEGINS_ANEW or word == "SELECT":
            reached[-1] = 0
        elif word in _ORDER:
            if word == "FROM" and before is not None and _word(before) == "SELECT":
                return "Say behind SELECT what is asked for, such as COUNT(*)."
            if _ORDER.index(word) < reached[-1]:
                return f"{word} stands before {_ORDER[reached[-1]]}."
            reached[-1] = _ORDER.index(word)
    return ""


def _case(tokens: Sequence[Token]) -> str:
    words = [_word(token) for token in tokens]
    return "CASE is closed by END." if words.count("CASE") > words.count("END") else ""


def _behind_pivot(tokens: Sequence[Token], at: int) -> str:
    """What chooses among the rows of a PIVOT that is a statement stands around it."""
    is_pivot = bool(tokens) and "PIVOT" in map(_word, tokens[:5])
    return "Write SELECT * FROM (PIVOT ...) WHERE ..." if is_pivot and _word(tokens[at]) == "HAVING" else ""


def _comma(tokens: Sequence[Token], at: int) -> str:
    """Two names side by side, of which the first is no alias; or one name with a blank in it."""
    names = [i for i in (at, at - 1) if i > 0 and {tokens[i].token_type, tokens[i - 1].token_type} <= _NAMES]
    if not names:
        return ""
    before, after = tokens[names[0] - 1], tokens[names[0]]
    first, second = before.text[:_LONGEST], after.text[:_LONGEST]
    called = [_word(t) for t in tokens[names[0] + 1 :][:1]] == ["("]
    one_name = not called and before.token_type is after.token_type is TokenType.VAR
    spaced = f' A name with a space is written in quotes: "{first} {second}".' if one_name else ""
    return f"Is a comma missing before {second}?{spaced}"


def _named_like_a_key_word(tokens: Sequence[Token]) -> str:
    """A word where a column stands, such as `at` in HOUR(at), that DuckDB takes for a key word."""
    words = [_word(t) for t in tokens]
    for token, before, word, behind in zip(tokens[1:], words, words[1:], (*words[2:], ";"), strict=False):
        if word in _NAMES_TO_QUOTE and before in _BEFORE_A_NAME and behind in _BEHIND_A_NAME:
            return (
                f'{token.text} is a key word of DuckDB: as the name of a column it is written "{token.text}".'
            )
    return ""
