"""What a query asks of private rows, before any budget is spent on it: aggregates of a relation over keys."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from dpsql.algebra.expr import TRUE, Expr
from dpsql.algebra.relation import Relation
from dpsql.algebra.types import SqlType
from dpsql.errors import Place


class Aggregate(enum.StrEnum):
    """The aggregates of private rows that have a release."""

    COUNT_ROWS = "count(*)"
    COUNT = "count"
    COUNT_DISTINCT = "count(distinct)"
    COUNT_UNITS = "count(distinct unit)"
    SUM = "sum"
    AVG = "avg"
    VAR_SAMP = "var_samp"
    VAR_POP = "var_pop"
    STDDEV_SAMP = "stddev_samp"
    STDDEV_POP = "stddev_pop"


MOMENTS = frozenset(
    {
        Aggregate.SUM,
        Aggregate.AVG,
        Aggregate.VAR_SAMP,
        Aggregate.VAR_POP,
        Aggregate.STDDEV_SAMP,
        Aggregate.STDDEV_POP,
    }
)
SECOND_MOMENTS = MOMENTS - {Aggregate.SUM, Aggregate.AVG}


@dataclass(frozen=True, slots=True)
class Measure:
    """One aggregate: of `arg` (None for rows and units) over the rows for which `where` is true.

    `place` is where it stands and `text` how it is written, for people; both are no part of its identity.
    """

    aggregate: Aggregate
    arg: Expr | None = None
    where: Expr = TRUE
    place: Place | None = field(default=None, compare=False, repr=False)
    text: str = field(default="", compare=False, repr=False)

    @property
    def sql_type(self) -> str:
        """The declared type of the released column: DuckDB's for the aggregate as typed."""
        if self.aggregate is Aggregate.SUM:
            integer = self.arg is not None and self.arg.type is not SqlType.DOUBLE
            return "HUGEINT" if integer else "DOUBLE"
        return "DOUBLE" if self.aggregate in MOMENTS else "BIGINT"


# Aggregates that can be the score of a private selection: integers that one unit moves by a known amount.
SCORES = frozenset(
    {Aggregate.COUNT_ROWS, Aggregate.COUNT, Aggregate.COUNT_DISTINCT, Aggregate.COUNT_UNITS, Aggregate.SUM}
)


@dataclass(frozen=True, slots=True)
class Top:
    """Only the best `count` groups are asked for: those with the greatest scores, or with the least."""

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
    """

    relation: Relation
    keys: tuple[Expr, ...]
    measures: tuple[Measure, ...]
    top: Top | None = None
    public_keys_only: bool = False
    place: Place | None = field(default=None, compare=False, repr=False)
    sorted: bool = field(default=False, compare=False, repr=False)
