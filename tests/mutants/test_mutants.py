"""Each known defect, put into a copy of the sources, turns the tests red that are there to notice it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mutants.catalogue import MUTANTS
from mutants.mutant import Mutant

ROOT = Path(__file__).parents[2]
COPIED = ("docs", "dpsql", "tests", "policies", "pyproject.toml")
SECONDS = 900
TESTS_FAILED = 1


def copied(to: Path) -> Path:
    """A copy of the sources and their tests."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, to / name)
    return to


def run_tests(root: Path, tests: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """Runs tests on a copy, the slow ones too, stopping at the first that fails."""
    every = ["--every-case", "-m", "slow or not slow"]
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *every, *tests]
    return subprocess.run(
        command,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_every_mutant_still_applies(mutant: Mutant) -> None:
    changed: dict[str, str] = {}
    for edit in mutant.edits:
        text = (ROOT / edit.file).read_text(encoding="utf-8")
        assert text.count(edit.old) == 1, edit
        assert edit.old != edit.new
        changed[edit.file] = changed.get(edit.file, text).replace(edit.old, edit.new)
    for file, text in changed.items():  # what Python cannot read fails every test, and shows nothing
        assert not file.endswith(".py") or compile(text, file, "exec", dont_inherit=True)


def test_there_are_enough_mutants_with_names_of_their_own() -> None:
    assert len({m.name for m in MUTANTS}) == len(MUTANTS) >= 14


@pytest.mark.slow
@pytest.mark.parametrize("tests", sorted({m.caught_by for m in MUTANTS}), ids=lambda t: t[0])
def test_the_tests_pass_without_a_mutant(tests: tuple[str, ...], tmp_path: Path) -> None:
    done = run_tests(copied(tmp_path), tests)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_every_mutant_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    root = copied(tmp_path)
    for edit in mutant.edits:
        file = root / edit.file
        file.write_text(file.read_text(encoding="utf-8").replace(edit.old, edit.new), encoding="utf-8")
    done = run_tests(root, mutant.caught_by)
    assert done.returncode == TESTS_FAILED, done.stdout[-3000:] + done.stderr[-3000:]
