"""Text: lengths, parts, searches and LIKE, whose results cannot grow out of proportion to the rows."""

from __future__ import annotations

import math
from dataclasses import replace

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.facts import Fact
from dpsql.algebra.functions import spell
from dpsql.algebra.functions.coerce import is_text_literal, needed
from dpsql.algebra.functions.lengths import of_all, of_first, of_part, of_replaced, of_substring
from dpsql.algebra.functions.ranges import interval, span, within
from dpsql.algebra.functions.table import (
    Function,
    Mistyped,
    Signature,
    Takes,
    any_null,
    called,
    never_null,
    takes,
)
from dpsql.algebra.functions.text.regex import check_pattern
from dpsql.algebra.types import SqlType

# The engine's text is shorter than 2^32 bytes, and it raises for positions beyond them.
_FAR = 2**32 - 1
# Of a text of which nothing says how long it may be. It is no range for a sum: see `plan/sums/grids.py`.
ANY_LENGTH = interval(0, 2**62)
_MOST_PATTERN = 1000
_MOST_GROWTH = 100
_ELEMENT = "list_extract(string_split({0}, {1}), {2})"

_S, _I, _B = SqlType.TEXT, SqlType.INTEGER, SqlType.BOOLEAN


def rows() -> tuple[Function, ...]:
    """The entries about text."""
    return (*_that_give_text(), *_that_look_into_text())


def _that_give_text() -> tuple[Function, ...]:
    text, part = takes(_S, gives=_S), takes(_S, _I, gives=_S)
    stripped = takes(_S, _S, gives=_S, optional=1)
    return (
        Function("lower", ("lower", "lcase"), text, "in lower case", "{text}", longest=of_first),
        Function("upper", ("upper", "ucase"), text, "in upper case", "{text}", longest=of_first),
        Function(
            "trim", ("trim",), stripped, "without spaces, or the characters of y, at both ends", "{text}",
            longest=of_first,
        ),
        Function(
            "ltrim", ("ltrim",), stripped, "without spaces, or the characters of y, at the start", "{text}, 'sn'",
            longest=of_first,
        ),
        Function(
            "rtrim", ("rtrim",), stripped, "without spaces, or the characters of y, at the end", "{text}, 'ht'",
            longest=of_first,
        ),
        Function("reverse", ("reverse",), text, "from the last character to the first", "{text}", longest=of_first),
        Function(
            "substring", ("substring", "substr"), takes(_S, _I, _I, gives=_S, optional=1),
            "the characters from a place counted from 1, or from the end if negative", "{text}, -3, 2",
            emit=_emit_part, longest=of_substring,
        ),
        Function(
            "split_part", ("split_part",), Takes(3, 3, _split_types, _S),
            "the n-th part between constant separators, '' where there is none; n is a constant, counted from the end "
            "if negative", "{text}, 'o', 2", emit=_emit_split, strict=False, longest=of_first,
        ),
        Function(
            "split_element", (), Takes(3, 3, _split_types, _S),
            "STRING_SPLIT(x, s)[n], which is SPLIT_PART(x, s, n), but NULL where there is no such part",
            fact=_may_be_missing, emit=_ELEMENT, longest=of_first,
        ),
        Function("left", ("left",), part, "the first n characters", "{text}, 2", emit=_emit_part, longest=of_part),
        Function("right", ("right",), part, "the last n characters", "{text}, 2", emit=_emit_part, longest=of_part),
        Function(
            "concat", ("concat",), Takes(1, None, _joined_types, _S), "joined, NULL left out", "{text}, '-', {text}",
            never_null, strict=False, longest=of_all,
        ),
        Function("concat_op", (), Takes(2, 2, _joined_types, _S), "x || y", emit="({0} || {1})", longest=of_all),
        Function(
            "replace", ("replace",), Takes(3, 3, _replace_types, _S),
            "every occurrence of a constant by another constant", "{text}, 'o', 'x'", longest=of_replaced,
        ),
        Function(
            "translate", ("translate",), Takes(3, 3, _translate_types, _S),
            "each character of a constant by that at its place in another constant, or by none where that is shorter",
            "{text}, 'aeo', '12'", longest=of_first,
        ),
    )  # fmt: skip


def _that_look_into_text() -> tuple[Function, ...]:
    two_texts, escaped = takes(_S, _S, gives=_B), Takes(3, 3, _escaped_types, _B)
    like, regex = Takes(2, 2, _like_types, _B), Takes(2, 2, _regex_types, _B)
    return (
        Function(
            "length", ("length", "len", "char_length", "character_length"), takes(_S, gives=_I),
            "the number of characters", "{text}", _length_fact,
        ),
        Function(
            "ascii", ("ascii",), takes(_S, gives=_I), "the code of the first character, 0 for none", "{text}",
            _code_fact, "CAST(ascii({0}) AS BIGINT)",
        ),
        Function("like", (), like, "x LIKE a constant pattern", emit=_emit_like),
        Function("ilike", (), like, "x ILIKE a constant pattern", emit=_emit_like),
        Function("like_escape", (), escaped, "x LIKE a constant pattern ESCAPE a character", emit=_emit_escaped),
        Function("ilike_escape", (), escaped, "x ILIKE a constant pattern ESCAPE a character", emit=_emit_escaped),
        Function(
            "regexp_matches", ("regexp_matches",), Takes(2, 3, _regex_types, _B),
            "whether a constant regular expression matches in x; with 'i' in any case", "{text}, '^(n|so).*t'",
        ),
        Function(
            "regexp_full_match", ("regexp_full_match",), regex,
            "whether a constant regular expression matches all of x", "{text}, '[a-z]*h'",
        ),
        Function("starts_with", ("starts_with", "prefix"), two_texts, "whether x begins with y", "{text}, 'n'"),
        Function("ends_with", ("ends_with", "suffix"), two_texts, "whether x ends with y", "{text}, 'h'"),
        Function("contains", ("contains",), two_texts, "whether y stands in x", "{text}, 'o'"),
        Function(
            "strpos", ("strpos", "instr"), takes(_S, _S, gives=_I), "where y first stands in x, or 0", "{text}, 'o'",
            _place_fact,
        ),
    )  # fmt: skip


def _code_fact(_call: Call, facts: tuple[Fact, ...]) -> Fact:
    return Fact(_I, any_null(facts), interval(0, 0x10FFFF))


def _length_fact(_call: Call, facts: tuple[Fact, ...]) -> Fact:
    most = facts[0].longest
    return Fact(_I, any_null(facts), ANY_LENGTH if most is None else interval(0, most))


def _place_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    """No farther than the text is long; but an empty text stands at 1 in every text, also in an empty one."""
    fact = _length_fact(call, facts)
    return replace(fact, interval=interval(0, 1)) if facts[0].longest == 0 else fact


def _split_types(args: tuple[Expr, ...]) -> Signature:
    place = args[2].value if isinstance(args[2], Literal) else None
    is_place = isinstance(place, int) and not isinstance(place, bool) and abs(place) <= _MOST_PATTERN
    if not (is_place and is_text_literal(args[1]) and 1 <= _bytes(args[1]) <= _MOST_PATTERN):
        raise Mistyped(
            "a text is split at a constant separator of at least one character, and the number of the part is a "
            f"constant, 1 to {_MOST_PATTERN} from the start or -1 to -{_MOST_PATTERN} from the end"
        )
    return Signature((_S, _S, _I), _S)


def _emit_split(_call: Call, args: tuple[str, ...], _facts: tuple[Fact, ...]) -> str:
    """The engine's own is a macro that writes the text twice: such calls within one another double it."""

    def part(text: str) -> str:
        found = _ELEMENT.format(text, *args[1:])
        return f"(CASE WHEN {text} IS NOT NULL THEN coalesce({found}, '') END)"

    return spell.once(args[0], part)


def _may_be_missing(_call: Call, _facts: tuple[Fact, ...]) -> Fact:
    return Fact(_S, True)


def _emit_part(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    places = (_place(a, f) for a, f in zip(args[1:], facts[1:], strict=True))
    return called(call, (args[0], *places), facts)


def _place(sql: str, fact: Fact) -> str:
    """A position or length that the engine accepts; beyond it there is no text."""
    near = sql if within(span(fact), interval(-_FAR, _FAR)) else spell.clamped(sql, -_FAR, _FAR)
    return spell.cast_to(near, "BIGINT") if spell.is_huge(fact) else near


def _joined_types(args: tuple[Expr, ...]) -> Signature:
    for a in args:
        if a.type not in (_S, SqlType.NULL):
            raise needed(SqlType.TEXT, a.type)
    check_growth(sum(growth(a) for a in args))
    return Signature((_S,) * len(args), _S)


def _replace_types(args: tuple[Expr, ...]) -> Signature:
    if not (is_text_literal(args[1]) and is_text_literal(args[2])):
        raise Mistyped("REPLACE takes constants for what is searched and for what replaces it")
    check_growth(growth(args[0]) * _ratio(args[1], args[2]))
    return Signature((_S,) * len(args), _S)


def _translate_types(args: tuple[Expr, ...]) -> Signature:
    if not all(is_text_literal(a) and _bytes(a) <= _MOST_PATTERN for a in args[1:]):
        raise Mistyped(f"TRANSLATE takes constants of at most {_MOST_PATTERN} bytes for the characters")
    check_growth(growth(args[0]) * _widest(args[2]))
    return Signature((_S,) * len(args), _S)


def _widest(characters: Expr) -> int:
    """The most bytes of one of the characters, which may stand in the place of one byte."""
    text = str(characters.value) if isinstance(characters, Literal) else ""
    return max((len(c.encode(errors="replace")) for c in text), default=1)


def _ratio(search: Expr, replacement: Expr) -> int:
    """How many times longer, at most, replacing makes a text."""
    return max(1, math.ceil(_bytes(replacement) / max(1, _bytes(search))))


def _bytes(expr: Expr) -> int:
    return len(str(expr.value).encode(errors="replace")) if isinstance(expr, Literal) else 0


def rewritten_ratio(replacement: Expr) -> int:
    """How many times longer, at most, REGEXP_REPLACE makes a text: it may put what replaces between any two bytes."""
    return 1 + _bytes(replacement)


def growth(expr: Expr) -> int:
    """How many times longer than the longest text of a row the value can be, apart from changes of case."""
    if not isinstance(expr, Call) or not expr.args:
        return 1
    if expr.op in ("concat", "concat_op"):
        return sum(growth(a) for a in expr.args)
    if expr.op == "concat_ws":
        return sum(growth(a) for a in expr.args[1:]) + len(expr.args)
    if expr.op == "regexp_replace":
        return growth(expr.args[0]) * rewritten_ratio(expr.args[2])
    if expr.op == "replace":
        return growth(expr.args[0]) * _ratio(expr.args[1], expr.args[2])
    if expr.op == "translate":
        return growth(expr.args[0]) * _widest(expr.args[2])
    return max(growth(a) for a in expr.args)


def added(expr: Expr) -> int:
    """How many bytes of a text the constants of the query add to what a row has, at most."""
    if isinstance(expr, Literal):
        return _bytes(expr) if expr.type is SqlType.TEXT else 0
    if not isinstance(expr, Call):
        return 0
    args = expr.args
    if expr.op == "case":
        last = len(args) - 1
        args = tuple(a for i, a in enumerate(args) if i % 2 or i == last)
    each = [added(a) for a in args]
    if expr.op in ("concat", "concat_op"):
        return sum(each)
    if expr.op == "concat_ws":
        return sum(each[1:]) + each[0] * len(each)
    if expr.op in ("replace", "regexp_replace", "translate"):
        return each[0] * (growth(expr) // growth(args[0]))
    return max(each, default=0)


def check_growth(times: int) -> None:
    if times > _MOST_GROWTH:
        raise Mistyped(
            f"the text could become more than {_MOST_GROWTH} times as long as a row's; join fewer parts"
        )


def _regex_types(args: tuple[Expr, ...]) -> Signature:
    check_pattern(args[1].value if isinstance(args[1], Literal) else None)
    if args[2:] and args[2] != Literal("i", _S):
        raise Mistyped("the only option of REGEXP_MATCHES is 'i', for letters in any case")
    return Signature((_S,) * len(args), _B)


def _like_types(args: tuple[Expr, ...]) -> Signature:
    if not is_text_literal(args[1]):
        raise Mistyped("LIKE takes a constant pattern")
    if _bytes(args[1]) > _MOST_PATTERN:
        raise Mistyped(f"a LIKE pattern has at most {_MOST_PATTERN} bytes")
    return Signature((_S, _S), _B)


def _emit_like(call: Call, args: tuple[str, ...], _facts: tuple[Fact, ...]) -> str:
    """The match of a text with a constant pattern, in linear time; ILIKE compares in lower case, as the engine does.

    DuckDB matches a pattern with `_` and several `%` by backtracking, whose time grows with a power of the text's
    length. Such a pattern becomes a regular expression, which RE2 matches in linear time (R. Cox, "Regular
    Expression Matching in the Wild", 2010); every other pattern is matched in one pass by the engine itself.
    """
    pattern = call.args[1]
    assert isinstance(pattern, Literal) and isinstance(pattern.value, str)
    folded = call.op == "ilike"
    subject = f"lower({args[0]})" if folded else args[0]
    if "_" in pattern.value and "%" in pattern.value:
        expression = "(?s)" + "".join(_piece(c, folded) for c in pattern.value)
        return f"regexp_full_match({subject}, {spell.text(expression)})"
    return f"({subject} LIKE {f'lower({args[1]})' if folded else args[1]})"


def _escaped_types(args: tuple[Expr, ...]) -> Signature:
    _like_types(args[:2])
    escape = args[2].value if isinstance(args[2], Literal) else None
    # A letter is none: ILIKE changes the case of the pattern and not that of the character.
    if not isinstance(escape, str) or len(escape) > 1 or not escape.isascii() or escape.isalpha():
        raise Mistyped("ESCAPE takes one constant character of ASCII that is no letter")
    if _letters(args) is None:
        raise Mistyped("the pattern of LIKE ends in its escape character")
    return Signature((_S, _S, _S), _B)


def _letters(args: tuple[Expr, ...]) -> tuple[tuple[str, bool], ...] | None:
    """The characters that a pattern with an escape is made of, and which of them are escaped.

    None where nothing stands behind the last escape, at which the engine raises.
    """
    pattern, escape = (str(a.value) if isinstance(a, Literal) else "" for a in args[1:])
    letters: list[tuple[str, bool]] = []
    escaped = False
    for char in pattern:
        if not escaped and char == escape:
            escaped = True
            continue
        letters.append((char, escaped))
        escaped = False
    return None if escaped else tuple(letters)


def _emit_escaped(call: Call, args: tuple[str, ...], _facts: tuple[Fact, ...]) -> str:
    """The match as a regular expression, in linear time, like that of a pattern without an escape."""
    folded = call.op == "ilike_escape"
    pieces = (
        _escaped(c, folded) if escaped else _piece(c, folded) for c, escaped in _letters(call.args) or ()
    )
    subject = f"lower({args[0]})" if folded else args[0]
    return f"regexp_full_match({subject}, {spell.text('(?s)' + ''.join(pieces))})"


def _escaped(char: str, folded: bool) -> str:
    return f"\\x{{{ord(char):X}}}" if char in "%_" else _piece(char, folded)


def _piece(char: str, folded: bool) -> str:
    if char in "%_":
        return ".*" if char == "%" else "."
    # The engine folds characters one by one, so that a longer lower case begins with the one it takes.
    plain = char.lower()[0] if folded else char
    return plain if plain.isascii() and plain.isalnum() else f"\\x{{{ord(plain):X}}}"
