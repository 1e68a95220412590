"""How long exact noise and exact selection take, with numpy's floating-point Laplace noise beside them.

python benchmarks/noise.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from dpsql.mechanisms import (
    ExactSampler,
    above_threshold,
    cube,
    discrete_gaussian,
    discrete_laplace,
    exponential_mechanism,
    k_randomized_response,
    laplace_thresholding,
    permute_and_flip,
    propose_test_release,
    quantile,
    randomized_response,
    rappor,
    report_noisy_max,
    select_partitions,
    smooth_median,
)

SENSITIVITIES = (1, 10_000_000)
CELLS = ((1, 1000), (1_000, 200), (1_000_000, 5))
CANDIDATES = 100_000
ROWS = 100_000


def main() -> None:
    """Print median times at epsilon 1, for the sensitivity of a count and of a large sum on a fine grid."""
    print_noise(ExactSampler())
    print()
    print_gaussian_noise()
    print()
    print_rows()
    print()
    print_selections(ExactSampler())
    print()
    print_single_draws()


def print_noise(sampler: ExactSampler) -> None:
    """The noise of 1, 1,000 and 1,000,000 cells, exact and in floating point."""
    print("| cells | sensitivity | exact ms | microseconds a cell | numpy's float Laplace ms |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    generator = np.random.default_rng()
    for cells, runs in CELLS:
        zeros = np.zeros(cells, dtype=np.int64)
        for sensitivity in SENSITIVITIES:
            exact = median(
                lambda v=zeros, s=sensitivity: sampler.discrete_laplace(v, sensitivity=s, epsilon=1), runs
            )
            inexact = median(lambda v=zeros, s=sensitivity: v + generator.laplace(scale=s, size=v.size), runs)
            print(
                f"| {cells:,} | {sensitivity:,} | {exact * 1e3:.3f} | {exact / cells * 1e6:.3f} "
                f"| {inexact * 1e3:.3f} |"
            )


def print_gaussian_noise() -> None:
    """The noise of 1, 1,000 and 1,000,000 cells at rho = 1/2, where sigma is the sensitivity."""
    print("| cells | sigma | exact discrete Gaussian ms | microseconds a cell | numpy's float Gaussian ms |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    generator = np.random.default_rng()
    for cells, runs in CELLS:
        zeros = np.zeros(cells, dtype=np.int64)
        for sigma in SENSITIVITIES:
            exact = median(
                lambda v=zeros, s=sigma: discrete_gaussian(v, sensitivity=s, rho=Fraction(1, 2)), runs
            )
            inexact = median(lambda v=zeros, s=sigma: v + generator.normal(scale=s, size=v.size), runs)
            print(
                f"| {cells:,} | {sigma:,} | {exact * 1e3:.3f} | {exact / cells * 1e6:.3f} "
                f"| {inexact * 1e3:.3f} |"
            )


def print_rows() -> None:
    """What local mechanisms take for 100,000 rows, and the cube mechanism for as many groups."""
    rows, vectors = np.zeros(ROWS, dtype=np.int64), np.zeros((ROWS, 4), dtype=np.int64)
    mechanisms: dict[str, Callable[[], object]] = {
        "randomized response": lambda: randomized_response(rows, epsilon=1),
        "randomized response with k = 100": lambda: k_randomized_response(rows, k=100, epsilon=1),
        "RAPPOR with k = 20": lambda: rappor(rows, k=20, epsilon=1),
        "cube, a count and three sums": lambda: cube(
            vectors, sensitivity=10, epsilon=1, widths=(1, 100, 100, 100)
        ),
    }
    print(f"| of {ROWS:,} | ms |")
    print("| --- | ---: |")
    for name, release in mechanisms.items():
        print(f"| {name} | {median(release, 5) * 1e3:.3f} |")


def print_selections(sampler: ExactSampler) -> None:
    """One choice among 100,000 candidates, and as many groups of private keys kept or dropped."""
    scores = np.random.default_rng(0).integers(0, 1_000, CANDIDATES)
    weights, grid = scores + 1, np.arange(1_001)
    keys = {"epsilon": 1, "delta": Fraction(1, 10**6), "groups_per_unit": 5}
    selections: dict[str, Callable[[], object]] = {
        "permute-and-flip": lambda: sampler.permute_and_flip(scores, epsilon=1, score_range=1),
        "exponential mechanism": lambda: sampler.exponential_mechanism(scores, epsilon=1, score_range=1),
        "exponential mechanism, by weight": lambda: sampler.exponential_mechanism(
            scores, epsilon=1, score_range=1, weights=weights
        ),
        "noisy maximum, Laplace noise": lambda: report_noisy_max(
            scores, epsilon=1, sensitivity=1, noise="laplace"
        ),
        "first above a threshold": lambda: above_threshold(scores, threshold=2_000, sensitivity=1, epsilon=1),
        "median": lambda: quantile(scores, q=Fraction(1, 2), grid=grid, epsilon=1),
        "median, smooth sensitivity": lambda: smooth_median(scores, lower=0, upper=1_000, epsilon=1),
        "partition selection": lambda: sampler.select_partitions(scores, **keys),
    }
    print(f"| among {CANDIDATES:,} | ms |")
    print("| --- | ---: |")
    for name, select in selections.items():
        print(f"| {name} | {median(select, 20) * 1e3:.3f} |")


def print_single_draws() -> None:
    """One draw of each mechanism, with nothing kept from the one before."""
    five, one = np.array([0, 4, 6, 6, 3]), np.array([1])
    unit, half, tiny = {"sensitivity": 1, "epsilon": 1}, Fraction(1, 2), Fraction(1, 10**6)
    draws: dict[str, Callable[[], object]] = {
        "discrete Laplace": lambda: discrete_laplace(one, **unit),
        "discrete Gaussian, given rho": lambda: discrete_gaussian(one, sensitivity=1, rho=half),
        "discrete Gaussian, calibrated": lambda: discrete_gaussian(one, **unit, delta=tiny),
        "cube, a count and two sums": lambda: cube(five[:3], **unit, widths=(1, 100, 100)),
        "randomized response": lambda: randomized_response(one, epsilon=1),
        "randomized response with k = 100": lambda: k_randomized_response(one, k=100, epsilon=1),
        "RAPPOR with k = 20": lambda: rappor(one, k=20, epsilon=1),
        "permute-and-flip": lambda: permute_and_flip(five, **unit),
        "exponential mechanism": lambda: exponential_mechanism(five, **unit),
        "noisy maximum, Laplace noise": lambda: report_noisy_max(five, **unit, noise="laplace"),
        "first above a threshold": lambda: above_threshold(five, **unit, threshold=4),
        "median": lambda: quantile(five, q=half, grid=np.arange(11), epsilon=1),
        "median, smooth sensitivity": lambda: smooth_median(five, lower=0, upper=10, epsilon=1),
        "median, propose-test-release": lambda: propose_test_release(
            five, lower=0, upper=10, proposed=2, epsilon=1, delta=tiny
        ),
        "partition selection": lambda: select_partitions(five, epsilon=1, delta=tiny, groups_per_unit=1),
        "Laplace thresholding": lambda: laplace_thresholding(five, epsilon=1, delta=tiny, groups_per_unit=1),
    }
    print("| one draw | ms |")
    print("| --- | ---: |")
    for name, draw in draws.items():
        print(f"| {name} | {median(draw, 20) * 1e3:.3f} |")


def median(work: Callable[[], object], runs: int) -> float:
    """The median time in seconds, after one run that builds what is kept."""
    work()
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


if __name__ == "__main__":
    main()
