"""Details of failures are written where the policy says, for nobody but the admin."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path

import pytest
from attacks.neighbours import Blind, Watched

from dpsql.engines.base import EngineFailed
from dpsql.errors import PolicyError, QueryFailed
from dpsql.session import Session, build_session
from dpsql.stages.admin_log import write_log
from engines.opened import clinic


def opened(folder: Path) -> Session:
    policy = clinic(folder, "inline", more="admin_log: failures.log")
    return build_session(policy, "alice", None, (None, None), Blind())


def test_a_failure_is_one_line_with_its_time_and_analyst(tmp_path: Path) -> None:
    session = opened(tmp_path)
    log = tmp_path / "failures.log"
    assert log.read_text(encoding="utf-8") == "" and log.stat().st_mode & 0o777 == 0o600
    engine = Watched(session._state.engine)
    engine.failure = EngineFailed('patient 777777\n{"at": "forged"}')
    session._state.engine = engine
    for _ in range(2):
        with pytest.raises(QueryFailed):
            session.answer("SELECT count(*) FROM visits")
    session.close()
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [sorted(line) for line in lines] == [["analyst", "at", "failure"]] * 2
    assert lines[0]["analyst"] == "alice" and "patient 777777" in lines[0]["failure"]
    assert datetime.fromisoformat(lines[0]["at"]).tzinfo is not None


def test_a_log_that_cannot_be_written_later_changes_nothing_for_the_analyst(tmp_path: Path) -> None:
    session = opened(tmp_path)
    engine = Watched(session._state.engine)
    engine.failure = EngineFailed("x")
    session._state.engine = engine
    (tmp_path / "failures.log").chmod(0o644)
    with pytest.raises(QueryFailed):
        session.answer("SELECT count(*) FROM visits")
    session.close()
    assert (tmp_path / "failures.log").read_text(encoding="utf-8") == ""


def readable(log: Path) -> None:
    log.write_text("old\n", encoding="utf-8")
    log.chmod(0o640)


def linked(log: Path) -> None:
    (log.parent / "elsewhere").write_text("", encoding="utf-8")
    log.symlink_to(log.parent / "elsewhere")


def piped(log: Path) -> None:
    os.mkfifo(log, 0o600)


@pytest.mark.parametrize("make", [readable, linked, piped, Path.mkdir])
def test_a_log_that_others_may_read_or_that_is_no_file_is_a_problem_of_the_policy(
    tmp_path: Path, make: object
) -> None:
    make(tmp_path / "failures.log")  # type: ignore[operator]
    with pytest.raises(PolicyError, match=r"admin_log: .*failures\.log cannot be used"):
        opened(tmp_path)


def test_lines_are_added_behind_what_is_there(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    write_log(log, "alice", "one")
    write_log(log, "böb", "two\nthree")
    assert [json.loads(line)["failure"] for line in log.read_text(encoding="ascii").splitlines()] == [
        "one",
        "two\nthree",
    ]
