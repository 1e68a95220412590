"""k-ary randomized response: its law, its epsilon and its histogram."""

import importlib
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, chi_square, exp_minus
from tree_coins import TreeCoins, Truncated, law

from dpsql.mechanisms.exact import inversion
from dpsql.mechanisms.local.k_randomized_response import (
    error_bound,
    estimate_counts,
    k_randomized_response,
    replace_probability,
    variance,
)

N = 1_000_000
CASES = [(2, Fraction(1)), (5, Fraction(1, 2)), (7, Fraction(3)), (1000, Fraction(8))]


def chances(k: int, epsilon: float) -> np.ndarray:
    """The probability of each difference between the released value and the true one, modulo k."""
    gamma = k / (k - 1 + math.exp(epsilon))
    return np.array([1 - gamma + gamma / k, *[gamma / k] * (k - 1)])


@pytest.mark.parametrize(("k", "epsilon"), CASES)
def test_a_million_values_have_the_law_and_no_other_epsilon(k: int, epsilon: Fraction) -> None:
    values = np.arange(N) % k
    seen = np.bincount((k_randomized_response(values, k=k, epsilon=epsilon) - values) % k, minlength=k)
    assert chi_square(seen, chances(k, float(epsilon))) > ALARM
    for factor in (1.3, 1 / 1.3):
        assert chi_square(seen, chances(k, float(epsilon) * factor)) < ALARM


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("k", "epsilon"), [(2, Fraction(1)), (3, Fraction(1, 2)), (4, Fraction(2))])
def test_the_exact_law_attains_epsilon_on_every_pair_of_values(
    k: int, epsilon: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all words of 8 bits the law is k - 1 equal lies and one truth; truth and lie are e^epsilon apart."""
    short = inversion.coins_of_odds
    monkeypatch.setattr(
        importlib.import_module("dpsql.mechanisms.local.k_randomized_response"),
        "coins_of_odds",
        lambda *given: short(*given, bits=8),
    )
    laws = [exact_law(v, k, epsilon) for v in range(k)]
    exact = Fraction(1 / (1 + (k - 1) * exp_minus(epsilon)))
    for v, outcomes in enumerate(laws):
        open_end = outcomes.pop(Truncated)
        assert 0 < open_end < Fraction(1, 2**14)
        assert outcomes[v] <= exact <= outcomes[v] + open_end
        lies = {outcomes[w] for w in range(k) if w != v}
        assert len(lies) == 1
        assert 0 <= (1 - exact) / (k - 1) - lies.pop() <= open_end
    assert float(exact / ((1 - exact) / (k - 1))) == pytest.approx(math.exp(epsilon), rel=1e-14)


def exact_law(value: int, k: int, epsilon: Fraction) -> Counter[object]:
    return law(
        lambda coins: int(k_randomized_response(np.array([value]), k=k, epsilon=epsilon, coins=coins)[0]),
        ShallowWords,
        depth=4,
    )


class ShallowWords(TreeCoins):
    """Follows one word and the uniform lie; a word that leaves the coin open ends the path after another."""

    opened = 0

    def below(self, bound: int) -> int:
        if bound == 1 << 8:
            self.opened += 1
            if self.opened > 2:
                raise Truncated
        return super().below(bound)


@pytest.mark.parametrize(("k", "epsilon"), CASES)
def test_the_histogram_estimate_is_unbiased(k: int, epsilon: Fraction) -> None:
    """Fed with expected counts, it returns the true ones: it is linear."""
    n, true = 1000, np.arange(k) * 3
    gamma = replace_probability(k, epsilon)
    assert gamma == pytest.approx(k / (k - 1 + math.exp(epsilon)), rel=1e-12)
    counts = estimate_counts(np.arange(n) % k, k=k, epsilon=epsilon)
    shifted = (np.bincount(np.arange(n) % k, minlength=k) - n * gamma / k) / (1 - gamma)
    assert counts == pytest.approx(shifted, rel=1e-9)
    expected = true * (1 - gamma) + true.sum() * gamma / k
    assert (expected - true.sum() * gamma / k) / (1 - gamma) == pytest.approx(true, rel=1e-9)


def test_the_estimates_add_up_and_stray_as_far_as_they_say() -> None:
    k, epsilon, n, runs = 4, Fraction(3, 2), 500, 3000
    values = np.repeat([0, 1, 2], [300, 150, 50])
    released = k_randomized_response(np.tile(values, (runs, 1)), k=k, epsilon=epsilon)
    found = np.array([estimate_counts(row, k=k, epsilon=epsilon) for row in released])
    assert found.sum(axis=1) == pytest.approx(n, rel=1e-9)
    for value, count in enumerate((300, 150, 50, 0)):
        spread = variance(count, n, k=k, epsilon=epsilon)
        assert found[:, value].mean() == pytest.approx(count, abs=7 * math.sqrt(spread / runs))
        assert found[:, value].var() == pytest.approx(spread, rel=0.2)
        for beta in (0.3, 0.05):
            bound = error_bound(beta, n, k=k, epsilon=epsilon)
            assert np.mean(abs(found[:, value] - count) > bound) <= beta


def test_the_error_bound_is_chebyshevs_for_the_worst_count() -> None:
    worst = max(variance(c, 100, k=3, epsilon=1) for c in range(101))
    assert error_bound(0.1, 100, k=3, epsilon=1) == pytest.approx(math.sqrt(worst / 0.1), rel=1e-12)


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, object])
def test_shapes_are_kept(shape: tuple[int, ...], dtype: type) -> None:
    released = k_randomized_response(np.ones(shape, dtype=dtype), k=3, epsilon=1)
    assert released.shape == shape and all(v in (0, 1, 2) for v in released.flat)


def test_the_largest_k_does_not_overflow() -> None:
    k = 2**62
    released = k_randomized_response(np.full(200, k - 1), k=k, epsilon=Fraction(1, 100))
    assert released.dtype == np.int64 and released.min() >= 0 and released.max() < k
    with pytest.raises(ValueError, match=r"at most 2\^62"):
        k_randomized_response(np.zeros(2, np.int64), k=k + 1, epsilon=1)


def test_values_out_of_range_are_refused() -> None:
    for values in (np.array([3]), np.array([-1])):
        with pytest.raises(ValueError, match="values must be integers from 0 to 2"):
            k_randomized_response(values, k=3, epsilon=1)
    with pytest.raises(ValueError, match="at least one released value"):
        estimate_counts(np.empty(0, np.int64), k=3, epsilon=1)
    with pytest.raises(ValueError, match="more than all of them"):
        variance(6, 5, k=3, epsilon=1)
