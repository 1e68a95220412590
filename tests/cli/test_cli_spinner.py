"""A spinner appears on stderr, on a terminal, when something takes longer than the given time."""

from __future__ import annotations

import time

import pytest

from dpsql.interfaces.cli.spinner import spinner


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")


def test_a_long_wait_shows_its_message_on_stderr_alone(terminal, capsys):
    with spinner("counting", after=0.01):
        time.sleep(0.3)
    out, err = capsys.readouterr()
    assert out == "" and "counting" in err


def test_a_short_wait_shows_nothing(terminal, capsys):
    with spinner("counting", after=30):
        pass
    assert capsys.readouterr() == ("", "")


def test_a_pipe_gets_no_spinner(monkeypatch, capsys):
    monkeypatch.setenv("TTY_COMPATIBLE", "0")
    with spinner("counting", after=0.01):
        time.sleep(0.1)
    assert capsys.readouterr() == ("", "")


def test_an_error_passes_through_and_ends_the_spinner(terminal, capsys):
    with pytest.raises(KeyError), spinner("counting", after=0.01):
        time.sleep(0.1)
        raise KeyError
    capsys.readouterr()
    time.sleep(0.15)
    assert capsys.readouterr().err == ""


def test_the_time_that_has_passed_is_shown(terminal, capsys):
    with spinner("counting", after=0.01):
        time.sleep(1.3)
    assert "counting, 1 s" in capsys.readouterr().err
