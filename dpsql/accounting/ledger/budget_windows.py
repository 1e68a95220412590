"""When a budget's window begins and ends: calendar days, weeks and months in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import assert_never

from dpsql.policy.model import Window


def window_of(window: Window, at: int) -> tuple[int, int] | None:
    """The window's first second and the first second after it, around a moment; None for one that never ends.

    All in seconds since 1970.
    """
    day = datetime.fromtimestamp(at, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    match window:
        case Window.NEVER:
            return None
        case Window.DAILY:
            begin, end = day, day + timedelta(days=1)
        case Window.WEEKLY:
            begin = day - timedelta(days=day.weekday())
            end = begin + timedelta(days=7)
        case Window.MONTHLY:
            begin = day.replace(day=1)
            end = (begin + timedelta(days=32)).replace(day=1)
        case _:
            assert_never(window)
    return int(begin.timestamp()), int(end.timestamp())
