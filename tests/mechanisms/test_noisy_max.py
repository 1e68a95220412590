"""Report noisy max in its three noises, top k, and their accuracy, against laws by independent routes."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, chi_square
from scipy import integrate
from tree_coins import SeededCoins

from dpsql.mechanisms import exponential_mechanism, permute_and_flip, report_noisy_max, top_k
from dpsql.mechanisms.selection.exponential import exponential_loss_bound
from dpsql.mechanisms.selection.noisy_max import laplace_loss_bound, permute_and_flip_loss_bound

Scores = tuple[int, ...]
DOMAIN: list[Scores] = list(itertools.product(range(4), repeat=3))
SCORES: Scores = (10, 7, 10, 3, 9)


def flip_law(scores: Scores, rate: float) -> list[float]:
    """E[1 / successes] over the outcomes in which the candidate is among them."""
    coins = [math.exp(-rate * (max(scores) - u)) for u in scores]
    chances = [0.0] * len(coins)
    for outcome in itertools.product((0, 1), repeat=len(coins)):
        mass = math.prod(c if hit else 1 - c for c, hit in zip(coins, outcome, strict=True))
        for i, hit in enumerate(outcome):
            chances[i] += mass * hit / max(sum(outcome), 1)
    return chances


def exponential_law(scores: Scores, rate: float) -> list[float]:
    masses = [math.exp(rate * u) for u in scores]
    return [m / sum(masses) for m in masses]


def laplace_law(scores: Scores, rate: float, ties: str = "uniform") -> list[float]:
    """P(i has the greatest u + Z), Z discrete Laplace, by summing over the greatest value and who reaches it."""
    a, reach = math.exp(-rate), int(40 / rate)
    values = np.arange(-reach, max(scores) + reach)

    def at_most(v: np.ndarray) -> np.ndarray:
        return np.where(v >= 0, 1 - a ** (np.abs(v) + 1) / (1 + a), a ** np.abs(v) / (1 + a))

    below = [at_most(values - 1 - u) for u in scores]
    equal = [(1 - a) / (1 + a) * a ** np.abs(values - u) for u in scores]
    chances = [0.0] * len(scores)
    for reaching in itertools.product((0, 1), repeat=len(scores)):
        if not any(reaching):
            continue
        mass = math.fsum(
            np.prod([e if hit else b for e, b, hit in zip(equal, below, reaching, strict=True)], axis=0)
        )
        winners = [i for i, hit in enumerate(reaching) if hit]
        for i in winners if ties == "uniform" else winners[:1]:
            chances[i] += mass / (len(winners) if ties == "uniform" else 1)
    return chances


LAWS: dict[str, Callable[[Scores, float], list[float]]] = {
    "exponential": flip_law,
    "gumbel": exponential_law,
    "laplace": laplace_law,
}


def real_noise(scores: Scores, rate: float, noise: str) -> list[float]:
    """P(i has the greatest rate * u + X) for continuous noise X of unit rate, by numerical integration."""

    def density(x: float) -> float:
        if noise == "gumbel":
            return math.exp(-x - math.exp(-x)) if x > -30 else 0.0
        return math.exp(-x) if x >= 0 else 0.0

    def at_most(x: float) -> float:
        if noise == "gumbel":
            return math.exp(-math.exp(-x)) if x > -30 else 0.0
        return -math.expm1(-x) if x >= 0 else 0.0

    def wins(i: int) -> float:
        others = [u for j, u in enumerate(scores) if j != i]

        def joint(x: float) -> float:
            return density(x) * math.prod(at_most(x + rate * (scores[i] - u)) for u in others)

        kinks = [0.0, *(rate * (u - scores[i]) for u in others if u > scores[i])]
        return sum(
            integrate.quad(joint, a, b, limit=200)[0]
            for a, b in itertools.pairwise(sorted({-12, *kinks, 60}))
        )

    return [wins(i) for i in range(len(scores))]


@pytest.mark.parametrize("noise", ["exponential", "gumbel"])
@pytest.mark.parametrize("scores", [SCORES, (0, 4, 6, 6), (0, 0, 0)])
def test_noise_on_the_real_line_has_the_law_that_is_sampled(noise: str, scores: Scores) -> None:
    """Exponential noise is permute-and-flip, Gumbel noise the exponential mechanism."""
    assert real_noise(scores, 0.4, noise) == pytest.approx(LAWS[noise](scores, 0.4), abs=1e-7)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("noise", list(LAWS))
def test_the_greatest_noisy_score_is_sampled_by_its_law_and_no_other_scale(noise: str, samples: int) -> None:
    drawn = [
        report_noisy_max(np.array(SCORES), epsilon=Fraction(4, 5), sensitivity=1, noise=noise)
        for _ in range(samples // 14)  # fewer would at times fit the other scale
    ]
    observed = np.bincount(drawn, minlength=len(SCORES))
    assert chi_square(observed, LAWS[noise](SCORES, 0.4)) > ALARM
    for factor in (1.3, 1 / 1.3):
        assert chi_square(observed, LAWS[noise](SCORES, 0.4 * factor)) < ALARM


@pytest.mark.parametrize("noise", list(LAWS))
@pytest.mark.parametrize("score_range", [1, 2])
def test_no_neighbours_are_told_apart_by_more_than_epsilon(noise: str, score_range: int) -> None:
    rate = 0.7
    laws = {u: LAWS[noise](u, rate) for u in DOMAIN}
    worst = max(laws[u][i] / laws[v][i] for u, v in neighbours(score_range) for i in range(3))
    assert 0.75 * rate * score_range < math.log(worst) <= rate * score_range + 1e-9


def test_a_candidate_far_behind_needs_nearly_all_of_the_laplace_noise() -> None:
    """So the range Delta would be too little for scores that move apart: the loss is above 0.7."""
    behind, nearer = laplace_law((0, 12), 0.7), laplace_law((1, 11), 0.7)
    assert 0.85 * 1.4 < math.log(nearer[0] / behind[0]) <= 1.4 + 1e-9


def test_ties_on_the_lattice_may_be_broken_either_way() -> None:
    """The proof covers the first of the best as well; the laws differ."""
    laws = {u: laplace_law(u, 0.7, "first") for u in DOMAIN}
    worst = max(laws[u][i] / laws[v][i] for u, v in neighbours(2) for i in range(3))
    assert math.log(worst) <= 1.4 + 1e-9
    assert laws[0, 0, 0][0] > 0.4 > laplace_law((0, 0, 0), 0.7)[0]


def neighbours(score_range: int) -> list[tuple[Scores, Scores]]:
    """Pairs of the domain whose change d has |d_i - d_j| <= score_range."""

    def spread(u: Scores, v: Scores) -> int:
        change = [b - a for a, b in zip(u, v, strict=True)]
        return max(change) - min(change)

    return [(u, v) for u in DOMAIN for v in DOMAIN if spread(u, v) <= score_range]


@pytest.mark.parametrize("noise", list(LAWS))
def test_the_three_ways_of_telling_the_range_are_one(noise: str) -> None:
    scores = np.random.default_rng(1).integers(0, 30, 40)
    for seed in range(20):
        a, b, c = (
            report_noisy_max(scores, epsilon=1, noise=noise, coins=SeededCoins(seed), **given)
            for given in ({"sensitivity": 3}, {"score_range": 6}, {"sensitivity": 6, "monotone": True})
        )
        assert a == b == c


@pytest.mark.parametrize("choose", [exponential_mechanism, permute_and_flip, report_noisy_max])
@pytest.mark.parametrize(
    "given", [{}, {"sensitivity": 1, "score_range": 2}, {"score_range": 2, "monotone": True},
              {"sensitivity": 1, "monotone": 1}],
)  # fmt: skip
def test_the_range_is_told_in_exactly_one_way(choose: Callable[..., int], given: dict[str, object]) -> None:
    with pytest.raises(TypeError, match=r"score_range|monotone"):
        choose(np.array([1, 2]), epsilon=1, **given)


def test_an_unknown_noise_is_refused() -> None:
    with pytest.raises(ValueError, match="exponential, gumbel, laplace"):
        report_noisy_max(np.array([1]), epsilon=1, sensitivity=1, noise="gaussian")  # type: ignore[arg-type]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("noise", LAWS)
def test_top_k_chooses_one_after_the_other_with_a_share_each(noise: str, samples: int) -> None:
    """The law of an ordered pair is that of the first choice times that of the second among the rest."""
    scores, rate = (5, 2, 4, 0), 0.3
    pairs = list(itertools.permutations(range(4), 2))
    first = LAWS[noise](scores, rate)
    chances = []
    for i, j in pairs:
        rest = [x for x in range(4) if x != i]
        chances.append(first[i] * LAWS[noise](tuple(scores[x] for x in rest), rate)[rest.index(j)])
    observed = dict.fromkeys(pairs, 0)
    for _ in range(samples // 40):
        i, j = top_k(np.array(scores), 2, epsilon=Fraction(6, 5), sensitivity=1, noise=noise)
        observed[int(i), int(j)] += 1
    assert chi_square(list(observed.values()), chances) > ALARM


def test_top_k_of_all_is_a_permutation_and_more_is_refused() -> None:
    scores = np.arange(30)
    chosen = top_k(scores, 30, epsilon=1, sensitivity=1, monotone=True)
    assert sorted(chosen.tolist()) == list(range(30))
    assert top_k(scores * 10**6, 3, epsilon=1, sensitivity=1).tolist() == [29, 28, 27]
    with pytest.raises(ValueError, match="cannot be chosen"):
        top_k(scores, 31, epsilon=1, sensitivity=1)
    with pytest.raises(ValueError, match="k must be at least 1"):
        top_k(scores, 0, epsilon=1, sensitivity=1)


@pytest.mark.parametrize("candidates", [1, 2, 3, 8, 300])
@pytest.mark.parametrize("beta", [0.4, 0.05, Fraction(1, 10**8)])
def test_the_bound_of_permute_and_flip_is_the_least_that_holds(
    candidates: int, beta: float | Fraction
) -> None:
    """Against the worst scores: one best, all others lose k + 1. Never above that of the exponential mechanism."""
    given = {"candidates": candidates, "epsilon": Fraction(1, 3), "sensitivity": 4}
    k, rate = permute_and_flip_loss_bound(beta, **given), 1 / 24

    def worst(loss: int) -> float:
        x, n = math.exp(-rate * loss), candidates - 1
        hits = [math.comb(n, b) * x**b * (1 - x) ** (n - b) for b in range(n + 1)]
        return math.fsum(p * b / (b + 1) for b, p in enumerate(hits))

    assert worst(k + 1) <= float(beta) * (1 + 1e-4)
    assert k == 0 or worst(k) > float(beta) * (1 - 1e-4)
    assert k <= exponential_loss_bound(beta, **given)


@pytest.mark.parametrize("scores", [(0, 0), (9, 0), (5, 0, 0, 0), (7, 6, 1, 0)])
@pytest.mark.parametrize("beta", [0.4, 0.05, 0.001])
def test_the_bound_with_laplace_noise_holds_and_is_near(scores: Scores, beta: float) -> None:
    given = {"candidates": len(scores), "epsilon": Fraction(7, 5), "sensitivity": 1}
    k = laplace_loss_bound(beta, **given)

    def exceeds(gap: int) -> float:
        return 1 - laplace_law((gap, *[0] * (len(scores) - 1)), 0.7)[0]

    assert (
        sum(p for u, p in zip(scores, laplace_law(scores, 0.7), strict=True) if max(scores) - u > k) <= beta
    )
    assert exceeds(k + 1) <= beta
    assert k == 0 or exceeds(k) > beta / 3
