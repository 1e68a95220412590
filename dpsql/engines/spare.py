"""Engines that several connections of a process use in turn: one call each, on whichever is at rest.

An engine costs tens of milliseconds to open and holds no state between two calls that an answer depends on: released
tables live within one call, lists of units follow from the data alone. So connections need no engine of their own, only
one for the length of a call; there are as many as there were calls at once.
"""

from __future__ import annotations

import ctypes
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from dpsql.algebra.catalog import ColumnInfo
from dpsql.algebra.expressions import LiteralValue
from dpsql.engines.base import (
    Engine,
    EngineFailed,
    EngineQuery,
    Exact,
    FinishFailed,
    FinishLost,
    OutputColumn,
    PublicEngine,
    ReleasedTable,
    Row,
)
from dpsql.errors import Error, Uncopyable

_MOST = 8
_EXPECTED = (EngineFailed, FinishFailed, ValueError, Error)


class _Closable(Protocol):
    def close(self) -> None: ...


E = TypeVar("E", bound=_Closable)


class Spares(Uncopyable, Generic[E]):
    """Engines of one policy at rest; one is opened where none is. Threads may share it, processes not.

    At most `most` are kept. One that is lost by an error of its own is closed. An engine on which a call ended
    otherwise than by an answer or a failure of the engine's own (an interrupt) may still be at work: it is never given
    out again, and closed with the rest.
    """

    __slots__ = ("_closed", "_lost", "_most", "_open", "_process", "_spare")

    def __init__(self, opened: Callable[[], E], first: Iterable[E] = (), most: int = _MOST) -> None:
        self._open = opened
        self._spare = deque[E](first)
        self._lost = deque[E]()
        self._most = most
        self._closed = False
        self._process = os.getpid()

    @contextmanager
    def one(self) -> Iterator[E]:
        """An engine for one call."""
        engine = _popped(self._spare) or self._open()
        try:
            yield engine
        except FinishLost:
            engine.close()
            raise
        except _EXPECTED:
            self._give(engine)
            raise
        except BaseException:
            self._lost.append(engine)
            raise
        self._give(engine)

    def close(self) -> None:
        """Closes every engine at rest, now, and every other once its call has ended; not in a forked child."""
        self._closed = True
        while os.getpid() == self._process and (engine := _popped(self._spare) or _popped(self._lost)):
            engine.close()

    def _give(self, engine: E) -> None:
        if self._closed or len(self._spare) >= self._most:
            engine.close()
        else:
            self._spare.append(engine)  # the last used is the next used: its caches are the warmest

    def __del__(self) -> None:
        # An engine's threads live in the parent only: taking it apart in a forked child ends in a crash.
        if os.getpid() != self._process:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object((self._spare, self._lost)))


def _popped(engines: deque[E]) -> E | None:
    try:
        return engines.pop()
    except IndexError:
        return None


class SpareEngine(Uncopyable):
    """A private engine for each call; see `Engine`."""

    __slots__ = ("_spares",)

    def __init__(self, spares: Spares[Engine]) -> None:
        self._spares = spares

    def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
        with self._spares.one() as engine:
            return engine.run(query, seconds)

    def close(self) -> None:
        """Nothing: its engines are for the next connection."""

    def __repr__(self) -> str:
        return "SpareEngine()"


class SparePublic(Uncopyable):
    """A public engine for each call; see `PublicEngine`."""

    __slots__ = ("_spares",)

    def __init__(self, spares: Spares[PublicEngine]) -> None:
        self._spares = spares

    def columns(self, table: str) -> tuple[ColumnInfo, ...]:
        with self._spares.one() as engine:
            return engine.columns(table)

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int:
        with self._spares.one() as engine:
            return engine.fan_out(table, columns)

    def evaluate(self, sql: str) -> list[tuple[LiteralValue, ...]]:
        with self._spares.one() as engine:
            return engine.evaluate(sql)

    def select_statements(self, text: str) -> int:
        with self._spares.one() as engine:
            return engine.select_statements(text)

    def describe(
        self, text: str, params: Sequence[object] | Mapping[str, object]
    ) -> tuple[OutputColumn, ...]:
        with self._spares.one() as engine:
            return engine.describe(text, params)

    def check(self, public_query: str, tables: Iterable[ReleasedTable]) -> tuple[str, ...]:
        with self._spares.one() as engine:
            return engine.check(public_query, tables)

    def finish(self, public_query: str, tables: Iterable[ReleasedTable]) -> Sequence[Row]:
        with self._spares.one() as engine:
            return engine.finish(public_query, tables)

    def close(self) -> None:
        """Nothing: its engines are for the next connection."""

    def __repr__(self) -> str:
        return "SparePublic()"
