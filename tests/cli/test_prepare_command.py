"""`dpsql prepare`: what it says, what it leaves, and what is there after it was killed."""

from __future__ import annotations

import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import duckdb
import pytest

from dpsql.engines.prepare_tables import prepare_tables
from dpsql.engines.prepared.fitting import fitting
from dpsql.engines.prepared.folder import PreparedFolder, default_folder
from dpsql.engines.prepared.manifest import PreparedFile
from dpsql.engines.sources.fingerprints import sources_of
from dpsql.interfaces.cli.terminal.spinner import spinner
from dpsql.interfaces.cli.tools_of_admins import prepare_command
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.progress import Phase

POLICY = """\
version: 1
privacy: {unit: orders.customer, max_rows_per_unit: 5}
tables:
  orders:
    source: orders.parquet
    unit_key: customer
    columns:
      customer: {type: integer}
      amount: {type: float, lower: 0, upper: 500, step: 0.01}
      region: {type: text, values: [north, south]}
budgets:
  dataset: {epsilon: 10}
  default: {epsilon: 2, per_query: 1}
accountant: pure
engine: {prepared: copies}
"""
KILLS = 2


@pytest.fixture
def policy(tmp_path: Path) -> str:
    rows = "SELECT i // 9 AS customer, (i % 997) / 2.0 AS amount, if(i % 4 = 0, 'north', 'south') AS region"
    duckdb.execute(f"COPY ({rows} FROM range(40000) AS t(i)) TO '{tmp_path / 'orders.parquet'}'")
    (tmp_path / "shop.yaml").write_text(POLICY)
    return str(tmp_path / "shop.yaml")


def fits(policy: Policy) -> bool:
    return isinstance(fitting(policy, default_folder(policy), sources_of(policy)), PreparedFile)


def test_it_says_what_was_made_and_check_says_that_it_is_read(run, policy):
    assert "nothing of this policy is prepared in" in run("check", policy).stderr
    made = run("prepare", policy)
    assert made.stdout == "" and "copies: 1 table is prepared, 40,000 rows, " in made.stderr
    assert "is read once" not in made.stderr
    assert (
        "copies: the prepared tables fit, and are read in the place of the sources"
        in run("check", policy).stderr
    )
    assert run("query", policy, "SELECT COUNT(*) FROM orders", "--format", "csv").exit_code == 0


def test_another_folder_is_named_with_what_makes_it_read(run, policy, tmp_path):
    made = run("prepare", policy, "--to", str(tmp_path / "elsewhere"))
    assert "it is read once the policy says `engine: {prepared: elsewhere}`" in made.stderr
    assert not fits(load_policy(policy))


def test_a_policy_without_a_folder_has_one_beside_it(run, policy, tmp_path):
    Path(policy).write_text(POLICY.replace("engine: {prepared: copies}\n", ""))
    assert "engine: {prepared: shop.prepared}" in run("prepare", policy).stderr
    assert (tmp_path / "shop.prepared").is_dir()


def test_it_is_removed(run, policy, tmp_path):
    run("prepare", policy)
    assert "the prepared tables are removed" in run("prepare", policy, "--remove").stderr
    assert not (tmp_path / "copies").exists()
    assert "nothing of this policy is prepared" in run("prepare", policy, "--remove").stderr


def test_data_that_does_not_fit_the_policy_is_refused_at_its_line(run, policy):
    text = POLICY.replace("    unit_key: customer\n", "    unit_key: customer\n    one_row_per_unit: true\n")
    Path(policy).write_text(text)
    refused = run("prepare", policy)
    assert refused.exit_code == 1 and "a unit owns more than one row" in refused.stderr


def test_progress_is_drawn_on_a_terminal_alone(run, policy, monkeypatch):
    monkeypatch.setattr(prepare_command, "spinner", partial(spinner, after=0.0))
    monkeypatch.setenv("TTY_COMPATIBLE", "0")
    phases = re.compile(
        r"reading the policy's sources|orders: \w+|writing the file|putting the file in its place"
    )
    assert not phases.search(run("prepare", policy).stderr)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")
    drawn = run("prepare", policy)
    assert drawn.exit_code == 0 and phases.search(drawn.stderr)  # which are seen depends on how fast they are


def test_each_part_of_the_work_is_a_phase_whose_rows_are_counted_where_they_are_known(policy):
    loaded, told = load_policy(policy), list[Phase]()
    prepare_tables(loaded, default_folder(loaded), told.append)
    assert told[0].total is None and told[0].unit == ""
    assert {"orders: copying", "writing the file"} <= {phase.name for phase in told}
    assert {(phase.total, phase.unit) for phase in told[1:]} <= {(40_000, "rows"), (None, "")}
    assert (told[-2].total, told[-1].total) == (40_000, None)


def command(policy: str) -> list[str]:
    return [sys.executable, "-m", "dpsql", "prepare", policy]


def started(policy: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command(policy), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def working(folder: Path) -> list[Path]:
    """The folders of runs that are at work, or have been left."""
    return list(folder.glob("*.unfinished")) if folder.is_dir() else []


def wait_until_at_work(process: subprocess.Popen[bytes], folder: Path, known: list[Path]) -> None:
    until = time.monotonic() + 60
    while process.poll() is None and not set(working(folder)) - set(known):
        assert time.monotonic() < until
        time.sleep(0.002)


def test_a_run_that_is_killed_leaves_the_tables_of_the_run_before(policy, request, capsys, tmp_path):
    kills = max(int(request.config.getoption("--kills", default=2)), KILLS)
    loaded, chosen, early = load_policy(policy), random.Random(kills), 0
    folder = default_folder(loaded)
    whole = subprocess.run(command(policy), capture_output=True, check=True)
    assert b"prepared" in whole.stderr
    for number in range(kills):
        before = PreparedFolder.of(loaded, folder).read()
        known = working(folder)
        process = started(policy)
        wait_until_at_work(process, folder, known)
        time.sleep(chosen.random() * 0.3 if number else 0)  # the first as early as can be
        process.send_signal(signal.SIGKILL)
        process.communicate()
        after = PreparedFolder.of(loaded, folder).read()
        early += after == before
        assert fits(loaded), "neither the old state nor the new one"
        assert (folder / after.file).stat().st_mode & 0o777 == 0o600
        assert folder.stat().st_mode & 0o777 == 0o700
    assert len(working(folder)) <= 1, "a run does not remove what others have left"
    subprocess.run(command(policy), capture_output=True, check=True)
    assert len(list(folder.iterdir())) == 4, "more than a manifest, a lock, and the files of two runs"
    with capsys.disabled():
        print(f"\n{kills} kills of dpsql prepare, {early} before the new tables were in their place")
    assert early > 0


def test_a_copy_of_a_database_that_is_killed_leaves_nothing_behind_the_next_run(policy, tmp_path):
    with closing(sqlite3.connect(tmp_path / "shop.db")) as database:
        database.execute("CREATE TABLE orders (customer INTEGER, amount REAL, region TEXT)")
        rows = ((i // 9, i % 499, "north") for i in range(100_000))
        database.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)
        database.commit()
    Path(policy).write_text(POLICY.replace("orders.parquet", "sqlite:///shop.db"))
    folder = default_folder(load_policy(policy))
    process = started(policy)
    wait_until_at_work(process, folder, [])
    process.kill()
    process.communicate()
    assert working(folder) and not list(folder.glob("*.copy-*"))
    subprocess.run(command(policy), capture_output=True, check=True)
    assert not working(folder) and len(list(folder.glob("*.copy-*"))) == 1
    subprocess.run([*command(policy), "--remove"], capture_output=True, check=True)
    assert not folder.exists()


def interrupted(policy: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """A run that was interrupted at its work."""
    process = started(policy)
    wait_until_at_work(process, folder, [])
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, b"", told)


def test_an_interrupt_leaves_nothing_unfinished(policy, tmp_path):
    runs = (interrupted(policy, tmp_path / "copies") for _ in range(5))
    ended = next(run for run in runs if run.returncode)  # on a busy machine one may come to its end first
    assert b"Traceback" not in ended.stderr
    assert working(tmp_path / "copies") == []
