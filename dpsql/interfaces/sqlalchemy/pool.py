"""A connection for each use: opening one takes a millisecond, and what it is opened with is never stale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy.pool import NullPool


class FreshPool(NullPool):
    """SQLAlchemy's pool that keeps nothing; it takes the sizes that tools ask for, which mean nothing here."""

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
