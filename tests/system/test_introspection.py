"""What tools send to find out what is there is answered from the policy, in the columns that DuckDB would give."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing

import duckdb
import pytest
from answers.noiseless import Noiseless
from answers.shop import make_shop

import dpsql
from dpsql.algebra.system_tables import VERSION
from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session


@pytest.fixture(name="session", scope="module")
def _session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    policy = make_shop(tmp_path_factory.mktemp("introspection") / "shop") / "shop.yaml"
    with closing(
        build_session(load_policy(policy), "o'hara", None, (None, None), Noiseless(least=3))
    ) as session:
        yield session


@pytest.mark.parametrize(
    "sql",
    [
        "SHOW TABLES",
        "DESCRIBE t",
        "PRAGMA table_info('t')",
        "PRAGMA show_tables",
        "SHOW DATABASES",
        "SHOW SCHEMAS",
    ],
)
def test_a_statement_has_the_columns_that_duckdb_gives_it(sql: str, session: Session) -> None:
    with duckdb.connect() as plain:
        plain.execute("CREATE TABLE t (a INTEGER)")
        theirs = [(d[0], str(d[1])) for d in plain.execute(sql).description]
    ours = session.answer(sql.replace("t'", "orders'").replace("E t", "E orders")).columns
    assert [(c.name, c.type) for c in ours] == theirs


@pytest.mark.parametrize(
    "sql",
    [
        "SHOW TABLES",
        "show\n tables;",
        "/* Metabase */ -- 1\n SHOW TABLES",
        "SHOW TABLES FROM Main",
        "PRAGMA show_tables",
    ],
)
def test_the_tables_are_those_of_the_policy(sql: str, session: Session) -> None:
    assert session.answer(sql).rows == (("orders",), ("products",), ("regions",), ("tags",))


@pytest.mark.parametrize(
    "name",
    [
        "DESCRIBE regions",
        'DESC "Regions"',
        "DESCRIBE TABLE main.regions",
        "SHOW COLUMNS FROM regions",
        "SHOW COLUMNS IN main.REGIONS",
    ],
)
def test_a_table_is_described_by_any_spelling_of_its_name(name: str, session: Session) -> None:
    assert [row[:2] for row in session.answer(name).rows] == [
        ("region", "VARCHAR"),
        ("country", "VARCHAR"),
        ("zone", "BIGINT"),
    ]


@pytest.mark.parametrize("argument", ["'orders'", "orders", '"Orders"', "'main.orders'", "main.orders"])
def test_pragma_table_info_takes_a_text_or_a_name(argument: str, session: Session) -> None:
    rows = session.answer(f"PRAGMA table_info({argument})").rows
    assert rows[0] == (0, "customer", "BIGINT", True, None, False)
    assert rows[8] == (8, "rating", "BIGINT", False, None, False)


def test_a_system_table_is_described_like_any_other(session: Session) -> None:
    assert session.answer("DESCRIBE dpsql.Budget").rows[0][:2] == ("epsilon_granted", "DOUBLE")


def test_what_tools_ask_about_a_connection_is_constant(session: Session) -> None:
    assert dpsql.__version__ == VERSION
    answer = session.answer(
        'SELECT pg_catalog.version() AS v, current_schema(), session_user, current_database() "d""b"'
    )
    assert [c.name for c in answer.columns] == ["v", "current_schema()", "session_user", 'd"b']
    assert answer.rows == ((f"dpsql {VERSION}", "main", "o'hara", "dpsql"),)
    assert session.answer("SELECT current_role, user").rows == (("o'hara", "o'hara"),)
    assert session.answer("SHOW search_path").rows == (("main",),)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (
            "DESCRIBE nosuch",
            'line 1, column 10: there is no table "nosuch". There is: orders, products, regions, tags.',
        ),
        (
            "SHOW COLUMNS FROM orders WHERE TRUE",
            "line 1, column 19: nothing but the name of a table is expected here. ",
        ),
        ("DESCRIBE 1", "line 1, column 10: a name is expected here. "),
        ("PRAGMA enable_profiling = 'json'", "line 1, column 1: this form of PRAGMA is not supported. "),
        ("PRAGMA table_info()", "line 1, column 1: this form of PRAGMA is not supported. "),
        ("SHOW", "line 1, column 1: this form of SHOW is not supported. "),
        ("EXPLAIN SHOW TABLES", "line 1, column 9: SHOW is not supported as a statement. "),
        ("SELECT version() FROM orders", "line 1, column 8: "),
        ("SELECT version(), nosuch(1)", "line 1, column 19: the function nosuch is not supported in a"),
        ("SELECT user FROM orders", "line 1, column 8: "),
    ],
)
def test_other_forms_are_refused_with_the_forms_that_work(sql: str, said: str, session: Session) -> None:
    with pytest.raises(QueryRefused) as caught:
        session.answer(sql)
    assert str(caught.value).startswith(said)


def test_many_comments_in_front_take_no_time(session: Session) -> None:
    start = time.process_time()
    with pytest.raises(QueryRefused):
        session.answer("/**/" * 20_000 + "/* *")
    assert time.process_time() - start < 1
