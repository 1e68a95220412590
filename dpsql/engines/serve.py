"""The child's side of an engine in a process of its own: limits first, then one answer for each question.

Started by `dpsql.engines.process`. What the parent sends is trusted; what is sent back is made of the few types of
`dpsql.engines.codecs.codec`.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import select
import socket
import threading
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from dpsql.engines.base import EngineFailed, EngineQuery, FinishStopped
from dpsql.engines.codecs.codec import Most, Reply, TooLarge, encode, most_of
from dpsql.engines.duckdb_settings import Limits
from dpsql.engines.prepared.manifest import PreparedFile
from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.public_engine import FinishEngine
from dpsql.errors import PolicyError, Problem
from dpsql.policy.model import Policy

ALLOWANCE = 2**30
"""Address space of a child beyond its engine's memory: Python, numpy, DuckDB's code, replies."""
PER_THREAD = 128 * 2**20
"""Address space that a thread takes for its stack and its part of the allocator; most of it is never touched."""
_ORPHAN_MILLISECONDS = 1000
_CHUNK = 2**20
_TUPLES_BETWEEN_COLLECTIONS = 100_000
_OUT_OF_MEMORY = ("OutOfMemoryException", "MemoryError")

Serve = Callable[[str, tuple[Any, ...]], Reply]


def main() -> None:
    """Serves one engine until the parent goes away."""
    gc.freeze()
    gc.set_threshold(_TUPLES_BETWEEN_COLLECTIONS)  # rows are tuples without cycles, and there may be many
    channel = _channel()
    threading.Thread(target=_end_with_parent, args=(channel, os.getppid()), daemon=True).start()
    kind, policy, limits, prepared = _received(channel)
    _limit(limits)
    try:
        serve = _private(policy, limits, prepared) if kind == "private" else _public(policy, limits)
    except PolicyError as error:
        channel.sendall(encode(Reply("problems", _plain(error.problems))))
        return
    channel.sendall(encode(Reply("ok")))
    while True:
        channel.sendall(_answer(serve, most_of(kind, limits.memory), *_received(channel)))


def _channel() -> socket.socket:
    """The socket that the parent put in the place of standard input, moved away from there."""
    channel = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return channel


def _end_with_parent(channel: socket.socket, parent: int) -> NoReturn:
    """Ends this process once the other end is closed or the parent has died, also in the middle of a query.

    A parent that was forked leaves its end open in its other children: hence the second look.
    """
    hung_up = select.poll()
    hung_up.register(channel.fileno(), 0)
    while os.getppid() == parent and not hung_up.poll(_ORPHAN_MILLISECONDS):
        pass
    os._exit(0)


def _limit(limits: Limits) -> None:
    """Hard limits of this process: memory, no core, and no file that grows, unless a directory for that is given."""
    _set(resource.RLIMIT_CORE, 0)
    if limits.spill is None:
        _set(resource.RLIMIT_FSIZE, 0)
    if limits.memory is not None:
        threads = limits.threads if limits.threads is not None else os.cpu_count() or 1
        _set(resource.RLIMIT_AS, limits.memory + ALLOWANCE + PER_THREAD * threads)


def _set(what: int, most: int) -> None:
    """A limit no higher than the one that is there already."""
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def _received(channel: socket.socket) -> tuple[Any, ...]:
    """The parent's next message; where there is none any more, this process ends."""
    size = int.from_bytes(_exactly(channel, 8), "little")
    message: tuple[Any, ...] = pickle.loads(_exactly(channel, size))
    return message


def _exactly(channel: socket.socket, size: int) -> bytearray:
    received = bytearray()
    while len(received) < size:
        part = channel.recv(min(size - len(received), _CHUNK))
        if not part:
            os._exit(0)
        received += part
    return received


def _answer(serve: Serve, most: Most, method: str, arguments: tuple[Any, ...]) -> bytes:
    """The reply to one question; whatever goes wrong is a reply as well."""
    try:
        return encode(serve(method, arguments), most)
    except EngineFailed as error:
        status = "stopped" if str(error).startswith(_OUT_OF_MEMORY) else "failed"
        return encode(Reply(status, str(error)[:_CHUNK]))
    except (FinishStopped, TooLarge, MemoryError) as error:
        return encode(Reply("stopped", type(error).__name__))
    except ValueError:
        return encode(Reply("invalid"))
    except Exception as error:
        return encode(Reply("failed", type(error).__name__))


def _private(policy: Policy, limits: Limits, prepared: PreparedFile | None) -> Serve:
    engine = DuckEngine.open(policy, limits, prepared)

    def run(query: EngineQuery, seconds: float | None) -> Reply:
        exact = engine.run(query, seconds)
        if exact.values.dtype == np.int64:
            return Reply("ok", rows=exact.keys, integers=exact.values.astype(np.int64, copy=False))
        return Reply("ok", [[int(v) for v in row] for row in exact.values], exact.keys)

    methods: dict[str, Callable[..., Reply]] = {
        "run": run,
        "violations": lambda tables: Reply("ok", _plain(engine.violations(policy, tables))),
    }
    return lambda method, arguments: methods[method](*arguments)


def _public(policy: Policy, limits: Limits) -> Serve:
    engine = FinishEngine.open(policy, limits)
    methods: dict[str, Callable[..., Reply]] = {
        "facts": lambda table: Reply("ok", rows=[(n, str(k), *f) for n, k, *f in engine.facts(table)]),
        "fan_out": lambda table, columns: Reply("ok", engine.fan_out(table, columns)),
        "evaluate": lambda sql: Reply("ok", rows=engine.evaluate(sql)),
        "select_statements": lambda text: Reply("ok", engine.select_statements(text)),
        "describe": lambda text, params: Reply(
            "ok", rows=[(c.name, c.type) for c in engine.describe(text, params)]
        ),
        "check": lambda public_query, tables: Reply("ok", engine.check(public_query, tables)),
        "finish": lambda public_query, tables: Reply("ok", rows=engine.finish(public_query, tables)),
    }
    return lambda method, arguments: methods[method](*arguments)


def _plain(problems: tuple[Problem, ...]) -> list[list[object]]:
    return [[p.file, p.place and [p.place.line, p.place.column], p.path, p.message] for p in problems]
