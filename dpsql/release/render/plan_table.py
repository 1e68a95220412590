"""A plan as a table: for a terminal in columns of text, for notebooks as HTML."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence

_GAP = "  "
_WIDEST_NAME = 60
_NARROWEST_NAME = 16
_MUTED = "color: gray; font-size: 85%"
Table = Sequence[Sequence[str]]
"""Rows of cells, the headings first; the first column is text, the others numbers or short words."""


def aligned(table: Table, width: int | None = None) -> list[str]:
    """The table as lines with a rule below its headings; names in the first column are folded to fit `width`."""
    widths = [max(len(row[i]) for row in table) for i in range(1, len(table[0]))]
    rest = sum(widths) + len(_GAP) * len(widths)
    room = _WIDEST_NAME if width is None else max(_NARROWEST_NAME, min(_WIDEST_NAME, width - rest))
    folded = [textwrap.wrap(row[0], room) or [""] for row in table]
    first = max(len(line) for lines in folded for line in lines)
    head, *body = (
        "\n".join([_line(first, names[0], row[1:], widths), *names[1:]])
        for names, row in zip(folded, table, strict=True)
    )
    return "\n".join([head, "─" * (first + rest), *body]).split("\n")


def _line(first: int, name: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    numbers = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
    return _GAP.join([name.ljust(first), *numbers]).rstrip()


def described(table: Table, width: int | None = None) -> list[str]:
    """Two columns of text as lines with a rule below the headings; the second is folded to fit `width`."""
    first = min(max(len(row[0]) for row in table), _WIDEST_NAME)
    room = None if width is None else max(_NARROWEST_NAME, width - first - len(_GAP))
    blocks = [(row[0].ljust(first), wrapped(row[1], room)) for row in table]
    lines = [
        [f"{name}{_GAP}{text[0]}".rstrip(), *(" " * (first + len(_GAP)) + more for more in text[1:])]
        for name, text in blocks
    ]
    longest = max(len(line) for block in lines for line in block)
    head, *body = lines
    return [*head, "─" * longest, *(line for block in body for line in block)]


def wrapped(text: str, width: int | None, indent: str = "") -> list[str]:
    """The text in lines of that width, further lines indented; as it is without a width."""
    if width is None:
        return [text]
    return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def tables_html(tables: Sequence[Table], notes: Sequence[str], code: Sequence[str]) -> str:
    """Tables one below the other, then notes, then SQL; all of it escaped."""
    shown = "".join(map(_table_html, tables))
    below = "".join(f'<div style="{_MUTED}">{html.escape(note)}</div>' for note in notes)
    return f"<div>{shown}{below}{''.join(f'<pre>{html.escape(text)}</pre>' for text in code)}</div>"


def _table_html(table: Table) -> str:
    head, *rows = table
    names = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(map(_cell_html, range(len(row)), row))}</tr>" for row in rows)
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def _cell_html(at: int, cell: str) -> str:
    return f'<td style="text-align: {"right" if at else "left"}">{html.escape(cell)}</td>'
