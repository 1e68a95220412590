"""Answers and budgets as HTML for notebooks: nothing but what was released, escaped."""

from __future__ import annotations

import html
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpsql.release.types import Answer, BudgetReport, Interval95, Released

_MOST_ROWS = 200
_DIGITS = 6
_WITHHELD = "groups of few units are withheld"
_MUTED = "color: gray; font-size: 85%"


def answer_html(answer: Answer) -> str:
    """A table whose noisy cells have their 95 % intervals beside them, and what it was charged below it."""
    intervals = answer.released.intervals
    head = "".join(f"<th>{html.escape(c.name)}</th>" for c in answer.columns)
    rows = []
    for at, row in enumerate(answer.rows[:_MOST_ROWS]):
        around = intervals[at] if at < len(intervals) else (None,) * len(row)
        rows.append("".join(_cell(v, i) for v, i in zip(row, around, strict=True)))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div>{table}{''.join(_muted(note) for note in _notes(answer))}</div>"


def withheld(released: Released) -> str | None:
    """A note on the groups that an answer by private keys leaves out, or None; which they are is not known."""
    if not any(_WITHHELD in r.note for r in released.releases):
        return None
    return "Withheld: groups of too few people. Which they are, and how many, is private."


def _notes(answer: Answer) -> Sequence[str]:
    notes = [f"95 % intervals in brackets; charged epsilon {_number(answer.released.epsilon)}"]
    if answer.released.delta:
        notes[0] += f", delta {_number(answer.released.delta)}"
    if not any(i for row in answer.released.intervals for i in row):
        notes[0] = notes[0].partition("; ")[2].capitalize()
    hidden = len(answer.rows) - _MOST_ROWS
    notes += [f"{hidden} more rows"] if hidden > 0 else []
    note = withheld(answer.released)
    return [*notes, note] if note else notes


def _muted(text: str) -> str:
    return f'<div style="{_MUTED}">{html.escape(text)}</div>'


def _cell(value: object, interval: Interval95 | None) -> str:
    numeric = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    text = html.escape(_shown(value))
    if interval is not None:
        text += f' <span style="{_MUTED}">[{_number(interval.low)}, {_number(interval.high)}]</span>'
    return f'<td style="text-align: {"right" if numeric else "left"}">{text}</td>'


def _shown(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, float | Decimal):
        return _number(value)
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value.isoformat() if isinstance(value, date) else str(value)


def _number(value: float | Decimal | Fraction) -> str:
    number = float(value)
    whole = abs(number) >= 10 ** (_DIGITS - 1) and abs(number) < 1e15
    return f"{number:,.0f}" if whole else f"{number:,.{_DIGITS}g}"


def budget_html(report: BudgetReport) -> str:
    """A bar of what is spent of an analyst's epsilon, and how many more queries like the last there are."""
    limit, remaining = float(report.limit.epsilon), float(report.remaining.epsilon)
    share = min(max(1 - remaining / limit, 0.0), 1.0) if limit else 1.0
    bar = (
        '<div style="width: 24em; height: 1em; border: 1px solid gray">'
        f'<div style="width: {100 * share:.1f}%; height: 100%; background: steelblue"></div></div>'
    )
    told = f"epsilon {_number(remaining)} of {_number(limit)} left"
    more = report.queries_left
    told += (
        "" if more is None else f": about {more:,} more {'query' if more == 1 else 'queries'} like the last"
    )
    return f"<div>{bar}<div>{told}</div></div>"
