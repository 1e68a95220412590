"""What a PostgreSQL client of the server sees of the system: its database, its values, nothing of anybody else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from bi.store import POLICY, make_store
from fuzz.compare import NoNoise

from dpsql.errors import ProgrammingError, QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.sql.system_tables.declarations import declared_tables
from dpsql.sql.system_tables.system_context import Client, SystemContext
from dpsql.stages.system_statement import system_table

OTHERS = """
  analysts:
    tool: {epsilon: 3, delta: 1e-3, per_query: {epsilon: 0.5, delta: 1e-7}}
    somebody_else: {epsilon: 2, delta: 1e-3, per_query: {epsilon: 0.5, delta: 1e-7}}
"""


def opened(policy: Path, database: str | None) -> Session:
    client = Client(database, 7) if database is not None else None
    return build_session(load_policy(policy), "tool", None, (None, None), NoNoise(), client=client)


@pytest.fixture(name="embedded", scope="module")
def _embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with closing(opened(make_store(tmp_path_factory.mktemp("store")), None)) as session:
        yield session


def columns(session: Session, statement: str) -> list[tuple[str, str]]:
    return [(c.name, c.pg_type) for c in session.answer(statement).columns]


def test_a_client_finds_its_own_database(client: Session) -> None:
    asked = (
        "SELECT datname FROM pg_database UNION SELECT current_database() UNION SELECT current_catalog "
        "UNION SELECT table_catalog FROM shop.information_schema.tables "
        "UNION SELECT constraint_catalog FROM information_schema.table_constraints "
        "UNION SELECT catalog_name FROM information_schema.schemata"
    )
    assert client.answer(asked).rows == (("shop",),)
    with pytest.raises(QueryRefused):
        client.answer("SELECT relname FROM other.pg_catalog.pg_class")


def test_only_a_client_of_the_server_meets_postgresql(client: Session, embedded: Session) -> None:
    ((version,),) = client.answer("SELECT version()").rows
    assert str(version).startswith("PostgreSQL 16")
    assert columns(client, "SELECT 1, 'a'") == [("?column?", "int4"), ("?column?", "text")]
    asked = "SELECT data_type FROM information_schema.columns WHERE column_name = 'age'"
    assert client.answer(asked).rows == (("bigint",),)
    ((own,),) = embedded.answer("SELECT version()").rows
    assert str(own).startswith("dpsql")
    assert embedded.answer(asked).rows == (("BIGINT",),)
    assert [c.name for c in embedded.answer("SELECT current_schema()").columns] == ["current_schema()"]
    assert [c.name for c in client.answer("SELECT COUNT(*) FROM products").columns] == ["count"]
    assert [c.name for c in embedded.answer("SELECT COUNT(*) FROM products").columns] == ["count_star()"]


@pytest.mark.parametrize(
    ("statement", "values", "rows"),
    [
        ("SELECT relname FROM pg_class WHERE oid = $1", {"1": 16385}, [("orders",)]),
        ("SELECT relname FROM pg_class WHERE oid = $1", {"1": "16385"}, [("orders",)]),
        ("SELECT relname FROM pg_class WHERE oid = $1::regclass", {"1": "main.orders"}, [("orders",)]),
        ("SELECT relname FROM pg_class WHERE oid = ?::regclass", ["orders"], [("orders",)]),
        (
            "SELECT typname FROM pg_type WHERE oid = any($1::oid[]) ORDER BY oid",
            {"1": "{16,20}"},
            [("bool",), ("int8",)],
        ),
        ("SELECT typname FROM pg_type WHERE oid = any($1::oid[])", {"1": None}, []),
        (
            "SELECT relname FROM pg_class WHERE relname LIKE $1 AND relkind = $2",
            {"1": "order_", "2": "r"},
            [("orders",)],
        ),
        ("SELECT relname FROM pg_class WHERE relname LIKE $1", {"1": "order\\_"}, []),
        (
            "SELECT format_type(atttypid, $1) FROM pg_attribute WHERE attname = $2",
            {"1": -1, "2": "age"},
            [("bigint",)],
        ),
        ("SELECT $1::text, $2::int4 + 1", {"1": "x') --", "2": 4}, [("x') --", 5)]),
        ("SELECT current_setting($1)", {"1": "server_encoding"}, [("UTF8",)]),
        ("SELECT (ARRAY[10, 20, 30])[$1], (ARRAY[10, 20, 30])[$1 + 1]", {"1": 2}, [(20, 30)]),
        ("SELECT (current_schemas(true))[$1]", {"1": 1}, [("pg_catalog",)]),
        ("SELECT indkey[$1], indkey[$1 + 0], indkey[1] FROM pg_index", {"1": 0}, [(1, 1, None)]),
    ],
)
def test_values_are_read_as_if_they_stood_in_the_text(
    statement: str,
    values: Mapping[str, object] | Sequence[object],
    rows: list[tuple[object, ...]],
    client: Session,
) -> None:
    assert list(client.answer(statement, values).rows) == rows


def test_a_value_does_not_escape_what_bounds_a_statement(client: Session) -> None:
    with pytest.raises(QueryRefused, match="generate_series takes numbers up to 100000"):
        client.answer("SELECT n FROM pg_class, generate_series(1, $1) AS n", {"1": 10**9})
    for many in (
        "(SELECT 10 ^ 9 AS indnatts) x",
        "(VALUES (1000000000)) AS x(indnatts)",
        "unnest('{9}'::int[]) AS indnatts",
    ):
        with pytest.raises(QueryRefused, match="generate_series takes numbers up to 100000"):
            client.answer(f"SELECT n FROM pg_class, {many}, generate_series(1, indnatts) AS n")
    with pytest.raises(ProgrammingError):
        client.answer("SELECT relname FROM pg_class WHERE oid = $1", {"2": 1})
    with pytest.raises(QueryRefused):
        client.answer("SELECT relname FROM pg_class WHERE oid = :name")


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("SELECT count(*), max(oid) AS Largest FROM pg_class", "count:int8 largest:oid"),
        (
            'SELECT relkind, relname AS "Name", relkind::text FROM pg_class',
            "relkind:char Name:name relkind:text",
        ),
        (
            "SELECT i.indkey, i.indkey[0], indclass FROM pg_index i",
            "indkey:int2vector indkey:int2 indclass:oidvector",
        ),
        (
            "SELECT x.* FROM (SELECT conkey, array_agg(conname) FROM pg_constraint GROUP BY 1) x",
            "conkey:_int2 array_agg:_name",
        ),
        (
            "WITH w AS (SELECT indrelid::regclass AS t FROM pg_index) SELECT t, t::text FROM w",
            "t:regclass t:text",
        ),
        (
            "SELECT k.n, u FROM pg_index i, unnest(i.indkey) AS u, generate_series(1, 2) AS k(n)",
            "n:int4 u:int2",
        ),
        ("SELECT c.relname FROM pg_class c WHERE false UNION SELECT 'x'::text", "relname:name"),
        ("SELECT typinput, typname || 'x' FROM pg_type LIMIT 0", "typinput:regproc ?column?:text"),
        (
            "SELECT '{1,2}'::oid[], array['r']::\"char\"[], CASE WHEN true THEN 1 END FROM pg_class",
            "oid:_oid array:_char case:int4",
        ),
    ],
)
def test_columns_have_postgresqls_names_and_types(
    statement: str, wanted: str, client: Session, embedded: Session
) -> None:
    assert " ".join(map(":".join, columns(client, statement))) == wanted
    assert columns(embedded, statement) == columns(client, statement)


def test_catalogs_name_nobody_else(tmp_path: Path) -> None:
    """Nor do they depend on who else there is."""
    policy = make_store(tmp_path)
    with closing(opened(policy, "shop")) as alone:
        before = {name: everything(name, alone) for name in declared_tables()}
    policy.write_text(POLICY + OTHERS, encoding="utf-8")
    with closing(opened(policy, "shop")) as among:
        for name, rows in before.items():
            assert "somebody_else" not in repr(everything(name, among))
            assert everything(name, among) == rows, name


def everything(name: str, session: Session) -> list[tuple[object, ...]]:
    context: SystemContext = session._state.system
    assert context.request.analyst == "tool"
    return [tuple(row) for row in system_table(name, session._state).rows]


def test_the_budget_beside_a_catalog_is_todays(client: Session) -> None:
    asked = "SELECT b.epsilon_spent, n.nspname FROM dpsql.budget b, pg_namespace n WHERE n.nspname = 'main'"
    ((before, _),) = client.answer(asked).rows
    client.answer("SELECT count(*) FROM orders WHERE quantity > 3")
    ((after, _),) = client.answer(asked).rows
    assert isinstance(before, float) and isinstance(after, float) and after > before


def test_columns_are_gathered_by_their_places(client: Session) -> None:
    ((places,),) = client.answer(
        "SELECT array_agg(attnum) FROM pg_attribute WHERE attrelid = 'main.products'::regclass"
    ).rows
    assert places == [*range(-6, 0), *range(1, 4)]


def test_a_session_knows_itself_and_no_other(client: Session) -> None:
    state = client._state
    seen = []
    for state.client in (Client("shop", 7), Client("shop", 8, encrypted=True)):
        ((own, ssl, user),) = client.answer(
            "SELECT pg_backend_pid(), s.ssl, a.usename FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) "
            "WHERE pid = pg_backend_pid()"
        ).rows
        assert client.answer("SELECT pg_backend_pid()").rows == ((own,),)
        assert client.answer("SELECT count(*) FROM pg_stat_gssapi WHERE NOT encrypted").rows == ((1,),)
        seen.append((own, ssl, user))
    assert seen == [(7, False, "tool"), (8, True, "tool")]


def test_lists_of_grants_have_no_row(client: Session) -> None:
    granted = "aclexplode(COALESCE(c.relacl, acldefault('r', c.relowner)))"
    lateral = "SELECT c.relname, a.privilege_type FROM pg_class c{} " + granted + " AS a"
    for join in (",", " CROSS JOIN LATERAL", ", LATERAL"):
        assert client.answer(lateral.format(join)).rows == ()
    fields = "SELECT (aclexplode(c.relacl)).grantee, (aclexplode(c.relacl)).is_grantable FROM pg_class c"
    assert client.answer(fields).rows == ()
    assert columns(client, fields) == [("grantee", "oid"), ("is_grantable", "bool")]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT pg_typeof(count(*)) FROM pg_class",
        "SELECT 1 FROM pg_class WHERE pg_typeof(oid) = 'oid'::regtype",
        "SELECT indkey[0:1] FROM pg_index",
        "SELECT conkey[0:1] FROM pg_constraint",
        "SELECT conkey[1:-1] FROM pg_constraint",
        "SELECT conkey[1:1][1:1] FROM pg_constraint",
    ],
)
def test_types_and_parts_that_would_be_others_are_refused(client: Session, statement: str) -> None:
    with pytest.raises(QueryRefused):
        client.answer(statement)


@pytest.mark.parametrize(
    "asked",
    ["INTERVAL '1 month'", "INTERVAL '1 year 2 mons'", "DATE '-infinity'", "'infinity'::timestamp"],
)
def test_a_value_that_python_does_not_have_is_refused_and_can_be_written_as_a_text(
    client: Session, asked: str
) -> None:
    for rest in ("", " FROM pg_class", ", count(*) AS n FROM orders"):
        with pytest.raises(QueryRefused, match=r"has no fixed length|infinite day or moment"):
            client.answer(f"SELECT {asked} AS a{rest}")
        client.answer(f"SELECT CAST({asked} AS text) AS a{rest}")


def test_the_age_of_a_moment_is_none_of_a_transaction(client: Session) -> None:
    (((written,),), ((number,),)) = (
        client.answer(sql).rows
        for sql in ("SELECT age(DATE '1999-01-01')::text", "SELECT age(relfrozenxid) FROM pg_class LIMIT 1")
    )
    assert "years" in written and number == 1


@pytest.mark.parametrize("of", ["query_start", "greatest(xact_start, now())", "CAST(backend_start AS date)"])
def test_the_age_of_a_column_of_moments_is_refused(client: Session, of: str) -> None:
    with pytest.raises(QueryRefused, match="age with 1 arguments is not supported"):
        client.answer(f"SELECT age({of}) FROM pg_stat_activity")
    assert client.answer("SELECT age(backend_xmin) IS NULL FROM pg_stat_activity LIMIT 0").rows == ()


def test_texts_of_tables_have_the_type_that_catalogs_tell(client: Session) -> None:
    told = client.answer(
        "SELECT t.typname FROM pg_attribute a JOIN pg_type t ON t.oid = atttypid WHERE attrelid = 'products'::regclass "
        "AND attname IN ('name', 'brand')"
    )
    assert told.rows == (("varchar",), ("varchar",))
    for asked in (
        "SELECT name, brand FROM products",
        "SELECT name, brand FROM products ORDER BY upper(name)",
    ):
        assert [c.pg_type for c in client.answer(asked).columns] == ["varchar", "varchar"]
    described = client.describe("SELECT upper(name), region, count(*) FROM products, orders GROUP BY ALL")
    assert [c.pg_type for c in described.columns] == ["", "varchar", ""]
