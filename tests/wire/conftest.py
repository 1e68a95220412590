"""The shop behind the protocol: a policy, a ledger of the test, and servers that believe every login."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from answers.shop import make_shop

from dpsql.interfaces import shared_connections as shared
from dpsql.interfaces.shared_connections import ProcessCache
from wire.openings import Shop
from wire.trust_server import TrustServer, trusting


@pytest.fixture(scope="module", autouse=True)
def kept() -> Iterator[ProcessCache]:
    """What one process keeps, for the tests of one file."""
    kept = ProcessCache()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shared, "_cache", lambda process: kept)
        yield kept
    kept.close()


@pytest.fixture(scope="session")
def shop_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the shop's data and policies."""
    return make_shop(tmp_path_factory.mktemp("wire") / "shop")


@pytest.fixture
def shop(shop_folder: Path, tmp_path: Path) -> Shop:
    """The shop with a ledger of this test."""
    return Shop(shop_folder / "shop.yaml", tmp_path / "test.ledger")


@pytest.fixture
def server(shop: Shop) -> Iterator[TrustServer]:
    """A server of the shop."""
    with trusting(shop.of_start_up) as running:
        yield running
