"""Every function and construct that may stand on private rows is drawn, and what is drawn is answered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from fuzz.worlds import BITING, LOOSE, World, subjects
from plan.opened import Table

from dpsql.algebra.functions import FUNCTIONS
from dpsql.algebra.functions.aggregates import CALLS as AGGREGATES
from dpsql.audit.queries.calls import CALLS
from dpsql.audit.queries.generate import random_query
from dpsql.audit.queries.query import Query
from dpsql.audit.queries.two_dialects import either, to_dpsql, to_duckdb

QUERIES = 1_600
COLUMNS = {
    "int": "age: integer, lower: 0, upper: 90",
    "float": "x: float, lower: -2.5, upper: 500, step: 0.5",
    "text": "name: text",
    "date": "day: date, lower: 2025-01-01, upper: 2025-06-30",
    "ts": "seen: timestamp, lower: 2025-01-01T00:00:00, upper: 2025-01-03T12:00:00",
    "bool": "flag: boolean",
}
# DuckDB's own answers to these are estimates.
ESTIMATES = {"APPROX_QUANTILE", "APPROX_COUNT_DISTINCT"}
# Constructs without a name of their own in the text of a query.
CONSTRUCTS = {
    "interval", "series by join", "series by in", "series by not in", "series by in derived", "calendar", "comma join",
    "distinct rows", "looked up", "results read twice", "rows read twice", "test for public rows", "sums under totals",
    "value of a public table", "differential privacy clause", "qualify over results", "statistics", "lateral groups",
    "natural join", "full join", "semi or anti join", "rows compared", "union of rows", "window", "distinct on",
    "nested test", "list of constants", "released groups", "released for each row", "group by cube", "group by rollup",
    "group by sets", "best 3", "cross join", "three private tables", "join on any condition",
    "lateral public rows", "text beside text", "key of public text",
}  # fmt: skip
TEXTS = (
    "AT TIME ZONE", "LATERAL (", "MODE() WITHIN GROUP", "PERCENTILE_CONT([", ") WITHIN GROUP (ORDER BY", "IS FALSE",
    "TIME_BUCKET('", "TIME_BUCKET(INTERVAL", "NOT BETWEEN", "= ANY([", "COUNT(DISTINCT (", "DP_INTERVAL_LOW(", "::",
)  # fmt: skip


def drawn(worlds: Sequence[World], folder: Path, *, exact: bool) -> list[Query]:
    made = subjects(worlds, folder)
    views = [made[i].view for i in range(len(made))]
    return [random_query(i, views[i % len(views)], exact=exact) for i in range(QUERIES)]


@pytest.mark.parametrize("exact", [False, True], ids=["any", "with DuckDB's own answer"])
def test_every_documented_function_and_every_construct_is_drawn(exact: bool, tmp_path: Path) -> None:
    worlds = [w for w in (LOOSE if exact else BITING) if w.linked or w.totals][:4]
    queries = drawn(worlds, tmp_path, exact=exact)
    whole = "\n".join(q.sql for q in queries).upper()
    called = set(re.findall(r"\b([A-Z_0-9]+)\(", whole))
    functions = {spelling.upper() for f in FUNCTIONS.values() for spelling in f.spellings}
    aggregates = {aggregate.name for aggregate in AGGREGATES}
    assert not (functions | aggregates) - called - (ESTIMATES if exact else set())
    assert not CONSTRUCTS - {tag for q in queries for tag in q.tags}
    assert not [text for text in TEXTS if text not in whole]


def test_every_call_that_is_drawn_is_answered(tmp_path: Path) -> None:
    names = {kind: text.partition(":")[0] for kind, text in COLUMNS.items()}
    columns = dict(text.split(": ", 1) for text in COLUMNS.values())
    with closing(Table(columns, [], privacy="", table="max_rows_per_unit: 2").open(tmp_path)) as session:
        for call in (call for calls in CALLS.values() for call in calls):
            written = re.sub(r"\{([a-z]+)\}", lambda m: names[m[1]], call)
            assert session.explain(f"SELECT COUNT({written}) AS n FROM t").releases, written


def test_a_piece_that_is_said_in_two_ways_is_said_in_one_of_them() -> None:
    sql = f"SELECT {either('COUNT(a, b)', '0')} + {either('', 'COALESCE(')}x{either('', ', 0)')}"
    assert to_dpsql(sql) == "SELECT COUNT(a, b) + x"
    assert to_duckdb(sql) == "SELECT 0 + COALESCE(x, 0)"
