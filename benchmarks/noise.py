"""How long exact discrete Laplace noise takes for 1, a thousand and a million cells.

python benchmarks/noise.py
"""

from __future__ import annotations

import statistics
import time
from fractions import Fraction

import numpy as np

from dpsql.mechanisms.discrete_laplace import discrete_laplace

SENSITIVITIES = (1, 10_000_000)


def main() -> None:
    """Print median times at epsilon 1: for a count, and for a sum of 500.00 a row on a grid of 0.01."""
    print("| cells | sensitivity | ms | microseconds a cell |")
    print("| ---: | ---: | ---: | ---: |")
    for cells, runs in ((1, 200), (1_000, 100), (1_000_000, 5)):
        for sensitivity in SENSITIVITIES:
            seconds = statistics.median(_draw(cells, sensitivity) for _ in range(runs))
            print(f"| {cells:,} | {sensitivity:,} | {seconds * 1e3:.3f} | {seconds / cells * 1e6:.3f} |")


def _draw(cells: int, sensitivity: int) -> float:
    exact = np.zeros(cells, dtype=np.int64)
    begin = time.perf_counter()
    discrete_laplace(exact, sensitivity=sensitivity, epsilon=Fraction(1))
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
