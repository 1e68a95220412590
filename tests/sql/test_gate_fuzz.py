"""Whatever text comes: only dpsql's own errors come out, and what is admitted is what DuckDB reads."""

from __future__ import annotations

import os
import random
import re

import pytest
from duckdb_reading import DuckDBReading, spelled_out
from gate_cases import CASES, DuckDBStatements, read_cases, told
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpsql.errors import Error
from dpsql.sql.parse.gate import gate

STATEMENTS = DuckDBStatements()
READING = DuckDBReading()
TEXTS = tuple(case.sql for name in ("admitted.sql", "refused.sql") for case in read_cases(name))
WORDS = (*(CASES / "words.txt").read_text(encoding="utf-8").split(), "\t", "\n", "\u00a0")
# Constants in the place of a call, which is another text, and a window in that of DISTINCT ON: test_series_tables.py
# compares the rows of the first with DuckDB's.
WRITTEN_OUT = re.compile(r"generate_series|range|unnest|distinct\s+on|with\s+recursive", re.IGNORECASE)
QUICK = settings(max_examples=400, suppress_health_check=list(HealthCheck))
LONG = settings(QUICK, max_examples=int(os.environ.get("DPSQL_FUZZ_EXAMPLES", "50000")))


def check(sql: str) -> bool:
    """Send a text through the gate; whether it was admitted."""
    try:
        admitted = gate(sql, STATEMENTS)
    except Error:
        return False
    if WRITTEN_OUT.search(admitted.described):
        return True
    for rendered in (admitted.tree.sql(dialect="duckdb"), spelled_out(admitted.tree)):
        assert READING.of(rendered) == READING.of(told(admitted)), rendered
    return True


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """A case with some of its words dropped, doubled, swapped or replaced by those of others."""
    words = draw(st.sampled_from(TEXTS)).split(" ")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(words) - 1))
        other = draw(st.sampled_from((*words, *WORDS)))
        what = draw(st.sampled_from(("drop", "double", "insert", "replace")))
        kept = [] if what in ("drop", "replace") else [words[at]]
        words[at : at + 1] = [*kept, *([] if what == "drop" else [words[at] if what == "double" else other])]
        words = words or ["SELECT"]
    return " ".join(words)


soups = st.lists(st.sampled_from(WORDS), max_size=30).map(lambda words: "SELECT " + " ".join(words))


@QUICK
@given(st.text(max_size=60))
def test_any_text_is_answered_or_refused(sql: str) -> None:
    check(sql)


@QUICK
@given(soups)
def test_any_soup_of_words_is_answered_or_refused(sql: str) -> None:
    check(sql)


@QUICK
@given(mutants())
def test_any_mutant_of_a_case_is_answered_or_refused(sql: str) -> None:
    check(sql)


def test_mutants_are_admitted_often_enough_to_mean_something() -> None:
    draw = random.Random(7)
    joined = [f"SELECT * FROM ({draw.choice(TEXTS)}) x WHERE a = {draw.choice('12')}" for _ in range(300)]
    assert sum(map(check, joined)) > 30


@pytest.fixture
def chosen(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("markexpr"):
        pytest.skip("a long run of the tests above; choose it with -m slow")


@pytest.mark.slow
@pytest.mark.usefixtures("chosen")
@LONG
@given(st.one_of(soups, mutants()))
def test_many_texts_are_answered_or_refused(sql: str) -> None:
    check(sql)
