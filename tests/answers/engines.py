"""Engines that many sessions over the shop share: they are opened once for each policy.

For tests of what stands above engines; a ledger, an analyst and plans each session has of its own.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache, partial
from pathlib import Path

from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.algebra.catalog import Catalog
from dpsql.engines.base import Engine, PublicEngine
from dpsql.engines.open_engines import open_private, open_public
from dpsql.engines.sources.fingerprints import sources_of
from dpsql.engines.sources.referenced_keys import open_catalog
from dpsql.engines.spare import SpareEngine, SparePublic, Spares
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.stages.state import Plans, Resources, open_resources

Engines = tuple[Spares[Engine], Spares[PublicEngine], Catalog]


def shared_engines(policy: Policy, sources: Sources) -> Resources:
    """Engines over a policy beside its shop.duckdb, whatever folder the two are in."""
    data = policy.path.with_name("shop.duckdb").read_bytes()
    private, public, tables = _engines(policy.path.read_text(encoding="utf-8"), data)
    return Resources(SpareEngine(private), SparePublic(public), tables, Plans())


@cache
def _engines(text: str, data: bytes) -> Engines:
    folder = Path(tempfile.mkdtemp(prefix="dpsql-shop-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "shop.duckdb").write_bytes(data)
    (folder / "shop.yaml").write_text(text, encoding="utf-8")
    policy = load_policy(folder / "shop.yaml")
    first = open_resources(policy, sources_of(policy))
    private = Spares[Engine](partial(open_private, policy), [first.private])
    public = Spares[PublicEngine](partial(open_public, policy), [first.public])
    return private, public, open_catalog(policy, first.public)
