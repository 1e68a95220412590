"""TIME_BUCKET with a third argument, and DATE_BIN, are what DuckDB and PostgreSQL give for every moment."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from datetime import datetime, timedelta

import duckdb
import psycopg
import pytest
from postgresql.server import Server

from dpsql.algebra.expressions import Column, Duration, Literal
from dpsql.algebra.facts import NATURAL, Fact, Facts
from dpsql.algebra.functions import Mistyped, emit, fact_rule
from dpsql.algebra.types import SqlType
from dpsql.sql.bind.time_buckets import bucket_from
from dpsql.sql.lex.text import read_text
from dpsql.sql.lex.tokens import read_tokens
from dpsql.sql.normalize.dialect_functions import without_foreign
from dpsql.sql.parse.gate import _parse

MOMENT, DAY = Column(0, "u", SqlType.TIMESTAMP), Column(0, "d", SqlType.DATE)
WIDTHS = (Duration(days=1), Duration(days=7), Duration(days=15, micros=1), Duration(micros=900_000_000))
DRAW = random.Random(20_260_101)
FIRST = datetime(1650, 1, 1)


def drawn() -> datetime:
    """A moment of some centuries, often a midnight."""
    moment = FIRST + timedelta(microseconds=DRAW.randrange(700 * 365 * 86_400_000_000))
    return DRAW.choice([moment, moment.replace(hour=0, minute=0, second=0, microsecond=0)])


MOMENTS = [drawn() for _ in range(200)]
ORIGINS = [drawn() for _ in range(8)]


@pytest.fixture(scope="module")
def plain() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (u TIMESTAMP, d DATE)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(m, m.date()) for m in MOMENTS])
        yield connection


FACTS = Facts({c: Fact(c.type, False, NATURAL[c.type]) for c in (MOMENT, DAY)}, fact_rule)


def length(of: Duration) -> str:
    return f"INTERVAL '{of.days} days {of.micros} microseconds'"


@pytest.mark.parametrize("width", WIDTHS, ids=length)
@pytest.mark.parametrize("column", [MOMENT, DAY], ids=lambda c: c.name)
def test_pieces_begin_where_they_do_in_duckdb(
    column: Column, width: Duration, plain: duckdb.DuckDBPyConnection
) -> None:
    thirds = [(Literal(at, SqlType.TIMESTAMP), f"TIMESTAMP '{at}'") for at in ORIGINS]
    thirds += [(Literal(at.date(), SqlType.DATE), f"DATE '{at.date()}'") for at in ORIGINS]
    thirds += [(Literal(by, SqlType.INTERVAL), length(by)) for by in (*WIDTHS, Duration(days=-3))]
    compared = 0
    for third, text in thirds:
        try:
            ours = bucket_from(Literal(width, SqlType.INTERVAL), column, third)
        except Mistyped:
            assert column is DAY and (width.micros or Duration in {type(third.value)})
            continue
        sql = emit(ours, FACTS, lambda c: c.name)
        theirs = f"time_bucket({length(width)}, {column.name}, {text})"
        asked = f"SELECT count_if({sql} IS DISTINCT FROM {theirs}), typeof(any_value({theirs})) FROM t"
        assert plain.execute(asked).fetchall() == [(0, ours.type.value)], theirs
        compared += 1
    assert compared >= (0 if width.micros and column is DAY else len(ORIGINS))


def test_date_bin_begins_where_it_does_in_postgresql(
    postgres_server: Server, plain: duckdb.DuckDBPyConnection
) -> None:
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        for width, origin in itertools.product(WIDTHS, ORIGINS):
            binned = "SELECT date_bin(%s::interval, m, %s) FROM unnest(%s::timestamp[]) AS m"
            theirs = db.execute(binned, (length(width)[10:-1], origin, MOMENTS)).fetchall()
            sql = without_date_bin(f"DATE_BIN('{length(width)[10:-1]}', u, TIMESTAMP '{origin}')")
            assert plain.execute(f"SELECT {sql} FROM t").fetchall() == theirs


def without_date_bin(call: str) -> str:
    text = read_text(f"SELECT {call} AS x FROM t")
    tree = _parse(text.sql, read_tokens(text.sql, text.code))
    without_foreign(tree)
    return tree.expressions[0].this.sql(dialect="duckdb")
