"""The functions that the gate lets through, as plain tables: the name as written and the node it becomes.

This is the outer wall only: that a name stands here says that sqlglot reads it faithfully, not that it may be
used on private rows. A call that sqlglot does not know (an Anonymous node) passes and is looked up by name
later. Names that sqlglot knows and DuckDB does not, or that it rewrites into something else, are left out.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.dialect import Node

NodeType = type[Node]

AGGREGATES: Final = MappingProxyType[str, NodeType](
    {
        "ANY_VALUE": exp.AnyValue,
        "ARG_MAX": exp.ArgMax,
        "ARG_MIN": exp.ArgMin,
        "ARGMAX": exp.ArgMax,
        "ARGMIN": exp.ArgMin,
        "ARRAY_AGG": exp.ArrayAgg,
        "AVG": exp.Avg,
        "APPROX_COUNT_DISTINCT": exp.ApproxDistinct,
        "APPROX_QUANTILE": exp.ApproxQuantile,
        "BOOL_AND": exp.LogicalAnd,
        "BOOL_OR": exp.LogicalOr,
        "CORR": exp.Corr,
        "COUNT": exp.Count,
        "COUNTIF": exp.CountIf,
        "COUNT_IF": exp.CountIf,
        "COVAR_POP": exp.CovarPop,
        "COVAR_SAMP": exp.CovarSamp,
        "GROUP_CONCAT": exp.GroupConcat,
        "LIST": exp.ArrayAgg,
        "LISTAGG": exp.GroupConcat,
        "MAX": exp.Max,
        "MAX_BY": exp.ArgMax,
        "MEDIAN": exp.Median,
        "MIN": exp.Min,
        "MIN_BY": exp.ArgMin,
        "MODE": exp.Mode,
        "PERCENTILE_CONT": exp.PercentileCont,
        "PERCENTILE_DISC": exp.PercentileDisc,
        "QUANTILE": exp.Quantile,
        "QUANTILE_CONT": exp.PercentileCont,
        "QUANTILE_DISC": exp.PercentileDisc,
        "REGR_AVGX": exp.RegrAvgx,
        "REGR_AVGY": exp.RegrAvgy,
        "REGR_COUNT": exp.RegrCount,
        "REGR_INTERCEPT": exp.RegrIntercept,
        "REGR_R2": exp.RegrR2,
        "REGR_SLOPE": exp.RegrSlope,
        "REGR_SXX": exp.RegrSxx,
        "REGR_SXY": exp.RegrSxy,
        "REGR_SYY": exp.RegrSyy,
        "STDDEV": exp.Stddev,
        "STDDEV_POP": exp.StddevPop,
        "STDDEV_SAMP": exp.StddevSamp,
        "STRING_AGG": exp.GroupConcat,
        "SUM": exp.Sum,
        "VARIANCE": exp.Variance,
        "VAR_POP": exp.VariancePop,
        "VAR_SAMP": exp.Variance,
    }
)

WINDOWS: Final = MappingProxyType[str, NodeType](
    {
        "CUME_DIST": exp.CumeDist,
        "DENSE_RANK": exp.DenseRank,
        "FIRST_VALUE": exp.FirstValue,
        "LAG": exp.Lag,
        "LAST_VALUE": exp.LastValue,
        "LEAD": exp.Lead,
        "NTH_VALUE": exp.NthValue,
        "NTILE": exp.Ntile,
        "PERCENT_RANK": exp.PercentRank,
        "RANK": exp.Rank,
        "ROW_NUMBER": exp.RowNumber,
    }
)

SCALARS: Final = MappingProxyType[str, NodeType](
    {
        "ABS": exp.Abs,
        "ACOS": exp.Acos,
        "ASIN": exp.Asin,
        "ATAN": exp.Atan,
        "ATAN2": exp.Atan2,
        "CBRT": exp.Cbrt,
        "CEIL": exp.Ceil,
        "CEILING": exp.Ceil,
        "CHARACTER_LENGTH": exp.Length,
        "CHAR_LENGTH": exp.Length,
        "COALESCE": exp.Coalesce,
        "CONCAT": exp.Concat,
        "CONCAT_WS": exp.ConcatWs,
        "CONTAINS": exp.Contains,
        "COS": exp.Cos,
        "CURRENT_DATE": exp.CurrentDate,
        "DATE": exp.Date,
        "DATEDIFF": exp.DateDiff,
        "DATETRUNC": exp.TimestampTrunc,
        "DATE_DIFF": exp.DateDiff,
        "DATE_TRUNC": exp.TimestampTrunc,
        "DAY": exp.Day,
        "DAYNAME": exp.Dayname,
        "DAYOFMONTH": exp.DayOfMonth,
        "DAYOFWEEK": exp.DayOfWeek,
        "DAYOFYEAR": exp.DayOfYear,
        "DEGREES": exp.Degrees,
        "ENDS_WITH": exp.EndsWith,
        "EPOCH": exp.TimeToUnix,
        "EXP": exp.Exp,
        "EXTRACT": exp.Extract,
        "FLOOR": exp.Floor,
        "GREATEST": exp.Greatest,
        "HOUR": exp.Hour,
        "IFNULL": exp.Coalesce,
        "INSTR": exp.StrPosition,
        "ISINF": exp.IsInf,
        "ISNAN": exp.IsNan,
        "ISODOW": exp.DayOfWeekIso,
        "LAST_DAY": exp.LastDay,
        "LCASE": exp.Lower,
        "LEAST": exp.Least,
        "LEFT": exp.Left,
        "LEN": exp.Length,
        "LENGTH": exp.Length,
        "LN": exp.Ln,
        "LOG": exp.Log,
        "LOWER": exp.Lower,
        "LPAD": exp.Pad,
        "LTRIM": exp.Trim,
        "MAKE_DATE": exp.DateFromParts,
        "MINUTE": exp.Minute,
        "MONTH": exp.Month,
        "MONTHNAME": exp.Monthname,
        "NULLIF": exp.Nullif,
        "PI": exp.Pi,
        "POSITION": exp.StrPosition,
        "POW": exp.Pow,
        "POWER": exp.Pow,
        "QUARTER": exp.Quarter,
        "RADIANS": exp.Radians,
        "REGEXP_FULL_MATCH": exp.RegexpFullMatch,
        "REGEXP_MATCHES": exp.RegexpLike,
        "REPLACE": exp.Replace,
        "REVERSE": exp.Reverse,
        "RIGHT": exp.Right,
        "ROUND": exp.Round,
        "RPAD": exp.Pad,
        "RTRIM": exp.Trim,
        "SECOND": exp.Second,
        "SIGN": exp.Sign,
        "SIN": exp.Sin,
        "SPLIT_PART": exp.SplitPart,
        "SQRT": exp.Sqrt,
        "STARTS_WITH": exp.StartsWith,
        "STRFTIME": exp.TimeToStr,
        "STRPOS": exp.StrPosition,
        "SUBSTR": exp.Substring,
        "SUBSTRING": exp.Substring,
        "TAN": exp.Tan,
        "TODAY": exp.CurrentDate,
        "TRANSLATE": exp.Translate,
        "TRIM": exp.Trim,
        "UCASE": exp.Upper,
        "UPPER": exp.Upper,
        "WEEK": exp.Week,
        "WEEKOFYEAR": exp.WeekOfYear,
        "YEAR": exp.Year,
    }
)

# Functions that stand without parentheses, and so without a place in the text.
BARE: Final = frozenset[NodeType](
    {exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime, exp.Localtimestamp}
)

_THIS: Final = frozenset({"this"})
_PAIR: Final = frozenset({"this", "expression"})
_LIST: Final = frozenset({"expressions", "safe", "coalesce"})
_PAIRED: Final[tuple[NodeType, ...]] = (
    exp.Atan2, exp.Contains, exp.Corr, exp.CovarPop, exp.CovarSamp, exp.EndsWith, exp.Extract, exp.Left,
    exp.Log, exp.Nullif, exp.PercentileCont, exp.PercentileDisc, exp.Pow, exp.RegexpFullMatch, exp.RegexpLike,
    exp.ArgMax, exp.ArgMin, exp.RegrAvgx, exp.RegrAvgy, exp.RegrCount, exp.RegrIntercept, exp.RegrR2, exp.RegrSlope,
    exp.RegrSxx, exp.RegrSxy, exp.RegrSyy, exp.Right, exp.StartsWith,
)  # fmt: skip
GROUPINGS: Final = MappingProxyType[str, NodeType]({"GROUPING": exp.Grouping, "GROUPING_ID": exp.GroupingId})
_OWN: Final = MappingProxyType[NodeType, frozenset[str]](
    {
        exp.ApproxQuantile: frozenset({"this", "quantile"}),
        exp.Coalesce: frozenset({"this", "expressions"}),
        exp.Concat: _LIST,
        exp.ConcatWs: _LIST,
        exp.Count: frozenset({"this", "big_int"}),
        exp.DateDiff: frozenset({"this", "expression", "unit", "date_part_boundary"}),
        exp.DateFromParts: frozenset({"year", "month", "day"}),
        exp.Greatest: frozenset({"this", "expressions", "ignore_nulls"}),
        exp.GroupConcat: frozenset({"this", "separator"}),
        exp.Lag: frozenset({"this", "offset", "default"}),
        exp.Lead: frozenset({"this", "offset", "default"}),
        exp.Least: frozenset({"this", "expressions", "ignore_nulls"}),
        exp.NthValue: frozenset({"this", "offset"}),
        exp.Pad: frozenset({"this", "expression", "fill_pattern", "is_left"}),
        exp.Quantile: frozenset({"this", "quantile"}),
        exp.Replace: frozenset({"this", "expression", "replacement"}),
        exp.Round: frozenset({"this", "decimals"}),
        exp.SplitPart: frozenset({"this", "delimiter", "part_index"}),
        exp.StrPosition: frozenset({"this", "substr"}),
        exp.Substring: frozenset({"this", "start", "length"}),
        exp.TimeToStr: frozenset({"this", "format"}),
        exp.TimestampTrunc: frozenset({"this", "unit"}),
        exp.Translate: frozenset({"this", "from_", "to"}),
        exp.Trim: frozenset({"this", "expression", "position"}),
    }
)

BY_NAME: Final = MappingProxyType[str, NodeType]({**AGGREGATES, **WINDOWS, **SCALARS, **GROUPINGS})
"""The node that a call of this name (in upper case) must become."""

FUNCTIONS: Final = MappingProxyType[NodeType, frozenset[str]](
    {
        **dict.fromkeys(BY_NAME.values(), _THIS),
        **dict.fromkeys(BARE, frozenset[str]()),
        **dict.fromkeys(_PAIRED, _PAIR),
        **_OWN,
        **dict.fromkeys(GROUPINGS.values(), _LIST),
        exp.Anonymous: frozenset({"this", "expressions"}),
    }
)
"""Every admitted function node and the arguments that may be set on it."""
