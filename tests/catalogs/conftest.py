"""A policy's tables as a PostgreSQL client sees them, and the same tables in a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from bi.store import make_store
from fuzz.compare import NoNoise
from postgresql.server import Server
from psycopg import sql

from catalogs.oracle import Oracle, made_in_postgresql
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.sql.system_tables.system_context import Client


@pytest.fixture(name="client", scope="package")
def _client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A session as the server opens one for its database `shop`."""
    policy = load_policy(make_store(tmp_path_factory.mktemp("store")))
    asking = Client("shop", 7)
    with closing(build_session(policy, "tool", None, (None, None), NoNoise(), client=asking)) as session:
        yield session


@pytest.fixture(name="oracle", scope="package")
def _oracle(postgres_server: Server, client: Session) -> Iterator[Oracle]:
    """A connection of the role `tool` to a database `shop` of PostgreSQL that has the same tables."""
    with psycopg.connect(postgres_server.url(), autocommit=True) as admin:
        for statement in (
            "CREATE ROLE dpsql SUPERUSER LOGIN",
            "CREATE ROLE tool LOGIN",
            "CREATE DATABASE shop OWNER dpsql",
        ):
            admin.execute(sql.SQL(statement))
        with psycopg.connect(postgres_server.url("dpsql", "shop"), autocommit=True) as owner:
            made_in_postgresql(owner, client)
        with psycopg.connect(postgres_server.url("tool", "shop"), autocommit=True) as connection:
            yield Oracle(connection)
        admin.execute(sql.SQL("DROP DATABASE shop"))
        for role in ("tool", "dpsql"):
            admin.execute(sql.SQL(f"DROP ROLE {role}"))
