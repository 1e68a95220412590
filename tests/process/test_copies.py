"""Copies, pickles and texts of public objects: whatever holds data has none, and what is released goes along."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TypeVar, cast

import pytest

import dpsql
from dpsql.dbapi import Connection
from process.reach import INSIDE, by_any_reference, reachable

T = TypeVar("T")
SQL = "SELECT ward, count(*) AS n, avg(nights) AS mean FROM visits GROUP BY ward"


def pickled(thing: T) -> T:
    """The thing as another process would read it."""
    return cast(T, pickle.loads(pickle.dumps(thing)))


def copied(thing: T) -> T:
    return copy.copy(thing)


def copied_deeply(thing: T) -> T:
    return copy.deepcopy(thing)


COPIES: tuple[Callable[[object], object], ...] = (
    copy.copy, copy.deepcopy, *(lambda x, p=p: pickle.loads(pickle.dumps(x, p)) for p in range(6)),
    lambda x: x.__reduce__(), lambda x: x.__reduce_ex__(2),
)  # fmt: skip
TEXTS: tuple[Callable[[object], str], ...] = (
    repr,
    str,
    format,
    ascii,
    lambda x: f"{x!r:>300}",
    lambda x: " ".join(dir(x)),
)


def guarded_objects(connection: Connection) -> dict[str, object]:
    """What holds private data or a way to it."""
    session = connection._session
    assert session is not None
    state = session._state
    return {
        "connection": connection,
        "cursor": connection.execute(SQL),
        "session": session,
        "state": state,
        "engine": state.engine,
        "public engine": state.public,
        "ledger": state.ledger,
        "ledger's file": state.ledger._database,
    }


NAMES = (
    "connection", "cursor", "session", "state", "engine", "public engine", "ledger", "ledger's file"
)  # fmt: skip


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", NAMES)
def test_what_holds_data_can_be_neither_copied_nor_pickled(connection: Connection, name: str) -> None:
    thing = guarded_objects(connection)[name]
    for duplicate in COPIES:
        with pytest.raises((dpsql.Error, TypeError)) as caught:
            duplicate(thing)
        assert "visits" not in str(caught.value) and "0x" not in str(caught.value)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", NAMES)
def test_texts_of_what_holds_data_show_nothing_of_it(connection: Connection, policy: Path, name: str) -> None:
    thing = guarded_objects(connection)[name]
    for text in TEXTS:
        shown = text(thing)
        assert not any(
            word in shown for word in ("777777", "isolation", "visits", "SELECT", str(policy.parent))
        )
    with pytest.raises(TypeError):
        vars(thing)


def test_what_is_released_can_be_copied_and_pickled_and_stays_the_same(connection: Connection) -> None:
    cursor = connection.execute(SQL)
    report, plan, budget = cursor.release, connection.explain(SQL), connection.budget()
    for duplicate in (copied, copied_deeply, pickled):
        assert duplicate(plan) == plan and duplicate(budget) == budget
        again = duplicate(report)
        assert (again.cost, again.releases, again.notes) == (report.cost, report.releases, report.notes)
        assert len(again.intervals) == 3 and again.intervals == again.intervals
        assert not [thing for thing in reachable([again], by_any_reference) if isinstance(thing, INSIDE)]


def test_a_report_outlives_its_session(connection: Connection) -> None:
    report = connection.execute(SQL).release
    connection.close()
    assert report.releases and len(report.intervals) == 3


def test_every_error_can_be_copied_and_pickled_and_says_the_same(connection: Connection) -> None:
    errors = []
    for sql in ("SELECT email FROM visits", "SELECT 1 +", "SELECT count(*) FROM nowhere"):
        with pytest.raises(dpsql.QueryRefused) as caught:
            connection.execute(sql)
        errors.append(caught.value)
    for error in (*errors, dpsql.QueryFailed(), dpsql.QueryFailed(charged=False)):
        for duplicate in (copied, copied_deeply, pickled):
            again = duplicate(error)
            assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_an_exhausted_budget_and_a_wrong_policy_can_be_pickled(policy: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("version: 2\ntables: {}\n")
    with pytest.raises(dpsql.PolicyError) as mistakes:
        dpsql.connect(wrong, analyst="alice")
    poor = tmp_path / "listed.yaml"
    poor.write_text(policy.read_text().replace("dataset: {epsilon: 1000", "dataset: {epsilon: 1"))
    (tmp_path / "hospital.duckdb").symlink_to(policy.parent / "hospital.duckdb")
    with dpsql.connect(poor, analyst="alice") as connection:
        connection.execute(SQL)
        with pytest.raises(dpsql.BudgetExhausted) as exhausted:
            connection.execute("SELECT count(*) FROM visits")
    for error in (mistakes.value, exhausted.value):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_a_policy_and_a_plan_are_public_and_hold_no_engine(connection: Connection) -> None:
    session = connection._session
    assert session is not None
    found = list(reachable([session.policy], by_any_reference))
    assert not [thing for thing in found if isinstance(thing, INSIDE)]
    assert fields(type(connection.explain(SQL)))
