"""How often `interval.total` holds the exact number, for the 25 kinds of people of benchmarks/clipping.py.

python benchmarks/totals.py
python benchmarks/totals.py --groups 1 --runs 2000

The question is COUNT(*) at epsilon 1 in 1 or 20 groups that are alike, under a limit that is found for it. Beside it
stand the 95 % interval of the noise, by how much the total is above it, how many runs have a total at all, and the
error of an answer that is moved up by half of that, as a multiple of the error of the answer as it is. The last line is
a set whose groups are not alike: 20 people with very much have one of 1,000 groups for themselves.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from clipping import LAWS, PEOPLE, SEED, Budgets, Floats, Ints, budgets, in_groups

from dpsql.mechanisms import ExactSampler
from dpsql.mechanisms.clipping.clipping_threshold import clipping_threshold
from dpsql.mechanisms.clipping.left_out import left_out
from dpsql.mechanisms.clipping.scaling import scaled
from dpsql.mechanisms.clipping.unit_bins import bins_up_to, count_units, shift, sizes
from dpsql.privacy import Neighbours
from dpsql.release.draw.thresholds import MANY_ROWS, MANY_UNITS
from dpsql.release.interval import Interval95
from dpsql.release.uncertainty.total_intervals import total


@dataclass(frozen=True)
class Held:
    """Of a run: whether the noise's interval and the total hold each group's number, how wide, the error if moved."""

    noise: float
    total: float
    room: float
    moved: float


def run(vectors: Ints, sampler: ExactSampler, rng: np.random.Generator, spent: Budgets) -> Held | None:
    """One answer; None where nothing is known of what is left out, so that there is no total."""
    groups = vectors.shape[1]
    bins = bins_up_to(64 * int(vectors.sum(axis=1).max()), shift=shift(groups))
    counts = count_units(sizes(vectors << shift(groups)), bins=bins)
    noisy = spent.histogram.add(counts, 1, sampler)
    found = clipping_threshold(
        noisy, bins=bins, groups=groups, histogram=spent.histogram, answer=spent.answer, row_weight=1
    )
    tau, unit = found.tau, float(1 << shift(groups))
    rate = float(spent.answer.rate(tau)) * unit
    exact = vectors.sum(axis=0).astype(float)
    kept = scaled(vectors << shift(groups), tau=tau).sum(axis=0).astype(float) / unit
    answers = kept + rng.laplace(0, 1 / rate, groups)
    answered = Fraction(0)
    if answers.sum() > MANY_ROWS or noisy[found.first :].sum() > MANY_UNITS:
        noisy[: found.first] = 0  # these are not told
        answered = Fraction(float(answers.sum() * unit)) if found.first else answered
    lost = left_out(noisy, bins=bins, tau=tau, histogram=spent.histogram, answered=answered)
    if lost is None:
        return None
    return held(answers, exact, math.log(20) / rate, float(lost))


def held(answers: Floats, exact: Floats, noise: float, lost: float) -> Held:
    """Shares of the groups."""
    spans = [total(Interval95(a - noise, a + noise), lost) for a in answers.tolist()]
    inside = [s.low <= e <= s.high for s, e in zip(spans, exact.tolist(), strict=True)]
    as_is = float(np.mean(np.abs(answers - exact)))
    moved = float(np.mean(np.abs(np.maximum(answers, 0) * (1 + lost / 2) - exact)))
    return Held(
        float(np.mean(np.abs(answers - exact) <= noise)), float(np.mean(inside)), 1 + lost, moved / as_is
    )


def sets(groups: int) -> Iterator[tuple[str, Ints]]:
    """25 sets whose groups are alike."""
    rng = np.random.default_rng(SEED)
    for people in PEOPLE:
        for name, law in LAWS.items():
            rows = np.maximum(law(people, rng), 1).astype(np.int64)
            yield f"{people:,} {name}", in_groups(rows, groups, rng)


def unlike() -> Ints:
    """999 groups of 20 people with 10 rows each, and one of 20 with 100,000 each."""
    vectors = np.zeros((20_000, 1_000), np.int64)
    people = np.arange(20_000)
    vectors[people, people // 20] = np.where(people < 20, 100_000, 10)
    return vectors


def main() -> None:
    """Print a line for each set, and the worst."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--groups", type=int, choices=(1, 20), default=20)
    parser.add_argument("--runs", type=int, default=500)
    asked = parser.parse_args()
    spent, sampler, rng = (
        budgets("laplace", Neighbours.ADD_REMOVE),
        ExactSampler(),
        np.random.default_rng(SEED),
    )
    print(
        "| people | runs with a total | 95 % interval of the noise | total | times as much | error if moved |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    every = []
    for name, vectors in sets(asked.groups):
        runs = max(asked.runs * 300 // (300 + len(vectors) // 100), 20)
        found = [f for _ in range(runs) if (f := run(vectors, sampler, rng, spent)) is not None]
        print(f"| {name} | {len(found) / runs:.0%} | {line(found)}")
        if len(found) > runs / 2:
            every.append(
                (float(np.mean([f.total for f in found])), float(np.median([f.moved for f in found])))
            )
    worse = sum(moved > 1 for _, moved in every)
    print(f"\nleast {min(t for t, _ in every):.1%}; a moved answer is worse in {worse} of {len(every)} sets")
    last = [run(unlike(), sampler, rng, spent) for _ in range(3)]
    print(
        "the group of 20 with very much is", "held" if all(f and f.total == 1 for f in last) else "not held"
    )


def line(found: Sequence[Held]) -> str:
    """The columns of a set."""
    if not found:
        return "| | | |"
    noise, inside = np.mean([f.noise for f in found]), np.mean([f.total for f in found])
    room, moved = np.median([f.room for f in found]), np.median([f.moved for f in found])
    return f"{noise:.1%} | {inside:.1%} | {room:.2f} | {moved:.2f} |"


if __name__ == "__main__":
    main()
