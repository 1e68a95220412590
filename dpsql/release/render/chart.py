"""An answer as bars with 95 % error bars; needs altair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dpsql.errors import InterfaceError, NotSupportedError
from dpsql.release.render.notebook import Around

if TYPE_CHECKING:
    import altair

_WIDTH, _HEIGHT = 480, 260
_KEY, _VALUE, _LOW, _HIGH = "group", "value", "low", "high"


def chart(
    names: Sequence[str], rows: Sequence[Sequence[object]], around: Around, note: str | None
) -> altair.VConcatChart:
    """A panel for each noisy column: a bar for each row, named by the columns without noise, and its 95 % interval.

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
    if note is not None:
        drawn = drawn.properties(
            title=altair.TitleParams(note, fontSize=11, fontWeight="normal", orient="bottom")
        )
    return drawn


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
    return altair.layer(
        base.mark_bar(color="steelblue").encode(y=value),
        base.mark_errorbar(ticks=True).encode(y=low, y2=high),
    ).properties(width=_WIDTH, height=_HEIGHT)


def _bar(name: str, value: object, interval: tuple[float, float] | None) -> dict[str, object]:
    low, high = interval if interval is not None else (None, None)
    return {_KEY: name, _VALUE: _finite(value), _LOW: _finite(low), _HIGH: _finite(high)}


def _name(value: object) -> str:
    if isinstance(value, datetime) and value.time() == datetime.min.time():
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else "NULL" if value is None else str(value)


def _finite(value: object) -> float | None:
    if not isinstance(value, int | float | Decimal) or not math.isfinite(value):
        return None
    return float(value)
