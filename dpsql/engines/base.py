"""The seam to the private engine: a query in, plain integers out, one exception type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from dpsql.algebra.expr import LiteralValue

Key = tuple[LiteralValue, ...]


class EngineFailed(Exception):
    """The private engine could not answer. Its text is for the admin's log alone, never for an analyst."""


@dataclass(frozen=True, slots=True)
class UnitList:
    """Tables derived from private rows that bounding reads, built once per data version; `name` identifies them."""

    name: str
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EngineQuery:
    """SQL written from our own tree: `keys` key columns, then two BIGINT columns (high, low) for each of `terms`."""

    sql: str
    keys: int
    terms: int
    lists: tuple[UnitList, ...] = ()


@dataclass(frozen=True, slots=True)
class Exact:
    """What a query found: the key of each group and an array (groups x terms) of exact Python or 64-bit integers."""

    keys: tuple[Key, ...]
    values: npt.NDArray[np.generic]


class Engine(Protocol):
    """An engine with the private rows in its reach."""

    def run(self, query: EngineQuery) -> Exact:
        """The exact answer of a query, fully read. Raises EngineFailed and nothing else."""

    def close(self) -> None:
        """Gives the engine up; a second call does nothing."""
