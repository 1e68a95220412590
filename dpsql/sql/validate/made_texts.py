"""How long the texts are that one call can make of texts of known lengths."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.literals import whole
from dpsql.sql.ast.positions import place_of
from dpsql.sql.dialect import Node

COLUMN_TEXT = 1_000
"""What a column's text is taken to be at most: 100 of them may be joined."""
VALUE_TEXT = 100
"""What a number, a date or an interval is at most as text."""
MOST_PADDED = 10_000
"""The most characters that LPAD and RPAD may make of a text."""
MOST_PATTERN = 1_000
# What one letter of a format of STRFTIME stands for at most, as in %c.
_FORMAT_PIECE = 32
_MOST_MATCHED = 2 * COLUMN_TEXT
# What DuckDB refuses to draw beyond.
_LONGEST_BAR = 1_000
# A number of four digits, or one that is given as a value, could make a place as wide as memory is.
_WIDE_PLACE = re.compile(r"[0-9]{4}|\*|\{[^}]*\{")
# 999 digits before or behind the point of a double, which has up to 309 others, and as many commas.
_WIDEST = 2_000
_OF_NUMBERS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Predicate)
LISTING = ("array_append", "array_prepend", "list_append", "list_pack", "list_prepend", "list_value")
JOINING = ("add", "array_cat", "array_concat", "list_concat")
"""Calls that put values into a list, and lists behind one another, as `+` does."""


def made_text(node: Node, parts: list[int]) -> int:
    """How long the text is that a call makes of texts of these lengths."""
    most = max(parts, default=0)
    name = str(node.this).lower() if isinstance(node, exp.Anonymous) else ""
    grow = _GROWING.get(type(node), _GROWING_CALLS.get(name))
    if grow is not None:
        return grow(node, parts)
    return VALUE_TEXT if isinstance(node, _OF_NUMBERS) else max(most, VALUE_TEXT)


def joined_text(node: Node, parts: list[int]) -> int:
    """How long texts are behind one another, and lists."""
    return sum(parts)


def _listed(node: Node, parts: list[int]) -> int:
    """A value takes room in a list even if it is empty, and as text it stands in quotes, with a sign before some."""
    return sum(2 * part + 6 for part in parts)


def _joined_with(node: Node, parts: list[int]) -> int:
    return sum(parts) + parts[0] * len(parts)


def _replaced(node: Node, parts: list[int]) -> int:
    text, searched, replacement = parts[0], node.expression, parts[-1]
    size = len(searched.this) if isinstance(searched, exp.Literal) else 1
    return text if replacement <= size else text + text // max(size, 1) * replacement


def _spelled(node: Node, parts: list[int]) -> int:
    """A text that is put at each place of another, or between any two letters of it."""
    return max(parts[0], 1) * (1 + max(parts[1:], default=0))


def _padded(node: Node, parts: list[int]) -> int:
    length = whole(node.expression.this) if isinstance(node.expression, exp.Literal) else None
    if length is None or length > MOST_PADDED:
        raise QueryRefused(
            f"LPAD and RPAD take a constant length of at most {MOST_PADDED}", place=place_of(node)
        )
    return max(length, VALUE_TEXT)


def _repeated(node: Node, parts: list[int]) -> int:
    times = node.expressions[1] if len(node.expressions) == 2 else None
    number = whole(times.this) if isinstance(times, exp.Literal) else None
    if number is None or number > MOST_PADDED:
        raise QueryRefused(f"REPEAT takes a constant number of at most {MOST_PADDED}", place=place_of(node))
    return max(parts[0] * number, VALUE_TEXT)


def _printed(node: Node, parts: list[int]) -> int:
    """The texts, and for each place of one the digits of the longest number and the widest place."""
    form = node.expressions[0] if node.expressions else None
    if not isinstance(form, exp.Literal) or not form.is_string or _WIDE_PLACE.search(form.this):
        raise QueryRefused(
            "FORMAT and PRINTF take a constant text first, with at most three digits side by side",
            place=place_of(node),
            hint="Write FORMAT('{:,} of {}', n, region).",
        )
    text: str = form.this
    places = text.count("{") + text.count("%")
    return len(text) + places * (max(parts[1:], default=0) + _WIDEST)


def _has_braces(node: Node) -> bool:
    """Whether FORMAT is DuckDB's, and not PostgreSQL's or a format that is given as a value."""
    return bool(node.expressions) and node.expressions[0].is_string and "{" in node.expressions[0].name


def _coded(node: Node, parts: list[int]) -> int:
    """A character has up to four bytes, and a byte up to eight digits."""
    return 32 * max(parts[0], 1) + VALUE_TEXT


def _escaped(node: Node, parts: list[int]) -> int:
    """A character may become six, as a line feed of a terminal does; values stand between quotes and commas."""
    return 6 * sum(parts) + 4 * len(parts) + VALUE_TEXT


def _formatted(node: Node, parts: list[int]) -> int:
    return max(parts) * _FORMAT_PIECE + VALUE_TEXT


def _matched(node: Node, parts: list[int]) -> int:
    if parts[1] > MOST_PATTERN or parts[0] > _MOST_MATCHED:
        raise QueryRefused(
            f"a regular expression has at most {MOST_PATTERN} characters and is matched with at most {_MOST_MATCHED}",
            place=place_of(node),
            hint="Match a part of the text, as SUBSTR(x, 1, 100) is, with a shorter pattern.",
        )
    return VALUE_TEXT


def _cut_out(node: Node, parts: list[int]) -> int:
    return max(_matched(node, parts), parts[0]) if len(parts) > 1 else max(parts, default=0)


def _rewritten(node: Node, parts: list[int]) -> int:
    """What replaces may stand between any two characters, and have the whole text in it."""
    return _cut_out(node, parts) + (parts[0] + 1) * parts[2] if len(parts) > 2 else max(parts, default=0)


_GROWING: Mapping[type[Node], Callable[[Node, list[int]], int]] = MappingProxyType(
    {
        exp.DPipe: joined_text,
        exp.Concat: joined_text,
        exp.ConcatWs: _joined_with,
        **dict.fromkeys((exp.Array, exp.ArrayAgg), _listed),
        exp.Replace: _replaced,
        exp.Pad: _padded,
        exp.TimeToStr: _formatted,
        **dict.fromkeys((exp.RegexpLike, exp.RegexpFullMatch), _matched),
    }
)

_GROWING_CALLS: Mapping[str, Callable[[Node, list[int]], int]] = MappingProxyType(
    {
        **dict.fromkeys(LISTING, _listed),
        **dict.fromkeys(JOINING, joined_text),
        "array_to_string": _spelled,
        "bar": lambda node, parts: _LONGEST_BAR,
        "format": lambda node, parts: (_printed if _has_braces(node) else _spelled)(node, parts),
        "printf": _printed,
        **dict.fromkeys(("bin", "hex", "to_binary", "to_hex", "url_encode"), _coded),
        **dict.fromkeys(("json_array", "json_object", "to_json"), _escaped),
        "repeat": _repeated,
        "regexp_extract": _cut_out,
        "regexp_replace": _rewritten,
    }
)
