"""The sessions that are open, and how many each analyst may have."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from dataclasses import field
from hmac import compare_digest

from dpsql.interfaces.server.limits import Limits
from dpsql.interfaces.server.logins.users import User, Users
from dpsql.policy.names import fold_name
from dpsql.slotted import dataclass

_KEY_BYTES = {(3, 0): 4, (3, 2): 32}


class TooManySessions(Exception):
    """There is no room for another session; its text says whose limit that is."""


@dataclass(eq=False, slots=True)
class OpenedSession:
    """A session; it takes room until its client has been served and nothing of it runs in the worker any more."""

    number: int
    user: User
    key: bytes
    task: asyncio.Task[None]
    parts: set[str] = field(default_factory=lambda: {"client", "worker"})


class OpenSessions:
    """All sessions of a listener, by number."""

    __slots__ = ("_by_number", "_limits")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._by_number: dict[int, OpenedSession] = {}

    def __len__(self) -> int:
        return len(self._by_number)

    def __iter__(self) -> Iterator[OpenedSession]:
        return iter(tuple(self._by_number.values()))

    def add(self, user: User, protocol: tuple[int, int], task: asyncio.Task[None]) -> OpenedSession:
        """A session for the user, with a number and a secret for cancelling that nobody can guess.

        Raises TooManySessions.
        """
        if len(self._by_number) >= self._limits.sessions:
            raise TooManySessions(f"{self._limits.sessions} sessions are open, which is the most")
        analyst = fold_name(user.analyst)
        if sum(fold_name(s.user.analyst) == analyst for s in self) >= self._limits.sessions_of_analyst:
            raise TooManySessions(
                f"{self._limits.sessions_of_analyst} sessions of this analyst are open, which is the most"
            )
        number = self._new_number()
        session = OpenedSession(number, user, secrets.token_bytes(_KEY_BYTES[protocol]), task)
        self._by_number[number] = session
        return session

    def _new_number(self) -> int:
        while True:
            number = 1 + secrets.randbelow(2**31 - 1)
            if number not in self._by_number:
                return number

    def done(self, number: int, part: str) -> None:
        """One part of a session, "client" or "worker", is over; with the other one its room is free."""
        session = self._by_number.get(number)
        if session is None:
            return
        session.parts.discard(part)
        if not session.parts:
            del self._by_number[number]

    def worker_died(self) -> None:
        """Nothing of any session runs any more."""
        for session in self:
            self.done(session.number, "worker")

    def has_key(self, number: int, key: bytes) -> bool:
        """Whether there is such a session and that is its secret."""
        session = self._by_number.get(number)
        return compare_digest(session.key if session is not None else bytes(4), key) and session is not None

    def end_unserved(self, users: Users) -> None:
        """Ends the sessions of logins that were removed or stand for another analyst now."""
        for session in self:
            if not users.is_served(session.user.login, session.user.analyst):
                session.task.cancel()
