"""Every answer that a limit may have biased says so, in the words of its limit; estimates never move the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pytest
from plan.opened import Table

import dpsql
from answers.engines import shared_engines
from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.mechanisms.clipping.clipping_noise import laplace
from dpsql.mechanisms.clipping.clipping_threshold import hidden_units
from dpsql.mechanisms.partition.partition_selection import keep_probability
from dpsql.mechanisms.partition.thresholding import release_probability
from dpsql.mechanisms.selection.order_statistic import rank_error
from dpsql.plan.choices.bins import starts
from dpsql.plan.types import Histogram, Presence, Ranks, Release
from dpsql.policy.load import load_policy
from dpsql.privacy import Neighbours
from dpsql.release.draw import thresholds
from dpsql.release.draw.noise import FoundLimit, Noisy
from dpsql.release.explain.bias import bias_notes
from dpsql.release.explain.mechanisms import groups_below
from dpsql.release.types import Interval95, Span
from dpsql.release.uncertainty.total_intervals import lost_of, total
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

POLICY = """
version: 1
privacy: {{unit: orders.customer, clipping: private{more}}}
tables:
  orders:
    source: orders.duckdb
    unit_key: customer
    columns:
      customer: {{type: integer}}
      kind:     {{type: text, values: [a, b]}}
      price:    {{type: integer, lower: 0, upper: 4}}
      change:   {{type: integer, lower: -4, upper: 4}}
budgets:
  dataset: {{epsilon: 1000}}
  default: {{epsilon: 1000, per_query: 1}}
"""
# 1,000 people with two orders, and 10 with 500, which is more than any limit that is worth its noise.
ORDERS = """
CREATE TABLE orders AS
SELECT p::BIGINT AS customer, ['a', 'b'][1 + r % 2] AS kind, 2 AS price, -1 AS change
FROM range(1010) people(p), range(500) rows(r) WHERE r < CASE WHEN p < 10 THEN 500 ELSE 2 END"""
BY_KIND = (
    "SELECT kind, COUNT(*) AS n, SUM(price) AS total FROM orders WHERE price > 1 GROUP BY kind ORDER BY 1"
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("bias"))


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("orders")
    with duckdb.connect(str(folder / "orders.duckdb")) as connection:
        connection.execute(ORDERS)
    (folder / "free.yaml").write_text(POLICY.format(more=""))
    (folder / "two.yaml").write_text(POLICY.format(more=", max_rows_per_unit: 2"))
    return folder


@pytest.fixture
def noiseless(orders: Path) -> Iterator[Session]:
    session = build_session(
        load_policy(orders / "free.yaml"), "alice", None, (None, None), Noiseless(), resources=shared_engines
    )
    with closing(session):
        yield session


def told(policy: Path, sql: str) -> tuple[str, ...]:
    """The notes on bias of an answer without noise."""
    with closing(
        build_session(load_policy(policy), "alice", None, (None, None), Noiseless(), resources=shared_engines)
    ) as session:
        return session.answer(sql).released.bias


def releases(policy: Path, sql: str) -> tuple[Release, ...]:
    with closing(
        build_session(load_policy(policy), "alice", None, (None, None), Noiseless(), resources=shared_engines)
    ) as session:
        return prepare(sql, None, session._state).plan.releases


def test_a_limit_that_was_found_tells_how_many_people_it_makes_smaller(noiseless: Session) -> None:
    released = noiseless.answer(BY_KIND).released
    note, _ = released.bias
    expected = r"COUNT\(\*\), SUM\(price\): about 10 \(±\d+\) of 1,010 people count with less than they have"
    assert re.fullmatch(expected, note)
    assert released.notes[0] == note
    assert noiseless.answer(BY_KIND).released.bias == released.bias  # a stored answer, too


def test_each_limit_names_its_own_measures(noiseless: Session) -> None:
    sql = "SELECT COUNT(*) FILTER (WHERE kind = 'a') AS few, SUM(change) AS s FROM orders"
    notes = [n for n in noiseless.answer(sql).released.bias if "people" in n]
    assert {n.split(":")[0] for n in notes} == {"COUNT(*) FILTER(WHERE kind = 'a')", "SUM(change)"}


def test_where_the_largest_limit_is_found_people_above_it_are_not_told_from_those_below(orders: Path) -> None:
    (note,) = told(orders / "two.yaml", "SELECT COUNT(*) AS n FROM orders WHERE price > 1")
    assert re.fullmatch(
        r"COUNT\(\*\): at most about 1,010 \(±\d+\) of 1,010 people count with less than they have", note
    )


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("policy", "sql", "expected"),
    [
        ("dataset_cap", "SELECT COUNT(*), SUM(amount) FROM orders",
         ["COUNT(*), SUM(amount): at most 3 rows of a person are counted"]),
        ("dataset_cap", "SELECT MEDIAN(amount) FROM orders",
         ["MEDIAN(amount): at most 3 rows of a person are counted"]),
        ("table_cap", "SELECT COUNT(*) FROM orders WHERE paid",
         ["COUNT(*): at most 3 rows of a person are read from orders"]),
        ("unit_total", "SELECT SUM(amount) FROM orders",
         ["SUM(amount): a person counts with 100 of amount at most, all rows together"]),
        ("dataset_cap", "SELECT COUNT(DISTINCT customer) FROM orders", []),
        ("survey", "SELECT COUNT(*) FROM survey", []),
        ("shop", "SELECT region FROM regions", []),
    ],
)  # fmt: skip
def test_a_fixed_limit_says_what_it_leaves_out(
    shop: Path, policy: str, sql: str, expected: list[str]
) -> None:
    notes = [n for n in told(shop / f"{policy}.yaml", sql) if "probability" not in n and "nearer" not in n]
    assert notes == expected


def test_one_limit_is_said_once_for_all_releases(shop: Path) -> None:
    sql = "SELECT (SELECT COUNT(*) FROM orders) AS n, (SELECT SUM(quantity) FROM orders WHERE paid) AS q"
    assert told(shop / "dataset_cap.yaml", sql) == (
        "COUNT(*), SUM(quantity): at most 3 rows of a person are counted",
        "SUM(quantity): values of quantity outside 0 to 10 count as the nearer of these",
    )


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT AVG(amount), SUM(quantity * amount) FROM orders",
         ["AVG(amount), SUM(quantity * amount): values of amount outside 0 to 100 count as the nearer of these",
          "SUM(quantity * amount): values of quantity outside 0 to 10 count as the nearer of these"]),
        ("SELECT MAX(day) FROM orders",
         ["MAX(day): values of day outside 2025-01-01 to 2025-03-31 count as the nearer of these"]),
        ("SELECT SUM(CASE WHEN amount > 5 THEN 1 ELSE 0 END), COUNT(amount), SUM(rating) FROM orders", []),
        ("SELECT region, AVG(n) FROM (SELECT region, COUNT(*) AS n FROM orders GROUP BY region) AS t GROUP BY 1", []),
    ],
)  # fmt: skip
def test_values_that_are_moved_to_their_bounds_are_told(shop: Path, sql: str, expected: list[str]) -> None:
    assert [n for n in told(shop / "shop.yaml", sql) if "nearer" in n] == expected


def test_many_and_long_names_are_cut(shop: Path) -> None:
    sums = ", ".join(f"SUM(CASE WHEN quantity > {i} THEN amount ELSE quantity + {i} END)" for i in range(8))
    note, *_ = told(shop / "dataset_cap.yaml", f"SELECT {sums} FROM orders")
    names = note.removesuffix(": at most 3 rows of a person are counted")
    assert names.endswith("..., 2 more") and len(names) < 400


@pytest.mark.parametrize("counted", [False, True])
def test_the_number_told_of_counted_people_is_the_least_that_is_shown_half_of_the_time(
    shop: Path, counted: bool
) -> None:
    sql = "SELECT product, COUNT(DISTINCT customer) FROM orders GROUP BY product"
    (part,) = [p for r in releases(shop / "shop.yaml", sql) for p in r.parts if isinstance(p, Presence)]
    part = replace(part, weights=None, counted=counted)
    n = int(re.findall(r"below about ([\d,]+) people", groups_below(part))[0].replace(",", ""))
    shown = release_probability if counted else keep_probability
    law = {"epsilon": part.epsilon, "delta": part.delta, "groups_per_unit": part.groups}
    assert shown(n - 1, **law) < 1 / 2 <= shown(n, **law)


@pytest.mark.parametrize("count", ["COUNT(*)", "COUNT(DISTINCT customer)"])
def test_groups_are_withheld_below_the_number_shown_half_of_the_time(shop: Path, count: str) -> None:
    sql = f"SELECT product, {count} FROM orders GROUP BY product"
    (note,) = [n for n in told(shop / "shop.yaml", sql) if "withheld" in n]
    n = int(re.findall(r"below about ([\d,]+) people", note)[0].replace(",", ""))
    assert f"groups below about {n:,} people are withheld" in note and "shown with probability 1/2" in note
    (part,) = [p for r in releases(shop / "shop.yaml", sql) for p in r.parts if isinstance(p, Presence)]
    if part.weights is not None:
        return  # its law is told where the mechanism is tested
    shown = release_probability if part.counted else keep_probability
    law = {"epsilon": part.epsilon, "delta": part.delta, "groups_per_unit": part.groups}
    assert shown(n - 1, **law) < 0.5 <= shown(n, **law)


@pytest.mark.parametrize("aggregate", ["MAX(amount)", "MIN(amount)", "MEDIAN(amount)"])
def test_what_is_chosen_by_rank_has_an_interval_of_ranks(shop: Path, aggregate: str) -> None:
    sql = f"SELECT {aggregate} FROM orders"
    (note,) = [n for n in told(shop / "shop.yaml", sql) if "probability" in n]
    (part,) = [p for r in releases(shop / "shop.yaml", sql) for p in r.parts if isinstance(p, Ranks)]
    (target,) = part.targets
    cells, law = len(starts(part.bins)) - 1, {"epsilon": target.epsilon, "score_range": target.score_range}
    error = -int(-rank_error(Fraction(1, 20), q=target.level, cells=cells, **law) // 1)  # rounded up
    if aggregate.startswith("MEDIAN"):
        assert note == (
            f"MEDIAN(amount): with 95 % probability at most {error:,} of the values lie between the answer and "
            "the quantile 0.5"
        )
    else:
        end = "greatest" if aggregate.startswith("MAX") else "least"
        assert note == (
            f"{aggregate}: with 95 % probability the answer's rank from the {end} value is between 0 (beyond all "
            f"values) and {target.inside + error:,}; rank {target.inside:,} is aimed at"
        )


def test_ranks_do_not_count_the_values_of_a_cell_that_has_several(tmp_path: Path) -> None:
    """All values are in one cell of thousands, whose middle is below them."""
    values = [500 + i % 40 / 100 for i in range(2_000)]
    table = Table({"x": "float, lower: 0, upper: 1000000, step: 0.01"}, list(enumerate(values)))
    sql = "SELECT MEDIAN(x) AS median, MIN(x) AS least FROM t"
    with closing(replace(table, table="one_row_per_unit: true").open(tmp_path)) as session:
        answer = session.answer(sql)
        notes = [n for n in answer.released.bias if "probability" in n]
    assert answer.rows[0][0] < min(values)
    assert len(notes) == 2 and all(
        "values in its own cell not counted (256 cells of equal width to each doubling)" in note
        for note in notes
    )


def test_notes_are_made_of_text_policy_and_what_was_released(shop: Path) -> None:
    """Nothing else is asked for: no engine, no data."""
    sql = "SELECT product, COUNT(*), MAX(amount) FROM orders GROUP BY product"
    plan = releases(shop / "dataset_cap.yaml", sql)
    assert bias_notes(plan, [()] * len(plan), load_policy(shop / "dataset_cap.yaml")) == told(
        shop / "dataset_cap.yaml", sql
    )


def test_the_estimate_has_room_for_what_the_histogram_may_hide_and_the_answer_stays(
    noiseless: Session,
) -> None:
    """All that is sure is the bin of 1,000 people, which ends at the limit; the next three may hide some."""
    hidden = hidden_units(laplace(Fraction(1, 5), Neighbours.ADD_REMOVE))
    lost = (hidden * (2 - 1) + hidden * (4 - 1) + hidden * 3 // 4 * (8 - 1)) / (1000 * 0.75)
    answer = noiseless.answer(BY_KIND)
    for row, intervals in zip(answer.rows, answer.released.intervals, strict=True):
        assert intervals[0] is None
        for value, sure in zip(row[1:], intervals[1:], strict=True):
            assert sure is not None and isinstance(value, int)
            noise = (sure.high - sure.low) / 2
            assert (sure.low + sure.high) / 2 == pytest.approx(value, abs=0.5)  # rounded to whole numbers
            assert sure.noise == Span(sure.low, sure.high)
            assert sure.total is not None and sure.total.low == sure.low
            assert sure.total.high == pytest.approx((value + noise) * (1 + lost), rel=1e-3, abs=1)


def test_of_an_answer_that_counts_many_it_is_told_what_its_limit_was_read_from(
    noiseless: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bins below are not read, so that people are told as at least so many, and what is counted by the answer."""
    monkeypatch.setattr(thresholds, "MANY_ROWS", 1000)  # a row adds up to 20
    answer = noiseless.answer("SELECT SUM(5 * price) AS s FROM orders WHERE price > 1")
    assert [*map(tuple, answer.rows)] == [(1000 * 2 * 10 + 10 * 32,)]
    (note,) = (n for n in answer.released.bias if "people" in n)
    assert re.fullmatch(
        r"SUM\(5 \* price\): about 10 \(±\d+\) of more than 1,010 people count with less than they have", note
    )
    hidden = hidden_units(laplace(Fraction(1, 5), Neighbours.ADD_REMOVE))
    lost = (hidden * (64 - 32) + hidden * (128 - 32) + hidden * 3 // 4 * (256 - 32)) / (1000 * 0.75 * 32)
    ((sure,),) = answer.released.intervals
    assert sure is not None and sure.total is not None
    assert sure.total.high == pytest.approx(sure.high * (1 + lost), rel=1e-3)


def test_what_the_bins_that_are_not_told_count_is_known_by_the_answer(orders: Path) -> None:
    (release,) = releases(orders / "free.yaml", "SELECT COUNT(*) AS n FROM orders WHERE price > 1")
    (histogram,) = (p for p in release.parts if isinstance(p, Histogram))
    shift, bins = histogram.clipping.shift, len(histogram.clipping.bins)
    counts = (1000, *(0,) * (bins - 8))  # people with (64, 128], of whom the limit lets 128 count
    hidden = hidden_units(laplace(Fraction(1, 5), Neighbours.ADD_REMOVE))
    left_out = hidden * (256 - 128) + hidden * (512 - 128) + hidden * 3 // 4 * (1024 - 128)
    for answered, counted in ((10**6, 10**6), (10, 1000 * 96)):
        noisy = Noisy(((),), np.array([[answered << shift]]), (FoundLimit(128 << shift, counts),))
        assert lost_of(release, noisy) == (pytest.approx(left_out / counted),)


def test_in_l2_people_count_at_least_the_answer_divided_by_the_root_of_its_cells(orders: Path) -> None:
    sql = "SELECT kind, COUNT(*) AS n FROM orders WHERE price > 1 GROUP BY kind"
    (orders / "zcdp.yaml").write_text(
        POLICY.format(more="").replace("epsilon: 1000", "epsilon: 1000, delta: 0.001") + "accountant: zcdp\n"
    )
    (release,) = releases(orders / "zcdp.yaml", sql)
    (histogram,) = (p for p in release.parts if isinstance(p, Histogram))
    assert histogram.squared
    shift, bins = histogram.clipping.shift, len(histogram.clipping.bins)
    counts = (5000, *(0,) * (bins - 8))
    hidden = hidden_units(histogram.noise)
    left_out = hidden * (256 - 128) + hidden * (512 - 128) + hidden * 3 // 4 * (1024 - 128)
    cells = np.array([[10**7 << shift], [10**6 << shift]])
    noisy = Noisy((("a",), ("b",)), cells, (FoundLimit(128 << shift, counts),))
    assert lost_of(release, noisy) == (pytest.approx(left_out / (11 * 10**6 / 2)),)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("column", "estimated"),
    [
        ("COUNT(*)", True),
        ("SUM(price)", True),
        ("2 * COUNT(price)", True),
        ("SUM(change)", False),
        ("AVG(price)", False),
        ("VARIANCE(price)", False),
        ("-COUNT(*)", False),
        ("COUNT(*) + 5", False),
        ("SUM(price) / COUNT(*)", False),
    ],
)
def test_counts_and_sums_that_are_never_negative_have_an_estimate(
    noiseless: Session, column: str, estimated: bool
) -> None:
    released = noiseless.answer(f"SELECT {column} AS x FROM orders WHERE price > 1").released
    assert "people count with less" in released.bias[0]
    ((sure,),) = released.intervals
    assert sure is not None and (sure.total is not None) == estimated


def test_under_fixed_limits_there_is_no_estimate(shop: Path) -> None:
    with dpsql.connect(shop / "dataset_cap.yaml", analyst="alice", ledger=shop / "bias.ledger") as connection:
        ((sure,),) = connection.execute("SELECT COUNT(*) FROM orders").release.intervals
    assert sure is not None and sure.total is None


def test_above_an_open_limit_and_without_people_in_sight_there_is_no_estimate(orders: Path) -> None:
    for policy, sql in (
        ("two", "SELECT COUNT(*) AS n FROM orders WHERE price > 1"),
        ("free", "SELECT COUNT(*) AS n FROM orders WHERE price > 3"),
    ):
        session = build_session(
            load_policy(orders / f"{policy}.yaml"),
            "alice",
            None,
            (None, None),
            Noiseless(),
            resources=shared_engines,
        )
        with closing(session):
            ((sure,),) = session.answer(sql).released.intervals
        assert sure is not None and sure.total is None


@pytest.mark.parametrize(
    ("low", "high", "lost", "expected"),
    [
        (90, 110, 0.0, (90, 110)),
        (90, 110, 0.5, (90, 165)),
        (-30, -10, 0.5, (-30, 15)),  # an answer below 0 counts as 0
        (-10, 30, 1.0, (-10, 60)),
    ],
)
def test_the_estimate_by_hand(low: float, high: float, lost: float, expected: tuple[float, float]) -> None:
    assert total(Interval95(low, high), lost) == Span(*expected)
