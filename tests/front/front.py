"""The whole public path under a small policy, and everything that must hold for whatever is sent through it."""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import dpsql
from dpsql.audit.queries.schema_view import View, view
from dpsql.dbapi import Connection
from dpsql.engines.public_engine import FinishEngine
from dpsql.policy.load import load_policy
from front.shop import write_shop
from front.texts import Sent

# Of the processor, not of the clock: another process's work does not count. An execution may draw a million cells.
SECONDS = {"explain": 2.0, "execute": 20.0}
MEGABYTES = {"explain": 300, "execute": 1_000}


@dataclass(slots=True)
class Front:
    """One connection, what the grammar knows of its policy, and what has come out of it."""

    connection: Connection
    view: View
    kinds: Counter[str] = field(default_factory=Counter)

    def send(self, sent: Sent) -> None:
        """Explains and executes; AssertionError where anything but an answer or an error of ours comes out."""
        self._ask("explain", sent)
        self._ask("execute", sent)

    def _ask(self, how: str, sent: Sent) -> None:
        before, memory, start = self.connection.budget().spent, _peak(), time.process_time()
        kind = self._kind(how, sent)
        self.kinds[f"{how}: {kind}"] += 1
        seconds, more = time.process_time() - start, _peak() - memory
        assert seconds < SECONDS[how], f"{how} took {seconds:.1f} s of the processor: {sent!r}"
        assert more < MEGABYTES[how], f"{how} took {more} MB: {sent!r}"
        if how == "explain" or kind not in ("answered", "QueryFailed"):
            assert self.connection.budget().spent == before, f"{how} was charged and {kind}: {sent!r}"

    def _kind(self, how: str, sent: Sent) -> str:
        look = _look_at_explanation if how == "explain" else _look_at_answer
        try:
            look(self.connection, sent)
        except dpsql.Error as error:
            assert not isinstance(error, dpsql.InternalError), f"{error}: {sent!r}"
            assert error.__cause__ is None and (error.__context__ is None or error.__suppress_context__), sent
            return type(error).__name__
        return "answered"


MOST_ROWS = 10_000


@contextmanager
def opened(folder: Path) -> Iterator[Front]:
    """A connection to a small database, with more budget than a run can spend."""
    path = write_shop(folder)
    policy = load_policy(path)
    with closing(FinishEngine.open(policy)) as public:
        seen = view(policy, public)
    with dpsql.connect(path, analyst="mallory") as connection:
        yield Front(connection, seen)


def _look_at_answer(connection: Connection, sent: Sent) -> None:
    """Executes and looks at all that an answer shows."""
    cursor = connection.execute(sent.sql, sent.params)  # type: ignore[arg-type]
    rows = cursor.fetchall()
    if cursor.description is None:  # a setting of a client, which has no rows
        assert (cursor.rowcount, rows) == (-1, [])
    else:
        assert cursor.rowcount == len(rows)
        width = len(cursor.description)
        assert all(len(row) == width for row in rows)
    if len(rows) > MOST_ROWS:  # results that are crossed: their intervals take longer than the test
        return
    release = cursor.release
    assert len(release.intervals) in (0, len(rows))
    repr((cursor, release.epsilon, release.delta, release.releases, release.notes, release.intervals))


def _look_at_explanation(connection: Connection, sent: Sent) -> None:
    str(connection.explain(sent.sql, sent.params))  # type: ignore[arg-type]


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
