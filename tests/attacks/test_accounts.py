"""Several connections on one ledger, changed sources, and what public objects show."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from attacks.neighbours import Database, open_as
from dpsql.dbapi import Connection
from dpsql.errors import InterfaceError, OperationalError

QUERY = "SELECT ward, count(*), avg(cost) FROM visits GROUP BY ward"


def test_a_stored_answer_is_the_same_for_everybody_and_each_analyst_pays_for_it_once(tmp_path: Path) -> None:
    first = Database(tmp_path, "with", "listed", "alice")
    second = open_as(tmp_path / "listed.yaml", "bob")
    again = open_as(tmp_path / "listed.yaml", "ALICE")
    answers = [first.session.answer(QUERY), second.answer(QUERY), again.answer(QUERY)]
    assert answers[0].rows == answers[1].rows == answers[2].rows
    assert [float(a.released.epsilon) for a in answers] == [1, 1, 0]
    assert first.engine.queries > 0
    for session in (first.session, second, again):
        session.close()


def test_another_policy_on_the_same_data_draws_its_own_answer(tmp_path: Path) -> None:
    for policy in ("listed", "table_cap"):
        database = Database(tmp_path, "with", policy)
        assert database.ask(QUERY).charged[0] == 1
        assert database.engine.queries > 0
        database.session.close()


def test_a_changed_source_is_not_read_and_nothing_is_charged(tmp_path: Path) -> None:
    database = Database(tmp_path, "with", "listed")
    os.utime(tmp_path / "hospital.duckdb", ns=(1, 1))
    seen = database.ask(QUERY)
    assert seen.kind == "OperationalError" and database.engine.queries == 0
    database.session.close()
    with pytest.raises(OperationalError, match="dpsql refresh"):
        open_as(tmp_path / "listed.yaml", "mallory")


def test_what_public_objects_show_does_not_depend_on_the_rows(tmp_path: Path) -> None:
    shown = []
    for kind in ("with", "without"):
        database = Database(tmp_path / kind, kind, "listed")
        connection = Connection(database.session)
        cursor = connection.execute(QUERY)
        objects = (connection, cursor, cursor.release, cursor.release.intervals, connection.explain(QUERY))
        sentence = " ".join(map(repr, (*objects, cursor.description, connection.budget(), cursor.fetchall())))
        shown.append(sentence + str(connection.explain(QUERY)))
        connection.close()
    assert shown[0] == shown[1]


def test_a_closed_connection_answers_nothing(tmp_path: Path) -> None:
    connection = Connection(Database(tmp_path, "with", "listed").session)
    cursor = connection.execute(QUERY)
    connection.close()
    for use in (
        cursor.fetchall,
        connection.cursor,
        connection.budget,
        lambda: cursor.release,
        lambda: cursor.execute(QUERY),
    ):
        with pytest.raises(InterfaceError, match="closed"):
            use()
