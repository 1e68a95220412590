"""Every function and every production of the grammar is drawn, and what is drawn is answered."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from fuzz.worlds import BITING, LOOSE, PARTED, World, subjects
from plan.opened import Table

from dpsql.algebra.functions import FUNCTIONS
from dpsql.algebra.functions.aggregates import CALLS as AGGREGATES
from dpsql.audit.queries.generated_query import Query
from dpsql.audit.queries.needs import possible
from dpsql.audit.queries.random_query import GRAMMAR, random_query
from dpsql.audit.queries.schema_view import ColumnView, View
from dpsql.audit.queries.two_dialects import either, to_dpsql, to_duckdb
from dpsql.audit.queries.writer import Production, Writer

QUERIES = 2_400
COLUMNS = {
    "int": "age: integer, lower: 0, upper: 90",
    "float": "x: float, lower: -2.5, upper: 500, step: 0.5",
    "text": "name: text",
    "date": "day: date, lower: 2025-01-01, upper: 2025-06-30",
    "ts": "seen: timestamp, lower: 2025-01-01T00:00:00, upper: 2025-01-03T12:00:00",
    "bool": "flag: boolean",
}
PRODUCTIONS: tuple[Production[object], ...] = (
    *GRAMMAR.queries, *GRAMMAR.sources, *GRAMMAR.rows, *GRAMMAR.keys, *GRAMMAR.measures, *GRAMMAR.conditions,
    *(p for part in GRAMMAR.texts.values() for p in part),
)  # fmt: skip
WORLDS = {
    False: ("table_cap", "linked_both", "totals_only", "substitute_one_row", "parted_not_null"),
    True: ("loose_one_row_nullable", "loose_totals", "loose_linked", "loose_local"),
}
# DuckDB's own answers to these are estimates.
ESTIMATES = {"APPROX_QUANTILE", "APPROX_COUNT_DISTINCT"}
# Constructs that are drawn in pieces.
TEXTS = (
    "AT TIME ZONE", "LATERAL (", "MODE() WITHIN GROUP", "PERCENTILE_CONT([", ") WITHIN GROUP (ORDER BY", "IS FALSE",
    "TIME_BUCKET('", "TIME_BUCKET(INTERVAL", "NOT BETWEEN", "= ANY([", "COUNT(DISTINCT (", "DP_INTERVAL_LOW(", "::",
    "GROUP BY CUBE", "GROUP BY ROLLUP", "GROUPING SETS", "WITH DIFFERENTIAL_PRIVACY", "QUALIFY RANK()", " INTERSECT ",
    " EXCEPT ", "UNION ALL", "DISTINCT ON (", "SEMI JOIN", "ANTI JOIN", "FULL JOIN", "RIGHT JOIN", "CROSS JOIN",
    "LIMIT 3",
)  # fmt: skip


def drawn(worlds: Sequence[World], folder: Path, *, exact: bool) -> list[Query]:
    made = subjects(worlds, folder)
    views = [made[i].view for i in range(len(made))]
    return [random_query(i, views[i % len(views)], exact=exact) for i in range(QUERIES)]


@pytest.fixture(scope="module")
def queries(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], list[Query]]:
    """Queries by whether they have DuckDB's own answer."""
    worlds = {w.name: w for w in (*BITING, *PARTED, *LOOSE)}

    @functools.cache
    def of(exact: bool) -> list[Query]:
        folder = tmp_path_factory.mktemp(f"{exact}")
        return drawn([worlds[name] for name in WORLDS[exact]], folder, exact=exact)

    return of


def test_every_documented_function_is_in_a_text_of_the_grammar() -> None:
    texts = "\n".join(p.name for part in GRAMMAR.texts.values() for p in part).upper()
    functions = {spelling.upper() for f in FUNCTIONS.values() for spelling in f.spellings}
    assert not functions - set(re.findall(r"\b([A-Z_0-9]+)\(", texts))


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False], ids=["with DuckDB's own answer", "any"])
def test_every_documented_function_and_every_construct_is_drawn(
    exact: bool, queries: Callable[[bool], list[Query]]
) -> None:
    whole = "\n".join(q.sql for q in queries(exact)).upper()
    called = set(re.findall(r"\b([A-Z_0-9]+)\(", whole))
    functions = {spelling.upper() for f in FUNCTIONS.values() for spelling in f.spellings}
    aggregates = {aggregate.name for aggregate in AGGREGATES}
    assert not (functions | aggregates) - called - (ESTIMATES if exact else set())
    assert not [text for text in TEXTS if text not in whole]


@pytest.mark.slow
def test_every_production_of_the_grammar_is_drawn(queries: Callable[[bool], list[Query]]) -> None:
    found = {name for exact in WORLDS for q in queries(exact) for name in q.productions}
    assert not {p.name for p in PRODUCTIONS} - found


@pytest.mark.slow
def test_no_hole_of_a_text_is_left_open(queries: Callable[[bool], list[Query]]) -> None:
    constants = re.compile(r"'(?:[^']|'')*'")
    assert not [q.sql for q in queries(True) if "{" in constants.sub("", q.sql)]


def test_every_expression_of_the_grammar_is_answered(tmp_path: Path) -> None:
    names = {kind: text.partition(":")[0] for kind, text in COLUMNS.items()}
    columns = dict(text.split(": ", 1) for text in COLUMNS.values())
    scope = tuple(ColumnView(name, name, kind) for kind, name in names.items())
    with closing(Table(columns, [], privacy="", table="max_rows_per_unit: 2").open(tmp_path)) as session:
        for kind, production in (
            (k, p) for k in ("int", "float", "text", "date", "ts", "p") for p in GRAMMAR.texts[k]
        ):
            writer = Writer(
                Random(1),
                View((), ()),
                GRAMMAR,
                scope=scope,
                depth=0,
                kinds=("int" if kind == "p" else kind, "text"),
            )
            if any(not possible(writer, need) for need in production.needs.split(" + ") if need):
                continue
            written = production.write(writer, {})
            assert session.explain(f"SELECT COUNT({written}) AS n FROM t").releases, written


def test_a_name_that_nothing_is_bound_to_is_refused() -> None:
    writer = Writer(Random(1), View((), ()), GRAMMAR)
    with pytest.raises(KeyError, match="colour"):
        writer.fill("SELECT {colour}")


def test_a_piece_that_is_said_in_two_ways_is_said_in_one_of_them() -> None:
    sql = f"SELECT {either('COUNT(a, b)', '0')} + {either('', 'COALESCE(')}x{either('', ', 0)')}"
    assert to_dpsql(sql) == "SELECT COUNT(a, b) + x"
    assert to_duckdb(sql) == "SELECT 0 + COALESCE(x, 0)"
