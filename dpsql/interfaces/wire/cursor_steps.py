"""Where a cursor stands among its rows, and which of them a FETCH or MOVE leads over."""

from __future__ import annotations

from dpsql.sql.parse.client_statements import Way


def stepped(at: int, size: int, way: Way, count: int | None) -> tuple[range, int]:
    """The numbers of the rows, in the order in which they are given, and where the cursor stands then.

    Rows are numbered from 1; a cursor stands on one of them, at 0 before the first, or at size + 1 behind the last.
    """
    if way is Way.ABSOLUTE and count is not None:
        return _row(count if count >= 0 else size + 1 + count, size)
    if way is Way.RELATIVE and count:
        return _row(at + count, size)
    if count == 0:
        return _row(at, size)[0], at
    if (way is Way.BACKWARD) != (count is not None and count < 0):
        return _back(at, count)
    return _on(at, size, count)


def _row(number: int, size: int) -> tuple[range, int]:
    is_there = 1 <= number <= size
    return range(number, number + is_there), min(max(number, 0), size + 1)


def _on(at: int, size: int, count: int | None) -> tuple[range, int]:
    """As many rows as the sign of `count` leaves; where there are fewer, it stands behind the last."""
    most = size if count is None else abs(count)
    last = min(at + most, size)
    rows = range(at + 1, last + 1)
    return rows, last if count is not None and len(rows) == most else size + 1


def _back(at: int, count: int | None) -> tuple[range, int]:
    most = at if count is None else abs(count)
    first = max(at - most, 1)
    rows = range(at - 1, first - 1, -1)
    return rows, first if count is not None and len(rows) == most else 0
