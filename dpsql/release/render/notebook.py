"""Answers and budgets as HTML for notebooks: nothing but what was released, escaped."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from dpsql.privacy import Cost
from dpsql.release.interval import Interval95

Around = Sequence[Sequence[Interval95 | None]]
"""For each row of an answer the 95 % interval of each cell, or None."""
ESTIMATED = "an estimate of all that is left out, which supposes groups alike; it is not one of 95 %"
_MOST_ROWS = 200
_DIGITS = 6
_MUTED = "color: gray; font-size: 85%"


def answer_html(
    names: Sequence[str],
    rows: Sequence[Sequence[object]],
    around: Around,
    charged: Cost,
    bias: Sequence[str],
) -> str:
    """A table whose noisy cells have their intervals beside them; below it the charge, and what may have biased it."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = ""
    for at, row in enumerate(rows[:_MOST_ROWS]):
        intervals = around[at] if at < len(around) else (None,) * len(row)
        body += f"<tr>{''.join(_cell(v, i) for v, i in zip(row, intervals, strict=True))}</tr>"
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div>{table}{''.join(map(_muted, _notes(len(rows), around, charged, bias)))}</div>"


def _notes(rows: int, around: Around, charged: Cost, bias: Sequence[str]) -> Iterator[str]:
    cost = f"charged epsilon {_number(charged.epsilon)}"
    if charged.delta:
        cost += f", delta {_number(charged.delta)}"
    noisy = any(i for row in around for i in row)
    yield f"95 % intervals in brackets; {cost}" if noisy else cost.capitalize()
    if rows > _MOST_ROWS:
        yield f"{rows - _MOST_ROWS} more rows"
    if any(i and i.total for row in around for i in row):
        yield f"to: {ESTIMATED}"
    yield from bias


def _muted(text: str) -> str:
    return f'<div style="{_MUTED}">{html.escape(text)}</div>'


def _cell(value: object, interval: Interval95 | None) -> str:
    numeric = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    text = html.escape(_shown(value))
    if interval is not None:
        text += f' <span style="{_MUTED}">{_around(interval)}</span>'
    return f'<td style="text-align: {"right" if numeric else "left"}">{text}</td>'


def _around(interval: Interval95) -> str:
    estimate = f" to {_number(interval.total.high)}" if interval.total is not None else ""
    return f"[{_number(interval.low)}, {_number(interval.high)}]{estimate}"


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


def budget_html(limit: Cost, remaining: Cost, queries_left: int | None) -> str:
    """A bar of what is spent of an analyst's epsilon, and how many more queries like the last there are."""
    whole, left = float(limit.epsilon), float(remaining.epsilon)
    share = min(max(1 - left / whole, 0.0), 1.0) if whole else 1.0
    bar = (
        '<div style="width: 24em; height: 1em; border: 1px solid gray">'
        f'<div style="width: {100 * share:.1f}%; height: 100%; background: steelblue"></div></div>'
    )
    more = ""
    if queries_left is not None:
        more = f": about {queries_left:,} more {'query' if queries_left == 1 else 'queries'} like the last"
    return f"<div>{bar}<div>epsilon {_number(left)} of {_number(whole)} left{more}</div></div>"
