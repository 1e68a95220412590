"""The mechanisms side by side: their laws and their errors, as numbers and, given a folder, as a plot.

python examples/mechanisms.py

pip install ".[plot]"
python examples/mechanisms.py FOLDER
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from dpsql.mechanisms.analysis.composition import zcdp_rho
from dpsql.mechanisms.local.k_randomized_response import variance as k_response_variance
from dpsql.mechanisms.local.randomized_response import variance as response_variance
from dpsql.mechanisms.local.rappor import variance as rappor_variance
from dpsql.mechanisms.noise.discrete_gaussian import sigma_squared_for
from dpsql.mechanisms.noise.discrete_gaussian import tail as gaussian_tail
from dpsql.mechanisms.noise.discrete_gaussian import variance as gaussian_variance
from dpsql.mechanisms.noise.discrete_laplace import tail as laplace_tail
from dpsql.mechanisms.noise.discrete_laplace import variance as laplace_variance

DELTA = Fraction(1, 10**6)
EPSILONS = tuple(Fraction(2) ** i for i in range(-3, 4))
CELLS = tuple(2**i for i in range(11))
RATES = tuple(Fraction(2) ** i for i in range(-5, 1))
PEOPLE = 10_000


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines over a common axis; `log` is the base of the logarithmic scales, 0 for plain ones."""

    title: str
    axis: str
    log: int
    xs: tuple[float, ...]
    lines: dict[str, tuple[float, ...]]


def main() -> None:
    """Prints the numbers of every panel, and draws them if a folder is given."""
    panels = (laws(), errors_by_epsilon(), errors_by_cells(), losses_by_epsilon())
    for panel in panels:
        show(panel)
    if len(sys.argv) > 1:
        draw(panels, Path(sys.argv[1]))


def laws() -> Panel:
    """P(Z = z) of the noise of a count at epsilon = 1, with delta = 10^-6 for the Gaussian law."""
    squared = sigma_squared_for(squared_sensitivity=1, epsilon=1, delta=DELTA)
    zs = range(-12, 13)
    lines = {
        "discrete Laplace": [mass(z, lambda k: laplace_tail(k, sensitivity=1, epsilon=1)) for z in zs],
        "discrete Gaussian": [mass(z, lambda k: gaussian_tail(k, sigma_squared=squared)) for z in zs],
        "discrete Cauchy, scale 2": [2 / math.pi * math.tanh(2 * math.pi) / (4 + z * z) for z in zs],
    }
    return panel("the laws at epsilon = 1", "z", 0, zs, lines)


def mass(z: int, tail: Callable[[int], float]) -> float:
    """P(Z = z) of a symmetric law from its tails P(|Z| >= k)."""
    return (tail(abs(z)) - tail(abs(z) + 1)) / (2 if z else 1)


def errors_by_epsilon() -> Panel:
    """The standard deviation of a count of some of 10,000 people, with a curator and without."""
    n = PEOPLE
    lines = {
        "discrete Laplace": [laplace_variance(sensitivity=1, epsilon=e) for e in EPSILONS],
        "discrete Gaussian": [gaussian_noise(e) for e in EPSILONS],
        "randomized response": [n**2 * response_variance(n, epsilon=e) for e in EPSILONS],
        "k-randomized response, k = 10": [k_response_variance(n // 10, n, k=10, epsilon=e) for e in EPSILONS],
        "RAPPOR": [rappor_variance(n, epsilon=e) for e in EPSILONS],
    }
    title = "standard deviation of a count among 10,000"
    return panel(title, "epsilon", 2, EPSILONS, {name: roots(line) for name, line in lines.items()})


def errors_by_cells() -> Panel:
    """The standard deviation of each of d counts of which one person moves all by 1, at epsilon = 1.

    From two cells on, the Gaussian noise follows from one rho, that of epsilon and delta.
    """
    rho = zcdp_rho(1, DELTA)
    many = [sigma_squared_for(squared_sensitivity=d, rho=rho) for d in CELLS[1:]]
    lines = {
        "discrete Laplace": [laplace_variance(sensitivity=d, epsilon=1) for d in CELLS],
        "discrete Gaussian": [gaussian_noise(1), *(gaussian_variance(sigma_squared=s) for s in many)],
    }
    title = "standard deviation of each of d counts, epsilon = 1"
    return panel(title, "d", 2, CELLS, {name: roots(line) for name, line in lines.items()})


def gaussian_noise(epsilon: Fraction | int) -> float:
    """The variance of discrete Gaussian noise of one count, at delta = 10^-6."""
    squared = sigma_squared_for(squared_sensitivity=1, epsilon=epsilon, delta=DELTA)
    return gaussian_variance(sigma_squared=squared)


def roots(values: Sequence[float]) -> list[float]:
    """The square root of each."""
    return [math.sqrt(v) for v in values]


def losses_by_epsilon() -> Panel:
    """The expected loss of a choice among twenty candidates, nineteen of which are 10 behind (D_R = 1)."""
    gaps = np.array([0] + [10] * 19)
    lines = {
        "exponential mechanism": [float(exponential_law(gaps, float(e)) @ gaps) for e in RATES],
        "permute-and-flip": [float(permute_and_flip_law(gaps, float(e)) @ gaps) for e in RATES],
    }
    return panel("expected loss of a choice among 20", "epsilon", 2, RATES, lines)


def exponential_law(gaps: np.ndarray, rate: float) -> np.ndarray:
    """The probabilities of the exponential mechanism, for losses and epsilon / D_R."""
    weights = np.exp(-rate * gaps)
    return np.asarray(weights / weights.sum())


def permute_and_flip_law(gaps: np.ndarray, rate: float) -> np.ndarray:
    """Those of permute-and-flip: p_i times the integral over t from 0 to 1 of the product of 1 - p_j t, j not i.

    p = exp(-rate gap), t is the place of i in the order. Gauss-Legendre nodes integrate the polynomial exactly.
    """
    nodes, weights = np.polynomial.legendre.leggauss(gaps.size)
    coins, times = np.exp(-rate * gaps), (nodes + 1) / 2
    failures = 1 - coins[:, None] * times
    others = [np.delete(failures, i, axis=0).prod(axis=0) for i in range(gaps.size)]
    return np.asarray(coins * (np.array(others) @ weights) / 2)


def panel(
    title: str, axis: str, log: int, xs: Sequence[Fraction | float], lines: dict[str, list[float]]
) -> Panel:
    """A panel of plain numbers."""
    return Panel(title, axis, log, tuple(map(float, xs)), {name: tuple(line) for name, line in lines.items()})


def show(panel: Panel) -> None:
    """The numbers of a panel as a table."""
    print(f"\n{panel.title}")
    print(" | ".join([f"{panel.axis:>8}", *panel.lines]))
    for i, x in enumerate(panel.xs):
        print(" | ".join([f"{x:>8g}", *(f"{line[i]:{len(name)}.4g}" for name, line in panel.lines.items())]))


def draw(panels: Sequence[Panel], folder: Path) -> None:
    """All panels in one file, mechanisms.svg."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "dpsql", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(10, 7.5), layout="constrained")
        for axes, panel in zip(figure.subplots(2, 2).flat, panels, strict=True):
            for name, line in panel.lines.items():
                axes.plot(panel.xs, line, label=name, marker="" if panel.log else ".")
            if panel.log:
                axes.set_xscale("log", base=panel.log)
                axes.set_yscale("log")
            axes.minorticks_off()
            axes.set(title=panel.title, xlabel=panel.axis)
            axes.legend(frameon=False)
        figure.savefig(folder / "mechanisms.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
