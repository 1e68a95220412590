"""Answers as text: cells with intervals for people, CSV and JSON for programs."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal

from dpsql.dbapi import Cursor
from dpsql.engines.base import OutputColumn, Row
from dpsql.interfaces.cli.terminal.visible import visible
from dpsql.release.render.interval_columns import with_interval_columns
from dpsql.release.render.type_codes import NUMBER
from dpsql.release.types import Interval95, Released, Span
from dpsql.slotted import dataclass

_LOPSIDED = 0.1
_MOST_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole answer, ready to be written: column names, DuckDB types, rows, and what was released."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[Row, ...]
    released: Released

    def interval(self, row: int, column: int) -> Interval95 | None:
        """The 95 % interval of a cell, or None where it carries no noise."""
        intervals = self.released.intervals
        return intervals[row][column] if intervals else None


def with_intervals(sheet: Sheet) -> Sheet:
    """The sheet with the ends of its 95 % intervals as columns of their own."""
    released = sheet.released
    columns = [OutputColumn(name, kind) for name, kind in zip(sheet.names, sheet.types, strict=True)]
    wide, rows = with_interval_columns(columns, sheet.rows, released.intervals, released.noisy)
    return Sheet(tuple(c.name for c in wide), tuple(c.type for c in wide), rows, released)


def sheet_of(cursor: Cursor) -> Sheet:
    """What the cursor's answer holds and has not been fetched yet."""
    description = cursor.description or ()
    return Sheet(
        tuple(column[0] for column in description),
        tuple(column[1] for column in description),
        tuple(cursor.fetchall()),
        cursor.release,
    )


def cells_for_people(sheet: Sheet) -> tuple[list[str], list[bool], list[list[str]]]:
    """The names of the columns, whether each holds numbers, and the cells of each row; nothing in them is invisible."""
    rows = [
        [shown(value, sheet.interval(i, j)) for j, value in enumerate(row)]
        for i, row in enumerate(sheet.rows)
    ]
    return [visible(name) for name in sheet.names], [t == NUMBER for t in sheet.types], rows


def as_markdown(sheet: Sheet) -> str:
    """A Markdown table with the same cells as on a terminal."""
    names, numbers, rows = cells_for_people(sheet)
    lines = [names, ["---:" if is_number else "---" for is_number in numbers], *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def as_expanded(sheet: Sheet) -> str:
    """A block of lines for each row, a line for each of its cells; the cells are those of a terminal's table."""
    names, _, rows = cells_for_people(sheet)
    width = max(map(len, names), default=0)
    blocks = (
        [f"-- row {number}", *(f"{name:<{width}} | {cell}" for name, cell in zip(names, cells, strict=True))]
        for number, cells in enumerate(rows, 1)
    )
    return "".join(f"{line}\n" for block in blocks for line in block)


def as_csv(sheet: Sheet) -> str:
    """CSV with a header; NULL is an empty field, numbers are written out exactly."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(sheet.names)
    writer.writerows(["" if v is None else _csv_field(v) for v in row] for row in sheet.rows)
    return text.getvalue()


def as_json(sheet: Sheet) -> str:
    """One JSON object: columns, rows, the intervals of each cell as [low, high] or null, the charge, and notes.

    `totals` are estimates of all that is left out, and `bias` the notes on it, which stand among `notes`, too.
    """
    released = sheet.released
    return _dumped(
        {
            "columns": [{"name": n, "type": t} for n, t in zip(sheet.names, sheet.types, strict=True)],
            "rows": [[_json_value(value) for value in row] for row in sheet.rows],
            "intervals": _by_cell(sheet, lambda i: i),
            "totals": _by_cell(sheet, lambda i: i.total),
            "charged": {"epsilon": float(released.epsilon), "delta": float(released.delta)},
            "bias": list(released.bias),
            "notes": list(released.notes),
        }
    )


def shown(value: object, interval: Interval95 | None) -> str:
    """A cell for people: `1,234 ± 56` where it is noisy (`0.4 [0.1, 0.5]` if lopsided), else as it is.

    `(to 1,350)` is the end of the estimate of all that is left out, where there is one.
    """
    if value is None:
        return "NULL"
    if interval is None or not isinstance(value, int | float | Decimal):
        return visible(f"{value:z.10g}" if isinstance(value, float) else plain(value))
    half = (interval.high - interval.low) / 2
    if not math.isfinite(half):
        return f"{plain(value)} ± ∞"
    decimals = 0 if isinstance(value, int) else _decimals(half)
    middle = (interval.high + interval.low) / 2
    if abs(float(value) - middle) > _LOPSIDED * half:
        low, high = _rounded(interval.low, decimals), _rounded(interval.high, decimals)
        return f"{_rounded(value, decimals)} [{low}, {high}]"
    estimate = f" (to {_rounded(interval.total.high, decimals)})" if interval.total is not None else ""
    return f"{_rounded(value, decimals)} ± {_rounded(half, decimals)}{estimate}"


def plain(value: object) -> str:
    """A value's text in SQL's spelling: true, 2025-03-01 12:30:00, 0.5; bytes in hexadecimal."""
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.isoformat(sep=" ")
        case date() | time():
            return value.isoformat()
        case bytes():
            return value.hex()
        case list() | tuple():
            return f"[{', '.join(map(_nested, value))}]"
        case dict():
            return f"{{{', '.join(f'{_nested(k)}: {_nested(v)}' for k, v in value.items())}}}"
    return str(value)


def _nested(value: object) -> str:
    return "NULL" if value is None else plain(value)


def _csv_field(value: object) -> str:
    """A cell of CSV; lists and structs are JSON."""
    return (
        json.dumps(_json_value(value), ensure_ascii=False) if isinstance(value, list | dict) else plain(value)
    )


def _rounded(value: int | float | Decimal, decimals: int) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:z,.{decimals}f}"


def _decimals(half: float) -> int:
    """Enough decimals to give an error two significant digits."""
    return min(_MOST_DECIMALS, max(0, 1 - math.floor(math.log10(half)))) if half > 0 else 2


def _json_value(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_json_value(item) for item in value]
    if isinstance(value, dict):
        return {plain(name): _json_value(item) for name, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else plain(value)


def _by_cell(sheet: Sheet, ends: Callable[[Interval95], Interval95 | Span | None]) -> list[list[object]]:
    """For each cell the two ends of what is told of it, or null."""
    cells = ((sheet.interval(i, j) for j in range(len(sheet.names))) for i in range(len(sheet.rows)))
    return [[_json_span(ends(i)) if i is not None else None for i in row] for row in cells]


def _json_span(span: Interval95 | Span | None) -> list[object] | None:
    return None if span is None else [_json_value(span.low), _json_value(span.high)]


def _dumped(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
