"""Text that shows as it is on a terminal, whatever stands in it."""

from __future__ import annotations


def visible(text: str, *, width_kept: bool = False) -> str:
    """The text with control and invisible characters escaped, or each replaced by one mark."""
    if text.isprintable():
        return text
    if width_kept:
        return "".join(c if c.isprintable() else _mark(c) for c in text)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _mark(character: str) -> str:
    return " " if character == "\t" else "\N{REPLACEMENT CHARACTER}"
