"""docs/cookbook.md says what is so: its policies load, and its questions are answered about as plain DuckDB does."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner
from pages import fenced, text_of

import dpsql
from dpsql.interfaces.cli import main

SECTIONS = dict(
    re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", text_of("cookbook.md"), flags=re.MULTILINE | re.DOTALL)
)
# Made up: 3,000 persons each, within the limits of the policies.
DATA = {
    "Patients and visits": """
        CREATE TABLE patients AS SELECT i AS patient_id, 1930 + i % 90 AS birth_year, ['f', 'm', 'x'][1 + i % 3] AS sex
            FROM range(3000) r(i);
        CREATE TABLE visits AS SELECT i AS visit_id, i % 3000 AS patient_id,
            ['surgery', 'medicine', 'children'][1 + i % 3] AS ward, DATE '2025-01-01' + (i % 365)::INTEGER AS day,
            (i * 7 % 4000)::DOUBLE AS cost FROM range(9000) r(i);
        CREATE TABLE diagnoses AS SELECT i AS visit_id, ['I', 'J'][1 + i % 2] AS chapter FROM range(9000) r(i);
        CREATE TABLE chapters AS SELECT * FROM (VALUES ('I', 'heart'), ('J', 'lungs')) v(code, title)""",
    "A shop": """
        CREATE TABLE customers AS SELECT i AS id, ['DE', 'FR', 'IT'][1 + i % 3] AS country, 'e' || i AS email
            FROM range(3000) r(i);
        CREATE TABLE orders AS SELECT i AS id, i % 3000 AS customer_id,
            DATE '2025-01-01' + (i % 365)::INTEGER AS day, (i % 400)::DOUBLE AS amount FROM range(9000) r(i);
        CREATE TABLE order_lines AS SELECT i % 9000 AS order_id, i % 4 AS product_id, 1 + i % 5 AS quantity
            FROM range(18000) r(i);
        CREATE TABLE products AS SELECT i AS id, ['books', 'music'][1 + i % 2] AS category FROM range(4) r(i)""",
    "Web events": """
        CREATE TABLE events AS SELECT 'u' || (i % 3000) AS user_id,
            TIMESTAMP '2025-03-01' + to_hours(CAST(i % 740 AS INTEGER)) AS moment, '/p' || (i % 3) AS page,
            ['phone', 'tablet', 'computer'][1 + i % 3] AS device, i % 500 AS seconds FROM range(27000) r(i);
        INSERT INTO events VALUES ('u7', '2025-03-09', '/seen-by-one', 'phone', 1)""",
    "A survey": """
        CREATE TABLE answers AS SELECT 18 + i % 80 AS age, ['north', 'east', 'south', 'west'][1 + i % 4] AS region,
            CASE WHEN i % 7 > 0 THEN 1 + i % 5 END AS satisfied, CASE WHEN i % 9 > 0 THEN (i % 60)::DOUBLE END AS hours
            FROM range(3000) r(i)""",
    "Human resources": """
        CREATE TABLE employees AS SELECT i AS employee_no, 'n' || i AS name,
            ['sales', 'works', 'office'][1 + i % 3] AS department, DATE '1990-01-01' + (i % 9000)::INTEGER AS hired
            FROM range(3000) r(i);
        CREATE TABLE salaries AS SELECT i % 3000 AS employee_no, 2021 + i // 3000 AS year,
            25000 + i * 13 % 70000 AS salary FROM range(15000) r(i)""",
    "Energy meters": """
        CREATE TABLE households AS SELECT i AS household_id, ['city', 'suburb', 'country'][1 + i % 3] AS zone
            FROM range(3000) r(i);
        CREATE TABLE meters AS SELECT 'm' || i AS meter_id, i % 3000 AS household_id,
            ['power', 'heat'][1 + i % 2] AS kind FROM range(3000) r(i);
        CREATE TABLE readings AS SELECT 'm' || (i % 3000) AS meter_id, 1 + i // 3000 AS month, (i % 1500)::DOUBLE AS kwh
            FROM range(36000) r(i)""",
}
# Laplace noise beyond so many half widths of its 95 % interval, each three of its scales, has a chance of 4e-11.
FAR = 8


def test_there_are_six() -> None:
    assert list(SECTIONS) == list(DATA) and len(DATA) == 6


@pytest.mark.parametrize("title", DATA)
def test_a_policy_answers_its_questions(title: str, tmp_path: Path) -> None:
    (policy,), (questions,) = fenced(SECTIONS[title], "yaml"), fenced(SECTIONS[title], "sql")
    (file,) = set(re.findall(r"source: (\w+\.duckdb)", policy))
    with duckdb.connect(str(tmp_path / file)) as db:
        db.execute(DATA[title])
    (tmp_path / "policy.yaml").write_text(policy)
    checked = CliRunner().invoke(main, ["check", str(tmp_path / "policy.yaml")])
    assert checked.exit_code == 0 and "unit_key" not in checked.stderr and "NULL" not in checked.stderr
    assert len(questions.splitlines()) >= 3
    with (
        closing(dpsql.connect(tmp_path / "policy.yaml", analyst="ann")) as connection,
        duckdb.connect(str(tmp_path / file), read_only=True) as exact,
    ):
        for sql in questions.splitlines():
            cursor = connection.execute(sql)
            answer, intervals = cursor.fetchall(), cursor.release.intervals
            wanted = {_key(row, sql): row for row in exact.execute(sql).fetchall()}
            assert answer and len(answer) <= len(wanted), sql
            assert (
                any(isinstance(cell, dpsql.Interval95) for sure in intervals for cell in sure)
                or "MEDIAN" in sql
            )
            assert "page" in sql or len(answer) == len(wanted), sql
            for row, sure in zip(answer, intervals, strict=True):
                _compare(row, wanted[_key(row, sql)], sure, sql)


def _key(row: tuple[object, ...], sql: str) -> object:
    return row[0] if "GROUP BY" in sql else ""


def _compare(row: tuple[object, ...], wanted: tuple[object, ...], sure: tuple[object, ...], sql: str) -> None:
    """Each noisy cell is near the exact one, and its interval says something."""
    for value, right, interval in zip(row, wanted, sure, strict=True):
        if not isinstance(interval, dpsql.Interval95):
            continue
        assert isinstance(value, int | float) and isinstance(right, int | float), sql
        half = (interval.high - interval.low) / 2
        assert abs(value - right) <= FAR * half + 1e-9, (sql, row, wanted)
        assert half < max(abs(right), 100) / 2, (sql, row, half)


def test_a_page_of_one_user_is_not_shown(tmp_path: Path) -> None:
    """With a chance of 2e-7 it would be: of two draws one does not show it."""
    (policy,) = fenced(SECTIONS["Web events"], "yaml")
    with duckdb.connect(str(tmp_path / "web.duckdb")) as db:
        db.execute(DATA["Web events"])
    (tmp_path / "policy.yaml").write_text(policy)
    assert {"/p0", "/p1", "/p2"} in [_pages(tmp_path, draw) for draw in ("first", "second")]


def _pages(folder: Path, draw: str) -> set[str]:
    """The pages that are shown, as a ledger of its own has them."""
    policy, ledger = folder / "policy.yaml", folder / f"{draw}.ledger"
    with closing(dpsql.connect(policy, analyst="ann", ledger=ledger)) as connection:
        return {
            p for p, _ in connection.execute("SELECT page, COUNT(*) FROM events GROUP BY page").fetchall()
        }
