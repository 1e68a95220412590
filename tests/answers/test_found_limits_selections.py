"""Choices by scores whose limit is found for the query: L1 whatever the accountant, cost before the threshold."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import duckdb
import numpy as np
import pytest

from answers.engines import database
from answers.noiseless import Noiseless
from answers.test_found_limits import DATA, parts
from answers.test_found_limits_gaussian import opened
from dpsql.engines.sqlgen.clipping.contributions import scaled_sql
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.errors import InternalError
from dpsql.mechanisms.clipping.clipping_noise import laplace
from dpsql.mechanisms.clipping.unit_bins import Bins
from dpsql.plan.types import (
    Bounding,
    Clipping,
    Histogram,
    Presence,
    ScaledScores,
    Scores,
    Sum,
    Sums,
    Term,
)
from dpsql.plan.verify.cost import check_cost
from dpsql.policy.model import ClippingMode
from dpsql.privacy import Cost, Mechanism, Neighbours
from dpsql.stages.prepare import prepare

BEST = "SELECT ward FROM visits WHERE day <= 30 GROUP BY ward ORDER BY SUM(cost) DESC LIMIT 1"
ROWS = "SELECT ward FROM visits WHERE day <= 30 GROUP BY ward ORDER BY COUNT(*) LIMIT 1"
UNITS = "SELECT ward FROM visits WHERE day <= 30 GROUP BY ward ORDER BY COUNT(DISTINCT person) DESC LIMIT 1"
RELATIONS = ("add_remove", "substitute")
CHOICES = ", mechanisms: [discrete_laplace, permute_and_flip, exponential, truncated_geometric]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.duckdb").write_bytes(database(DATA))
    return tmp_path


class Recorder(Noiseless):
    """Remembers D_R and the epsilon of every choice."""

    def __init__(self) -> None:
        super().__init__()
        self.choices: list[tuple[int, Fraction]] = []

    def exponential_mechanism(
        self, scores: np.ndarray, *, epsilon: object, score_range: int, weights: object = None
    ) -> int:
        self.choices.append((score_range, Fraction(epsilon)))  # type: ignore[arg-type]
        return super().exponential_mechanism(scores, epsilon=epsilon, score_range=score_range)


@pytest.mark.parametrize("accountant", ["zcdp", "rdp"])
@pytest.mark.parametrize("neighbours", RELATIONS)
def test_a_choice_has_the_range_of_the_threshold_and_a_charge_without_it(
    folder: Path, accountant: str, neighbours: str
) -> None:
    sampler = Recorder()
    with closing(opened(folder, accountant, neighbours, sampler, CHOICES)) as session:
        answer = session.answer(ROWS)
        (charge,) = prepare(ROWS, None, session._state).charges
    # Everybody has three visits, which are 3 * 2^9 units: the next power of two is 2^11.
    factor = 1 if neighbours == "add_remove" else 2
    assert answer.rows == (("south",),) and answer.released.epsilon == 1
    assert sampler.choices == [(factor * 2**11, Fraction(4, 5))]
    assert charge is not None
    assert [(e.mechanism, e.sensitivity, e.cost.epsilon) for e in charge.events] == [
        (Mechanism.DISCRETE_LAPLACE, 1, Fraction(1, 5)),
        (Mechanism.EXPONENTIAL, 1, Fraction(4, 5)),
    ]


def test_what_is_chosen_by_and_what_is_not(folder: Path) -> None:
    with closing(opened(folder, laws=CHOICES, sampler=Noiseless())) as session:
        assert [type(p) for p in parts(session, BEST)] == [Histogram, ScaledScores]
        assert [type(p) for p in parts(session, UNITS)] == [Scores]
        assert session.answer(BEST).rows == (("north",),)
        note = " ".join(session.answer(BEST).released.bias)
        assert "which groups come first" in note and "count with less than they have" in note
        reports = session.explain(BEST).releases
    assert [r.output for r in reports] == ["the limit of a sum", "the first group"]
    assert "mostly it is far less" in reports[1].note


def test_without_any_limit_in_the_policy_the_best_group_is_chosen(folder: Path) -> None:
    with closing(opened(folder, laws="", sampler=Noiseless())) as session:
        assert session.answer(BEST).rows == (("north",),)


def test_a_choice_is_stored_with_its_limit(folder: Path) -> None:
    with closing(opened(folder, laws=CHOICES + ", max_rows_per_unit: 500")) as session:
        first = session.answer(BEST)
    with closing(opened(folder, laws=CHOICES + ", max_rows_per_unit: 500")) as session:
        again = session.answer(BEST)
    assert again.rows == first.rows and again.released.epsilon == 0
    assert again.released.bias == first.released.bias


def test_values_of_chosen_groups_keep_to_fixed_limits(folder: Path) -> None:
    sql = "SELECT ward, SUM(cost) AS s FROM visits WHERE day <= 30 GROUP BY ward ORDER BY SUM(cost) DESC LIMIT 1"
    laws = CHOICES + ", max_rows_per_unit: 500"
    with closing(opened(folder, "zcdp", sampler=Noiseless(), laws=laws)) as session:
        kinds = [type(p) for p in parts(session, sql)]
        assert Presence not in kinds and (Sums not in kinds or kinds == [Histogram, ScaledScores, Sums])
        assert len(session.answer(sql).rows) == 1


BROKEN = {
    "neighbours are others": lambda h, s: (h, replace(s, neighbours=Neighbours.SUBSTITUTE)),
    "more groups are chosen than were asked for": lambda h, s: (h, replace(s, count=2)),
    "the other end is chosen": lambda h, s: (h, replace(s, descending=not s.descending)),
    "scores are numbers of different values": lambda h, s: (
        replace(h, terms=(replace(h.terms[0], sum=Sum.DISTINCT),)),
        replace(s, term=replace(s.term, sum=Sum.DISTINCT)),
    ),
    "the histogram is of other scores": lambda h, s: (replace(h, cells=((2,),)), s),
    "the histogram is not charged": lambda h, s: (
        replace(h, noise=laplace(2 * h.noise.budget, Neighbours.ADD_REMOVE)),
        s,
    ),
    "a step can overflow": lambda h, s: (
        replace(h, clipping=replace(h.clipping, limit=2**60)),
        replace(s, clipping=replace(s.clipping, limit=2**60)),
    ),
    "the choice comes first": lambda h, s: (s, h),
    "there is no histogram": lambda h, s: (s,),
    "all is spent on a choice without a limit": lambda h, s: (replace(s, epsilon=Fraction(1)),),
    "the law is not one of a choice": lambda h, s: (h, replace(s, mechanism=Mechanism.DISCRETE_LAPLACE)),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("broken", BROKEN)
def test_a_plan_that_is_not_what_it_is_charged_as_is_caught(folder: Path, broken: str) -> None:
    with closing(opened(folder, laws=CHOICES)) as session:
        plan = prepare(BEST, None, session._state).plan
        context = replace(session._state.context, clipping=ClippingMode.PRIVATE)
        assert check_cost(plan, Cost(Fraction(1)), context) == Cost(Fraction(1))
        (release,) = plan.releases
        wrong = replace(release, parts=BROKEN[broken](*release.parts))
        with pytest.raises(InternalError):
            check_cost(replace(plan, releases=(wrong,)), Cost(Fraction(1)), context)


def test_a_unit_moves_two_candidates_apart_by_no_more_than_the_threshold() -> None:
    """Every vector of few cells, alone and in the place of another one: in L2 (5, -5) would move them by 2 * 3 > 5."""
    term = Term(Sum.ROWS)
    clipping = Clipping(2**40, Bins(0, 40), 1, 2)
    part = ScaledScores(
        *(Bounding(), term, clipping, Neighbours.ADD_REMOVE),
        *(True, Fraction(1), 1, Mechanism.EXPONENTIAL),
    )
    vectors = list(product(range(-6, 7, 2), repeat=2))
    with duckdb.connect() as connection:
        for tau in (1, 4, 5):
            moves = [_scaled(connection, part, v, tau) for v in vectors]
            assert max(a - b for a, b in moves) <= part.score_range(tau) == tau
            twice = replace(part, neighbours=Neighbours.SUBSTITUTE).score_range(tau)
            apart = max((a - c) - (b - d) for a, b in moves for c, d in moves)
            assert tau < apart <= twice or tau == 1


def _scaled(
    connection: duckdb.DuckDBPyConnection, part: ScaledScores, vector: tuple[int, int], tau: int
) -> tuple[int, int]:
    rows = f"SELECT 1 AS {UNIT}, unnest([0, 1]) AS k0, unnest([{vector[0]}, {vector[1]}]) AS g0"
    sql = f"{scaled_sql(part, (part.term,), 1, rows)} ORDER BY k0"
    (_, a), (_, b) = connection.execute(sql, {"threshold": tau}).fetchall()
    return int(a), int(b)
