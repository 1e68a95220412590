"""A connection for each use: opening one takes a millisecond, and it always has the current policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy.pool import NullPool


class FreshPool(NullPool):
    """NullPool that accepts and ignores the size arguments that tools pass."""

    def __init__(
        self,
        creator: Callable[..., Any],
        pool_size: int = 0,
        max_overflow: int = 0,
        timeout: float = 0,
        use_lifo: bool = False,
        **rest: Any,
    ) -> None:
        super().__init__(creator, **rest)
