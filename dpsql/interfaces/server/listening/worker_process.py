"""The worker as its listener sees it: started, given sessions, started again when it died."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress

from dpsql.interfaces.server.control import (
    LONGEST,
    CancelSession,
    Control,
    Finish,
    OpenSession,
    Reload,
    SessionEnded,
    packet,
    unpacked,
)
from dpsql.interfaces.server.event_log import EventLog

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_STABLE_SECONDS = 3.0


class WorkerAway(Exception):
    """The worker does not take sessions at the moment: it is being started."""


class WorkerProcess:
    """Keeps one worker running until it is told to finish.

    `ended` is called with the number of each session that has ended inside, and `died` when no session of the worker is
    left because it died.
    """

    __slots__ = ("_command", "_control", "_died", "_ended", "_finishing", "_log", "_process")

    def __init__(
        self,
        command: Sequence[str],
        log: EventLog,
        ended: Callable[[int], None],
        died: Callable[[], None],
    ) -> None:
        self._command = command
        self._log = log
        self._ended = ended
        self._died = died
        self._control: socket.socket | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._finishing = asyncio.Event()

    async def run(self) -> None:
        """Runs a worker, and another one whenever it dies, with growing pauses; ends after `finish`."""
        loop, pause = asyncio.get_running_loop(), _FIRST_PAUSE
        while not self._finishing.is_set():
            began = loop.time()
            status = await self._run_once()
            self._died()
            if not self._finishing.is_set():
                self._log.write("worker died", status=status)
                pause = _FIRST_PAUSE if loop.time() - began > _STABLE_SECONDS else pause
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._finishing.wait(), pause)
                pause = min(2 * pause, _LONGEST_PAUSE)

    async def _run_once(self) -> int:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours:
            with theirs:
                self._process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=theirs.fileno(),
                    stdout=asyncio.subprocess.DEVNULL,
                    start_new_session=True,
                )
            ours.setblocking(False)
            self._control = ours
            self._log.write("worker started", pid=self._process.pid)
            if self._finishing.is_set():
                self._send(Finish())
            try:
                await self._listen(ours)
            finally:
                self._control = None
        return await self._process.wait()

    async def _listen(self, ours: socket.socket) -> None:
        """Hears of ended sessions until the worker is gone."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                data = await loop.sock_recv(ours, LONGEST)
            except OSError:
                return
            if not data:
                return
            message = unpacked(data)
            if isinstance(message, SessionEnded):
                self._ended(message.number)

    def open(self, session: OpenSession) -> socket.socket:
        """Gives the worker a session; our end of its socket. Raises WorkerAway."""
        if self._control is None or self._finishing.is_set():
            raise WorkerAway
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._control, [packet(session)], [theirs.fileno()])
            except OSError:  # it has just died, or does not keep up
                ours.close()
                raise WorkerAway from None
        ours.setblocking(False)
        return ours

    def cancel(self, number: int, at: float | None) -> None:
        """Cancels what a session runs."""
        self._send(CancelSession(number, at))

    def reload(self) -> None:
        """Has the policies read again."""
        self._send(Reload())

    def finish(self) -> None:
        """Has what runs finished, and the worker ended."""
        self._finishing.set()
        self._send(Finish())

    def kill(self) -> None:
        """Ends the worker at once. What was charged stays charged."""
        self._finishing.set()
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    def _send(self, message: Control) -> None:
        if self._control is None:
            return
        try:
            self._control.send(packet(message))
        except OSError:
            self._log.write("worker did not take a message", message=type(message).__name__)
