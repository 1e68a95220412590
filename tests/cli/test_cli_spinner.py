"""What stderr shows of long work: the phase, how far it is, the time; nothing of work that ends at once."""

from __future__ import annotations

import threading
import time

import pytest

from dpsql.interfaces.cli.terminal import spinner as shown
from dpsql.interfaces.cli.terminal.drawn import show_status
from dpsql.interfaces.cli.terminal.spinner import spinner, told
from dpsql.progress import Phase


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")


def test_a_long_wait_shows_its_message_on_stderr_alone(terminal, capsys):
    with spinner("counting", after=0.01):
        time.sleep(0.3)
    out, err = capsys.readouterr()
    assert out == "" and "counting, 0 s" in err


def test_a_wait_that_ends_within_two_seconds_shows_nothing(terminal, capsys):
    with spinner("counting"):
        time.sleep(0.3)
    assert capsys.readouterr() == ("", "")
    assert shown.AFTER_SECONDS == 2


def test_a_phase_on_a_terminal_has_a_bar_and_the_last_one_stands(terminal, capsys):
    with spinner("opening", after=0.3) as progress:
        progress(Phase("counting", 1, 4, "tables"))
        progress(Phase("counting", 2, 4, "tables"))
        time.sleep(0.6)
    err = capsys.readouterr().err
    assert "counting, 2 of 4 tables, 0 s" in err and "\N{BOX DRAWINGS HEAVY HORIZONTAL}" in err
    assert "opening" not in err and "1 of 4" not in err


def test_a_pipe_gets_a_plain_line_now_and_then(monkeypatch, capsys):
    monkeypatch.setenv("TTY_COMPATIBLE", "0")
    monkeypatch.setattr(shown, "_BETWEEN_LINES", 0.2)
    assert not show_status(lambda: (None, ""), threading.Event())
    with spinner("counting", after=0.01) as progress:
        time.sleep(0.3)
        progress(Phase("recounting", 5, 10, "lines"))
        time.sleep(0.4)
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == ["counting, 0 s", "recounting, 5 of 10 lines, 0 s"]


def test_a_pipe_gets_nothing_of_a_short_wait(monkeypatch, capsys):
    monkeypatch.setenv("TTY_COMPATIBLE", "0")
    with spinner("counting"):
        time.sleep(0.1)
    assert capsys.readouterr() == ("", "")
    assert shown._BETWEEN_LINES == 10


def test_an_error_passes_through_and_ends_the_spinner(terminal, capsys):
    with pytest.raises(KeyError), spinner("counting", after=0.01):
        time.sleep(0.1)
        raise KeyError
    capsys.readouterr()
    time.sleep(0.15)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("phase", "passed", "in_phase", "line"),
    [
        (Phase("counting"), 3, 3, "counting, 3 s"),
        (Phase("counting", 7, None, "queries"), 75, 75, "counting, 7 queries, 1 min 15 s"),
        (Phase("counting", 1, 4), 3, 2, "counting, 25%, 3 s, about 6 s left"),
        (Phase("counting", 1, 4), 3, 1, "counting, 25%, 3 s"),
        (Phase("counting", 1, 1000), 9, 9, "counting, 0%, 9 s"),
        (
            Phase("copying", 0, 2000, "rows", lambda: 50.0),
            8000,
            8,
            "copying, 1,000 of 2,000 rows, 125 a second, 2 h 13 min, about 8 s left",
        ),
        (Phase("copying", percent=lambda: -1.0), 3, 3, "copying, 3 s"),
        (Phase("copying", percent=lambda: 101.0), 3, 3, "copying, 100%, 3 s, about 0 s left"),
    ],
)
def test_a_phase_in_words(phase: Phase, passed: float, in_phase: float, line: str) -> None:
    assert told(phase, phase.share, passed, in_phase) == line


def test_a_phase_is_not_asked_how_far_it_is_once_the_next_is_told(terminal, capsys):
    asked, answered, ended = threading.Event(), threading.Event(), []

    def percent() -> float:
        assert not ended
        asked.set()
        time.sleep(0.05)
        assert not ended
        answered.set()
        return 10.0

    with spinner("counting", after=0.01) as progress:
        progress(Phase("copying", percent=percent))
        assert asked.wait(5)
        progress(Phase("writing"))
        ended.append(True)
        assert answered.is_set()
        time.sleep(0.3)
    assert "writing" in capsys.readouterr().err
