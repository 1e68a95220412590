"""The process with the data: a thread for each session, which the listener opens, cancels and ends."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from dpsql.errors import InternalError, PolicyError
from dpsql.interfaces.server.control import (
    LONGEST,
    CancelSession,
    Finish,
    OpenSession,
    Reload,
    SessionEnded,
    packet,
    unpacked,
)
from dpsql.interfaces.server.event_log import EventLog
from dpsql.interfaces.server.limits import Limits
from dpsql.interfaces.server.server_settings import ServerSettings
from dpsql.interfaces.server.working.fair_queue import FairQueue
from dpsql.interfaces.server.working.served_databases import ServedDatabase, ServedDatabases
from dpsql.interfaces.server.working.session_channel import SessionChannel
from dpsql.interfaces.wire.channel import CancelRequests, Channel, Opening
from dpsql.interfaces.wire.conversation import converse
from dpsql.interfaces.wire.messages import error_response
from dpsql.policy.names import fold_name
from dpsql.slotted import dataclass
from dpsql.sql.system_tables.system_context import Client

_STOPPED = ("57P01", "the server is being stopped")
_CHANGED = ("57P01", "the policy has changed; connect again")
_TUPLES_BETWEEN_COLLECTIONS = 100_000

Converse = Callable[[Channel, Opening], None]


@dataclass(frozen=True, slots=True)
class _Session:
    """A session that runs."""

    channel: SessionChannel
    cancelled: CancelRequests
    database: ServedDatabase
    thread: threading.Thread


class Worker:
    """Serves sessions until the control socket closes, or it is told to finish; then what runs is finished."""

    __slots__ = (
        "_control",
        "_converse",
        "_databases",
        "_finishing",
        "_limits",
        "_lock",
        "_log",
        "_queue",
        "_sessions",
    )

    def __init__(
        self,
        control: socket.socket,
        databases: ServedDatabases,
        queue: FairQueue,
        limits: Limits,
        log: EventLog,
        converse: Converse = converse,
    ) -> None:
        self._control = control
        self._databases = databases
        self._queue = queue
        self._limits = limits
        self._log = log
        self._converse = converse
        self._lock = threading.Lock()
        self._sessions: dict[int, _Session] = {}
        self._finishing = False

    def run(self) -> None:
        """Serves until the end."""
        threading.Thread(target=self._open_databases, args=(self._databases.names(),), daemon=True).start()
        while not self._finishing and self._follow():
            pass
        self._finish()

    def _open_databases(self, names: frozenset[str]) -> None:
        for name in sorted(names):
            if not self._finishing:
                self._databases.open(name)

    def _follow(self) -> bool:
        """Does what the listener says next; False once it is gone."""
        data, descriptors, _, _ = socket.recv_fds(self._control, LONGEST, 1)
        if not data:
            return False
        match unpacked(data):
            case OpenSession() as opened:
                self._open(opened, socket.socket(fileno=descriptors[0]))
            case CancelSession(number, at):
                self._cancel(number, at)
            case Reload():
                threading.Thread(target=self._reload, daemon=True).start()
            case Finish():
                self._finishing = True
            case SessionEnded():
                raise InternalError("the listener ends no session by a message")
        return True

    def _open(self, opened: OpenSession, ours: socket.socket) -> None:
        database = self._databases.current(opened.database)
        channel = SessionChannel(ours, self._limits.idle_seconds, self._limits.message)
        cancelled = CancelRequests()
        client = Client(database.name, opened.number, opened.encrypted)
        opening = Opening(
            login=opened.login,
            analyst=opened.analyst,
            database=opened.database,
            parameters=opened.parameters,
            protocol=opened.protocol,
            key=opened.key,
            process_id=opened.number,
            connect=partial(self._databases.connect, database, opened.analyst, client),
            turn=partial(self._queue.turn, fold_name(opened.analyst)),
            cancelled=cancelled,
            encrypted=opened.encrypted,
            public_is_main=database.public_is_main,
        )
        thread = threading.Thread(target=self._serve, args=(channel, opening), daemon=True)
        with self._lock:
            self._sessions[opened.number] = _Session(channel, cancelled, database, thread)
        if self._databases.current(opened.database) is not database:  # a reload did not see this session
            channel.end_with(*_CHANGED)
        thread.start()

    def _serve(self, channel: SessionChannel, opening: Opening) -> None:
        try:
            self._converse(channel, opening)
        except ConnectionError:
            pass  # the client is gone
        except Exception as error:
            self._log.write("session failed", session=opening.process_id, error=type(error).__name__)
            with suppress(OSError):
                channel.send(error_response("XX000", InternalError.SENTENCE, fatal=True))
        finally:
            channel.close()
            with self._lock:
                del self._sessions[opening.process_id]
            with suppress(OSError):
                self._control.send(packet(SessionEnded(opening.process_id)))

    def _cancel(self, number: int, at: float | None) -> None:
        with self._lock:
            session = self._sessions.get(number)
        if session is not None:
            session.cancelled.cancel(at)

    def _reload(self) -> None:
        changed = self._databases.reload()
        with self._lock:
            outdated = [s for s in self._sessions.values() if s.database.name in changed]
        for session in outdated:
            session.channel.end_with(*_CHANGED)
        for name in sorted(changed):
            self._log.write("policy changed", database=name)
        self._open_databases(changed)

    def _finish(self) -> None:
        with self._lock:
            sessions = tuple(self._sessions.values())
        for session in sessions:
            session.channel.end_with(*_STOPPED)
        for session in sessions:
            session.thread.join()
        self._queue.settle()
        self._databases.close()


def main(arguments: str) -> None:
    """Runs the worker on the control socket that the listener put in the place of standard input."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # the listener says when to end
        signal.signal(ignored, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(_TUPLES_BETWEEN_COLLECTIONS)  # rows are tuples without cycles, and there may be many
    settings = ServerSettings.read(arguments)
    control = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    log, limits = EventLog(sys.stderr), Limits()
    try:
        databases = ServedDatabases(settings.databases, settings.ledgers, log)
    except PolicyError as error:
        log.write("worker cannot start", reason=str(error))
        raise SystemExit(1) from None
    queue = FairQueue(settings.engines, limits.sessions_of_analyst)
    Worker(control, databases, queue, limits, log).run()
    os._exit(0)  # threads of calls that nobody waits for any more do not hold it up
