"""Strings behind an E, as PostgreSQL and DuckDB have them and clients write what has a backslash: E'a\\tb'."""

from __future__ import annotations

import re
import sys
from types import MappingProxyType
from typing import Final

OPENING: Final = re.compile(r"(?<![\w$&])[eE]'")
"""Where a text may have such a string."""
_ESCAPE: Final = re.compile(
    r"""''|\\(?:
        x(?P<hex>[0-9a-fA-F]{1,2}) | (?P<octal>[0-7]{1,3})
        | u(?P<pair>[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})
        | u(?P<four>[0-9a-fA-F]{4}) | U(?P<eight>[0-9a-fA-F]{8})
        | (?P<one>.)
    )""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPED: Final = MappingProxyType({"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"})


def without_escapes(written: str) -> str | None:
    """The same string without E and escapes, as long as it was; None for an escape that is not one character.

    A blank takes the place of the E, so that no two strings come to touch.
    """
    try:
        meant = _ESCAPE.sub(_meant, written[2:-1])
    except ValueError:
        return None
    quoted = meant.replace("'", "''")
    return f" '{quoted}'".ljust(len(written))


def _meant(escape: re.Match[str]) -> str:
    """The character of an escape, \\u00e9 as in PostgreSQL: DuckDB leaves out the backslash alone.

    Raises ValueError for bytes beyond ASCII, which would have to be put together to one, and for what is no character.
    """
    kind = escape.lastgroup
    if kind is None:
        return "'"
    written = escape[kind]
    if kind == "one":
        if written in "uU":
            raise ValueError
        return _ESCAPED.get(written, written)
    if kind == "pair":
        high, low = (int(unit, 16) for unit in written.split("\\u"))
        return chr(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))
    number = int(written, 8 if kind == "octal" else 16)
    if number == 0 or 0xD800 <= number < 0xE000 or number > sys.maxunicode:
        raise ValueError
    if kind in ("hex", "octal") and number >= 0x80:
        raise ValueError
    return chr(number)
