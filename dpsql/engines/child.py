"""The two engines, each in a child process: what they are asked travels there, plain values travel back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import NoneType
from typing import Any, Self
from uuid import UUID

import numpy as np
import numpy.typing as npt

from dpsql.algebra.catalog import ColumnInfo, TableInfo
from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.types import SqlType
from dpsql.engines.base import (
    PLANNING_SECONDS,
    EngineFailed,
    EngineQuery,
    Exact,
    FinishFailed,
    FinishStopped,
    OutputColumn,
    ReleasedTable,
    Row,
)
from dpsql.engines.codecs.codec import Reply
from dpsql.engines.column_rows import ColumnRows
from dpsql.engines.duckdb_settings import Limits
from dpsql.engines.prepared.manifest import PreparedFile
from dpsql.engines.process import Child, Stopped, problems
from dpsql.engines.public_engine import column_infos
from dpsql.errors import PolicyError, Problem, Uncopyable
from dpsql.policy.model import Policy

GRACE_SECONDS = 1.0
"""How long a child has, once it has interrupted a query itself, before it is killed."""
_SOFT = 0.9
_PARAMETERS = frozenset(
    {NoneType, bool, int, float, str, bytes, date, datetime, time, timedelta, Decimal, UUID}
)


class _InChild(Uncopyable):
    """An engine in a child process."""

    __slots__ = ("_child", "_seconds")

    def __init__(
        self, kind: str, policy: Policy, limits: Limits, prepared: PreparedFile | None = None
    ) -> None:
        self._child = Child(kind, policy, limits, prepared)
        self._seconds = limits.seconds + GRACE_SECONDS

    def open(self) -> Self:
        """Waits until its tables are open. Raises PolicyError where one does not fit the policy, or cannot be read."""
        self._child.open()
        return self

    def close(self) -> None:
        """Ends the child process; a second call does nothing."""
        self._child.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ChildEngine(_InChild):
    """The private engine in a child process; see `PrivateEngine`."""

    __slots__ = ()

    def __init__(self, policy: Policy, limits: Limits, prepared: PreparedFile | None = None) -> None:
        super().__init__("private", policy, limits, prepared)

    def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
        """The exact answer of a query. Raises EngineFailed.

        With `seconds` the child is killed then, and interrupts the query shortly before.
        """
        if seconds is None:
            reply = self._ask(self._seconds, "run", query, None)
        else:
            reply = self._ask(seconds, "run", query, seconds * _SOFT)
        keys = tuple(reply.rows) if reply.rows is not None else ()
        values = reply.integers if reply.integers is not None else _wide(reply.value, query.terms)
        if values.shape != (len(keys), query.terms) or any(len(key) != query.keys for key in keys):
            raise EngineFailed("private engine: a reply of another shape")
        return Exact(keys, values)  # type: ignore[arg-type]

    def violations(self, policy: Policy, tables: Mapping[str, TableInfo]) -> tuple[Problem, ...]:
        try:
            return problems(self._ask(self._seconds, "violations", dict(tables)).value)
        except EngineFailed as error:
            return (Problem(str(policy.path), None, "tables", f"the sources cannot be read: {error}"),)

    def _ask(self, seconds: float, method: str, *arguments: object) -> Reply:
        try:
            reply = self._child.ask(seconds, method, *arguments)
        except (Stopped, PolicyError) as error:
            raise EngineFailed(str(error)) from None
        if reply.status == "stopped":
            self._child.renew()
        if reply.status != "ok":
            raise EngineFailed(f"private engine: {reply.status}: {reply.value}")
        return reply


class ChildFinish(_InChild):
    """The public engine in a child process; see `PublicEngine`."""

    __slots__ = ("_fan_outs", "_infos", "_planning")

    def __init__(self, policy: Policy, limits: Limits) -> None:
        super().__init__("public", policy, limits)
        self._planning = min(limits.seconds, PLANNING_SECONDS) + GRACE_SECONDS
        self._infos: dict[str, tuple[ColumnInfo, ...]] = {}
        self._fan_outs: dict[tuple[str, tuple[str, ...]], int] = {}

    def columns(self, table: str) -> tuple[ColumnInfo, ...]:
        if table not in self._infos:
            rows = self._rows(self._seconds, "facts", table)
            self._infos[table] = column_infos((n, SqlType(k), lo, hi, null) for n, k, lo, hi, null in rows)
        return self._infos[table]

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int:
        key = (table, columns)
        if key not in self._fan_outs:
            self._fan_outs[key] = int(self._ask(self._seconds, "fan_out", table, columns).value)
        return self._fan_outs[key]

    def evaluate(self, sql: str) -> list[tuple[LiteralValue, ...]]:
        return list(self._rows(self._planning, "evaluate", sql))

    def select_statements(self, text: str) -> int:
        return int(self._ask(self._planning, "select_statements", text).value)

    def describe(
        self, text: str, params: Sequence[object] | Mapping[str, object]
    ) -> tuple[OutputColumn, ...]:
        bound = dict(params) if isinstance(params, Mapping) else list(params)
        values = bound.values() if isinstance(bound, dict) else bound
        if not set(map(type, values)) <= _PARAMETERS:
            raise FinishFailed("a parameter has a type that no column has")
        rows = self._rows(self._planning, "describe", text, bound)
        return tuple(OutputColumn(str(name), str(kind)) for name, kind in rows)

    def check(self, public_query: str, tables: Iterable[ReleasedTable]) -> tuple[str, ...]:
        reply = self._ask(self._planning, "check", public_query, tuple(tables))
        return tuple(str(kind) for kind in reply.value)

    def finish(self, public_query: str, tables: Iterable[ReleasedTable]) -> Sequence[Row]:
        rows = self._ask(self._seconds, "finish", public_query, tuple(tables)).rows
        return rows if isinstance(rows, ColumnRows) else tuple(map(tuple, rows or ()))

    def _rows(self, seconds: float, method: str, *arguments: object) -> Sequence[tuple[Any, ...]]:
        rows = self._ask(seconds, method, *arguments).rows
        return [tuple(row) for row in rows] if rows is not None else []

    def _ask(self, seconds: float, method: str, *arguments: object) -> Reply:
        reply = None
        with suppress(Stopped, PolicyError):
            reply = self._child.ask(seconds, method, *arguments)
        if reply is not None and reply.status == "stopped":
            self._child.renew()
        if reply is None or reply.status == "stopped":
            raise FinishStopped("the query takes more time or memory than it may")
        if reply.status == "invalid":
            raise ValueError("the text is not a SELECT")
        if reply.status != "ok":
            raise FinishFailed("the public engine refused the query")
        return reply


def _wide(rows: object, terms: int) -> npt.NDArray[np.generic]:
    """Sums that need more than 64 bits, as Python's integers."""
    listed = rows if isinstance(rows, list) else []
    if not all(isinstance(row, list) and all(type(v) is int for v in row) for row in listed):
        raise EngineFailed("private engine: a reply without integers")
    exact: npt.NDArray[np.generic] = np.array(listed, dtype=object).reshape(len(listed), terms)
    return exact
