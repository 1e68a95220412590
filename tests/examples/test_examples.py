"""The examples run, and print answers."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def printed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, capsys):
    """Runs an example with a cache folder of its own and returns what it prints."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))

    def run(name: str) -> str:
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_the_survey_answers_three_questions_for_half_an_epsilon_each(printed):
    out = printed("survey.py")
    assert out.count("will cost epsilon 0.5") == 3
    assert out.rstrip().endswith("epsilon left: 3.5")


def test_the_purchases_are_charged_once_and_single_rows_are_refused(printed):
    out = printed("purchases.py")
    assert "charged epsilon 1\nasked again: charged epsilon 0\nrefused: line 1, column 8" in out
    assert out.count("1997-0") == 6


def test_every_example_is_tested():
    tested = Path(__file__).read_text(encoding="utf-8")
    assert all(f'printed("{example.name}")' in tested for example in EXAMPLES.glob("*.py"))
