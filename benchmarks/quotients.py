"""How good the limits are that quotients find: their error over that under the best limit, for kinds of people.

python benchmarks/quotients.py
python benchmarks/quotients.py --groups 20 --runs 4000

The question is COUNT(*) FILTER (WHERE c) / COUNT(*) at epsilon 1, over the people of `clipping.py`, whose rows meet c
in one of four ways. A run draws a noisy histogram, takes its threshold and draws both counts; it errs by the mean over
the groups of |drawn - exact| / exact. A line has the median of that, over the median at the best power of two, which is
known for nothing and pays no histogram; and the same for the 90th percentile. `whole` is the rule of sums, which counts
all that is lost as error; `quotient` the one that counts an eighth.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from clipping import LAWS, PEOPLE, SEED, Budgets, Floats, Ints, budgets, geometric, in_groups

from dpsql.mechanisms import ExactSampler
from dpsql.mechanisms.clipping.clipping_threshold import OF_QUOTIENTS, WHOLE, clipping_threshold
from dpsql.mechanisms.clipping.unit_bins import Bins, bins_up_to, count_units, shift
from dpsql.privacy import Neighbours

RULES = {"whole": WHOLE, "quotient": OF_QUOTIENTS}
FEWEST, LOOSE = 300, 64


def alike(rows: Ints, rng: np.random.Generator) -> Floats:
    """A fifth of each person's rows."""
    return np.full(rows.size, 0.2)


def own(rows: Ints, rng: np.random.Generator) -> Floats:
    """A share of each person's own."""
    return rng.random(rows.size)


def rising(rows: Ints, rng: np.random.Generator) -> Floats:
    """10 to 40 %, more where there are more rows."""
    return 0.1 + 0.3 * ranks(rows)


def one_sided(rows: Ints, rng: np.random.Generator) -> Floats:
    """90 % for the tenth with most rows, 10 % for the others."""
    return np.where(ranks(rows) >= 0.9, 0.9, 0.1)


def ranks(rows: Ints) -> Floats:
    """The place of each person among all by the number of rows, from 0 to 1."""
    return np.argsort(np.argsort(rows, kind="stable"), kind="stable") / rows.size


SHARES: dict[str, Callable[[Ints, np.random.Generator], Floats]] = {
    "a fifth of each person's rows": alike,
    "each person's own share": own,
    "more of those with many rows": rising,
    "all heavy people on one side": one_sided,
}


@dataclass(frozen=True)
class Kind:
    """People of one kind: the bins and what is in them, and by threshold what scaling leaves of the cells."""

    bins: Bins
    counts: Ints
    left: dict[int, Floats]
    exact: Floats


def kinds(share: str, groups: int) -> Iterator[Kind]:
    """Those of `clipping.py` with enough people to have a share."""
    rng = np.random.default_rng(SEED)
    for people in PEOPLE:
        for law in LAWS.values() if people >= FEWEST else ():
            rows = np.maximum(law(people, rng), 1).astype(np.int64)
            yield measured(in_groups(rows, groups, rng), SHARES[share](rows, rng), rng)


def measured(placed: Ints, shares: Floats, rng: np.random.Generator) -> Kind:
    """The cells of people whose rows in groups meet the condition with probability `shares` each."""
    met = rng.binomial(np.minimum(placed, 2**31 - 1), shares[:, np.newaxis])
    sizes = placed.sum(axis=1) << shift(placed.shape[1])
    bins = bins_up_to(LOOSE * int(placed.sum(axis=1).max()), shift=shift(placed.shape[1]))
    scaled = float(1 << shift(placed.shape[1]))
    left = {}
    for tau in (1 << i for i in bins.powers):
        factor = scaled * np.minimum(1, tau / sizes)
        left[tau] = np.array([factor @ met, factor @ (placed - met)])
    whole = left[1 << bins.highest]
    return Kind(bins, count_units(sizes, bins=bins), left, whole[0] / whole.sum(axis=0))


def errors(kind: Kind, tau: int, epsilon: Fraction, draws: int, rng: np.random.Generator) -> Floats:
    """The mean over the groups of the relative error of a quotient, so many times."""
    noise = rng.laplace(0, tau / float(epsilon), (draws, *kind.left[tau].shape))
    cells = kind.left[tau] + noise
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.abs(cells[:, 0] / cells.sum(axis=1) - kind.exact) / kind.exact
    return np.nan_to_num(found, nan=np.inf).mean(axis=1)


def over_the_best(
    kind: Kind, groups: int, bias: Fraction, spent: Budgets, runs: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Median and 90th percentile of a rule's error, each over that at the best threshold for it."""
    found, sampler = [], ExactSampler()
    for _ in range(runs):
        noisy = spent.histogram.add(kind.counts, 1, sampler)
        tau = clipping_threshold(
            noisy,
            bins=kind.bins,
            groups=groups,
            histogram=spent.histogram,
            answer=spent.answer,
            row_weight=1,
            bias=bias,
        ).tau
        found.append(float(errors(kind, tau, spent.answer.budget, 1, rng)[0]))
    each = [errors(kind, tau, spent.whole.budget, runs, rng) for tau in kind.left]
    levels = [min(float(np.quantile(e, q)) for e in each) for q in (0.5, 0.9)]
    return float(np.median(found)) / levels[0], float(np.quantile(found, 0.9)) / levels[1]


def main() -> None:
    """Print a line for each way to meet the condition: geometric means over the kinds of people, and the worst kind."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--groups", type=int, choices=(1, 20), default=1)
    parser.add_argument("--runs", type=int, default=400)
    asked = parser.parse_args()
    spent, rng = budgets("laplace", Neighbours.ADD_REMOVE), np.random.default_rng(SEED)
    columns = " | ".join(f"{name}: median (worst), 90 %" for name in RULES)
    print(f"| share | {columns} |")
    print("| --- | ---: | ---: |")
    for share in SHARES:
        cells = []
        every = list(kinds(share, asked.groups))
        for bias in RULES.values():
            found = [over_the_best(k, asked.groups, bias, spent, asked.runs, rng) for k in every]
            medians, tails = [m for m, _ in found], [t for _, t in found]
            cells.append(f"{geometric(medians):.2f} ({max(medians):.3g}), {geometric(tails):.2f}")
        print(f"| {share} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
