"""The grammar of typed SQL expressions and predicates: for each kind of value the texts that may stand there."""

from __future__ import annotations

from collections.abc import Mapping

from dpsql.algebra.functions.entries import examples
from dpsql.audit.queries.writer import Production, texts, words

_OFTEN, _SOMETIMES = 6, 3
_PART = "{month|day|dow|isodow|quarter|year|week|doy|yearweek}"
_OF_EVERY_KIND = texts(
    1, "CASE WHEN {p} THEN {x} ELSE {x} END", "CASE WHEN {p} THEN {x} END", "COALESCE({x}, {x})", "NULLIF({x}, {x})",
    "IF({p}, {x}, {x})", "GREATEST({x}, {x:=})", "LEAST({x}, {x})", "IFNULL({x}, {x})",
)  # fmt: skip

TEXTS: Mapping[str, tuple[Production[str], ...]] = {
    "int": (
        *_OF_EVERY_KIND,
        *texts(
            _OFTEN, "({int} + {int})", "({int} - {int})", "({int} * {2|3|7|10})", "({int} // {2|3|7|10})",
            "({int} // {int})", "({int} {//|%} {int:0})", "({int} % {2|3|7|10|-2|-3|-7|-10})", "(- {int})",
            f"EXTRACT({_PART} FROM {{date}})", f"date_part('{_PART}', {{date}})", "STRPOS({text}, {text:=})",
            "EXTRACT({hour|millisecond} FROM {ts})", "EXTRACT(day FROM ({ts} - {ts}))", "SIGN({int})",
            "date_diff('{day|month|week}', {date}, {date})", "CAST({p} AS BIGINT)", "CAST({float} AS BIGINT)",
        ),
        *texts(2, *examples("int")),
        *texts(
            1, "STRPOS({text}, {text})", "DATE_DIFF('hour', {ts}, {ts})", "({date} - {date})",
            "TRY_CAST({text} AS BIGINT)", "{int}::BIGINT", "{YEAR|DAYOFMONTH|DAYOFYEAR|YEARWEEK}({ts})",
        ),
    ),
    "float": (
        *_OF_EVERY_KIND,
        *texts(
            _OFTEN, "({float} + {float})", "({float} - {int})", "({float} * {int})", "({float} * {float})",
            "({float} / {2|4|-8})", "CAST({int} AS DOUBLE)", "ABS({float})", "EXTRACT(epoch FROM ({ts} - {ts}))",
        ),
        # Near a boundary these depend on the order of operations, or DuckDB has infinities.
        *texts(_OFTEN, "ROUND({float}, 1)", "CAST({float} AS DECIMAL(9, 2))", "({int} / {int})", needs="loose"),
        *texts(_OFTEN, "({int} / NULLIF({int}, 0))", needs="exact"),
        *texts(4, *examples("float")),
        *texts(_SOMETIMES, "POW(ABS({float}), CAST(0.5 AS DOUBLE))", "SIGN({float}) * {float}", "({int} / 7)"),
    ),
    "text": (
        *_OF_EVERY_KIND,
        *texts(
            _OFTEN, "SUBSTRING({text}, {1|2|4}, 2)", "LEFT({text}, {1|2|4})", "({text} || {text:=})",
            "CONCAT_WS('-', {text}, {text}, {int})", "CAST({int} AS VARCHAR)", "regexp_extract({text}, {extracted})",
            "regexp_replace({text}, {replaced})", "{LPAD|RPAD}({text}, {1|2|4}, 'o')",
            "SPLIT_PART({text}, 'o', {1|2|4})", "STRING_SPLIT({text}, 'o')[{1|2|-1}]",
            "strftime({moment}, '{%Y-%m|%A %d|%H:%M}')",
        ),
        *texts(4, *examples("text")),
        *texts(
            _SOMETIMES, "SUBSTRING({text}, 2)", "CAST({date} AS VARCHAR)",
            "CASE {text} WHEN 'north' THEN {text} WHEN 'a' THEN 'b' ELSE {text} END",
        ),
    ),
    "date": (
        *_OF_EVERY_KIND,
        *texts(
            _OFTEN, "({date} + {1|3|12})", "CAST(({date} - INTERVAL {1|3|12} {DAY|MONTH|WEEK}) AS DATE)",
            "CAST({ts} AS DATE)", *examples("date"),
        ),
        # DuckDB raises where there is no such day.
        *texts(_OFTEN, "MAKE_DATE(YEAR({date}), {int:0}, {int:0})", needs="loose"),
        *texts(_OFTEN, "MAKE_DATE(YEAR({date}), ABS({int:0} % 12) + 1, 28)", needs="exact"),
        *texts(_SOMETIMES, "({ts})::DATE", "CAST(DATE_TRUNC('quarter', {date}) AS DATE)"),
    ),
    "ts": (
        *_OF_EVERY_KIND,
        *texts(
            _OFTEN, "date_trunc('{hour|day|week|month|quarter|year}', {ts})", "({ts} + INTERVAL 90 MINUTE)",
            "({date} - CAST({int} % 9 AS BIGINT) * INTERVAL 36 HOUR)", "CAST({date} AS TIMESTAMP)",
            "CAST({moment} AS TIMESTAMP) AT TIME ZONE {zones}",
            "time_bucket(INTERVAL {90 MINUTE|10 DAY|5 MONTH}, {ts})",
        ),
        *texts(
            _SOMETIMES, "DATETRUNC('{minute|second}', {ts})", "TIME_BUCKET('15 minutes', {ts})",
            "TIME_BUCKET(INTERVAL '{3 weeks|7 seconds}', {ts})", "({ts} - INTERVAL '1 day 2 hours')", *examples("ts"),
        ),
    ),
    "p": (
        *texts(
            4, "{x} {compare} {x}", "{x:0} {compare} {x:=}", "{x} IN ({x:=}, {x:=}, {x:0})",
            "{x:0} NOT IN ({x:=}, {x:=})", "{x} BETWEEN {x:=} AND {x:=}",
            "{x:0} {= ANY([|= SOME(ARRAY[|<> ALL([}{some constants}])",
            "{x} IS {|NOT }NULL", "{text} {LIKE|ILIKE|NOT LIKE} '{o%|%N%|_o%|%|}'", "regexp_matches({text}, {pattern})",
            "{text:0} {~|!~|SIMILAR TO|NOT SIMILAR TO} {pattern}", "({ts} - {ts}) {compare} INTERVAL 90 MINUTE",
            "COALESCE({ts} - {ts}, INTERVAL '1 day') {compare} {ts} - {moment}", "({ts} - {moment}) IS {|NOT }NULL",
        ),
        # Rows of two values.
        *texts(2, "({x:0}, {y:0}) {IN|NOT IN} (({x:=}, {y:=}), ({x:=}, {y:=}))"),
        *texts(2, "({x:0}, {y:0}) {=|<>} ({x:=}, {y:=})"),
        *texts(1, "({x:0}, {y:0}) {=|<>} ({x:0}, NULL)", "({x:0}, {y:0}) {=|<>} ({x:0}, {y:0})"),
        *texts(4, "({q} AND {q})", "({q} OR {q})", "NOT ({q})", needs="deep"),
        *texts(12, "{TRUE|FALSE|NOT FALSE}", needs="shallow"),
        *texts(4, "{bool:0}", "({bool:0} IS NOT TRUE)", needs="bool"),
        *texts(4, "{TRUE|(1 = 1)}", needs="no bool"),
        *texts(
            1, *examples("bool"), "STARTS_WITH({text}, {text})", "SUFFIX({text}, {text})", "({bool}) IS TRUE",
            "({bool}) IS FALSE", "({bool}) IS NOT TRUE", "({int} NOT BETWEEN {int} AND {int})",
            "({text} NOT ILIKE '%N_R%')",
            "{text} {LIKE|NOT ILIKE} '%{!_|!%|o!!}%' ESCAPE '!'", "CASE {int} WHEN 1 THEN {bool} WHEN 3 THEN FALSE END",
        ),
    ),
    "compare": words("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"),
    "some constants": texts(1, "{x:=}", "{x:=}, {x:=}"),
    "moment": texts(1, "{ts}", "{date}"),
    "pattern": words("'^(n|so).*t'", "'[^a-m]o?r{1,2}'", "'\\w+\\s?$'", "''"),
    "extracted": words("'[a-m]+'", "'(o)(r)?', 2", "'^.', 0"),
    "replaced": words("'[aeiou]', ''", "'o', 'x', 'g'", "'(.)(o)', '\\2\\1', 'g'", "'', '-', 'g'"),
    "zones": words(
        "'UTC' AT TIME ZONE 'America/New_York'", "'Europe/Berlin' AT TIME ZONE 'UTC'", "'utc' AT TIME ZONE 'UTC'"
    ),
}  # fmt: skip
