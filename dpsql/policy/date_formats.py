"""The strptime formats of dates and timestamps that are supported, and what they match."""

from __future__ import annotations

import re

_PARTS = {
    "%Y": "[0-9]{4}",
    "%y": "[0-9]{2}",
    "%m": "[0-9]{1,2}",
    "%b": "[A-Za-z]{3}",
    "%B": "[A-Za-z]{3,9}",
    "%d": "[0-9]{1,2}",
    "%H": "[0-9]{1,2}",
    "%I": "[0-9]{1,2}",
    "%p": "[AaPp][Mm]",
    "%M": "[0-9]{1,2}",
    "%S": "[0-9]{1,2}",
    "%f": "[0-9]{1,6}",
    "%%": "%",
}
_SPLIT = re.compile("(%.?)", re.DOTALL)
_OF_A_DAY = (("%Y", "%y"), ("%m", "%b", "%B"), ("%d",))
_CLOCK = ("%H", "%I", "%p", "%M", "%S", "%f")


def check_format(written: str, *, clock: bool) -> None:
    """ValueError unless this is a format of a day, or with `clock` of a day and a time, without a time zone."""
    parts = _SPLIT.findall(written)
    unknown = next((p for p in parts if p not in _PARTS), None)
    if unknown is not None:
        supported = " ".join(_PARTS)
        raise ValueError(f"{unknown} is no part of a format here; the parts are {supported}")
    if not written.isprintable():
        raise ValueError("must not hold control or invisible characters")
    twice = next((p for p in parts if p != "%%" and parts.count(p) > 1), None)
    if twice is not None:
        raise ValueError(f"names {twice} twice")
    if any(sum(p in parts for p in group) != 1 for group in _OF_A_DAY):
        raise ValueError("must name the year, the month and the day once each, as %Y-%m-%d does")
    if not clock and any(p in parts for p in _CLOCK):
        raise ValueError("a date has no time of day; declare the column a timestamp")


def format_pattern(written: str) -> str:
    """The regular expression of the texts that may be in this format; whether the day exists is not in it."""
    pieces = _SPLIT.split(written)
    return "".join(_PARTS.get(piece) or literal_pattern(piece) for piece in pieces)


def literal_pattern(text: str) -> str:
    """A regular expression, for RE2 and in a class of characters too, of exactly this text."""
    return "".join(rf"\x{{{ord(c):X}}}" for c in text)
