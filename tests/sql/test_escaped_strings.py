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
    ("written", "meant"),
    [
        (r"\u0041b", "Ab"),
        (r"\u00e9\u00E9", "éé"),
        (r"\u2028", "\u2028"),
        (r"\ud83d\ude00!", "😀!"),
        (r"\U0001F600", "😀"),
        (r"\\u0041", r"\u0041"),
        (r"\u0027 || \u0027", "'' || ''"),
        (r"\u005cn", r"\n"),
    ],
)
def test_a_character_by_its_number_is_what_postgresql_reads(written: str, meant: str) -> None:
    sql = f"SELECT E'{written}'"
    read = read_text(sql).sql
    assert read.rstrip() == f"SELECT  '{meant}'" and len(read) == len(sql)


@pytest.mark.parametrize(
    "escape",
    [
        *(r"\xe9", r"\0", r"\303\251", r"\u0000", r"\U00000000", r"\u004", r"\U0000004", r"\U00110000"),
        *(
            r"\ud83d",
            r"\ude00",
            r"\ud83d!\ude00",
            r"\ude00\ud83d",
            r"\U0000D83D\U0000DE00",
            r"\ux",
            r"\UFFFFFFFF",
        ),
    ],
)
def test_an_escape_that_is_no_character_is_refused(escape: str) -> None:
    with pytest.raises(QueryRefused, match="an escape in this string is not one character everywhere"):
        read_text(f"SELECT E'{escape}'")


@pytest.mark.parametrize("part", [r"E'\\' || ", r"E'\'", "E'a", "e' || ", "a + e "])
def test_long_texts_are_read_in_time(part: str) -> None:
    sql = ("SELECT E'x' || " + part * MAX_CHARACTERS)[:MAX_CHARACTERS]
    begun = time.monotonic()
    with suppress(QueryRefused):
        read_text(sql)
    assert time.monotonic() - begun < 5
