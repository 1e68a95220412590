"""Answers as tables with intervals for people, and as CSV and JSON for programs."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
from decimal import Decimal
from fractions import Fraction

import pytest
from rich.console import Console

from dpsql.interfaces.cli.answer_formats import (
    Sheet,
    as_csv,
    as_expanded,
    as_json,
    as_markdown,
    cells_for_people,
    plain,
    shown,
    with_intervals,
)
from dpsql.interfaces.cli.terminal.drawn import as_table
from dpsql.privacy import FREE, Cost
from dpsql.release.types import Explanation, Interval95, Released, Span

NOISY = Sheet(
    ("region", "orders", "mean"),
    ("VARCHAR", "BIGINT", "DOUBLE"),
    (("north", 1234, 12.3456), (None, -3, None)),
    Released(
        Cost(Fraction(1, 2), Fraction(1, 10**6)),
        lambda: Explanation(Fraction(1, 2), Fraction(0), (), "", ("a note",), bias=("clipped at 500",)),
        lambda: (
            (None, Interval95(1178, 1290, Span(1178, 1350)), Interval95(12.2456, 12.4456)),
            (None, Interval95(-59, 53), None),
        ),
    ),
)


def drawn(sheet: Sheet) -> str:
    out = io.StringIO()
    Console(file=out, width=100).print(as_table(*cells_for_people(sheet)))
    return out.getvalue()


@pytest.mark.parametrize(
    ("value", "interval", "text"),
    [
        (1234, (1178, 1290), "1,234 ± 56"),
        (-3, (-59, 53), "-3 ± 56"),
        (12.3456, (12.2456, 12.4456), "12.35 ± 0.10"),
        (1234567.8, (1233567.8, 1235567.8), "1,234,568 ± 1,000"),
        (0.00123, (0.00113, 0.00133), "0.00123 ± 0.00010"),
        (Decimal("99.50"), (98.5, 100.5), "99.5 ± 1.0"),
        (0.4, (0.1, 0.5), "0.40 [0.10, 0.50]"),
        (-0.4, (-25, 37), "0 [-25, 37]"),
        (14.4, (-0.4, 52), "14 [0, 52]"),
        (Decimal("-0.4"), (-25, 37.0), "0 [-25, 37]"),
        (-0.0, None, "0"),
        (5, (5, 5), "5 ± 0"),
        (5, (-math.inf, math.inf), "5 ± ∞"),
        (None, (0, 1), "NULL"),
        (None, None, "NULL"),
        (2025, None, "2025"),
        (0.1 + 0.2, None, "0.3"),
        ("[red]a\nb", None, "[red]a\\nb"),
        (True, None, "true"),
        (dt.date(2025, 3, 1), None, "2025-03-01"),
        (dt.datetime(2025, 3, 1, 12, 30), None, "2025-03-01 12:30:00"),
        (b"\x00\xff", None, "00ff"),
        (2**100 + 1, (2**100 - 56, 2**100 + 56), f"{2**100 + 1:,} ± 56"),
    ],
)
def test_a_noisy_number_stands_with_its_interval_and_every_other_value_as_it_is(value, interval, text):
    assert shown(value, Interval95(*interval) if interval else None) == text


def test_the_end_of_an_estimate_stands_behind_the_interval_that_is_of_the_noise_alone():
    assert shown(1234, Interval95(1178, 1290, Span(1178, 1350.4))) == "1,234 ± 56 (to 1,350)"
    assert shown(12.3456, Interval95(12.2456, 12.4456, Span(12.2456, 12.9))) == "12.35 ± 0.10 (to 12.90)"


def test_a_table_shows_intervals_nulls_and_markup_as_text():
    text = drawn(NOISY)
    assert "1,234 ± 56" in text and "12.35 ± 0.10" in text and "NULL" in text
    hostile = Sheet(("[bold]x",), ("VARCHAR",), (("[red]\x1b[2J",),), Released(FREE))
    assert "[bold]x" in drawn(hostile) and "[red]\\x1b[2J" in drawn(hostile) and "\x1b" not in drawn(hostile)


def test_an_answer_without_intervals_is_shown_without():
    exact = Sheet(("n",), ("BIGINT",), ((1234,),), Released(FREE))
    assert "1234" in drawn(exact) and "±" not in drawn(exact)


def test_csv_holds_names_and_exact_values():
    lines = list(csv.reader(io.StringIO(as_csv(NOISY))))
    assert lines == [["region", "orders", "mean"], ["north", "1234", "12.3456"], ["", "-3", ""]]


def test_csv_quotes_what_needs_it():
    odd = Sheet(("a,b",), ("VARCHAR",), (('say "x"\nhere',),), Released(FREE))
    assert list(csv.reader(io.StringIO(as_csv(odd)))) == [["a,b"], ['say "x"\nhere']]


def test_json_holds_columns_rows_intervals_and_the_charge():
    assert json.loads(as_json(NOISY)) == {
        "columns": [
            {"name": "region", "type": "VARCHAR"},
            {"name": "orders", "type": "BIGINT"},
            {"name": "mean", "type": "DOUBLE"},
        ],
        "rows": [["north", 1234, 12.3456], [None, -3, None]],
        "intervals": [[None, [1178, 1290], [12.2456, 12.4456]], [None, [-59, 53], None]],
        "totals": [[None, [1178, 1350], None], [None, None, None]],
        "charged": {"epsilon": 0.5, "delta": 1e-06},
        "bias": ["clipped at 500"],
        "notes": ["clipped at 500", "a note"],
    }


def test_json_stays_json_for_values_that_it_has_no_type_for():
    row = (math.inf, math.nan, Decimal("1.10"), dt.date(2025, 3, 1), 2**70, "é", False)
    sheet = Sheet(tuple("abcdefg"), ("DOUBLE",) * 7, (row,), Released(FREE))
    read = json.loads(as_json(sheet), parse_constant=pytest.fail)
    assert read["rows"] == [["inf", "nan", "1.10", "2025-03-01", 2**70, "é", False]]


def test_markdown_is_a_table_with_numbers_to_the_right():
    assert as_markdown(NOISY) == (
        "| region | orders | mean |\n"
        "| --- | ---: | ---: |\n"
        "| north | 1,234 ± 56 (to 1,350) | 12.35 ± 0.10 |\n"
        "| NULL | -3 ± 56 | NULL |\n"
    )


def test_markdown_escapes_bars_and_line_breaks():
    sheet = Sheet(("a|b",), ("VARCHAR",), (("x|y\nz",),), Released(FREE))
    assert as_markdown(sheet).splitlines()[::2] == ["| a\\|b |", "| x\\|y\\nz |"]


def test_plain_spells_values_as_sql_does():
    assert [plain(v) for v in (True, False, 0.5, dt.time(1, 2))] == ["true", "false", "0.5", "01:02:00"]


NESTED = Sheet(
    ("tags", "pair"),
    ("VARCHAR[]", "STRUCT(a INTEGER, b DATE)"),
    ((["x", None], {"a": 1, "b": dt.date(2025, 3, 1)}), ([], None)),
    Released(FREE),
)


def test_lists_and_structs_are_arrays_and_objects_of_json():
    rows = json.loads(as_json(NESTED))["rows"]
    assert rows == [[["x", None], {"a": 1, "b": "2025-03-01"}], [[], None]]


def test_lists_and_structs_are_json_in_csv_and_written_as_duckdb_does_elsewhere():
    lines = list(csv.reader(io.StringIO(as_csv(NESTED))))
    assert lines[1:] == [['["x", null]', '{"a": 1, "b": "2025-03-01"}'], ["[]", ""]]
    assert plain([1, None, [True]]) == "[1, NULL, [true]]" and plain({"a": 1.5}) == "{a: 1.5}"


def test_csv_with_intervals_has_their_ends_as_columns():
    lines = list(csv.reader(io.StringIO(as_csv(with_intervals(NOISY)))))
    assert lines[0] == ["region", "orders", "orders_low", "orders_high", "mean", "mean_low", "mean_high"]
    assert lines[1] == ["north", "1234", "1178", "1290", "12.3456", "12.2456", "12.4456"]
    assert lines[2] == ["", "-3", "-59", "53", "", "", ""]


def test_a_row_can_be_a_block_of_lines():
    assert as_expanded(NOISY).splitlines()[:4] == [
        "-- row 1",
        "region | north",
        "orders | 1,234 ± 56 (to 1,350)",
        "mean   | 12.35 ± 0.10",
    ]
