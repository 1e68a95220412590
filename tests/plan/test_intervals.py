"""Intervals cover what the data holds in 95 % of draws; a count's and a sum's is as wide as explain says."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from answers.noiseless import Noiseless
from chances import is_share_between

from dpsql.algebra.formula import Measured
from dpsql.engines.base import EngineQuery, Exact
from dpsql.mechanisms.analysis import laplace_sum
from dpsql.mechanisms.sampler import ExactSampler, Sampler
from dpsql.plan.types import Part, Release
from dpsql.release.draw.noise import Noisy
from dpsql.release.draw.perform import perform
from dpsql.release.estimate.measures import measure_floats
from dpsql.release.types import Interval95
from dpsql.release.uncertainty.intervals import half_width
from dpsql.release.uncertainty.intervals import intervals as intervals_of
from dpsql.session import Session
from dpsql.stages.prepare import prepare
from plan.opened import Table

COLUMNS = {
    "k": "text, values: [a, b, c, d]",
    "x": "integer, lower: 0, upper: 10, nullable: true",
    "y": "float, lower: -5, upper: 5, step: 0.5",
}
DRAWS = 800
GROUPS = 4


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    draw = np.random.default_rng(1)
    rows = [
        (
            i,
            "abcd"[i % 4],
            None if i % 7 == 0 else int(draw.integers(0, 11)),
            float(draw.integers(-10, 11)) / 2,
        )
        for i in range(2000)
    ]
    opened = Table(COLUMNS, rows, table="one_row_per_unit: true").open(tmp_path_factory.mktemp("intervals"))
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The half width of a law is the same in every draw; computing it takes longer than drawing."""
    monkeypatch.setattr(laplace_sum, "half_width", lru_cache(laplace_sum.half_width))


def intervals(release: Release, noisy: Noisy, sampler: Sampler) -> list[tuple[Interval95 | None, ...]]:
    """The intervals of every measure."""
    return [intervals_of(release, Measured(i), noisy, sampler) for i in range(len(release.estimators))]


def found(session: Session, sql: str) -> tuple[Release, dict[Part, Exact]]:
    ready = prepare(sql, None, session._state)
    (only,) = ready.plan.releases
    queries: dict[Part, EngineQuery] = dict(zip(only.parts, ready.queries[0], strict=True))
    return only, {part: session._state.engine.run(query) for part, query in queries.items()}


@pytest.mark.one_in(9)
@pytest.mark.parametrize(
    "measures",
    [
        "COUNT(*)",
        "COUNT(x)",
        "SUM(y)",
        "AVG(x)",
        "STDDEV(y)",
        "COUNT(*), SUM(x), AVG(x)",
        "COUNT(*), VAR_POP(y), AVG(y)",
        "AVG(x), AVG(y)",
    ],
)
def test_95_of_100_intervals_hold_the_value_without_noise(session: Session, measures: str) -> None:
    release, exact = found(session, f"SELECT k, {measures} FROM t GROUP BY k")
    true = perform(release, exact.__getitem__, Noiseless())
    sampler, inside = ExactSampler(), np.zeros(len(release.estimators), dtype=np.int64)
    for _ in range(DRAWS):
        noisy = perform(release, exact.__getitem__, sampler)
        for m, (e, cells) in enumerate(
            zip(release.estimators, intervals(release, noisy, sampler), strict=True)
        ):
            values = measure_floats(e, true.cells)
            inside[m] += sum(
                i is not None and i.low <= v <= i.high for i, v in zip(cells, values, strict=True)
            )
    # A discrete law covers up to 0.975; the intervals of the groups of one draw hold as those of different draws.
    for hits in inside.tolist():
        assert is_share_between(0.94, 0.98, hits, DRAWS * GROUPS), inside


def test_intervals_are_not_wider_than_they_need_be(session: Session) -> None:
    release, exact = found(session, "SELECT k, COUNT(*), AVG(x) FROM t GROUP BY k")
    noisy = perform(release, exact.__getitem__, ExactSampler())
    counts, averages = intervals(release, noisy, ExactSampler())
    assert all(i is not None and i.high - i.low < 30 for i in counts)
    assert all(i is not None and i.high - i.low < 0.6 for i in averages)


@pytest.mark.parametrize("measure", ["COUNT(*)", "SUM(y)", "SUM(x)"])
def test_a_count_s_and_a_sum_s_interval_is_as_wide_in_every_group_as_explained(
    session: Session, measure: str
) -> None:
    release, exact = found(session, f"SELECT k, {measure} FROM t GROUP BY k")
    (e,) = release.estimators
    width = half_width(e, release)
    assert width is not None
    (cells,) = intervals(release, perform(release, exact.__getitem__, ExactSampler()), ExactSampler())
    assert [i.high - i.low for i in cells if i is not None] == pytest.approx([2 * width] * GROUPS)


def test_a_quotient_that_is_null_has_no_interval(tmp_path: Path) -> None:
    session = Table(COLUMNS, [], table="one_row_per_unit: true").open(tmp_path, Noiseless())
    answer = session.answer("SELECT AVG(x), COUNT(*) FROM t")
    assert answer.rows == ((None, 0),)
    assert answer.released.intervals[0][0] is None and answer.released.intervals[0][1] is not None


def test_a_cell_that_is_made_of_no_measure_has_no_interval(session: Session) -> None:
    answer = session.answer(
        "SELECT k, COUNT(*) AS n, RANK() OVER (ORDER BY 2) AS r, 'text' AS what FROM t GROUP BY k"
    )
    assert [[i is not None for i in row] for row in answer.released.intervals] == [
        [False, True, False, False]
    ] * 4


def test_intervals_follow_rows_through_order_limit_and_an_outer_select(session: Session) -> None:
    inner = "SELECT k, COUNT(*) AS n FROM t GROUP BY k"
    answer = session.answer(f"SELECT n FROM ({inner}) AS x ORDER BY k DESC LIMIT 2")
    assert [(row[0].low + row[0].high) / 2 for row in answer.released.intervals if row[0]] == [
        r[0] for r in answer.rows
    ]
