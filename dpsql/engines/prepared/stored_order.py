"""In which order prepared rows stand: by time in coarse blocks, and in each by the columns that have few values.

Equal values side by side take little room and time to read, and a condition passes over the rows between. Nothing that
is released depends on the order: what is asked of rows are sums of integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from math import inf

from dpsql.algebra.catalog import ColumnInfo, TableInfo
from dpsql.algebra.scan import quoted
from dpsql.algebra.types import SqlType
from dpsql.engines.base import LISTS
from dpsql.engines.sqlgen.relation import code_of, plain

_SPAN = f'{LISTS}."span of time"'
_BLOCK_ROWS = 2**20
"""About how many rows a block has: some times as many as DuckDB stores together, so that few values make long runs."""
_MOST_BLOCKS = 2**20
_MOST_VALUES = 1_000


def time_span(info: TableInfo, tables: Mapping[str, TableInfo]) -> str | None:
    """What fills a table for `stored_order`: where a block is and how long all are; None where there are none.

    The middle half of a sample's rows is divided into blocks, which go on as long before and after it: what times a few
    rows have, such as a last day of all, does not change them.
    """
    time = _time(info)
    if time is None:
        return None
    rows = plain(info, frozenset({time.name}), tables, owned=False)
    sample = f"SELECT epoch({quoted(time.name)}) AS s FROM ({rows}) USING SAMPLE 1% (bernoulli)"
    first, middle, last = (f"quantile_disc(s, {part})" for part in (0.25, 0.5, 0.75))
    blocks = f"(count(*) * 100 / 2 / {_BLOCK_ROWS})"
    span = f"SELECT {middle} AS middle, ({last} - {first}) / {blocks} AS length FROM ({sample})"
    return f"CREATE OR REPLACE TABLE {_SPAN} AS {span}"


def stored_order(info: TableInfo, coded: frozenset[str]) -> list[str]:
    """The terms of an ORDER BY of the rows as they are stored, which may read what `time_span` fills.

    Nothing where no column has few values and none is of time. `coded` are the columns that are stored as codes, too.
    """
    time, few = _time(info), [_code(c, coded) for c in _of_few_values(info, coded)]
    return [
        *([_number(_block(time), few)] if few else []),
        *([quoted(time.name)] if time is not None else []),
    ]


def ranked_order(info: TableInfo, coded: frozenset[str], unit: str, place: str, share: str) -> list[str]:
    """The terms of an ORDER BY of rows that have a place among their unit's, which are that share of the table's.

    A unit's rows stand together in a block and by their places, so that who keeps the first of them hardly ever finds
    one that is before the others. Units stand by the least values that they have in the columns of few values: of what
    is the same in all rows of a unit, as an age, that is its value, and of what is not, it is the same for most units.
    """
    codes = (_code(c, coded) for c in _of_few_values(info, coded))
    least = [(f"min({code}) OVER (PARTITION BY {unit})", count) for code, count in codes]
    time = _time(info)
    return [*([_number(_block(time, share), least)] if time is not None or least else []), unit, place]


def _number(block: str, codes: Sequence[tuple[str, int]]) -> str:
    """One number for all of them: DuckDB takes twice as long to sort by several."""
    return reduce(lambda before, code: f"({before} * {code[1]} + {code[0]})", codes, block)


def _block(time: ColumnInfo | None, share: str = "1") -> str:
    """The number of a row's block in time; rows without a time stand first, in one of their own.

    Of a share of the rows, blocks are so much longer.
    """
    if time is None:
        return "0"
    since = f"(epoch({quoted(time.name)}) - (SELECT middle FROM {_SPAN}))"
    number = f"{since} / (SELECT nullif(length, 0) FROM {_SPAN}) * {share}"
    return f"CAST(round(least(greatest({number}, -{_MOST_BLOCKS}), {_MOST_BLOCKS})) AS BIGINT)"


def _time(info: TableInfo) -> ColumnInfo | None:
    """The first column of time, by which most tables grow and most conditions choose."""
    return next(
        (c for c in info.columns if c.type in (SqlType.DATE, SqlType.TIMESTAMP) and not c.hidden), None
    )


def _of_few_values(info: TableInfo, coded: frozenset[str]) -> list[ColumnInfo]:
    """The columns of few values, no more than still make runs of equal ones in a block; one number holds them all.

    Those with a list stand first, since rows are grouped by them, and those with the fewest values before others.
    """
    sizes_of = {c.name: _number_of_values(c, coded) for c in info.columns if not c.hidden}
    few = [c for c in info.columns if sizes_of.get(c.name, inf) <= _MOST_VALUES]
    chosen, combinations = [], 1.0
    for column in sorted(few, key=lambda c: (c.name not in coded, sizes_of[c.name])):
        if combinations < _BLOCK_ROWS:
            chosen.append(column)
            combinations *= sizes_of[column.name]
    return chosen


def _number_of_values(column: ColumnInfo, coded: frozenset[str]) -> float:
    """How many values a column can have by the policy, NULL among them, where they are found by number."""
    interval = column.fact.interval
    if column.name in coded:
        return len(column.values or ()) + 1
    if column.type is SqlType.BOOLEAN:
        return 3
    if column.type is SqlType.INTEGER and interval is not None:
        return float(interval.width + 2)
    return inf


def _code(column: ColumnInfo, coded: frozenset[str]) -> tuple[str, int]:
    """The number of a value among those of a column, NULL being the last, and how many there are."""
    count, value = int(_number_of_values(column, coded)), quoted(column.name)
    if column.name in coded:
        value = f"enum_code({quoted(code_of(column.name))})"
    elif column.type is SqlType.INTEGER and column.fact.interval is not None:
        value = f"{value} - ({int(column.fact.interval.lo)})"
    return f"coalesce(CAST({value} AS BIGINT), {count - 1})", count
