"""What a start of the command imports: for help and completion hardly anything, for a command what it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from dpsql.interfaces.cli import app, main
from dpsql.interfaces.cli.outcome import INTERRUPTED

HEAVY = ("duckdb", "sqlglot", "numpy", "pydantic", "yaml", "dpsql.session", "dpsql.sql", "dpsql.engines")
QUERY = "from dpsql.interfaces.cli import main; main.commands['query']"
AGES = """\
version: 1
privacy: {unit: ages.*}
tables:
  ages: {source: ages.csv, columns: {age: {type: integer, lower: 0, upper: 120}}}
budgets:
  dataset: {epsilon: 1}
  default: {epsilon: 1}
"""
COMPLETED = """
from click.shell_completion import BashComplete
from dpsql.interfaces.cli import main
assert [c.value for c in BashComplete(main, {}, "dpsql", "_C").get_completions([], "qu")] == ["query"]
"""


def imported(work: str) -> set[str]:
    """The modules that work imports besides those of `import dpsql`, each with the packages around it."""
    code = f"import sys, dpsql\nbefore = set(sys.modules)\n{work}\nprint(*set(sys.modules) - before, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "work",
    [
        "from dpsql.interfaces.cli import main; main(['--help'], standalone_mode=False)",
        "from dpsql.interfaces.cli import main; main(['--version'], standalone_mode=False)",
        COMPLETED,
    ],
    ids=["help", "version", "completion"],
)
def test_help_the_version_and_completion_import_neither_parser_nor_engine(work: str) -> None:
    found = imported(work)
    assert "dpsql.interfaces.cli.app" in found
    assert not {name for name in found if name.startswith(HEAVY)}
    assert not {f"dpsql.interfaces.cli.{module}" for module, _, _ in app._COMMANDS.values()} & found


def test_a_query_imports_no_other_command() -> None:
    found = imported(QUERY)
    assert "dpsql.interfaces.cli.ask" in found
    others = ("demo", "serve", "shell", "audit", "calibrate", "admin", "ledger", "user")
    assert not {name for name in found if name.startswith(("dpsql.audit", "dpsql.interfaces.server"))}
    assert not {f"dpsql.interfaces.cli.{other}" for other in others} & found


def test_an_answer_into_a_file_needs_nothing_of_what_draws_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "ages.csv").write_text("age\n41\n", encoding="utf-8")
    policy = tmp_path / "ages.yaml"
    policy.write_text(AGES, encoding="utf-8")
    asked = ["query", str(policy), "SELECT COUNT(*) FROM ages", "--analyst", "alice"]
    found = imported(f"from dpsql.interfaces.cli import main; main({asked!r}, standalone_mode=False)")
    assert "dpsql.interfaces.cli.terminal" in found
    assert not {name for name in found if name.split(".")[0] == "rich"}


@pytest.mark.parametrize("fails", ["", ".that_is_not_there"])
def test_what_a_command_imports_is_looked_at_for_garbage_neither_then_nor_at_the_end(fails: str) -> None:
    code = f"""if True:
        import gc
        from dpsql.interfaces.cli import app, main
        seen = []
        gc.callbacks.append(lambda *_: seen.append(1))
        before = gc.get_freeze_count()
        app._HERE += {fails!r}
        try:
            main.commands["query"]
        except ModuleNotFoundError:
            pass
        assert not seen and gc.isenabled() and gc.get_freeze_count() > before + 1000
    """
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", sorted(main.commands))
def test_a_line_of_the_help_is_what_the_command_says(name: str) -> None:
    assert main.commands[name].get_short_help_str(200) == app._COMMANDS[name][2]
    assert main.commands[name].name == name


def test_a_command_that_is_not_there_is_told_with_those_like_it(run) -> None:
    done = run("qery")
    assert done.exit_code == 2 and "query" in done.stderr


def test_an_interrupt_while_a_command_is_imported_is_no_traceback(run, monkeypatch) -> None:
    def interrupted(context: click.Context, name: str) -> click.Command:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "get_command", interrupted)
    done = run("query", "p.yaml", "SELECT 1")
    assert (done.exit_code, done.stderr) == (INTERRUPTED, "\ninterrupted; nothing was charged\n")
