"""How far long work is: the phase that is under way, and how much of it is done where that is known.

For the work of admins. An analyst sees elapsed time alone: how far a query is would tell of private rows.
"""

from __future__ import annotations

from collections.abc import Callable

from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Phase:
    """What is being done, as a phrase such as "recounting the log", and how much of it is `done`.

    `total` is None where nobody knows it. `unit` names what is counted, as "lines". Where `percent` is given, it is
    asked how much of the phase is done, in the place of `done`; it gives less than 0 where that is not known, and may
    be asked in any thread until the next phase is told.
    """

    name: str
    done: float = 0
    total: float | None = None
    unit: str = ""
    percent: Callable[[], float] | None = None

    @property
    def share(self) -> float | None:
        """How much of the phase is done, from 0 to 1; None where that is not known."""
        if self.percent is not None:
            percent = self.percent()
            return min(percent / 100, 1.0) if percent >= 0 else None
        return min(max(self.done / self.total, 0.0), 1.0) if self.total else None


Progress = Callable[[Phase], None]
"""Is told each phase when it begins, and whenever it gets further. It returns at once and never raises."""


def untold(phase: Phase) -> None:
    """The progress of work that nobody watches."""
