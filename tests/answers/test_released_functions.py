"""Functions of released results: DuckDB's own there, and refused wherever they would read a private row."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.algebra.functions import by_spelling
from dpsql.algebra.functions.aggregates import BY_NAME
from dpsql.algebra.functions.released import RELEASED, RELEASED_NAMES, RELEASED_OPERATORS
from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.sql.lex.text import read_text
from dpsql.sql.lex.tokens import read_tokens
from dpsql.sql.parse.gate import _parse
from dpsql.sql.validate.made_texts import COLUMN_TEXT
from dpsql.sql.validate.text_lengths import MOST_TEXT, _Lengths, _Scope

SCALARS = (
    *(f"{name}({f.example})" for f in RELEASED if not f.aggregates for name in f.names),
    *RELEASED_OPERATORS,
)
AGGREGATES = tuple(f"{name}({f.example})" for f in RELEASED if f.aggregates for name in f.names)
OPERATORS_REFUSED = {
    call: (
        "list_extract is not supported"
        if call.endswith("[1]")
        else "a list is not supported"
        if "[" in call
        else f"the operator {call.split()[1]} is not supported",
    )
    for call in RELEASED_OPERATORS
}
# What is read as another function of released results.
# They take the values of rows in an order that nobody has asked for.
OF_ANY_ROW = ("first", "last", "arbitrary")
# No interval of Python has months: as it is what they make is refused.
OF_MONTHS = ("age(", "to_months(", "to_quarters(", "to_years(", "to_decades(")
RELEASED_ROWS = (
    "(SELECT region AS r, date_trunc('month', day) AS m, COUNT(*) AS n FROM orders "
    "WHERE day BETWEEN '2025-01-01' AND '2025-02-28' AND region <> 'west' GROUP BY ALL) AS t"
)
ROWS = "(SELECT customer, region AS r, quantity AS n, placed AS m FROM orders) AS t"
# Where a scalar would read the rows of a private table.
PLACES = (
    f"SELECT COUNT(*) FROM {ROWS} WHERE {{}} IS NOT NULL",
    f"SELECT {{}} AS k, COUNT(*) FROM {ROWS} GROUP BY 1",
    f"SELECT COUNT({{}}) FROM {ROWS}",
    f"SELECT COUNT(*) FILTER (WHERE {{}} IS NULL) FROM {ROWS}",
    f"SELECT SUM(CASE WHEN {{}} IS NULL THEN 1 ELSE 0 END) FROM {ROWS}",
    f"SELECT COUNT(*) FROM {ROWS} HAVING COUNT({{}}) > 1",
    f"SELECT r, COUNT(*) FROM {ROWS} GROUP BY r ORDER BY COUNT({{}}) LIMIT 1",
    f"SELECT COUNT(*) FROM (SELECT customer, COUNT({{}}) AS c FROM {ROWS} GROUP BY customer) AS x WHERE c > 1",
    f"SELECT COUNT(*) FROM (SELECT {{}} AS k FROM {ROWS}) AS x WHERE k IS NOT NULL",
    f"SELECT COUNT(*) FROM (SELECT row_number() OVER (PARTITION BY customer ORDER BY {{}}) AS k FROM {ROWS}) AS x",
    f"SELECT region, (SELECT COUNT(*) FROM {ROWS} WHERE t.r = regions.region AND {{}} IS NULL) FROM regions",
    f"SELECT COUNT(*) FROM {ROWS} JOIN regions ON region = r AND {{}} IS NOT NULL",
    f"SELECT COUNT(*) FROM {ROWS} WHERE EXISTS (SELECT 1 FROM regions WHERE region = r AND {{}} IS NOT NULL)",
    f"SELECT COUNT(*) FROM {ROWS}, LATERAL (SELECT {{}} AS k) AS x WHERE k IS NULL",
    f"SELECT COUNT(*) FROM orders WHERE customer IN (SELECT customer FROM {ROWS} WHERE {{}} IS NULL)",
    f"SELECT n + (SELECT COUNT({{}}) FROM {ROWS}) FROM (SELECT COUNT(*) AS n FROM orders) AS c",
)
# Where an aggregate would.
AGGREGATE_PLACES = (
    f"SELECT {{}} FROM {ROWS}",
    f"SELECT {{}} FILTER (WHERE n > 1) FROM {ROWS}",
    f"SELECT r, COUNT(*) FROM {ROWS} GROUP BY r HAVING {{}} IS NOT NULL",
    f"SELECT r, COUNT(*) FROM {ROWS} GROUP BY r ORDER BY {{}}",
    f"SELECT COUNT(*) FROM (SELECT customer, {{}} AS k FROM {ROWS} GROUP BY customer) AS x WHERE k IS NOT NULL",
    f"SELECT COUNT(*) FROM (SELECT customer FROM {ROWS} GROUP BY customer HAVING {{}} IS NOT NULL) AS x",
    f"SELECT COUNT(*) FROM (SELECT {{}} OVER (PARTITION BY customer) AS k FROM {ROWS}) AS x WHERE k IS NOT NULL",
    f"SELECT {{}} OVER () FROM {ROWS}",
    f"SELECT region, (SELECT {{}} FROM {ROWS} WHERE t.r = regions.region) FROM regions",
    f"SELECT COUNT(*) FROM orders WHERE quantity > (SELECT {{}} FROM {ROWS})",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("released"))


@pytest.fixture(scope="module")
def session(folder: Path) -> Iterator[Session]:
    opened = build_session(load_policy(folder / "shop.yaml"), "alice", None, (None, None), Noiseless())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def plain(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(folder / "shop.duckdb"), read_only=True) as connection:
        yield connection


def alike(ours: object, theirs: object) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
    return ours == theirs


@pytest.mark.one_in(6)
@pytest.mark.parametrize("call", [*SCALARS, *AGGREGATES])
def test_over_released_results_each_is_duckdbs_own(
    call: str, session: Session, plain: duckdb.DuckDBPyConnection
) -> None:
    one = call in AGGREGATES
    call = f"CAST({call} AS VARCHAR)" if call.startswith(OF_MONTHS) else call
    sql = f"SELECT {call} AS v FROM {RELEASED_ROWS}{'' if one else ' WHERE n > 0 ORDER BY r, m'}"
    answer, wanted = session.answer(sql), plain.execute(sql)
    assert [c.type for c in answer.columns] == [str(c[1]) for c in wanted.description]
    if not call.startswith(OF_ANY_ROW):
        rows = zip(answer.rows, wanted.fetchall(), strict=True)
        assert all(alike(ours, theirs) for (ours,), (theirs,) in rows)


def not_refused(session: Session, place: str, calls: tuple[str, ...]) -> list[tuple[str, str]]:
    """The calls that are answered in a place, or refused for another reason than that they stand there."""
    left = []
    for call in calls:
        try:
            session.answer(place.format(call))
        except QueryRefused as refusal:
            said = str(refusal)
            name = call.partition("(")[0]
            named = (
                f"{name} is not supported",
                f"{name.upper()} is not supported",
                "a window over private rows",
            )
            if not any(reason in said for reason in OPERATORS_REFUSED.get(call, named)):
                left.append((call, said))
        else:
            left.append((call, "answered"))
    return left


@pytest.mark.one_in(4)
@pytest.mark.parametrize("place", PLACES)
def test_no_scalar_of_released_results_reads_private_rows(place: str, session: Session) -> None:
    assert session.answer(place.format("(n + 1)")) is not None  # the place itself is none that is refused
    assert not_refused(session, place, SCALARS) == []


@pytest.mark.one_in(4)
@pytest.mark.parametrize("place", AGGREGATE_PLACES)
def test_no_aggregate_of_released_results_reads_private_rows(place: str, session: Session) -> None:
    assert not_refused(session, place, AGGREGATES) == []


def test_nothing_stands_in_the_table_that_private_rows_have() -> None:
    assert {n for n in RELEASED_NAMES if by_spelling(n) is not None or n.upper() in BY_NAME} == set()
    assert len(RELEASED_NAMES) == sum(len(f.names) for f in RELEASED)


def test_each_gives_the_same_value_whenever_it_is_called(plain: duckdb.DuckDBPyConnection) -> None:
    """By DuckDB's word; of moments with a time zone, which depend on a setting, results have none."""
    listed = "SELECT lower(function_name), stability, parameter_types::VARCHAR FROM duckdb_functions()"
    unstable = {
        name
        for name, stability, takes in plain.execute(listed).fetchall()
        if stability not in ("CONSISTENT", None) and "WITH TIME ZONE" not in takes
    }
    assert {"random", "now", "nextval"} <= unstable
    assert unstable & set(RELEASED_NAMES) == set()


@pytest.mark.parametrize("seconds", ["n", "n / 7", "n + 0.1234567", "-1735689600 - n", "NULL", "EPOCH(m)"])
def test_seconds_since_1970_are_a_moment_in_utc(
    seconds: str, session: Session, plain: duckdb.DuckDBPyConnection
) -> None:
    sql = f"SELECT CAST(TO_TIMESTAMP({seconds}) AT TIME ZONE 'UTC' AS VARCHAR) AS v FROM {RELEASED_ROWS} ORDER BY r, m"
    assert [tuple(row) for row in session.answer(sql).rows] == plain.execute(sql).fetchall()
    bare = session.answer(f"SELECT TO_TIMESTAMP({seconds}) AS v FROM {RELEASED_ROWS} ORDER BY r, m")
    assert bare.columns[0].type == "TIMESTAMP"


def test_an_age_is_up_to_the_day_of_the_query(session: Session) -> None:
    sql = f"SELECT AGE(m) = AGE(CURRENT_DATE, m) AS same FROM {RELEASED_ROWS} WHERE n > 0"
    assert {row[0] for row in session.answer(sql).rows} == {True}


@pytest.mark.parametrize("call", SCALARS)
@pytest.mark.parametrize("character", ["a", "\x01", "\U0001f600"], ids=ascii)
def test_no_text_becomes_longer_than_it_is_taken_to_be(
    call: str, character: str, plain: duckdb.DuckDBPyConnection
) -> None:
    text = read_text(f"SELECT {call}")
    tree = _parse(text.sql, read_tokens(text.sql, text.code))
    scope = _Scope(_Lengths(None, {}, MOST_TEXT), {}, {"r": COLUMN_TEXT})  # type: ignore[arg-type]
    source = "(SELECT repeat(?, ?) AS r, 20 AS n, TIMESTAMP '2025-01-31 13:00:00' AS m)"
    ((made,),) = plain.execute(
        f"SELECT length(({call})::VARCHAR) FROM {source}", [character, COLUMN_TEXT]
    ).fetchall()
    assert made <= scope.length(tree.expressions[0])


def test_a_list_of_numbers_takes_the_room_of_numbers(session: Session) -> None:
    levels = ", ".join(f"0.{i:03}" for i in range(1, 101))
    ((found,),) = session.answer(f"SELECT QUANTILE_DISC(quantity, [{levels}]) FROM orders").rows
    assert isinstance(found, list) and len(found) == 100
    days = ", ".join(f"COUNT(*) FILTER (WHERE quantity = {i})" for i in range(60))
    ((counts,),) = session.answer(f"SELECT [{days}] FROM orders").rows
    assert isinstance(counts, list) and len(counts) == 60
    texts = ", ".join(["r"] * 60)
    with pytest.raises(QueryRefused, match="could become longer"):
        session.answer(f"SELECT [{texts}] FROM {RELEASED_ROWS}")


@pytest.mark.parametrize(
    ("first", "step"),
    [
        ("['']", "list_concat(l, l)"),
        ("['']", "l + l"),
        ("list_value('')", "add(l, l)"),
        ("''''", "[l]::VARCHAR"),
        ("''''", "format('{}', [l])"),
        ("''''", "list(l)::VARCHAR"),
        ("''''", "list_value(l, '''')::VARCHAR"),
    ],
)
def test_what_doubles_with_each_step_is_refused(first: str, step: str, session: Session) -> None:
    steps = "".join(f", a{i + 1} AS (SELECT {step} AS l FROM a{i})" for i in range(30))
    with pytest.raises(QueryRefused, match="could become longer"):
        session.answer(f"WITH a0 AS (SELECT {first} AS l FROM {RELEASED_ROWS}){steps} SELECT l FROM a30")


def test_numbers_that_double_with_each_step_are_answered(session: Session) -> None:
    steps = "".join(f", a{i + 1} AS (SELECT l + l AS l FROM a{i})" for i in range(30))
    found = session.answer(f"WITH a0 AS (SELECT 1::BIGINT AS l){steps} SELECT l FROM a30").rows
    assert found == ((2**30,),)


def test_lists_stand_beside_intervals(session: Session) -> None:
    answer = session.answer(f"SELECT [r] AS l, SUM(n) AS s FROM {RELEASED_ROWS} GROUP BY r")
    assert len(answer.rows) == 3
    assert all(l is None and s is not None for l, s in answer.released.intervals)  # noqa: E741


def test_an_interval_that_python_has_not_is_refused_and_not_charged(session: Session) -> None:
    with pytest.raises(QueryRefused, match="it fails whatever the results are"):
        session.answer(f"SELECT to_days(2147483647) AS v, n FROM {RELEASED_ROWS}")
