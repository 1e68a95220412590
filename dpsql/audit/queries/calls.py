"""Calls of functions on the rows of private tables, by the type of their values, with their arguments left open."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_PARTS = (
    "YEAR", "QUARTER", "MONTH", "DAY", "DAYOFMONTH", "DAYOFWEEK", "WEEKDAY", "ISODOW", "DAYOFYEAR", "WEEK",
    "WEEKOFYEAR", "ISOYEAR", "YEARWEEK", "DECADE", "CENTURY", "MILLENNIUM",
)  # fmt: skip
_TIMES = ("HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "EPOCH_MS", "EPOCH_US")

CALLS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "int": (
            *(f"{part}({{date}})" for part in _PARTS),
            *(f"{part}({{ts}})" for part in (*_PARTS[::4], *_TIMES)),
            "MOD({int}, {int})",
            "LEN({text})",
            "CHAR_LENGTH({text})",
            "CHARACTER_LENGTH({text})",
            "INSTR({text}, 'o')",
            "STRPOS({text}, {text})",
            "DATEDIFF('week', {date}, {date})",
            "DATE_DIFF('hour', {ts}, {ts})",
            "DATEPART('quarter', {date})",
            "({date} - {date})",
            "IFNULL({int}, {int})",
            "TRY_CAST({text} AS BIGINT)",
            "{int}::BIGINT",
        ),
        "float": (
            "TRUNC({float})",
            "CEILING({float})",
            "EXP(LEAST({float}, 3))",
            "LOG(ABS({float}) + CAST(1 AS DOUBLE))",
            "LOG10(ABS({float}) + CAST(1 AS DOUBLE))",
            "LOG2(ABS({float}) + CAST(1 AS DOUBLE))",
            "POWER({float}, 2)",
            "POW(ABS({float}), CAST(0.5 AS DOUBLE))",
            "EPOCH({ts})",
            "SIGN({float}) * {float}",
            "({int} / 7)",
        ),
        "text": (
            "LTRIM({text})",
            "RTRIM({text})",
            "REVERSE({text})",
            "SUBSTR({text}, -3, 2)",
            "SUBSTRING({text}, 2)",
            "RIGHT({text}, 2)",
            "LCASE({text})",
            "UCASE({text})",
            "IFNULL({text}, 'x')",
            "CAST({date} AS VARCHAR)",
            "CASE {text} WHEN 'north' THEN {text} WHEN 'a' THEN 'b' ELSE {text} END",
        ),
        "bool": (
            "STARTS_WITH({text}, {text})",
            "PREFIX({text}, 'n')",
            "ENDS_WITH({text}, 'h')",
            "SUFFIX({text}, {text})",
            "CONTAINS({text}, 'o')",
            "REGEXP_FULL_MATCH({text}, '[a-z]*h')",
            "({bool}) IS TRUE",
            "({bool}) IS FALSE",
            "({bool}) IS NOT TRUE",
            "({int} NOT BETWEEN {int} AND {int})",
            "({text} NOT ILIKE '%N_R%')",
            "CASE {int} WHEN 1 THEN {bool} WHEN 3 THEN FALSE END",
        ),
        "date": (
            "({ts})::DATE",
            "IFNULL({date}, {date})",
            "CAST(DATE_TRUNC('quarter', {date}) AS DATE)",
        ),
        "ts": (
            "DATETRUNC('minute', {ts})",
            "DATETRUNC('second', {ts})",
            "TIME_BUCKET('15 minutes', {ts})",
            "TIME_BUCKET(INTERVAL '3 weeks', {ts})",
            "TIME_BUCKET(INTERVAL '7 seconds', {ts})",
            "({ts} - INTERVAL '1 day 2 hours')",
        ),
    }
)  # fmt: skip
"""For each kind of value, what may be called; `{int}` is any expression of that kind, and so on."""
