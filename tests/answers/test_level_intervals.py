"""How sure totals are: intervals, DP_INTERVAL and the errors that EXPLAIN tells, at every level of an answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.release.types import Answer, Interval95
from dpsql.session import Session, build_session

ADDED_UP = "SELECT region, COUNT(*) AS n, GROUPING(region) AS g FROM orders GROUP BY ROLLUP (region)"
RECONCILED = (
    "SELECT day, COUNT(*) AS n, AVG(quantity) AS m FROM orders WHERE day < DATE '2025-01-13' "
    "GROUP BY ROLLUP (day)"
)
SELECTED = "SELECT product, COUNT(*) AS n FROM orders GROUP BY ROLLUP (product)"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = make_shop(tmp_path_factory.mktemp("shop"))
    session = build_session(load_policy(folder / "shop.yaml"), "alice", None, (None, None), Noiseless(2))
    yield session
    session.close()


def half(interval: Interval95 | None) -> float:
    assert interval is not None
    return (interval.high - interval.low) / 2


def column(answer: Answer, at: int) -> dict[object, Interval95 | None]:
    """The intervals of a column by the first one, whose own have none."""
    assert all(row[0] is None for row in answer.released.intervals)
    return {row[0]: i[at] for row, i in zip(answer.rows, answer.released.intervals, strict=True)}


@pytest.mark.parametrize("around", ["{}", "{} ORDER BY 2 DESC, 1", "SELECT * FROM ({}) AS v ORDER BY 1"])
def test_a_total_that_is_added_up_is_as_unsure_as_all_of_its_groups(shop: Session, around: str) -> None:
    found = column(shop.answer(around.format(ADDED_UP)), 1)
    alone = half(found["north"])
    assert len({half(v) for k, v in found.items() if k}) == 1
    assert half(found[None]) == pytest.approx(2 * alone, rel=0.15)


def test_what_explain_promises_is_what_the_intervals_of_each_level_have(shop: Session) -> None:
    plan, answer = shop.explain(RECONCILED), shop.answer(RECONCILED)
    found = column(answer, 1)
    (groups,) = {half(v) for k, v in found.items() if k}
    total = half(found[None])
    promised = {r.output: r.expected_error for r in plan.releases}
    assert promised["COUNT(*), by day"] == pytest.approx(groups)
    assert promised["COUNT(*), in all"] == pytest.approx(total)
    assert total < 2 * groups
    (told,) = (c for c in plan.columns if c.column == "n")
    assert told.half_width == pytest.approx(max(groups, total))
    assert "by day" in told.note and "in all" in told.note


def test_levels_of_private_keys_have_the_intervals_of_their_releases(shop: Session) -> None:
    found = column(shop.answer(SELECTED), 1)
    assert len(found) >= 3 and half(found[101]) > half(found[None]) > 0


def test_the_ends_of_intervals_are_columns_of_every_level(shop: Session) -> None:
    sql = ADDED_UP.replace("AS n", "AS n, DP_INTERVAL_LOW(n) AS low, DP_INTERVAL_HIGH(COUNT(*)) AS high")
    answer = shop.answer(sql)
    expected = column(shop.answer(ADDED_UP), 1)
    for region, n, low, high, _ in answer.rows:
        assert low < n < high and (high - low) / 2 == pytest.approx(half(expected[region]))


def test_an_average_of_a_level_has_an_interval_where_it_has_a_value(shop: Session) -> None:
    answer = shop.answer(RECONCILED)
    for row, intervals in zip(answer.rows, answer.released.intervals, strict=True):
        assert (row[2] is None) == (intervals[2] is None)


def test_an_accuracy_holds_for_the_totals_as_well(tmp_path: Path) -> None:
    folder = make_shop(tmp_path / "shop")
    session = build_session(
        load_policy(folder / "shop.yaml"), "alice", None, (None, None), Noiseless(), accuracy="2000"
    )
    plan = session.explain(ADDED_UP)
    (told,) = (c for c in plan.columns if c.column == "n")
    assert told.half_width is not None and 1500 < told.half_width <= 2000
    assert plan.epsilon < 1


def test_ends_are_refused_where_no_level_is_read_row_by_row(shop: Session) -> None:
    with pytest.raises(QueryRefused, match="DP_INTERVAL_LOW stands in the SELECT that aggregates"):
        shop.answer(f"SELECT DISTINCT DP_INTERVAL_LOW(n) FROM ({ADDED_UP}) AS v")


def test_ends_are_told_of_a_subquerys_columns(shop: Session) -> None:
    sql = ADDED_UP.replace("AS n", "AS n, DP_INTERVAL_LOW(n) AS low")
    inner = [row[2] for row in shop.answer(f"SELECT * FROM ({sql}) AS v").rows]
    outer = [row[0] for row in shop.answer(f"SELECT DP_INTERVAL_LOW(n) FROM ({ADDED_UP}) AS v").rows]
    assert sorted(inner) == sorted(outer)
