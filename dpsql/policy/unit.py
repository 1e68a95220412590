"""The privacy unit as the policy names it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """The privacy unit: `column` of `table`, or, where `column` is None, each row of `table`."""

    table: str
    column: str | None

    def __str__(self) -> str:
        return f"{self.table}.{self.column or '*'}"
