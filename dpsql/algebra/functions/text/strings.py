"""Text: lengths, parts, searches and LIKE, whose results cannot grow out of proportion to the rows."""

from __future__ import annotations

import math

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.facts import Fact
from dpsql.algebra.functions import spell
from dpsql.algebra.functions.coerce import is_text_literal, needed
from dpsql.algebra.functions.logic import three_valued
from dpsql.algebra.functions.ranges import any_null, interval, span, within
from dpsql.algebra.functions.table import EmitRule, Function, Mistyped, Signature
from dpsql.algebra.functions.text.patterns import emit_like
from dpsql.algebra.functions.text.regex import check_pattern
from dpsql.algebra.types import SqlType

# The engine's text is shorter than 2^32 bytes, and it raises for positions beyond them.
_FAR = 2**32 - 1
# Of a text of which nothing says how long it may be. It is no range for a sum: see `plan/sums/grids.py`.
ANY_LENGTH = interval(0, 2**62)
_MOST_PATTERN = 1000
_MOST_GROWTH = 100

_S, _I, _B = SqlType.TEXT, SqlType.INTEGER, SqlType.BOOLEAN


def rows() -> tuple[Function, ...]:
    """The rows of the table about text."""
    return (*_whole_texts(), *_parts(), *_joined(), *_searches())


def _of(arg: SqlType, count: int, result: SqlType) -> Signature:
    return Signature((arg,) * count, result)


def _to_text(args: tuple[Expr, ...]) -> Signature:
    return _of(_S, len(args), _S)


def _to_length(args: tuple[Expr, ...]) -> Signature:
    return _of(_S, len(args), _I)


def _to_truth(args: tuple[Expr, ...]) -> Signature:
    return _of(_S, len(args), _B)


def _text_fact(_call: Call, facts: tuple[Fact, ...]) -> Fact:
    return Fact(_S, any_null(facts))


def _length_fact(_call: Call, facts: tuple[Fact, ...]) -> Fact:
    most = facts[0].longest
    return Fact(_I, any_null(facts), ANY_LENGTH if most is None else interval(0, most))


def _called(name: str) -> EmitRule:
    return lambda _call, args, _facts: f"{name}({', '.join(args)})"


def _whole_texts() -> tuple[Function, ...]:
    summaries = (
        ("lower", ("lower", "lcase"), "in lower case"),
        ("upper", ("upper", "ucase"), "in upper case"),
        ("trim", ("trim",), "without spaces at both ends"),
        ("ltrim", ("ltrim",), "without spaces at the start"),
        ("rtrim", ("rtrim",), "without spaces at the end"),
        ("reverse", ("reverse",), "from the last character to the first"),
    )
    lengths = ("length", "len", "char_length", "character_length")
    return (
        *(Function(n, s, (1, 1), _to_text, _text_fact, _called(n), summary) for n, s, summary in summaries),
        Function(
            "length", lengths, (1, 1), _to_length, _length_fact, _called("length"), "the number of characters"
        ),
    )


def _parts() -> tuple[Function, ...]:
    return (
        Function(
            "substring",
            ("substring", "substr"),
            (2, 3),
            _part_types,
            _text_fact,
            _emit_part("substring"),
            "the characters from a place counted from 1, or from the end if negative",
        ),
        Function(
            "split_part",
            ("split_part",),
            (3, 3),
            _split_types,
            _text_fact,
            _called("split_part"),
            "the n-th part between constant separators; n is a constant",
        ),
        Function(
            "left", ("left",), (2, 2), _part_types, _text_fact, _emit_part("left"), "the first n characters"
        ),
        Function(
            "right", ("right",), (2, 2), _part_types, _text_fact, _emit_part("right"), "the last n characters"
        ),
    )


def _part_types(args: tuple[Expr, ...]) -> Signature:
    return Signature((_S,) + (_I,) * (len(args) - 1), _S)


def _split_types(args: tuple[Expr, ...]) -> Signature:
    place = args[2].value if isinstance(args[2], Literal) else None
    known = isinstance(place, int) and not isinstance(place, bool) and 1 <= place <= _MOST_PATTERN
    if not (known and is_text_literal(args[1]) and 1 <= _bytes(args[1]) <= _MOST_PATTERN):
        raise Mistyped(
            f"SPLIT_PART takes a constant separator and a constant number of the part, 1 to {_MOST_PATTERN}"
        )
    return Signature((_S, _S, _I), _S)


def _emit_part(name: str) -> EmitRule:
    def emit(_call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
        places = [_place(a, f) for a, f in zip(args[1:], facts[1:], strict=True)]
        return f"{name}({', '.join((args[0], *places))})"

    return emit


def _place(sql: str, fact: Fact) -> str:
    """A position or length that the engine accepts; beyond it there is no text."""
    near = sql if within(span(fact), interval(-_FAR, _FAR)) else spell.clamped(sql, -_FAR, _FAR)
    return spell.cast_to(near, "BIGINT") if spell.is_huge(fact) else near


def _joined() -> tuple[Function, ...]:
    return (
        Function(
            "concat",
            ("concat",),
            (1, None),
            _joined_types,
            _concat_fact,
            _called("concat"),
            "joined, NULL left out",
        ),
        Function("concat_op", (), (2, 2), _joined_types, _text_fact, _emit_concat_op, "x || y"),
        Function(
            "replace",
            ("replace",),
            (3, 3),
            _replace_types,
            _text_fact,
            _called("replace"),
            "every occurrence of a constant by another constant",
        ),
    )


def _joined_types(args: tuple[Expr, ...]) -> Signature:
    for a in args:
        if a.type not in (_S, SqlType.NULL):
            raise needed(SqlType.TEXT, a.type)
    check_growth(sum(growth(a) for a in args))
    return _to_text(args)


def _concat_fact(_call: Call, _facts: tuple[Fact, ...]) -> Fact:
    return Fact(_S, False)


def _emit_concat_op(_call: Call, args: tuple[str, ...], _facts: tuple[Fact, ...]) -> str:
    return f"({args[0]} || {args[1]})"


def _replace_types(args: tuple[Expr, ...]) -> Signature:
    if not (is_text_literal(args[1]) and is_text_literal(args[2])):
        raise Mistyped("REPLACE takes constants for what is searched and for what replaces it")
    check_growth(growth(args[0]) * _ratio(args[1], args[2]))
    return _to_text(args)


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
    if expr.op in ("replace", "regexp_replace"):
        return each[0] * (growth(expr) // growth(args[0]))
    return max(each, default=0)


def check_growth(times: int) -> None:
    if times > _MOST_GROWTH:
        raise Mistyped(
            f"the text could become more than {_MOST_GROWTH} times as long as a row's; join fewer parts"
        )


def _searches() -> tuple[Function, ...]:
    def truth(name: str, spellings: tuple[str, ...], summary: str) -> Function:
        return Function(name, spellings, (2, 2), _to_truth, three_valued, _called(name), summary)

    places = ("strpos", "instr")
    return (
        Function("like", (), (2, 2), _like_types, three_valued, emit_like, "x LIKE a constant pattern"),
        Function("ilike", (), (2, 2), _like_types, three_valued, emit_like, "x ILIKE a constant pattern"),
        Function(
            "regexp_matches",
            ("regexp_matches",),
            (2, 2),
            _regex_types,
            three_valued,
            _called("regexp_matches"),
            "whether a constant regular expression matches in x",
        ),
        Function(
            "regexp_full_match",
            ("regexp_full_match",),
            (2, 2),
            _regex_types,
            three_valued,
            _called("regexp_full_match"),
            "whether a constant regular expression matches all of x",
        ),
        truth("starts_with", ("starts_with", "prefix"), "whether x begins with y"),
        truth("ends_with", ("ends_with", "suffix"), "whether x ends with y"),
        truth("contains", ("contains",), "whether y stands in x"),
        Function(
            "strpos",
            places,
            (2, 2),
            _to_length,
            _length_fact,
            _called("strpos"),
            "where y first stands in x, or 0",
        ),
    )


def _regex_types(args: tuple[Expr, ...]) -> Signature:
    check_pattern(args[1].value if isinstance(args[1], Literal) else None)
    return _to_truth(args)


def _like_types(args: tuple[Expr, ...]) -> Signature:
    if not is_text_literal(args[1]):
        raise Mistyped("LIKE takes a constant pattern")
    if _bytes(args[1]) > _MOST_PATTERN:
        raise Mistyped(f"a LIKE pattern has at most {_MOST_PATTERN} bytes")
    return _to_truth(args)
