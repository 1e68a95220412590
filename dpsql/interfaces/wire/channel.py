"""What a conversation is given: whole messages of its client, and a session after its login."""

from __future__ import annotations

import threading
import time
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
    """Requests to cancel what a session runs; one that comes while nothing runs is forgotten, as in PostgreSQL.

    What runs is what a client has sent since it last waited for answers: up to a Sync, a Flush or the end of a Query.
    """

    __slots__ = ("_asked", "_began", "_lock", "_woken")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._woken: SimpleQueue[None] = SimpleQueue()  # it wakes a thread with less to do than a Condition
        self._began: float | None = None
        self._asked = False

    def cancel(self, at: float | None = None) -> None:
        """Gives up what runs now, if anything, and if it ran at that time of the monotonic clock; from any thread."""
        with self._lock:
            if self._asked or self._began is None or (at is not None and at < self._began):
                return
            self._asked = True
        self._woken.put(None)

    def ended(self) -> None:
        """Wakes the session, whose call has ended."""
        self._woken.put(None)

    def begin(self) -> None:
        """Says that something runs from now on, unless it does already; before a call is made of it."""
        while not self._woken.empty():  # what came when nobody waited
            self._woken.get_nowait()
        with self._lock:
            if self._began is None:
                self._began = time.monotonic()

    def end(self) -> None:
        """Says that nothing runs any more."""
        with self._lock:
            self._began, self._asked = None, False

    def is_asked(self) -> bool:
        """Whether what runs is to be given up."""
        return self._asked

    def wait_for(self, done: Callable[[], bool]) -> bool:
        """Waits until the call is done, which then tells `ended`; False where it was cancelled before that."""
        while not (self._asked or done()):
            self._woken.get()  # also for a call that was given up before: then it waits again
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
