"""A literal may follow some words without a space: parsers and engine read that as they read it with one."""

from __future__ import annotations

import duckdb
import pytest
import sqlglot

from dpsql.errors import QueryRefused
from dpsql.sql.lex.text import BEFORE_LITERALS, read_text


@pytest.mark.parametrize("word", sorted(BEFORE_LITERALS))
def test_all_read_the_same_with_and_without_a_space(word: str) -> None:
    for spelled in (word, word.lower()):
        together, apart = f"x {spelled}'a b' y", f"x {spelled} 'a b' y"
        read_text(together)
        for dialect in ("duckdb", "postgres"):
            first, second = (sqlglot.tokenize(text, dialect) for text in (together, apart))
            assert [(t.token_type, t.text) for t in first] == [(t.token_type, t.text) for t in second]
        kinds = [[kind for _, kind in duckdb.tokenize(text)] for text in (together, apart)]
        assert kinds[0] == kinds[1]


@pytest.mark.parametrize("prefix", ["x", "b", "NN", "U&", "rb", "xELSE", "THEN_", "_else"])
def test_any_other_word_is_a_prefix(prefix: str) -> None:
    with pytest.raises(QueryRefused, match="with a prefix"):
        read_text(f"SELECT {prefix}'a'")
