"""Every benchmark runs to its end with tiny counts and prints its lines; how long anything takes is not looked at."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
ROWS = "20000"
# The name of a benchmark, its arguments, and how many lines it prints at least.
RUNS = (
    ("queries", ("--rows", ROWS, "--runs", "1", "--policies", "per_person", "--no-memory"), 12),
    ("scale", ("--rows", ROWS, "--runs", "1", "--policy", "per_row", "--no-memory"), 11),
    ("isolation", ("--rows", ROWS, "--runs", "1"), 12),
    ("noise", (), 30),
    ("totals", ("--runs", "2"), 3),
    ("quotients", ("--runs", "2"), 6),
    ("start", ("--runs", "1"), 6),
    ("ledger", ("--before", "50", "--charges", "3"), 5),
)
# These start processes that compile all modules first.
LONG = frozenset({"start"})
# What takes long whatever is asked for is made small.
SMALL: dict[str, dict[str, object]] = {
    "noise": {"CELLS": ((1, 1), (10, 1)), "CANDIDATES": 100, "ROWS": 100},
    "clipping": {"PEOPLE": (300,)},
    "quotients": {"PEOPLE": (300,)},
    "totals": {"PEOPLE": (300,), "unlike": lambda: np.full((300, 20), 3)},
}


@pytest.mark.parametrize(
    ("name", "arguments", "lines"),
    [pytest.param(*run, id=run[0], marks=pytest.mark.slow if run[0] in LONG else ()) for run in RUNS],
)
def test_a_benchmark_runs_to_its_end(
    name: str,
    arguments: tuple[str, ...],
    lines: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.argv", [f"{name}.py", *arguments])
    for module, values in SMALL.items():
        for constant, value in values.items():
            monkeypatch.setattr(importlib.import_module(module), constant, value)
    importlib.import_module(name).main()
    assert capsys.readouterr().out.count("\n") >= lines


def test_peak_memory_is_that_of_asking_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    queries = importlib.import_module("queries")
    data = importlib.import_module("purchases").make_purchases(int(ROWS), tmp_path)
    assert 1 < queries.peak_memory(queries.subjects(data, "per_person")[0]) < 1_000


def test_every_benchmark_is_run_here_or_beside() -> None:
    made_elsewhere = {"charged", "purchases"}  # what other benchmarks read
    tested = {"clipping", "planning"}  # in files of their own
    needs_a_database = {"server"}  # tests/wire/test_speed.py has the server's times
    here = {name for name, _, _ in RUNS}
    assert here | made_elsewhere | tested | needs_a_database == {p.stem for p in BENCHMARKS.glob("*.py")}
