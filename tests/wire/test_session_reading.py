"""How a text is cut into statements, what is read of those about the session, and settings and transactions."""

from __future__ import annotations

from pathlib import Path

import pytest
from bi.store import POLICY

from dpsql.dbapi import Connection
from dpsql.engines.base import OutputColumn
from dpsql.errors import (
    BudgetExhausted,
    InternalError,
    LedgerUnavailable,
    OperationalError,
    ProgrammingError,
    QueryFailed,
    QueryRefused,
    Refusal,
)
from dpsql.interfaces.server.working.served_databases import ServedDatabase
from dpsql.interfaces.wire.channel import SessionSettings
from dpsql.interfaces.wire.failures import Failure, TooManyCalls, Unsendable, failure_of
from dpsql.interfaces.wire.inner_calls import answered
from dpsql.interfaces.wire.messages import ProtocolViolation
from dpsql.interfaces.wire.portals import (
    COLUMN_LENGTH,
    LONGEST_NAME,
    MOST_CHARACTERS,
    MOST_PORTALS,
    MOST_ROWS,
    MOST_STATEMENTS,
    Portal,
    Portals,
    Prepared,
    Result,
)
from dpsql.interfaces.wire.settings import Settings, opened_settings
from dpsql.interfaces.wire.told_columns import as_told, check_told
from dpsql.interfaces.wire.transactions import Phase, Transaction
from dpsql.interfaces.wire.values.text_values import text_writer
from dpsql.interfaces.wire.values.wire_types import column_type
from dpsql.policy.load import load_policy
from dpsql.release.types import Description
from dpsql.sql.lex.statement_texts import StatementText, statement_texts
from dpsql.sql.parse.client_statement_reader import client_statement
from dpsql.sql.parse.client_statements import (
    Begin,
    Commit,
    CopyOut,
    Declare,
    Discard,
    Fetch,
    Listen,
    Mark,
    Reset,
    Rollback,
    SetCall,
    SetConstraints,
    SettingCalls,
    SetTransaction,
    SetValue,
    Show,
    Way,
)
from wire.openings import Shop


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("", []),
        (" ; -- nothing\n;/* no; */", []),
        ("a;b", [("a", 0), ("b", 2)]),
        ("a ';' b; \"c;\" -- d;\n; `e;`", [("a ';' b", 0), (' "c;" -- d;\n', 8), (" `e;`", 21)]),
        ("a 'it''s;'; b", [("a 'it''s;'", 0), (" b", 11)]),
        ("a '; b", [("a '", 0), (" b", 4)]),
        ("/* a; /* b; */ c; */ d;", [("/* a; /* b; */ c; */ d", 0)]),
    ],
)
def test_a_text_is_cut_at_its_semicolons(text: str, statements: list[tuple[str, int]]) -> None:
    assert [(s.sql, s.start) for s in statement_texts(text)] == statements


def test_a_comment_without_an_end_is_refused() -> None:
    with pytest.raises(QueryRefused) as refused:
        statement_texts("SELECT 1; /* open")
    assert refused.value.kind is Refusal.SYNTAX


def test_a_place_is_counted_in_characters_of_the_whole_text() -> None:
    statement = StatementText("SELECT\nä, x", 10)
    assert statement.position(1, 1) == 11
    assert statement.position(2, 4) == 21
    assert statement.position(9, 99) == 22, "never behind the text"


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        ("SET dpsql.epsilon TO 0.1", SetValue("dpsql.epsilon", "0.1")),
        ("set local \"A b\" = 'it''s'", SetValue("A b", "it's", True)),
        ("SET search_path = main, pg_catalog", SetValue("search_path", "main, pg_catalog")),
        ("/* x */ SET TIME ZONE LOCAL;", SetValue("timezone", None)),
        ("SHOW TIME ZONE", Show("timezone")),
        ('ROLLBACK TO "A"', Rollback("A")),
        ("DECLARE c NO SCROLL CURSOR FOR SELECT 1", Declare("c", "SELECT 1", 31, back=False)),
        (
            "DECLARE c SCROLL INSENSITIVE CURSOR WITH HOLD FOR SELECT 1",
            Declare("c", "SELECT 1", 50, hold=True),
        ),
        ("FETCH FORWARD ALL FROM C", Fetch("c", None)),
        ("FETCH -1 FROM c", Fetch("c", -1)),
        ("FETCH PRIOR FROM c", Fetch("c", 1, way=Way.BACKWARD)),
        ("MOVE BACKWARD ALL IN c", Fetch("c", None, True, Way.BACKWARD)),
        ("FETCH LAST c", Fetch("c", -1, way=Way.ABSOLUTE)),
        ("FETCH RELATIVE 0 FROM c", Fetch("c", 0, way=Way.RELATIVE)),
        ("COPY (SELECT ')' FROM t) TO STDOUT", CopyOut("SELECT ')' FROM t", 6)),
        (
            "COPY t (a, b) TO STDOUT WITH CSV NULL AS 'x'",
            CopyOut("SELECT a, b FROM t", 0, (("format", ("csv",)), ("null", ("x",)))),
        ),
        ("SET ROLE NONE", SetValue("role", "none")),
        ("SET LOCAL ROLE 'none'", SetValue("role", "none", local=True)),
        ("SET SESSION AUTHORIZATION DEFAULT", SetValue("role", None)),
        ("SET SESSION SESSION AUTHORIZATION DEFAULT", SetValue("role", None)),
        ("RESET SESSION AUTHORIZATION", Reset("role")),
        ("RESET TIME ZONE", Reset("timezone")),
        ("SET SCHEMA 'main'", SetValue("search_path", "main")),
        ('SET search_path TO "$user", public', SetValue("search_path", '"$user", public')),
        ("START TRANSACTION READ ONLY", Begin("START TRANSACTION", (("transaction_read_only", "on"),))),
        (
            "BEGIN ISOLATION LEVEL REPEATABLE READ, NOT DEFERRABLE",
            Begin("BEGIN", (("transaction_isolation", "repeatable read"), ("transaction_deferrable", "off"))),
        ),
        (
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
            SetTransaction((("transaction_read_only", "off"),), session=True),
        ),
        ("SET CONSTRAINTS ALL DEFERRED", SetConstraints()),
        ("COMMIT AND NO CHAIN", Commit()),
        ("END WORK AND CHAIN", Commit(chain=True)),
        ("ABORT TRANSACTION AND CHAIN", Rollback(chain=True)),
        ("SHOW SESSION AUTHORIZATION", Show("session_authorization")),
        ("SET LOCAL TIME ZONE INTERVAL '+00:00' HOUR TO MINUTE", SetValue("timezone", "+00:00", local=True)),
        ("LISTEN a", Listen()),
        ("DECLARE c BINARY CURSOR FOR SELECT 1", Declare("c", "SELECT 1", 28, binary=True)),
        ("DISCARD TEMPORARY", Discard("TEMP")),
        (
            "SELECT set_config('a', 'b''c', true) AS x, pg_catalog.current_setting('d', false)",
            SettingCalls((("x", SetCall("a", "b'c", local=True)), ("current_setting", Show("d")))),
        ),
        (
            "SELECT set_config($1, $2, False), set_config('a', current_setting('b', TRUE), true)",
            SettingCalls(
                (
                    ("set_config", SetCall(Mark(1), Mark(2))),
                    ("set_config", SetCall("a", Show("b"), local=True)),
                )
            ),
        ),
        ("SELECT set_config('a', set_config('b', 'c', true), true)", None),
        ("SELECT set_config('a', 'b', true) FROM pg_class", None),
        ("SELECT set_config('a', 'b', true) || 'c'", None),
        ("SELECT set_config('a', NULL, true)", None),
        ("SELECT set_config('a', 'b', true), relname", None),
        ("SELECT 1", None),
        ("EXPLAIN SELECT 1", None),
    ],
)
def test_statements_about_the_session_are_read_whole(sql: str, read: object) -> None:
    assert client_statement(sql) == read


@pytest.mark.parametrize(
    "sql",
    [
        "BEGIN; COMMIT",
        "BEGIN ISOLATION LEVEL LOOSE",
        "BEGIN ISOLATION LEVEL SERIALIZABLE,",
        "BEGIN READ ONLYDEFERRABLE",
        "SET TRANSACTION",
        "SET CONSTRAINTS one DEFERRED",
        "COMMIT AND",
        "ROLLBACK TO a AND CHAIN",
        "LISTEN 'a'",
        "ROLLBACK PREPARED 'x'",
        "SET a",
        "SET a = b,",
        "SET a = b c",
        "SET ROLE admin",
        "SET SESSION AUTHORIZATION x",
        "FETCH ABSOLUTE FROM c",
        "FETCH ABSOLUTE ALL FROM c",
        "FETCH PRIOR 1 FROM c",
        "FETCH --1 FROM c",
        "DECLARE c SCROLL",
        "DECLARE c CURSOR FOR",
        "COPY t FROM STDIN",
        "COPY t TO '/tmp/x'",
        "COPY t TO PROGRAM 'x'",
        "COPY (SELECT 1 TO STDOUT",
        "CLOSE",
    ],
)
def test_other_forms_of_them_are_refused(sql: str) -> None:
    with pytest.raises(QueryRefused):
        client_statement(sql)


SETTINGS = Settings({}, {"application_name": "begun"}, {"session_authorization": "alice"})


def test_a_setting_hides_the_default_until_it_is_reset() -> None:
    changed = SETTINGS.set("Application_Name", "x")
    assert (SETTINGS.show("application_name"), changed.show("APPLICATION_NAME")) == ("begun", "x")
    assert changed.set("application_name", None).show("application_name") == "begun"
    assert changed.reset() == SETTINGS


def test_dpsqls_settings_are_told_apart() -> None:
    own = SETTINGS.set("dpsql.epsilon", "0.1").set("dpsql.rows", "empty").own
    assert own == SessionSettings("0.1", "empty", None, None)


@pytest.mark.parametrize(
    ("name", "value", "state"),
    [
        ("nonsense", "1", "42704"),
        ("dpsql.fresh", "true", "42704"),
        ("session_authorization", "bob", "42704"),
        ("is_superuser", "on", "42704"),
        ("client_encoding", "LATIN1", "22023"),
        ("datestyle", "German", "22023"),
        ("bytea_output", "escape", "22023"),
        ("timezone", "Europe/Berlin", "22023"),
        ("extra_float_digits", "0", "22023"),
        ("extra_float_digits", "-15", "22023"),
        ("search_path", "public, elsewhere", "22023"),
        ("standard_conforming_strings", "off", "22023"),
        ("statement_timeout", "soon", "22023"),
    ],
)
def test_a_setting_without_the_effect_it_asks_for_is_refused(name: str, value: str, state: str) -> None:
    with pytest.raises(Failure) as refused:
        SETTINGS.set(name, value)
    assert refused.value.sqlstate == state
    assert SETTINGS.reset() == SETTINGS


def test_public_is_main_unless_the_policy_has_tables_in_it() -> None:
    apart = Settings(public_is_main=False)
    for path in ("public", '"$user",public', "pg_catalog, public, main"):
        assert SETTINGS.set("search_path", path).show("search_path") == path
        with pytest.raises(Failure, match="tables in the schema public"):
            apart.set("search_path", path)
        with pytest.raises(Failure, match="tables in the schema public"):
            opened_settings({"search_path": path}, {}, public_is_main=False)
    assert apart.set("search_path", "main, public").show("search_path") == "main, public"


def test_a_policy_says_whether_public_is_main(tmp_path: Path) -> None:
    told = []
    for name in ("orders", "public.orders", "PUBLIC.orders"):
        file = tmp_path / "store.yaml"
        file.write_text(POLICY.replace("  orders:", f"  {name}:"), encoding="utf-8")
        told.append(ServedDatabase("store", load_policy(file), b"").public_is_main)
    assert told == [True, False, False]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("0", "0"),
        ("0s", "0"),
        ("-1", "-1"),
        ("999", "999ms"),
        ("60000", "1min"),
        ("36 h", "36h"),
        ("48h", "2d"),
        ("5us", "5us"),
    ],
)
def test_a_time_is_shown_in_its_longest_unit(given: str, shown: str) -> None:
    assert SETTINGS.set("statement_timeout", given).show("statement_timeout") == shown


def test_a_start_up_packet_sets_defaults() -> None:
    asked = {
        "user": "u",
        "database": "d",
        "DateStyle": "ISO",
        "TimeZone": "Europe/Berlin",
        "extra_float_digits": "2",
    }
    opened = opened_settings(
        asked | {"options": r"-c dpsql.epsilon=0.5 --work-mem=64MB -capplication_name=a\ b"}, {}
    )
    assert opened.own == SessionSettings("0.5")
    assert opened.show("application_name") == "a b"
    assert opened.reported()["TimeZone"] == "UTC", "the host's zone, which drivers send unasked, is not taken"
    for wrong in (
        {"options": "-x"},
        {"client_encoding": "LATIN1"},
        {"replication": "database"},
        {"role": "x"},
    ):
        with pytest.raises(Failure):
            opened_settings(asked | wrong, {})


TOLD = (OutputColumn("a", "BIGINT"), OutputColumn("b", "VARCHAR"), OutputColumn("c", "DOUBLE"))


def test_an_answer_is_given_in_the_columns_that_were_told() -> None:
    given = (OutputColumn("a", "INTEGER"), OutputColumn("b", "DATE"), OutputColumn("c", "HUGEINT"))
    assert as_told(TOLD, TOLD, [(1, "x", 0.5)]) == [(1, "x", 0.5)]
    assert as_told(TOLD, given, [(1, None, 3)]) == [(1, None, 3.0)]


@pytest.mark.parametrize(
    ("day", "written"),
    [("10000-01-24", "10000-01-24 00:00:00"), ("0001-12-08 (BC)", "0001-12-08 00:00:00 BC")],
)
def test_a_far_day_is_given_as_a_moment_where_one_was_told(day: str, written: str) -> None:
    told, given = OutputColumn("a", "TIMESTAMP"), OutputColumn("a", "DATE")
    ((moment,),) = as_told([told], [given], [(day,)])
    assert text_writer(column_type(told))(moment) == written


@pytest.mark.parametrize(
    "kinds", [("HUGEINT", "VARCHAR", "DOUBLE"), ("BIGINT", "VARCHAR"), ("DATE", "VARCHAR", "DOUBLE")]
)
def test_other_columns_fail_closed(kinds: tuple[str, ...]) -> None:
    with pytest.raises(Failure) as refused:
        check_told(TOLD, [OutputColumn("a", kind) for kind in kinds])
    assert refused.value.sqlstate == "0A000"
    assert "nothing was charged" in str(refused.value)


@pytest.fixture
def connection(shop: Shop) -> Connection:
    return shop.connect(SessionSettings())


@pytest.mark.parametrize(
    ("sql", "kinds"),
    [
        (
            "SELECT count(*) FROM orders WHERE region = $1 AND amount > $2 AND day BETWEEN $3 AND $4",
            "VARCHAR DOUBLE DATE DATE",
        ),
        (
            "SELECT region, sum(quantity) FROM orders o GROUP BY 1 HAVING sum(o.quantity) > $1 LIMIT $2",
            "BIGINT BIGINT",
        ),
        (
            "SELECT count(*) FROM orders WHERE quantity IN ($1,$2) AND paid = $3 AND placed < $4",
            "BIGINT BIGINT BOOLEAN TIMESTAMP",
        ),
        (
            "WITH t AS (SELECT region r, count(*) n FROM orders GROUP BY 1) SELECT r FROM t WHERE n > $1 AND r LIKE $2",
            "BIGINT VARCHAR",
        ),
        ("SELECT $1 AS a, CAST($2 AS DATE) AS b, -$3 + 1 AS c", "VARCHAR DATE INTEGER"),
        (
            "SELECT count(*) FROM orders WHERE placed > $1::timestamptz AND placed < $2::timestamp",
            "TIMESTAMP_TZ TIMESTAMP",
        ),
        ("SELECT label FROM products WHERE product = ? AND label = ?", "BIGINT VARCHAR"),
        ("SELECT table_name FROM information_schema.columns WHERE ordinal_position = $1", "INTEGER"),
        ("SELECT relname FROM pg_class c WHERE c.oid = $1 AND relkind IN ($2,$3)", 'OID "char" "char"'),
        (
            "SELECT CASE WHEN product > 1 THEN $1 ELSE product END AS a, coalesce($2, label) AS b FROM products",
            "BIGINT VARCHAR",
        ),
    ],
)
def test_placeholders_take_the_types_of_what_they_are_compared_with(
    sql: str, kinds: str, connection: Connection
) -> None:
    description = connection.describe(sql)
    told = [kind.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMP_TZ") for _, kind in description.parameters]
    assert told == kinds.split()
    assert connection.budget().spent.epsilon == 0


def test_a_declared_type_stands(connection: Connection) -> None:
    description = connection.describe("SELECT $1 AS a, $2 AS b", types={"1": "DATE"})
    assert description.parameters == (("1", "DATE"), ("2", "VARCHAR"))
    assert [c.type for c in description.columns] == ["DATE", "VARCHAR"]


def test_a_description_is_that_of_the_answer(connection: Connection) -> None:
    for sql in (
        "SELECT region, count(*) AS n, avg(amount) AS a FROM orders GROUP BY 1",
        "SHOW TABLES",
        "SELECT 1.5 AS x",
    ):
        described = connection.describe(sql).columns
        answer = connection.execute(sql).description
        assert answer is not None
        assert [(c.name, c.type) for c in described] == [(d[0], d[1]) for d in answer]


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT * FROM orders", Refusal.PRIVATE_ROWS),
        ("SELECT nope FROM orders", Refusal.NO_COLUMN),
        ("SELECT nope FROM products", Refusal.NO_COLUMN),
        ("SELECT p.nope FROM products AS p", Refusal.NO_COLUMN),
        ("SELECT 1 FROM nowhere", Refusal.NO_TABLE),
        ("SELECT sum(nope(quantity)) FROM orders", Refusal.NO_FUNCTION),
        ("SELECT nope(oid) FROM pg_class", Refusal.NO_FUNCTION),
        ("SELECT p.product FROM products WHERE product = 1", Refusal.NO_TABLE),
        ("SHOW nope", Refusal.NO_SETTING),
        ("SELECT FROM WHERE", Refusal.SYNTAX),
        ("SELECT 'open", Refusal.SYNTAX),
        ("INSERT INTO orders VALUES (1)", Refusal.UNSUPPORTED),
        ("SELECT label + product FROM products", Refusal.UNSUPPORTED),
    ],
)
def test_a_refusal_says_what_it_is_about(sql: str, kind: Refusal, connection: Connection) -> None:
    with pytest.raises(QueryRefused) as refused:
        connection.execute(sql)
    assert refused.value.kind is kind


def test_values_of_numbered_placeholders(connection: Connection) -> None:
    sql = "SELECT $2 AS b, $1 AS a"
    assert connection.execute(sql, ["x", 5]).fetchall() == [(5, "x")]
    assert connection.execute(sql, {"1": "x", "2": 5}).fetchall() == [(5, "x")]


def test_an_answer_that_cannot_be_told_is_not_charged(connection: Connection) -> None:
    question = "SELECT count(*) AS n FROM orders"
    with pytest.raises(Failure):
        answered(connection, question, None, (OutputColumn("n", "DATE"),))
    assert connection.budget().spent.epsilon == 0
    result, charged = answered(connection, question, None, (OutputColumn("n", "DOUBLE"),))
    assert charged
    assert isinstance(result.rows[0][0], float)


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (QueryRefused("why"), "0A000"),
        (QueryRefused("why", kind=Refusal.PRIVATE_ROWS), "42501"),
        (BudgetExhausted("dataset"), "53400"),
        (LedgerUnavailable("why"), "57P03"),
        (QueryFailed(), "58000"),
        (TimeoutError("a secret"), "XX000"),
        (TooManyCalls("why"), "53300"),
        (OperationalError("why"), "58000"),
        (ProgrammingError("why"), "42601"),
        (InternalError("a secret"), "XX000"),
        (RuntimeError("a secret"), "XX000"),
        (Unsendable("why"), "0A000"),
        (ProtocolViolation("why"), "08P01"),
    ],
)
def test_an_error_has_its_code_and_says_nothing_else(error: Exception, state: str) -> None:
    failure = failure_of(error, None)
    assert failure.sqlstate == state
    assert "secret" not in failure.sentence
    fields = {field[:1] for field in failure.message[5:].split(b"\0") if field}
    assert fields <= {b"S", b"V", b"C", b"M", b"H", b"P"}, "no file, line or routine"
    assert state[:2] not in ("08", "40") or state == "08P01", "no driver asks again by itself"


def test_prepared_statements_and_cursors_have_limits() -> None:
    kept = Portals()
    text = StatementText("x" * (MOST_CHARACTERS // 2), 0)
    kept.prepare("a", Prepared(text, None))
    kept.prepare("", Prepared(text, None))
    kept.prepare("", Prepared(text, None))
    with pytest.raises(Failure) as refused:
        kept.prepare("b", Prepared(StatementText("x", 0), None))
    assert refused.value.sqlstate == "54000"
    few = Portals({str(i): Prepared(None, None) for i in range(MOST_STATEMENTS)})
    with pytest.raises(Failure):
        few.prepare("one more", Prepared(None, None))
    for number in range(MOST_PORTALS):
        few.open(str(number), Portal(Prepared(None, None)))
    with pytest.raises(Failure):
        few.open("one more", Portal(Prepared(None, None)))


def test_columns_of_prepared_statements_have_a_limit() -> None:
    kept, wide = Portals(), Description((OutputColumn("a", "INTEGER"),) * 1_000)
    most = MOST_CHARACTERS // (1_000 * COLUMN_LENGTH)
    for number in range(most):
        kept.prepare(str(number), Prepared(None, None, described=wide))
    with pytest.raises(Failure) as refused:
        kept.prepare("one more", Prepared(None, None, described=wide))
    assert most < MOST_STATEMENTS and refused.value.sqlstate == "54000"


def test_bound_values_and_statements_of_open_cursors_have_a_limit_together() -> None:
    kept = Portals()
    half = Prepared(StatementText("x" * (MOST_CHARACTERS // 2), 0), None)
    kept.prepare("a", half)
    kept.open("p", Portal(half, size=MOST_CHARACTERS // 2))
    del kept.statements["a"]
    for name, more in (
        ("q", Portal(Prepared(None, None), size=1)),
        ("r", Portal(Prepared(None, None, (20,)))),
    ):
        with pytest.raises(Failure) as refused:
            kept.open(name, more)
        assert refused.value.sqlstate == "54000"
    kept.open("q", Portal(half))


def test_names_that_are_kept_have_a_limit() -> None:
    kept, longest = Portals(), "ä" * (LONGEST_NAME // 2)
    inside = Transaction(SETTINGS, SETTINGS, Phase.OPEN)
    kept.prepare(longest, Prepared(None, None))
    kept.open(longest, Portal(Prepared(None, None)))
    inside.mark(longest, SETTINGS, 0)
    for keep in (
        lambda name: kept.prepare(name, Prepared(None, None)),
        lambda name: kept.open(name, Portal(Prepared(None, None))),
        lambda name: inside.mark(name, SETTINGS, 0),
        lambda name: SETTINGS.set("application_name", name),
    ):
        with pytest.raises(Failure) as refused:
            keep(f"{longest}a")
        assert refused.value.sqlstate in ("54000", "22023")


def test_rows_that_cursors_hold_have_a_limit() -> None:
    kept = Portals(
        {}, {"a": Portal(Prepared(None, None), result=Result("SELECT", (), [()] * (MOST_ROWS - 1)))}
    )
    kept.check_room()
    kept.open("b", Portal(Prepared(None, None), result=Result("SELECT", (), [()])))
    with pytest.raises(Failure):
        kept.check_room()
