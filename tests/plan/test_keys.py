"""Every group that a query can have is known before the data is read, or its keys are private."""

from __future__ import annotations

import itertools
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from dpsql.errors import QueryRefused
from dpsql.session import Session
from plan.opened import Table, domain, release

COLUMNS = {
    "word": "text, values: [a, b, c]",
    "maybe": "text, values: [x, y], nullable: true",
    "number": "integer, lower: -2, upper: 5",
    "sparse": "integer, values: [1, 5, 9]",
    "flag": "boolean",
    "day": "date, lower: 2025-01-30, upper: 2025-03-02",
    "real": "float, lower: 0, upper: 10",
    "name": "text",
    "big": "integer, lower: 0, upper: 20000000",
    "code": "integer",
    "moment": "timestamp, lower: 2025-01-30T08:00:00, upper: 2025-03-02T20:00:00",
}
PUBLIC = (
    "words codes",
    "CREATE TABLE words AS SELECT * FROM (VALUES ('a', 1, 'p'), ('b', 1, 'q'), ('z', 2, 'r')) v(word, class, label);"
    "CREATE TABLE codes AS SELECT * FROM (VALUES (7, 'seven'), (8, 'eight'), (8, 'acht')) v(code, spelled)",
)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    table = Table(COLUMNS, privacy="max_rows_per_unit: 4", public=PUBLIC)
    return table.open(tmp_path_factory.mktemp("keys"))


def groups(session: Session, key: str, rest: str = "") -> list[object] | None:
    return domain(session, f"SELECT COUNT(*) FROM t {rest} GROUP BY {key}")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("word", ["a", "b", "c"]),
        ("maybe", ["x", "y", None]),
        ("number", [-2, -1, 0, 1, 2, 3, 4, 5]),
        ("sparse", [1, 5, 9]),
        ("flag", [False, True]),
        ("number > 2", [False, True]),
        ("real > 2", [False, True]),
        ("maybe = 'x'", [False, True, None]),
        ("maybe IS NULL", [False, True]),
        ("CASE WHEN real > 3 THEN 'high' WHEN code = 1 THEN 'one' ELSE 'low' END", ["high", "low", "one"]),
        ("CASE WHEN name = 'me' THEN 1 END", [1, None]),
        ("number // 3", [0, 1]),
        ("sparse % 4", [1]),
        ("sparse * 2 + 1", [3, 11, 19]),
        ("upper(word)", ["A", "B", "C"]),
        ("COALESCE(maybe, '-')", ["-", "x", "y"]),
        ("EXTRACT(month FROM day)", [1, 2, 3]),
        ("EXTRACT(year FROM day)", [2025]),
        ("date_trunc('month', day)", [datetime(2025, 1, 1), datetime(2025, 2, 1), datetime(2025, 3, 1)]),
        ("EXTRACT(dow FROM day)", [0, 1, 2, 3, 4, 5, 6]),
        ("CAST(real AS BIGINT)", list(range(11))),
        ("CAST(real AS BIGINT) // 5", [0, 1, 2]),
        ("sign(number)", [-1, 0, 1]),
        ("word || 'x'", ["ax", "bx", "cx"]),
    ],
)
def test_the_domain_of_a_key_is_every_value_it_can_have(
    session: Session, key: str, expected: list[object]
) -> None:
    assert groups(session, key) == expected


@pytest.mark.parametrize(
    "key", ["name", "code", "code % 2 = 0, code", "word, name", "big", "substring(name, 1, 1)"]
)
def test_a_key_without_a_finite_list_is_private(session: Session, key: str) -> None:
    assert groups(session, key) is None


def test_a_day_has_every_day_between_its_bounds(session: Session) -> None:
    found = groups(session, "day")
    assert found is not None and len(found) == 32
    assert (found[0], found[-1]) == (date(2025, 1, 30), date(2025, 3, 2))


def _days(first: str, last: str, step: int = 1) -> list[date]:
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    return [start + timedelta(days=i) for i in range(0, (end - start).days + 1, step)]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (
            "CAST(moment - INTERVAL (EXTRACT(dow FROM moment)) DAY AS DATE)",
            _days("2025-01-26", "2025-03-02", 7),
        ),
        ("CAST(moment - INTERVAL 1 DAY * (day(moment) - 1) AS DATE)", [date(2025, m, 1) for m in (1, 2, 3)]),
        ("strftime(moment - INTERVAL (dayofyear(moment) - 1) DAY, '%Y-%m-%d')", ["2025-01-01"]),
        (
            "CAST(moment + INTERVAL 1 MONTH AS DATE)",
            [*_days("2025-02-28", "2025-03-28"), *_days("2025-04-01", "2025-04-02")],
        ),
        ("CAST(INTERVAL 1 WEEK + moment AS DATE)", _days("2025-02-06", "2025-03-09")),
        ("CAST(moment + INTERVAL 20 HOUR AS DATE)", _days("2025-01-31", "2025-03-03")),
        ("CAST(moment + INTERVAL (number) HOUR AS DATE)", _days("2025-01-30", "2025-03-03")),
    ],
)
def test_the_days_of_moved_moments_are_those_of_their_days(
    session: Session, key: str, expected: list[object]
) -> None:
    assert groups(session, key) == expected


@pytest.mark.parametrize(
    ("key", "where", "expected"),
    [
        ("word", "word IN ('a', 'c', LOWER('NO'))", ["a", "c"]),
        ("word", "word <> 'a'", ["b", "c"]),
        ("word", "name = 'me'", ["a", "b", "c"]),
        ("number", "number > 3", [4, 5]),
        ("number", "number > 3 OR real > 1", [-2, -1, 0, 1, 2, 3, 4, 5]),
        ("number", "number % 2 = 0 AND number >= 0", [0, 2, 4]),
        ("maybe", "maybe IS NOT NULL", ["x", "y"]),
        ("maybe", "maybe = 'x'", ["x"]),
        ("code", "code BETWEEN 3 AND 5", [3, 4, 5]),
        ("EXTRACT(month FROM day)", "day >= DATE '2025-02-03'", [2, 3]),
        ("date_trunc('month', day)", "day < DATE '2025-02-01'", [datetime(2025, 1, 1)]),
        ("number // 3", "number >= 3", [1]),
        ("FLOOR(number / 3)", "number >= 3", [1.0]),
        ("flag", "flag", [True]),
    ],
)
def test_a_filter_narrows_the_domain_to_what_can_pass_it(
    session: Session, key: str, where: str, expected: list[object]
) -> None:
    assert groups(session, key, f"WHERE {where}") == expected


def test_two_keys_have_every_pair(session: Session) -> None:
    found = groups(session, "flag, sparse")
    assert found == [(f, s) for f in (False, True) for s in (1, 5, 9)]


def test_two_keys_over_one_column_have_only_the_pairs_of_one_value(session: Session) -> None:
    assert groups(session, "sparse, sparse > 4") == [(1, False), (5, True), (9, True)]
    assert groups(session, "number // 4, number // 2") == [(0, -1), (0, 0), (0, 1), (1, 2)]


def test_a_condition_between_two_keys_leaves_the_pairs_that_meet_it(session: Session) -> None:
    found = groups(session, "sparse, number", "WHERE sparse = number")
    assert found == [(1, 1), (5, 5)]


def test_a_public_table_lists_its_own_values(session: Session) -> None:
    assert groups(session, "w.class", "JOIN words AS w USING (word)") == [1]
    assert groups(session, "w.class", "JOIN words AS w ON t.name = w.word") == [1, 2]
    assert groups(session, "w.label", "JOIN words AS w USING (word) WHERE w.class = 1") == ["p", "q"]


def test_columns_of_one_public_row_stay_together(session: Session) -> None:
    found = groups(session, "w.class, w.label", "JOIN words AS w ON t.name = w.word")
    assert found == [(1, "p"), (1, "q"), (2, "r")]


def test_a_join_lists_the_values_of_an_unbounded_column(session: Session) -> None:
    assert groups(session, "c.spelled", "JOIN codes AS c USING (code)") == ["acht", "eight", "seven"]
    assert groups(session, "c.code", "JOIN codes AS c ON t.code = c.code") == [7, 8]


def test_a_left_join_adds_the_group_of_rows_without_a_match(session: Session) -> None:
    found = groups(session, "c.spelled", "LEFT JOIN codes AS c USING (code)")
    assert found == ["acht", "eight", "seven", None]


def test_a_filter_above_a_left_join_can_take_that_group_away(session: Session) -> None:
    assert groups(session, "c.spelled", "LEFT JOIN codes AS c USING (code) WHERE c.code = 7") == ["seven"]


def test_more_than_a_million_groups_are_private_keys(session: Session) -> None:
    assert groups(session, "big, number") is None
    assert groups(session, "big", "WHERE big < 1000") == list(range(1000))


def test_no_group_by_is_one_group_without_a_key(session: Session) -> None:
    assert release(session, "SELECT COUNT(*) FROM t").keys.domain == ((),)


def test_declared_types_are_those_of_the_keys(session: Session) -> None:
    found = release(
        session, "SELECT COUNT(*) FROM t GROUP BY word, number, flag, day, EXTRACT(year FROM day)"
    )
    assert found.keys.types == ("VARCHAR", "BIGINT", "BOOLEAN", "DATE", "BIGINT")


def test_a_continuous_key_is_refused(session: Session) -> None:
    with pytest.raises(QueryRefused, match="continuous value"):
        groups(session, "real")


def test_the_domain_does_not_depend_on_the_rows(tmp_path: Path) -> None:
    table = {"word": "text, values: [a, b]", "n": "integer, lower: 0, upper: 2"}
    empty = Table(table, privacy="max_rows_per_unit: 1").open(tmp_path / "empty")
    full = Table(table, [(1, "a", 1), (2, "q", 7), (3, None, None)][:2], privacy="max_rows_per_unit: 1")
    query = "SELECT word, n, COUNT(*) FROM t GROUP BY word, n"
    assert domain(empty, query) == domain(full.open(tmp_path / "full"), query)


@pytest.mark.parametrize(
    "key",
    [
        "number",
        "day",
        "word, number",
        "maybe, day",
        "number, flag",
        "sparse, day, word",
        "day, maybe, number",
    ],
)
def test_groups_listed_without_the_engine_are_those_and_in_the_order_that_it_gives(
    session: Session, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = groups(session, key)
    monkeypatch.setattr("dpsql.plan.keys.domains._Domain.direct", lambda *_: None)
    assert listed is not None and listed == groups(session, key + " -- by the engine")


def test_a_key_is_listed_by_its_own_range_where_the_days_behind_it_make_the_list_too_long(
    session: Session,
) -> None:
    found = groups(session, "big % 6000, month(day), flag")
    assert found is not None and len(found) == 6000 * 3 * 2
    few = groups(session, "month(day), flag", "WHERE month(day) > 1 OR flag")
    assert few == [(1, True), *itertools.product((2, 3), (False, True))]


@pytest.mark.parametrize("totals", [(-3.0, 0.0), (0.0, -3.0)])
def test_a_private_key_of_steps_has_one_zero_whichever_row_comes_first(
    totals: tuple[float, float], tmp_path: Path
) -> None:
    rows = [(i, total) for i, total in enumerate(totals * 30)]
    opened = Table({"x": "float, lower: -5, upper: 5"}, rows, privacy="max_rows_per_unit: 3").open(tmp_path)
    query = "SELECT CEIL(s / 10) AS k, COUNT(*) FROM (SELECT u, SUM(x) AS s FROM t GROUP BY u) GROUP BY k"
    assert release(opened, query).keys.domain is None
    assert [(repr(k), n) for k, n in opened.answer(query).rows] == [("0.0", 60)]
