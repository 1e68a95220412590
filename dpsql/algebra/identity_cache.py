"""What was found of frozen objects, kept by their identity: two that are equal may still be written differently."""

from __future__ import annotations

from typing import Generic, TypeVar

_MOST = 64
T = TypeVar("T")


class ByIdentity(Generic[T]):
    """The latest few findings. Threads may share it: each step on it is one of the dictionary's own."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        # What was found stands with its object, which is held so that no other one gets its identity.
        self._found: dict[int, tuple[object, T]] = {}

    def find(self, of: object) -> T | None:
        """What was kept for this very object, or None."""
        known = self._found.get(id(of))
        return known[1] if known is not None and known[0] is of else None

    def keep(self, of: object, found: T) -> None:
        """Keeps it, and forgets all others where they are many."""
        if len(self._found) >= _MOST:
            self._found.clear()
        self._found[id(of)] = of, found
