"""Each mechanism alone, on the two neighbouring inputs that it tells apart most easily.

Every event is {score <= cut}, likelier on the first input than the second if noise is missing, and fixed beforehand
from the mechanism's law. The levels are the parts of the whole audit's level that each trial may spend: the least for
which noise at 2/3 of what it should be is found with probability above 0.9999 in 2,000 runs a side (the exponential
mechanism: 10,000). A level bounds the probability of a false alarm for any mechanism that keeps its claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from dpsql.audit.statistical.confidence import Floats
from dpsql.mechanisms.exact.interval_arithmetic import exp_outward
from dpsql.mechanisms.noise.discrete_gaussian import tail_bounds
from dpsql.mechanisms.partition.partition_selection import keep_probability, threshold
from dpsql.mechanisms.partition.thresholding import laplace_threshold, row_threshold
from dpsql.mechanisms.partition.weighted_selection import UNIT_WEIGHT, show_probability
from dpsql.mechanisms.sampler import Sampler
from dpsql.privacy import Neighbours
from dpsql.slotted import dataclass

# Probability of overlooking noise at 2/3, exact sums over both binomial laws, at 2,000 runs a side unless said
# otherwise: sensitivity 1: below 1e-8 at level 1e-6; sensitivity 6, and permute-and-flip with the best candidate ahead
# by a sixth of the range: 3.0e-5 and 1.1e-5 at level 1e-5; the exponential mechanism, at 10,000: 6.6e-5 at level
# 2.5e-4 (a correct one then raises a false alarm with probability 1e-8: this pair stays short of epsilon).
ORDINARY = 1e-8
SELECTION = 1e-5
EXPONENTIAL = 2.5e-4
KEYS = 10
# Responses are drawn independently as well: a vector is that many draws.
RESPONSES = 10
_THRESHOLD_DELTA = Fraction(1, 20)
_HALF = Fraction(1, 2)

Scores = Callable[[Sampler, bool, int], Floats]
# What a mechanism makes of a vector, as scores.
Draw = Callable[[Sampler, np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class Trial:
    """A claim and two neighbours on which it is put to the test.

    `scores(sampler, first, runs)` are the outcomes of at least `runs` independent draws on the first or the second
    neighbour; the event is a score of at most `cut`. Where `cut` is None it is chosen on the first quarter of the
    draws, and tested on the others.
    """

    mechanism: str
    event: str
    scores: Scores
    cut: float | None
    level: float = ORDINARY
    epsilon: Fraction = Fraction(1)
    delta: Fraction = Fraction(0)


def worst_pairs() -> tuple[Trial, ...]:
    """Every mechanism of the Sampler on its worst pair; a new mechanism is a new line."""
    cube, gaussian, flip = "cube", "discrete_gaussian", "permute_and_flip"
    laplace, exponential = "discrete_laplace", "exponential_mechanism"
    behind = (-500,) * 18
    return (
        Trial(laplace, "one at a time, values 0 and 1: at most 0", _one_by_one((0,), (1,), _laplace(1)), 0),
        Trial(laplace, "all at once, values 0 and 1: at most 0", _at_once(0, 1, _laplace(1)), 0),
        Trial(laplace, "all at once, values 0 and 1000: at most 167", _at_once(0, 1000, _laplace(1000)), 167,
              SELECTION),
        # A release at epsilon 1 beside a coarser one, a finer one, and both has the noise of its own epsilon.
        Trial("refine", "from epsilon 1/2 to 1, values 0 and 1: at most 0", _at_once(0, 1, _refined), 0),
        Trial("coarsen", "from epsilon 2 to 1, values 0 and 1: at most 0", _at_once(0, 1, _coarsened), 0),
        Trial("between", "at 1 between epsilon 1/2 and 2, values 0 and 1: at most 0", _at_once(0, 1, _middle), 0),
        Trial(cube, "vectors (0, 0) and (1, 7) of widths 1 and 7: both at most 0", _cube((1, 7)), 0),
        Trial(cube, "vectors (0, 0) and (60, 420) at sensitivity 60: both at most 0", _cube((1, 7), 60), 0),
        Trial(gaussian, "values 0 and 1 at rho 1/2: below 0", _gaussian(1), -1, delta=_above_e(1, -1)),
        Trial(gaussian, "values 0 and 40 at rho 1/2: at most -20", _gaussian(40), -20, delta=_above_e(40, -20)),
        # Between neighbours the second candidate rises by 6, the range: the ratio is e at any gap it passes.
        Trial(flip, "scores (1, 0) and (1, 6): the first wins", _one_by_one((1, 0), (1, 6), _flip), 0, SELECTION),
        Trial(flip, "the same two among 18 without hope: the first wins",
              _one_by_one((1, 0, *behind), (1, 6, *behind), _flip), 0, SELECTION),
        Trial(exponential, "one of 18 ahead by 1 and not: it wins",
              _one_by_one((1, *(0,) * 17), (0,) * 18, _exponential(None)), 0, EXPONENTIAL),
        Trial(exponential, "weights 1 and 17, the first ahead by 1 and not: it wins",
              _one_by_one((1, 0), (0, 0), _exponential((1, 17))), 0, EXPONENTIAL),
        *_partitions(),
        *_thresholds(),
        *_weighted(),
        # One row's value under each local mechanism, and the place of one of two rows.
        Trial("randomized_response", "bits 0 and 1: at most 0",
              _at_once(0, 1, lambda s, bits: s.randomized_response(bits, epsilon=1), RESPONSES), 0),
        Trial("k_randomized_response", "values 0 and 1 out of 4: the first",
              _at_once(0, 1, lambda s, values: s.k_randomized_response(values, k=4, epsilon=1), RESPONSES), 0),
        Trial("rappor", "values 0 and 1 out of 2: the bits 1 and 0", _at_once(0, 1, _two_bits, RESPONSES), 0),
        Trial("random_order", "the first and the second of two rows: it comes first",
              _one_by_one((0,), (1,), lambda s, row: s.random_order(2)[:1] != row), 0),
    )  # fmt: skip


def _at_once(first_value: int, second_value: int, draw: Draw, times: int = 1) -> Scores:
    """The cells of one vector are drawn independently: each is a draw of its own, `times` for each run."""

    def scores(sampler: Sampler, first: bool, runs: int) -> Floats:
        values = np.full(times * runs, first_value if first else second_value, dtype=np.int64)
        return draw(sampler, values).astype(np.float64)

    return scores


def _one_by_one(first_values: tuple[int, ...], second_values: tuple[int, ...], draw: Draw) -> Scores:
    """One call for each draw, whose score stands alone in a vector or is its first one."""

    def scores(sampler: Sampler, first: bool, runs: int) -> Floats:
        values = np.array(first_values if first else second_values, dtype=np.int64)
        return np.array([np.ravel(draw(sampler, values))[0] for _ in range(runs)], dtype=np.float64)

    return scores


def _laplace(sensitivity: int) -> Draw:
    return lambda sampler, values: sampler.discrete_laplace(values, sensitivity=sensitivity, epsilon=1)


def _refined(sampler: Sampler, values: np.ndarray) -> np.ndarray:
    coarse = sampler.discrete_laplace(values, sensitivity=1, epsilon=_HALF)
    return sampler.refine(values, coarse, sensitivity=1, epsilon=_HALF, finer=1)


def _coarsened(sampler: Sampler, values: np.ndarray) -> np.ndarray:
    fine = sampler.discrete_laplace(values, sensitivity=1, epsilon=2)
    return sampler.coarsen(fine, sensitivity=1, epsilon=1, finer=2)


def _middle(sampler: Sampler, values: np.ndarray) -> np.ndarray:
    fine = sampler.discrete_laplace(values, sensitivity=1, epsilon=2)
    coarse = sampler.coarsen(fine, sensitivity=1, epsilon=_HALF, finer=2)
    return sampler.between(coarse, fine, sensitivity=1, epsilon=_HALF, middle=1, finer=2)


def _cube(widths: tuple[int, int], distance: int = 1) -> Scores:
    """Vectors apart by `distance` widths in every coordinate.

    An output without a positive coordinate is in a box of the second vector larger by `distance` than of the first one:
    the ratio is e at each of them.
    """

    def draw(sampler: Sampler, values: np.ndarray) -> np.ndarray:
        vectors = values[:, None] * np.array(widths, dtype=np.int64)
        noisy = sampler.cube(vectors, sensitivity=distance, epsilon=1, widths=widths)
        return np.asarray((noisy / np.array(widths, dtype=np.float64)).max(axis=1))

    return _at_once(0, distance, draw, RESPONSES)


def _gaussian(distance: int) -> Scores:
    """Values of which each is noised with rho = 1/2."""

    def draw(sampler: Sampler, values: np.ndarray) -> np.ndarray:
        return sampler.discrete_gaussian(values, squared_sensitivity=distance**2, rho=_HALF)

    return _at_once(0, distance, draw, RESPONSES)


def _above_e(distance: int, cut: int) -> Fraction:
    """The delta of an event {at most cut} for epsilon 1: P(Y <= cut) - e P(Y <= cut - distance), rounded upwards."""
    variance = Fraction(distance**2)
    near, far = tail_bounds(-cut, variance), tail_bounds(distance - cut, variance)
    return Fraction(math.nextafter(float(near[1] - exp_outward(Fraction(1))[0] * far[0]), 1.0))


def _flip(sampler: Sampler, scores: np.ndarray) -> np.ndarray:
    return np.array(sampler.permute_and_flip(scores, epsilon=1, score_range=6))


def _exponential(weights: tuple[int, ...] | None) -> Draw:
    """One candidate of little weight rises alone: the others' ratio stays near 1 and its own comes near e.

    All scores move in one direction, so that the range is 1.
    """
    return lambda sampler, scores: np.array(
        sampler.exponential_mechanism(scores, epsilon=1, score_range=1, weights=weights)
    )


def _two_bits(sampler: Sampler, values: np.ndarray) -> np.ndarray:
    """The ratio is e where both bits are as the first value has them."""
    bits = sampler.rappor(values, k=2, epsilon=1)
    return np.where((bits[:, 0] == 1) & (bits[:, 1] == 0), 0.0, 1.0)


def _partitions() -> Iterator[Trial]:
    """Keys of n units and of n + 1, at delta 0.05; and at the delta that the threshold attains, to the last digit.

    With that one K(n + 1) = delta + e^epsilon K(n) for 1 <= n <= k and its mirror image beyond: a law that keeps any
    group more often or drops it more often breaks the claim.
    """
    name, delta = "select_partitions", _THRESHOLD_DELTA
    k = threshold(1, delta, 1) - 1
    attained = Fraction(keep_probability(1, epsilon=1, delta=delta, groups_per_unit=1))
    yield Trial(
        name, "a key of one unit and of none: it is kept", _partition(1, 0, kept=True), 0, delta=delta
    )
    for n in range(k + 1):
        event = f"a key of {n + 1} and of {n} units, by the exact law: it is kept"
        yield Trial(name, event, _partition(n + 1, n, kept=True), 0, delta=attained)
    for n in range(k, 2 * k + 1):
        event = f"a key of {n} and of {n + 1} units, by the exact law: it is dropped"
        yield Trial(name, event, _partition(n, n + 1, kept=False), 0, delta=attained)


def _partition(first_units: int, second_units: int, *, kept: bool) -> Scores:
    """Groups are decided independently, KEYS for each run."""

    def draw(sampler: Sampler, counts: np.ndarray) -> np.ndarray:
        found = sampler.select_partitions(counts, epsilon=1, delta=_THRESHOLD_DELTA, groups_per_unit=1)
        return np.where(np.asarray(found) == kept, 0.0, 1.0)

    return _at_once(first_units, second_units, draw, KEYS)


def _thresholds() -> Iterator[Trial]:
    """Keys of one unit and of none, and keys of so many that all are released, more of them on one side.

    Where rows are counted, the unit has three of them.
    """
    name, delta, many = (
        "laplace_thresholding",
        _THRESHOLD_DELTA,
        2 * laplace_threshold(1, _THRESHOLD_DELTA, 1),
    )
    yield Trial(
        name, "a key of one unit and of none: it is released", _released(1, 0, math.inf), 0, delta=delta
    )
    event = f"keys of {many} and of {many + 1} units: at most {many}"
    yield Trial(name, event, _released(many, many + 1, many), 0, delta=delta)
    yield Trial(
        *(name, "a key of three rows of a unit and of none: it is released", _released(3, 0, math.inf, 3), 0),
        delta=delta,
    )
    many = 2 * row_threshold(1, _THRESHOLD_DELTA, 1, 3)
    event = f"keys of {many} and of {many + 3} rows, three of a unit: at most {many}"
    yield Trial(name, event, _released(many, many + 3, many, 3), 0, delta=delta)


def _released(first_units: int, second_units: int, most: float, rows: int | None = None) -> Scores:
    """Whether a key is released, with a count up to `most`."""

    def draw(sampler: Sampler, counts: np.ndarray) -> np.ndarray:
        found = sampler.laplace_thresholding(
            counts, epsilon=1, delta=_THRESHOLD_DELTA, groups_per_unit=1, rows_per_unit=rows
        )
        noisy = np.full(counts.shape, np.nan)
        noisy[np.asarray(found.groups, dtype=np.int64)] = found.counts
        return np.where(noisy <= most, 0.0, 1.0)

    return _at_once(first_units, second_units, draw, KEYS)


def _weighted() -> Iterator[Trial]:
    """Keys of one unit and of none, and of four units and of five, with the delta of the exact law at epsilon 1/2."""
    name, half = "select_by_weights", Fraction(1, 2)
    yield Trial(name, "a key of one unit and of none: it is shown", _shown(1, 0), 0, delta=_THRESHOLD_DELTA)
    four, five = (_shown_of(n) for n in (4, 5))
    low, high = (1 - p for p in (five, four))
    spent = Fraction(math.nextafter(high - math.exp(0.5) * low, 1.0))
    event = "keys of four and of five units, by the exact law: it is dropped"
    yield Trial(name, event, _shown(4, 5, kept=False), 0, epsilon=half, delta=max(spent, Fraction(0)))


def _shown_of(units: int) -> float:
    """The probability that a key of so many units of one key each is shown."""
    weight = units * UNIT_WEIGHT
    return show_probability(
        weight, rho=_HALF, delta=_THRESHOLD_DELTA, groups_per_unit=1, neighbours=Neighbours.ADD_REMOVE
    )


def _shown(first_units: int, second_units: int, *, kept: bool = True) -> Scores:
    """Whether keys of units of one key each are shown, or dropped."""

    def draw(sampler: Sampler, units: np.ndarray) -> np.ndarray:
        shown = sampler.select_by_weights(
            units * UNIT_WEIGHT,
            rho=_HALF,
            delta=_THRESHOLD_DELTA,
            groups_per_unit=1,
            neighbours=Neighbours.ADD_REMOVE,
        )
        return np.where(np.asarray(shown) == kept, 0.0, 1.0)

    return _at_once(first_units, second_units, draw, KEYS)
