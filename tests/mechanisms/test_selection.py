"""The exponential mechanism and permute-and-flip: their exact laws by enumeration, and by chi-square."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, chi_square
from tree_coins import TreeCoins, law

from dpsql.mechanisms import Coins, exponential_mechanism, permute_and_flip
from dpsql.mechanisms.selection.exponential import exponential_loss_bound, exponential_rho

Law = Counter[object]
Scores = tuple[int, ...]


class OneTry(TreeCoins):
    """Gives up after the first try."""

    tries = 1

    def layer(self, weights: Sequence[int]) -> int:
        if not self.tries:
            raise StopIteration
        self.tries -= 1
        return super().layer(weights)


class TwoTries(OneTry):
    tries = 2


def accepted(run: Callable[[Coins], int], kind: type[TreeCoins] = OneTry) -> Law:
    """The law of the first accepted try among the enumerated ones, given that there is one."""

    def stopped(coins: Coins) -> int | None:
        try:
            return run(coins)
        except StopIteration:
            return None

    outcomes = law(stopped, kind)
    rejected = outcomes.pop(None, Fraction(0))
    return Counter({i: p / (1 - rejected) for i, p in outcomes.items()})


def exponential_law(
    scores: Scores, epsilon: Fraction | int, score_range: int, weights: Sequence[int] | None = None,
    kind: type[TreeCoins] = OneTry,
) -> Law:  # fmt: skip
    given = np.array(scores)
    return accepted(
        lambda coins: exponential_mechanism(
            given, epsilon=epsilon, score_range=score_range, weights=weights, coins=coins
        ),
        kind,
    )


def one_pass_law(scores: Scores, epsilon: Fraction | int, score_range: int) -> Law:
    given = np.array(scores)
    return law(lambda coins: permute_and_flip(given, epsilon=epsilon, score_range=score_range, coins=coins))


def permutation_law(scores: Scores, base: Fraction = Fraction(1, 2)) -> Law:
    """Permute-and-flip as published: over all orders, the first candidate whose coin base^(gap) succeeds."""
    coins = [base ** (max(scores) - u) for u in scores]
    orders = list(itertools.permutations(range(len(scores))))
    outcomes: Law = Counter()
    for order in orders:
        reached = Fraction(1, len(orders))
        for i in order:
            outcomes[i] += reached * coins[i]
            reached *= 1 - coins[i]
    return outcomes


def weighted(scores: Sequence[int], weights: Sequence[int], base: int = 2) -> Law:
    """weight * base^u, normalised."""
    masses = [w * Fraction(base) ** u for u, w in zip(scores, weights, strict=True)]
    return Counter({i: m / sum(masses) for i, m in enumerate(masses)})


DOMAIN: list[Scores] = list(itertools.product(range(4), repeat=3))


def neighbours(score_range: int) -> list[tuple[Scores, Scores]]:
    """Pairs of the domain whose change d has |d_i - d_j| <= score_range."""

    def spread(u: Scores, v: Scores) -> int:
        change = [b - a for a, b in zip(u, v, strict=True)]
        return max(change) - min(change)

    return [(u, v) for u in DOMAIN for v in DOMAIN if spread(u, v) <= score_range]


@pytest.mark.parametrize("score_range", [1, 2])
@pytest.mark.parametrize(("mechanism", "reached"), [(one_pass_law, 1), (exponential_law, Fraction(4, 5))])
def test_no_neighbours_are_told_apart_by_more_than_epsilon(
    mechanism: Callable[[Scores, int, int], Law], reached: Fraction, score_range: int
) -> None:
    """epsilon = score_range makes every coin 2^-gap and the guarantee a factor of 2^epsilon.

    Permute-and-flip attains it; the exponential mechanism comes near.
    """
    laws = {u: mechanism(u, score_range, score_range) for u in DOMAIN}
    worst = max(laws[u][i] / laws[v][i] for u, v in neighbours(score_range) for i in range(3))
    assert reached * 2**score_range <= worst <= 2**score_range


def test_the_enumeration_would_see_a_score_range_taken_too_small() -> None:
    laws = {u: one_pass_law(u, 2, 1) for u in DOMAIN}
    assert max(laws[u][i] / laws[v][i] for u, v in neighbours(2) for i in range(3)) > 2**2


@pytest.mark.parametrize("scores", [*DOMAIN[::3], (5, 0, 3, 4), (2, 2, 2, 2), (0, 1, 0, 1), (9,)])
def test_one_pass_and_permutation_form_have_the_same_law(scores: Scores) -> None:
    assert one_pass_law(scores, 1, 1) == permutation_law(scores)


@pytest.mark.parametrize("scores", DOMAIN[::5])
def test_the_exponential_mechanism_has_its_law(scores: Scores) -> None:
    assert exponential_law(scores, 1, 1) == weighted(scores, (1, 1, 1))


@pytest.mark.parametrize("weights", [(1, 2, 3), (5, 0, 1), (0, 0, 7), (2, 2, 2)])
def test_weights_multiply_the_law_and_zero_excludes(weights: tuple[int, ...]) -> None:
    """The best candidate may be one of weight 0: it sets no standard either."""
    for scores in ((3, 1, 0), (0, 3, 1), (0, 0, 0)):
        expected = {i: p for i, p in weighted(scores, weights).items() if p}
        assert exponential_law(scores, 1, 1, weights) == expected


@pytest.mark.parametrize("scores", [(0, 1, 3), (2, 0, 2)])
def test_later_tries_do_not_change_the_law(scores: Scores) -> None:
    assert exponential_law(scores, 1, 1, None, TwoTries) == weighted(scores, (1, 1, 1))
    assert exponential_law(scores, 1, 1, (1, 2, 1), TwoTries) == weighted(scores, (1, 2, 1))


def test_four_clubs_of_students() -> None:
    """0, 4, 6 and 6 students, epsilon = ln 2, Delta = 1: weights exp(epsilon u / 2) = 1, 4, 8, 8 out of 21 (a
    common text adds them up to 20)."""
    clubs = np.array([0, 4, 6, 6])
    chances = accepted(lambda coins: exponential_mechanism(clubs, sensitivity=1, epsilon=1, coins=coins))
    assert chances == exponential_law((0, 4, 6, 6), 1, 2)
    assert [chances[i] for i in range(4)] == [Fraction(w, 21) for w in (1, 4, 8, 8)]


@pytest.mark.parametrize("mechanism", [one_pass_law, exponential_law])
def test_the_law_does_not_depend_on_the_order_of_candidates(
    mechanism: Callable[[Scores, int, int], Law],
) -> None:
    scores = (0, 3, 1)
    plain = mechanism(scores, 1, 1)
    for order in itertools.permutations(range(3)):
        shuffled = mechanism(tuple(scores[i] for i in order), 1, 1)
        assert all(shuffled[place] == plain[i] for place, i in enumerate(order))


@pytest.mark.parametrize("scores", DOMAIN)
def test_permute_and_flip_never_loses_more_than_the_exponential_mechanism(scores: Scores) -> None:
    def loss(chances: Law) -> Fraction:
        return sum((p * (max(scores) - scores[i]) for i, p in chances.items()), Fraction(0))

    flip, exponential = loss(one_pass_law(scores, 1, 1)), loss(weighted(scores, (1, 1, 1)))
    assert exponential / 2 <= flip <= exponential


SCORES = np.array([10, 7, 10, 3, 0, 9, -40])


def sampled(choose: Callable[[], int], size: int) -> np.ndarray:
    return np.bincount([choose() for _ in range(size)], minlength=len(SCORES))


def permutation_chances(rate: float) -> list[float]:
    """E[1 / (1 + successes among the others)] for each success, by summing over all subsets."""
    coins = [math.exp(-rate * float(SCORES.max() - u)) for u in SCORES]
    chances = [0.0] * len(coins)
    for outcome in itertools.product((0, 1), repeat=len(coins)):
        mass = math.prod(c if hit else 1 - c for c, hit in zip(coins, outcome, strict=True))
        for i, hit in enumerate(outcome):
            chances[i] += mass * hit / max(sum(outcome), 1)
    return chances


def test_permute_and_flip_is_sampled_by_its_law_and_no_other_scale(samples: int) -> None:
    size = samples // 16  # fewer would at times fit the other scale
    observed = sampled(lambda: permute_and_flip(SCORES, epsilon=Fraction(3, 4), score_range=3), size)
    assert chi_square(observed, permutation_chances(1 / 4)) > ALARM
    for factor in (1.3, 1 / 1.3):
        assert chi_square(observed, permutation_chances(factor / 4)) < ALARM


def test_the_exponential_mechanism_is_sampled_by_its_law_and_no_other_scale(samples: int) -> None:
    weights = np.array([1, 5, 1, 8, 9, 0, 2])

    def chances(rate: float) -> np.ndarray:
        masses = weights * np.exp(rate * SCORES)
        return masses / masses.sum()

    observed = sampled(
        lambda: exponential_mechanism(SCORES, epsilon=Fraction(3, 4), score_range=3, weights=list(weights)),
        samples // 20,
    )
    assert chi_square(observed, chances(1 / 4)) > ALARM
    for factor in (1.3, 1 / 1.3):
        assert chi_square(observed, chances(factor / 4)) < ALARM


@pytest.mark.parametrize("choose", [permute_and_flip, exponential_mechanism])
def test_a_clear_winner_wins(choose: Callable[..., int]) -> None:
    """Also where differences leave int64, where scores are Python ints, and where hopeless candidates are
    many."""
    for scores in (
        np.array([-(2**63), 2**63 - 1]),
        np.array([0, 10**30], dtype=object),
        np.array([0, 2**64 - 1], dtype=np.uint64),
        np.eye(1, 100_000, 1, dtype=np.int64)[0] * 10**6,
    ):
        assert choose(scores, epsilon=1, score_range=1) == 1


@pytest.mark.parametrize("choose", [permute_and_flip, exponential_mechanism])
def test_one_candidate_is_chosen(choose: Callable[..., int]) -> None:
    assert choose(np.array([-3]), epsilon=Fraction(1, 10**30), score_range=10**30) == 0


@pytest.mark.parametrize("weights", [None, [1, 10**7, 2], [3, 10**7, 10**30]], ids=str)
def test_a_narrow_winner_takes_few_tries(weights: list[int] | None) -> None:
    """However little it weighs beside the rest."""

    class Counted(Coins):
        layers = 0

        def layer(self, weights: Sequence[int]) -> int:
            self.layers += 1
            return super().layer(weights)

    coins = Counted()
    for _ in range(300):
        exponential_mechanism(np.array([99, 40, 1]), epsilon=1, score_range=1, weights=weights, coins=coins)
    assert coins.layers < 300 * 4


@pytest.mark.parametrize("beta", [0.3, 0.05, Fraction(1, 10**6)])
@pytest.mark.parametrize(("candidates", "best"), [(2, 1), (1000, 1), (1000, 30), (7, 7)])
def test_the_loss_bound_is_the_least_that_holds_for_all_scores(
    beta: Fraction | float, candidates: int, best: int
) -> None:
    """Reached where all others lose the same; and never above the usual theorem."""
    k = exponential_loss_bound(beta, candidates=candidates, best=best, epsilon=Fraction(1, 5), sensitivity=2)

    def worst(loss: int) -> float:
        other = (candidates - best) * math.exp(-loss / 20)
        return other / (best + other)

    assert worst(k + 1) <= beta
    assert k == 0 or worst(k) > beta
    assert k <= 20 * math.log(candidates / (best * float(beta)))


@pytest.mark.slow
def test_the_loss_bound_holds_at_its_stated_rate(samples: int) -> None:
    scores = np.array([0] + [-34] * 40)
    given = {"epsilon": Fraction(1, 5), "sensitivity": 2}
    assert exponential_loss_bound(0.25, candidates=41, **given) == 95
    assert exponential_loss_bound(Fraction(88, 100), candidates=41, **given) == 33
    lost = sum(exponential_mechanism(scores, **given) != 0 for _ in range(samples // 20))
    chance = 40 * math.exp(-1.7) / (1 + 40 * math.exp(-1.7))
    assert 0.87 < chance <= 0.88
    assert chi_square([lost, samples // 20 - lost], [chance, 1 - chance]) > ALARM


def renyi(p: Law, q: Law, alpha: float) -> float:
    """The divergence of an order above 1, for laws whose coins 2^-x stand for exp(-x ln 2)."""
    return math.log(sum(float(p[i]) ** alpha * float(q[i]) ** (1 - alpha) for i in p)) / (alpha - 1)


def dearest(mechanism: Callable[[Scores, int, int], Law], alpha: float) -> float:
    """The largest divergence over neighbours, in units of alpha epsilon^2 / 8, epsilon = ln 2."""
    laws = {u: mechanism(u, 1, 1) for u in DOMAIN}
    pairs = neighbours(1)
    return max(renyi(laws[u], laws[v], alpha) for u, v in pairs) * 8 / (alpha * math.log(2) ** 2)


@pytest.mark.parametrize("alpha", [1.01, 1.5, 2, 4, 16, 64])
def test_the_exponential_mechanism_costs_an_eighth_of_epsilon_squared(alpha: float) -> None:
    assert exponential_rho(Fraction(2, 3)) == Fraction(1, 18)
    assert dearest(exponential_law, alpha) <= 1
    if alpha < 2:
        assert dearest(exponential_law, alpha) > 0.95


def test_permute_and_flip_costs_more_than_an_eighth_of_epsilon_squared() -> None:
    """Two equal candidates, of which one loses 1: 1/2, 1/2 become 1 - a/2, a/2."""
    assert dearest(one_pass_law, 1.01) > 2
    before, after = one_pass_law((1, 1), 1, 1), one_pass_law((1, 0), 1, 1)
    assert after == {0: Fraction(3, 4), 1: Fraction(1, 4)}
    assert renyi(before, after, 1.01) > 2 * 1.01 * math.log(2) ** 2 / 8


@pytest.mark.parametrize("scores", [[0, 0, 0], [0, 1, 0]])
def test_whatever_epsilon_is_there_is_a_choice_with_or_without_scores(scores: list[int]) -> None:
    """Its numerator may be beyond 64 bits where its denominator is not."""
    fine = Fraction(2**64 + 1, 2**60)
    assert exponential_mechanism(np.array(scores), epsilon=fine, score_range=1) in range(3)
    assert permute_and_flip(np.array(scores), epsilon=fine, score_range=1) in range(3)


def test_weights_beyond_int64_are_exact() -> None:
    drawn = [
        exponential_mechanism(np.zeros(2, np.int64), epsilon=1, score_range=1, weights=[2**80, 2**80])
        for _ in range(4000)
    ]
    assert chi_square(np.bincount(drawn, minlength=2), [0.5, 0.5]) > ALARM
