"""SQLAlchemy's inspector is answered from the policy."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine.reflection import Inspector

import dpsql

from .conftest import MakeEngine


@pytest.fixture(name="linked")
def _linked(engine: MakeEngine) -> Inspector:
    found: Inspector = sa.inspect(engine("linked"))
    return found


def test_schemas_tables_and_views(linked: Inspector) -> None:
    assert linked.get_schema_names() == ["dpsql", "information_schema", "main"]
    assert linked.default_schema_name == "main"
    assert linked.get_table_names() == ["people", "orders", "trips", "parcels", "regions"]
    assert linked.get_table_names("MAIN") == linked.get_table_names("main") == linked.get_table_names()
    assert (
        linked.get_view_names() == linked.get_table_names("dpsql") == linked.get_table_names("nosuch") == []
    )
    assert linked.get_view_names("dpsql") == ["budget", "parts", "history", "columns"]
    assert linked.get_temp_table_names() == []


def test_columns_have_types_nullability_and_what_the_policy_says_of_their_values(linked: Inspector) -> None:
    columns = {c["name"]: c for c in linked.get_columns("orders")}
    assert {name: str(c["type"]) for name, c in columns.items()} == {
        "customer": "BIGINT", "region": "VARCHAR", "product": "BIGINT", "quantity": "BIGINT", "amount": "DOUBLE",
        "day": "DATE",
    }  # fmt: skip
    assert columns["amount"]["comment"] == "from 0 to 100"
    assert columns["region"]["comment"] == "one of north, south, east, west"
    people = {c["name"]: c["nullable"] for c in linked.get_columns("people")}
    assert people == {"person": False, "age": False, "plan": True}
    assert [c["name"] for c in linked.get_columns("regions")] == ["region", "country", "zone"]
    assert [str(c["type"]) for c in linked.get_columns("history", "dpsql")][:2] == ["BIGINT", "TIMESTAMP"]


@pytest.mark.parametrize(
    ("table", "key"), [("people", ["person"]), ("trips", ["trip"]), ("orders", []), ("regions", [])]
)
def test_what_is_declared_to_be_unique_is_the_primary_key(
    table: str, key: list[str], linked: Inspector
) -> None:
    assert linked.get_pk_constraint(table) == {"constrained_columns": key, "name": None}


@pytest.mark.parametrize(
    ("table", "column", "target", "key"),
    [
        ("parcels", "of_trip", "trips", "trip"),
        ("trips", "person", "people", "person"),
        ("orders", "customer", "people", "person"),
    ],
)
def test_foreign_keys_are_the_steps_of_the_policys_paths(
    table: str, column: str, target: str, key: str, linked: Inspector
) -> None:
    (found,) = linked.get_foreign_keys(table)
    assert found["constrained_columns"] == [column] and found["referred_columns"] == [key]
    assert (found["referred_schema"], found["referred_table"]) == (None, target)
    assert linked.get_foreign_keys(table, "main")[0]["referred_schema"] == "main"


@pytest.mark.parametrize("schema", ["main", "public", "Public"])
def test_a_schema_of_the_policys_tables_has_the_names_that_queries_may_give_it(
    schema: str, linked: Inspector
) -> None:
    assert linked.has_schema(schema) and linked.has_table("parcels", schema)
    assert linked.get_table_names(schema) == linked.get_table_names()
    assert [c["name"] for c in linked.get_columns("people", schema)] == ["person", "age", "plan"]
    (found,) = linked.get_foreign_keys("parcels", schema)
    assert (found["referred_schema"], found["referred_table"]) == (schema, "trips")


@pytest.mark.parametrize("schema", ["main", "public"])
def test_tables_of_a_schema_are_reflected_with_their_keys_and_can_be_asked(
    schema: str, engine: MakeEngine
) -> None:
    opened, metadata = engine("linked"), sa.MetaData()
    metadata.reflect(opened, schema=schema)
    parcels, trips = metadata.tables[f"{schema}.parcels"], metadata.tables[f"{schema}.trips"]
    counted = sa.select(sa.func.count()).select_from(parcels.join(trips))
    with opened.connect() as connection:
        assert len(connection.execute(counted).fetchall()) == 1


def test_tables_without_a_way_to_an_owner_have_no_foreign_key(linked: Inspector) -> None:
    assert linked.get_foreign_keys("people") == linked.get_foreign_keys("regions") == []


def test_tables_are_found_in_any_case(linked: Inspector) -> None:
    assert linked.has_table("ORDERS") and linked.has_table("Budget", schema="DPSQL")
    assert not linked.has_table("budget") and not linked.has_table("orders", schema="dpsql")
    assert str(linked.get_columns("Orders")) == str(linked.get_columns("orders"))


@pytest.mark.parametrize(
    "ask",
    ["get_columns", "get_pk_constraint", "get_foreign_keys", "get_indexes", "get_unique_constraints",
     "get_check_constraints", "get_table_comment", "get_table_options"],
)  # fmt: skip
def test_a_table_that_is_not_there_is_said_to_be_none(ask: str, linked: Inspector) -> None:
    getattr(linked, ask)("orders")
    with pytest.raises(sa.exc.NoSuchTableError, match="nosuch"):
        getattr(linked, ask)("nosuch")


def test_indexes_and_constraints_are_none(linked: Inspector) -> None:
    asks = (linked.get_indexes, linked.get_unique_constraints, linked.get_check_constraints)
    assert [ask("orders") for ask in asks] == [[], [], []]


def test_a_private_table_says_that_it_is_one(linked: Inspector) -> None:
    assert linked.get_table_comment("orders")["text"].startswith("private: aggregates only, at most 10 rows")
    assert linked.get_table_comment("regions")["text"] == "public"


def test_reflected_tables_can_be_asked(engine: MakeEngine) -> None:
    made = engine("linked")
    metadata = sa.MetaData()
    metadata.reflect(bind=made)
    assert sorted(metadata.tables) == ["orders", "parcels", "people", "regions", "trips"]
    parcels, trips = metadata.tables["parcels"], metadata.tables["trips"]
    joined = (
        sa.select(parcels.c.kind, sa.func.count()).select_from(parcels.join(trips)).group_by(parcels.c.kind)
    )
    with made.connect() as connection:
        assert len(connection.execute(joined).fetchall()) == 3


def test_hidden_columns_are_in_nothing_that_is_told(shop: Path, engine: MakeEngine) -> None:
    text = (shop / "linked.yaml").read_text("utf-8")
    hidden = text.replace(
        "person: {type: integer}\n      age", "person: {type: integer, hidden: true}\n      age"
    )
    (shop / "hidden.yaml").write_text(
        hidden.replace("product:  {type: integer}", "product:  {type: integer, hidden: true}")
    )
    inspector = sa.inspect(engine("hidden"))
    assert "person" not in [c["name"] for c in inspector.get_columns("people")]
    assert inspector.get_pk_constraint("people")["constrained_columns"] == []
    assert inspector.get_foreign_keys("orders") == []
    assert "product" not in [c["name"] for c in inspector.get_columns("orders")]


def test_the_tables_of_a_connection_agree_with_information_schema(shop: Path, tmp_path: Path) -> None:
    with dpsql.connect(shop / "linked.yaml", analyst="alice", ledger=tmp_path / "l") as connection:
        reports = [t for t in connection.tables() if t.schema != "information_schema"]
        told = connection.execute(
            "SELECT table_schema, table_name, column_name, data_type, is_nullable FROM information_schema.columns"
        ).fetchall()
    mine = [
        (t.schema, t.name, c.name, c.type, "YES" if c.nullable else "NO") for t in reports for c in t.columns
    ]
    assert sorted(mine) == sorted(told) and len(mine) > 20
