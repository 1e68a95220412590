"""The cube mechanism: its law on the lattice, its guarantee on all neighbours, its variance and its radius."""

import decimal
import itertools
import math
import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from exact_laws import ALARM, CONTEXT, chi_square, exp_minus
from tree_coins import ScriptedCoins, SeededCoins, words

from dpsql.mechanisms import Coins
from dpsql.mechanisms.noise.cube import (
    _below_each,
    _cuts,
    _differences,
    _points,
    cube,
    interval_radius,
    norm_tail,
    variance,
    variances,
)
from dpsql.mechanisms.noise.discrete_laplace import FEW
from dpsql.mechanisms.noise.discrete_laplace import variance as laplace_variance

N = 1_000_000
BOXES = [(1,), (1, 1), (1, 2), (1, 500, 9), (3, 1, 2, 7, 1)]
OFF = (Fraction(13, 10), Fraction(10, 13))


def norms(noise: np.ndarray, widths: tuple[int, ...]) -> np.ndarray:
    return np.asarray((-(-abs(noise) // np.array(widths, dtype=noise.dtype))).max(axis=1))


def norm_chances(rate: float, widths: tuple[int, ...], end: int) -> list[float]:
    """P(|Z| = s) for s < end, and of all the rest: the points on the shell s times a^s, normalised by a long
    sum."""
    shells = [_points(s, widths) - (_points(s - 1, widths) if s else 0) for s in range(2000)]
    masses = [shell * math.exp(-rate * s) for s, shell in enumerate(shells)]
    total = math.fsum(masses)
    return [*(m / total for m in masses[:end]), math.fsum(masses[end:]) / total]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("widths", BOXES, ids=str)
@pytest.mark.parametrize("epsilon", [Fraction(1, 3), Fraction(2)], ids=str)
def test_the_norm_has_its_law_and_no_other_scale(widths: tuple[int, ...], epsilon: Fraction) -> None:
    zeros = np.zeros((N // len(widths) // 2, len(widths)), np.int64)
    found = norms(cube(zeros, sensitivity=2, epsilon=2 * epsilon, widths=widths), widths)
    end = int(np.quantile(found, 0.999)) + 1
    seen = np.bincount(np.minimum(found, end), minlength=end + 1)
    assert chi_square(seen, norm_chances(float(epsilon), widths, end)) > ALARM
    for factor in OFF:
        assert chi_square(seen, norm_chances(float(epsilon * factor), widths, end)) < ALARM


def test_few_vectors_at_a_time_have_the_law_and_no_other_scale() -> None:
    zeros, widths = np.zeros((FEW, 2), np.int64), (1, 3)
    drawn = [cube(zeros, sensitivity=2, epsilon=3, widths=widths) for _ in range(2_000)]
    found = norms(np.concatenate(drawn), widths)
    end = int(np.quantile(found, 0.99)) + 1
    seen = np.bincount(np.minimum(found, end), minlength=end + 1)
    assert chi_square(seen, norm_chances(1.5, widths, end)) > ALARM
    for factor in OFF:
        assert chi_square(seen, norm_chances(1.5 * float(factor), widths, end)) < ALARM


def test_every_point_of_the_lattice_has_its_probability() -> None:
    """A million vectors at widths 1 and 2: each of the points of the box 3 is a cell of its own."""
    noise = cube(np.zeros((N, 2), np.int64), sensitivity=1, epsilon=1, widths=(1, 2))
    assert chi_square(lattice_counts(noise), lattice_chances(1.0)) > ALARM
    for factor in OFF:
        assert chi_square(lattice_counts(noise), lattice_chances(float(factor))) < ALARM


def lattice_counts(noise: np.ndarray) -> list[int]:
    inside = noise[norms(noise, (1, 2)) <= 3]
    places = (inside[:, 0] + 3) * 13 + inside[:, 1] + 6
    return [*np.bincount(places, minlength=7 * 13).tolist(), len(noise) - len(inside)]


def lattice_chances(rate: float) -> list[float]:
    points = itertools.product(range(-3, 4), range(-6, 7))
    total = math.fsum(s * math.exp(-rate * r) for r, s in enumerate(shell_sizes((1, 2))))
    masses = [math.exp(-rate * max(abs(x), -(-abs(y) // 2))) / total for x, y in points]
    return [*masses, 1 - math.fsum(masses)]


def shell_sizes(widths: tuple[int, ...]) -> list[int]:
    return [_points(s, widths) - (_points(s - 1, widths) if s else 0) for s in range(2000)]


@pytest.mark.parametrize("widths", BOXES, ids=str)
def test_the_weights_of_the_mixture_make_up_the_number_of_points_exactly(widths: tuple[int, ...]) -> None:
    """V(r) is the sum of c_i binomial(r, i), no c_i negative; and so is its law, for a rational a."""
    for start in (0, 4):
        weights = _differences(widths, start)
        assert len(weights) == len(widths) + 1 and min(weights) > 0
        for r in range(40):
            assert sum(c * math.comb(r, i) for i, c in enumerate(weights)) == _points(start + r, widths)


@pytest.mark.parametrize("widths", BOXES, ids=str)
@pytest.mark.parametrize(
    "rate", [Fraction(1, 10**12), Fraction(1, 7), Fraction(30), Fraction(500)], ids=float
)
@pytest.mark.parametrize("bits", [16, 62, 124])
def test_the_bounds_hold_the_weights_of_the_mixture(
    widths: tuple[int, ...], rate: Fraction, bits: int
) -> None:
    with decimal.localcontext(decimal.Context(prec=700, Emin=-(10**9), Emax=10**9)) as context:
        a = context.exp(-Decimal(rate.numerator) / rate.denominator)
        odds = a / (1 - a)
        weights = [c * odds**i for i, c in enumerate(_differences(widths, 0))]
        for i, (low, high) in enumerate(_cuts(rate, _differences(widths, 0), bits)):
            share = sum(weights[: i + 1]) / sum(weights) * 2**bits
            assert low <= share <= high <= low + 2


@pytest.mark.parametrize("widths", [(1,), (2,), (1, 2)], ids=str)
def test_no_neighbours_are_told_apart_by_more_than_epsilon_and_some_attain_it(
    widths: tuple[int, ...],
) -> None:
    """From the exact probabilities e^(-epsilon |z| / 3) of all points z, for every change of norm up to 3."""
    box = list(itertools.product(*(range(-4 * w, 4 * w + 1) for w in widths)))

    def norm(z: tuple[int, ...]) -> int:
        return max(-(-abs(x) // w) for x, w in zip(z, widths, strict=True))

    for change in box:
        exponents = {norm(tuple(map(sum, zip(z, change, strict=True)))) - norm(z) for z in box}
        assert max(exponents) == norm(change) == -min(exponents)


def test_one_vector_of_many_cells_is_the_l_infinity_mechanism() -> None:
    """Widths 1 by default: epsilon / sensitivity is the rate of the largest error."""
    found = abs(cube(np.zeros((40_000, 5), np.int64), sensitivity=3, epsilon=3)).max(axis=1)
    end = int(found.max()) // 2
    seen = np.bincount(np.minimum(found, end), minlength=end + 1)
    assert chi_square(seen, norm_chances(1.0, (1,) * 5, end)) > ALARM


def test_vectors_and_their_coordinates_are_independent_given_the_norm() -> None:
    noise = cube(np.zeros((200_000, 2), np.int64), sensitivity=10, epsilon=1, widths=(1, 3))
    assert abs(np.mean(np.sign(noise[:, 0]) * np.sign(noise[:, 1]))) < 0.02
    sizes = norms(noise, (1, 3)) > np.median(norms(noise, (1, 3)))
    pairs = np.bincount(2 * sizes[::2] + sizes[1::2], minlength=4)
    share = sizes.mean()
    expected = np.outer([1 - share, share], [1 - share, share]).ravel()
    assert chi_square(pairs, expected) > ALARM


@pytest.mark.parametrize("widths", BOXES[:4], ids=str)
@pytest.mark.parametrize("rate", [Fraction(1, 5), Fraction(3)], ids=str)
def test_variance_and_tail_are_sums_over_the_law(widths: tuple[int, ...], rate: Fraction) -> None:
    given = {"sensitivity": rate.denominator, "epsilon": Fraction(rate.numerator), "widths": widths}
    boxes = [_points(r, widths) * math.exp(-rate * r) for r in range(1000)]
    shells = [s * math.exp(-rate * r) for r, s in enumerate(shell_sizes(widths))]
    for place, w in enumerate(widths):
        second = math.fsum(m * r * w * (r * w + 1) / 3 for r, m in enumerate(boxes)) / math.fsum(boxes)
        assert variance(place, **given) == pytest.approx(second, rel=1e-9)
    for t in (0, 1, 5, 30):
        assert norm_tail(t, **given) == pytest.approx(
            math.fsum(shells[t + 1 :]) / math.fsum(shells), rel=1e-9
        )


@pytest.mark.parametrize("widths", BOXES, ids=str)
@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), Fraction(2), Fraction(1000)], ids=str)
def test_all_variances_are_those_of_each_also_where_noise_is_next_to_nothing(
    widths: tuple[int, ...], epsilon: Fraction
) -> None:
    given = {"sensitivity": 1, "epsilon": epsilon, "widths": widths}
    each = [variance(place, **given) for place in range(len(widths))]
    assert variances(**given) == pytest.approx(each, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_count_and_k_sums_have_the_variance_of_the_theory(k: int) -> None:
    """(k + 2) (k + 3) / 6 in units of (w m / epsilon)^2, for sums of values from 0 to w: 2 k^2 if epsilon is
    split."""
    m, w = 1000, 50
    given = {"sensitivity": m, "epsilon": 1, "widths": (1, *[w] * k)}
    noise = cube(np.zeros((40_000, k + 1), np.int64), **given)
    summed = (noise[:, 1] + w * noise[:, 0]) / 2  # a sum is (centred sum + n w) / 2
    theory = (k + 2) * (k + 3) / 6 * (w * m) ** 2
    exact = (variance(1, **given) + w**2 * variance(0, **given)) / 4
    assert exact == pytest.approx(theory, rel=0.01)
    assert summed.var() == pytest.approx(exact, rel=0.12)
    split = laplace_variance(sensitivity=w * m * k, epsilon=1)
    assert split == pytest.approx(2 * k**2 * (w * m) ** 2, rel=0.01)
    assert (split > exact) is (k > 1)


@pytest.mark.parametrize("beta", [0.3, 0.05, 1e-9])
def test_the_radius_is_the_least_that_covers(beta: float) -> None:
    given = {"sensitivity": 4, "epsilon": Fraction(1, 3), "widths": (1, 7)}
    t = interval_radius(beta, **given)
    assert norm_tail(t, **given) <= beta < norm_tail(t - 1, **given)


def test_the_radius_covers_all_coordinates_at_its_stated_rate() -> None:
    given = {"sensitivity": 4, "epsilon": Fraction(1, 3), "widths": (1, 7)}
    noise = cube(np.zeros((200_000, 2), np.int64), **given)
    t = interval_radius(0.05, **given)
    outside = int((abs(noise) > t * np.array([1, 7])).any(axis=1).sum())
    beyond = norm_tail(t, **given)
    assert 0.045 < beyond <= 0.05
    assert chi_square([outside, 200_000 - outside], [beyond, 1 - beyond]) > ALARM


@pytest.mark.parametrize("bound", [1, 2, 7, 1000, 3 << 60])
def test_uniform_numbers_below_each_bound(bound: int) -> None:
    draws = _below_each(np.full(60_000, bound), Coins())
    assert draws.dtype == np.int64 and draws.min() >= 0 and draws.max() < bound
    cells = min(bound, 20)
    if cells > 1:
        counts = np.bincount([int(d) * cells // bound for d in draws], minlength=cells)
        chances = [(-(-(c + 1) * bound // cells) - -(-c * bound // cells)) / bound for c in range(cells)]
        assert chi_square(counts, chances) > ALARM


def test_words_at_or_above_the_largest_multiple_are_drawn_again() -> None:
    """2^62 = 1 modulo 3: the word 2^62 - 1 would make 0 too frequent."""
    last = (1 << 62) - 1
    script = words(last << 2, 5 << 2) + words(last << 2) + words((last - 1) << 2)
    assert _below_each(np.array([3, 4]), ScriptedCoins(script)).tolist() == [2, 1]


def test_bounds_beyond_int64_are_python_ints() -> None:
    draws = _below_each(np.array([2**80, 5], dtype=object), Coins())
    assert draws.dtype == object and 0 <= draws[1] < 5 and 2**50 < draws[0] < 2**80


@pytest.mark.parametrize("scale", [10**20, 10**9])
def test_noise_beyond_int64_becomes_python_ints(scale: int) -> None:
    noise = cube(np.zeros((2000, 2), np.int64), sensitivity=scale, epsilon=1, widths=(1, 10**12))
    assert noise.dtype == object and all(type(v) is int for v in noise.flat)
    root = math.sqrt(np.mean([float(v) ** 2 for v in noise[:, 1]]))
    assert root == pytest.approx(math.sqrt(4) * scale * 10**12, rel=0.2)


@pytest.mark.parametrize("shape", [(1,), (0, 2), (2, 3), (2, 4, 5)])
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, object])
def test_shapes_are_kept_and_noise_follows_the_coins(shape: tuple[int, ...], dtype: type) -> None:
    values = np.full(shape, 100, dtype=dtype)
    first, second = (cube(values, sensitivity=1, epsilon=1000, coins=SeededCoins(2)) for _ in range(2))
    assert first.shape == shape and (first == 100).all() and (first == second).all()


def test_the_exact_law_agrees_with_decimals_where_it_is_small_enough() -> None:
    """P(Z = 0) = (1 - a) / the sum of c_i b^i (1 - a)^0, at one coordinate (1 - a) / (1 + a): discrete Laplace."""
    zeros = 1 - norm_tail(0, sensitivity=1, epsilon=1, widths=(1,))
    with decimal.localcontext(CONTEXT):
        a = exp_minus(Fraction(1))
        assert zeros == pytest.approx(float((1 - a) / (1 + a)), rel=1e-12)


PLAIN = np.zeros((3, 2), np.int64)


@pytest.mark.parametrize(
    "values", [np.array(3), np.empty((3, 0), np.int64), np.empty(0, np.int64)], ids=lambda v: str(v.shape)
)
def test_what_is_no_vector_is_refused(values: np.ndarray) -> None:
    with pytest.raises(ValueError, match="at least one element"):
        cube(values, sensitivity=1, epsilon=1)


WITH_INTEGER: list[Callable[[object], object]] = [
    lambda n: cube(PLAIN, sensitivity=n, epsilon=1),
    lambda n: cube(PLAIN, sensitivity=1, epsilon=1, widths=(1, n)),
    lambda n: variance(0, sensitivity=n, epsilon=1, widths=(1,)),
    lambda n: norm_tail(1, sensitivity=1, epsilon=1, widths=(n,)),
]


@pytest.mark.parametrize("use", WITH_INTEGER)
def test_bad_integers_are_refused(use: Callable[[object], object]) -> None:
    for bad in (0, -1):
        with pytest.raises(ValueError, match="must be at least 1"):
            use(bad)
    for worse in (1.0, True, "1", None, Fraction(1, 2)):
        with pytest.raises(TypeError, match="must be an integer"):
            use(worse)


def test_widths_and_epsilon_must_fit() -> None:
    with pytest.raises(ValueError, match="as many widths, not 3"):
        cube(PLAIN, sensitivity=1, epsilon=1, widths=(1, 1, 1))
    with pytest.raises(ValueError, match="at least one width"):
        norm_tail(1, sensitivity=1, epsilon=1, widths=())
    with pytest.raises(TypeError, match="epsilon must be an exact int or Fraction"):
        cube(PLAIN, sensitivity=1, epsilon=0.5)
    with pytest.raises(TypeError, match="integers"):
        cube(np.zeros((3, 2)), sensitivity=1, epsilon=1)


def test_the_bounds_of_very_many_coordinates_are_quick_and_as_near_as_of_few() -> None:
    """Powers of numbers of thousands of bits, taken in full, need seconds each time that noise is drawn."""
    weights, begin = _differences((1, *(100,) * 149), 0), time.process_time()
    bounds = _cuts(Fraction(1, 3), weights, 62)
    assert time.process_time() - begin < 1
    assert all(0 <= low <= high <= low + 2 for low, high in bounds)
    assert all(one[0] <= other[1] for one, other in itertools.pairwise(bounds)) and bounds[-1][0] > 2**61


@pytest.mark.parametrize("vectors", [1, FEW + 1])
def test_widths_beyond_64_bits_have_noise_of_radius_zero_too(vectors: int) -> None:
    """At this epsilon every radius is 0, and what it is multiplied by has to fit by itself."""
    values, wide = np.full((vectors, 2), 5, dtype=np.int64), 2**64
    found = cube(values, sensitivity=1, epsilon=Fraction(10**9), widths=(wide, wide))
    assert found.tolist() == values.tolist()
