"""A connection as a host opens it, with real noise, and one analyst's policy to open more of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from attacks.neighbours import Database

import dpsql
from dpsql.dbapi import Connection

Open = Callable[[], Connection]


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hospital")
    Database(folder, "with", "listed").session.close()
    return folder / "listed.yaml"


@pytest.fixture
def connect(policy: Path, tmp_path: Path) -> Iterator[Open]:
    """Opens connections of one analyst on a ledger of this test, which are closed in the end."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(
            dpsql.connect(policy, analyst="alice", ledger=tmp_path / "test.ledger")
        )


@pytest.fixture
def connection(connect: Open) -> Connection:
    return connect()
