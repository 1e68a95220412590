"""Plans of order statistics: what they share, what they cost, and what they choose once noise is out of the way."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from fractions import Fraction

import pytest

from dpsql.mechanisms.sampler import ExactSampler
from dpsql.plan.types import Modes, Ranks, Sums
from dpsql.privacy import Mechanism
from dpsql.session import Session
from plan.opened import Table, release

COLUMNS = {
    "k": "text, values: [a, b]",
    "x": "integer, lower: -50, upper: 80",
    "n": "integer, lower: 0, upper: 40, nullable: true",
    "day": "date, lower: 2025-01-01, upper: 2025-12-31",
    "moment": "timestamp, lower: 2025-01-01T00:00:00, upper: 2025-01-02T00:00:00",
    "p": "boolean",
}
ROWS = [
    (
        i,
        "ab"[i % 2],
        i - 20,
        i % 7 if i % 3 else None,
        date(2025, 1, 1 + i % 28),
        datetime(2025, 1, 1, i % 24),
        i > 3,
    )
    for i in range(60)
]


@pytest.fixture
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """So much budget that the rank aimed at is the least and the greatest value itself."""
    table = Table(COLUMNS, ROWS, privacy="max_rows_per_unit: 1", epsilon="99")
    opened = table.open(tmp_path_factory.mktemp("order"))
    yield opened
    opened.close()


def test_several_quantiles_of_a_column_share_one_count_and_its_epsilon(session: Session) -> None:
    (part,) = release(session, "SELECT MEDIAN(x), QUANTILE_CONT(x, 0.9), MIN(x), MAX(x) FROM t").parts
    assert isinstance(part, Ranks)
    assert [t.level for t in part.targets] == [Fraction(1, 2), Fraction(9, 10), 0, 1]
    assert [t.score_range for t in part.targets] == [2, 18, 4, 4]
    assert [e.cost.epsilon for e in part.events] == [Fraction(99, 4)] * 4
    assert {e.mechanism for e in part.events} == {Mechanism.EXPONENTIAL}


def test_another_filter_is_another_count(session: Session) -> None:
    parts = release(session, "SELECT MEDIAN(x), MEDIAN(x) FILTER (WHERE p), AVG(x), MODE(k) FROM t").parts
    assert [type(p) for p in parts] == [Sums, Ranks, Ranks, Modes]
    assert sum(e.cost.epsilon for p in parts for e in p.events) == 99


def test_groups_share_nothing_of_epsilon(session: Session) -> None:
    alone, grouped = (release(session, f"SELECT MEDIAN(x) FROM t{by}").parts for by in ("", " GROUP BY k"))
    assert alone[0].events == grouped[0].events


def test_a_replaced_unit_moves_twice_as_far(tmp_path_factory: pytest.TempPathFactory) -> None:
    table = Table(COLUMNS, privacy="max_rows_per_unit: 2, neighbours: substitute")
    opened = table.open(tmp_path_factory.mktemp("replaced"))
    ranks, modes = release(opened, "SELECT MEDIAN(x), MODE(k) FROM t").parts
    assert isinstance(ranks, Ranks) and isinstance(modes, Modes)
    assert (ranks.targets[0].score_range, modes.score_range) == (2 * 2 * 2, 2 * 2)
    opened.close()


def test_with_enough_budget_the_least_and_the_greatest_are_duckdb_s(session: Session) -> None:
    answer = session.answer("SELECT MIN(x), MAX(x), MIN(day), MAX(day), MIN(n), MAX(n) FROM t", None)
    assert answer.rows == ((-20, 39, date(2025, 1, 1), date(2025, 1, 28), 0, 6),)


def test_a_quantile_of_a_group_is_its_order_statistic(session: Session) -> None:
    answer = session.answer(
        "SELECT k, MEDIAN(x), QUANTILE_DISC(x, 0.9), MEDIAN(day) FROM t GROUP BY k ORDER BY k", None
    )
    assert answer.rows == (
        ("a", 8.0, 32, datetime(2025, 1, 13)),
        ("b", 9.0, 33, datetime(2025, 1, 14)),
    )


def test_statistics_of_one_column_come_out_in_the_order_of_their_levels(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    table = Table(COLUMNS, ROWS, privacy="max_rows_per_unit: 1", epsilon="4")
    opened = table.open(tmp_path_factory.mktemp("sorted"), ExactSampler())
    sql = "SELECT QUANTILE_DISC(x, 0.6), QUANTILE_DISC(x, 0.4), QUANTILE_DISC(x, 0.5) FROM t WHERE x > -{}"
    for i in range(21, 33):
        high, low, middle = opened.answer(sql.format(i), None).rows[0]
        known = [v for v in (low, middle, high) if v is not None]
        assert known == sorted(known)
    opened.close()


def test_explain_names_the_rank_the_cells_and_the_error(session: Session) -> None:
    median, least = session.explain("SELECT MEDIAN(x), MIN(day) FROM t GROUP BY k", None).releases
    assert (median.mechanism, median.sensitivity, median.expected_error) == ("exponential", 1.0, None)
    assert "rank q n for q = 0.5" in median.note and "131 cells from -50 to 80" in median.note
    assert "with 95 % confidence" in median.note and "ranks" in median.note
    assert "the least value is chosen" in least.note and "365 cells from 2025-01-01" in least.note
    mode, any_of = session.explain("SELECT MODE(k), BOOL_OR(p) FROM t", None).releases
    assert "one of 2 values" in mode.note and "NULL where none stands out" in mode.note
    assert "how many rows are true: false where none is" in any_of.note


def test_a_choice_has_no_interval_and_the_sums_beside_it_keep_theirs(session: Session) -> None:
    answer = session.answer("SELECT MEDIAN(x), COUNT(*), AVG(x), MODE(k) FROM t", None)
    ((median, count, average, mode),) = answer.released.intervals
    assert median is None and mode is None
    assert count is not None and average is not None


def test_a_formula_with_a_choice_in_it_has_no_interval(session: Session) -> None:
    answer = session.answer("SELECT COUNT(*) + COALESCE(MEDIAN(x), 0), COUNT(*) + 1 FROM t", None)
    assert [i is None for i in answer.released.intervals[0]] == [True, False]
