"""Calls of functions on the rows of private tables, by the type of their values, with their arguments left open."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dpsql.algebra.functions.entries import examples

CALLS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "int": (
            *examples("int"),
            "STRPOS({text}, {text})",
            "DATE_DIFF('hour', {ts}, {ts})",
            "({date} - {date})",
            "TRY_CAST({text} AS BIGINT)",
            "{int}::BIGINT",
        ),
        "float": (
            *examples("float"),
            "POW(ABS({float}), CAST(0.5 AS DOUBLE))",
            "SIGN({float}) * {float}",
            "({int} / 7)",
        ),
        "text": (
            *examples("text"),
            "SUBSTRING({text}, 2)",
            "IFNULL({text}, 'x')",
            "CAST({date} AS VARCHAR)",
            "CASE {text} WHEN 'north' THEN {text} WHEN 'a' THEN 'b' ELSE {text} END",
        ),
        "bool": (
            *examples("bool"),
            "STARTS_WITH({text}, {text})",
            "SUFFIX({text}, {text})",
            "({bool}) IS TRUE",
            "({bool}) IS FALSE",
            "({bool}) IS NOT TRUE",
            "({int} NOT BETWEEN {int} AND {int})",
            "({text} NOT ILIKE '%N_R%')",
            "CASE {int} WHEN 1 THEN {bool} WHEN 3 THEN FALSE END",
        ),
        "date": (
            *examples("date"),
            "({ts})::DATE",
            "IFNULL({date}, {date})",
            "CAST(DATE_TRUNC('quarter', {date}) AS DATE)",
        ),
        "ts": (
            *examples("ts"),
            "DATETRUNC('second', {ts})",
            "TIME_BUCKET('15 minutes', {ts})",
            "TIME_BUCKET(INTERVAL '3 weeks', {ts})",
            "TIME_BUCKET(INTERVAL '7 seconds', {ts})",
            "({ts} - INTERVAL '1 day 2 hours')",
        ),
    }
)
"""For each kind of value, what may be called; `{int}` is any expression of that kind, and so on."""
