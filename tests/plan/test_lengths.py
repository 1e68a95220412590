"""How long a text is: the declared length is a range for sums, and what holds of every text is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dpsql.algebra.catalog import column_info
from dpsql.algebra.expressions import Column, Expr, Literal
from dpsql.algebra.facts import Fact, Facts
from dpsql.algebra.functions import apply, fact_rule
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.policy.model import Column as ColumnPolicy
from dpsql.policy.model import ColumnType
from plan.opened import Table, release

COLUMNS = {"note": "text", "kind": "text, values: [a, long]", "x": "integer, lower: 0, upper: 9"}
S, T = (Column(0, name, SqlType.TEXT) for name in "st")


def text(value: str) -> Literal:
    return Literal(value, SqlType.TEXT)


def number(value: int) -> Literal:
    return Literal(value, SqlType.INTEGER)


@pytest.mark.parametrize(
    ("made", "most"),
    [
        (S, 40),
        (T, None),
        (apply("upper", (S,)), 40),
        (apply("left", (S, number(5))), 5),
        (apply("left", (S, number(-5))), 40),
        (apply("left", (T, number(5))), 5),
        (apply("substring", (S, number(3))), 40),
        (apply("substring", (S, number(3), number(90))), 40),
        (apply("substring", (T, number(3), number(9))), 9),
        (apply("concat_op", (S, text("abc"))), 43),
        (apply("concat", (S, T)), None),
        (apply("concat_ws", (text(", "), S, S, S)), 124),
        (apply("replace", (S, text("ab"), text("xyz"))), 80),
        (apply("replace", (S, text("ab"), text(""))), 40),
        (apply("lpad", (T, number(7), text("x"))), 7),
        (apply("coalesce", (S, text("x" * 50))), 50),
        (apply("coalesce", (S, T)), None),
        (apply("regexp_replace", (S, text("a"), text("b"))), None),
    ],
)
def test_the_longest_text_that_an_expression_makes(made: Expr, most: int | None) -> None:
    facts = Facts({S: Fact(SqlType.TEXT, True, longest=40), T: Fact(SqlType.TEXT, True)}, fact_rule)
    assert facts.of(made).longest == most
    interval = facts.of(apply("length", (made,))).interval
    assert interval is not None and interval.hi == (2**62 if most is None else most)


def test_a_declared_length_and_listed_values_say_how_long_a_text_is() -> None:
    declared = ColumnPolicy("note", ColumnType.TEXT, max_length=40)
    assert column_info(declared).fact.longest == 40
    assert column_info(replace(declared, max_length=None)).fact.longest is None
    assert column_info(replace(declared, values=("a", "long"))).fact.longest == 4


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "argument",
    [
        "LENGTH(note)",
        "LENGTH(note) / 1000.0",
        "LENGTH(note || kind) + x",
        "INSTR(note, 'a')",
        "ABS(LENGTH(note) - 5)",
        "CHAR_LENGTH(concat(note, 'a')) * 0.001",
    ],
)
@pytest.mark.parametrize("aggregate", ["SUM", "AVG", "STDDEV", "MEDIAN"])
def test_the_length_of_any_text_is_no_range(tmp_path: Path, argument: str, aggregate: str) -> None:
    session = Table(COLUMNS, [(1, "abc", "a", 2)], table="max_rows_per_unit: 1").open(tmp_path)
    with pytest.raises(QueryRefused, match=r"LEAST\(LENGTH\(x\), 200\), or declare max_length"):
        session.explain(f"SELECT {aggregate}({argument}) FROM t")


@pytest.mark.parametrize(
    ("argument", "most"),
    [("LEAST(LENGTH(note), 200)", 200), ("LENGTH(kind)", 4), ("LENGTH(LEFT(note, 7))", 7), ("LENGTH(note) % 10", 9)],
)  # fmt: skip
def test_a_length_that_is_bounded_is_summed(tmp_path: Path, argument: str, most: int) -> None:
    session = Table(COLUMNS, [(1, "abc", "a", 2)], table="max_rows_per_unit: 1").open(tmp_path)
    (family,) = release(session, f"SELECT SUM({argument}) FROM t").families
    assert family.sensitivity == most


def test_the_totals_of_units_have_no_range_by_the_length_of_any_text(tmp_path: Path) -> None:
    session = Table(COLUMNS, [(1, "abc", "a", 2)], table="max_rows_per_unit: 3").open(tmp_path)
    with pytest.raises(QueryRefused, match="needs a bounded argument"):
        session.explain("SELECT SUM(s) FROM (SELECT u, SUM(LENGTH(note)) AS s FROM t GROUP BY u) v")


@pytest.mark.parametrize(
    "summed", ["SUM(n + {})", "SUM(-n - {})", "AVG(n + {})", "SUM(n + {}) OVER (PARTITION BY u)"]
)
def test_numbers_that_are_all_beyond_what_is_added_up_are_no_total_of_a_unit(
    tmp_path: Path, summed: str
) -> None:
    """They would all be read as the last number that is added up."""
    columns = {"n": f"integer, lower: 0, upper: {2**62 - 1}"}
    session = Table(columns, [(1, 2)], privacy="max_rows_per_unit: 3").open(tmp_path)
    grouped = "" if "OVER" in summed else " GROUP BY u"
    asked = f"SELECT COUNT(*) FROM (SELECT u, {summed} AS z FROM t{grouped}) AS v WHERE z > 1"
    assert session.explain(asked.format(2**62)) is not None
    with pytest.raises(QueryRefused, match="needs a bounded argument"):
        session.explain(asked.format(2**62 + 1))
