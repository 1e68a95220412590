"""Connections that share policies, verified data, engines and plans within a process, and so open in a millisecond.

Tools open a connection for every query. Its own are an analyst, a ledger and the cost of a query; all that depends on
the policy and its data alone is cached while the policy's text, its sources' fingerprints and the prepared tables that
are read stay the same, and never across a fork.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.dbapi import Connection
from dpsql.engines.base import Engine, PublicEngine
from dpsql.engines.open_engines import open_private, open_public
from dpsql.engines.prepared.fitting import Unfit
from dpsql.engines.prepared.manifest import PreparedFile
from dpsql.engines.sources.fingerprints import Stamps, sources_of, stamps
from dpsql.engines.spare import SpareEngine, SparePublic, Spares
from dpsql.errors import Error, OperationalError, Uncopyable, failing_as, guarded
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.session import build_session, check_places
from dpsql.sql.system_tables.system_context import Client
from dpsql.stages.admin_log import log_failure, log_for_admin
from dpsql.stages.state import Resources, open_resources, prepared_at_present

_MOST_POLICIES = 16


@guarded
def connect(
    policy: str | Path,
    *,
    analyst: str,
    ledger: str | Path | None = None,
    epsilon: object = None,
    delta: object = None,
    rows: str = "refuse",
    accuracy: object = None,
    clipping: object = None,
    empty_conditions: object = False,
    combine: object = False,
) -> Connection:
    """A connection as `dpsql.connect` gives it, on engines that this process shares.

    It may be used by one thread after another, as pools do, but by one at a time. The first connection under a policy
    opens and verifies the data; the next ones take a millisecond.
    """
    check_places(policy, ledger)
    cache = _cache(os.getpid())
    with failing_as(_unopened, log_for_admin, (Error,)):
        loaded = cache.policy(Path(os.path.abspath(policy)))
    return cache.connection(
        loaded,
        analyst,
        ledger,
        (epsilon, delta),
        rows=rows,
        accuracy=accuracy,
        clipping=clipping,
        empty_conditions=empty_conditions,
        combine=combine,
    )


def _unopened() -> Error:
    return OperationalError("the connection could not be opened; the admin's log says why")


@functools.lru_cache(maxsize=1)
def _cache(process: int) -> ProcessCache:
    """The cache of this process, the only thing in dpsql that outlives its connections."""
    cache = ProcessCache()
    atexit.register(cache.close)
    return cache


class ProcessCache(Uncopyable):
    """Policies by their text, and the engines of each policy in use, for all threads of one process."""

    __slots__ = ("_lock", "_policies", "_process", "_resources", "_sources")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._policies: dict[Path, tuple[str | None, Policy]] = {}
        self._sources: dict[Path, tuple[Policy, Stamps, Sources]] = {}
        self._resources: dict[Path, _PolicyEngines] = {}
        self._process = os.getpid()

    def policy(self, path: Path) -> Policy:
        """The policy in a file, read again only where its text has changed. Raises PolicyError."""
        with self._lock:
            text = _digest(path)
            known = self._policies.get(path)
            if known is not None and known[0] == text:
                return known[1]
            loaded = load_policy(path)
            if text == _digest(path):  # what was read is what was digested
                self._policies[path] = (text, loaded)
            return loaded

    def sources(self, policy: Policy) -> Sources:
        """The fingerprints of a policy's sources, read again only where a file was touched. Raises PolicyError."""
        now, known = stamps(policy), self._sources.get(policy.path)
        if known is None or known[0] is not policy or known[1] != now:
            known = self._sources[policy.path] = (policy, now, sources_of(policy))
        return known[2]

    def resources(self, policy: Policy, sources: Sources) -> Resources:
        """The engines of a policy over sources with these fingerprints; one thread opens them, others wait."""
        with self._lock:
            found = self._resources.get(policy.path)
            if found is None:
                self._forget_oldest()
                found = self._resources[policy.path] = _PolicyEngines()
        return found.resources(policy, sources)

    def connection(
        self,
        policy: Policy,
        analyst: str,
        ledger: str | Path | None,
        wanted: tuple[object, object],
        *,
        rows: str = "refuse",
        accuracy: object = None,
        clipping: object = None,
        empty_conditions: object = False,
        combine: object = False,
        client: Client | None = None,
    ) -> Connection:
        """A connection under a loaded policy, on the engines kept here; `wanted` is epsilon and delta.

        For a `client` of PostgreSQL's the catalogs are PostgreSQL's.
        """
        with failing_as(_unopened, partial(log_failure, policy, str(analyst)), (Error,)):
            session = build_session(
                policy,
                analyst,
                ledger,
                wanted,
                ExactSampler(),
                rows,
                accuracy=accuracy,
                clipping=clipping,
                empty_conditions=empty_conditions,
                combine=combine,
                resources=self.resources,
                look=self.sources,
                any_thread=True,
                client=client,
            )
        return Connection(session)

    def close(self) -> None:
        """Closes every idle engine; a forked child leaves its parent's alone."""
        if os.getpid() == self._process:
            while self._resources:
                self._resources.popitem()[1].close()

    def _forget_oldest(self) -> None:
        if len(self._resources) >= _MOST_POLICIES:
            self._resources.pop(next(iter(self._resources))).close()


class _PolicyEngines:
    """The engines that one policy file has at present."""

    __slots__ = ("_close", "_lock", "_of", "_resources")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: tuple[Policy, Sources, PreparedFile | Unfit | None] | None = None
        self._resources: Resources | None = None
        self._close: Callable[[], None] = _nothing

    def resources(self, policy: Policy, sources: Sources) -> Resources:
        with self._lock:
            known, copy = self._of, prepared_at_present(policy, sources)
            if (
                self._resources is None
                or known is None
                or known[0] is not policy
                or known[1:] != (sources, copy)
            ):
                self.close()
                self._resources = self._opened(policy, sources)
                self._of = (policy, sources, copy)
            return self._resources

    def _opened(self, policy: Policy, sources: Sources) -> Resources:
        first = open_resources(policy, sources)
        private = Spares[Engine](partial(open_private, policy, first.prepared), [first.private])
        public = Spares[PublicEngine](partial(open_public, policy), [first.public])
        self._close = partial(_closed, private, public)
        shared = SparePublic(public)
        return Resources(SpareEngine(private), shared, replace(first.tables, public=shared), first.plans)

    def close(self) -> None:
        close, self._close = self._close, _nothing
        self._resources = self._of = None
        close()


def _closed(private: Spares[Engine], public: Spares[PublicEngine]) -> None:
    private.close()
    public.close()


def _nothing() -> None:
    pass


def _digest(path: Path) -> str | None:
    """The hash of a file's text; None where it cannot be read, which `load_policy` reports."""
    with suppress(OSError):
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return None
