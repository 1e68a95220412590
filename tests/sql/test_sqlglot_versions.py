"""The installed sqlglot is one that is supported, and what differs between versions is made equal."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import sqlglot
from gate_cases import DuckDBStatements, numbers
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

from dpsql.sql.dialect import (
    DType,
    Node,
    Parser,
    Token,
    TokenType,
    TooManyNodes,
    require_extensible,
    tokenize,
)
from dpsql.sql.parse.gate import gate

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def parsed(expression: str) -> Node:
    """The first column of SELECT, as the parser reads it."""
    sql = f"SELECT {expression}"
    tree = Parser(1000).parse(tokenize(sql), sql)[0]
    assert isinstance(tree, exp.Select)
    return tree.expressions[0]


def test_the_installed_sqlglot_is_in_the_range_that_the_project_asks_for() -> None:
    dependencies = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    asked = next(d for d in dependencies if d.startswith("sqlglot"))
    bounds = re.fullmatch(r"sqlglot>=([\d.]+),<([\d.]+)", asked)
    assert bounds is not None
    least, below = map(numbers, bounds.groups())
    assert least <= numbers(sqlglot.__version__) < below


def test_every_node_is_a_node_and_every_type_has_its_kind() -> None:
    assert isinstance(parsed("a + 1"), Node)
    assert not isinstance("a", Node)
    assert parsed("CAST(a AS DATE)").args["to"].this is DType.DATE


def test_tokens_take_their_places() -> None:
    token = tokenize("SELECT 1")[1]
    token.line, token.col = 7, 9
    assert (type(token), token.token_type, token.line, token.col) == (Token, TokenType.NUMBER, 7, 9)


@pytest.mark.parametrize(
    ("expression", "outer", "inner"),
    [("a % b * c", exp.Mul, exp.Mod), ("a * b % c", exp.Mod, exp.Mul), ("a % b + c", exp.Add, exp.Mod)],
)
def test_the_remainder_binds_as_a_product_does(expression: str, outer: type[Node], inner: type[Node]) -> None:
    tree = parsed(expression)
    assert type(tree) is outer
    assert type(tree.this) is inner


@pytest.mark.parametrize("call", ["MOD(a, 2)", "TRUNC(a, 2)", "JARO_WINKLER_SIMILARITY(a, 'x')"])
def test_a_call_that_some_version_reads_otherwise_is_read_by_its_name(call: str) -> None:
    assert type(parsed(call)) is exp.Anonymous
    assert parsed(call).sql(dialect="duckdb") == call


def test_today_is_the_current_date() -> None:
    assert type(parsed("TODAY()")) is exp.CurrentDate


@pytest.mark.parametrize("rows", ["ROW", "ROWS", "1 ROW", "1 ROWS"])
def test_the_first_row_is_one_row_however_it_is_spelled(rows: str) -> None:
    tree = gate(f"SELECT a FROM t FETCH FIRST {rows} ONLY", DuckDBStatements()).tree
    assert tree.sql(dialect="duckdb") == "SELECT a FROM t LIMIT 1"


def test_a_parser_makes_no_more_nodes_than_it_may() -> None:
    sql = "SELECT a + b + c + d"
    with pytest.raises(TooManyNodes):
        Parser(2).parse(tokenize(sql), sql)
    assert Parser(100).parse(tokenize(sql), sql)


def test_a_compiled_parser_is_refused_when_the_gate_is_imported() -> None:
    require_extensible(DuckDB.Parser)
    with pytest.raises(ImportError, match="sqlglotc"):
        require_extensible(int)
