"""The analyst's own log: each question as it was asked, when, and what it was charged; a file of this user alone.

It holds no answer. The ledger's log is the admin's, and is kept whatever becomes of this one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from dpsql.errors import BudgetExhausted, Error, QueryRefused
from dpsql.interfaces.cli.own_files.state_folder import private_file, state_folder
from dpsql.policy.names import fold_name
from dpsql.privacy import FREE, Cost
from dpsql.slotted import dataclass

FILE = "questions.jsonl"


@dataclass(slots=True)
class Asked:
    """What has become of a question by now."""

    outcome: str = "interrupted"
    cost: Cost = FREE

    def charged(self, cost: Cost) -> None:
        """It was answered, at that cost."""
        self.outcome, self.cost = "answered", cost

    def interrupted(self, cost: Cost) -> None:
        """It was not answered, and charged all the same."""
        self.cost = cost


@dataclass(frozen=True, slots=True)
class Entry:
    """A question of the log: when it was asked (seconds since 1970), how, and what became of it."""

    time: float
    sql: str
    outcome: str
    epsilon: float
    delta: float

    @property
    def moment(self) -> datetime:
        """When it was asked, in UTC."""
        return datetime.fromtimestamp(int(self.time), UTC).replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class QuestionLog:
    """The questions of one analyst under one policy, in a file with those of others; no file: nothing is kept."""

    file: Path | None
    policy: str
    analyst: str

    @contextmanager
    def noting(self, sql: str) -> Iterator[Asked]:
        """A block that asks a question; whatever becomes of it is written down."""
        asked, began = Asked(), time.time()
        try:
            yield asked
        except (QueryRefused, BudgetExhausted):
            asked.outcome = "refused"
            raise
        except Error:
            asked.outcome = "failed"
            raise
        finally:
            self._write(Entry(began, sql, asked.outcome, float(asked.cost.epsilon), float(asked.cost.delta)))

    def _write(self, entry: Entry) -> None:
        """A log that cannot be written stops no question."""
        if self.file is None or (file := private_file(self.file)) is None:
            return
        about = {"time": entry.time, "policy": self.policy, "analyst": self.analyst, "sql": entry.sql}
        told = {"outcome": entry.outcome, "epsilon": entry.epsilon, "delta": entry.delta}
        with suppress(OSError), file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({**about, **told}) + "\n")

    def entries(self) -> Iterator[Entry]:
        """What was asked, oldest first; lines that cannot be read are left out."""
        if self.file is None or not self.file.exists():
            return
        with self.file.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                with suppress(ValueError, KeyError, TypeError):
                    found = json.loads(line)
                    if (found["policy"], found["analyst"]) == (self.policy, self.analyst):
                        yield Entry(
                            float(found["time"]), str(found["sql"]), str(found["outcome"]),
                            float(found["epsilon"]), float(found["delta"]),
                        )  # fmt: skip


def question_log(policy: Path, analyst: str, *, kept: bool) -> QuestionLog:
    """The log of that analyst's questions under that policy."""
    return QuestionLog(state_folder() / FILE if kept else None, str(policy.absolute()), fold_name(analyst))
