"""Engines that many sessions over the same policy and data share: they are opened once.

For tests of what stands above engines; a ledger, an analyst and plans each session has of its own.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import lru_cache, partial
from pathlib import Path

import duckdb

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
    """Engines over a policy and the one file of its data, whatever folder the two are in; own ones over several."""
    data = policy.tables[0].source.path
    if any(t.source.path != data for t in policy.tables):
        return open_resources(policy, sources)
    text = policy.path.read_text(encoding="utf-8")
    private, public, tables = _engines(text, data.name, data.read_bytes())
    return Resources(SpareEngine(private), SparePublic(public), tables, Plans())


@lru_cache(maxsize=16)
def database(sql: str) -> bytes:
    """A file of DuckDB with what the statements make; the same statements run once."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.duckdb"
        with duckdb.connect(str(file)) as connection:
            connection.execute(sql)
        return file.read_bytes()


@lru_cache(maxsize=16)
def _engines(text: str, name: str, data: bytes) -> Engines:
    folder = Path(tempfile.mkdtemp(prefix="dpsql-shared-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / name).write_bytes(data)
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    policy = load_policy(folder / "policy.yaml")
    first = open_resources(policy, sources_of(policy))
    private = Spares[Engine](partial(open_private, policy), [first.private])
    public = Spares[PublicEngine](partial(open_public, policy), [first.public])
    return private, public, open_catalog(policy, first.public)
