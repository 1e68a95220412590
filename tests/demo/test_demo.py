"""The guided session: real answers, intervals beside the exact ones, a refusal, a budget, in 80 columns."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from dpsql.interfaces.cli.demo import run_demo


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> str:
    printed = io.StringIO()
    run_demo(Console(file=printed, width=80), tmp_path_factory.mktemp("demo"))
    return printed.getvalue()


def test_no_line_is_wider_than_the_terminal_save_those_that_hold_a_path(session: str) -> None:
    assert [line for line in session.splitlines() if len(line) > 80 and "/" not in line] == []


def test_every_occupation_has_an_answer_with_its_interval_beside_the_exact_count(session: str) -> None:
    row = next(line for line in session.splitlines() if "white-collar" in line)
    people, sign, half, exact, *_ = row.replace("white-collar", "").split()
    assert (sign, exact) == ("±", "2,783")
    assert 0 < _number(half) < 50
    assert abs(_number(people) - _number(exact)) < 10 * _number(half)


def test_a_bare_row_is_refused_with_its_place(session: str) -> None:
    refusal = session[session.index("QueryRefused") :]
    assert "line 1" in refusal.split("\n\n")[0]


def test_two_questions_are_charged_once_each(session: str) -> None:
    budgets = [line for line in session.splitlines() if line.startswith("The budget")]
    first, second = budgets
    assert "5 granted, 0.5 spent, 4.5 left" in first
    assert "5 granted, 1 spent, 4 left" in second


def test_the_demonstration_leaves_no_ledger_behind(tmp_path: Path) -> None:
    run_demo(Console(file=io.StringIO()), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "cdnow.parquet", "cdnow.yaml", "fair.parquet", "fair.yaml", "occupations.csv",
    ]  # fmt: skip


def _number(text: str) -> float:
    return float(text.replace(",", ""))
