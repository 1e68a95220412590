"""Order statistics and modes: exact counts in, one private choice for each group and statistic out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from dpsql.algebra.expressions import LiteralValue
from dpsql.engines.base import Exact, Key
from dpsql.mechanisms.sampler import Sampler
from dpsql.mechanisms.selection.order_statistic import ABSENT, candidate_masses, candidate_scores
from dpsql.plan.choices.bins import middles, starts
from dpsql.plan.types import Modes, Ranks, Target

Counts = npt.NDArray[np.int64]


def statistics(part: Ranks, groups: tuple[Key, ...], exact: Exact, sampler: Sampler) -> Counts:
    """For each group and target 0 for NULL, else 1 + the chosen cell's middle, counted from the grid's lo."""
    cells = [int(c) for c in starts(part.bins)[:-1]]
    answers = np.concatenate(([0], 1 + middles(part.bins) - part.bins.grid.lo))
    masses = candidate_masses(len(cells))
    counted = counts_by_group(groups, cells, exact)
    places = [_in_order([_statistic(t, c, masses, sampler) for t in part.targets], part) for c in counted]
    chosen = np.array(places, dtype=np.int64).reshape(len(groups), len(part.targets))
    return np.asarray(answers[chosen], dtype=np.int64)


def _in_order(chosen: list[int], part: Ranks) -> list[int]:
    """The chosen cells put in order, which is free: quantiles by level, MIN and MAX around them; NULL stays NULL.

    MIN and MAX aim inside the data, so that a quantile near an end may be further out: they take it then.
    """
    levels = [target.level for target in part.targets]
    drawn = [cell for cell in chosen if cell != 0]
    inner = [i for i, cell in enumerate(chosen) if cell != 0 and 0 < levels[i] < 1]
    by_level = sorted(inner, key=lambda i: levels[i])
    ordered = dict(zip(by_level, sorted(chosen[i] for i in inner), strict=True))
    ends = {0: min(drawn, default=0), 1: max(drawn, default=0)}
    return [ordered.get(i, ends.get(int(levels[i]), 0)) if cell != 0 else 0 for i, cell in enumerate(chosen)]


def modes(part: Modes, groups: tuple[Key, ...], exact: Exact, sampler: Sampler) -> Counts:
    """For each group the place of the chosen value; the first of them weighs as NULL does in a statistic."""
    masses = [ABSENT * max(len(part.values) - 1, 1), *[1] * (len(part.values) - 1)]
    counted = counts_by_group(groups, part.values[1:], exact)
    places = [
        sampler.exponential_mechanism(
            mode_scores(c), epsilon=part.epsilon, score_range=part.score_range, weights=masses
        )
        for c in counted
    ]
    return np.array(places, dtype=np.int64).reshape(len(groups), 1)


def statistic_scores(target: Target, counts: Counts) -> npt.NDArray[np.generic]:
    """The scores of NULL and of each cell in one group."""
    below = np.concatenate(([0], np.cumsum(counts)))
    return candidate_scores(below, q=target.level, inside=max(target.inside, 1))


def mode_scores(counts: Counts) -> Counts:
    """The scores of what is said over no rows, and of each value."""
    return np.concatenate((np.zeros(1, dtype=np.int64), counts))


def counts_by_group(groups: Sequence[Key], values: Sequence[LiteralValue], exact: Exact) -> Iterator[Counts]:
    """How often each value was counted in each group; what a mode is over no rows is not counted."""
    place = {value: i for i, value in enumerate(values)}
    rows: dict[Key, list[tuple[int, int]]] = {}
    for key, count in zip(exact.keys, exact.values[:, 0], strict=True):
        if key[-1] in place:
            rows.setdefault(key[:-1], []).append((place[key[-1]], int(count)))
    for group in groups:
        counts = np.zeros(len(values), dtype=np.int64)
        for at, count in rows.get(group, ()):
            counts[at] += count
        yield counts


def _statistic(target: Target, counts: Counts, masses: list[int], sampler: Sampler) -> int:
    return sampler.exponential_mechanism(
        statistic_scores(target, counts),
        epsilon=target.epsilon,
        score_range=target.score_range,
        weights=masses,
    )
