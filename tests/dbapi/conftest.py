"""A session that answers from a script, so that cursors can be tested without data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import pytest

from dpsql.dbapi import Connection
from dpsql.privacy import Cost
from dpsql.release.types import Answer, BudgetReport, Explanation

Parameters = Sequence[object] | Mapping[str, object] | None


class ScriptedSession:
    """Gives, or raises, what the test put into `script`, in order; remembers what it was asked."""

    def __init__(self, *script: Answer | Exception) -> None:
        self.script = list(script)
        self.asked: list[tuple[str, Parameters]] = []
        self.closed = 0

    def answer(self, sql: str, params: Parameters) -> Answer:
        self.asked.append((sql, params))
        outcome = self.script.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def explain(self, sql: str, params: Parameters = None) -> Explanation:
        self.asked.append((sql, params))
        return Explanation(Fraction(1, 2), Fraction(0), (), sql)

    def budget(self) -> BudgetReport:
        return BudgetReport(Cost(Fraction(10)), Cost(Fraction(1)), Cost(Fraction(9)))

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def scripted() -> Callable[..., tuple[Connection, ScriptedSession]]:
    """Builds a connection on a session with the given script."""

    def build(*script: Answer | Exception) -> tuple[Connection, ScriptedSession]:
        session = ScriptedSession(*script)
        return Connection(session), session

    return build
