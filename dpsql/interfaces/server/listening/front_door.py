"""One client from its first byte to the end of its session."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Collection

from dpsql.interfaces.server.control import OpenSession
from dpsql.interfaces.server.event_log import EventLog
from dpsql.interfaces.server.limits import Limits
from dpsql.interfaces.server.listening.certificates import Tls
from dpsql.interfaces.server.listening.client_connection import Arrival, Client
from dpsql.interfaces.server.listening.client_stream import ClientGone
from dpsql.interfaces.server.listening.login import Gate, LoginFailed, prove
from dpsql.interfaces.server.listening.open_sessions import OpenedSession, OpenSessions, TooManySessions
from dpsql.interfaces.server.listening.session_relay import SessionRelay
from dpsql.interfaces.server.listening.unproven import Unproven
from dpsql.interfaces.server.listening.worker_process import WorkerAway, WorkerProcess
from dpsql.interfaces.server.listening.worker_socket import WorkerSocket
from dpsql.interfaces.server.logins.login_failures import LoginFailures
from dpsql.interfaces.server.logins.users import User
from dpsql.interfaces.server.logins.users_watch import UsersWatch
from dpsql.interfaces.wire.messages import (
    ProtocolViolation,
    authentication,
    error_response,
    negotiate_protocol,
)
from dpsql.interfaces.wire.startup import CancelRequest, StartUp
from dpsql.slotted import dataclass

_LONGEST_NAME = 128


class Denied(Exception):
    """The client is told this, and that is the end."""

    def __init__(self, sqlstate: str, sentence: str) -> None:
        self.sqlstate = sqlstate
        super().__init__(sentence)


@dataclass(slots=True)
class FrontDoor:
    """What clients are let in by; `tls` may be replaced while the server runs.

    `wrong_keys` are the cancels that failed, by the number of the session that they were for. `delayed` are the clients
    that wait since logins failed.
    """

    databases: Collection[str]
    tls: Tls | None
    watch: UsersWatch
    worker: WorkerProcess
    sessions: OpenSessions
    unproven: Unproven
    delayed: Unproven
    failures: LoginFailures
    wrong_keys: LoginFailures
    limits: Limits
    log: EventLog

    async def serve(self, raw: socket.socket, address: str, task: asyncio.Task[None]) -> None:
        """Serves one client, and closes its connection."""
        arrival = Arrival(raw, self.tls, self.limits)
        try:
            with self.unproven.admitted(task, address):
                async with asyncio.timeout(self.limits.login_seconds):
                    session = await self._admitted(arrival, address, task)
            if session is not None:
                await self._relayed(*session, address)
        except (ClientGone, TimeoutError, asyncio.CancelledError):
            pass  # there is nobody to tell, it was too slow, or it made room for another
        except Exception as error:  # one client's connection fails, and no other
            self.log.write("client failed", address=address, error=type(error).__name__)
        finally:
            await arrival.close()

    async def _admitted(
        self, arrival: Arrival, address: str, task: asyncio.Task[None]
    ) -> tuple[Client, StartUp, OpenedSession] | None:
        """The session of a client that may have one; None after a request to cancel, or a refusal."""
        packet = await arrival.first_packet()
        client = arrival.client
        if client is None:
            raise ClientGone
        try:
            match packet:
                case CancelRequest():
                    await self._cancel(packet, address, task)
                    return None
                case StartUp():
                    user = await self._logged_in(client, packet, address, task)
                    return client, packet, self._opened(packet, user, task)
                case ProtocolViolation():
                    raise packet
        except ProtocolViolation as violation:
            denied = Denied(violation.sqlstate, str(violation))
        except Denied as refusal:
            denied = refusal
        self.log.write("client refused", address=address, sqlstate=denied.sqlstate, reason=str(denied))
        await client.stream.send(error_response(denied.sqlstate, str(denied), fatal=True))
        return None

    async def _cancel(self, request: CancelRequest, address: str, task: asyncio.Task[None]) -> None:
        """Cancels without an answer, as the protocol has it; guessing a session's key gets slower and slower.

        What waited for that is for what ran when it came, and for nothing that was sent meanwhile.
        """
        guessed, came = str(request.process_id), time.monotonic()
        delay = self.wrong_keys.delay(guessed, address)
        await self._delay(delay, address, task)
        if self.sessions.has_key(request.process_id, request.key):
            self.worker.cancel(request.process_id, came if delay else None)
        else:
            self.wrong_keys.failed(guessed, address)
            self.log.write("cancel with a wrong key", address=address)

    async def _delay(self, seconds: float, address: str, task: asyncio.Task[None]) -> None:
        """Waits, as one of few: who tries many passwords at once is not faster for that."""
        if seconds:
            with self.delayed.admitted(task, address):
                await asyncio.sleep(seconds)

    async def _logged_in(
        self, client: Client, packet: StartUp, address: str, task: asyncio.Task[None]
    ) -> User:
        login = packet.user
        if packet.negotiate:
            await client.stream.send(negotiate_protocol(packet.protocol, packet.unknown))
        await self._delay(self.failures.delay(login, address), address, task)
        try:
            user = await prove(client, login, Gate(self.watch.users, self.limits))
        except LoginFailed:
            self.failures.failed(login, address)
            self.log.write("login failed", login=login[:_LONGEST_NAME], address=address)
            raise Denied("28P01", f'password authentication failed for user "{login}"') from None
        self.failures.succeeded(login, address)
        return user

    def _opened(self, packet: StartUp, user: User, task: asyncio.Task[None]) -> OpenedSession:
        if packet.database not in self.databases:
            raise Denied("3D000", f'database "{packet.database}" does not exist')
        try:
            return self.sessions.add(user, packet.protocol, task)
        except TooManySessions as error:
            raise Denied("53300", str(error)) from None

    async def _relayed(self, client: Client, packet: StartUp, session: OpenedSession, address: str) -> None:
        """The session itself, in the worker."""
        began = asyncio.get_running_loop().time()
        try:
            ours = self.worker.open(_opening(client, packet, session))
            self._log_session(packet, session, address)
            client.stream.write(authentication(0))
            ending = await SessionRelay(client.stream, WorkerSocket(ours), self.limits).run()
        except WorkerAway:
            self.sessions.done(session.number, "worker")
            await client.stream.send(
                error_response("57P03", "the server is starting; connect again", fatal=True)
            )
            return
        finally:
            self.sessions.done(session.number, "client")
        seconds = round(asyncio.get_running_loop().time() - began, 3)
        self.log.write("session ends", session=session.number, how=str(ending), seconds=seconds)

    def _log_session(self, packet: StartUp, session: OpenedSession, address: str) -> None:
        self.log.write(
            "session begins",
            session=session.number,
            login=session.user.login,
            analyst=session.user.analyst,
            database=packet.database,
            address=address,
        )


def _opening(client: Client, packet: StartUp, session: OpenedSession) -> OpenSession:
    return OpenSession(
        session.number,
        session.user.login,
        session.user.analyst,
        packet.database,
        packet.parameters,
        packet.protocol,
        session.key,
        client.encrypted,
    )
