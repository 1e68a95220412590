"""The sparse vector technique: privacy of all its answers from their exact law, and broken variants that fail."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, chi_square
from tree_coins import SeededCoins

from dpsql.mechanisms import above_threshold, sparse_vector
from dpsql.mechanisms.selection.sparse_vector import BATCH, above_threshold_error, best_share

EPSILON = 2.0
LENGTH = 4
Queries = tuple[int, ...]
Answers = tuple[bool, ...]


def answer_law(queries: Queries, hits: int, first: float, second: float) -> dict[Answers, float]:
    """The probability of every sequence of answers, summed over the noise rho of the threshold 0.

    `first`, `second`: the rates of the two noises; a rate of infinity is no noise.
    """
    reach = int(60 / first)
    rho = np.arange(-reach, reach + 1)
    a = math.exp(-first)
    weights = (1 - a) / (1 + a) * a ** np.abs(rho)
    above = [at_least(rho - q, second) for q in queries]
    law = {}
    for answers in itertools.product((False, True), repeat=len(queries)):
        ends = list(itertools.accumulate(answers))
        if hits in ends:
            answers = answers[: ends.index(hits) + 1]
        terms = [above[i] if hit else 1 - above[i] for i, hit in enumerate(answers)]
        law[answers] = float(weights @ np.prod(terms, axis=0))
    return law


def at_least(z: np.ndarray, rate: float) -> np.ndarray:
    """P(Z >= z) of the discrete Laplace law."""
    if math.isinf(rate):
        return np.asarray(z <= 0, dtype=float)
    a, size = math.exp(-rate), np.abs(z)
    return np.where(z > 0, a**size / (1 + a), 1 - a ** (size + 1) / (1 + a))


def loss(hits: int, monotone: bool, first: float, second: float) -> float:
    """The largest logarithm of a ratio, for queries that change by 1 at most, in one direction if monotone."""
    moves = [*itertools.product((0, 1), repeat=LENGTH), *itertools.product((-1, 0), repeat=LENGTH)]
    if not monotone:
        moves = list(itertools.product((-1, 1), repeat=LENGTH))
    worst = dearest(hits, monotone, first, second)
    for queries in [(0,) * LENGTH, (3, 3, 3, -3), (2, -2, 2, -2), (0, 0, 0, 1), (14, -14, -14, -14)]:
        before = answer_law(queries, hits, first, second)
        for move in moves:
            after = answer_law(tuple(np.add(queries, move).tolist()), hits, first, second)
            worst = max(worst, *(ratio(before[x], after[x]) for x in before))
    return worst


def dearest(hits: int, monotone: bool, first: float, second: float) -> float:
    """The loss of the dearest answers: many high queries are "below", so that the threshold's noise must be
    high, and then each of the low ones is "above"."""
    rho = np.arange(-int(60 / first), int(60 / first))
    weights = np.exp(-first * np.abs(rho))

    def chance(high: int, low: int) -> float:
        below = (1 - at_least(rho - high, second)) ** 60
        return float(weights @ (below * at_least(rho - low, second) ** hits))

    return ratio(chance(8, -8), chance(9, -8 if monotone else -9))


def ratio(p: float, q: float) -> float:
    if p == q:
        return 0.0
    return abs(math.log(p / q)) if p > 0 and q > 0 else math.inf


def rates(hits: int, factor: int, share: float = 0.5) -> tuple[float, float]:
    return share * EPSILON, (1 - share) * EPSILON / (hits * factor)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
@pytest.mark.parametrize(("hits", "monotone"), [(1, False), (2, False), (1, True), (3, True)])
def test_no_neighbours_are_told_apart_by_more_than_epsilon(hits: int, monotone: bool, share: float) -> None:
    worst = loss(hits, monotone, *rates(hits, 1 if monotone else 2, share))
    assert 0.95 * EPSILON < worst <= EPSILON + 1e-9


BROKEN: dict[str, tuple[int, bool, float, float]] = {
    "no noise on the queries": (1, False, EPSILON / 2, math.inf),
    "noise that does not grow with the hits": (3, False, *rates(1, 2)),
    "noise of half the range": (2, False, *rates(2, 1, 0.2)),
    "both noises of the whole budget": (1, False, EPSILON, EPSILON / 2),
}


@pytest.mark.parametrize("variant", list(BROKEN))
def test_broken_variants_fail_the_same_check(variant: str) -> None:
    assert loss(*BROKEN[variant]) > EPSILON + 1e-3


@pytest.mark.one_in(30)
@pytest.mark.parametrize(("hits", "monotone"), [(1, False), (2, True)])
def test_the_answers_are_sampled_by_their_law_and_no_other_scale(
    hits: int, monotone: bool, samples: int
) -> None:
    queries = (0, 3, -2, 1)
    share, factor = Fraction(2, 5), 1 if monotone else 2

    def chances(scale: float) -> dict[Answers, float]:
        first, second = 0.4 * scale, 0.6 * scale / (hits * factor)
        return answer_law(queries, hits, first, second)

    seen = dict.fromkeys(chances(1), 0)
    for _ in range(samples // 20):
        answers = sparse_vector(
            np.array(queries) + 10, threshold=10, hits=hits, sensitivity=1, epsilon=1, monotone=monotone,
            share=share,
        )  # fmt: skip
        seen[tuple(answers.tolist())] += 1
    assert chi_square(list(seen.values()), list(chances(1).values())) > ALARM
    for scale in (1.6, 1 / 1.6):
        assert chi_square(list(seen.values()), list(chances(scale).values())) < ALARM


def test_the_first_clear_hit_is_found_in_any_batch() -> None:
    queries = np.zeros(3 * BATCH, np.int64)
    queries[2 * BATCH + 5] = 10**6
    found = above_threshold(queries, threshold=5 * 10**5, sensitivity=1, epsilon=1)
    assert found == 2 * BATCH + 5
    assert above_threshold(queries[: 2 * BATCH], threshold=5 * 10**5, sensitivity=1, epsilon=1) is None
    assert above_threshold(queries[:0], threshold=0, sensitivity=1, epsilon=1) is None


def test_it_halts_at_the_last_hit_across_batches() -> None:
    queries = np.zeros(3 * BATCH, np.int64)
    places = [1, BATCH - 1, BATCH, 2 * BATCH + 7]
    queries[places] = 10**7
    given = {"threshold": 5 * 10**6, "sensitivity": 1, "epsilon": 1}
    for hits in (1, 2, 3, 4):
        answers = sparse_vector(queries, hits=hits, **given)
        assert np.flatnonzero(answers).tolist() == places[:hits]
        assert answers.size == places[hits - 1] + 1
    assert sparse_vector(queries, hits=5, **given).size == queries.size


def test_queries_and_thresholds_of_any_size_are_exact() -> None:
    for scale in (2**62, 2**63 - 1, 10**30):
        queries = np.array([0, scale], dtype=object)
        assert above_threshold(queries, threshold=scale // 2, sensitivity=1, epsilon=1) == 1
        assert above_threshold(-queries, threshold=-scale // 2, sensitivity=1, epsilon=1) == 0


def test_the_best_share_has_the_least_variance() -> None:
    def variance(share: float, factor: int) -> float:
        return share**-2 + (factor / (1 - share)) ** 2

    for hits, monotone in itertools.product((1, 2, 50), (True, False)):
        share, factor = float(best_share(hits, monotone=monotone)), hits * (1 if monotone else 2)
        assert (
            variance(share, factor) <= min(variance(x, factor) for x in np.linspace(0.01, 0.99, 197)) * 1.0005
        )
    assert best_share(10**9) > 0


def test_the_default_share_is_the_best_one() -> None:
    queries = np.arange(50)
    given = {"threshold": 30, "hits": 3, "sensitivity": 2, "epsilon": Fraction(1, 3)}
    for seed in range(10):
        default = sparse_vector(queries, coins=SeededCoins(seed), **given)
        chosen = sparse_vector(queries, coins=SeededCoins(seed), share=best_share(3), **given)
        assert default.tolist() == chosen.tolist()


def test_errors_stay_within_the_bound_at_its_stated_rate(samples: int) -> None:
    """Queries far below and one at the very bound; the union bound is loose by less than a factor of 4."""
    given = {"sensitivity": 1, "epsilon": Fraction(1, 2)}
    alpha = above_threshold_error(Fraction(1, 5), queries=30, hits=1, **given)
    wrong = 0
    runs = samples // 200
    for _ in range(runs):
        queries = np.array([-alpha - 1] * 29 + [alpha])
        wrong += above_threshold(queries, threshold=0, **given) != 29
    assert wrong / runs <= 0.2 + 3 * math.sqrt(0.16 / runs)
    closer = np.array([-(alpha // 2)] * 29 + [alpha // 2])
    assert sum(above_threshold(closer, threshold=0, **given) != 29 for _ in range(runs)) / runs > 0.2


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"threshold": 1.5}, TypeError, "threshold must be an integer"),
        ({"threshold": True}, TypeError, "threshold must be an integer"),
        ({"hits": 0}, ValueError, "hits must be at least 1"),
        ({"sensitivity": 0}, ValueError, "sensitivity must be at least 1"),
        ({"epsilon": 0}, ValueError, "epsilon must be above 0"),
        ({"epsilon": 0.5}, TypeError, "epsilon must be an exact"),
        ({"share": Fraction(1)}, ValueError, "share must lie strictly"),
        ({"share": 0.5}, TypeError, "share must be a Fraction"),
        ({"monotone": 1}, TypeError, "monotone must be True or False"),
        ({"queries": np.zeros((2, 2), np.int64)}, ValueError, "one-dimensional"),
        ({"queries": np.array([0.5])}, TypeError, "integers"),
    ],
)
def test_bad_parameters_are_refused(change: dict[str, object], error: type, words: str) -> None:
    given: dict[str, object] = {
        "queries": np.arange(3),
        "threshold": 1,
        "hits": 1,
        "sensitivity": 1,
        "epsilon": 1,
    }
    use: Callable[..., Sequence[bool]] = lambda queries, **rest: sparse_vector(queries, **rest)  # noqa: E731
    with pytest.raises(error, match=words):
        use(**{**given, **change})
