"""The README says what is so: its commands exist, its example runs, its session is the demonstration's."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from dpsql.interfaces.cli import main
from dpsql.interfaces.cli.demo import run_demo
from dpsql.interfaces.cli.demo_data import prepare_demo_data

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SESSION = README.split("<!-- session -->")[1].split("<!-- end of session -->")[0].strip()
SESSION = SESSION.removeprefix("```text").removesuffix("```")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare_demo_data(tmp_path_factory.mktemp("readme"))


def test_the_session_is_what_the_demonstration_prints_but_for_the_noise(folder: Path) -> None:
    """Once in ten thousand sessions the limit that is found is far too large, and numbers are of another form."""
    assert any(_without_numbers(SESSION) == _printed(folder) for _ in range(2)), _printed(folder)


def _printed(folder: Path) -> list[str]:
    """The words of a demonstration."""
    printed = io.StringIO()
    run_demo(Console(file=printed, width=80), folder)
    return _without_numbers(printed.getvalue().replace(str(folder), "~/.cache/dpsql"))


def test_no_interval_of_the_session_misses_the_exact_number_beside_it() -> None:
    cells = re.findall(r"(-?[\d.,]+) ± ([\d.,]+)(?: \(to [\d.,]+\))? +([\d.,]+)", SESSION)
    numbers = [tuple(float(n.replace(",", "")) for n in cell) for cell in cells]
    assert len(numbers) == 24
    assert [n for n in numbers if abs(n[0] - n[2]) > n[1]] == []


def test_the_python_example_runs_in_the_folder_that_the_demonstration_fills(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example, _ = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    monkeypatch.chdir(folder)
    exec(compile(example, "README.md", "exec"), {})
    assert capsys.readouterr().out.splitlines()[-1] == "1/2 9/2"


def test_the_example_from_a_tool_pays_for_its_chart_and_shows_what_it_paid(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pandas")
    sqlalchemy = pytest.importorskip("sqlalchemy")
    sqlalchemy.dialects.registry.register("dpsql", "dpsql.interfaces.sqlalchemy", "DpsqlDialect")
    _, example = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    monkeypatch.chdir(folder)
    exec(compile(example, "README.md", "exec"), {})
    assert "sum(amount) of purchases" in capsys.readouterr().out


def test_every_dpsql_command_that_is_named_exists() -> None:
    named = set(re.findall(r"`(?:\S*/)?dpsql ([a-z]+)`|bin/dpsql ([a-z]+)", README))
    commands = {first or second for first, second in named}
    assert {"demo", "init", "check"} <= commands
    assert commands <= set(main.commands)


def test_the_test_command_is_a_program_in_this_repository() -> None:
    assert "\n.ci/run\n" in README
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_every_path_that_is_named_exists() -> None:
    for path in re.findall(r"`([a-z_]+/)`", README):
        assert (ROOT / path).is_dir(), path


def _without_numbers(text: str) -> list[str]:
    """The words of the text, however its lines are broken; each number, or number with its interval, as #."""
    numbers = re.sub(r"-?\d[\d.,]*", "#", text.replace("at most about", "about"))
    answers = re.sub(r"# (± #|\[#,? #\])", "#", " ".join(numbers.split()))
    return [word for word in answers.split() if set(word) - set("─")]
