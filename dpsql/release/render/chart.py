"""An answer as bars with 95 % error bars; needs altair."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dpsql.errors import InterfaceError, NotSupportedError
from dpsql.release.interval import Interval95
from dpsql.release.render.notebook import ESTIMATED, Around

if TYPE_CHECKING:
    import altair

_WIDTH, _HEIGHT = 480, 260
_LINE = 90
_KEY, _VALUE, _LOW, _HIGH, _ESTIMATE = "group", "value", "low", "high", "estimate"


def chart(
    names: Sequence[str], rows: Sequence[Sequence[object]], around: Around, bias: Sequence[str]
) -> altair.VConcatChart:
    """A panel for each noisy column: a bar for each row, named by the columns without noise, and its 95 % interval.

    A dashed line leads to the estimate of all that is left out, where there is one. `bias` stands below the panels.
    What is drawn is what was released. Raises InterfaceError without altair, and NotSupportedError for an answer
    without noisy columns or with rows whose intervals are not known.
    """
    try:
        import altair
    except ImportError:
        raise InterfaceError("a plot needs altair: pip install 'dpsql[altair]'") from None
    noisy = [c for c in range(len(names)) if any(row[c] is not None for row in around)]
    if not noisy:
        raise NotSupportedError("there is nothing to plot: no column of the answer carries noise of its own")
    keys = [c for c in range(len(names)) if c not in noisy]
    panels = [_panel(altair, c, keys, names, rows, around) for c in noisy]
    drawn: altair.VConcatChart = altair.vconcat(*panels)
    lines = _below(around, bias)
    if lines:
        drawn = drawn.properties(
            title=altair.TitleParams(lines, fontSize=11, fontWeight="normal", orient="bottom", anchor="start")
        )
    return drawn


def _below(around: Around, bias: Sequence[str]) -> list[str]:
    """The lines below the panels."""
    estimated = any(i and i.total for row in around for i in row)
    notes = [f"dashed: {ESTIMATED}", *bias] if estimated else bias
    return [line for note in notes for line in textwrap.wrap(note, _LINE)]


def _panel(
    altair: Any,
    at: int,
    keys: list[int],
    names: Sequence[str],
    rows: Sequence[Sequence[object]],
    around: Around,
) -> Any:
    data = [
        _bar(", ".join(_name(row[k]) for k in keys) or names[at], row[at], intervals[at])
        for row, intervals in zip(rows, around, strict=True)
    ]
    title = ", ".join(names[k] for k in keys)
    base = altair.Chart(altair.Data(values=data)).encode(
        x=altair.X(
            f"{_KEY}:N", title=title, sort=None, axis=altair.Axis(labelAngle=0 if len(data) < 8 else -45)
        )
    )
    value = altair.Y(f"{_VALUE}:Q", title=names[at])
    low, high = altair.Y(f"{_LOW}:Q", title=names[at]), altair.Y2(f"{_HIGH}:Q")
    layers = [
        base.mark_bar(color="steelblue").encode(y=value),
        base.mark_errorbar(ticks=True).encode(y=low, y2=high),
    ]
    if any(_ESTIMATE in bar for bar in data):
        above = altair.Y(f"{_HIGH}:Q", title=names[at]), altair.Y2(f"{_ESTIMATE}:Q")
        layers.append(base.mark_rule(strokeDash=[3, 3], color="gray").encode(y=above[0], y2=above[1]))
    return altair.layer(*layers).properties(width=_WIDTH, height=_HEIGHT)


def _bar(name: str, value: object, interval: Interval95 | None) -> dict[str, object]:
    low, high = (interval.low, interval.high) if interval is not None else (None, None)
    bar: dict[str, object] = {_KEY: name, _VALUE: _finite(value), _LOW: _finite(low), _HIGH: _finite(high)}
    if interval is not None and interval.total is not None:
        bar[_ESTIMATE] = _finite(interval.total.high)
    return bar


def _name(value: object) -> str:
    if isinstance(value, datetime) and value.time() == datetime.min.time():
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else "NULL" if value is None else str(value)


def _finite(value: object) -> float | None:
    if not isinstance(value, int | float | Decimal) or not math.isfinite(value):
        return None
    return float(value)
