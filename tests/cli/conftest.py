"""Runs commands on a connection whose answers the test writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import pytest
from click.testing import CliRunner, Result

from dpsql.dbapi import Connection
from dpsql.interfaces.cli import main, options
from dpsql.privacy import Cost
from dpsql.release.types import Answer, BudgetReport, Explanation
from dpsql.sql.system_tables.reports import ColumnReport, TableReport

Parameters = Sequence[object] | Mapping[str, object] | None


class ScriptedSession:
    """Gives, or raises, what the test wrote, in order; remembers what it was asked and opened with."""

    def __init__(self, script: list[Answer | Exception]) -> None:
        self.script = script
        self.asked: list[tuple[str, Parameters]] = []
        self.opened: dict[str, object] = {}
        self.closed = False

    def answer(self, sql: str, params: Parameters) -> Answer:
        self.asked.append((sql, params))
        outcome = self.script.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def explain(self, sql: str, params: Parameters = None) -> Explanation:
        self.asked.append((sql, params))
        return Explanation(Fraction(1, 2), Fraction(0), (), "SELECT * FROM r0", ("a note",))

    def budget(self) -> BudgetReport:
        return BudgetReport(Cost(Fraction(10)), Cost(Fraction(1, 4)), Cost(Fraction(39, 4)))

    def tables(self) -> tuple[TableReport, ...]:
        columns = (
            ColumnReport("id", "BIGINT", False),
            ColumnReport("region", "VARCHAR", True, "one of north, south"),
        )
        orders = TableReport("main", "orders", columns, ("id",), comment="private: aggregates only")
        return (orders, TableReport("dpsql", "budget", (), public=True, system=True))

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> ScriptedSession:
    """The session that every command opens; its script is the test's to fill."""
    session = ScriptedSession([])

    def connect(policy: object, **given: object) -> Connection:
        session.opened = {"policy": str(policy), **given}
        return Connection(session)

    monkeypatch.setattr(options, "connect", connect)
    return session


@pytest.fixture
def run() -> Callable[..., Result]:
    """Runs `dpsql` with the given arguments."""

    def invoke(*arguments: str, stdin: str | None = None, **env: str) -> Result:
        return CliRunner().invoke(main, arguments, input=stdin, env=env, catch_exceptions=False)

    return invoke
