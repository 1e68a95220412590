"""In a notebook a long query shows the time that has passed, and nothing else; elsewhere nothing happens."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType, SimpleNamespace

import pytest

from dpsql.dbapi import Connection
from dpsql.errors import Interrupted, QueryFailed
from dpsql.privacy import FREE, Cost
from dpsql.release.render import waiting_line as waiting


class Notebook:
    """IPython with a kernel, and what stands below the cell, one after another."""

    def __init__(self) -> None:
        self.below: list[dict[str, str]] = []

    def display(self, data: dict[str, str], *, raw: bool, display_id: bool) -> Notebook:
        assert raw and display_id and not self.below
        self.update(data, raw=raw)
        return self

    def update(self, data: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.below.append(data)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    found = Notebook()
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    monkeypatch.setattr(ipython, "get_ipython", lambda: SimpleNamespace(kernel=object()), raising=False)
    monkeypatch.setattr(display, "display", found.display, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(waiting, "_AFTER_SECONDS", 0.1)
    monkeypatch.setattr(waiting, "_BETWEEN_SECONDS", 0.05)
    return found


class Slow:
    """A session that answers late, or does what the test says."""

    def __init__(self, ends: Callable[[], object], seconds: float = 0.3) -> None:
        self.spent, self.asked = FREE, 0
        self._ends, self._seconds = ends, seconds

    def answer(self, sql: str, params: object) -> object:
        time.sleep(self._seconds)
        return self._ends()

    def budget(self) -> object:
        self.asked += 1
        return SimpleNamespace(spent=self.spent)


def ask(session: Slow) -> None:
    Connection(session).execute("SELECT 1")  # type: ignore[arg-type]


def test_a_long_query_shows_the_time_alone_and_the_line_goes_with_the_answer(notebook: Notebook) -> None:
    ask(Slow(lambda: None))
    *shown, last = notebook.below
    assert len(shown) > 1 and all(re.fullmatch(r"answering, \d+ s", s["text/plain"]) for s in shown)
    assert all(set(s) == {"text/plain"} for s in shown)
    assert not any(last.values())
    time.sleep(0.2)
    assert notebook.below[-1] is last


def test_a_short_query_shows_nothing(notebook: Notebook) -> None:
    ask(Slow(lambda: None, seconds=0))
    assert notebook.below == []


def test_a_failure_ends_the_line(notebook: Notebook) -> None:
    def fails() -> None:
        raise QueryFailed

    with pytest.raises(QueryFailed):
        ask(Slow(fails))
    assert not any(notebook.below[-1].values())


def test_an_interrupted_cell_says_what_was_charged(notebook: Notebook) -> None:
    def interrupted() -> None:
        session.spent = Cost(Fraction(1, 2))
        raise KeyboardInterrupt

    session = Slow(interrupted)
    with pytest.raises(Interrupted, match=r"charged epsilon 0\.5,"):
        ask(session)
    assert not any(notebook.below[-1].values())


def test_elsewhere_nothing_is_shown_and_the_budget_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    session = Slow(lambda: None, seconds=0)
    ask(session)
    assert session.asked == 0
    ipython = ModuleType("IPython")
    monkeypatch.setattr(ipython, "get_ipython", lambda: None, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    ask(session)
    assert session.asked == 0
