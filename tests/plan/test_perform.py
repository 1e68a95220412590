"""Exact integers become released rows: aligned to the public groups, computed by the rules for few rows and NULL."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from answers.noiseless import Noiseless

from dpsql.algebra.expressions import TRUE, Column
from dpsql.algebra.question import Aggregate, Measure, Question
from dpsql.algebra.relations import Scan
from dpsql.algebra.types import SqlType
from dpsql.engines.base import Exact
from dpsql.plan.types import (
    Bounding,
    Estimator,
    Family,
    Key,
    Keys,
    Linear,
    Presence,
    Release,
    Scores,
    Sum,
    Sums,
    Term,
)
from dpsql.privacy import Mechanism
from dpsql.release.draw.noise import Noisy, decoded, noised
from dpsql.release.draw.perform import perform
from dpsql.release.estimate.measures import measure_values, released_columns, released_rows

COUNT = Measure(Aggregate.COUNT_ROWS)
ONE: Linear = ((0, Fraction(1)),)
ROWS = Term(Sum.ROWS)
QUESTION = Question(Scan("t", 0), (), (COUNT,))
REAL = Column(0, "x", SqlType.DOUBLE)
SUMS = Sums(Bounding(), (Family((ROWS,), ((1,),), 1, Fraction(1), ""),))


def release(domain: tuple[Key, ...] | None, *parts: object) -> Release:
    key = Column(0, "k", SqlType.TEXT)
    keys = Keys((key,), ("VARCHAR",), domain)
    return Release(QUESTION, keys, parts, (Estimator(COUNT, ONE),))  # type: ignore[arg-type]


def exact(**groups: int) -> Exact:
    return Exact(
        tuple((k,) for k in groups), np.array([[v] for v in groups.values()], dtype=np.int64).reshape(-1, 1)
    )


def test_groups_follow_the_domain_in_whatever_order_the_engine_returns_them() -> None:
    found = perform(release((("a",), ("b",), ("c",)), SUMS), lambda part: exact(c=3, a=1), Noiseless())
    assert found.keys == (("a",), ("b",), ("c",))
    assert found.cells.tolist() == [[1], [0], [3]]


def test_an_engine_without_rows_gives_zeros_for_every_group() -> None:
    found = perform(release((("a",), ("b",)), SUMS), lambda part: exact(), Noiseless())
    assert found.cells.tolist() == [[0], [0]]


def test_private_groups_come_in_the_order_of_their_keys_and_only_the_kept_ones() -> None:
    presence = Presence(Bounding(), 1, Fraction(1), Fraction(1, 10**6))
    counts = exact(z=5, m=1, a=7)
    found = perform(release(None, presence, SUMS), lambda part: counts, Noiseless(least=3))
    assert found.keys == (("a",), ("z",)) and found.cells.tolist() == [[7], [5]]


def test_private_keys_of_mixed_types_and_null_have_an_order() -> None:
    keys: tuple[Key, ...] = ((None, 2), ("b", None), ("a", 3), (None, None))
    counts = Exact(keys, np.array([[9]] * 4, dtype=np.int64))
    presence = Presence(Bounding(), 1, Fraction(1), Fraction(1, 10**6))
    one = perform(release(None, presence), lambda part: counts, Noiseless()).keys
    other = perform(release(None, presence), lambda part: _turned(counts), Noiseless()).keys
    assert one == other and set(one) == set(keys)


def _turned(found: Exact) -> Exact:
    return Exact(found.keys[::-1], found.values[::-1])


def test_the_sampler_is_asked_for_every_group_of_a_public_domain_and_never_for_others() -> None:
    seen: list[int] = []

    class Counting(Noiseless):
        def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: object) -> np.ndarray:
            seen.append(len(values))
            return values

    perform(release((("a",), ("b",), ("c",)), SUMS), lambda part: exact(a=1), Counting())
    assert seen == [3]


@pytest.mark.parametrize(("descending", "best"), [(True, "b"), (False, "c")])
def test_a_selection_chooses_among_all_groups_with_zero_for_those_without_rows(
    descending: bool, best: str
) -> None:
    part = Scores(Bounding(), ROWS, descending, 1, Fraction(1))
    found = perform(release((("a",), ("b",), ("c",)), part), lambda p: exact(a=2, b=5), Noiseless())
    assert found.keys == ((best,),) and found.cells.shape == (1, 0)


def test_several_choices_are_made_one_after_another_each_among_what_is_left_with_its_share_of_epsilon() -> (
    None
):
    seen: list[tuple[list[int], Fraction, int]] = []

    class Choosing(Noiseless):
        def permute_and_flip(self, scores: np.ndarray, *, epsilon: Fraction, score_range: int) -> int:
            seen.append((scores.tolist(), epsilon, score_range))
            return super().permute_and_flip(scores, epsilon=epsilon, score_range=score_range)

    part = Scores(Bounding(), ROWS, True, 7, Fraction(1), 2)
    found = perform(release((("a",), ("b",), ("c",)), part, SUMS), lambda p: exact(a=2, b=5, c=4), Choosing())
    assert found.keys == (("b",), ("c",)) and found.cells.tolist() == [[5], [4]]
    assert seen == [([2, 5, 4], Fraction(1, 2), 7), ([2, 4], Fraction(1, 2), 7)]
    assert sum(e.cost.epsilon for e in part.events) == part.epsilon


def test_a_choice_is_drawn_by_the_law_that_its_event_names() -> None:
    sampler = Noiseless()
    for law in (Mechanism.PERMUTE_AND_FLIP, Mechanism.EXPONENTIAL):
        part = Scores(Bounding(), ROWS, True, 1, Fraction(1), 1, law)
        perform(release((("a",), ("b",)), part), lambda p: exact(a=2, b=5), sampler)
        assert [e.mechanism for e in part.events] == [law]
    assert sampler.asked == ["permute_and_flip", "exponential_mechanism"]


def test_no_more_groups_are_chosen_than_there_are() -> None:
    part = Scores(Bounding(), ROWS, True, 1, Fraction(1), 5)
    found = perform(release((("a",), ("b",)), part), lambda p: exact(a=2, b=5), Noiseless())
    assert found.keys == (("b",), ("a",))


def test_a_selection_among_no_kept_groups_has_no_row() -> None:
    presence = Presence(Bounding(), 1, Fraction(1), Fraction(1, 10**6))
    part = Scores(Bounding(), ROWS, True, 1, Fraction(1))
    found = perform(release(None, presence, part), lambda p: exact(a=1), Noiseless(least=2))
    assert found.keys == ()


def estimator(aggregate: Aggregate, arg: Column | None = REAL, step: Fraction = Fraction(1, 2)) -> Estimator:
    """Cells are (n, s1, s2) themselves; values lie in [-1, 4] at step 1/2, so that lo = -2 and hi = 8."""
    one = Fraction(1)
    return Estimator(Measure(aggregate, arg, TRUE), ((0, one),), ((1, one),), ((2, one),), -2, step, -2, 8)


def value(aggregate: Aggregate, n: int, s1: int = 0, s2: int = 0) -> object:
    return measure_values(estimator(aggregate), np.array([[n, s1, s2]]))[0]


SAMPLES = (Aggregate.VAR_SAMP, Aggregate.STDDEV_SAMP)
POPULATIONS = (Aggregate.VAR_POP, Aggregate.STDDEV_POP)


def test_a_noisy_count_is_not_clamped() -> None:
    counted = estimator(Aggregate.COUNT_ROWS, None)
    assert measure_values(counted, np.array([[-7, 0, 0], [3, 0, 0]])) == [-7, 3]


@pytest.mark.parametrize("n", [0, -1, -100])
def test_an_average_is_null_when_the_noisy_count_is_below_one(n: int) -> None:
    assert value(Aggregate.AVG, n, 5) is None
    assert value(Aggregate.AVG, 1, 5) == pytest.approx(1.5)


def test_an_average_is_clamped_to_its_bounds() -> None:
    assert value(Aggregate.AVG, 3, 1000) == 4.0
    assert value(Aggregate.AVG, 3, -1000) == -1.0


@pytest.mark.parametrize("aggregate", SAMPLES)
def test_sample_moments_are_null_when_the_noisy_count_is_below_two(aggregate: Aggregate) -> None:
    assert value(aggregate, 1, 5, 25) is None
    expected = {Aggregate.VAR_SAMP: 2.0, Aggregate.STDDEV_SAMP: 2.0**0.5}[
        aggregate
    ]  # of the grid values 0 and 4
    assert value(aggregate, 2, 4, 16) == pytest.approx(expected)


@pytest.mark.parametrize("aggregate", POPULATIONS)
def test_population_moments_are_null_only_below_one(aggregate: Aggregate) -> None:
    assert value(aggregate, 0, 5, 25) is None
    assert value(aggregate, 1, 5, 25) == 0.0


@pytest.mark.parametrize("aggregate", [*SAMPLES, *POPULATIONS])
def test_a_negative_variance_is_zero(aggregate: Aggregate) -> None:
    assert value(aggregate, 10, 50, -300) == 0.0


def test_a_variance_is_at_most_that_of_half_the_values_at_each_bound() -> None:
    assert value(Aggregate.VAR_POP, 10, 0, 10**6) == pytest.approx((5 / 2) ** 2)


def test_sums_of_integers_are_whole_and_exact_beyond_64_bits() -> None:
    whole = estimator(Aggregate.SUM, Column(0, "x", SqlType.INTEGER), Fraction(1))
    cells = np.array([[3, 2**80, 0]], dtype=object)
    assert measure_values(whole, cells) == [2**80 - 6]


@pytest.mark.parametrize("denominator", [1, 3, 2**61 + 1, 2**62, 2**63, 2**70])
def test_whole_numbers_are_the_same_however_cells_are_stored(denominator: int) -> None:
    part = Fraction(1, denominator)
    counted = replace(estimator(Aggregate.COUNT_ROWS, None), n=((0, part), (1, part)))
    cells = [[0, 0, 0], [2**60, 2**60 + 1, 0], [-(2**60), -(2**60), 0], [2**61 - 1, 2**61 - 1, 0]]
    rounded = [round(Fraction(a + b, denominator)) for a, b, _ in cells]
    for kind in (np.int64, object):
        assert measure_values(counted, np.array(cells, dtype=kind)) == rounded


@pytest.mark.parametrize("width", [1, 2, 3, 4, 10])
@pytest.mark.parametrize("true", [-3, 0, 4, 7])
def test_rounding_moves_no_number_whose_noise_is_as_often_above_0_as_below(true: int, width: int) -> None:
    part = Fraction(1, width)
    counted = replace(estimator(Aggregate.COUNT_ROWS, None), n=((0, part),))
    cells = [[true * width + noise, 0, 0] for noise in range(-3 * width, 3 * width + 1)]
    assert sum(measure_values(counted, np.array(cells))) == true * len(cells)  # type: ignore[arg-type]


def test_noisy_cells_are_stored_by_their_own_size_alone() -> None:
    family = Family((ROWS,), ((1,),), 1, Fraction(1), "")
    for cell, kind in ((5, np.int64), (-(2**62), object), (2**62 - 1, np.int64), (2**70, object)):
        drawn = noised(family, np.array([[cell]], dtype=object), Noiseless())
        stored = decoded(Noisy(((),), np.array([[cell]], dtype=object)).encoded(None), None)
        assert drawn.dtype == stored.cells.dtype == kind and drawn.tolist() == [[cell]]


def test_a_sum_of_nothing_is_zero() -> None:
    assert value(Aggregate.SUM, 0, 0) == 0.0


def test_released_tables_have_an_index_the_keys_and_the_measures_in_declared_types() -> None:
    found = release((("a",), ("b",)), SUMS)
    noisy = Noisy((("a",), ("b",)), np.array([[4], [-1]]))
    assert released_columns(found) == (("i", "BIGINT"), ("k0", "VARCHAR"), ("a0", "BIGINT"))
    assert released_rows(found, noisy) == [(0, "a", 4), (1, "b", -1)]


class Recorder(Noiseless):
    """Remembers the laws that it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.laws: list[dict[str, object]] = []

    def discrete_laplace(self, values: np.ndarray, **law: object) -> np.ndarray:
        self.laws.append(law)
        return values

    def discrete_gaussian(self, values: np.ndarray, **law: object) -> np.ndarray:
        self.laws.append(law)
        return values

    def cube(self, values: np.ndarray, **law: object) -> np.ndarray:
        self.laws.append(law)
        return values


E = Fraction(1, 2)
LAWS: dict[str, tuple[dict[str, object], list[dict[str, object]]]] = {
    "laplace": ({}, [{"sensitivity": 3, "epsilon": E}]),
    "laplace of two widths": (
        {"widths": (5, 70)},
        [{"sensitivity": 15, "epsilon": E}, {"sensitivity": 210, "epsilon": E}],
    ),
    "gaussian": (
        {"mechanism": Mechanism.DISCRETE_GAUSSIAN, "variance": Fraction(18)},
        [{"squared_sensitivity": 9, "rho": Fraction(1, 4)}],
    ),
    "cube": (
        {"mechanism": Mechanism.CUBE, "widths": (5, 70)},
        [{"sensitivity": 3, "epsilon": E, "widths": (5, 70)}],
    ),
}


@pytest.mark.parametrize("kind", LAWS)
def test_a_family_is_drawn_from_the_law_that_it_claims(kind: str) -> None:
    claimed, laws = LAWS[kind]
    sampler = Recorder()
    noised(replace(Family((ROWS,), ((1,), (2,)), 3, E, ""), **claimed), np.zeros((4, 2), np.int64), sampler)
    assert sampler.laws == laws
