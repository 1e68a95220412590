"""Texts cut out by regular expressions, joined with separators and filled up to a length."""

from __future__ import annotations

import re
from typing import Final

from dpsql.algebra.expressions import Call, Expr, Literal
from dpsql.algebra.facts import Fact
from dpsql.algebra.functions.coerce import needed
from dpsql.algebra.functions.lengths import of_first, of_joined, of_whole
from dpsql.algebra.functions.table import (
    Function,
    Mistyped,
    Signature,
    Takes,
    any_value,
    called,
    never_null,
)
from dpsql.algebra.functions.text.regex import check_pattern
from dpsql.algebra.functions.text.strings import check_growth, growth, rewritten_ratio
from dpsql.algebra.types import SqlType

_S, _I = SqlType.TEXT, SqlType.INTEGER
_MOST_FILLED: Final = 100
_MOST_SEPARATOR: Final = 100
# How many characters are matched again and again with 'g', and how often one may be read where that is known.
_MOST_MATCHED: Final = 256
_MOST_READ: Final = 200
_REFERENCE: Final = re.compile(r"\\(.?)", re.DOTALL)


def rows() -> tuple[Function, ...]:
    """The entries about pieces of text."""
    return (
        Function(
            "regexp_extract", ("regexp_extract",), Takes(2, 3, _extract_types, _S),
            "what a constant regular expression matches first, or its n-th group; '' where it does not",
            "{text}, '(o)(r)?', 2", emit=_emit_extract, longest=of_first,
        ),
        Function(
            "regexp_replace", ("regexp_replace",), Takes(3, 4, _replace_types, _S),
            "the first match of a constant regular expression, or with 'g' every one, replaced by a constant; with 'g' "
            f"of a pattern with at most one loop, of one character, or in {_MOST_MATCHED} characters of x",
            "{text}, '(.)(o)', '\\2\\1', 'g'", _replace_fact, _emit_replace,
        ),
        Function(
            "concat_ws", ("concat_ws",), Takes(2, None, _joined_types, _S), "joined by a constant, NULL left out",
            "'-', {text}, {text}", never_null, strict=False, longest=of_joined,
        ),
        _filled("lpad", "start"),
        _filled("rpad", "end"),
    )  # fmt: skip


def _filled(name: str, end: str) -> Function:
    summary = f"the first n characters, filled up at the {end} by a constant; n up to {_MOST_FILLED}"
    taken, emit = Takes(3, 3, _filled_types, _S), f"{name}({{0}}, CAST({{1}} AS INTEGER), {{2}})"
    return Function(name, (name,), taken, summary, "{text}, 4, 'o'", emit=emit, longest=of_whole)


def _text(arg: Expr) -> str | None:
    value = arg.value if isinstance(arg, Literal) else None
    return value if isinstance(value, str) else None


def _whole(arg: Expr) -> int | None:
    value = arg.value if isinstance(arg, Literal) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _extract_types(args: tuple[Expr, ...]) -> Signature:
    groups = check_pattern(_text(args[1])).groups
    group = _whole(args[2]) if len(args) == 3 else 0
    if group is None or not 0 <= group <= groups:
        raise Mistyped(
            "REGEXP_EXTRACT takes the number of a group of its pattern, or 0 for all that it matches"
        )
    return Signature((_S, _S) + (_I,) * (len(args) - 2), _S)


def _emit_extract(call: Call, args: tuple[str, ...], _facts: tuple[Fact, ...]) -> str:
    group = _whole(call.args[2]) if len(call.args) == 3 else 0
    return f"regexp_extract({args[0]}, {args[1]}, {group})"


def _replace_types(args: tuple[Expr, ...]) -> Signature:
    groups = check_pattern(_text(args[1])).groups
    options, replacement = _text(args[3]) if len(args) == 4 else "g", _text(args[2])
    if replacement is None or options != "g" or not _refers(replacement, groups):
        raise Mistyped(
            "REGEXP_REPLACE takes a constant that replaces, with \\1 for a group of its pattern, "
            "and 'g' for every match"
        )
    check_growth(growth(args[0]) * rewritten_ratio(args[2]))
    return Signature((_S,) * len(args), _S)


def _replace_fact(call: Call, facts: tuple[Fact, ...]) -> Fact:
    _check_work(call, facts)
    return any_value(call, facts)


def _emit_replace(call: Call, args: tuple[str, ...], facts: tuple[Fact, ...]) -> str:
    _check_work(call, facts)
    return called(call, args, facts)


def _check_work(call: Call, facts: tuple[Fact, ...]) -> None:
    """Every match of a pattern may look at the whole rest of the text: the work would grow with its square."""
    pattern = check_pattern(_text(call.args[1]))
    text, most = call.args[0], facts[0].longest
    once = len(call.args) == 3 or (most is not None and most <= _MOST_MATCHED)
    if not once and (pattern.tangled or growth(text) * max(pattern.longest, 1) > _MOST_READ):
        raise Mistyped(
            "REGEXP_REPLACE with 'g' takes a pattern that repeats one character without end at most once, outside of "
            f"|, as \\s+ or [^0-9]+ do, and otherwise matches at most {_MOST_READ} characters; or a text of at most "
            f"{_MOST_MATCHED} characters, as LEFT(x, {_MOST_MATCHED}) is"
        )


def _refers(replacement: str, groups: int) -> bool:
    """Whether every \\ in a replacement names a group that there is."""
    named = _REFERENCE.findall(replacement)
    return all(d.isascii() and d.isdigit() and int(d) <= groups for d in named) and replacement.isprintable()


def _joined_types(args: tuple[Expr, ...]) -> Signature:
    separator = _text(args[0])
    if separator is None or len(separator.encode(errors="replace")) > _MOST_SEPARATOR:
        raise Mistyped(f"CONCAT_WS takes first a constant separator of at most {_MOST_SEPARATOR} bytes")
    for a in args:
        if a.type not in (_S, SqlType.NULL):
            raise needed(SqlType.TEXT, a.type)
    check_growth(sum(growth(a) for a in args[1:]) + len(args))
    return Signature((_S,) * len(args), _S)


def _filled_types(args: tuple[Expr, ...]) -> Signature:
    length = _whole(args[1])
    if length is None or not 0 <= length <= _MOST_FILLED or not _text(args[2]):
        raise Mistyped(
            f"LPAD and RPAD take a constant length of at most {_MOST_FILLED} here, and a constant that fills"
        )
    return Signature((_S, _I, _S), _S)
