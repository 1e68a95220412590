"""Aggregates of private rows as SQL calls them: another spelling of one is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from dpsql.algebra.of_unit import PerUnitAggregate as OfUnit
from dpsql.algebra.question import Aggregate
from dpsql.slotted import dataclass

_A = Aggregate


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """A call of an aggregate: p is a condition, x and y are values, 0.9 is a constant level.

    `summary` is said once for each aggregate, with its first call. `of_unit` is what the call is over the rows of one
    unit; None where it is refused there. `level` is that of an order statistic which has no argument for it. Of y and x
    where one is enough it is y, or with `of_x` x: the other one only leaves out the pairs in which it is NULL.
    """

    written: str
    computes: Aggregate
    summary: str = ""
    of_unit: OfUnit | None = None
    level: Fraction | None = None
    of_x: bool = False

    @property
    def name(self) -> str:
        """The name of the call, in capitals."""
        return self.written.partition("(")[0]

    @property
    def takes(self) -> int:
        """The number of its arguments."""
        return 1 + self.written.count(", ")

    @property
    def counts(self) -> bool:
        """Whether it is 0 of no rows."""
        return self.computes in (_A.COUNT_ROWS, _A.COUNT, _A.COUNT_UNITS, _A.COUNT_DISTINCT)

    @property
    def is_of_pairs(self) -> bool:
        """Whether it is of two values, y and x."""
        return "(y, x)" in self.written


_PAIRS = "of the pairs without NULL; both need bounds; NULL where their noisy count is below"
CALLS = (
    AggregateCall("COUNT(*)", _A.COUNT_ROWS, "rows"),
    AggregateCall("COUNT_IF(p)", _A.COUNT_ROWS),
    AggregateCall("COUNTIF(p)", _A.COUNT_ROWS),
    AggregateCall("COUNT(x)", _A.COUNT, "rows where x, or x and y, are not NULL"),
    AggregateCall("REGR_COUNT(y, x)", _A.COUNT),
    AggregateCall("COUNT(DISTINCT unit)", _A.COUNT_UNITS, "privacy units, by the column that names them"),
    AggregateCall("COUNT(DISTINCT x)", _A.COUNT_DISTINCT, "distinct values; NULL is none"),
    AggregateCall("APPROX_COUNT_DISTINCT(x)", _A.COUNT_DISTINCT),
    AggregateCall("SUM(x)", _A.SUM, "0 for no rows; x needs bounds", OfUnit.SUM),
    AggregateCall(
        "SUM(DISTINCT x)", _A.SUM_DISTINCT,
        "each different value once, 0 for no rows; values that are one on x's step are one; x needs bounds",
    ),
    AggregateCall("AVG(x)", _A.AVG, "NULL where the noisy count is below 1; x and y need bounds", OfUnit.AVG),
    AggregateCall("MEAN(x)", _A.AVG, "", OfUnit.AVG),
    AggregateCall("REGR_AVGX(y, x)", _A.AVG, of_x=True),
    AggregateCall("REGR_AVGY(y, x)", _A.AVG),
    AggregateCall(
        "VAR_SAMP(x)", _A.VAR_SAMP, "NULL where the noisy count is below 2; x needs bounds", OfUnit.VAR_SAMP
    ),
    AggregateCall("VARIANCE(x)", _A.VAR_SAMP, "", OfUnit.VAR_SAMP),
    AggregateCall("VAR_POP(x)", _A.VAR_POP, "NULL where the noisy count is below 1; x needs bounds", OfUnit.VAR_POP),
    AggregateCall(
        "STDDEV_SAMP(x)", _A.STDDEV_SAMP, "NULL where the noisy count is below 2; x needs bounds", OfUnit.STDDEV_SAMP
    ),
    AggregateCall("STDDEV(x)", _A.STDDEV_SAMP, "", OfUnit.STDDEV_SAMP),
    AggregateCall(
        "STDDEV_POP(x)", _A.STDDEV_POP, "NULL where the noisy count is below 1; x needs bounds", OfUnit.STDDEV_POP
    ),
    AggregateCall(
        "MEDIAN(x)", _A.QUANTILE_CONT,
        "a value near that rank, chosen privately and not interpolated; NULL where too few values tell; x is a number, "
        "date or timestamp with bounds", OfUnit.QUANTILE_CONT, Fraction(1, 2),
    ),
    AggregateCall("QUANTILE_CONT(x, 0.9)", _A.QUANTILE_CONT, "", OfUnit.QUANTILE_CONT),
    AggregateCall("PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)", _A.QUANTILE_CONT, "", OfUnit.QUANTILE_CONT),
    AggregateCall("QUANTILE(x, 0.9)", _A.QUANTILE_DISC, "the same", OfUnit.QUANTILE_DISC),
    AggregateCall("QUANTILE_DISC(x, 0.9)", _A.QUANTILE_DISC, "", OfUnit.QUANTILE_DISC),
    AggregateCall("APPROX_QUANTILE(x, 0.9)", _A.QUANTILE_DISC),
    AggregateCall("PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY x)", _A.QUANTILE_DISC, "", OfUnit.QUANTILE_DISC),
    AggregateCall(
        "MIN(x)", _A.MIN,
        "the same, near a low rank that `EXPLAIN` names: the least value itself is one row; of text with a public list "
        "of values, too", OfUnit.MIN, Fraction(0),
    ),
    AggregateCall("MAX(x)", _A.MAX, "the same, near a high rank", OfUnit.MAX, Fraction(1)),
    AggregateCall(
        "MODE(x)", _A.MODE,
        "the most frequent value of a public list, chosen privately; NULL where none stands out",
    ),
    # Of truth values the greatest is TRUE where any is, and the least is TRUE where all are.
    AggregateCall(
        "BOOL_AND(p)", _A.BOOL_AND, "chosen privately: false where more rows are false than noise explains", OfUnit.MIN
    ),
    AggregateCall(
        "BOOL_OR(p)", _A.BOOL_OR, "chosen privately: true where more rows are true than noise explains", OfUnit.MAX
    ),
    AggregateCall("COVAR_POP(y, x)", _A.COVAR_POP, f"{_PAIRS} 1"),
    AggregateCall("COVAR_SAMP(y, x)", _A.COVAR_SAMP, f"{_PAIRS} 2"),
    AggregateCall("CORR(y, x)", _A.CORR, f"between -1 and 1; NULL where y or x does not vary; {_PAIRS} 1"),
    AggregateCall("REGR_SLOPE(y, x)", _A.REGR_SLOPE, f"NULL where x does not vary; {_PAIRS} 1"),
    AggregateCall("REGR_INTERCEPT(y, x)", _A.REGR_INTERCEPT, f"NULL where x does not vary; {_PAIRS} 1"),
    AggregateCall("REGR_R2(y, x)", _A.REGR_R2, f"1 where y does not vary, NULL where x does not; {_PAIRS} 1"),
    AggregateCall("REGR_SXY(y, x)", _A.REGR_SXY, f"{_PAIRS} 1"),
    AggregateCall("REGR_SXX(y, x)", _A.DEVIATIONS, f"{_PAIRS} 1", of_x=True),
    AggregateCall("REGR_SYY(y, x)", _A.DEVIATIONS),
)  # fmt: skip
BY_NAME: Mapping[str, AggregateCall] = MappingProxyType(
    {c.name: c for c in CALLS if c.name != "COUNT" and "(DISTINCT " not in c.written}
)
"""By name; what COUNT counts depends on its argument, and so does whether a SUM is of different values."""


def names(arguments: str, *computed: Aggregate) -> tuple[str, ...]:
    """The names of the calls with these arguments, as in names("(x)", Aggregate.AVG); of any aggregate without one."""
    return tuple(
        c.name for c in CALLS if c.written == c.name + arguments and (not computed or c.computes in computed)
    )
