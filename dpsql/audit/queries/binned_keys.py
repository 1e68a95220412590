"""Coarser values of columns with many, as keys of queries that are drawn."""

from __future__ import annotations

import random

from dpsql.audit.queries.expressions import Ref
from dpsql.audit.queries.schema_view import ColumnView

# Ranges wider than this are cut into pieces before they are grouped by.
_FEW = 20
_DAY = 86_400_000_000
_PIECES = (("minute", 60_000_000), ("hour", _DAY // 24), ("day", _DAY), ("week", 7 * _DAY), ("month", 30 * _DAY),
           ("quarter", 91 * _DAY), ("year", 365 * _DAY))  # fmt: skip


def pieces(ref: Ref, draw: random.Random) -> list[tuple[str, str]]:
    """Coarser values of a column with many."""
    interval = ref.column.interval if ref.column is not None else None
    if ref.kind == "int" and interval is not None and wide(ref.column):
        size = max(int(interval.width) // 7, 2)
        return [(f"{ref.sql} // {size}", "int"), (f"{ref.sql} // {size} * {size}", "int")]
    if ref.kind == "int" and interval is None:
        return [(f"FLOOR({ref.sql} / 7) * 7", "float")]
    if ref.kind == "float" and interval is not None:
        size = max(int(interval.width) // 5, 1)
        rounded = f"{draw.choice(('FLOOR', 'CEIL', 'ROUND'))}({ref.sql} / {size})"
        few = [(f"ROUND({ref.sql}, -1)", "float")] if interval.width <= 500 else []
        return [(rounded, "float"), (f"CAST({rounded} AS BIGINT) * {size}", "int"), *few]
    if ref.kind not in ("date", "ts"):
        return []
    width = 0 if interval is None else int(interval.width) * (_DAY if ref.kind == "date" else 1)
    usual = [
        unit for unit, size in _PIECES if 1 <= width // size <= 70 and (ref.kind == "ts" or size >= _DAY)
    ]
    unit = draw.choice(usual or ["month"])
    part = draw.choice(("month", "yearweek", "doy", "decade"))
    few = [(f"time_bucket(INTERVAL {max(width // _DAY // 9, 1)} DAY, {ref.sql})", ref.kind)] if width else []
    return [
        (f"date_trunc('{unit}', {ref.sql})", "ts"),
        (f"CAST(date_trunc('month', {ref.sql}) AS DATE)", "date"),
        (f"EXTRACT({part} FROM {ref.sql})", "int"),
        *few,
    ]


def wide(column: ColumnView | None) -> bool:
    """Whether a column of numbers has a range without a list of values that has too many for groups."""
    if column is None or column.kind != "int" or column.interval is None:
        return False
    return not column.values and column.interval.width > _FEW
