"""The analyst's own log: what was asked, as it was asked, in a file that nobody else can read."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from dpsql import errors
from dpsql.engines.base import OutputColumn
from dpsql.interfaces.cli.own_files.question_log import question_log
from dpsql.interfaces.cli.own_files.state_folder import state_folder
from dpsql.privacy import Cost
from dpsql.release.types import Answer, Released

ONE = Answer((OutputColumn("n", "BIGINT"),), ((1,),), Released(Cost(Fraction(1, 2), Fraction(1, 10**6))))


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "dpsql"


def test_a_question_is_kept_as_it_was_asked_with_its_charge(session, run, state):
    session.script += [ONE, errors.QueryRefused("a bare row"), errors.QueryFailed()]
    asked = ["SELECT  COUNT(*) -- mine\nFROM t", "SELECT name FROM t", "SELECT 1"]
    for sql in asked:
        run("query", "p.yaml", sql, "--analyst", "Alice")
    file = state / "questions.jsonl"
    assert file.stat().st_mode & 0o077 == 0 and state.stat().st_mode & 0o077 == 0
    kept = json.loads(run("history", "p.yaml", "--analyst", "alice", "--format", "json").stdout)["rows"]
    assert [row[1:] for row in kept] == [
        [asked[0], "answered", 0.5, 1e-6],
        [asked[1], "refused", 0.0, 0.0],
        [asked[2], "failed", 0.0, 0.0],
    ]
    assert "1234" not in file.read_text()


def test_each_analyst_and_each_policy_has_a_history_of_its_own(session, run):
    session.script += [ONE, ONE, ONE]
    run("query", "p.yaml", "SELECT 1", "--analyst", "alice")
    run("query", "p.yaml", "SELECT 2", "--analyst", "bob")
    run("query", "q.yaml", "SELECT 3", "--analyst", "alice")
    shown = run("history", "p.yaml", "--analyst", "alice").stdout
    assert "SELECT 1" in shown and "SELECT 2" not in shown and "SELECT 3" not in shown


def test_nothing_is_kept_where_that_is_asked_for(session, run, state):
    session.script.append(ONE)
    assert run("query", "p.yaml", "SELECT 1", "--no-history").exit_code == 0
    assert not state.exists()


def test_a_folder_that_cannot_be_written_stops_no_question(session, run, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    session.script.append(ONE)
    assert run("query", "p.yaml", "SELECT 1").exit_code == 0


def test_lines_that_are_none_are_left_out_and_the_last_ones_are_shown(session, run, state):
    session.script += [ONE] * 3
    for n in range(3):
        run("query", "p.yaml", f"SELECT {n}", "--analyst", "alice")
    with (state / "questions.jsonl").open("a") as file:
        file.write("not json\n{}\n[1]\n")
    shown = run("history", "p.yaml", "--analyst", "alice", "--last", "2").stdout
    assert "SELECT 0" not in shown and "SELECT 1" in shown and "SELECT 2" in shown
    assert len(list(question_log(Path("p.yaml"), "alice", kept=True).entries())) == 3


def test_a_file_that_others_could_read_is_closed_to_them(session, run, state):
    state.mkdir()
    (state / "questions.jsonl").touch(mode=0o644)
    session.script.append(ONE)
    run("query", "p.yaml", "SELECT 1")
    assert (state / "questions.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_relative_folder_of_the_environment_is_not_taken(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert state_folder().is_absolute() and state_folder().is_relative_to(tmp_path)
