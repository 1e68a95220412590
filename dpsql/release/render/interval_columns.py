"""Intervals as columns of their own, behind the column that each belongs to, for files and frames."""

from __future__ import annotations

from collections.abc import Sequence

from dpsql.engines.base import OutputColumn, Row
from dpsql.release.interval import Interval95
from dpsql.release.render.type_codes import NUMBER

_TYPE = "DOUBLE"


def with_interval_columns(
    columns: Sequence[OutputColumn],
    rows: Sequence[Row],
    around: Sequence[Sequence[Interval95 | None]],
    noisy: Sequence[int],
) -> tuple[tuple[OutputColumn, ...], tuple[Row, ...]]:
    """The columns and rows with `x_low` and `x_high` behind each numeric column x at the places `noisy`.

    Both are NULL where a cell has no interval. A name that is taken already gets an underscore more.
    """
    places = [i for i in noisy if columns[i].type == NUMBER]
    taken = {c.name.lower() for c in columns}
    ends = {i: tuple(_free(f"{columns[i].name}_{end}", taken) for end in ("low", "high")) for i in places}
    wide = [c for i, column in enumerate(columns) for c in (column, *_pair(ends.get(i, ())))]
    return tuple(wide), tuple(
        tuple(
            value
            for i, cell in enumerate(row)
            for value in (cell, *(_ends(at, i, around) if i in ends else ()))
        )
        for at, row in enumerate(rows)
    )


def _free(name: str, taken: set[str]) -> str:
    while name.lower() in taken:
        name += "_"
    taken.add(name.lower())
    return name


def _pair(names: Sequence[str]) -> list[OutputColumn]:
    return [OutputColumn(name, _TYPE) for name in names]


def _ends(
    row: int, column: int, around: Sequence[Sequence[Interval95 | None]]
) -> tuple[float | None, float | None]:
    interval = around[row][column] if row < len(around) else None
    return (None, None) if interval is None else (interval.low, interval.high)
