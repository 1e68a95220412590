"""The two engines of a session, where the policy says that they run and with what it lets them take."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack, closing

from dpsql.engines.base import PUBLIC_SECONDS, PrivateEngine, PublicEngine
from dpsql.engines.child import ChildEngine, ChildFinish
from dpsql.engines.duckdb_settings import Limits
from dpsql.engines.prepared.manifest import PreparedFile
from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.public_engine import MEMORY, FinishEngine
from dpsql.errors import PolicyError, Problem
from dpsql.policy.model import EngineLimits, Isolation, Policy
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Engines:
    """A session's engines: `private` has the private rows in its reach, `public` never sees one."""

    private: PrivateEngine
    public: PublicEngine

    def close(self) -> None:
        """Gives both up."""
        with closing(self.private), closing(self.public):
            pass


def open_engines(policy: Policy, prepared: PreparedFile | None = None) -> Engines:
    """The engines of a policy, with every source open, or a prepared file in the place of the private ones.

    Raises PolicyError where a source does not fit the policy, or the engines cannot run as it says.
    """
    in_processes = _in_processes(policy)
    private, public = private_limits(policy.engine), public_limits(policy.engine)
    with ExitStack() as opened:
        if in_processes:  # both start at once; the public one is heard first, as it is opened first inline
            finish = opened.enter_context(closing(ChildFinish(policy, public)))
            engine = opened.enter_context(closing(ChildEngine(policy, private, prepared)))
            engines = Engines(public=finish.open(), private=engine.open())
        else:
            inline = opened.enter_context(closing(FinishEngine.open(policy, public)))
            engines = Engines(public=inline, private=DuckEngine.open(policy, private, prepared))
        opened.pop_all()
    return engines


def open_private(policy: Policy, prepared: PreparedFile | None = None) -> PrivateEngine:
    """The private engine alone. Raises PolicyError."""
    in_process, limits = _in_processes(policy), private_limits(policy.engine)
    if in_process:
        return ChildEngine(policy, limits, prepared).open()
    return DuckEngine.open(policy, limits, prepared)


def open_public(policy: Policy) -> PublicEngine:
    """The public engine alone. Raises PolicyError."""
    in_process, limits = _in_processes(policy), public_limits(policy.engine)
    return ChildFinish(policy, limits).open() if in_process else FinishEngine.open(policy, limits)


def _in_processes(policy: Policy) -> bool:
    """Whether engines run in processes of their own. Raises PolicyError where they cannot run as the policy says."""
    _check_directory(policy)
    if policy.engine.isolation is not Isolation.PROCESS:
        return False
    if not sys.executable or os.name != "posix":
        raise _mistake(
            policy, "isolation", "a child process needs a POSIX system and a Python to start; use inline"
        )
    return True


def private_limits(engine: EngineLimits) -> Limits:
    """What the private engine may take; a child has a limit of memory in any case."""
    memory = engine.memory
    if memory is None and engine.isolation is Isolation.PROCESS:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 5 * 4  # as DuckDB would take
    return Limits(engine.seconds, memory, engine.threads, engine.temp_directory)


def public_limits(engine: EngineLimits) -> Limits:
    """What the public engine may take, which runs what analysts write: never without a limit."""
    memory = engine.memory if engine.memory is not None else MEMORY
    return Limits(min(engine.seconds, PUBLIC_SECONDS), memory, engine.threads, engine.temp_directory)


def _check_directory(policy: Policy) -> None:
    directory = policy.engine.temp_directory
    if directory is None:
        return
    try:
        with tempfile.TemporaryDirectory(prefix="dpsql-", dir=directory):
            return
    except OSError as error:
        reason = (error.strerror or "it cannot be used").lower()
    raise _mistake(policy, "temp_directory", f"nothing can be written to {directory}: {reason}")


def _mistake(policy: Policy, key: str, message: str) -> PolicyError:
    return PolicyError((Problem(str(policy.path), None, f"engine.{key}", message),))
