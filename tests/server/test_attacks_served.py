"""Attacks through the server: what is refused embedded is refused there, in the same words, and for nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

import psycopg
import pytest
from attacks.cases import Case, read_cases
from attacks.neighbours import Database

from server.served import Served, add_users, directly, logins, serving

# The embedded tests have every case. One in 31 stands for its class here; `-m slow` sends all of them.
_EVERY = 31
_OF_SESSIONS = ("BEGIN", "COMMIT", "COPY", "RESET", "ROLLBACK", "SET", "SHOW", "START")


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over the attacked database."""
    folder = tmp_path_factory.mktemp("attacked")
    Database(folder, "with", "listed").session.close()
    add_users(folder / "users.yaml", *logins())
    with serving(folder, directly(folder, ("listed",))) as served:
        yield served


def cases(every: int) -> list[Case]:
    return [case for case in read_cases() if case.policy == "listed"][::every]


@pytest.mark.parametrize("every", [_EVERY, pytest.param(1, marks=pytest.mark.slow)])
def test_attacks_get_what_they_get_embedded(hospital: Served, every: int) -> None:
    notices: list[str] = []
    with hospital.connect(database="listed") as connection:
        connection.add_notice_handler(lambda notice: notices.append(str(notice.message_primary)))
        seen = [(case, _seen(connection, case.sql, notices)) for case in cases(every)]
    differing = [
        f"{case.sql}\n    embedded: {case.expected}\n    served: {said}"
        for case, said in seen
        if not _same(case, said)
    ]
    assert not differing, "\n".join(differing)
    assert sum(case.expected.startswith("refused") for case, _ in seen) > 300 // every


def _seen(connection: psycopg.Connection, sql: str, notices: list[str]) -> str:
    """What an analyst sees of a statement, in the words of the cases, without its place."""
    if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        connection.execute("ROLLBACK")
    notices.clear()
    try:
        cursor = connection.execute(sql.encode())
    except psycopg.Error as error:
        assert not any("charged" in notice for notice in notices)
        return f"refused: {error.diag.message_primary}"
    charged = "" if any("charged" in notice for notice in notices) else ", uncharged"
    return f"answered{charged}: {', '.join(column.name for column in cursor.description or ())}"


def _same(case: Case, said: str) -> bool:
    """Whether the server says what a connection says; statements of a session, and several at once, it reads itself."""
    kind, _, rest = case.expected.partition(": ")
    if "dpsql.pg_catalog" in case.sql:  # here the database has another name, its policy's
        return said.startswith("refused: there is no table")
    if kind != "refused":  # real noise may not fit a type that the cases' noise fits
        return said.startswith(("answered", "refused: the query could not be completed"))
    first = re.match(r"\w*", case.sql)
    assert first is not None
    if first[0].upper() in _OF_SESSIONS or ";" in case.sql or "set_config(" in case.sql:
        return said.startswith(("answered, uncharged", "refused"))
    reason = rest.split(": ", 1)[1] if rest.startswith("line ") else rest
    if reason.startswith("DuckDB does not accept") or said.endswith("in a statement about the system"):
        return said.startswith("refused")  # a statement without FROM is read as PostgreSQL's first
    expected = f"refused: {reason}"
    return said.startswith(expected[:-3]) if expected.endswith("...") else said == expected
