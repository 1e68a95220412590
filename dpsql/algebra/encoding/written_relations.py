"""How questions are written. What stands here is part of stored keys: names change in the code, never here."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import Final

from dpsql.algebra.encoding.encoder import Encoding, Field, Form, Forms, Members
from dpsql.algebra.encoding.written_expressions import EXPRESSIONS
from dpsql.algebra.local import LocalQuestion, Response
from dpsql.algebra.of_unit import (
    End,
    Frame,
    FrameUnit,
    PerUnitAggregate,
    PerUnitMeasure,
    Place,
    Ranked,
    Side,
    Sorted,
    Window,
    Without,
)
from dpsql.algebra.question import Aggregate, GroupingSetsQuestion, Measure, Question, Top
from dpsql.algebra.relations import (
    Branch,
    Filter,
    Join,
    JoinKind,
    Mark,
    PerUnit,
    Released,
    ReleasedColumn,
    Scan,
    Union,
    Windows,
)
from dpsql.privacy import Interval

_QUESTION: Final = ("relation", "keys", "measures", "top", "public_keys_only")
_FOR_PEOPLE: Final = ("place", "sorted")
_QUOTIENTS: Final = Field("quotients", "quotients", "False")
QUESTIONS: Final[Forms] = MappingProxyType(
    {
        **EXPRESSIONS,
        Question: Form("Question", (*_QUESTION, _QUOTIENTS), unwritten=_FOR_PEOPLE),
        GroupingSetsQuestion: Form(
            "LeveledQuestion",
            (*_QUESTION, Field("grouping_sets", "levels"), _QUOTIENTS),
            unwritten=_FOR_PEOPLE,
        ),
        LocalQuestion: Form("LocalQuestion", (*_QUESTION, "kinds", _QUOTIENTS), unwritten=_FOR_PEOPLE),
        Measure: Form(
            "Measure", ("aggregate", "arg", "where", "other", "level"), unwritten=("place", "text")
        ),
        Top: Form("Top", ("score", "descending", "count")),
        Interval: Form("Interval", ("lo", "hi")),
        Scan: Form("Scan", ("table", "index")),
        Filter: Form("Filter", ("source", "conjuncts")),
        Join: Form("Join", ("left", "right", "kind", "on")),
        Mark: Form("Mark", ("source", "index", "inner", "on", "arg", "output")),
        PerUnit: Form("PerUnit", ("source", "index", "keys", "measures")),
        Windows: Form("Windows", ("source", "index", "outputs", "windows")),
        Branch: Form("Branch", ("relation", "outputs")),
        Union: Form("Union", ("index", "branches")),
        Released: Form(
            "Released", ("index", "sql", "reads", "columns", "unique", "rows"), unwritten=("held",)
        ),
        ReleasedColumn: Form("ReleasedColumn", ("name", "type", "interval")),
        PerUnitMeasure: Form("PerUnitMeasure", ("aggregate", "arg", "where", "type", "level")),
        Window: Form("Window", ("value", "partition", "order", "frame")),
        Place: Form("Place", ("ranked", "arg", "offset", "type", "skips")),
        Sorted: Form("Sorted", ("expr", "descending", "nulls_first")),
        Frame: Form("Frame", ("unit", "start", "end", "without")),
        End: Form("End", ("side", "away")),
        Aggregate: Members(
            "Aggregate",
            {
                Aggregate.COUNT_ROWS: "COUNT_ROWS: 'count(*)'",
                Aggregate.COUNT: "COUNT: 'count'",
                Aggregate.COUNT_DISTINCT: "COUNT_DISTINCT: 'count(distinct)'",
                Aggregate.COUNT_UNITS: "COUNT_UNITS: 'count(distinct unit)'",
                Aggregate.SUM: "SUM: 'sum'",
                Aggregate.SUM_DISTINCT: "SUM_DISTINCT: 'sum(distinct)'",
                Aggregate.AVG: "AVG: 'avg'",
                Aggregate.VAR_SAMP: "VAR_SAMP: 'var_samp'",
                Aggregate.VAR_POP: "VAR_POP: 'var_pop'",
                Aggregate.STDDEV_SAMP: "STDDEV_SAMP: 'stddev_samp'",
                Aggregate.STDDEV_POP: "STDDEV_POP: 'stddev_pop'",
                Aggregate.QUANTILE_CONT: "QUANTILE_CONT: 'quantile_cont'",
                Aggregate.QUANTILE_DISC: "QUANTILE_DISC: 'quantile_disc'",
                Aggregate.MIN: "MIN: 'min'",
                Aggregate.MAX: "MAX: 'max'",
                Aggregate.MODE: "MODE: 'mode'",
                Aggregate.BOOL_AND: "BOOL_AND: 'bool_and'",
                Aggregate.BOOL_OR: "BOOL_OR: 'bool_or'",
                Aggregate.DEVIATIONS: "DEVIATIONS: 'sum of squared deviations'",
                Aggregate.COVAR_POP: "COVAR_POP: 'covar_pop'",
                Aggregate.COVAR_SAMP: "COVAR_SAMP: 'covar_samp'",
                Aggregate.CORR: "CORR: 'corr'",
                Aggregate.REGR_SLOPE: "REGR_SLOPE: 'regr_slope'",
                Aggregate.REGR_INTERCEPT: "REGR_INTERCEPT: 'regr_intercept'",
                Aggregate.REGR_R2: "REGR_R2: 'regr_r2'",
                Aggregate.REGR_SXY: "REGR_SXY: 'regr_sxy'",
            },
        ),
        PerUnitAggregate: Members(
            "PerUnitAggregate",
            {
                PerUnitAggregate.COUNT_ROWS: "COUNT_ROWS: 'count(*)'",
                PerUnitAggregate.COUNT: "COUNT: 'count'",
                PerUnitAggregate.COUNT_DISTINCT: "COUNT_DISTINCT: 'count(distinct)'",
                PerUnitAggregate.SUM: "SUM: 'sum'",
                PerUnitAggregate.AVG: "AVG: 'avg'",
                PerUnitAggregate.MIN: "MIN: 'min'",
                PerUnitAggregate.MAX: "MAX: 'max'",
                PerUnitAggregate.VAR_POP: "VAR_POP: 'var_pop'",
                PerUnitAggregate.VAR_SAMP: "VAR_SAMP: 'var_samp'",
                PerUnitAggregate.STDDEV_POP: "STDDEV_POP: 'stddev_pop'",
                PerUnitAggregate.STDDEV_SAMP: "STDDEV_SAMP: 'stddev_samp'",
                PerUnitAggregate.QUANTILE_CONT: "QUANTILE_CONT: 'quantile_cont'",
                PerUnitAggregate.QUANTILE_DISC: "QUANTILE_DISC: 'quantile_disc'",
            },
        ),
        Ranked: Members(
            "Ranked",
            {
                Ranked.ROW_NUMBER: "ROW_NUMBER: 'row_number'",
                Ranked.RANK: "RANK: 'rank'",
                Ranked.DENSE_RANK: "DENSE_RANK: 'dense_rank'",
                Ranked.LAG: "LAG: 'lag'",
                Ranked.LEAD: "LEAD: 'lead'",
                Ranked.FIRST_VALUE: "FIRST_VALUE: 'first_value'",
                Ranked.LAST_VALUE: "LAST_VALUE: 'last_value'",
                Ranked.NTH_VALUE: "NTH_VALUE: 'nth_value'",
                Ranked.NTILE: "NTILE: 'ntile'",
                Ranked.PERCENT_RANK: "PERCENT_RANK: 'percent_rank'",
                Ranked.CUME_DIST: "CUME_DIST: 'cume_dist'",
            },
        ),
        FrameUnit: Members(
            "FrameUnit",
            {
                FrameUnit.ROWS: "ROWS: 'rows'",
                FrameUnit.RANGE: "RANGE: 'range'",
                FrameUnit.GROUPS: "GROUPS: 'groups'",
            },
        ),
        Side: Members(
            "Side",
            {
                Side.FIRST: "FIRST: 'unbounded preceding'",
                Side.BEFORE: "BEFORE: 'preceding'",
                Side.HERE: "HERE: 'current row'",
                Side.AFTER: "AFTER: 'following'",
                Side.LAST: "LAST: 'unbounded following'",
            },
        ),
        Without: Members(
            "Without",
            {
                Without.NOTHING: "NOTHING: 'no others'",
                Without.ROW: "ROW: 'current row'",
                Without.GROUP: "GROUP: 'group'",
                Without.EQUALS: "EQUALS: 'ties'",
            },
        ),
        JoinKind: Members("JoinKind", {JoinKind.INNER: "INNER: 'inner'", JoinKind.LEFT: "LEFT: 'left'"}),
        Response: Members(
            "Response",
            {
                Response.RANDOMIZED_RESPONSE: "RANDOMIZED_RESPONSE: 'randomized_response'",
                Response.RAPPOR: "RAPPOR: 'rappor'",
            },
        ),
    }
)


@cache
def questions() -> Encoding:
    """The encoding of questions and of all that they are made of."""
    return Encoding(QUESTIONS)
