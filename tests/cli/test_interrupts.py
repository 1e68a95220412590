"""Ctrl-C: what was charged is said exactly, work in a child process is stopped, and the connection answers on."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from plan.opened import Table
from pseudo_terminal import Terminal

import dpsql.audit.full_audit as whole
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.audit.report import Violation
from dpsql.engines.private_engine import DuckEngine
from dpsql.errors import Interrupted
from dpsql.interfaces.cli import admin, calibrate_command, main, options
from dpsql.interfaces.cli.outcome import INTERRUPTED, reported
from dpsql.mechanisms.coins import Coins
from dpsql.privacy import FREE, Cost
from dpsql.release.interrupted_charge import charge_told
from dpsql.stages.state import Resources

READY = "\x1b[?2004h"  # what prompt_toolkit sends when it begins to read
CONTROL_C = "\x03"
COUNT = "SELECT COUNT(*) AS n FROM t"
# The first query of the private engine sleeps in its child, in a call that nothing interrupts; the child's id is kept.
SLOW = """
import os
from dataclasses import replace
from pathlib import Path
from dpsql.engines.child import ChildEngine
run = ChildEngine.run
def slowly(self, query, seconds=None):
    ChildEngine.run = run
    Path(os.environ["XDG_STATE_HOME"], "child").write_text(str(self._child._running.process.pid))
    return run(self, replace(query, sql="SELECT sleep_ms(600000)", without_big=""), seconds)
ChildEngine.run = slowly
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    rows = tuple((n, "ab"[n % 2]) for n in range(50))
    made = Table({"word": "text, values: [a, b]"}, rows, privacy="max_rows_per_unit: 1").store(tmp_path)
    made.write_text(made.read_text(encoding="utf-8") + "engine: {isolation: process}\n", encoding="utf-8")
    return made


def terminal(policy: Path, *arguments: str, before: str = "") -> Terminal:
    state = policy.parent / "state"
    state.mkdir()
    environment = {**os.environ, "XDG_STATE_HOME": str(state), "TERM": "xterm", "COLUMNS": "120"}
    return Terminal([*arguments, "--analyst", "alice"], environment, before)


def test_an_interrupted_query_of_the_shell_is_charged_and_the_next_is_answered(policy: Path) -> None:
    pytest.importorskip("prompt_toolkit")
    shell = terminal(policy, "shell", str(policy), before=SLOW)
    shell.until(READY)
    shell.type(f"{COUNT};\r")
    shell.until("answering, 2 s")
    shell.type(CONTROL_C)
    shell.until("interrupted; charged epsilon 1, delta 0, which stays charged")
    assert not Path(f"/proc/{(policy.parent / 'state' / 'child').read_text(encoding='ascii')}").exists()
    shell.until(READY)
    shell.type(f"{COUNT};\r")
    assert "±" in shell.until("charged epsilon 1")
    shell.until(READY)
    assert shell.end() == 0
    kept = (policy.parent / "state" / "dpsql" / "questions.jsonl").read_text(encoding="utf-8")
    noted = [json.loads(line) for line in kept.splitlines()]
    assert [(n["outcome"], n["epsilon"]) for n in noted] == [("interrupted", 1.0), ("answered", 1.0)]


def test_an_interrupted_query_ends_the_command_and_says_its_charge(policy: Path) -> None:
    query = terminal(policy, "query", str(policy), COUNT, before=SLOW)
    query.until("answering, 2 s")
    query.type(CONTROL_C)
    query.until("interrupted; charged epsilon 1, delta 0")
    assert query.ended() == INTERRUPTED
    with Ledger.open(policy.with_suffix(".ledger"), dataset="") as book:
        assert book.verify() == ()


@pytest.mark.parametrize("spent", [[0, 0], [0, Fraction(1, 2)], [1, 0]])
def test_what_is_said_is_what_the_account_lost(spent: list[Fraction]) -> None:
    said, told = iter(Cost(Fraction(s)) for s in spent), list[Cost]()
    with pytest.raises(Interrupted) as caught, charge_told(lambda: next(said), told.append):
        raise KeyboardInterrupt
    lost = max(Fraction(spent[1]) - Fraction(spent[0]), Fraction(0))
    assert told == [Cost(lost) if lost else FREE]
    expected = {(0, 0): "nothing", (0, Fraction(1, 2)): "charged epsilon 0.5,", (1, 0): "your budget says"}
    assert expected[spent[0], spent[1]] in str(caught.value)


def interrupted(*given: object, **more: object) -> None:
    raise KeyboardInterrupt


Command = Callable[..., Result]


@pytest.fixture
def command(policy: Path) -> Command:
    """Runs a command about the policy, whose engines are in this process."""
    policy.write_text(policy.read_text(encoding="utf-8").replace("process", "inline"), encoding="utf-8")
    return lambda name, *more: CliRunner().invoke(main, [name, str(policy), *more])


@pytest.mark.parametrize(
    ("name", "more", "where", "said"),
    [
        ("check", (), (admin, "check_data"), "nothing was charged"),
        ("check", ("--exact", "--even-piped"), (admin, "exact_counts"), "nothing was charged"),
        ("refresh", (), (admin, "refresh_sources"), "nothing was charged; `dpsql ledger log` says"),
        ("query", (COUNT, "--analyst", "a"), (options, "connect"), "nothing was charged"),
        ("audit", ("--inline",), (whole, "fuzz"), "an audit charges nothing; 0 executions"),
    ],
)
def test_an_interrupted_command_says_what_it_charged(
    name: str,
    more: tuple[str, ...],
    where: tuple[object, str],
    said: str,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(*where, interrupted)
    done = command(name, *more)
    assert done.exit_code == INTERRUPTED
    assert done.stderr.splitlines()[-1].startswith(f"interrupted; {said}")


def test_an_interrupted_verification_says_that_nothing_was_charged(
    command: Command, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("query", COUNT, "--analyst", "a").exit_code == 0
    monkeypatch.setattr(Ledger, "verify", interrupted)
    done = CliRunner().invoke(main, ["ledger", "verify", str(policy.with_suffix(".ledger"))])
    assert (done.exit_code, done.stderr) == (INTERRUPTED, "\ninterrupted; nothing was charged\n")


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ((Coins, "random_bytes"), "interrupted; nothing was charged"),
        ((Ledger, "pay_for_calibration"), "interrupted; nothing was charged"),
        (
            (DuckEngine, "run"),
            "interrupted; epsilon 0.5 was charged to every account, and stays charged: the",
        ),
    ],
)
def test_an_interrupted_calibration_says_what_every_account_paid(
    where: tuple[object, str], said: str, command: Command, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("query", COUNT, "--analyst", "a").exit_code == 0
    with monkeypatch.context() as patch:
        patch.setattr(*where, interrupted)
        done = command("calibrate", "--epsilon", "0.5")
    assert done.exit_code == INTERRUPTED and said in done.stderr
    with Ledger.open(policy.with_suffix(".ledger")) as book:
        assert book.spent_dataset().epsilon == 1 + Fraction("epsilon 0.5" in done.stderr) / 2


def test_a_calibration_that_is_interrupted_once_it_is_kept_names_its_draw(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = Ledger.keep_calibration

    def kept(*given: object) -> None:
        keep(*given)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "keep_calibration", kept)
    done = command("calibrate", "--epsilon", "0.5")
    (name,) = [word for word in done.stderr.split() if word.startswith("draw-")]
    assert f"`--draw {name} gives the draw for nothing" in done.stderr
    assert command("calibrate", "--draw", name.strip("`")).exit_code == 0


@pytest.mark.parametrize("where", [(Resources, "close"), (calibrate_command, "curves")])
def test_a_calibration_that_is_interrupted_after_its_draw_says_what_was_charged(
    where: tuple[object, str], command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    done_before = getattr(*where)

    def last(*given: object) -> None:
        done_before(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(*where, last)
        done = command("calibrate", "--epsilon", "0.5")
    assert done.exit_code == INTERRUPTED
    (name,) = set(re.findall("draw-[0-9a-f]{16}", done.stderr))
    assert (
        f"interrupted; epsilon 0.5 was charged to every account, and stays charged; `--draw {name}`"
        in done.stderr
    )
    assert command("calibrate", "--draw", name).exit_code == 0


def test_a_draw_that_is_shown_again_costs_nothing_where_it_is_interrupted(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (name,) = set(re.findall("draw-[0-9a-f]{16}", command("calibrate", "--epsilon", "0.5").stderr))
    monkeypatch.setattr(calibrate_command, "curves", interrupted)
    assert command("calibrate", "--draw", name).stderr == "\ninterrupted; nothing was charged\n"


def test_an_audit_that_is_interrupted_tells_what_it_has_found(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(subjects: object, folder: Path, seed: int, enough: Callable[..., bool], **more: int) -> None:
        tried = whole.Tried(executions=7)
        tried.violations.append(Violation("a sum moved", "SELECT 1", None, "p", 1, (), ()))
        enough(tried)
        raise KeyboardInterrupt

    monkeypatch.setattr(whole, "fuzz", found)
    done = command("audit", "--inline")
    assert done.exit_code == 1
    assert "a sum moved" in done.stderr and "interrupted after 7 executions, 1 violations" in done.stderr


def test_queries_from_a_pipe_end_at_an_interrupt(session, run) -> None:
    session.answer = interrupted
    done = run("shell", "p.yaml", "--analyst", "a", stdin="SELECT 1;\nSELECT 2;\n")
    assert (done.exit_code, done.stderr) == (INTERRUPTED, "\ninterrupted; nothing was charged\n")


def test_an_interrupt_that_says_its_charge_is_believed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, reported(if_interrupted="unknown"):
        raise Interrupted("charged all")
    assert ended.value.code == INTERRUPTED
    assert capsys.readouterr().err == "\ninterrupted; charged all\n"
