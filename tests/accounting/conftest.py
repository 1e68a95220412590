"""A ledger in a place of its own: a file in a folder, or a schema in a PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from postgresql.server import Server

from dpsql.accounting.ledger.ledger import Ledger

Fresh = Callable[[], str]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "shop.ledger"


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Fresh:
    """Makes a place without a ledger, anew with each call; every test of the contract runs in both kinds."""
    if request.param == "postgresql":
        made: Fresh = request.getfixturevalue("fresh_postgres")
        return made
    names = (tmp_path / f"shop{n}.ledger" for n in range(10**6))
    return lambda: str(next(names))


@pytest.fixture
def place(fresh: Fresh) -> str:
    """A file's name or a server's address."""
    return fresh()


@pytest.fixture
def ledger(place: str) -> Iterator[Ledger]:
    with Ledger.open(place) as opened:
        yield opened


@pytest.fixture
def url(fresh_postgres: Callable[[], str]) -> str:
    return fresh_postgres()


@pytest.fixture
def nowhere(postgres_server: Server, url: str) -> Iterator[str]:
    """The address of a new database."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE DATABASE nowhere")
    yield postgres_server.url(database="nowhere")
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("DROP DATABASE nowhere WITH (FORCE)")
