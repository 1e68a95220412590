"""What a conversation is given: whole messages of its client, and a session after its login."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from queue import SimpleQueue
from typing import Protocol

from dpsql.dbapi import Connection
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """A client's message: one byte that says its kind, and its body without the length."""

    kind: bytes
    body: bytes


class Channel(Protocol):
    """Whole protocol messages between a conversation and its client."""

    def receive(self) -> Message | None:
        """The client's next message, waited for; None once the client is gone."""
        ...

    def send(self, messages: bytes) -> None:
        """Sends whole messages; waits while the client is slow. Raises ConnectionError once it is gone."""
        ...


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """What a session asked for with SET dpsql.*, as texts; None is the policy's own value."""

    epsilon: str | None = None
    rows: str | None = None
    accuracy: str | None = None
    clipping: str | None = None
    combine: str | None = None


class CancelRequests:
    """Requests to cancel what a session runs; one that comes while nothing runs is forgotten, as in PostgreSQL."""

    __slots__ = ("_asked", "_lock", "_running", "_woken")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._woken: SimpleQueue[None] = SimpleQueue()  # it wakes a thread with less to do than a Condition
        self._running = self._asked = False

    def cancel(self) -> None:
        """Gives up waiting for the call that runs now, if any; from any thread."""
        with self._lock:
            if self._asked or not self._running:
                return
            self._asked = True
        self._woken.put(None)

    def ended(self) -> None:
        """Wakes the session, whose call has ended."""
        self._woken.put(None)

    def begin(self) -> None:
        """Says that a call is about to run: from now on it can be cancelled."""
        while not self._woken.empty():  # what came when nobody waited
            self._woken.get_nowait()
        with self._lock:
            self._running, self._asked = True, False

    def wait_for(self, done: Callable[[], bool]) -> bool:
        """Waits until the call is done, which then tells `ended`; False where it was cancelled before that."""
        while not (self._asked or done()):
            self._woken.get()  # also for a call that was given up before: then it waits again
        with self._lock:
            self._running = False
        return done()


@dataclass(frozen=True, slots=True)
class Opening:
    """A session after its login: who it is for, what the client asked for, and how to reach answers.

    `connect` opens an inner connection of this analyst with a session's settings; it raises dpsql.Error for a setting
    that the policy does not allow. `turn` is entered around every inner call that plans or runs, on the thread that
    makes it, and left when the call has ended. `key` is the cancel key's secret as BackendKeyData tells it: 4 bytes
    under protocol 3.0, up to 256 under 3.2. With `public_is_main` the policy has no tables in a schema public.
    """

    login: str
    analyst: str
    database: str
    parameters: Mapping[str, str]
    protocol: tuple[int, int]
    key: bytes
    process_id: int
    connect: Callable[[SessionSettings], Connection]
    turn: Callable[[], AbstractContextManager[None]]
    cancelled: CancelRequests
    encrypted: bool = False
    public_is_main: bool = True
