"""Scripts of messages, answered by our conversation and, as the oracle, by a real PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from postgresql.server import Server

from wire.openings import Shop
from wire.protocol_scripts import Script, played, played_at, read_script

SCRIPTS = [read_script(path) for path in sorted((Path(__file__).parent / "scripts").glob("*.pgtest"))]
COMMON = [script for script in SCRIPTS if not script.own]
PRODUCTS = "CREATE TABLE IF NOT EXISTS products AS SELECT * FROM (VALUES {}) AS v(product, label)"
ROWS = "(101::bigint, 'pen'), (102, 'ink'), (103, 'pad'), (104, 'bag'), (105, 'cap'), (106, 'map')"


def test_there_are_scripts_of_both_kinds() -> None:
    assert len(COMMON) >= 8
    assert len(SCRIPTS) - len(COMMON) >= 3


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_the_conversation_answers_as_the_script_says(script: Script, shop: Shop) -> None:
    assert played(script, shop.opening()) == list(script.expected)


@pytest.mark.parametrize("script", COMMON, ids=lambda script: script.name)
def test_postgresql_answers_as_the_script_says(script: Script, postgres_server: Server) -> None:
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        db.execute(PRODUCTS.format(ROWS).encode())
    path = str(postgres_server.home / ".s.PGSQL.5432")
    assert played_at(script, path, "admin", "postgres") == list(script.expected)
