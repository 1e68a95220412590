"""The response deadline: work on private rows ends at a time that says nothing about them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dpsql.slotted import dataclass

Left = Callable[[], float | None]


@dataclass(frozen=True, slots=True)
class Deadline:
    """How many seconds a block takes, whatever happens in it; None where nothing is held."""

    seconds: float | None = None
    ticks: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    @contextmanager
    def held(self) -> Iterator[Left]:
        """A block that is left at the deadline, also where it fails; what it is given says how much time is left.

        Raises TimeoutError where the block has taken longer: then it is left late. A host's KeyboardInterrupt is not
        held: when it comes is no secret.
        """
        if self.seconds is None:
            yield lambda: None
            return
        until = self.ticks() + self.seconds
        try:
            yield lambda: self._left(until)
        except Exception:
            self._wait(until)
            raise
        self._left(until)
        self._wait(until)

    def _left(self, until: float) -> float:
        left = until - self.ticks()
        if left <= 0:
            raise TimeoutError("the deadline is over")
        return left

    def _wait(self, until: float) -> None:
        while (left := until - self.ticks()) > 0:
            self.sleep(left)
