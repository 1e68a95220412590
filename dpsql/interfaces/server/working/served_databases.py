"""The policies that a worker serves, each as a database under its file's stem, and their engines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dpsql.algebra.system_tables import PUBLIC, main_schemas
from dpsql.dbapi import Connection
from dpsql.errors import Error
from dpsql.interfaces.server.event_log import EventLog
from dpsql.interfaces.shared_connections import ProcessCache
from dpsql.interfaces.wire.channel import SessionSettings
from dpsql.policy.load import load_policy
from dpsql.policy.model import Isolation, Policy
from dpsql.slotted import dataclass
from dpsql.sql.system_tables.system_context import Client


@dataclass(frozen=True, slots=True)
class ServedDatabase:
    """A policy at one reading of its file; another reading is another object."""

    name: str
    policy: Policy
    text: bytes

    @property
    def public_is_main(self) -> bool:
        """Whether the schema public is another name of main, for no table of the policy is in it."""
        return PUBLIC in main_schemas(table.name for table in self.policy.tables)


class ServedDatabases:
    """Every policy as it was read last without a mistake; engines run in child processes unless it says otherwise."""

    __slots__ = ("_cache", "_current", "_ledgers", "_log")

    def __init__(self, files: Mapping[str, Path], ledgers: Mapping[str, str], log: EventLog) -> None:
        self._cache = ProcessCache()
        self._ledgers = ledgers
        self._log = log
        self._current = {name: _read(name, path) for name, path in files.items()}

    def current(self, name: str) -> ServedDatabase:
        """The database of that name, which the listener has checked."""
        return self._current[name]

    def connect(
        self, database: ServedDatabase, analyst: str, client: Client, settings: SessionSettings
    ) -> Connection:
        """An inner connection of a client, which knows this database by its name. Raises dpsql.Error."""
        return self._cache.connection(
            database.policy,
            analyst,
            self._ledgers.get(database.name),
            (settings.epsilon, None),
            rows=settings.rows or "refuse",
            accuracy=settings.accuracy,
            clipping=settings.clipping,
            combine=settings.combine or False,
            client=client,
        )

    def names(self) -> frozenset[str]:
        """The databases that are served."""
        return frozenset(self._current)

    def open(self, name: str) -> None:
        """Opens a database's engines and verifies what its policy declares, so that no analyst waits for it."""
        database = self._current[name]
        try:
            self._cache.resources(database.policy, self._cache.sources(database.policy))
        except Error as error:
            self._log.write("database cannot be opened", database=database.name, reason=str(error))
        else:
            self._log.write("database open", database=database.name)

    def reload(self) -> frozenset[str]:
        """Reads every policy again and gives the names of those that changed; a broken one stays as it was."""
        return frozenset(name for name in self._current if self._reload(name))

    def _reload(self, name: str) -> bool:
        before = self._current[name]
        try:
            after = _read(name, before.policy.path)
        except Error as error:
            self._log.write("policy broken, the former one stays", database=name, reason=str(error))
            return False
        if after.text == before.text:
            return False
        self._current[name] = after
        return True

    def close(self) -> None:
        """Closes the engines."""
        self._cache.close()


def _read(name: str, path: Path) -> ServedDatabase:
    """Raises PolicyError, also for a file that changes while it is read."""
    policy = load_policy(path, Isolation.PROCESS)
    return ServedDatabase(name, policy, path.read_bytes())
