"""The examples run, and print answers."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Printed = Callable[..., str]

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def printed(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Printed:
    """Runs an example with a cache folder of its own and returns what it prints."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))

    def run(name: str, *arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_the_survey_answers_three_questions_for_half_an_epsilon_each(printed: Printed) -> None:
    out = printed("survey.py")
    assert out.count("will cost epsilon 0.5") == 3
    assert out.rstrip().endswith("epsilon left: 3.5")


def test_the_purchases_are_charged_once_and_single_rows_are_refused(printed: Printed) -> None:
    out = printed("purchases.py")
    assert "charged epsilon 1\nasked again: charged epsilon 0\nrefused: line 1, column 8" in out
    assert out.count("1997-0") == 6


def table(out: str, title: str) -> list[list[float]]:
    """The numbers below a title."""
    lines = out.split(title + "\n")[1].split("\n\n")[0].splitlines()[1:]
    return [[float(number) for number in line.split("|")] for line in lines]


def test_the_laws_of_the_mechanisms_are_symmetric_and_add_up(printed: Printed) -> None:
    rows = table(printed("mechanisms.py"), "the laws at epsilon = 1")
    laplace, gaussian, cauchy = list(zip(*rows, strict=True))[1:]
    assert all(law == law[::-1] for law in (laplace, gaussian, cauchy))
    assert [round(sum(law), 3) for law in (laplace, gaussian)] == [1, 0.997]
    assert sum(cauchy) < 0.9  # the noise of a smooth sensitivity has heavy tails


def test_the_errors_of_the_mechanisms_are_in_the_order_of_the_theory(printed: Printed) -> None:
    out = printed("mechanisms.py")
    for _, laplace, gaussian, flipped, one_of_k, rappor in table(out, "count among 10,000"):
        assert laplace < gaussian < flipped < min(one_of_k, rappor)
    cells = table(out, "each of d counts, epsilon = 1")
    assert [d for d, laplace, gaussian in cells if laplace < gaussian] == [1, 2, 4, 8]
    losses = table(out, "expected loss of a choice among 20")
    assert all(exponential / 2 <= flip < exponential for _, exponential, flip in losses[2:])


@pytest.mark.slow
def test_the_plot_of_the_mechanisms_has_the_panels_and_lines_of_the_one_in_the_documentation(
    printed: Printed, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    printed("mechanisms.py", str(tmp_path))
    drawn, shown = (
        set(re.findall(r">([a-zA-Z][^<>]*)</text>", (folder / "mechanisms.svg").read_text(encoding="utf-8")))
        for folder in (tmp_path, EXAMPLES.parent / "docs")
    )
    assert (
        drawn == shown >= {"discrete Laplace", "RAPPOR", "permute-and-flip", "the laws at epsilon = 1", "d"}
    )


def test_every_example_is_tested() -> None:
    tested = Path(__file__).read_text(encoding="utf-8")
    assert all(f'printed("{example.name}")' in tested for example in EXAMPLES.glob("*.py"))
