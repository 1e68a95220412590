"""The process that faces the network: it lets clients in, and hands their sessions to the worker. It holds no data."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import sys

from dpsql.errors import PolicyError
from dpsql.interfaces.server.event_log import EventLog
from dpsql.interfaces.server.limits import Limits
from dpsql.interfaces.server.listening.certificates import open_tls
from dpsql.interfaces.server.listening.front_door import FrontDoor
from dpsql.interfaces.server.listening.open_sessions import OpenSessions
from dpsql.interfaces.server.listening.unproven import Unproven
from dpsql.interfaces.server.listening.worker_process import WorkerProcess
from dpsql.interfaces.server.logins.login_failures import LoginFailures, counted_address
from dpsql.interfaces.server.logins.users_watch import UsersWatch
from dpsql.interfaces.server.processes import worker_command
from dpsql.interfaces.server.server_settings import ServerSettings

_BACKLOG = 512
_PAUSE_WITHOUT_FILES = 0.1
_LOOK_SECONDS = 1.0


class Listener:
    """Accepts clients until it is told to stop; then what runs is finished. A second signal ends that too."""

    __slots__ = ("_door", "_log", "_served", "_settings", "_sockets", "_stopping")

    def __init__(self, settings: ServerSettings, limits: Limits, log: EventLog) -> None:
        """Opens the users file, the certificate and the addresses. Raises PolicyError and OSError."""
        sessions = OpenSessions(limits)
        self._settings = settings
        self._log = log
        self._door = FrontDoor(
            databases=frozenset(settings.databases),
            tls=open_tls(settings.tls) if settings.tls is not None else None,
            watch=UsersWatch(settings.users, log),
            worker=WorkerProcess(
                worker_command(settings),
                log,
                ended=lambda number: sessions.done(number, "worker"),
                died=sessions.worker_died,
            ),
            sessions=sessions,
            unproven=Unproven(limits.waiting, limits.waiting_of_address),
            delayed=Unproven(limits.delayed, limits.delayed_of_address),
            failures=LoginFailures(),
            wrong_keys=LoginFailures(of_address=0),
            limits=limits,
            log=log,
        )
        self._sockets = [_listening(*address) for address in settings.addresses()]
        self._served: set[asyncio.Task[None]] = set()
        self._stopping = False

    def addresses(self) -> tuple[tuple[str, int], ...]:
        """The addresses that clients can connect to."""
        return tuple(ours.getsockname()[:2] for ours in self._sockets)

    async def run(self) -> None:
        """Serves until a signal ends it."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        loop.add_signal_handler(signal.SIGHUP, self.reload)
        for host, port in self.addresses():
            self._log.write("listening", host=host, port=port)
        accepting = [asyncio.create_task(self._accept(ours)) for ours in self._sockets]
        accepting.append(asyncio.create_task(self._watch_users()))
        await self._door.worker.run()
        for task in accepting:
            task.cancel()
        if self._served:
            await asyncio.wait(self._served)
        self._log.write("stopped")

    def stop(self) -> None:
        """Takes no more clients and finishes what runs; the second time, ends at once."""
        if self._stopping:
            self._door.worker.kill()
            return
        self._stopping = True
        self._log.write("stopping", sessions=len(self._door.sessions))
        for ours in self._sockets:
            asyncio.get_running_loop().remove_reader(ours)
            ours.close()
        self._door.unproven.end()
        self._door.worker.finish()

    def reload(self) -> None:
        """Reads certificate, users and policies again; what is broken stays as it was."""
        try:
            if self._settings.tls is not None:
                self._door.tls = open_tls(self._settings.tls)
        except PolicyError as error:
            self._log.write("certificate broken, the former one stays", reason=str(error))
        self._look_at_users()
        self._door.worker.reload()

    async def _watch_users(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            self._look_at_users()

    def _look_at_users(self) -> None:
        if self._door.watch.look():
            self._door.sessions.end_unserved(self._door.watch.users)

    async def _accept(self, ours: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while not self._stopping:
            try:
                raw, address = await loop.sock_accept(ours)
            except OSError as error:
                if not self._stopping:
                    self._log.write("no client accepted", reason=error.strerror)
                    await asyncio.sleep(_PAUSE_WITHOUT_FILES)
                continue
            task = asyncio.create_task(self._serve(raw, counted_address(str(address[0]))))
            self._served.add(task)
            task.add_done_callback(self._served.discard)

    async def _serve(self, raw: socket.socket, address: str) -> None:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # asyncio sees no TCP in an accepted socket
        task = asyncio.current_task()
        if task is not None:
            await self._door.serve(raw, address, task)


def _listening(family: socket.AddressFamily, address: tuple[str, int]) -> socket.socket:
    ours = socket.create_server(address, family=family, backlog=_BACKLOG)
    ours.setblocking(False)
    return ours


def main(arguments: str) -> None:
    """Runs the listener with the settings that `dpsql serve` wrote."""
    log = EventLog(sys.stderr)
    try:
        listener = Listener(ServerSettings.read(arguments), Limits(), log)
    except (PolicyError, OSError) as error:
        log.write("cannot start", reason=str(error))
        raise SystemExit(1) from None
    gc.freeze()
    asyncio.run(listener.run())
