"""docs/dialects.md says what other databases' functions are read as: each line is so, and each function has one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

import duckdb
import pytest
from answers.noiseless import Noiseless
from answers.shop import make_shop
from pages import text_of
from sqlglot import exp

from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.sql.normalize.dialect_functions import FOREIGN
from dpsql.sql.parse.gate import gate

SCALARS, AGGREGATES = (
    dict(re.findall(r"^\| `(.+)` \| `(.+)` \|$", part, re.MULTILINE))
    for part in text_of("dialects.md").replace(r"\|", "|").split("| aggregate |")
)
PAIRS = SCALARS | AGGREGATES


class AnyText:
    """A parser that takes any text for one SELECT."""

    def select_statements(self, text: str) -> int:
        return 1


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    shop = make_shop(tmp_path_factory.mktemp("dialects"))
    opened = build_session(load_policy(shop / "shop.yaml"), "alice", None, (None, None), Noiseless())
    yield opened
    opened.close()


def tree(call: str) -> exp.Query:
    found = gate(f"SELECT {call} AS x FROM orders", AnyText()).tree
    for number in found.find_all(exp.Literal):  # INTERVAL 7 DAY is read as INTERVAL '7' DAY
        if isinstance(number.parent, exp.Interval):
            number.set("is_string", True)
    return found


@pytest.mark.parametrize(("written", "meant"), PAIRS.items(), ids=str)
def test_a_call_is_read_as_the_page_says(written: str, meant: str) -> None:
    assert tree(written).sql(dialect="duckdb") == tree(meant).sql(dialect="duckdb")


def test_every_call_is_answered_on_private_rows(session: Session) -> None:
    def asked(calls: Iterable[str], aggregates: Iterable[str]) -> str:
        counted = ", ".join(f"COUNT(DISTINCT {c}) AS c{i}" for i, c in enumerate(calls))
        return f"SELECT {counted}, {', '.join(f'{a} AS a{i}' for i, a in enumerate(aggregates))} FROM orders"

    found = session.answer(asked(SCALARS, AGGREGATES))
    assert found.rows == session.answer(asked(SCALARS.values(), AGGREGATES.values())).rows
    assert len(found.columns) == len(PAIRS) > 60


def test_every_function_has_a_line() -> None:
    written = {re.split(r"\W", call)[0] for call in PAIRS}
    assert set(FOREIGN) <= written


def test_a_nameless_column_is_called_as_it_was_written(session: Session) -> None:
    (column,) = session.answer("SELECT NVL(SUM(quantity), 0) FROM orders").columns
    assert column.name == "nvl(sum(quantity), 0)"


@pytest.mark.parametrize(
    ("end", "start", "months"),
    [
        ("1997-02-28 10:30:00", "1996-10-30", 3.94959677),
        ("2025-03-31", "2025-02-28 17:00:00", 1),
        ("2025-02-28", "2025-03-31", -1),
        ("2025-03-15 23:00:00", "2024-12-15", 3),
        ("2025-01-01", "2025-03-15 06:30:00", -2.46034946),
    ],
)
def test_months_between_are_those_of_spark(end: str, start: str, months: float) -> None:
    call = f"MONTHS_BETWEEN(TIMESTAMP '{end}', TIMESTAMP '{start}')"
    written = gate(f"SELECT {call} AS m", AnyText()).tree.sql(dialect="duckdb")
    assert duckdb.sql(written).fetchall()[0][0] == pytest.approx(months, abs=1e-8)


def test_next_day_is_the_first_of_its_name_behind_a_day() -> None:
    days = ["Monday", "Tue", "WE", "thursday", "Friday", "SAT", "Su"]
    written = gate(f"SELECT {', '.join(f'NEXT_DAY(day, {d!r})' for d in days)} FROM v", AnyText()).tree
    for day in (date(2025, 1, 1) + timedelta(days=n) for n in range(8)):
        sql = f"WITH v AS (SELECT DATE '{day}' AS day) {written.sql(dialect='duckdb')}"
        (found,) = duckdb.sql(sql).fetchall()
        assert [d.weekday() for d in found] == list(range(7))
        assert all(0 < (d - day).days <= 7 for d in found)


def test_width_bucket_is_postgresqls() -> None:
    values = {-1.0: 0, 0.0: 1, 24.99: 1, 25.0: 2, 99.99: 4, 100.0: 5, 1e9: 5, None: None}
    call = gate("SELECT WIDTH_BUCKET(x, 0, 100, 4) FROM v", AnyText()).tree.sql(dialect="duckdb")
    con = duckdb.connect()
    con.execute("CREATE TABLE v (x DOUBLE)")
    con.executemany("INSERT INTO v VALUES (?)", [[v] for v in values])
    assert [r[0] for r in con.execute(call).fetchall()] == list(values.values())
