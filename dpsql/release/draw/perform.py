"""Exact integers in, noisy integers out: every part of a release meets its mechanism here and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import assert_never, cast

import numpy as np

from dpsql.algebra.expressions import LiteralValue
from dpsql.engines.base import Exact, Key
from dpsql.engines.sqlgen.clipping.contributions import DrawnBefore
from dpsql.engines.sqlgen.engine_query import terms_of
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.rollup.grouping_set_sums import GroupingSetSums
from dpsql.plan.types import (
    Family,
    Histogram,
    Local,
    Modes,
    Presence,
    Ranks,
    Release,
    ScaledScores,
    ScaledSums,
    Scores,
    Sums,
)
from dpsql.privacy import Mechanism
from dpsql.release.draw.domain_check import Run, checked_result
from dpsql.release.draw.local_responses import respond
from dpsql.release.draw.noise import FoundLimit, Integers, Noisy, noised
from dpsql.release.draw.rank_choice import modes, statistics
from dpsql.release.draw.reconcile import noised_by_grouping_set
from dpsql.release.draw.thresholds import (
    added_by_bins,
    find_limit,
    rows_counted,
    scores_under,
    told_limit,
)

_SAFE = 2**62


def perform(release: Release, run: Run, sampler: Sampler) -> Noisy:
    """Runs the parts of a release in order and noises what they find.

    Guarantees: the result depends on `run` only through `sampler`; its groups are those of the public domain, or
    those that partition selection kept, in an order that depends on the keys alone. A local release has a row for
    each private row instead. Raises InternalError where the engine gives a group that cannot be: before anything is
    drawn, but for what waits for it: histograms, scaled sums, and of private groups all but what they are kept by.
    """
    groups = release.keys.domain
    cells: list[Integers] = []
    limits: list[FoundLimit] = []
    scaled = [part for part in release.parts if isinstance(part, ScaledSums | ScaledScores)]
    others = [part for part in release.parts if not isinstance(part, ScaledSums | ScaledScores)]
    found = {part: checked_result(release, part, run) for part in others if not isinstance(part, Histogram)}
    for part in others:
        if isinstance(part, Histogram):
            assert groups is not None, "private keys are selected before anything else"
            groups, more, limit = _under_limit(release, part, scaled[len(limits)], groups, run, sampler)
            cells += more
            limits.append(limit)
            continue
        exact = found[part]
        if isinstance(part, Local):
            return respond(part, exact, sampler)
        if isinstance(part, Presence):
            groups, counts = _kept(part, exact, sampler)
            cells += counts
            continue
        assert groups is not None, "private keys are selected before anything else"
        if isinstance(part, Scores):
            groups = _selected(part, groups, exact, sampler)
        elif isinstance(part, Ranks):
            cells.append(statistics(part, groups, exact, sampler))
        elif isinstance(part, Modes):
            cells.append(modes(part, groups, exact, sampler))
        elif isinstance(part, Sums):
            cells += _noised(part, groups, exact, sampler)
        else:
            assert_never(part)
    assert groups is not None
    return Noisy(groups, joined(cells, len(groups)), tuple(limits))


def _under_limit(
    release: Release,
    part: Histogram,
    wanted: ScaledSums | ScaledScores,
    groups: tuple[Key, ...],
    run: Run,
    sampler: Sampler,
) -> tuple[tuple[Key, ...], list[Integers], FoundLimit]:
    """What is scaled to the limit that the histogram leads to: the groups that are chosen, or sums; and that limit.

    The units that own most are asked for first, and all where these are not enough.
    """
    drawn = DrawnBefore(kept=_columns(release, groups) if release.keys.domain is None else ())
    of_largest = replace(drawn, largest=True)
    every = partial(checked_result, release, part, run, drawn)
    largest = checked_result(release, part, run, of_largest)
    found, enough = find_limit(part, wanted, largest, every, len(groups), sampler)
    under = replace(of_largest if enough else drawn, threshold=found.threshold.tau)
    if isinstance(wanted, ScaledScores):
        groups = _best(release, wanted, groups, run, under, sampler)
        return groups, [], told_limit(part, found, None, every, sampler)
    exact = _scaled(release, part, wanted, groups, largest, run, under)
    sums = noised(wanted.at(found.threshold.tau), exact, sampler)
    return groups, [sums], told_limit(part, found, rows_counted(wanted, sums), every, sampler)


def _scaled(
    release: Release,
    histogram: Histogram,
    part: ScaledSums,
    groups: tuple[Key, ...],
    largest: Exact,
    run: Run,
    under: DrawnBefore,
) -> Integers:
    """The sums of contributions scaled to a threshold; what the largest units told of them is not asked again."""
    assert under.threshold is not None
    added = added_by_bins(histogram, largest, under.threshold) if under.largest else None
    if added is None:
        return _aligned(groups, checked_result(release, part, run, under))
    every = checked_result(release, part, run, replace(under, threshold=None, unscaled=True))
    return (every.values.astype(object) << histogram.clipping.shift) + added


def _columns(release: Release, groups: tuple[Key, ...]) -> tuple[tuple[LiteralValue, ...], ...]:
    """The keys of the groups that are kept, column by column."""
    return tuple(tuple(key[i] for key in groups) for i in range(len(release.keys.exprs)))


def _best(
    release: Release,
    part: ScaledScores,
    groups: tuple[Key, ...],
    run: Run,
    drawn: DrawnBefore,
    sampler: Sampler,
) -> tuple[Key, ...]:
    """The groups that are chosen by scaled scores, with D_R for their threshold."""
    assert drawn.threshold is not None
    exact = checked_result(release, part, run, drawn)
    return _selected(scores_under(part, drawn.threshold), groups, exact, sampler)


def joined(cells: list[Integers], groups: int) -> Integers:
    """The cells of all families side by side (groups x cells)."""
    return cast(Integers, np.hstack(cells)) if cells else np.zeros((groups, 0), dtype=np.int64)


def _kept(part: Presence, exact: Exact, sampler: Sampler) -> tuple[tuple[Key, ...], list[Integers]]:
    """The keys that are kept, in the order of the keys themselves, and their noisy numbers where they are counted."""
    order = sorted(range(len(exact.keys)), key=lambda i: tuple(_sortable(v) for v in exact.keys[i]))
    units = exact.values[order, 0].astype(np.int64) if order else np.zeros(0, dtype=np.int64)
    if part.counted:
        passed = sampler.laplace_thresholding(
            units,
            epsilon=part.epsilon,
            delta=part.delta,
            groups_per_unit=part.groups,
            rows_per_unit=part.rows,
        )
        counts = cast(Integers, np.asarray(passed.counts).reshape(-1, 1))
        return tuple(exact.keys[order[i]] for i in passed.groups), [counts]
    if part.weights is not None:
        law = {"rho": part.weights.rho, "delta": part.weights.tail}
        shown = sampler.select_by_weights(
            units, **law, groups_per_unit=part.groups, neighbours=part.weights.neighbours
        )
        return tuple(exact.keys[i] for i, keep in zip(order, shown, strict=True) if keep), []
    kept = sampler.select_partitions(
        units, epsilon=part.epsilon, delta=part.delta, groups_per_unit=part.groups
    )
    return tuple(exact.keys[i] for i, keep in zip(order, kept, strict=True) if keep), []


def _sortable(value: object) -> tuple[bool, str, object]:
    return (value is None, type(value).__name__, "" if value is None else value)


def _selected(part: Scores, groups: tuple[Key, ...], exact: Exact, sampler: Sampler) -> tuple[Key, ...]:
    """The chosen groups in the order of choice: each among those that the choices before have left."""
    scores = _aligned(groups, exact)[:, 0] * (1 if part.descending else -1)
    exponential = part.mechanism is Mechanism.EXPONENTIAL
    choose = sampler.exponential_mechanism if exponential else sampler.permute_and_flip
    left = np.arange(len(groups))
    chosen = []
    for _ in range(min(part.count, len(groups))):
        at = choose(scores[left], epsilon=part.each, score_range=part.score_range)
        chosen.append(groups[left[at]])
        left = np.delete(left, at)
    return tuple(chosen)


def _noised(part: Sums, groups: tuple[Key, ...], exact: Exact, sampler: Sampler) -> list[Integers]:
    """The cells of every family, each with its own noise."""
    cells = exact_cells(part, groups, exact)
    if isinstance(part, GroupingSetSums):
        return noised_by_grouping_set(part, groups, cells, sampler)
    return [noised(f, c, sampler) for f, c in zip(part.families, cells, strict=True)]


def exact_cells(part: Sums, groups: tuple[Key, ...], exact: Exact) -> tuple[Integers, ...]:
    """The exact cells of every family over the groups."""
    values = _aligned(groups, exact)
    columns = {term: i for i, term in enumerate(terms_of(part))}
    return tuple(combined(f, values[:, [columns[t] for t in f.terms]]) for f in part.families)


def combined(family: Family, values: Integers) -> Integers:
    """The exact cells of a family from its terms (groups x terms); Python integers where 64 bits could overflow."""
    matrix = np.array(family.cells, dtype=object).T
    weight = max(sum(abs(c) for c in cell) for cell in family.cells)
    largest = max((abs(int(values.max())), abs(int(values.min()))), default=0) if values.size else 0
    if values.dtype != object and max(largest, 1) * weight < _SAFE:
        small: Integers = values @ matrix.astype(np.int64)
        return small
    exact: Integers = values.astype(object) @ matrix
    return exact


def _aligned(groups: tuple[Key, ...], exact: Exact) -> Integers:
    """The engine's rows in the order of the groups: zeros for a group without rows.

    Rows of other groups are those that a selection did not keep: `checked_result` lets no others pass.
    """
    place = {key: i for i, key in enumerate(groups)}
    at = np.array([place.get(key, -1) for key in exact.keys], dtype=np.int64)
    aligned: Integers = np.zeros((len(groups), exact.values.shape[1]), dtype=exact.values.dtype)
    aligned[at[at >= 0]] = exact.values[at >= 0]
    return aligned
