"""What a query asks of private rows, before any budget is spent on it: aggregates of a relation over keys."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from types import MappingProxyType

from dpsql.algebra.expressions import TRUE, Expr
from dpsql.algebra.relations import Relation
from dpsql.algebra.types import TEMPORAL, SqlType
from dpsql.errors import Place
from dpsql.slotted import dataclass


class Aggregate(enum.StrEnum):
    """The aggregates of private rows that have a release."""

    COUNT_ROWS = "count(*)"
    COUNT = "count"
    COUNT_DISTINCT = "count(distinct)"
    COUNT_UNITS = "count(distinct unit)"
    SUM = "sum"
    SUM_DISTINCT = "sum(distinct)"
    AVG = "avg"
    VAR_SAMP = "var_samp"
    VAR_POP = "var_pop"
    STDDEV_SAMP = "stddev_samp"
    STDDEV_POP = "stddev_pop"
    QUANTILE_CONT = "quantile_cont"
    QUANTILE_DISC = "quantile_disc"
    MIN = "min"
    MAX = "max"
    MODE = "mode"
    BOOL_AND = "bool_and"
    BOOL_OR = "bool_or"
    DEVIATIONS = "sum of squared deviations"
    COVAR_POP = "covar_pop"
    COVAR_SAMP = "covar_samp"
    CORR = "corr"
    REGR_SLOPE = "regr_slope"
    REGR_INTERCEPT = "regr_intercept"
    REGR_R2 = "regr_r2"
    REGR_SXY = "regr_sxy"


MOMENTS = frozenset(
    {
        Aggregate.SUM,
        Aggregate.AVG,
        Aggregate.VAR_SAMP,
        Aggregate.VAR_POP,
        Aggregate.STDDEV_SAMP,
        Aggregate.STDDEV_POP,
        Aggregate.DEVIATIONS,
    }
)
SECOND_MOMENTS = MOMENTS - {Aggregate.SUM, Aggregate.AVG}
DISTINCT_VALUES = frozenset({Aggregate.COUNT_DISTINCT, Aggregate.SUM_DISTINCT})
RANKED = frozenset({Aggregate.QUANTILE_CONT, Aggregate.QUANTILE_DISC, Aggregate.MIN, Aggregate.MAX})
CHOSEN = frozenset({Aggregate.MODE, Aggregate.BOOL_AND, Aggregate.BOOL_OR})
ORDERED = RANKED | CHOSEN
"""The aggregates that are chosen privately, and share no sums with others."""
# Of two columns y and x: the degrees in y and in x of the sums that each needs.
JOINT_DEGREES: Mapping[Aggregate, tuple[int, int]] = MappingProxyType(
    {
        Aggregate.COVAR_POP: (1, 1),
        Aggregate.COVAR_SAMP: (1, 1),
        Aggregate.REGR_SXY: (1, 1),
        Aggregate.REGR_SLOPE: (1, 2),
        Aggregate.REGR_INTERCEPT: (1, 2),
        Aggregate.CORR: (2, 2),
        Aggregate.REGR_R2: (2, 2),
    }
)


@dataclass(frozen=True, slots=True)
class Measure:
    """One aggregate: of `arg` (None for rows and units) over the rows for which `where` is true.

    With `other`, rows in which either is NULL do not count; a measure of two columns is of y = `arg`, x = `other`.
    `level` is the q of a quantile, 0 and 1 for the least and the greatest value. `place` is where it stands and `text`
    how it is written, for people; both are no part of its identity.
    """

    aggregate: Aggregate
    arg: Expr | None = None
    where: Expr = TRUE
    place: Place | None = field(default=None, compare=False, repr=False)
    text: str = field(default="", compare=False, repr=False)
    other: Expr | None = None
    level: Fraction | None = None

    @property
    def name(self) -> str:
        """The aggregate in the analyst's words."""
        median = self.aggregate is Aggregate.QUANTILE_CONT and self.level == Fraction(1, 2)
        return "MEDIAN" if median else self.aggregate.value.upper()

    @property
    def sql_type(self) -> str:
        """The declared type of the released column: DuckDB's for the aggregate as typed."""
        if self.aggregate in ORDERED:
            return _ordered_type(self)
        if self.aggregate in (Aggregate.SUM, Aggregate.SUM_DISTINCT):
            integer = self.arg is not None and self.arg.type is not SqlType.DOUBLE
            return "HUGEINT" if integer else "DOUBLE"
        double = self.aggregate in MOMENTS or self.aggregate in JOINT_DEGREES
        return "DOUBLE" if double else "BIGINT"


def _ordered_type(measure: Measure) -> str:
    """The type of the argument; what is interpolated between two integers is a DOUBLE, between two days a TIMESTAMP."""
    assert measure.arg is not None
    if measure.aggregate is not Aggregate.QUANTILE_CONT:
        return measure.arg.type.value
    return SqlType.TIMESTAMP.value if measure.arg.type in TEMPORAL else SqlType.DOUBLE.value


# Aggregates that can be the score of a private selection: integers that one unit moves by a known amount.
SCORES = frozenset(
    {Aggregate.COUNT_ROWS, Aggregate.COUNT, Aggregate.COUNT_DISTINCT, Aggregate.COUNT_UNITS, Aggregate.SUM}
)


@dataclass(frozen=True, slots=True)
class Top:
    """Only the best `count` groups are requested: those with the greatest scores, or with the least."""

    score: Measure
    descending: bool
    count: int


@dataclass(frozen=True, slots=True)
class Question:
    """Everything one release answers; a question without keys has exactly one row.

    With `top` the measures are asked of the chosen groups only, and `top.score` is not among what is released.
    `public_keys_only` marks a question that is right only if every key has a public domain (an outer join that
    lists the public side's groups); `place` is where the SELECT stands, and `sorted` says that only the best groups
    of the release are asked for, and that choosing them alone would be noisier; both are no part of its identity.
    `quotients`: the measures are shown as quotients of one another alone, which stay the same where all measures are
    multiplied by one number.
    """

    relation: Relation
    keys: tuple[Expr, ...]
    measures: tuple[Measure, ...]
    top: Top | None = None
    public_keys_only: bool = False
    place: Place | None = field(default=None, compare=False, repr=False)
    sorted: bool = field(default=False, compare=False, repr=False)
    quotients: bool = False


@dataclass(frozen=True, slots=True)
class GroupingSetsQuestion(Question):
    """A question whose groups are asked for by several grouping sets, too, all from one release.

    Each of `grouping_sets` are the places of its keys; its groups are sums of those by all keys.
    """

    grouping_sets: tuple[tuple[int, ...], ...] = ()
