"""No public object leads to an engine, a ledger or a session's inside."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FunctionType

import pytest

import dpsql
from dpsql.accounting.storage.sqlite import Database
from dpsql.dbapi import Connection, Cursor
from dpsql.engines.base import EngineFailed
from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.public_engine import FinishEngine
from dpsql.session import Session
from dpsql.stages.state import State
from process.reach import INSIDE, RAW, by_any_reference, by_public_names, frames_of, is_guard, reachable

GROUPED = "SELECT ward, count(*) AS n, avg(nights) AS mean FROM visits GROUP BY ward"
PRIVATE_KEYS = "SELECT doctor, count(*) FROM visits GROUP BY doctor"


def test_public_names_of_a_connection_lead_to_nothing_inside(connection: Connection) -> None:
    cursor = connection.execute(GROUPED)
    roots = [
        connection,
        cursor,
        iter(cursor),
        cursor.release,
        connection.explain(GROUPED),
        connection.budget(),
    ]
    found = list(reachable(roots, by_public_names))
    assert not [thing for thing in found if isinstance(thing, INSIDE)]
    assert connection in found and len(found) > 100


@pytest.mark.one_in(4)
@pytest.mark.parametrize("sql", [GROUPED, PRIVATE_KEYS, f"EXPLAIN {GROUPED}", f"{GROUPED} LIMIT 0"])
def test_no_reference_of_an_answer_or_an_explanation_leads_inside(connection: Connection, sql: str) -> None:
    cursor = connection.execute(sql)
    answer: list[object] = [
        cursor.description,
        cursor.release,
        cursor.release.intervals,
        cursor.release.releases,
    ]
    answer += [cursor.fetchall(), connection.explain(GROUPED), connection.budget(), cursor._answer]
    found = list(reachable(answer, by_any_reference))
    assert not [thing for thing in found if isinstance(thing, (*INSIDE, Connection, Cursor))]


def test_a_cursor_leads_inside_by_its_connection_alone(connection: Connection) -> None:
    cursor = connection.execute(GROUPED)
    cursor._connection = None  # type: ignore[assignment]
    found = list(reachable([cursor], by_any_reference))
    assert not [thing for thing in found if isinstance(thing, INSIDE)]
    cursor._connection = connection


@pytest.mark.slow
def test_the_walk_sees_what_is_inside_where_private_names_are_followed(connection: Connection) -> None:
    cursor = connection.execute(GROUPED)
    for step in (lambda: [connection], lambda: [cursor], lambda: [lambda: cursor]):
        found = {type(thing) for thing in reachable(step(), by_any_reference)}
        assert found >= {Session, State, Database, FinishEngine, DuckEngine, *RAW[:1]}


class Shown:
    """A public object that shows its inside in one of the ways that the walk has to see."""

    def __init__(self, inside: object) -> None:
        self._inside = inside

    @property
    def plain(self) -> object:
        return self._inside


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "shown",
    [
        Shown,
        lambda inside: lambda: inside,
        lambda inside: {"a": [(inside,)]},
        lambda inside: inside.run,
        lambda inside: (inside for _ in "a"),
        lambda inside: ValueError(inside),
    ],
)
def test_the_walk_by_public_names_sees_through(
    connection: Connection, shown: Callable[[object], object]
) -> None:
    session = connection._session
    assert session is not None
    inside = session._state.engine
    assert inside in reachable([shown(inside)], by_public_names)


def failed(work: Callable[[], object]) -> BaseException:
    with pytest.raises((dpsql.Error, KeyboardInterrupt)) as caught:
        work()
    return caught.value


def test_no_reference_of_an_exception_leads_inside(
    connection: Connection, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cursor, session = connection.cursor(), connection._session
    assert session is not None
    uses: list[Callable[[], object]] = [
        lambda: cursor.execute("SELECT email FROM visits"),
        lambda: cursor.execute("SELECT count(*) FROM visits; DROP TABLE visits"),
        lambda: cursor.execute("SELECT count(*) FROM visits WHERE ward = ?", []),
        lambda: cursor.execute(5),  # type: ignore[arg-type]
        lambda: connection.explain("SELECT * FROM nowhere"),
        lambda: connection.execute("SELECT 1", {1: 2}),  # type: ignore[dict-item]
        lambda: cursor.executemany("SELECT 1", [[]]),
        lambda: cursor.fetchall(),
        lambda: cursor.fetchmany(-1),
        lambda: cursor.release,
        lambda: setattr(cursor, "arraysize", 0),
        lambda: cursor.to_arrow_table(),
        lambda: connection.__reduce_ex__(4),
        lambda: cursor.__reduce_ex__(4),
        lambda: session.__reduce_ex__(4),
        lambda: dpsql.connect(policy, analyst="dataset"),
        lambda: dpsql.connect(policy, analyst="alice", epsilon=-1),
        lambda: dpsql.connect(policy.with_name("nowhere.yaml"), analyst="alice"),
        lambda: dpsql.connect(policy, analyst="alice", ledger=policy),
    ]
    errors = [failed(use) for use in uses]
    monkeypatch.setattr(DuckEngine, "run", lambda *given: (_ for _ in ()).throw(EngineFailed("x")))
    errors += [failed(lambda: cursor.execute("SELECT count(*) FROM visits WHERE doctor = 3"))]
    errors += [failed(lambda: session.answer("SELECT count(*) FROM visits WHERE doctor = 4"))]
    connection.close()
    errors += [
        failed(lambda: cursor.execute(GROUPED)),
        failed(connection.budget),
        failed(lambda: cursor.description),
    ]
    for error in errors:
        inside = [thing for thing in reachable([error], by_any_reference) if isinstance(thing, INSIDE)]
        assert not inside, error
        assert all(is_guard(frame.f_code) for frame in frames_of(error)), error
        assert error.__cause__ is None and error.__context__ is None


@pytest.mark.parametrize("public", [Connection, Cursor, Session])
def test_no_public_method_or_property_is_left_unguarded(public: type) -> None:
    ours = [m for kind in public.__mro__[:-1] for n, m in vars(kind).items() if not n.startswith("_")]
    ways = [m.fget if isinstance(m, property) else m for m in ours if callable(m) or isinstance(m, property)]
    functions = [way for way in ways if not isinstance(way, type)]
    assert len(functions) >= 4
    for way in functions:
        assert isinstance(way, FunctionType) and is_guard(way.__code__), way


def test_an_error_in_a_callers_own_failure_keeps_the_callers_context_alone(connection: Connection) -> None:
    own = KeyError("the caller's")
    with suppress(dpsql.Error):
        try:
            raise own
        except KeyError:
            try:
                connection.execute("SELECT email FROM visits")
            except dpsql.Error as error:
                assert error.__context__ is own and error.__cause__ is None
                raise
