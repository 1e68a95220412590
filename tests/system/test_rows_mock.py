"""A connection that asks for made-up rows gets them where rows of people would be refused: marked, and for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless
from answers.shop import make_shop

import dpsql
from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

ROWS = (
    "SELECT * FROM orders LIMIT 10",
    "SELECT region, amount * 2 FROM main.orders AS o ORDER BY 2 DESC, 1 LIMIT 5",
    "SELECT main.orders.region FROM main.orders",
    "SELECT o.region, p.age, r.* FROM orders o JOIN people p ON o.customer = p.person JOIN regions r USING (region)",
    "WITH o AS (SELECT * FROM orders), q AS (SELECT region FROM o) SELECT * FROM q WHERE region = 'north'",
    "(WITH o AS (SELECT region FROM orders) SELECT * FROM o) UNION ALL SELECT region FROM regions",
    "SELECT *, row_number() OVER (ORDER BY day) AS n FROM orders",
    "SELECT amount, (SELECT max(amount) FROM orders) AS most FROM orders",
    "SELECT kind, trip FROM parcels JOIN trips ON of_trip = trip",
    "SELECT count(*) OVER () AS n FROM orders",
)


@pytest.fixture(name="policy", scope="module")
def _policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("rows") / "shop") / "linked.yaml"


def _session(policy: Path, rows: str, analyst: str = "alice") -> Session:
    return build_session(load_policy(policy), analyst, None, (None, None), Noiseless(least=3), rows)


@pytest.fixture(name="usual", scope="module")
def _usual(policy: Path) -> Iterator[Session]:
    with closing(_session(policy, "refuse")) as session:
        yield session


@pytest.fixture(name="mock", scope="module")
def _mock(policy: Path) -> Iterator[Session]:
    with closing(_session(policy, "mock")) as session:
        yield session


@pytest.mark.parametrize("sql", ROWS)
def test_rows_are_made_up_marked_and_free(sql: str, usual: Session, mock: Session) -> None:
    with pytest.raises(QueryRefused):
        usual.answer(sql)
    before = mock.budget()
    answer = mock.answer(sql)
    assert answer.rows
    assert mock.budget() == before
    described = usual.answer(f"SELECT * FROM ({sql}) AS t LIMIT 0").columns
    assert [c.type for c in answer.columns] == [c.type for c in described]
    assert all(c.name.endswith(" (made up)") for c in answer.columns)
    assert answer.released.epsilon == 0
    assert "made-up rows" in " ".join(answer.released.notes)
    assert "made-up rows" in answer._repr_html_()  # as a notebook shows it
    assert answer.released.releases == ()
    assert [len(row) for row in answer.released.intervals] == [len(answer.columns)] * len(answer.rows)


def test_nothing_of_the_data_is_in_them(policy: Path, mock: Session, tmp_path: Path) -> None:
    """The same policy over other people, and over nobody, has the same made-up rows."""
    for name, keep in (("others", "customer % 2 = 0"), ("nobody", "false")):
        folder = make_shop(tmp_path / name)
        with duckdb.connect(str(folder / "shop.duckdb")) as db:
            db.execute(f"DELETE FROM orders WHERE NOT ({keep})")
        with closing(_session(folder / "linked.yaml", "mock")) as other:
            assert [other.answer(sql).rows for sql in ROWS] == [mock.answer(sql).rows for sql in ROWS]


def test_they_are_written_down_nowhere(policy: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    with dpsql.connect(policy, analyst="bob", rows="mock", ledger=ledger) as connection:
        for sql in ROWS:
            connection.execute(sql)
        assert connection.execute("SELECT * FROM dpsql.history").fetchall() == []
        assert connection.budget().spent.epsilon == 0


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, count(*) FROM orders GROUP BY region ORDER BY 1",
        "SELECT count(*) FROM (SELECT region FROM orders) AS t",
        "SELECT * FROM (SELECT region, sum(amount) AS s FROM orders GROUP BY region) AS t ORDER BY 1",
        "SELECT DISTINCT region FROM orders ORDER BY 1",
        "SELECT (SELECT count(*) FROM orders) AS n",
        "SELECT * FROM regions ORDER BY 1",
        "SELECT table_name FROM information_schema.tables ORDER BY 1",
        "WITH o AS (SELECT * FROM orders) SELECT count(*) FROM o",
    ],
)
def test_whatever_is_a_release_is_the_usual_answer(sql: str, usual: Session, mock: Session) -> None:
    answer, other = mock.answer(sql), usual.answer(sql)
    assert (answer.rows, answer.columns) == (other.rows, other.columns)
    assert not any("made up" in c.name for c in answer.columns)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT nosuch FROM orders", 'there is no column "nosuch"'),
        ("SELECT * FROM nosuch", 'there is no table "nosuch"'),
        ("SELECT getenv('HOME') FROM orders", "the function getenv is not supported"),
        ("SELECT * FROM orders, read_csv('/etc/passwd')", "table"),
        ("SELECT count(*) FROM (SELECT * FROM orders LIMIT 10) AS t", "LIMIT on private rows"),
        ("SELECT o.*, b.* FROM orders o, dpsql.budget b", "beside tables about the system"),
        ("SELECT CAST(region AS INTEGER) FROM orders", "fails on made-up rows"),
        (
            "WITH orders AS (SELECT 1 AS a) SELECT a, age FROM orders, main.people, main.orders",
            "WITH gives the name",
        ),
        ('SELECT * FROM released."made up: orders"', "there is no table"),
        ("SELECT customer, sum(amount) FROM orders GROUP BY customer", "a row for each unit"),
    ],
)
def test_what_no_query_may_do_is_refused_here_too(sql: str, reason: str, mock: Session) -> None:
    with pytest.raises(QueryRefused, match=reason):
        mock.answer(sql)


def test_order_and_limit_hold(mock: Session) -> None:
    rows = mock.answer(
        "SELECT o.day FROM orders o JOIN people p ON o.customer = p.person ORDER BY o.day DESC"
    ).rows
    assert len(rows) > 50
    assert list(rows) == sorted(rows, reverse=True)


def test_a_driver_that_asks_first_is_told_the_same_names(mock: Session) -> None:
    sql = "SELECT region, day FROM orders WHERE quantity > ?"
    assert mock.describe(sql).columns == mock.describe(sql, [3]).columns == mock.answer(sql, [3]).columns
    assert mock.explain(sql, [3]).releases == ()
    assert mock.answer(f"EXPLAIN {sql}", [3]).rows == ()


def test_a_probe_for_no_row_has_the_names_of_the_text(mock: Session) -> None:
    answer = mock.answer("SELECT region FROM orders LIMIT 0")
    assert ([c.name for c in answer.columns], answer.rows) == (["region"], ())


def test_responses_of_rows_are_releases(tmp_path: Path) -> None:
    survey = make_shop(tmp_path / "shop") / "survey.yaml"
    sql = "SELECT randomized_response(smoker) AS said FROM survey"
    with closing(_session(survey, "mock")) as session:
        answer = session.answer(sql)
    assert [c.name for c in answer.columns] == ["said"]
    assert answer.released.epsilon > 0


def test_hidden_columns_are_not_made_up(policy: Path) -> None:
    hidden = policy.with_name("hidden.yaml")
    text = policy.read_text(encoding="utf-8")
    hidden.write_text(
        text.replace("product:  {type: integer}", "product:  {type: integer, hidden: true}"), "utf-8"
    )
    with dpsql.connect(hidden, analyst="tool", rows="mock") as connection:
        names = [d[0] for d in connection.execute("SELECT * FROM orders").description or ()]
        assert "product (made up)" not in names and len(names) == 5
        with pytest.raises(QueryRefused):
            connection.execute("SELECT product FROM orders")


@pytest.mark.parametrize(
    ("sql", "offered"),
    [
        ("SELECT * FROM orders", True),
        ("SELECT * FROM orders LIMIT 10", True),
        ("SELECT count(*) FROM (SELECT * FROM orders LIMIT 10) AS t", False),
        ("SELECT region, count(*) FROM orders", False),
        ("SELECT region FROM regions WHERE region = (SELECT region FROM orders)", False),
    ],
)
def test_the_refusal_of_rows_offers_them(sql: str, offered: bool, usual: Session) -> None:
    with pytest.raises(QueryRefused) as refused:
        usual.answer(sql)
    assert ('rows="mock"' in str(refused.value)) == offered
