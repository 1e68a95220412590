"""What the rewritten SQL finds on two databases, and by how much one unit moves it."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from fractions import Fraction
from typing import assert_never, cast

import numpy as np

from dpsql.engines.base import Engine, EngineQuery, Exact, Key
from dpsql.engines.sqlgen.clipping.contributions import THRESHOLD
from dpsql.engines.sqlgen.engine_query import terms_of
from dpsql.errors import InternalError
from dpsql.mechanisms.partition.weighted_selection import MOST_GROUPS, key_weight
from dpsql.plan.choices.bins import starts
from dpsql.plan.rollup.grouping_set_sums import GroupingSetSums, places_of
from dpsql.plan.types import (
    Family,
    Histogram,
    Local,
    Modes,
    Part,
    Presence,
    Ranks,
    Release,
    ScaledScores,
    ScaledSums,
    Scores,
    Sum,
    Sums,
    Target,
)
from dpsql.privacy import Mechanism
from dpsql.release.draw.domain_check import check_complete
from dpsql.release.draw.perform import combined
from dpsql.release.draw.rank_choice import Counts, counts_by_group, mode_scores, statistic_scores
from dpsql.release.draw.reconcile import marginal_cells
from dpsql.release.prepared_query import PreparedQuery
from dpsql.slotted import dataclass

# For each part, the exact integers of each group, in the order of the groups or by key.
Found = tuple[tuple[Exact, ...], ...]


class Violated(Exception):
    """A promise did not hold on two neighbouring databases; the text says which."""


@dataclass(frozen=True, slots=True)
class Moved:
    """How far one part moved between neighbours, and what is claimed to be the most."""

    kind: str
    by: int
    claimed: int

    @property
    def ratio(self) -> float:
        """The movement as a part of the claim."""
        return self.by / self.claimed


def found(ready: PreparedQuery, engine: Engine) -> Found:
    """The exact integers of every part, of queries with their released inputs. Raises EngineFailed."""
    return tuple(tuple(engine.run(q) for q in queries) for queries in ready.queries)


def by_key(exact: Exact) -> dict[Key, tuple[int, ...]]:
    """The integers of each group; a key that occurs twice is a violation."""
    groups = {key: tuple(int(v) for v in row) for key, row in zip(exact.keys, exact.values, strict=True)}
    if len(groups) != len(exact.keys):
        raise Violated("a group occurs twice")
    return groups


def moved(ready: PreparedQuery, one: Found, other: Found) -> Iterator[Moved]:
    """By how much every part moved between two databases."""
    for release, queries, left, right in zip(ready.plan.releases, ready.queries, one, other, strict=True):
        for part, query, a, b in zip(release.parts, queries, left, right, strict=True):
            _check_listed(release, part, a, b)
            keys = release.keys.domain
            if isinstance(part, Ranks | Modes):
                yield from _choices(part, a, b)
                continue
            if keys is None or isinstance(part, Local | Presence | Histogram | ScaledSums | ScaledScores):
                keys = tuple({**by_key(a), **by_key(b)})
            elif isinstance(part, Sums) and not isinstance(part, GroupingSetSums):
                keys = tuple({**by_key(a), **by_key(b)})  # no others move
            x, y = _aligned(keys, a), _aligned(keys, b)
            if isinstance(part, Presence):
                yield _presence(part, x, y)
            elif isinstance(part, Histogram):
                yield Moved(
                    _by_law("histogram of units", part), _distance(part, x, y), part.noise.sensitivity(1)
                )
            elif isinstance(part, ScaledSums):
                yield _scaled(part, x, y, _threshold(query), release)
            elif isinstance(part, ScaledScores):
                yield _scaled_scores(part, x, y, query)
            elif isinstance(part, Scores):
                yield _scores(part, x, y)
            elif isinstance(part, Local):
                yield _local(x, y)
            elif isinstance(part, Sums):
                yield from _families(part, x, y, release)
            else:
                assert_never(part)


def _distance(part: Histogram | ScaledSums, x: np.ndarray, y: np.ndarray) -> int:
    """In L1, or in L2 squared."""
    power = 2 if part.noise.gaussian else 1
    return sum(abs(int(v)) ** power for v in (x - y).flat)


def _threshold(query: EngineQuery) -> int:
    threshold = dict(query.values)[THRESHOLD]
    assert isinstance(threshold, int)
    return threshold


def _scaled_scores(part: ScaledScores, x: np.ndarray, y: np.ndarray, query: EngineQuery) -> Moved:
    """By how much two candidates part, also one that no row speaks of."""
    change = [0, *(int(v) for v in (x - y).flat)]
    claimed = part.score_range(_threshold(query))
    return Moved(f"selection by scaled {part.term.sum}", max(change) - min(change), claimed)


def _by_law(kind: str, part: Histogram | ScaledSums) -> str:
    return f"gaussian {kind}" if part.noise.gaussian else kind


def _scaled(part: ScaledSums, x: np.ndarray, y: np.ndarray, threshold: int, release: Release) -> Moved:
    """By the noise that is drawn: of a Gaussian family the square that its variance and its rho stand for."""
    family = part.at(threshold)
    claimed = family.sensitivity
    if family.variance is not None:
        claimed = math.floor(2 * part.noise.budget * family.variance)
    return Moved(f"scaled {family_kind(part.family, release)}", _distance(part, x, y), claimed)


def _check_listed(release: Release, part: Part, *every: Exact) -> None:
    """A key outside of a complete domain would end the query on the one database and not on the other."""
    for exact in every:
        try:
            check_complete(release, part, exact)
        except InternalError as error:
            raise Violated(str(error)) from None


def _aligned(keys: tuple[Key, ...], exact: Exact) -> np.ndarray:
    groups = by_key(exact)
    nothing = (0,) * exact.values.shape[1]
    rows = [groups.get(key, nothing) for key in keys]
    return np.array(rows, dtype=object).reshape(len(keys), exact.values.shape[1])


def _families(part: Sums, x: np.ndarray, y: np.ndarray, release: Release) -> Iterator[Moved]:
    """Of chosen groups any could be the ones that one unit moves most."""
    chosen = next((p.count for p in release.parts if isinstance(p, Scores | ScaledScores)), None)
    places = {term: i for i, term in enumerate(terms_of(part))}
    for family in part.families:
        at = [places[t] for t in family.terms]
        change = combined(family, x[:, at]) - combined(family, y[:, at])
        moves = sorted((_size(family, cells) for cells in _changed(change)), reverse=True)
        squared = family.mechanism is Mechanism.DISCRETE_GAUSSIAN
        claimed = family.sensitivity**2 if squared else family.sensitivity
        yield Moved(family_kind(family, release), math.ceil(sum(moves[:chosen])), claimed)
    if isinstance(part, GroupingSetSums):
        yield from _levels(part, x, y, release)


def _levels(part: GroupingSetSums, x: np.ndarray, y: np.ndarray, release: Release) -> Iterator[Moved]:
    """The cells of every level, as they are handed to its noise."""
    assert release.keys.domain is not None
    at, terms = places_of(part.axes, release.keys.domain), terms_of(part)
    for i, family in enumerate(part.families):
        columns = [terms.index(t) for t in family.terms]
        before, after = (marginal_cells(part, combined(family, v[:, columns]), at) for v in (x, y))
        for (_, families), one, other in zip(part.released, before, after, strict=True):
            noised = families[i]
            change = (one - other).reshape(-1, len(family.cells))
            squared = noised.mechanism is Mechanism.DISCRETE_GAUSSIAN
            by = math.ceil(sum(_size(noised, cells) for cells in _changed(change)))
            claimed = noised.sensitivity**2 if squared else noised.sensitivity
            yield Moved("gaussian of a level" if squared else "sums of a level", by, claimed)


def _changed(change: np.ndarray) -> np.ndarray:
    """The groups of which any cell has moved: of very many, few have."""
    return cast(np.ndarray, change[(change != 0).any(axis=1)])


def _size(family: Family, change: np.ndarray) -> Fraction:
    """How far the cells of one group moved, in units of their widths: in L1, in L2 squared, or in boxes."""
    moves = [Fraction(abs(int(v)), family.width(i)) for i, v in enumerate(change)]
    if family.mechanism is Mechanism.CUBE:
        return Fraction(max(map(math.ceil, moves)))
    if family.mechanism is Mechanism.DISCRETE_GAUSSIAN:
        return sum((m * m for m in moves), Fraction(0))
    return sum(moves, Fraction(0))


def _scores(part: Scores, x: np.ndarray, y: np.ndarray) -> Moved:
    change = [int(v) for v in (x - y).flat]
    apart = max(change) - min(change) if change else 0
    return Moved(f"selection by {part.term.sum}", apart, part.score_range)


def _choices(part: Ranks | Modes, a: Exact, b: Exact) -> Iterator[Moved]:
    """By how much two candidates of a group part, added up over all groups: what the choices lose together."""
    groups = tuple({key[:-1]: None for key in (*by_key(a), *by_key(b))})
    if isinstance(part, Modes):
        before, after = (list(counts_by_group(groups, part.values[1:], e)) for e in (a, b))
        changes = [mode_scores(y) - mode_scores(x) for x, y in zip(before, after, strict=True)]
        yield Moved("choice by count", _apart(changes), part.score_range)
        return
    cells = [int(c) for c in starts(part.bins)[:-1]]
    _check_cells(cells, a, b)
    before, after = (list(counts_by_group(groups, cells, e)) for e in (a, b))
    for t in part.targets:
        changes = [_change(t, x, y) for x, y in zip(before, after, strict=True)]
        kind = "quantile" if 0 < t.level < 1 else "extreme"
        yield Moved(kind, _apart(changes), t.score_range)


def _change(target: Target, before: Counts, after: Counts) -> np.ndarray:
    scores = (statistic_scores(target, c).astype(object) for c in (after, before))
    return cast(np.ndarray, operator.sub(*scores))


def _apart(changes: list[np.ndarray]) -> int:
    return sum(int(d.max()) - int(d.min()) for d in changes)


def _check_cells(cells: list[int], *found: Exact) -> None:
    """Every value that is counted lies in a cell of the policy's."""
    releasable = {None, *cells}
    if any(key[-1] not in releasable for exact in found for key in exact.keys):
        raise Violated("a value was counted in a cell that the policy does not have")


def _local(x: np.ndarray, y: np.ndarray) -> Moved:
    """One row at most has other values: it leaves one combination of them and joins another."""
    change = [int(v) for v in (x - y).flat]
    if sum(change) != 0:
        raise Violated("neighbours have different numbers of rows, and each row is released")
    return Moved("rows one by one", sum(map(abs, change)), 2)


def _presence(part: Presence, x: np.ndarray, y: np.ndarray) -> Moved:
    change = [int(v) for v in (x - y).flat]
    if part.weights is not None:
        _check_new(part, [int(v) for v in x.flat], [int(v) for v in y.flat])
        _check_new(part, [int(v) for v in y.flat], [int(v) for v in x.flat])
        claimed = MOST_GROUPS * part.weights.neighbours.factor
        return Moved("weights of private keys", sum(v * v for v in change), claimed)
    if part.rows is not None:
        _check_new_rows(part, x, y)
        return Moved("rows of private keys", sum(map(abs, change)), part.rows)
    if any(abs(v) > 1 for v in change):
        raise Violated("one unit counts more than once in a group")
    return Moved("presence", sum(map(abs, change)), part.groups)


def _check_new(part: Presence, one: list[int], other: list[int]) -> None:
    """What only one database has is one unit's: so many groups, with no more weight than a unit in so many gives."""
    new = [w for w, elsewhere in zip(one, other, strict=True) if w and not elsewhere]
    if len(new) > part.groups:
        raise Violated("one unit is in more groups than the threshold is for")
    if new and max(new) > key_weight(len(new)):
        raise Violated("one unit has more weight in a group than the threshold is for")


def _check_new_rows(part: Presence, x: np.ndarray, y: np.ndarray) -> None:
    """What only one database has is one unit's: in so many groups, with so many rows in all."""
    assert part.rows is not None
    for one, other in ((x, y), (y, x)):
        new = [int(v) for v, elsewhere in zip(one.flat, other.flat, strict=True) if v and not elsewhere]
        if len(new) > part.groups or sum(new) > part.rows:
            raise Violated("one unit is in more groups, or has more rows, than the threshold is for")


def family_kind(family: Family, release: Release) -> str:
    """What a family is made of, for the table of how near its claim comes to being met."""
    sums = list(dict.fromkeys(t.sum for t in family.terms))
    if len({t.where for t in family.terms}) > 1 and family.mechanism is not Mechanism.CUBE:
        grouped = f" of disjoint rows{' of groups' if release.keys.exprs else ''}"
        return f"{'uneven sums' if family.widths else 'sums'}{grouped}"
    grouped = " of groups" if release.keys.exprs else ""
    grouped = " of chosen groups" if release.question.top is not None else grouped
    if family.mechanism is Mechanism.CUBE:
        return f"cube{grouped}"
    if family.mechanism is Mechanism.DISCRETE_GAUSSIAN:
        return f"gaussian{grouped}"
    if len(sums) == 1:
        grid = family.terms[0].grid
        total = " under a unit total" if grid is not None and grid.unit_total is not None else ""
        return f"{sums[0]}{total}{grouped}"
    if Sum.PRODUCT in sums:
        return f"products of two columns{grouped}"
    null = " with NULL" if Sum.ROWS in sums else ""
    return f"{'triple' if Sum.SQUARES in sums else 'pair'}{null}{grouped}"
