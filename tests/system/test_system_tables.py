"""Tables about the system: an analyst's own account and the visible policy, fresh at each reading, and free."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless
from answers.shop import make_shop

from dpsql.algebra.system_tables import SYSTEM_TABLES
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.sql.parse.gate import gate

BY_REGION = "SELECT region, count(*), avg(amount) FROM orders GROUP BY region"


def opened(policy: Path, analyst: str = "alice", epsilon: object = None) -> Session:
    return build_session(load_policy(policy), analyst, None, (epsilon, None), Noiseless(least=3))


@pytest.fixture(name="policy")
def _policy(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "shop") / "shop.yaml"


@pytest.fixture(name="alice")
def _alice(policy: Path) -> Iterator[Session]:
    with closing(opened(policy)) as session:
        yield session


def test_the_budget_is_that_of_this_moment_however_often_it_is_asked(alice: Session) -> None:
    asked = "SELECT epsilon_granted, epsilon_spent, epsilon_remaining, delta_spent FROM dpsql.budget"
    assert alice.answer(asked).rows == ((1000.0, 0.0, 1000.0, 0.0),)
    alice.answer(BY_REGION)
    assert alice.answer(asked).rows == ((1000.0, 1.0, 999.0, 0.0),)
    assert alice.answer(asked).released.epsilon == 0
    assert alice.budget().spent.epsilon == 1


def test_history_has_a_row_for_each_payment_and_none_for_a_repetition(alice: Session) -> None:
    for sql in (BY_REGION, "SELECT sum(quantity) FROM orders", BY_REGION, "SELECT * FROM dpsql.history"):
        alice.answer(sql)
    found = alice.answer("SELECT number, question, epsilon, releases, stored FROM dpsql.history").rows
    assert found == (
        (1, "count(*), avg(amount) of orders", 1.0, 1, True),
        (2, "sum(quantity) of orders", 1.0, 1, True),
    )
    ((at,),) = alice.answer("SELECT max(time) FROM dpsql.history").rows
    assert abs(datetime.now(UTC).replace(tzinfo=None) - at) < timedelta(minutes=5)  # type: ignore[operator]


def test_a_query_of_several_releases_is_one_row_whose_cost_is_what_was_booked(alice: Session) -> None:
    alice.answer("SELECT (SELECT count(*) FROM orders), (SELECT sum(amount) FROM orders WHERE paid)")
    assert alice.answer("SELECT epsilon, releases FROM dpsql.history").rows == ((1.0, 2),)
    ((question,),) = alice.answer("SELECT question FROM dpsql.history").rows
    assert sorted(str(question).split("; ")) == ["count(*) of orders", "sum(amount) of orders"]


def test_analysts_do_not_see_each_other_in_any_system_table(policy: Path, alice: Session) -> None:
    # What is left is never more than the dataset has left, which everybody spends.
    tables = [f"SELECT * FROM {name}" for name in SYSTEM_TABLES if name != "dpsql.budget"]
    tables += ["SELECT epsilon_granted, epsilon_spent, delta_spent FROM dpsql.budget"]
    with closing(opened(policy, "bob")) as bob:
        before = [bob.answer(sql) for sql in tables]
        alice.answer(BY_REGION)
        assert [bob.answer(sql).rows for sql in tables] == [b.rows for b in before]
        bob.answer(BY_REGION)
        bobs = bob.answer("SELECT number, epsilon, stored FROM dpsql.history").rows
    # Bob pays for what is stored already, and is not told that somebody asked before him.
    assert bobs == ((1, 1.0, True),)
    assert alice.answer("SELECT count(*) FROM dpsql.history").rows == ((1,),)


def test_the_columns_are_those_that_a_query_may_name_with_their_policy(alice: Session) -> None:
    asked = (
        "SELECT column_name, type, nullable, lower, upper, value_list, public, unit_key "
        "FROM dpsql.columns WHERE table_name = '{}' ORDER BY ordinal_position"
    )
    assert alice.answer(asked.format("orders")).rows[:4] == (
        ("customer", "integer", False, None, None, None, False, True),
        ("region", "text", False, None, None, '["north", "south", "east", "west"]', False, False),
        ("product", "integer", False, None, None, None, False, False),
        ("quantity", "integer", False, "0", "10", None, False, False),
    )
    assert alice.answer(asked.format("regions")).rows[2] == (
        *("zone", "integer", False, None, None, None, True, False),
    )


def test_information_schema_says_what_a_query_without_rows_says(alice: Session) -> None:
    for table in ("orders", "regions", "products"):
        columns = alice.answer(f"SELECT * FROM {table} LIMIT 0").columns
        listed = alice.answer(
            "SELECT column_name, data_type FROM information_schema.columns "
            "WHERE table_name = ? ORDER BY ordinal_position",
            [table],
        )
        assert listed.rows == tuple((c.name, c.type) for c in columns)


def test_information_schema_has_the_columns_of_duckdb(alice: Session) -> None:
    with duckdb.connect() as plain:
        for name in ("tables", "columns", "schemata"):
            theirs = plain.execute(f"DESCRIBE SELECT * FROM information_schema.{name}").fetchall()
            ours = alice.answer(f"SELECT * FROM information_schema.{name}").columns
            assert [(c.name, c.type) for c in ours] == [(r[0], r[1]) for r in theirs]


def test_system_tables_stand_wherever_a_public_table_can(alice: Session) -> None:
    wrapped = (
        'WITH "c" AS (SELECT * FROM information_schema.columns) SELECT "t"."table_name", count(*) AS n '
        'FROM "information_schema"."tables" AS "t" LEFT JOIN "c" USING (table_schema, table_name) '
        "WHERE information_schema.t.table_type = 'BASE TABLE' GROUP BY 1 ORDER BY 1 LIMIT 2"
    ).replace("information_schema.t.", '"t".')
    assert alice.answer(f"SELECT * FROM ({wrapped}) AS virtual_table").rows == (
        ("orders", 10),
        ("products", 2),
    )
    qualified = "SELECT information_schema.tables.table_name FROM information_schema.tables WHERE table_schema = 'main'"
    assert len(alice.answer(qualified).rows) == 4
    beside = alice.answer(f"SELECT r.*, b.epsilon_spent FROM ({BY_REGION}) AS r, dpsql.budget AS b")
    assert len(beside.rows) == 4
    assert {row[-1] for row in beside.rows} == {1.0}


def test_a_policy_with_schemas_lists_them(tmp_path: Path) -> None:
    folder = make_shop(tmp_path / "shop")
    text = (folder / "shop.yaml").read_text(encoding="utf-8")
    listed = text.replace("  regions:", "  geo.tags: {source: shop.duckdb, public: true}\n  regions:")
    (folder / "shop.yaml").write_text(listed, encoding="utf-8")
    with closing(opened(folder / "shop.yaml")) as session:
        schemas = session.answer("SELECT schema_name FROM information_schema.schemata ORDER BY 1").rows
        columns = "SELECT table_name, data_type FROM information_schema.columns WHERE table_schema = 'geo'"
        assert schemas == (("dpsql",), ("geo",), ("information_schema",), ("main",))
        assert session.answer(columns).rows == (("tags", "VARCHAR"), ("tags", "VARCHAR"))


def test_system_tables_are_read_in_an_engine_of_its_own_process_as_well(policy: Path) -> None:
    text = policy.read_text(encoding="utf-8")
    policy.write_text(f"{text}engine: {{isolation: process}}\n", encoding="utf-8")
    with closing(opened(policy, epsilon="0.25")) as session:
        session.answer(BY_REGION)
        assert session.answer("SELECT epsilon FROM dpsql.history").rows == ((0.25,),)
        assert session.answer("SELECT count(*) FROM information_schema.columns").rows[0][0] == 17 + 35
        assert session.budget().spent.epsilon == Fraction(1, 4)


def test_the_engines_own_catalogue_is_not_even_described(alice: Session) -> None:
    sql = (
        '/* é */ SELECT "information_schema".tables.table_name, x.tables '
        "FROM INFORMATION_SCHEMA.tables, dpsql.budget AS x, information_schema.nosuch"
    )
    assert gate(sql, alice._state.public).described == (
        '/* é */ SELECT "dpsql_information_schema".tables.table_name, x.tables '
        'FROM "dpsql_information_schema".tables, "dpsql_own".budget AS x, information_schema.nosuch'
    )
    explained = gate("EXPLAIN  SELECT * FROM information_schema.columns", alice._state.public)
    assert explained.described == 'SELECT * FROM "dpsql_information_schema".columns'
