"""A real driver on our conversation: psycopg 3 in text and binary, prepared, in pipelines, with cursors and COPY."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal

import psycopg
import pytest

from wire.openings import Shop
from wire.trust_server import TrustServer, trusting

VALUES = (
    "SELECT 1 AS a, 9000000000 AS b, 'ä' AS c, true AS d, DATE '2024-02-29' AS e, "
    "TIMESTAMP '2024-02-29 01:02:03.5' AS f, CAST('0.1' AS DOUBLE) AS g, CAST('-1.50' AS DECIMAL(10, 2)) AS h, "
    "CAST(NULL AS VARCHAR) AS i"
)
ROW = (
    *(1, 9_000_000_000, "ä", True, date(2024, 2, 29), datetime(2024, 2, 29, 1, 2, 3, 500_000), 0.1),
    *(Decimal("-1.50"), None),
)
COUNT = "SELECT count(*) AS n FROM orders WHERE region = %s AND amount > %s AND day >= %s"


def spent(connection: psycopg.Connection) -> float:
    return connection.execute("SELECT epsilon_spent FROM dpsql.budget").fetchone()[0]


@pytest.fixture
def db(server: TrustServer) -> Iterator[psycopg.Connection]:
    with psycopg.connect(server.url(), autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize("binary", [False, True])
def test_values_arrive_as_they_are(db: psycopg.Connection, binary: bool) -> None:
    assert db.execute(VALUES, binary=binary).fetchall() == [ROW]


@pytest.mark.parametrize("binary", [False, True])
def test_a_key_beyond_the_type_that_it_is_cast_to_is_sent_in_one_that_holds_it(
    db: psycopg.Connection, binary: bool
) -> None:
    wide = "CAST(quantity * 1000000000 AS INTEGER)"
    cursor = db.execute(
        f"SELECT {wide} AS k, max({wide}) AS m, count(*) FROM orders GROUP BY k", binary=binary
    )
    assert [c.type_display for c in cursor.description or ()] == ["int8", "int8", "int8"]
    assert sorted(k for k, *_ in cursor.fetchall()) == [n * 10**9 for n in range(11)]


def test_the_server_says_what_it_is(db: psycopg.Connection) -> None:
    assert db.info.server_version == 160_000
    assert db.info.parameter_status("client_encoding") == "UTF8"
    assert db.info.parameter_status("TimeZone") == "UTC"


@pytest.mark.parametrize("prepare", [False, True])
def test_a_question_about_private_rows_is_charged_once(db: psycopg.Connection, prepare: bool) -> None:
    values = ("north", Decimal("5.5"), date(2025, 1, 2))
    first = db.execute(COUNT, values, prepare=prepare).fetchall()
    assert first == db.execute(COUNT, values, prepare=prepare).fetchall()
    assert spent(db) == 1


@pytest.mark.parametrize("form", ["s", "t", "b"])
def test_an_array_is_one_question_in_every_form_that_it_is_sent_in(db: psycopg.Connection, form: str) -> None:
    sql = "SELECT count(*) AS n FROM public.orders WHERE region = {} LIMIT ALL"
    written = db.execute(sql.format("ANY ('{north,south}')")).fetchall()
    sent = ((["north", "south"], ""), ("{north,south}", ""), ("{north,south}", "::text[]"))
    asked = [db.execute(sql.format(f"ANY (%{form}{cast})"), (value,)).fetchall() for value, cast in sent]
    typed = psycopg.ClientCursor(db).execute(sql.format("ANY (%s)"), (["north", "south"],)).fetchall()
    db.adapters.register_dumper(str, psycopg.types.string.StrDumper)  # which says that it is text
    declared = db.execute(sql.format("ANY (%s::varchar[])"), ("{north,south}",)).fetchall()
    assert [written] * 5 == [*asked, typed, declared]
    assert spent(db) == 1


def test_a_notice_says_what_was_charged_and_what_is_left(db: psycopg.Connection) -> None:
    told: list[str] = []
    db.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
    db.execute("SET dpsql.epsilon = '0.25'")
    db.execute("SELECT count(*) FROM orders")
    assert told == ["charged epsilon 0.25, 999.75 left", "COUNT(*): at most 100 rows of a person are counted"]
    db.execute("SELECT count(*) FROM orders")
    assert len(told) == 2, "a stored answer is free"
    db.execute("SET client_min_messages = 'error'")
    db.execute("SELECT count(*) FROM orders WHERE quantity > 1")
    assert len(told) == 2


def test_a_session_may_fit_new_answers_to_earlier_ones(db: psycopg.Connection) -> None:
    by_paid = "EXPLAIN SELECT paid, count(*) FROM orders GROUP BY paid"

    def error() -> float:
        return max(row[6] for row in db.execute(by_paid).fetchall() if row[6] is not None)

    db.execute("SELECT count(*) FROM orders")
    alone = error()
    db.execute("SET dpsql.combine = on")
    assert error() < 0.95 * alone


def test_explain_is_a_short_table_and_verbose_adds_the_sql(db: psycopg.Connection) -> None:
    asked = "SELECT paid, avg(amount) FROM orders GROUP BY paid"
    short, whole = db.execute(f"EXPLAIN {asked}"), db.execute(f"EXPLAIN (VERBOSE) {asked}")
    names = [[c.name for c in cursor.description or ()] for cursor in (short, whole)]
    assert names[0] == [*names[1][:-1]] and names[1][-1] == "sql"
    rows = whole.fetchall()
    assert short.fetchall() == [row[:-1] for row in rows]
    assert any("SELECT" in (row[-1] or "") for row in rows)


@pytest.mark.parametrize("prepare", [False, True])
def test_made_up_rows_are_free_and_marked_in_names_and_in_a_notice(
    db: psycopg.Connection, prepare: bool
) -> None:
    told: list[str] = []
    db.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
    db.execute("SET dpsql.rows = mock")
    answer = db.execute("SELECT * FROM orders WHERE amount > %s LIMIT 3", (Decimal("0.5"),), prepare=prepare)
    assert answer.description is not None
    assert all(column.name.endswith(" (made up)") for column in answer.description)
    assert len(answer.fetchall()) == 3
    assert ["made-up rows" in sentence for sentence in told] == [True]
    assert spent(db) == 0


def test_a_rollback_after_a_charge_says_that_the_charge_stands(server: TrustServer) -> None:
    with psycopg.connect(server.url()) as db:
        told: list[str] = []
        db.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
        db.execute("SELECT count(*) FROM orders")
        db.rollback()
        assert told[-1] == "what was charged in the transaction stands: a rollback gives nothing back"
        db.execute("SELECT count(*) FROM orders")
        db.rollback()
        assert told[-1] == told[1] or len(told) == 3, "nothing was charged in the second one"
        assert spent(db) == 1


def test_a_refusal_has_a_code_a_hint_and_a_place(db: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege) as refused:
        db.execute("SELECT * FROM orders")
    assert refused.value.diag.statement_position == "8"
    assert refused.value.diag.message_hint == (
        "Aggregate them: COUNT, SUM, AVG, with or without GROUP BY. "
        'A connection with rows="mock" shows made-up rows.'
    )
    assert refused.value.diag.source_file is None
    with pytest.raises(psycopg.errors.UndefinedColumn):
        db.execute("SELECT count(nope) FROM orders")
    with pytest.raises(psycopg.errors.UndefinedFunction):
        db.execute("SELECT count(nope(1)) FROM orders")
    assert spent(db) == 0


@pytest.fixture
def poor(shop: Shop) -> Iterator[psycopg.Connection]:
    """A session whose analyst may ask one question."""
    policy = shop.policy.with_name("poor.yaml")
    text = shop.policy.read_text(encoding="utf-8")
    limit = "default: {epsilon: 1000, delta: 1e-3"
    assert limit in text
    policy.write_text(text.replace(limit, "default: {epsilon: 1.5, delta: 1e-3"), encoding="utf-8")
    with (
        trusting(Shop(policy, shop.ledger).of_start_up) as server,
        psycopg.connect(server.url(), autocommit=True) as connection,
    ):
        yield connection


def test_an_exhausted_budget_is_no_error_that_a_pool_retries(poor: psycopg.Connection) -> None:
    db = poor
    db.execute("SELECT count(*) FROM orders")
    with pytest.raises(psycopg.Error) as exhausted:
        db.execute("SELECT count(*) FROM orders WHERE amount > 1")
    assert exhausted.value.sqlstate == "53400"
    assert "Nothing was charged" in (exhausted.value.diag.message_primary or "")
    assert spent(db) == 1


def test_a_server_cursor_fetches_in_portions(db: psycopg.Connection) -> None:
    with db.transaction(), db.cursor("named") as cursor:
        cursor.execute("SELECT product FROM products ORDER BY product")
        assert [r[0] for r in cursor.fetchmany(4)] == [101, 102, 103, 104]
        assert [r[0] for r in cursor.fetchall()] == [105, 106]


def test_copy_in_text_and_binary(db: psycopg.Connection) -> None:
    query = "COPY (SELECT product, label FROM products ORDER BY product LIMIT 2) TO STDOUT"
    with db.cursor().copy(query) as copy:
        assert list(copy.rows()) == [("101", "pen"), ("102", "ink")]
    with db.cursor().copy(query + " (FORMAT binary)") as copy:
        copy.set_types(["int8", "text"])
        assert list(copy.rows()) == [(101, "pen"), (102, "ink")]


def test_a_pipeline(db: psycopg.Connection) -> None:
    with db.pipeline():
        cursors = [db.execute("SELECT %s::int", (i,)) for i in range(50)]
    assert [cursor.fetchone() for cursor in cursors] == [(i,) for i in range(50)]


def test_options_of_the_connection(server: TrustServer) -> None:
    with psycopg.connect(server.url(), options="-c dpsql.epsilon=0.5", autocommit=True) as db:
        assert db.execute("SHOW dpsql.epsilon").fetchone() == ("0.5",)
        db.execute("SELECT count(*) FROM orders")
        assert spent(db) == 0.5
        db.execute("SET dpsql.epsilon = '0.25'")
        db.execute("RESET dpsql.epsilon")
        assert db.execute("SHOW dpsql.epsilon").fetchone() == ("0.5",)


def test_show_all_has_what_the_session_has_set(db: psycopg.Connection) -> None:
    db.execute("SET application_name = 'dashboard'")
    for statement in ("SHOW ALL", "show all;"):
        shown = db.execute(statement.encode())
        assert shown.description is not None
        assert [c.name for c in shown.description] == ["name", "setting", "description"]
        values = {name: value for name, value, _ in shown.fetchall()}
        assert values["application_name"] == "dashboard"
        assert values["TimeZone"] == "UTC" and "work_mem" in values


@pytest.mark.parametrize("options", ["-c dpsql.epsilon=2", "-c dpsql.nonsense=1", "-c work_mum=1", "broken"])
def test_options_that_are_not_allowed_open_no_session(server: TrustServer, options: str) -> None:
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(server.url(), options=options)
