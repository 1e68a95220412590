"""The functions that the gate lets through, as plain tables: the name as written and the node it becomes.

This is the outer wall only: that a name stands here says that sqlglot reads it faithfully, not that it may be
used on private rows. A call without a node (an Anonymous one) passes and is looked up by name later: so are all
functions and aggregates of private rows and of released results that are not listed here, whether sqlglot knows them
or not. Names that sqlglot knows and DuckDB does not, or that it rewrites into something else, are left out.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.functions import by_spelling
from dpsql.algebra.functions.aggregates import BY_NAME as CALLS
from dpsql.algebra.functions.released import RELEASED_NAMES
from dpsql.sql.dialect import Node

NodeType = type[Node]

AGGREGATES: Final = MappingProxyType[str, NodeType](
    {
        "ANY_VALUE": exp.AnyValue, "ARG_MAX": exp.ArgMax, "ARG_MIN": exp.ArgMin, "ARGMAX": exp.ArgMax,
        "ARGMIN": exp.ArgMin, "ARRAY_AGG": exp.ArrayAgg, "AVG": exp.Avg, "APPROX_COUNT_DISTINCT": exp.ApproxDistinct,
        "APPROX_QUANTILE": exp.ApproxQuantile, "BOOL_AND": exp.LogicalAnd, "BOOL_OR": exp.LogicalOr, "CORR": exp.Corr,
        "COUNT": exp.Count, "COUNTIF": exp.CountIf, "COUNT_IF": exp.CountIf, "COVAR_POP": exp.CovarPop,
        "COVAR_SAMP": exp.CovarSamp, "GROUP_CONCAT": exp.GroupConcat, "LIST": exp.ArrayAgg,
        "LISTAGG": exp.GroupConcat, "MAX": exp.Max, "MAX_BY": exp.ArgMax, "MEDIAN": exp.Median, "MIN": exp.Min,
        "MIN_BY": exp.ArgMin, "MODE": exp.Mode, "PERCENTILE_CONT": exp.PercentileCont,
        "PERCENTILE_DISC": exp.PercentileDisc, "QUANTILE": exp.Quantile, "QUANTILE_CONT": exp.PercentileCont,
        "QUANTILE_DISC": exp.PercentileDisc, "REGR_AVGX": exp.RegrAvgx, "REGR_AVGY": exp.RegrAvgy,
        "REGR_COUNT": exp.RegrCount, "REGR_INTERCEPT": exp.RegrIntercept, "REGR_R2": exp.RegrR2,
        "REGR_SLOPE": exp.RegrSlope, "REGR_SXX": exp.RegrSxx, "REGR_SXY": exp.RegrSxy, "REGR_SYY": exp.RegrSyy,
        "STDDEV": exp.Stddev, "STDDEV_POP": exp.StddevPop, "STDDEV_SAMP": exp.StddevSamp,
        "STRING_AGG": exp.GroupConcat, "SUM": exp.Sum, "VARIANCE": exp.Variance, "VAR_POP": exp.VariancePop,
        "VAR_SAMP": exp.Variance,
    }
)  # fmt: skip

WINDOWS: Final = MappingProxyType[str, NodeType](
    {
        "CUME_DIST": exp.CumeDist, "DENSE_RANK": exp.DenseRank, "FIRST_VALUE": exp.FirstValue, "LAG": exp.Lag,
        "LAST_VALUE": exp.LastValue, "LEAD": exp.Lead, "NTH_VALUE": exp.NthValue, "NTILE": exp.Ntile,
        "PERCENT_RANK": exp.PercentRank, "RANK": exp.Rank, "ROW_NUMBER": exp.RowNumber,
    }
)  # fmt: skip

SCALARS: Final = MappingProxyType[str, NodeType](
    {
        "ABS": exp.Abs, "ACOS": exp.Acos, "ASIN": exp.Asin, "ATAN": exp.Atan, "ATAN2": exp.Atan2, "CBRT": exp.Cbrt,
        "CEIL": exp.Ceil, "CEILING": exp.Ceil, "CHARACTER_LENGTH": exp.Length, "CHAR_LENGTH": exp.Length,
        "COALESCE": exp.Coalesce, "CONCAT": exp.Concat, "CONCAT_WS": exp.ConcatWs, "CONTAINS": exp.Contains,
        "COS": exp.Cos, "CURRENT_DATE": exp.CurrentDate, "DATE": exp.Date, "DATEDIFF": exp.DateDiff,
        "DATETRUNC": exp.TimestampTrunc, "DATE_DIFF": exp.DateDiff, "DATE_TRUNC": exp.TimestampTrunc, "DAY": exp.Day,
        "DAYNAME": exp.Dayname, "DAYOFMONTH": exp.DayOfMonth, "DAYOFWEEK": exp.DayOfWeek, "DAYOFYEAR": exp.DayOfYear,
        "DEGREES": exp.Degrees, "ENDS_WITH": exp.EndsWith, "EPOCH": exp.TimeToUnix, "EXP": exp.Exp,
        "EXTRACT": exp.Extract, "FLOOR": exp.Floor, "GREATEST": exp.Greatest, "HOUR": exp.Hour,
        "IFNULL": exp.Coalesce, "INSTR": exp.StrPosition, "ISINF": exp.IsInf, "ISNAN": exp.IsNan,
        "ISODOW": exp.DayOfWeekIso, "LAST_DAY": exp.LastDay, "LCASE": exp.Lower, "LEAST": exp.Least, "LEFT": exp.Left,
        "LEN": exp.Length, "LENGTH": exp.Length, "LN": exp.Ln, "LOG": exp.Log, "LOWER": exp.Lower, "LPAD": exp.Pad,
        "LTRIM": exp.Trim, "MAKE_DATE": exp.DateFromParts, "MINUTE": exp.Minute, "MONTH": exp.Month,
        "MONTHNAME": exp.Monthname, "NULLIF": exp.Nullif, "PI": exp.Pi, "POSITION": exp.StrPosition, "POW": exp.Pow,
        "POWER": exp.Pow, "QUARTER": exp.Quarter, "RADIANS": exp.Radians, "REGEXP_FULL_MATCH": exp.RegexpFullMatch,
        "REGEXP_MATCHES": exp.RegexpLike, "REPLACE": exp.Replace, "REVERSE": exp.Reverse, "RIGHT": exp.Right,
        "ROUND": exp.Round, "RPAD": exp.Pad, "RTRIM": exp.Trim, "SECOND": exp.Second, "SIGN": exp.Sign,
        "SIN": exp.Sin, "SPLIT_PART": exp.SplitPart, "SQRT": exp.Sqrt, "STARTS_WITH": exp.StartsWith,
        "STRFTIME": exp.TimeToStr, "STRPOS": exp.StrPosition, "SUBSTR": exp.Substring, "SUBSTRING": exp.Substring,
        "TAN": exp.Tan, "TODAY": exp.CurrentDate, "TRANSLATE": exp.Translate, "TRIM": exp.Trim, "UCASE": exp.Upper,
        "UPPER": exp.Upper, "WEEK": exp.Week, "WEEKOFYEAR": exp.WeekOfYear, "YEAR": exp.Year,
    }
)  # fmt: skip

BITS: Final[tuple[NodeType, ...]] = (
    exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseLeftShift, exp.BitwiseRightShift,
)  # fmt: skip
"""Operators of released results alone."""

# Functions that stand without parentheses, and so without a place in the text.
BARE: Final = frozenset[NodeType](
    {exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime, exp.Localtimestamp}
)

_THIS: Final = ("this",)
_PAIR: Final = ("this", "expression")
_LIST: Final = ("expressions", "safe", "coalesce")
_PAIRED: Final[tuple[NodeType, ...]] = (
    exp.Atan2, exp.Contains, exp.Corr, exp.CovarPop, exp.CovarSamp, exp.EndsWith, exp.Extract, exp.Left,
    exp.Log, exp.Nullif, exp.PercentileCont, exp.PercentileDisc, exp.Pow, exp.RegexpFullMatch, exp.ArgMax,
    exp.ArgMin, exp.RegrAvgx, exp.RegrAvgy, exp.RegrCount, exp.RegrIntercept, exp.RegrR2, exp.RegrSlope, exp.RegrSxx,
    exp.RegrSxy, exp.RegrSyy, exp.Right, exp.StartsWith,
)  # fmt: skip
GROUPINGS: Final = MappingProxyType[str, NodeType]({"GROUPING": exp.Grouping, "GROUPING_ID": exp.GroupingId})
_OWN: Final = MappingProxyType[NodeType, tuple[str, ...]](
    {
        **dict.fromkeys((exp.ApproxQuantile, exp.Quantile), ("this", "quantile")),
        **dict.fromkeys((exp.Concat, exp.ConcatWs), _LIST),
        **dict.fromkeys((exp.Greatest, exp.Least), ("this", "expressions", "ignore_nulls")),
        **dict.fromkeys((exp.Lag, exp.Lead), ("this", "offset", "default")),
        exp.Coalesce: ("this", "expressions"),
        exp.Count: ("this", "big_int"),
        exp.DateDiff: ("this", "expression", "unit", "date_part_boundary"),
        exp.DateFromParts: ("year", "month", "day"),
        exp.GroupConcat: ("this", "separator"),
        exp.NthValue: ("this", "offset"),
        exp.Pad: ("this", "expression", "fill_pattern", "is_left"),
        exp.RegexpLike: ("this", "expression", "flag"),
        exp.Replace: ("this", "expression", "replacement"),
        exp.Round: ("this", "decimals"),
        exp.SplitPart: ("this", "delimiter", "part_index"),
        exp.StrPosition: ("this", "substr"),
        exp.Substring: ("this", "start", "length"),
        exp.TimeToStr: ("this", "format"),
        exp.TimestampTrunc: ("this", "unit"),
        exp.Translate: ("this", "from_", "to"),
        exp.Trim: ("this", "expression", "position"),
    }
)

BY_NAME: Final = MappingProxyType[str, NodeType]({**AGGREGATES, **WINDOWS, **SCALARS, **GROUPINGS})
"""The node that a call of this name (in upper case) must become."""

FUNCTIONS: Final = MappingProxyType[NodeType, tuple[str, ...]](
    {
        **dict.fromkeys(BY_NAME.values(), _THIS),
        **dict.fromkeys(BARE, ()),
        **dict.fromkeys(_PAIRED, _PAIR),
        **_OWN,
        **dict.fromkeys(GROUPINGS.values(), _LIST),
        exp.Anonymous: ("this", "expressions"),
    }
)
"""Every admitted function node and the arguments that may be set on it, in the order of the call."""


def is_read_by_name(name: str) -> bool:
    """Whether a call of this name (in upper case) stays a plain one: we have an entry for it, and no node here."""
    is_ours = by_spelling(name) is not None or name in CALLS or name.lower() in RELEASED_NAMES
    return name not in BY_NAME and is_ours


def arguments(call: Node) -> list[Node]:
    """What is given to a call, in the order of the text."""
    given: list[Node] = []
    for name in FUNCTIONS[type(call)]:
        value = call.args.get(name)
        given += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, Node)]
    return given
