"""A shop whose sources tests move, change and put back."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import duckdb

from attacks.neighbours import Blind
from dpsql.errors import OperationalError
from dpsql.policy.load import load_policy
from dpsql.session import Session, accept_sources, build_session

COUNT = "SELECT COUNT(*) FROM orders"
POLICY = """
version: 1
privacy: {unit: orders.customer, max_rows_per_unit: 3}
tables:
  orders:
    source: orders.SUFFIX
    unit_key: customer
    columns: {customer: {type: integer}}
  regions: {source: regions.parquet, public: true}
budgets: {dataset: {epsilon: 100}, default: {epsilon: 10, per_query: 1}}
admin_log: admin.log
"""


def written(path: Path, select: str) -> None:
    """A source that holds what a SELECT gives."""
    path.unlink(missing_ok=True)
    if path.suffix == ".duckdb":
        with duckdb.connect(str(path)) as db:
            db.execute(f"CREATE TABLE orders AS {select}")
    else:
        uncompressed = " (COMPRESSION uncompressed)" if path.suffix == ".parquet" else ""
        duckdb.execute(f"COPY ({select}) TO '{path}'{uncompressed}")


def orders(first: int = 0) -> str:
    """A hundred rows of a hundred customers, in as many bytes whoever they are."""
    return f"SELECT 1000 + {first} + range AS customer FROM range(100)"


def folder(at: Path, suffix: str = "parquet", first: int = 0) -> Path:
    """A folder with the policy and its sources; the policy."""
    at.mkdir(parents=True, exist_ok=True)
    written(at / f"orders.{suffix}", orders(first))
    written(at / "regions.parquet", "SELECT 'north' AS region")
    (at / "shop.yaml").write_text(POLICY.replace("SUFFIX", suffix), encoding="utf-8")
    return at / "shop.yaml"


def opened(policy: Path, ledger: Path | None = None) -> Session:
    return build_session(load_policy(policy), "alice", ledger, (None, None), Blind())


def version(policy: Path, ledger: Path | None = None) -> int:
    """The version that is served."""
    with closing(opened(policy, ledger)) as session:
        return session._state.request.data_version


def refused(policy: Path, ledger: Path | None = None) -> bool:
    """Whether the admin has to refresh before the policy is served."""
    try:
        version(policy, ledger)
    except OperationalError as error:
        assert "dpsql refresh" in str(error) and str(policy.parent) not in str(error)
        return True
    return False


def rewritten_in_secret(path: Path, select: str) -> None:
    """Other rows, in a file of the same size and with the same times, as far as a user can set them."""
    before = path.stat()
    written(path, select)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def accepted(policy: Path, ledger: Path | None = None) -> int:
    """How many files are accepted as copies."""
    return accept_sources(policy, ledger, "admin")
