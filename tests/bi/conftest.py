"""The shop through SQLAlchemy: an engine on its policies, without an installed entry point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from answers.shop import make_shop

from dpsql.interfaces import shared_connections as shared
from dpsql.interfaces.shared_connections import ProcessCache

sqlalchemy = pytest.importorskip(
    "sqlalchemy", reason="SQLAlchemy is not installed: pip install 'dpsql[sqlalchemy]'"
)

MakeEngine = Callable[..., "sqlalchemy.engine.Engine"]


@pytest.fixture(scope="session", autouse=True)
def registered() -> None:
    """The dialect under its name, as the entry point of an installed dpsql has it."""
    sqlalchemy.dialects.registry.register("dpsql", "dpsql.interfaces.sqlalchemy", "DpsqlDialect")


@pytest.fixture(scope="module", autouse=True)
def kept() -> Iterator[ProcessCache]:
    """What one process keeps, for the tests of one file."""
    kept = ProcessCache()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shared, "_cache", lambda process: kept)
        yield kept
    kept.close()


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the shop's data and policies."""
    return make_shop(tmp_path_factory.mktemp("bi") / "shop")


@pytest.fixture
def url(shop: Path, tmp_path: Path) -> Callable[..., str]:
    """URLs of the shop's policies with a ledger of this test."""

    def made(policy: str = "shop", **options: str) -> str:
        given = {"analyst": "alice", "ledger": str(tmp_path / "test.ledger")} | options
        return f"dpsql:///{shop / policy}.yaml?" + "&".join(f"{k}={v}" for k, v in given.items())

    return made


@pytest.fixture
def engine(url: Callable[..., str]) -> MakeEngine:
    """Engines on the shop's policies."""
    return lambda policy="shop", more=None, **options: sqlalchemy.create_engine(
        url(policy, **options), **(more or {})
    )
