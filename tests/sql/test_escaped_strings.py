"""Strings behind an E: what is read of them is what DuckDB reads, in a text that is as long as it was."""

from __future__ import annotations

import random
import time
from contextlib import suppress

import duckdb
import pytest

from dpsql.errors import QueryRefused
from dpsql.sql.lex.text import MAX_CHARACTERS, masked_code, read_text

_PARTS = (
    r"\n", r"\t", r"\\", r"\'", "''", r"\x41", r"\x4", r"\101", r"\7", r"\b", r"\f", r"\r", r"\a", r"\q", r"\%", r"\_",
    'a', 'é', ' ', '"', '--', '/*', '$$', '`', ';', 'E', '\n',
)  # fmt: skip
_BEFORE = ("SELECT ", "SELECT 'x' || ", "SELECT /* E'q */ ", 'SELECT 1 AS "E\'", ', "SELECT $$E'$$ || ")


@pytest.mark.parametrize("seed", range(8))
def test_a_string_is_what_duckdb_reads(seed: int) -> None:
    rng = random.Random(seed)
    with duckdb.connect() as plain:
        for _ in range(200):
            body = "".join(rng.choice(_PARTS) for _ in range(rng.randrange(7)))
            sql = f"{rng.choice(_BEFORE)}{rng.choice('eE')}'{body}'"
            read = read_text(sql).sql
            assert len(read) == len(sql)
            assert plain.execute(read).fetchall() == plain.execute(sql).fetchall()


def test_an_escaped_quote_hides_nothing() -> None:
    assert masked_code(r"SELECT E'a\'; DROP'; SELECT 1").count(";") == 1
    code = read_text(r"SELECT E'a\' || secret || \'' FROM t").code
    assert code.replace("'", " ").split() == ["SELECT", "FROM", "t"]


def test_what_is_no_string_behind_an_e_stays() -> None:
    for sql in (
        "SELECT 'E''x'",
        "SELECT DATE'2025-01-01'",
        "SELECT CASE WHEN a THEN'b' ELSE'c' END",
        'SELECT "E\'"',
    ):
        assert read_text(sql).sql == sql


@pytest.mark.parametrize(
    "sql", [r"SELECT E'\u0041'", r"SELECT E'\xe9'", r"SELECT E'\0'", r"SELECT E'\303\251'"]
)
def test_an_escape_that_parsers_read_differently_is_refused(sql: str) -> None:
    with pytest.raises(QueryRefused, match="an escape in this string is not one character everywhere"):
        read_text(sql)


@pytest.mark.parametrize("part", [r"E'\\' || ", r"E'\'", "E'a", "e' || ", "a + e "])
def test_long_texts_are_read_in_time(part: str) -> None:
    sql = ("SELECT E'x' || " + part * MAX_CHARACTERS)[:MAX_CHARACTERS]
    begun = time.monotonic()
    with suppress(QueryRefused):
        read_text(sql)
    assert time.monotonic() - begun < 5
