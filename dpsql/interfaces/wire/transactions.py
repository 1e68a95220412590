"""The transactions that drivers insist on: their states are kept, and nothing is ever given back.

I is outside of one, T inside, E in one where a statement has failed. Outside of one, as in PostgreSQL, what a client
sends up to a Sync or in one text is a transaction as well: where it fails, what was set in it is as it was before.
"""

from __future__ import annotations

import enum
from dataclasses import field

from dpsql.interfaces.wire.failures import Failure
from dpsql.interfaces.wire.portals import check_name
from dpsql.interfaces.wire.settings import Settings
from dpsql.slotted import dataclass


class Phase(enum.StrEnum):
    """Where a session is, by the letter of ReadyForQuery."""

    IDLE = "I"
    OPEN = "T"
    FAILED = "E"


@dataclass(frozen=True, slots=True)
class Savepoint:
    """What a transaction returns to: the settings, those without what is for it alone, how many cursors were opened."""

    name: str
    settings: Settings
    kept: Settings
    opened: int


@dataclass(slots=True)
class Transaction:
    """The transaction of one session: its phase, its savepoints, whether anything was charged in it.

    `before` are the settings to return to when it is rolled back, `kept` those without what was set for it alone.
    `several` says that its statements are one text, which has effects until the text's end as one that was begun has.
    `opened` is how many cursors the session had opened before: what is rolled back leaves none of its own.
    """

    before: Settings
    kept: Settings
    phase: Phase = Phase.IDLE
    charged: bool = False
    several: bool = False
    opened: int = 0
    savepoints: list[Savepoint] = field(default_factory=list)

    def begin(self) -> bool:
        """Begins one with what was sent before in the same text or up to a Sync; False where there is one already."""
        if self.phase is not Phase.IDLE:
            return False
        self.phase = Phase.OPEN
        return True

    def end(self, settings: Settings, opened: int) -> None:
        """Leaves the transaction; these settings stand."""
        self.phase, self.charged, self.before, self.kept = Phase.IDLE, False, settings, settings
        self.opened = opened
        self.savepoints.clear()

    def fail(self) -> Settings:
        """Notes that a statement has failed; the settings from before it, or those of the last savepoint."""
        if self.phase is Phase.IDLE:
            self.end(self.before, self.opened)
            return self.before
        self.phase = Phase.FAILED
        return self.savepoints[-1].settings if self.savepoints else self.before

    @property
    def is_block(self) -> bool:
        """Whether what holds for a transaction alone has an effect beyond its own statement."""
        return self.several or self.phase is not Phase.IDLE

    def check(self) -> None:
        """Raises Failure where a statement has failed and nothing is run until the transaction ends."""
        if self.phase is Phase.FAILED:
            raise Failure(
                "25P02", "the transaction has failed; nothing is run until it ends", "Send ROLLBACK."
            )

    def mark(self, name: str, settings: Settings, opened: int) -> None:
        """Keeps a savepoint. Raises Failure outside a transaction."""
        self._inside("SAVEPOINT")
        if len(self.savepoints) >= 1_000:
            raise Failure("54000", "there are 1000 savepoints already", "Release some of them.")
        check_name(name)
        self.savepoints.append(Savepoint(name, settings, self.kept, opened))

    def release(self, name: str) -> None:
        """Forgets a savepoint and those after it."""
        self._inside("RELEASE SAVEPOINT")
        del self.savepoints[self._found(name) :]

    def back_to(self, name: str) -> Savepoint:
        """A savepoint, which stays; those after it are forgotten."""
        self._inside("ROLLBACK TO SAVEPOINT")
        at = self._found(name)
        del self.savepoints[at + 1 :]
        self.phase = Phase.OPEN
        self.kept = self.savepoints[at].kept
        return self.savepoints[at]

    def _inside(self, what: str) -> None:
        if self.phase is Phase.IDLE:
            raise Failure("25P01", f"{what} can only be used in transactions")

    def _found(self, name: str) -> int:
        for at in range(len(self.savepoints) - 1, -1, -1):
            if self.savepoints[at].name == name:
                return at
        raise Failure("3B001", f'there is no savepoint "{name[:60]}"')
