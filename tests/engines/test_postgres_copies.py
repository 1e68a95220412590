"""Tables of PostgreSQL, copied in one snapshot: a value becomes one of the policy's type, or its table is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

import duckdb
import psycopg
import pytest
from answers.noiseless import Noiseless
from click.testing import CliRunner
from postgresql.server import Server

from dpsql.engines.databases.copies import copy_databases
from dpsql.engines.private_engine import make_tables
from dpsql.engines.sqlgen.relation import SOURCE
from dpsql.errors import OperationalError, PolicyError
from dpsql.interfaces.cli.app import main
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.progress import Phase, untold
from dpsql.session import build_session

POLICY = """version: 1
privacy: {{unit: {table}.u, max_rows_per_unit: 9}}
accountant: pure
tables:
  {table}: {{source: "{source}", unit_key: u, columns: {{u: {{type: {key}}}, {columns}}}}}
  {more}
budgets: {{dataset: {{epsilon: 1000}}, default: {{epsilon: 1000, per_query: 1}}}}
"""
BEYOND, BEFORE = "290000-01-01", "4000-01-01 (BC)"


@dataclass(frozen=True)
class Shop:
    """A database of these tests' own."""

    server: Server

    def url(self, user: str = "admin") -> str:
        return self.server.url(user, "shop")


def run(shop: Shop, *statements: str) -> None:
    with psycopg.connect(shop.url(), autocommit=True) as database:
        for statement in statements:
            database.execute(statement.encode())


def policy_in(
    folder: Path, source: str, columns: str, key: str = "integer", table: str = "t", more: str = ""
) -> Policy:
    text = POLICY.format(source=source, columns=columns, key=key, table=table, more=more)
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    return load_policy(folder / "policy.yaml")


def copied(policy: Policy) -> None:
    copy_databases(policy, untold)


def read(policy: Policy, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect() as connection:
        make_tables(connection, policy)
        return connection.execute(sql.replace("FROM ", f"FROM {SOURCE}.")).fetchall()


INFINITE = float("inf")
READ = {
    "int2": ("integer", {"'-32768'": -32768}),
    "int8": ("integer", {"'9223372036854775807'": 2**63 - 1}),
    "numeric": ("float", {
        "0.1": 0.1, "'NaN'": "nan", "'Infinity'": INFINITE, "'-Infinity'": -INFINITE, "1e400": INFINITE,
        "-1e400": -INFINITE, "1e-400": 0.0, "-1e-400": 0.0, "12345678901234567890": 12345678901234567890.0,
    }),
    "numeric(12, 2)": ("float", {"1234567.89": 1234567.89}),
    "float8": ("float", {"'NaN'": "nan", "'-Infinity'": -INFINITE, "0.1": 0.1}),
    "float4": ("float", {"0.5": 0.5}),
    "bool": ("boolean", {"true": True}),
    "text": ("text", {"'zoë'": "zoë", "''": "", "repeat('x', 5000)": "x" * 4096}),
    "char(3)": ("text", {"'a'": "a"}),
    "uuid": ("text", {"'6BA7B810-9dad-11d1-80b4-00c04fd430c8'": "6ba7b810-9dad-11d1-80b4-00c04fd430c8"}),
    "mood": ("text", {"'sad'": "sad"}),
    "cents": ("integer", {"7": 7}),
    "date": ("date", {"'2025-01-31'": date(2025, 1, 31), "'infinity'": BEYOND, "'-infinity'": BEFORE,
                      "'5874897-12-31'": BEYOND}),
    "timestamp": ("timestamp", {"'2025-01-31 10:00:00.5'": datetime(2025, 1, 31, 10, 0, 0, 500_000),
                                "'infinity'": f"{BEYOND} 00:00:00", "'-infinity'": "4000-01-01 (BC) 00:00:00",
                                "'294276-12-31'": f"{BEYOND} 00:00:00"}),
    "timestamptz": ("timestamp", {"'2025-01-31 10:00+02'": datetime(2025, 1, 31, 8),
                                  "'infinity'": f"{BEYOND} 00:00:00"}),
}  # fmt: skip
WRITTEN = {
    "int4[]": "integer[]",
    "time": "time without time zone",
    "timestamptz": "timestamp with time zone",
    "pair": "public.pair",
    "told": "public.told",
    "mood": "public.mood",
}
REFUSED = {
    "int4[]": "integer", "text[]": "text", "jsonb": "text", "json": "text", "bytea": "text", "money": "float",
    "interval": "text", "time": "text", "point": "text", "int4range": "text", "oid": "integer", "inet": "text",
    "numeric": "integer", "pair": "text", "xml": "text", "mood": "integer", "timestamptz": "date",
    "told": "text",
}  # fmt: skip


@pytest.fixture(scope="module")
def types(postgres_server: Server) -> Iterator[Shop]:
    with psycopg.connect(postgres_server.url(), autocommit=True) as database:
        database.execute("CREATE DATABASE shop")
    shop = Shop(postgres_server)
    run(
        shop,
        "CREATE TYPE mood AS ENUM ('sad', 'glad')",
        "CREATE DOMAIN small AS int4",
        "CREATE DOMAIN cents AS small CHECK (VALUE > 0)",
        "CREATE TYPE pair AS (a int4, b int4)",
        "CREATE TYPE told AS ENUM ('a')",
        "CREATE FUNCTION tell(told) RETURNS text LANGUAGE sql AS 'SELECT random()::text'",
        "CREATE CAST (told AS text) WITH FUNCTION tell(told)",
    )
    yield shop
    with psycopg.connect(postgres_server.url(), autocommit=True) as database:
        database.execute("DROP DATABASE shop WITH (FORCE)")
        database.execute("DROP ROLE IF EXISTS reader")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", READ)
def test_every_value_of_a_type_is_read(kind: str, types: Shop, tmp_path: Path) -> None:
    wanted, cases = READ[kind]
    values = ", ".join(f"({n}, ({text})::{kind})" for n, text in enumerate(cases))
    run(types, "DROP TABLE IF EXISTS t", f"CREATE TABLE t (u int4, x {kind})")
    run(types, f"INSERT INTO t VALUES {values}, (99, NULL)")
    policy = policy_in(tmp_path, types.url(), f"x: {{type: {wanted}, nullable: true}}")
    copied(policy)
    found = [text for (text,) in read(policy, "SELECT x::VARCHAR FROM t ORDER BY u")]
    with duckdb.connect() as connection:
        spelled = [connection.execute("SELECT $1::VARCHAR", [v]).fetchall()[0][0] for v in cases.values()]
    assert found == [*spelled, None]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", REFUSED)
def test_other_types_are_refused_by_name(kind: str, types: Shop, tmp_path: Path) -> None:
    run(types, "DROP TABLE IF EXISTS t", f"CREATE TABLE t (u int4, x {kind})")
    wanted, written = REFUSED[kind], WRITTEN.get(kind, kind)
    message = re.escape(f"tables.t.source: the database has x as {written}, which cannot be read as {wanted}")
    with pytest.raises(PolicyError, match=message):
        copied(policy_in(tmp_path, types.url(), f"x: {{type: {wanted}, nullable: true}}"))
    assert [p.name for p in (tmp_path / "policy.prepared").iterdir()] == ["policy.lock"]


@pytest.mark.parametrize(
    ("made", "source", "message"),
    [
        ("CREATE VIEW v AS SELECT 1 AS u, 2 AS x", "#public.v", "public.v is a view, which may mix rows"),
        ("CREATE MATERIALIZED VIEW w AS SELECT 1 AS u, 2 AS x", "#w", "public.w is a materialized view"),
        (
            "CREATE FOREIGN DATA WRAPPER w; CREATE SERVER s FOREIGN DATA WRAPPER w; "
            "CREATE TABLE parts (u int4, x int4) PARTITION BY LIST (x); "
            "CREATE TABLE half PARTITION OF parts FOR VALUES IN (1) PARTITION BY LIST (u); "
            "CREATE FOREIGN TABLE afar PARTITION OF half FOR VALUES IN (1) SERVER s", "#parts",
            "public.parts reads afar, a foreign table, which may mix rows",
        ),
        ("SELECT 1", "#public.absent", "there is no table public.absent"),
        ("SELECT 1", "#'; DROP TABLE t", "there is no table public.'; DROP TABLE t in the database"),
        ("CREATE TABLE cased (u int4, \"X\" int4, \"x \" int4)", "#cased", None),
        ("CREATE TABLE doubled (u int4, \"X\" int4, \"Y\" int4, \"y\" int4)", "#doubled", None),
        ("CREATE TABLE lacking (u int4)", "#lacking", "the table has no column x"),
        ("CREATE TABLE keyed (u numeric, x int4)", "#keyed", "of which two values could become one key"),
    ],
    ids=str,
)  # fmt: skip
def test_a_source_is_a_table(
    made: str, source: str, message: str | None, types: Shop, tmp_path: Path
) -> None:
    run(types, made)
    key = "float" if "keyed" in source else "integer"
    policy = policy_in(tmp_path, types.url() + source, "x: {type: integer, nullable: true}", key)
    if message is None:
        copied(policy)
        return
    with pytest.raises(PolicyError, match=message):
        copied(policy)


@pytest.mark.parametrize(("kind", "key"), [("date", "date"), ("timestamptz", "timestamp")])
def test_two_keys_never_become_one(kind: str, key: str, types: Shop, tmp_path: Path) -> None:
    """Days beyond all years of a policy are one day in the copy, and no key: two people would be one."""
    run(
        types, f"CREATE TABLE of_{key} (u {kind}, x int4)",
        f"INSERT INTO of_{key} VALUES ('2025-01-31', 1), ('infinity', 2), ('290001-01-01', 3), ('-infinity', 4)",
    )  # fmt: skip
    policy = policy_in(tmp_path, f"{types.url()}#of_{key}", "x: {type: integer, nullable: true}", key)
    copied(policy)
    assert read(policy, "SELECT x, u IS NULL FROM t ORDER BY x") == [
        (1, False), (2, True), (3, True), (4, True),
    ]  # fmt: skip


def test_rows_that_row_security_hides_are_missed_by_nobody(types: Shop, tmp_path: Path) -> None:
    run(
        types, "CREATE TABLE hidden (u int4, x int4)", "INSERT INTO hidden VALUES (1, 1), (2, 2)",
        "ALTER TABLE hidden ENABLE ROW LEVEL SECURITY", "CREATE POLICY mine ON hidden USING (u = 1)",
        "CREATE ROLE reader LOGIN", "GRANT SELECT ON hidden TO reader",
    )  # fmt: skip
    policy = policy_in(tmp_path, f"{types.url('reader')}#hidden", "x: {type: integer, nullable: true}")
    with pytest.raises(PolicyError, match="row-level security"):
        copied(policy)


def test_texts_come_in_utf8_whatever_the_environment_says(
    types: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = "CREATE TABLE t AS SELECT 1 AS u, 'zoë €'::text AS x"
    run(types, "DROP TABLE IF EXISTS t", made)
    policy = policy_in(tmp_path, types.url(), "x: {type: text}")
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    copied(policy)
    assert read(policy, "SELECT x FROM t") == [("zoë €",)]


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_whose_texts_may_be_no_utf8_is_refused(encoding: str, types: Shop, tmp_path: Path) -> None:
    """SQL_ASCII keeps any bytes: what one person's text is failed every query that read its column."""
    name = f"in_{encoding.lower()}"
    run(types, f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'")
    policy = policy_in(tmp_path, types.server.url(database=name), "x: {type: text}")
    with pytest.raises(PolicyError, match=f"keeps its text as {encoding}; only databases in UTF8 are read"):
        copied(policy)
    run(types, f"DROP DATABASE {name} WITH (FORCE)")


def test_all_tables_are_of_one_state_while_the_database_changes(
    types: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(
        types,
        "DROP TABLE IF EXISTS t, s",
        "CREATE TABLE t (u int4, x int4)",
        "CREATE TABLE s (u int4, y int4)",
    )
    run(types, "INSERT INTO t SELECT i, i FROM generate_series(1, 50) i", "INSERT INTO s SELECT * FROM t")
    more = f'S: {{source: "{types.url()}#s", unit_key: u, columns: {{u: {{type: integer}}, y: {{type: integer}}}}}}'
    policy = policy_in(tmp_path, types.url(), "x: {type: integer}", more=more)

    def change(phase: Phase) -> None:
        if phase.name.startswith("S:"):  # t is copied by now
            run(types, "DELETE FROM s", "UPDATE t SET x = 0")

    copy_databases(policy, change)
    assert read(policy, "SELECT sum(x) FROM t") == read(policy, "SELECT sum(y) FROM S") == [(1275,)]


def test_a_copy_is_private_and_replaced_when_it_is_whole(types: Shop, tmp_path: Path) -> None:
    run(types, "DROP TABLE IF EXISTS t", "CREATE TABLE t (u int4, x int4)", "INSERT INTO t VALUES (1, 5)")
    policy = policy_in(tmp_path, types.url(), "x: {type: integer, lower: 0, upper: 10}")
    with pytest.raises(PolicyError, match="there is none yet; run `dpsql prepare`"):
        build_session(policy, "a", None, (None, None), Noiseless())
    copied(policy)
    path = policy.tables[0].source.path
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    with closing(build_session(policy, "a", None, (None, None), Noiseless())) as session:
        assert session.answer("SELECT SUM(x) FROM t").rows == ((5,),)
    run(types, "ALTER TABLE t ALTER x TYPE text")
    with pytest.raises(PolicyError, match="cannot be read as integer"):
        copied(policy)
    assert {p.name for p in path.parent.iterdir()} == {path.name, "policy.lock"}
    assert read(policy, "SELECT x FROM t") == [(5,)]
    run(types, "ALTER TABLE t ALTER x TYPE int4 USING 7")
    copied(policy)
    with pytest.raises(OperationalError, match="the data has changed"):
        build_session(policy, "a", None, (None, None), Noiseless())


def test_the_command_copies_before_it_prepares(types: Shop, tmp_path: Path) -> None:
    run(
        types,
        "DROP TABLE IF EXISTS t",
        "CREATE TABLE t (u int4, x int4)",
        "INSERT INTO t VALUES (1, 5), (2, 6)",
    )
    policy = policy_in(tmp_path, types.url(), "x: {type: integer, lower: 0, upper: 10}")
    done = CliRunner().invoke(main, ["prepare", str(policy.path)], catch_exceptions=False)
    assert done.exit_code == 0 and "1 table is copied, 2 rows" in done.stderr
    gone = CliRunner().invoke(main, ["prepare", str(policy.path), "--remove"])
    assert gone.exit_code == 0 and not policy.tables[0].source.path.exists()


def test_what_cannot_be_reached_is_a_sentence_without_the_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", "s3cret")
    policy = policy_in(tmp_path, f"postgresql://admin:@/postgres?host={tmp_path}", "x: {type: integer}")
    with pytest.raises(PolicyError, match=r"tables: the database cannot be read") as refused:
        copied(policy)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("kind", ["text", "json", "jsonb"])
def test_json_is_copied_whole(kind: str, types: Shop, tmp_path: Path) -> None:
    none = "none" if kind == "text" else '"none"'
    run(types, "DROP TABLE IF EXISTS t", f"CREATE TABLE t (u int4, x {kind})")
    run(
        types,
        """INSERT INTO t VALUES (1, '{"a": 5}'), (2, '""" + none + """'), (3, '{"a": "5"}'), (4, NULL)""",
    )
    fields = "x: {type: json, fields: {a: {type: integer}, b: {type: text}}}"
    policy = policy_in(tmp_path, types.url(), fields)
    copied(policy)
    rows = read(policy, """SELECT u, "x->>'a'", "x->>'b'" FROM t""")
    assert sorted(rows) == [(1, 5, None), *((u, None, None) for u in (2, 3, 4))]


def test_what_is_no_json_is_refused_by_name(types: Shop, tmp_path: Path) -> None:
    run(types, "DROP TABLE IF EXISTS t", "CREATE TABLE t (u int4, x xml)")
    fields = "x: {type: json, fields: {a: {type: integer}}}"
    with pytest.raises(PolicyError, match="has x as xml, which cannot be read as json"):
        copied(policy_in(tmp_path, types.url(), fields))
