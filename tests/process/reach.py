"""What can be reached from an object: by public names alone, or by every reference that the interpreter knows of."""

from __future__ import annotations

import gc
import sqlite3
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import partial
from numbers import Number
from types import (
    BuiltinMethodType,
    CodeType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
    TracebackType,
)

import duckdb
import numpy as np

import dpsql
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.storage.sqlite import Database
from dpsql.engines.child import ChildEngine, ChildFinish
from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.public_engine import FinishEngine
from dpsql.session import Session
from dpsql.stages.state import State

RAW = (duckdb.DuckDBPyConnection, duckdb.DuckDBPyRelation, sqlite3.Connection, sqlite3.Cursor)
INSIDE = (*RAW, State, Session, Ledger, Database, DuckEngine, FinishEngine, ChildEngine, ChildFinish)
_OURS = next(iter(dpsql.__path__))
_LEAVES = (str, bytes, int, float, complex, type, ModuleType, CodeType, type(None))
_FUNCTIONS_OWN = ("__closure__", "__defaults__", "__kwdefaults__", "__wrapped__", "__dict__")
Step = Callable[[object], Iterable[object]]


def reachable(roots: Iterable[object], step: Step) -> Iterator[object]:
    """Every object that can be reached, each once."""
    waiting, seen = deque(roots), {}
    while waiting:
        found = waiting.popleft()
        if id(found) in seen or (isinstance(found, _LEAVES) and not isinstance(found, str | bytes)):
            continue
        seen[id(found)] = found  # kept alive, so that no other object takes its place
        yield found
        if not isinstance(found, str | bytes):
            waiting.extend(step(found))


def by_public_names(found: object) -> Iterator[object]:
    """What an object shows by names without an underscore, and what functions, methods and containers hold."""
    yield from _held(found)
    if isinstance(found, (np.ndarray, np.generic, Number, date)):  # their names give ever new numbers
        return
    for name in dir(found):
        if not name.startswith("_"):
            try:
                yield getattr(found, name)
            except Exception as error:
                yield error


def by_any_reference(found: object) -> Iterator[object]:
    """All that the interpreter knows to be held; frames give their locals where they are dpsql's own."""
    yield from _held(found)
    if isinstance(found, FrameType | FunctionType | TracebackType):
        return
    modules = {id(vars(module)) for module in tuple(sys.modules.values()) if isinstance(module, ModuleType)}
    yield from (held for held in gc.get_referents(found) if id(held) not in modules)


def frames_of(error: BaseException) -> list[FrameType]:
    """The frames of dpsql that an exception keeps alive."""
    frames, trace = [], error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith(_OURS):
            frames.append(trace.tb_frame)
        trace = trace.tb_next
    return frames


def is_guard(code: CodeType) -> bool:
    """Whether it is that of the function which callers have in the place of one of ours."""
    return code.co_name == "guard" and code.co_filename.endswith("dpsql/errors.py")


def _held(found: object) -> Iterator[object]:
    if isinstance(found, dict):
        yield from (*found.keys(), *found.values())
    elif isinstance(found, list | tuple | set | frozenset | deque):
        yield from found
    elif isinstance(found, MethodType):
        yield from (found.__self__, found.__func__)
    elif isinstance(found, BuiltinMethodType):
        yield found.__self__
    elif isinstance(found, partial):
        yield from (found.func, found.args, found.keywords)
    elif isinstance(found, FunctionType):
        yield from (getattr(found, name, None) for name in _FUNCTIONS_OWN)
        yield from (cell.cell_contents for cell in found.__closure__ or ())
    elif isinstance(found, GeneratorType):
        yield found.gi_frame.f_locals if found.gi_frame is not None else None
    elif isinstance(found, FrameType):
        yield found.f_locals
    elif isinstance(found, BaseException):
        yield from (found.args, found.__cause__, found.__context__, getattr(found, "__notes__", None))
        yield from (vars(found), *frames_of(found))
