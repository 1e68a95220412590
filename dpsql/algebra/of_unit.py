"""Values that depend on several rows of one unit: aggregates over them, and places among them."""

from __future__ import annotations

import enum
import math
from fractions import Fraction

from dpsql.algebra.expressions import Expr, Literal
from dpsql.algebra.types import SqlType
from dpsql.slotted import dataclass


class PerUnitAggregate(enum.StrEnum):
    """Aggregates over the rows of one unit, which are still private."""

    COUNT_ROWS = "count(*)"
    COUNT = "count"
    COUNT_DISTINCT = "count(distinct)"
    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"
    VAR_POP = "var_pop"
    VAR_SAMP = "var_samp"
    STDDEV_POP = "stddev_pop"
    STDDEV_SAMP = "stddev_samp"
    QUANTILE_CONT = "quantile_cont"
    QUANTILE_DISC = "quantile_disc"


SPREADS = frozenset(
    {
        PerUnitAggregate.VAR_POP,
        PerUnitAggregate.VAR_SAMP,
        PerUnitAggregate.STDDEV_POP,
        PerUnitAggregate.STDDEV_SAMP,
    }
)
QUANTILES = frozenset({PerUnitAggregate.QUANTILE_CONT, PerUnitAggregate.QUANTILE_DISC})


@dataclass(frozen=True, slots=True)
class PerUnitMeasure:
    """One aggregate of `arg` (None for rows) over the rows of one unit and group for which `where` is true.

    `level` is the q of a quantile.
    """

    aggregate: PerUnitAggregate
    arg: Expr | None
    where: Expr
    type: SqlType
    level: Fraction = Fraction(0)


class Ranked(enum.StrEnum):
    """What a window says of a row's place among the rows of its unit."""

    ROW_NUMBER = "row_number"
    RANK = "rank"
    DENSE_RANK = "dense_rank"
    LAG = "lag"
    LEAD = "lead"
    FIRST_VALUE = "first_value"
    LAST_VALUE = "last_value"
    NTH_VALUE = "nth_value"
    NTILE = "ntile"
    PERCENT_RANK = "percent_rank"
    CUME_DIST = "cume_dist"


FRAMED = frozenset({Ranked.FIRST_VALUE, Ranked.LAST_VALUE, Ranked.NTH_VALUE})
"""Places that are counted within the window's frame; all others are counted among all rows of the partition."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place among the rows of a unit, or the value of `arg` there.

    `offset` says how many rows away, which row of the frame, or into how many parts rows are cut. With `skips`, rows
    whose `arg` is NULL are not counted.
    """

    ranked: Ranked
    arg: Expr | None
    offset: int
    type: SqlType
    skips: bool = False


@dataclass(frozen=True, slots=True)
class Sorted:
    """One term of an order."""

    expr: Expr
    descending: bool
    nulls_first: bool


class FrameUnit(enum.StrEnum):
    """What the ends of a frame are counted in: rows, values of the order, or groups of equals."""

    ROWS = "rows"
    RANGE = "range"
    GROUPS = "groups"


class Side(enum.StrEnum):
    """On which side of the row an end of a frame lies: at the first row, before, at the row, after, at the last row."""

    FIRST = "unbounded preceding"
    BEFORE = "preceding"
    HERE = "current row"
    AFTER = "following"
    LAST = "unbounded following"


class Without(enum.StrEnum):
    """Which of the rows around the row its frame leaves out; its group are the row and its equals."""

    NOTHING = "no others"
    ROW = "current row"
    GROUP = "group"
    EQUALS = "ties"


@dataclass(frozen=True, slots=True)
class End:
    """An end of a frame; `away` is a number that is not negative, or an INTERVAL that is not, where it has one."""

    side: Side
    away: Literal | None = None

    @property
    def place(self) -> float | None:
        """How many units behind the row it lies, negative before it; None for an interval, which is on `side`."""
        if self.side in (Side.FIRST, Side.LAST):
            return -math.inf if self.side is Side.FIRST else math.inf
        if self.away is None:
            return 0
        away = self.away.value
        if not isinstance(away, int | float):
            return None
        return -away if self.side is Side.BEFORE else away


@dataclass(frozen=True, slots=True)
class Frame:
    """Which rows of the partition, in the window's order, a value is over."""

    unit: FrameUnit
    start: End
    end: End
    without: Without = Without.NOTHING

    @property
    def has_row(self) -> bool:
        """Whether the row itself is in its frame for certain."""
        around = self.start.side in _UP_TO and self.end.side in _FROM
        return around and self.without in (Without.NOTHING, Without.EQUALS)

    @property
    def most(self) -> int | None:
        """The most rows that a frame can have; None where nothing limits them."""
        first, last = self.start.place, self.end.place
        if self.unit is not FrameUnit.ROWS or first is None or last is None or math.isinf(last - first):
            return None
        return int(last - first) + 1


_UP_TO = (Side.FIRST, Side.BEFORE, Side.HERE)
_FROM = (Side.HERE, Side.AFTER, Side.LAST)
EVERY_ROW = Frame(FrameUnit.RANGE, End(Side.FIRST), End(Side.LAST))


@dataclass(frozen=True, slots=True)
class Window:
    """One value for each row: of the rows of its unit that agree with it on `partition`, in an order.

    A place that is not counted within a frame has EVERY_ROW for one.
    """

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
    def may_miss(self) -> bool:
        """Whether the row whose value it gives may not be there."""
        value = self.value
        ends = isinstance(value, Place) and value.ranked in (Ranked.FIRST_VALUE, Ranked.LAST_VALUE)
        return not (ends and self.frame.has_row)

    @property
    def numbers(self) -> bool:
        """Whether it numbers all rows of a unit, each row with another number."""
        value = self.value
        return not self.partition and isinstance(value, Place) and value.ranked is Ranked.ROW_NUMBER
