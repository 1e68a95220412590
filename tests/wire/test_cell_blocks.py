"""Messages made of whole columns are, byte for byte, those made of the same rows value by value."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from datetime import date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpsql.engines.base import OutputColumn
from dpsql.engines.column_rows import Column, ColumnRows, NumberColumn, NumberKind, TextColumn
from dpsql.interfaces.wire.failures import Unsendable
from dpsql.interfaces.wire.values.data_rows import data_rows, written_as
from dpsql.interfaces.wire.values.digit_blocks import decimal_digits
from dpsql.interfaces.wire.values.text_values import text_writer
from dpsql.interfaces.wire.values.wire_types import TYPES

DAY, MOMENT = date(1970, 1, 1), datetime(1970, 1, 1)
EDGES: dict[str, list[object]] = {
    "BOOLEAN": [True, False],
    "SMALLINT": [0, 1, -1, 9, 10, -10, 2**15 - 1, -(2**15)],
    "INTEGER": [0, 99, 100, -100, 2**31 - 1, -(2**31)],
    "BIGINT": [0, -1, 10**9, 2**32, -(2**32), 10**18, 10**18 - 1, -(10**18), 2**63 - 1, -(2**63)],
    "FLOAT": [0.0, 0.10000000149011612, -1.5, math.inf],
    "DOUBLE": [
        *(0.0, -0.0, 0.5, -0.5, 1.25, 100.0, 0.1, 0.3, 0.30000000000000004, 1e-4, -1e-4, 1e-5, 1e15, -1e15, 1e14),
        *(999999999999999.0, 99999999999999.9, 12345678901.2345, 5e-324, 1.7e308, math.inf, -math.inf, math.nan),
    ],
    "VARCHAR": ["", "a", "ä€😀", "x" * 63, "y" * 64, "tab\t and 'quotes'"],
    "DATE": [date.min, date.max, DAY, date(2000, 2, 29), date(1900, 3, 1), date(999, 12, 31)],
    "TIMESTAMP": [
        *(datetime.min, datetime.max, MOMENT, datetime(1969, 12, 31, 23, 59, 59, 999_999)),
        *(datetime(2024, 2, 29, 1, 2, 3, 400_000), datetime(2024, 2, 29, 10, 20, 30), datetime(1, 1, 1, 0, 0, 0, 1)),
    ],
}  # fmt: skip
RANDOM: dict[str, Callable[[random.Random], object]] = {
    "BOOLEAN": lambda rng: rng.random() < 0.5,
    "SMALLINT": lambda rng: rng.randint(-(2**15), 2**15 - 1),
    "INTEGER": lambda rng: rng.randint(-(2**31), 2**31 - 1),
    "BIGINT": lambda rng: rng.randint(-(2 ** rng.randint(1, 63)), 2 ** rng.randint(1, 63) - 1),
    "FLOAT": lambda rng: float(np.float32(rng.gauss(0, 100))),
    "DOUBLE": lambda rng: rng.choice((rng.gauss(0, 1e3), round(rng.gauss(0, 1e6), rng.randint(0, 6)))),
    "VARCHAR": lambda rng: "é" * rng.randint(0, 9),
    "DATE": lambda rng: date.fromordinal(rng.randint(1, date.max.toordinal())),
    "TIMESTAMP": lambda rng: MOMENT + timedelta(microseconds=rng.randint(-(10**16), 10**17)),
}
KINDS = {
    "BOOLEAN": NumberKind.BOOLEAN,
    "FLOAT": NumberKind.DOUBLE,
    "DOUBLE": NumberKind.DOUBLE,
    "DATE": NumberKind.DAYS,
    "TIMESTAMP": NumberKind.MICROSECONDS,
}


def number(value: object) -> int | float:
    """A value as a column holds it."""
    match value:
        case None:
            return 0
        case datetime():
            return (value - MOMENT) // timedelta(microseconds=1)
        case date():
            return (value - DAY).days
        case int() | float():
            return value
    raise TypeError


def column(kind: str, values: list[object]) -> Column:
    """Values as a column."""
    marks = np.array([v is None for v in values])
    nulls = marks if marks.any() else None
    if kind == "VARCHAR":
        data = "".join(f"{'' if v is None else v}\0" for v in values).encode()
        return TextColumn(data, 0, np.flatnonzero(np.frombuffer(data, np.uint8) == 0), nulls)
    of = KINDS.get(kind, NumberKind.INTEGER)
    numbers = np.array(list(map(number, values)), np.float64 if of is NumberKind.DOUBLE else np.int64)
    return NumberColumn(of, numbers, nulls)


def sent(rows: ColumnRows, kinds: list[str], form: int) -> tuple[bytes, bytes]:
    """The messages of rows as columns, and as rows."""
    columns = written_as([OutputColumn("a", kind) for kind in kinds], [form] * len(kinds))
    return b"".join(data_rows(rows, columns)), b"".join(data_rows(tuple(rows), columns))


@pytest.mark.parametrize("form", [0, 1])
@pytest.mark.parametrize("kind", sorted(EDGES))
def test_columns_are_sent_as_their_rows_are(kind: str, form: int) -> None:
    rng = random.Random(kind)
    drawn = [RANDOM[kind](rng) for _ in range(600)]
    for values in (drawn, (EDGES[kind] * 300)[:5000], [EDGES[kind][-1]] * 300):
        for some in (values, [None if i % 3 == 0 else v for i, v in enumerate(values)], [None] * 300):
            rows = ColumnRows((column(kind, list(some)),))
            fast, slow = sent(rows, [kind], form)
            assert fast == slow
            assert fast.count(b"D") >= len(rows)


@pytest.mark.parametrize("form", [0, 1])
def test_columns_of_all_types_stand_side_by_side(form: int) -> None:
    rng = random.Random(3)
    values = {k: [None if rng.random() < 0.1 else RANDOM[k](rng) for _ in range(9000)] for k in EDGES}
    rows = ColumnRows(tuple(column(k, v) for k, v in values.items()))
    fast, slow = sent(rows, list(values), form)
    assert fast == slow
    for part in (rows.part(300, 700), rows.part(8999, 9000), rows.part(5, 5)):
        fast, slow = sent(part, list(values), form)
        assert fast == slow


def test_one_long_text_among_short_ones_is_sent_as_well() -> None:
    values: list[object] = ["a"] * 300 + ["x" * 100_000] + [None] * 300
    fast, slow = sent(ColumnRows((column("VARCHAR", values),)), ["VARCHAR"], 0)
    assert fast == slow and len(fast) > 100_000


@given(st.lists(st.floats() | st.decimals(-(10**12), 10**12, places=4).map(float), min_size=1, max_size=5))
@example([99999999999.9999])
@example([-0.0, 1.0])
@settings(max_examples=150)
def test_doubles_are_written_by_their_shortest_digits(numbers: list[float]) -> None:
    made = decimal_digits(np.array(numbers))
    write = text_writer(TYPES["float8"])
    if made is not None:
        table, held = made
        assert [bytes(t[h]).decode() for t, h in zip(table, held, strict=True)] == list(map(write, numbers))
    elif all(0 < abs(n) < 1e11 and n == round(n, 4) for n in numbers):
        pytest.fail("these have few places")


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=256, max_size=260))
@settings(max_examples=15)
def test_integers_are_written_with_all_their_digits(numbers: list[int]) -> None:
    fast, slow = sent(ColumnRows((column("BIGINT", [*numbers]),)), ["BIGINT"], 0)
    assert fast == slow


def test_a_number_out_of_the_range_of_its_type_is_not_sent_in_binary() -> None:
    rows = ColumnRows((NumberColumn(NumberKind.INTEGER, np.full(300, 2**31)),))
    with pytest.raises(Unsendable):
        list(data_rows(rows, written_as([OutputColumn("a", "INTEGER")], [1])))


def test_a_column_of_another_type_is_not_sent() -> None:
    rows = ColumnRows((NumberColumn(NumberKind.INTEGER, np.full(300, 1)),))
    for kind in ("VARCHAR", "DATE", "DOUBLE"):
        with pytest.raises(Unsendable):
            list(data_rows(rows, written_as([OutputColumn("a", kind)], [0])))
