"""Servers that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from server.served import Served, by_command, directly, prepare, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server on loopback without TLS, started as an admin starts it."""
    folder = tmp_path_factory.mktemp("server")
    prepare(folder)
    with serving(folder, by_command(folder, ("shop",))) as served:
        yield served


@pytest.fixture(scope="session")
def tls_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a certificate, which takes clients' certificates."""
    folder = tmp_path_factory.mktemp("tls")
    prepare(folder)
    with serving(folder, directly(folder, ("shop",), tls=True)) as served:
        yield served


@pytest.fixture(scope="session")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose processes are killed; its database "slow" answers 1.5 seconds after the charge."""
    folder = tmp_path_factory.mktemp("slow")
    prepare(folder)
    with serving(folder, directly(folder, ("shop", "slow")), databases=2) as served:
        yield served
