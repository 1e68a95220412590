"""How good the limits are that a query finds for itself: their error over the best limit's, for 25 kinds of people.

python benchmarks/clipping.py
python benchmarks/clipping.py --noise gaussian --neighbours substitute --groups 20 --runs 4000

Each kind is a number of people and a law of how many rows one of them has; the question is COUNT(*) in 1 or 20 groups.
A run draws a noisy histogram and takes its threshold; it errs by what is expected there: the mean over the groups of
E|bias + noise|, at what the histogram leaves of the budget. The best limit is the best power of two, known for
nothing, at all of the budget. Beside it stand fixed limits: the busiest person's rows, and 8 and 64 times as many,
since a table's limit is 7 to 580 times what a filtered query's busiest person has.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from dpsql.mechanisms import ExactSampler
from dpsql.mechanisms.clipping.clipping_noise import (
    Noise,
    gaussian,
    histogram_noise,
    laplace,
    shares_of_epsilon,
    shares_of_rho,
)
from dpsql.mechanisms.clipping.clipping_threshold import clipping_threshold
from dpsql.mechanisms.clipping.scaling import scaled, scaled_by_root
from dpsql.mechanisms.clipping.unit_bins import (
    Bins,
    bins_up_to,
    count_units,
    count_units_squared,
    shift,
    sizes,
    squared_sizes,
)
from dpsql.privacy import Neighbours

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
SEED, FAR, MANY, LOOSE = 20_260_729, 30, 300, 64
PEOPLE = (20, 300, 3_000, 30_000, 300_000)


def uniform(n: int, rng: np.random.Generator) -> Floats:
    """1 to 100 rows, all alike."""
    return rng.integers(1, 101, n).astype(float)


def lognormal(sigma: float) -> Callable[[int, np.random.Generator], Floats]:
    """A median of 10 rows."""
    return lambda n, rng: 10 * rng.lognormal(0, sigma, n)


def pareto(alpha: float) -> Callable[[int, np.random.Generator], Floats]:
    """P(more than x rows) = x^-alpha, up to 2^40 rows."""
    return lambda n, rng: np.minimum(1 + rng.pareto(alpha, n), 2.0**40)


LAWS = {
    "uniform": uniform,
    "lognormal 1": lognormal(1),
    "lognormal 2": lognormal(2),
    "Pareto 2.5": pareto(2.5),
    "Pareto 1.2": pareto(1.2),
}


@dataclass(frozen=True)
class Kind:
    """People of one kind: how many are in each bin, and what each threshold costs with and without the histogram."""

    name: str
    people: int
    bins: Bins
    counts: Ints
    errors: dict[int, float]
    best: float
    fixed: tuple[float, ...]


@dataclass(frozen=True)
class Budgets:
    """The noise of the histogram and of the answer, and that of an answer that has the whole budget."""

    histogram: Noise
    answer: Noise
    whole: Noise


def budgets(noise: str, neighbours: Neighbours) -> Budgets:
    """Epsilon 1, or rho 1/2."""
    if noise == "laplace":
        first, second = shares_of_epsilon(1)
        answer, whole = laplace(second, neighbours), laplace(1, neighbours)
    else:
        first, second = shares_of_rho(Fraction(1, 2))
        answer = gaussian(second, neighbours, nonnegative=True)
        whole = gaussian(Fraction(1, 2), neighbours, nonnegative=True)
    return Budgets(histogram_noise(first, answer), answer, whole)


def kinds(groups: int, spent: Budgets) -> Iterator[Kind]:
    """25 of them."""
    rng = np.random.default_rng(SEED)
    for people in PEOPLE:
        for name, law in LAWS.items():
            rows = np.maximum(law(people, rng), 1).astype(np.int64)
            yield measured(f"{people:,} {name}", in_groups(rows, groups, rng) << shift(groups), spent)


def in_groups(rows: Ints, groups: int, rng: np.random.Generator) -> Ints:
    """Each person's rows in groups, by shares of that person's own; what is left over goes to a group at random."""
    if groups == 1:
        return rows[:, np.newaxis]
    shares = rng.standard_gamma(0.5, (rows.size, groups)) + 1e-9
    shares /= shares.sum(axis=1, keepdims=True)
    placed: Ints = np.floor(shares * rows[:, np.newaxis]).astype(np.int64)
    placed[np.arange(rows.size), rng.integers(0, groups, rows.size)] += rows - placed.sum(axis=1)
    return placed


def measured(name: str, vectors: Ints, spent: Budgets) -> Kind:
    """What every threshold costs, exactly but for the noise, whose mean is known."""
    groups, of_root = vectors.shape[1], spent.answer.gaussian
    squares = squared_sizes(vectors) if of_root else np.square(sizes(vectors).astype(object))
    largest = math.isqrt(int(squares.max()) - 1) + 1
    bins = bins_up_to(LOOSE * (largest >> shift(groups)) + LOOSE, shift=shift(groups))
    counts = count_units_squared(squares, bins=bins) if of_root else count_units(sizes(vectors), bins=bins)
    biases = {1 << i: bias(vectors, 1 << i, of_root) for i in bins.powers}
    errors = {tau: error(b, tau, spent.answer) for tau, b in biases.items()}
    best = min(error(b, tau, spent.whole) for tau, b in biases.items())
    fixed = tuple(error(np.zeros(groups), factor * largest, spent.whole) for factor in (1, 8, LOOSE))
    return Kind(name, len(vectors), bins, counts, errors, best, fixed)


def bias(vectors: Ints, tau: int, of_root: bool) -> Floats:
    """What scaling takes off each group."""
    large = vectors[vectors.sum(axis=1) > tau]
    kept = scaled_by_root(large, tau=tau) if of_root else scaled(large, tau=tau)
    return (large - kept).sum(axis=0).astype(float)


def error(biases: Floats, tau: int, noise: Noise) -> float:
    """The mean over the groups of E|bias + noise|."""
    rate = float(noise.rate(tau))
    if not noise.gaussian:
        return float(np.mean(biases + np.exp(-biases * rate) / rate))
    sigma = math.sqrt(rate)
    inside = np.array([math.erf(b / (sigma * math.sqrt(2))) for b in biases])
    return float(
        np.mean(sigma * math.sqrt(2 / math.pi) * np.exp(-np.square(biases / sigma) / 2) + biases * inside)
    )


def ratios(kind: Kind, groups: int, spent: Budgets, runs: int, sampler: ExactSampler) -> Floats:
    """The error over the best limit's, once a run."""
    found = []
    for _ in range(runs):
        noisy = spent.histogram.add(kind.counts, 1, sampler)
        tau = clipping_threshold(
            noisy, bins=kind.bins, groups=groups, histogram=spent.histogram, answer=spent.answer, row_weight=1
        ).tau
        found.append(kind.errors[tau] / kind.best)
    return np.array(found)


def main() -> None:
    """Print a line for each kind of people, and what the aims speak of."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--noise", choices=("laplace", "gaussian"), default="laplace")
    parser.add_argument("--neighbours", choices=tuple(Neighbours), default=Neighbours.ADD_REMOVE)
    parser.add_argument("--groups", type=int, choices=(1, 20), default=1)
    parser.add_argument("--runs", type=int, default=1_000)
    asked = parser.parse_args()
    spent = budgets(asked.noise, Neighbours(asked.neighbours))
    print("| people | median | p99 | beyond 30 | busiest fixed | 8 times | 64 times |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    every, sampler = [], ExactSampler()
    for kind in kinds(asked.groups, spent):
        found = ratios(kind, asked.groups, spent, asked.runs, sampler)
        fixed = [f / kind.best for f in kind.fixed]
        every.append((kind, found, fixed))
        print(f"| {kind.name} | {line(found)} | {' | '.join(f'{f:.3g}' for f in fixed)} |")
    print(summary(every))


def line(found: Floats) -> str:
    """Median, 99th percentile, share beyond 30 times."""
    return f"{np.median(found):.2f} | {np.quantile(found, 0.99):.2f} | {np.mean(found > FAR):.2%}"


def summary(every: list[tuple[Kind, Floats, list[float]]]) -> str:
    """Geometric means over the kinds, and the share of runs that went wrong where there are people enough."""
    medians, tails = ([float(np.quantile(f, q)) for _, f, _ in every] for q in (0.5, 0.99))
    wrong = np.mean([np.mean(f > FAR) for k, f, _ in every if k.people >= MANY])
    fixed = [geometric([row[i] for *_, row in every]) for i in range(len(every[0][2]))]
    means = " | ".join(f"{f:.3g}" for f in fixed)
    return f"| geometric mean | {geometric(medians):.2f} | {geometric(tails):.2f} | {wrong:.2%} | {means} |"


def geometric(values: list[float]) -> float:
    """The geometric mean."""
    return math.exp(np.mean(np.log(values)))


if __name__ == "__main__":
    main()
