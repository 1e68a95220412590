"""Values that depend on several rows of one unit: aggregates over them, and places among them."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from dpsql.algebra.expr import Expr
from dpsql.algebra.types import SqlType


class PerUnitAggregate(enum.StrEnum):
    """Aggregates over the rows of one unit, which are still private."""

    COUNT_ROWS = "count(*)"
    COUNT = "count"
    COUNT_DISTINCT = "count(distinct)"
    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class PerUnitMeasure:
    """One aggregate of `arg` (None for rows) over the rows of one unit and group for which `where` is true."""

    aggregate: PerUnitAggregate
    arg: Expr | None
    where: Expr
    type: SqlType


class Ranked(enum.StrEnum):
    """What a window says of a row's place among the rows of its unit."""

    ROW_NUMBER = "row_number"
    RANK = "rank"
    DENSE_RANK = "dense_rank"
    LAG = "lag"
    LEAD = "lead"
    FIRST_VALUE = "first_value"


@dataclass(frozen=True, slots=True)
class Place:
    """A place among the rows of a unit, or the value of `arg` there, `offset` rows away."""

    ranked: Ranked
    arg: Expr | None
    offset: int
    type: SqlType


@dataclass(frozen=True, slots=True)
class Sorted:
    """One term of an order."""

    expr: Expr
    descending: bool
    nulls_first: bool


class Frame(enum.StrEnum):
    """Which rows of the partition an aggregate is over: all, those up to the row and its equals, or up to the row."""

    ALL = "all"
    EQUALS = "equals"
    ROWS = "rows"


@dataclass(frozen=True, slots=True)
class Window:
    """One value for each row: of the rows of its unit that agree with it on `partition`, in an order."""

    value: Place | PerUnitMeasure
    partition: tuple[Expr, ...]
    order: tuple[Sorted, ...]
    frame: Frame

    @property
    def exprs(self) -> tuple[Expr, ...]:
        """Every expression that is computed of a row."""
        where = (self.value.where,) if isinstance(self.value, PerUnitMeasure) else ()
        own = (*where,) if self.value.arg is None else (self.value.arg, *where)
        return (*own, *self.partition, *(s.expr for s in self.order))

    @property
    def numbers(self) -> bool:
        """Whether it numbers all rows of a unit, each row with another number."""
        value = self.value
        return not self.partition and isinstance(value, Place) and value.ranked is Ranked.ROW_NUMBER
