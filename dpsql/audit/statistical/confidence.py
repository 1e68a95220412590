"""What counts of one event on two neighbouring databases prove about a privacy claim, and with which confidence.

An event that has probability p on one database may have at most `ceiling(p)` on the other: e^epsilon p + delta under
(epsilon, delta)-differential privacy. The claim is a statement about two binomial laws, and the test of it is exact:
its level holds for every number of runs.

The test. T = K1/n1 - slope * K2/n2 grows with what the claim forbids; its slope is fixed beforehand. Let p be the
event's probability on the second database. P(T >= observed) rises with the first probability and falls with p, so that
within a cell a <= p <= b it is at most its value at (ceiling(b), a). The p-value is the largest of these over a
Clopper-Pearson interval for p, whose own level is added. A wider claim has a larger ceiling and a larger p-value:
inverting the test by bisection gives a lower bound.

Floats are used freely: this measures what was released and protects nothing.

Sources: Clopper and Pearson 1934, The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial;
Berger and Boos 1994, P Values Maximized Over a Confidence Set for the Nuisance Parameter; Jagielski, Ullman, Oprea
2020, Auditing Differentially Private Machine Learning.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from dpsql.slotted import dataclass

Floats = npt.NDArray[np.float64]

MOST_EPSILON = 30.0
_CELLS = 128
_NUISANCE_SHARE = 0.1
_PRECISION = 0.004
# The four inequalities that one event gives; the first is where the worst pair is known to strain the claim.
_SHARES = (0.97, 0.01, 0.01, 0.01)
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Counts:
    """How often an event happened in independent runs on one database."""

    hits: int
    runs: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.runs or self.runs < 1:
            raise ValueError("counts need at least one run and between none and all of them as hits")

    @property
    def complement(self) -> Counts:
        """The counts of the event that this one does not happen."""
        return Counts(self.runs - self.hits, self.runs)

    @property
    def share(self) -> float:
        """hits / runs."""
        return self.hits / self.runs


class Claim(Protocol):
    """What is claimed of two probabilities of one event."""

    @property
    def slope(self) -> float:
        """The weight of the second frequency in the test's statistic."""
        ...

    def ceiling(self, p: Floats) -> Floats:
        """The most that an event of probability p may have on the neighbour; never falling in p."""
        ...


@dataclass(frozen=True, slots=True)
class Approximate:
    """(epsilon, delta)-differential privacy; `slope` is e^epsilon of the epsilon at which the test is sharpest."""

    epsilon: float
    delta: float
    slope: float

    def ceiling(self, p: Floats) -> Floats:
        """min(1, e^epsilon p + delta)."""
        return np.minimum(1.0, math.exp(self.epsilon) * p + self.delta)


def clopper_pearson(counts: Counts, level: float) -> tuple[float, float]:
    """The exact two-sided confidence interval of a probability: each end fails with probability level / 2 at most."""
    return _lower_end(counts, level / 2), 1 - _lower_end(counts.complement, level / 2)


def p_value(first: Counts, second: Counts, claim: Claim, nuisance: float) -> float:
    """The most probability that the claim leaves to counts as extreme as these.

    `first` is the database on which the event is too frequent if the claim is false; `nuisance` is the part of the
    level that the confidence interval of the second probability takes, and is included.
    """
    return min(1.0, _extreme(first, second, claim, clopper_pearson(second, nuisance)) + nuisance)


def rejected(first: Counts, second: Counts, claim: Claim, level: float) -> bool:
    """Whether counts refute a claim; a true claim is refuted with probability `level` at most."""
    if _expected(first, second, claim):
        return False
    return p_value(first, second, claim, _NUISANCE_SHARE * level) <= level


def _expected(first: Counts, second: Counts, claim: Claim) -> bool:
    """Whether the frequencies themselves satisfy the claim, so that no test need be made."""
    return first.share <= float(claim.ceiling(np.array([second.share]))[0])


def _extreme(first: Counts, second: Counts, claim: Claim, interval: tuple[float, float]) -> float:
    """The largest P(T >= observed) over the cells of an interval for the second probability."""
    ends = np.linspace(*interval, _CELLS + 1)
    rare, often = ends[:-1], claim.ceiling(ends[1:])
    seconds, firsts = _window(second.runs, *interval), _window(first.runs, float(often[0]), float(often[-1]))
    tails = np.cumsum(_masses(first.runs, firsts, often)[:, ::-1], axis=1)[:, ::-1]
    tails = np.hstack([tails, np.zeros((_CELLS, 1))])
    needed = first.hits + first.runs * claim.slope * (seconds - second.hits) / second.runs
    places = np.clip(np.ceil(needed - 1e-9) - firsts[0], 0, firsts.size).astype(np.int64)
    extreme = (_masses(second.runs, seconds, rare) * tails[:, places]).sum(axis=1)
    return float(extreme.max())


def epsilon_lower_bound(
    first: Counts, second: Counts, *, delta: float, level: float, sharpest: float
) -> float:
    """A lower bound of epsilon at that delta, which exceeds the true one with probability `level` at most.

    All four inequalities are tested: the event and its complement, in both directions. Nearly the whole level goes to
    the event being too frequent on the first database. `sharpest`: the epsilon near which the bound is to be tight,
    fixed beforehand (the claimed one).
    """
    slope = math.exp(sharpest)
    four = (
        (first, second),
        (second.complement, first.complement),
        (second, first),
        (first.complement, second.complement),
    )
    return max(
        lower_bound(a, b, lambda x: Approximate(x, delta, slope), MOST_EPSILON, level * share)
        for (a, b), share in zip(four, _SHARES, strict=True)
    )


def sharpest_threshold(first: Floats, second: Floats, epsilon: float) -> float:
    """The threshold c at which {y <= c} strains an epsilon most, to be chosen on runs that are not tested afterwards.

    Maximises the distance of the frequencies from the claim in standard deviations; an output that is not there (NULL,
    an error) is to be given as infinity.
    """
    cuts = np.unique(np.concatenate([first, second]))
    p = np.searchsorted(np.sort(first), cuts, side="right") / first.size
    q = np.searchsorted(np.sort(second), cuts, side="right") / second.size
    slope = math.exp(epsilon)
    # A quarter of a run keeps the deviation above 0 where an event was never or always seen.
    p_var = np.maximum(p * (1 - p), 0.25 / first.size) / first.size
    q_var = np.maximum(q * (1 - q), 0.25 / second.size) / second.size
    return float(cuts[np.argmax((p - slope * q) / np.sqrt(p_var + slope**2 * q_var))])


def lower_bound(
    first: Counts, second: Counts, family: Callable[[float], Claim], most: float, level: float
) -> float:
    """The least member of a growing family of claims that is not refuted, from below to within 0.004."""
    nuisance = _NUISANCE_SHARE * level
    if _expected(first, second, family(0.0)):
        return 0.0
    interval = clopper_pearson(second, nuisance)

    def refuted(size: float) -> bool:
        claim = family(size)
        if _expected(first, second, claim):
            return False
        return _extreme(first, second, claim, interval) + nuisance <= level

    if not refuted(0.0):
        return 0.0
    low, high = 0.0, most
    while high - low > _PRECISION:
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def at_most(values: Floats, cut: float) -> Counts:
    """How often values are at most so large."""
    return Counts(int(np.count_nonzero(values <= cut)), int(values.size))


def _lower_end(counts: Counts, level: float) -> float:
    """The p at which as many hits or more have probability `level`, from below; 0 without a hit."""
    if counts.hits == 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if _upper_tail(counts.runs, counts.hits, middle) <= level:
            low = middle
        else:
            high = middle
    return low


def _upper_tail(runs: int, hits: int, p: float) -> float:
    """P(X >= hits) for a binomial X, summed over the counts that have any mass worth the name."""
    window = _window(runs, p, p)
    if hits > window[-1]:
        window = np.arange(hits, min(hits + 64, runs) + 1)
    counted = window[window >= hits]
    return min(1.0, float(_masses(runs, counted, np.array([p])).sum()))


def _window(runs: int, low: float, high: float) -> npt.NDArray[np.int64]:
    """Counts within eight standard deviations and some more of the means of every probability in [low, high]."""
    spread = 8 * math.sqrt(
        runs * 0.25 if low <= 0.5 <= high else runs * max(low * (1 - low), high * (1 - high))
    )
    start, end = math.floor(runs * low - spread - 40), math.ceil(runs * high + spread + 40)
    return np.arange(max(start, 0), min(end, runs) + 1)


def _masses(runs: int, counts: npt.NDArray[np.int64], p: Floats) -> Floats:
    """Binomial probabilities, one row for each p and one column for each count."""
    inner = np.clip(p, _TINY, 1 - 1e-16)[:, None]
    ways = np.array([-math.lgamma(k + 1) - math.lgamma(runs - k + 1) for k in counts.tolist()])
    logs = math.lgamma(runs + 1) + ways + counts * np.log(inner) + (runs - counts) * np.log1p(-inner)
    return np.exp(logs)
