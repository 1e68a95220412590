"""A child process that serves one engine, seen from its parent: started, queried, killed at a limit, started anew.

The child is a fresh interpreter that gets the paths to import from. It is not forked (threads of DuckDB would be
missing in it) and not made by `multiprocessing`, which imports the caller's main module a second time.
"""

from __future__ import annotations

import json
import os
import pickle
import socket
import subprocess
import sys
import time
import weakref
from dataclasses import replace

from dpsql.engines.codecs.codec import Malformed, Most, Reply, decode, lengths, most_of
from dpsql.engines.duckdb_settings import Limits, own_directory, remove
from dpsql.engines.prepared.manifest import PreparedFile
from dpsql.errors import InterfaceError, Place, PolicyError, Problem, Uncopyable
from dpsql.policy.model import Policy
from dpsql.slotted import dataclass

_HEAD = 16
_START = """\
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from dpsql.engines.serve import main
main()
"""
# What an interpreter may need to start, and to tell the time as its parent does; nothing else is passed on.
_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ", "TZDIR", "LC_ALL", "LC_CTYPE", "LANG")
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Stopped(Exception):
    """The child gave no answer: it was killed at its limit, has crashed, or cannot be started. For the admin's log."""


@dataclass(slots=True)
class _Running:
    """A child's process, our end of its channel, its limits with a directory of its own, and whether it has opened."""

    process: subprocess.Popen[bytes]
    channel: socket.socket
    own: Limits
    opened: bool = False


class Child(Uncopyable):
    """One engine of a policy in a process of its own, for one thread at a time.

    Guarantees: a question is answered within its seconds, or its process is killed and another one started; the process
    ends with `close`, with this object, and with the parent. InterfaceError after a fork.
    """

    __slots__ = (
        "__weakref__",
        "_closed",
        "_end",
        "_kind",
        "_limits",
        "_most",
        "_pid",
        "_policy",
        "_prepared",
        "_running",
    )

    def __init__(
        self, kind: str, policy: Policy, limits: Limits, prepared: PreparedFile | None = None
    ) -> None:
        self._kind, self._policy, self._limits, self._prepared = kind, policy, limits, prepared
        self._most = most_of(kind, limits.memory)
        self._pid = os.getpid()
        self._closed = False
        self._running: _Running | None = None
        self._start()

    def open(self) -> None:
        """Waits until the engine is open. Raises PolicyError where the child cannot open it."""
        try:
            self._opened(None)
        except Stopped as error:
            self.close()
            raise PolicyError((self._problem(str(error)),)) from None
        except BaseException:
            self.close()
            raise

    def ask(self, seconds: float, method: str, *arguments: object) -> Reply:
        """The child's reply to one question. Raises Stopped."""
        if self._pid != os.getpid():
            raise InterfaceError("the engine was opened before a fork; open another connection here")
        until = time.monotonic() + seconds
        running = self._opened(until)
        try:
            _send(running.channel, (method, arguments), until)
            return _receive(running.channel, until, self._most)
        except (OSError, EOFError, Malformed) as error:
            reason = f"killed after {seconds:g} s" if isinstance(error, TimeoutError) else str(error)
        except BaseException:
            self._restart()
            raise
        raise Stopped(f"{self._kind} engine: {reason}{self._restart()}")

    def renew(self) -> None:
        """Another process in the place of this one: one that ran out of memory never has all of it again."""
        self._restart()

    def close(self) -> None:
        """Ends the process; a second call does nothing."""
        self._closed = True
        if self._running is not None:
            self._end()
            self._running = None

    def _opened(self, until: float | None) -> _Running:
        """The running child, once it has opened its engine; one that is slow to do so is left to go on."""
        if self._running is None:
            self._start()
        running = self._running
        if running is None:
            raise Stopped(f"{self._kind} engine: closed")
        if running.opened:
            return running
        try:
            reply = _receive(running.channel, until, self._most)
        except TimeoutError:
            raise Stopped(f"{self._kind} engine: still opening") from None
        except (OSError, EOFError, Malformed):
            raise Stopped(f"{self._kind} engine: its process ended while it opened{self._ended()}") from None
        if reply.status != "ok":
            self._ended()
            raise PolicyError(problems(reply.value))
        running.opened = True
        return running

    def _start(self) -> None:
        if self._closed:
            return
        running = _started(self._limits)
        self._end = weakref.finalize(self, _ended, self._pid, running)
        self._running = running
        try:
            limits = replace(self._limits, spill=running.own.spill)
            _send(running.channel, (self._kind, self._policy, limits, self._prepared), None)
        except OSError:
            pass  # it died at once: whoever waits for it to open will see that

    def _restart(self) -> str:
        status = self._ended()
        self._start()
        return status

    def _ended(self) -> str:
        running, self._running = self._running, None
        if running is None:
            return ""
        status = running.process.poll()
        self._end()
        return f" (status {status})" if status is not None else ""

    def _problem(self, text: str) -> Problem:
        return Problem(
            str(self._policy.path), None, "engine", f"{text}; give it more memory, or run it inline"
        )

    def __repr__(self) -> str:
        return "Child()"


def _started(limits: Limits) -> _Running:
    ours, theirs = socket.socketpair()
    own = own_directory(limits)
    path = [os.path.abspath(p) for p in sys.path]
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, json.dumps(path)],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**{k: os.environ[k] for k in _KEPT if k in os.environ}, **_ONE_THREAD},
            cwd=os.sep,
            start_new_session=True,
        )
    return _Running(process, ours, own)


def _ended(owner: int, running: _Running) -> None:
    """Kills a child, in the process that started it; elsewhere only the copy of the channel is given up."""
    running.channel.close()
    if owner != os.getpid():
        return
    running.process.kill()
    running.process.wait()
    remove(running.own)


def _send(channel: socket.socket, message: tuple[object, ...], until: float | None) -> None:
    coded = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    _time(channel, until)
    channel.sendall(len(coded).to_bytes(8, "little") + coded)


def _receive(channel: socket.socket, until: float | None, most: Most) -> Reply:
    text, raw = lengths(bytes(_exactly(channel, _HEAD, until)), most)
    return decode(_exactly(channel, text, until), _exactly(channel, raw, until), most)


def _exactly(channel: socket.socket, size: int, until: float | None) -> bytearray:
    received = bytearray(size)
    missing = memoryview(received)
    while missing:
        _time(channel, until)
        count = channel.recv_into(missing)
        if count == 0:
            raise EOFError("its process ended")
        missing = missing[count:]
    return received


def _time(channel: socket.socket, until: float | None) -> None:
    left = None if until is None else until - time.monotonic()
    if left is not None and left <= 0:
        raise TimeoutError
    channel.settimeout(left)


def problems(coded: object) -> tuple[Problem, ...]:
    """The problems that a child reports, with nothing in them but text."""
    reported = []
    for file, place, path, message in coded if isinstance(coded, list) else []:
        at = Place(int(place[0]), int(place[1])) if place is not None else None
        reported.append(Problem(str(file), at, str(path), str(message)))
    return tuple(reported)
