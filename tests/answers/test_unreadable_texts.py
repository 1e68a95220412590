"""A constant text that is no date, number or truth is refused before anything is spent, on any connection."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from plan.opened import Table

import dpsql
from dpsql.errors import QueryRefused

COLUMNS = {"d": "date, lower: 2025-01-01, upper: 2025-12-31", "x": "float, lower: 0, upper: 9, step: 1"}
MEANT = {"plain": {}, "for a tool": {"rows": "empty"}, "of empty conditions": {"empty_conditions": True}}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("options", MEANT)
@pytest.mark.parametrize(
    "condition",
    [
        "d >= CAST('2025-02-30' AS DATE)",
        "d > DATE 'today' - 9",
        "x > '1,5'::DOUBLE",
        "d >= CAST('2025-13-01' AS TIMESTAMP)::DATE",
        "d >= DATE_TRUNC('month', DATE '2025-02-30')",
        "x > -('1,5'::DOUBLE)",
        "(x > 3) = CAST('maybe' AS BOOLEAN)",
        "NOT CAST('maybe' AS BOOLEAN)",
        "x > 3 OR 'on'::BOOLEAN",
        "d >= CAST($bound AS DATE)",
        "x > -(CAST($bound AS DOUBLE))",
    ],
)
def test_it_is_refused_and_free(options: str, condition: str, tmp_path: Path) -> None:
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 1").store(tmp_path)
    with closing(dpsql.connect(policy, analyst="a", ledger=tmp_path / "l", **MEANT[options])) as connection:  # type: ignore[arg-type]
        with pytest.raises(QueryRefused, match="does not read as"):
            values = {"bound": "2025-02-30"} if "$" in condition else None
            connection.execute(f"SELECT COUNT(*) FROM t WHERE {condition}", values)
        assert connection.budget().spent.epsilon == 0


@pytest.mark.parametrize(
    "value",
    [
        "TRY_CAST(CAST('x' AS DATE) AS DATE)",
        "COALESCE(CAST('x' AS DATE), DATE '2025-01-01')",
        "DATE '2025-01-01' AND CAST('yes' AS BOOLEAN)",
    ],
)
def test_what_may_be_null_is_answered(value: str, tmp_path: Path) -> None:
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 1").store(tmp_path)
    with closing(dpsql.connect(policy, analyst="a", ledger=tmp_path / "l")) as connection:
        assert len(connection.execute(f"SELECT COUNT(*) FROM t WHERE d >= {value}").fetchall()) == 1


@pytest.mark.parametrize(
    ("condition", "text", "reason"),
    [
        ("d < CAST(? AS DATE)", "infinity", "in the years 1 to 9999"),
        ("d > TRY_CAST(? AS DATE)", "-infinity", "in the years 1 to 9999"),
        ("d < ?", " Inf ", "in the years 1 to 9999"),
        ("d < CAST(? AS TIMESTAMP)", "20000-01-01", "in the years 1 to 9999"),
        ("d < CAST(? AS TIMESTAMPTZ)", "infinity", "in the years 1 to 9999"),
        ("COALESCE(d, CAST(? AS DATE)) > DATE '2025-02-01'", "infinity", "in the years 1 to 9999"),
        ("d IN (CAST(? AS DATE), DATE '2025-02-01')", "44-03-15 (BC)", "in the years 1 to 9999"),
        ("d < CAST(? AS DATE) - 1", "infinity", "in the years 1 to 9999"),
        ("x < CAST(? AS DOUBLE)", "infinity", "infinity are not numbers"),
        ("d < CAST(? AS DATE)", "2025-02-30", "does not read as date"),
        ("x < CAST(? AS DOUBLE)", "1,5", "does not read as double"),
        ("d < CAST(? AS TIMESTAMPTZ)", "noon", "this moment cannot be read"),
    ],
)
def test_a_text_is_told_of_alike_where_it_is_written_and_where_it_is_bound(
    condition: str, text: str, reason: str, tmp_path: Path
) -> None:
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 1").store(tmp_path)
    with closing(dpsql.connect(policy, analyst="a", ledger=tmp_path / "l")) as connection:
        for asked, values in ((condition, [text]), (condition.replace("?", f"'{text}'"), [])):
            with pytest.raises(QueryRefused, match=reason):
                connection.execute(f"SELECT COUNT(*) FROM t WHERE {asked}", values)


@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP"])
@pytest.mark.parametrize("beside", ["", ", current_schema()", " FROM t", " FROM dpsql.budget"])
def test_a_bound_text_is_no_infinite_day_of_an_answer(kind: str, beside: str, tmp_path: Path) -> None:
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 1").store(tmp_path)
    with closing(dpsql.connect(policy, analyst="a", ledger=tmp_path / "l")) as connection:
        counted = ", COUNT(*)" if beside.endswith(" t") else ""
        with pytest.raises(QueryRefused, match="an infinite day or moment cannot be given"):
            connection.execute(f"SELECT CAST(? AS {kind}) AS d{counted}{beside}", ["infinity"])


def test_a_bound_moment_with_a_zone_is_that_moment(tmp_path: Path) -> None:
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 1").store(tmp_path)
    with closing(dpsql.connect(policy, analyst="a", ledger=tmp_path / "l")) as connection:
        asked = "SELECT CAST(CAST(? AS TIMESTAMPTZ) AS TIMESTAMP)::VARCHAR"
        assert connection.execute(asked, ["2025-02-01 00:00+02"]).fetchall() == [("2025-01-31 22:00:00",)]
        asked = "SELECT COUNT(*) FROM t WHERE d < CAST({} AS TIMESTAMPTZ)"
        bound = connection.explain(asked.format("?"), ["2025-02-01 00:00+02"])
        written = connection.explain(asked.format("'2025-01-31 22:00'"))
        assert bound.releases[0].sql == written.releases[0].sql


def test_infinity_is_after_every_released_day(tmp_path: Path) -> None:
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 1").store(tmp_path)
    with closing(dpsql.connect(policy, analyst="a", ledger=tmp_path / "l")) as connection:
        asked = "SELECT d < {} FROM (SELECT DATE '9999-12-31' AS d) AS v"
        assert connection.execute(asked.format("DATE 'infinity'")).fetchall() == [(True,)]
        assert connection.execute(asked.format("CAST(? AS DATE)"), ["infinity"]).fetchall() == [(True,)]
        assert connection.execute(asked.format("?"), ["infinity"]).fetchall() == [(True,)]


@pytest.mark.parametrize(
    "condition",
    [
        "d < CAST('infinity' AS DATE)",
        "d > DATE '-infinity'",
        "d < TRY_CAST('10000-01-01' AS DATE)",
        "d > COALESCE('0044-03-15 (BC)'::TIMESTAMP, d)",
        "d > DATE '0000-01-01'",
        "x < CAST('inf' AS DOUBLE)",
        "x < '1e999'::DOUBLE",
        "x <> CAST($bound AS DOUBLE)",
    ],
)
def test_what_rows_cannot_have_is_refused_and_not_null(condition: str, tmp_path: Path) -> None:
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 1").store(tmp_path)
    with closing(dpsql.connect(policy, analyst="a", ledger=tmp_path / "l")) as connection:
        values = {"bound": "nan"} if "$" in condition else None
        with pytest.raises(QueryRefused):
            connection.execute(f"SELECT COUNT(*) FROM t WHERE {condition}", values)
        assert connection.budget().spent.epsilon == 0
