"""A limit that is found for sums of which quotients alone are shown: when, what is stored, what is told."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

import dpsql.sql.split.cut as cutting
from answers.test_found_limits import POLICY, Recorder, opened, parts
from dpsql.algebra.question import Question
from dpsql.audit import sensitivity
from dpsql.audit.databases.random_database import Style
from dpsql.audit.queries.generated_query import Query
from dpsql.audit.sensitivity import fuzz, subject
from dpsql.mechanisms.clipping.clipping_noise import histogram_noise, laplace
from dpsql.mechanisms.clipping.clipping_threshold import OF_QUOTIENTS, WHOLE, clipping_threshold
from dpsql.plan.types import Histogram, ScaledSums
from dpsql.policy.load import load_policy
from dpsql.privacy import Neighbours
from dpsql.stages.prepare import prepare

NORTH = "SUM(CASE WHEN ward = 'north' THEN cost ELSE 0 END)"
SHARE = f"SELECT {NORTH} / SUM(cost) AS share FROM visits WHERE day <= 30"
SUMS = f"SELECT {NORTH} AS n, SUM(cost) AS c FROM visits WHERE day <= 30"
BY_WARD = "SELECT ward, {} FROM visits WHERE day <= 30 GROUP BY ward"
# People of 1 to 200 visits, few of many, of which every third is in the north.
FALLING = """CREATE TABLE visits AS SELECT p AS person, CASE WHEN (p + i) % 3 = 0 THEN 'north' ELSE 'south' END AS ward,
    10.0 AS cost, 0::BIGINT AS change, 0::BIGINT AS huge, 1 AS day
    FROM range(2000) AS u(p), range(200) AS v(i) WHERE i < 200 / sqrt(1 + p)"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute(FALLING)
    return tmp_path


QUOTIENTS = {
    SHARE: True,
    f"SELECT 100.0 * {NORTH} / NULLIF(SUM(cost), 0) FROM visits WHERE day <= 30": True,
    "SELECT ROUND(COUNT(*) FILTER (WHERE ward = 'north') / COUNT(*), 2) FROM visits WHERE day <= 30": True,
    "SELECT SUM(cost) / COUNT(*) AS mean FROM visits WHERE day <= 30": True,
    BY_WARD.format("COUNT(*) FILTER (WHERE cost > 10) / COUNT(*) AS s") + " ORDER BY s DESC": True,
    f"SELECT * FROM ({SHARE}) AS t": True,
    f"WITH t AS ({SHARE}) SELECT share FROM t": True,
    f"SELECT DP_INTERVAL_LOW(share), share FROM ({SHARE}) AS t": True,
    SUMS: False,
    f"SELECT {NORTH} / SUM(cost) AS share, SUM(cost) AS c FROM visits WHERE day <= 30": False,
    f"SELECT {NORTH} / 7.0 AS share, SUM(cost) / 7.0 AS c FROM visits WHERE day <= 30": False,
    "SELECT SUM(cost) / SUM(cost) AS one FROM visits WHERE day <= 30": False,
    BY_WARD.format("COUNT(*) FILTER (WHERE cost > 10) / COUNT(*) AS s") + " HAVING COUNT(*) > 9": False,
    BY_WARD.format("COUNT(*) FILTER (WHERE cost > 10) / COUNT(*) AS s") + " ORDER BY COUNT(*)": False,
    "SELECT AVG(cost) / AVG(change) AS q FROM visits WHERE day <= 30": False,
    f"SELECT DP_INTERVAL_LOW({NORTH}), {NORTH} / SUM(cost) AS share FROM visits WHERE day <= 30": False,
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("sql", "alone"), QUOTIENTS.items())
def test_the_text_says_whether_quotients_alone_are_shown(folder: Path, sql: str, alone: bool) -> None:
    with closing(opened(folder)) as session:
        (release,) = prepare(sql, None, session._state).plan.releases
    found = [p for p in release.parts if isinstance(p, Histogram | ScaledSums)]
    assert found and {p.clipping.quotients for p in found} == {alone}
    assert release.question.quotients is alone


def test_under_fixed_limits_it_is_no_part_of_the_question(folder: Path) -> None:
    with closing(opened(folder, "fixed")) as session:
        of_share, of_sums = (prepare(sql, None, session._state) for sql in (SHARE, SUMS))
        assert of_share.charges == of_sums.charges
        session.answer(SHARE)
        assert session.answer(SUMS).released.epsilon == 0


@pytest.mark.parametrize("neighbours", ["add_remove", "substitute"])
def test_the_threshold_is_that_of_quotients_and_the_charge_is_the_same(folder: Path, neighbours: str) -> None:
    """Without noise: as the mechanism says of the exact histogram, and what is drawn is scaled to that."""
    relation = Neighbours(neighbours)
    for sql, bias in ((SHARE, OF_QUOTIENTS), (SUMS, WHOLE)):
        sampler = Recorder()
        privacy = f", max_rows_per_unit: 500, neighbours: {neighbours}"
        with closing(opened(folder, sampler=sampler, privacy=privacy)) as session:
            histogram, _ = parts(session, sql)
            assert session.answer(sql).released.epsilon == 1
        assert isinstance(histogram, Histogram)
        answer = laplace(Fraction(4, 5), relation)
        tau = clipping_threshold(
            counts(histogram, folder),
            bins=histogram.clipping.bins,
            groups=1,
            histogram=histogram_noise(Fraction(1, 5), answer),
            answer=answer,
            row_weight=histogram.clipping.weight,
            bias=bias,
        ).tau
        moved = answer.sensitivity(1)
        assert sampler.laws == [
            (moved, Fraction(1, 5), len(histogram.clipping.bins)),
            (moved * tau, Fraction(4, 5), 2),
        ]


def counts(histogram: Histogram, folder: Path) -> list[int]:
    """How many people are in each bin, from the data alone: a visit costs 1,000 steps of 0.01."""
    with duckdb.connect(str(folder / "data.duckdb"), read_only=True) as connection:
        rows = [n for (n,) in connection.execute("SELECT COUNT(*) FROM visits GROUP BY person").fetchall()]
    powers = [((n * 1000 << histogram.clipping.shift) - 1).bit_length() for n in rows]
    return [powers.count(j) for j in histogram.clipping.bins.powers]


def test_of_quotients_it_is_smaller(folder: Path) -> None:
    taus = []
    for sql in (SHARE, SUMS):
        sampler = Recorder()
        with closing(opened(folder, sampler=sampler)) as session:
            session.answer(sql)
        taus.append(sampler.laws[-1][0])
    assert taus[0] < taus[1]


def test_sums_are_not_read_from_what_was_drawn_for_quotients(folder: Path) -> None:
    with closing(opened(folder)) as session:
        assert session.answer(SHARE).released.epsilon == 1
        assert session.answer(f"SELECT share FROM ({SHARE}) AS t").released.epsilon == 0
        assert session.answer(SUMS).released.epsilon == 1


def test_quotients_are_read_from_sums(folder: Path) -> None:
    with closing(opened(folder)) as session:
        ((north, whole),) = session.answer(SUMS).rows
        shown = session.answer(SHARE)
    assert shown.released.epsilon == 0
    assert shown.rows == ((north / whole,),)


def test_what_was_stored_before_there_were_limits_for_quotients_is_served(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def as_before(tree: object, questions: Sequence[Question], *_: object) -> tuple[Question, ...]:
        return tuple(questions)

    with monkeypatch.context() as patched:
        patched.setattr(cutting, "with_quotients", as_before)
        with closing(opened(folder)) as session:
            before = session.answer(SHARE)
    with closing(opened(folder)) as session:
        after = session.answer(SHARE)
    assert (before.released.epsilon, after.released.epsilon) == (1, 0)
    assert after.rows == before.rows


def test_the_plan_says_so_and_the_answer_says_how_many_count_with_less(folder: Path) -> None:
    with closing(opened(folder)) as session:
        notes = " ".join(r.note for r in session.explain(SHARE).releases)
        assert "quotients of them alone are shown" in notes
        assert "quotients" not in " ".join(r.note for r in session.explain(SUMS).releases)
        told = session.answer(SHARE).released.bias
    assert any("people count with less than they have" in note for note in told)


def test_the_interval_holds_the_share_where_people_are_alike(folder: Path) -> None:
    """Everybody's share is a third, but for whole visits. One interval in a hundred misses it."""
    inside = []
    with closing(opened(folder)) as session:
        for day in range(30, 60):
            ((interval,),) = session.answer(SHARE.replace("30", str(day))).released.intervals
            if interval is None:  # by chance the limit is so large that the sums are not above 0
                continue
            assert interval.total is None
            inside.append(interval.low <= 1 / 3 + 0.01 and interval.high >= 1 / 3 - 0.01)
    assert sum(inside) >= 20


ASKED = (SHARE, BY_WARD.format("COUNT(*) FILTER (WHERE cost > 10) / COUNT(*) AS s"))


@pytest.mark.one_in(18)
@pytest.mark.parametrize("neighbours", ["add_remove", "substitute"])
def test_neighbours_move_the_sums_by_no_more_than_is_claimed(
    folder: Path, tmp_path: Path, neighbours: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sensitivity audit, asking quotients in the place of random queries."""

    def of_quotients(seed: int, *arguments: object) -> Query:
        return Query(random.Random(seed).choice(ASKED))

    text = POLICY.format(privacy=f", max_rows_per_unit: 6, clipping: private, neighbours: {neighbours}")
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sensitivity, "random_query", of_quotients)
    world = subject(load_policy(folder / "policy.yaml"), "visits", Style())
    tried = fuzz([world], tmp_path / "fuzz", 1, lambda t: t.executions >= 60)
    assert not "\n".join(map(str, tried.violations))
    assert tried.executions >= 60 and not tried.refused
