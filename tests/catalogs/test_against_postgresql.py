"""Statements of clients about the system get the columns, types and rows that a real PostgreSQL gives."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from catalogs.oracle import Oracle, as_text
from dpsql.errors import QueryRefused
from dpsql.session import Session
from dpsql.sql.system_tables.declarations import catalog_tables
from dpsql.sql.system_tables.pg_types import pg_types

CASES = Path(__file__).parents[1] / "cases" / "catalogs" / "statements.sql"
EVERY = 3
"""Of the statements an ordinary run sends every third."""
STATEMENTS = [
    pytest.param(statement, marks=[pytest.mark.slow] if at % EVERY else [])
    for at, statement in enumerate(CASES.read_text(encoding="utf-8").strip().split("\n\n"))
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_an_answer_is_postgresqls(statement: str, client: Session, oracle: Oracle) -> None:
    columns, rows = oracle.answer(statement)
    answer = client.answer(statement)
    assert [(c.name, c.pg_type) for c in answer.columns] == columns
    written = [tuple(map(as_text, row, (kind for _, kind in columns))) for row in answer.rows]
    assert Counter(written) == Counter(rows)
    assert answer.released.epsilon == 0


@pytest.mark.parametrize(
    "listed",
    [
        "count(*), COUNT(quantity), sum(amount) AS Total, avg(amount) AS \"Mean\", 1, 'x', true",
        "*, upper(region), quantity + 1 AS More",
        "1, o.*, -quantity, o.quantity, o.quantity::text, (quantity + 1)::float8",
        "CASE WHEN quantity > 1 THEN 1 END, CASE WHEN quantity > 1 THEN 1 ELSE amount END, coalesce(region, 'x')",
        "Region, region LIKE 'n%', region IS NULL, NOT is_paid, EXISTS (SELECT 1 FROM products)",
        "trim(region), substring(region from 1 for 2), date_trunc('month', order_date), extract(year from order_date)",
        "count(*) FILTER (WHERE is_paid), count(DISTINCT user_id), sum(count(*)) OVER ()",
        "region || 'x' AS r, nullif(region, 'x'), CAST(quantity AS text), DATE '2024-01-01', order_date::date",
    ],
)
def test_columns_of_data_have_postgresqls_names(listed: str, client: Session, oracle: Oracle) -> None:
    for rest in ("FROM orders AS o WHERE false", "FROM orders AS o WHERE false LIMIT 0"):
        statement = f"SELECT {listed} {rest}"
        wanted = [name for name, _ in oracle.answer(statement)[0]]
        assert [c.name for c in client.answer(statement).columns] == wanted
        assert [c.name for c in client.describe(statement).columns] == wanted


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT region, count(*), max(amount) FROM orders GROUP BY region",
        "SELECT *, quantity + 1 FROM public.orders AS o WHERE false",
        "SELECT c.age AS years, o.*, upper(region) FROM orders o LEFT JOIN customers c USING (user_id) LIMIT 0",
        "SELECT n.product_id, n.name, t.name, t.n FROM (SELECT name, product_id, 1 AS n FROM products) AS t(name) "
        "JOIN products AS n USING (product_id) WHERE false",
        "SELECT o.product_id, region, (brand), brand::text FROM orders o, main.products p WHERE false",
        "WITH w(a) AS (SELECT name, brand FROM products), v AS (SELECT w.* FROM w) SELECT a, v.brand, 'x' FROM v",
        "SELECT name FROM products UNION SELECT brand FROM products",
        "SELECT x.name FROM (SELECT name FROM products UNION ALL SELECT brand FROM products) x",
        "SELECT DISTINCT brand, product_id AS id FROM products ORDER BY 1 LIMIT 2",
    ],
)
def test_columns_of_tables_are_told_by_their_places(statement: str, client: Session, oracle: Oracle) -> None:
    wanted = oracle.places(statement.replace("public.", "main."))
    names = dict([(0, ""), *client.answer("SELECT oid, relname FROM pg_class").rows])
    for columns in (client.answer(statement).columns, client.describe(statement).columns):
        assert [(names[c.table], c.place) for c in columns] == wanted


def test_escapes_are_read_as_postgresql_reads_them(client: Session, oracle: Oracle) -> None:
    texts = r"E'a\x62c', E'\xz', E'\101\60', E'tab\there', E'q\''' \\x41', e'\x6', E'\8'"
    numbers = r"E'\u0041\u00e9', E'\ud83d\ude00\U0001F600', E'\\u0041'"
    statement = f"SELECT {texts}, {numbers} FROM pg_class WHERE relname = E'\\x6frders'"
    assert [tuple(row) for row in client.answer(statement).rows] == oracle.rows(statement)


@pytest.mark.parametrize(
    "escape", [r"\0", r"\x00", r"\xff", r"\377", r"\u0000", r"\uD800", r"\U00110000", r"\u12", r"\Uffff"]
)
def test_an_escape_that_is_not_one_character_everywhere_is_refused(client: Session, escape: str) -> None:
    for question in (
        f"SELECT E'{escape}'",
        f"SELECT oid FROM pg_class WHERE relname = E'{escape}' OR oid = $1",
    ):
        with pytest.raises(QueryRefused, match="an escape in this string is not one character everywhere"):
            client.describe(question)


def test_a_union_has_the_names_of_its_first_query(client: Session) -> None:
    union = "SELECT count(*), 1 AS One FROM products UNION ALL SELECT 2, 3"
    assert [c.name for c in client.answer(union).columns] == ["count", "one"]


def test_catalogs_have_postgresqls_columns_and_types(oracle: Oracle) -> None:
    rows = oracle.rows(
        "SELECT n.nspname, c.relname, a.attname, b.typname "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 JOIN pg_type t ON t.oid = a.atttypid "
        "JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END "
        "WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v') ORDER BY a.attnum"
    )
    wanted: dict[str, list[tuple[str | None, str | None]]] = {}
    for schema, table, column, kind in rows:
        wanted.setdefault(f"{schema}.{table}", []).append((column, kind))
    ours = {
        name: [(column, kind) for (column, _), kind in zip(t.columns, t.types, strict=True)]
        for name, t in catalog_tables().items()
    }
    assert ours == wanted


def test_types_are_postgresqls(oracle: Oracle) -> None:
    wanted = oracle.rows(
        "SELECT oid, format_type(oid, NULL) FROM pg_type WHERE typnamespace = 11 AND typrelid = 0"
    )
    ours = {str(t.oid): t.sql for t in pg_types()}
    assert len(ours) > 180 and set(ours.items()) <= set(wanted)
