"""What clients of PostgreSQL and DuckDB ask about the system is answered from the policy alone, and free."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from fuzz.compare import NoNoise

import dpsql
from bi.store import make_store
from bi.test_statements import statements
from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.sql.system_tables.catalog_relations import relations
from dpsql.sql.system_tables.catalog_rows import ROWS_OF, rows_of_system_table
from dpsql.sql.system_tables.declarations import (
    columns_of_system_table,
    constants_of,
    declared_tables,
    same_table,
)
from dpsql.sql.system_tables.object_names import names_of


def opened(policy: Path) -> Session:
    return build_session(load_policy(policy), "tool", None, (None, None), NoNoise())


@pytest.fixture(name="tool", scope="module")
def _tool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with closing(opened(make_store(tmp_path_factory.mktemp("store")))) as session:
        yield session


@pytest.fixture(name="smaller", scope="module")
def _smaller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """The same policy over fewer people, fewer products and other values."""
    policy = make_store(tmp_path_factory.mktemp("smaller"))
    with duckdb.connect(str(policy.with_name("store.duckdb"))) as connection:
        for table in ("orders", "customers"):
            connection.execute(f"DELETE FROM {table} WHERE user_id < 60")
        connection.execute("DELETE FROM products WHERE product_id > 2")
        connection.execute("UPDATE orders SET amount = 1, product_name = 'x'")
    with closing(opened(policy)) as session:
        yield session


@pytest.mark.one_in(6)
@pytest.mark.parametrize("sql", statements("catalogs"))
def test_a_statement_about_the_system_is_answered_free(sql: str, tool: Session) -> None:
    answer = tool.answer(sql)
    assert all(len(row) == len(answer.columns) for row in answer.rows)
    assert answer.released.epsilon == 0 and tool.budget().spent.epsilon == 0


def test_a_row_has_no_column_that_its_table_lacks(tool: Session) -> None:
    made = relations(tool._state.system)
    for name, make in ROWS_OF.items():
        columns = {column for column, _ in columns_of_system_table(name)}
        assert columns >= {column for row in make(made) for column in row} | set(constants_of(name)), name


def test_the_catalogs_are_the_same_whatever_the_data(tool: Session, smaller: Session) -> None:
    for name, declared in declared_tables().items():
        rows = rows_of_system_table(name, tool._state.system)
        assert rows == rows_of_system_table(name, smaller._state.system), name
        assert (len(rows) > 0) == (same_table(name) in ROWS_OF), name
        assert all(len(row) == len(declared.columns) for row in rows), name
    assert names_of(relations(tool._state.system)) == names_of(relations(smaller._state.system))


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        (
            "SELECT oid, relname, relkind FROM pg_class WHERE relnamespace = 'main'::regnamespace "
            "AND relkind = ANY('{r}') ORDER BY oid",
            [(16384, "customers", "r"), (16385, "orders", "r"), (16386, "products", "r")],
        ),
        (
            "SELECT a.attname, format_type(a.atttypid, a.atttypmod), col_description(a.attrelid, a.attnum) "
            "FROM pg_attribute a WHERE a.attrelid = 'main.customers'::regclass "
            "AND a.attrelid = '\"customers\"'::regclass AND a.attnum > 0",
            [
                ("user_id", "bigint", None),
                ("age", "bigint", "from 18 to 80"),
                ("segment", "character varying", "one of gold, silver, basic"),
                ("signup", "date", "from 2020-01-01 to 2023-12-31"),
            ],
        ),
        (
            "SELECT conname, contype, conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint ORDER BY 1",
            [
                ("customers_pkey", "p", "customers", "PRIMARY KEY (user_id)"),
                ("orders_user_id_fkey", "f", "orders", "FOREIGN KEY (user_id) REFERENCES customers(user_id)"),
            ],
        ),
        (
            "SELECT i.indrelid::regclass::text, a.attname, i.indkey[0], i.indkey::text FROM pg_index i "
            "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey) WHERE i.indisprimary",
            [("customers", "user_id", 1, "1")],
        ),
        (
            "SELECT r.tbl, r.col, r.seq FROM (SELECT ct.relname AS tbl, a.attname AS col, a.attnum AS num, "
            "(information_schema._pg_expandarray(i.indkey)).n AS seq, "
            "information_schema._pg_expandarray(i.indkey) AS keys "
            "FROM pg_class ct JOIN pg_attribute a ON ct.oid = a.attrelid JOIN pg_index i ON a.attrelid = i.indrelid) r "
            "WHERE r.num = (r.keys).x",
            [("customers", "user_id", 1)],
        ),
        (
            "SELECT has_table_privilege('orders', 'SELECT'), has_table_privilege('tool', 'orders', 'insert'), "
            "pg_total_relation_size('orders'), to_regclass('orders'), 'nosuch'::regclass, 'int4'::regtype",
            [(True, False, None, "orders", None, "integer")],
        ),
        (
            "SELECT relname, reltuples::bigint, pg_size_pretty(pg_relation_size(oid)) FROM pg_class WHERE oid = 16385",
            [("orders", -1, None)],
        ),
        (
            "SELECT current_setting('server_version_num')::int / 100 AS version, current_schemas(true)",
            [(1600, ["pg_catalog", "main"])],
        ),
        ("SELECT nspname FROM pg_namespace WHERE nspname ~* '^MA' AND nspname !~ 'x' LIMIT 1", [("main",)]),
        ("SELECT relname FROM pg_class WHERE relname LIKE 'order_' AND relname NOT LIKE 'order\\_'", [("orders",)]),
        (
            "SELECT relname FROM pg_class c WHERE relname SIMILAR TO '(o|x)rd%' AND relname NOT SIMILAR TO 'ord' "
            "AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid)",
            [("orders",)],
        ),
        ("SELECT json_agg(json_build_object('n', relname)) FROM pg_class WHERE oid = 16385", [('[{"n":"orders"}]',)]),
        (
            "SELECT 'orders'::regclass, '\"orders\"'::regclass::oid, 16384::regclass::text, 'int4'::regtype::oid",
            [("orders", 16385, "customers", 23)],
        ),
        ("SELECT rolname FROM pg_roles WHERE rolcanlogin", [("tool",)]),
        (
            "SELECT table_name, has_primary_key, column_count FROM duckdb_tables() ORDER BY table_name",
            [("customers", True, 4), ("orders", False, 13), ("products", False, 3)],
        ),
        (
            "SELECT constraint_column_names, referenced_table FROM duckdb_constraints() WHERE table_name = 'orders'",
            [(["user_id"], "customers")],
        ),
        ("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'o%'", [("orders",)]),
        (
            "SELECT r.unique_constraint_name FROM information_schema.referential_constraints r",
            [("customers_pkey",)],
        ),
        (
            "SELECT name, type, pk FROM pragma_table_info('main.customers') LIMIT 2",
            [("user_id", "BIGINT", True), ("age", "BIGINT", False)],
        ),
        (
            "SELECT count(*), format('%s of %I', min(relname), 'My Table') FROM pg_class WHERE relkind = 'r' "
            "AND oid > 16383",
            [(3, 'customers of "My Table"')],
        ),
        (
            "SELECT f.relname, p.relname FROM pg_constraint c JOIN pg_class f ON c.conrelid = f.oid JOIN pg_class p "
            "ON c.confrelid = p.oid JOIN pg_attribute a ON a.attrelid = f.oid WHERE c.contype = 'f'::char "
            "AND a.attnum = ANY(c.conkey)",
            [("orders", "customers")],
        ),
        (
            "SELECT udt_name, count(*) FROM information_schema.columns WHERE table_name ~ '^cus' GROUP BY 1 ORDER BY 1",
            [("date", 1), ("int8", 2), ("varchar", 1)],
        ),
        ("SHOW server_version", [("16.0",)]),
        ("SHOW TRANSACTION ISOLATION LEVEL", [("read committed",)]),
        ("show time zone", [("UTC",)]),
    ],
)  # fmt: skip
def test_the_catalogs_say_what_the_policy_says(
    sql: str, rows: list[tuple[object, ...]], tool: Session
) -> None:
    assert list(tool.answer(sql).rows) == rows


def test_values_are_bound_in_statements_about_the_system(tool: Session) -> None:
    named = "SELECT oid FROM pg_class WHERE relname = $name AND relkind IN ($kind, 'v')"
    assert tool.answer(named, {"name": "orders", "kind": "r"}).rows == ((16385,),)
    assert tool.answer("SELECT relname FROM pg_class WHERE oid = ? AND relkind <> ?", [16385, "x"]).rows == (
        ("orders",),
    )


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT * FROM duckdb_tables()", "line 1, column 8: DuckDB's catalogs have columns that are not known here."),
        ("SELECT estimated_size FROM duckdb_tables()", "line 1, column 8: how many rows a table has is private."),
        ("SELECT pg_sleep(10) FROM pg_class", "line 1, column 8: the function pg_sleep is not supported in a"),
        ("SELECT relname::xml FROM pg_class", "line 1, column 8: this type is not supported in a statement"),
        ("SELECT nosuch FROM pg_class", 'line 1, column 8: there is no column "nosuch". There is: oid, relname'),
        ("SELECT relname = 1.5 FROM pg_class", "this statement about the system cannot be answered. Check the names"),
        ("SELECT 1 FROM pg_class, generate_series(1, 1000000) s(i)", "line 1, column 25: generate_series takes"),
        ("SELECT now() AT TIME ZONE 'Asia/Tokyo' FROM pg_class", "line 1, column 8: moments are in UTC here"),
        (
            "SELECT 1 FROM pg_class c, orders o",
            'line 1, column 15: there is no table "pg_class". Tables about the system are read in statements that',
        ),
        ("SET statement_mem = 1", "line 1, column 1: this form of SET is not supported. SET of application_name"),
        ("SET TIME ZONE 'Asia/Tokyo'", "line 1, column 1: this form of SET is not supported."),
        ("BEGIN", "line 1, column 1: BEGIN is not supported as a statement. There are no transactions: leave it out."),
        ("RESET memory_limit", "line 1, column 1: this form of RESET is not supported."),
    ],
)  # fmt: skip
def test_what_is_not_known_of_the_system_is_refused(sql: str, said: str, tool: Session) -> None:
    with pytest.raises(QueryRefused) as caught:
        tool.answer(sql)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    "sql",
    [
        "SET extra_float_digits = 3",
        "/* first */ set application_name to 'a tool; with -- signs'",
        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ UNCOMMITTED",
        "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY",
        "SET TIME ZONE 'UTC'",
        "SET NAMES 'utf8'",
        "SET DateStyle = ISO, MDY",
        "DISCARD ALL;",
    ],
)
def test_what_clients_say_of_their_session_changes_nothing(sql: str, tool: Session) -> None:
    answer = tool.answer(sql)
    assert (answer.columns, answer.rows, answer.released.epsilon) == ((), (), 0)


def test_a_cursor_has_no_description_where_there_are_no_columns(tmp_path: Path) -> None:
    with dpsql.connect(make_store(tmp_path), analyst="tool") as connection:
        cursor = connection.execute("SET extra_float_digits = 3")
        assert cursor.description is None and cursor.rowcount == -1 and cursor.fetchall() == []


@pytest.mark.one_in(20)
@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT {'to_regclass(' * 20}'a'{')' * 20} FROM pg_class",
        f"SELECT {'quote_ident(' * 20}relname{')' * 20} FROM pg_class",
        f"SELECT relname{'::regclass::oid' * 12} FROM pg_class",
        f"SELECT {'format(' * 20}relname{')' * 20} FROM pg_class".replace(
            "format(", "format('%1$s%1$s%1$s', "
        ),
        f"SELECT {', '.join(['format_type(atttypid, atttypmod)'] * 1_000)} FROM pg_attribute",
    ],
    ids=["names", "quotes", "casts", "formats", "many"],
)
def test_a_call_within_a_call_is_not_written_out_without_an_end(sql: str, tool: Session) -> None:
    with pytest.raises(QueryRefused, match=r"too large|nested too deeply|longer than 100000"):
        tool.answer(sql)
