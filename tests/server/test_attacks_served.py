"""Attacks through the server: what is refused embedded is refused there, in the same words, and for nothing."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from attacks.cases import Case, read_cases
from attacks.neighbours import Database

from server.served import Served, add_users, directly, logins, serving

# The embedded tests have every case. Every ninth stands for its class here; `-m slow` sends all of them.
_EVERY = 9


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
    notices.clear()
    try:
        cursor = connection.execute(sql.encode())
    except psycopg.Error as error:
        assert not any("charged" in notice for notice in notices)
        return f"refused: {error.diag.message_primary}"
    return f"answered: {', '.join(column.name for column in cursor.description or ())}"


def _same(case: Case, said: str) -> bool:
    kind, _, rest = case.expected.partition(": ")
    if kind == "answered":
        return said.startswith("answered")
    if kind == "failed":
        return said.startswith("refused: the query could not be completed")
    reason = rest.split(": ", 1)[1] if rest.startswith("line ") else rest
    expected = f"refused: {reason}"
    return said.startswith(expected[:-3]) if expected.endswith("...") else said == expected
