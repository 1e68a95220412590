"""Sums that are fitted, by weighted least squares, to a draw of their own and to draws of the same rows before it.

An earlier draw by other keys says something of a release where both have keys in common: added up over its other keys,
its groups are those of the release added up over its own other keys. So it is a marginal of the table of the release.

*Requires*: each cell is the same exact sum over the same rows in both, every row stands in a group of each key that is
added up over, and all draws are independent.

*Guarantees*: a fitted cell has no bias, and `shown` is the law of its noise: that of a sum of independent noises. It
costs nothing: fitting is post-processing of draws that were paid for.

*Because*: the estimate is linear in the draws, each of which has the true sums as its mean, and its weights leave true
sums as they are (`marginals`, with the sources).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from dpsql.algebra.question import Question
from dpsql.algebra.shape import shape
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.derivation import has_all_rows
from dpsql.plan.independent_draws import LEAST_VARIANCE
from dpsql.plan.rollup.grouping_set_sums import Axis, Positions, axes_of, places_of, variances_of
from dpsql.plan.rollup.marginals import Axes, Marginals, noise_of
from dpsql.plan.types import Bounding, Family, Release, Sum, Sums, Term, blended
from dpsql.privacy import Mechanism
from dpsql.slotted import dataclass

MOST_GROUPS = 20_000
"""The most groups of a release that is fitted, and of one that it is fitted to."""
MOST_EARLIER = 16
"""The most earlier draws that one is fitted to."""
_ADDED = frozenset({Sum.ROWS, Sum.VALUES, Sum.TOTAL, Sum.SHIFTED, Sum.SQUARES, Sum.PRODUCT})
_INDEPENDENT = frozenset({Mechanism.DISCRETE_LAPLACE, Mechanism.DISCRETE_GAUSSIAN})
# A cell without its place: the rows that are summed, and how often each term counts.
_Content = tuple[Bounding, frozenset[tuple[Term, int]]]


@dataclass(frozen=True, slots=True)
class Marginal:
    """What an earlier release says of a cell: `cell` of its groups, added up over the keys that have no axis here.

    `earlier` is its place among those that are fitted to; `times` of its groups make one of the marginal over `axes`,
    each with the noise of the one cell of `noise`.
    """

    earlier: int
    cell: int
    axes: Axes
    times: int
    noise: Family


@dataclass(frozen=True, slots=True)
class FittedSums(Sums):
    """`families` are those of the draw; each of their cells, in order, is fitted to its `marginals`."""

    axes: tuple[Axis, ...] = ()
    marginals: tuple[tuple[Marginal, ...], ...] = ()

    def weighed(self, cell: int) -> Marginals:
        """The draw of a cell and then its marginals, as they are weighed against each other."""
        own = self.cells[cell]
        weights = [(m.axes, _variance(own) / (m.times * _variance(m.noise))) for m in self.marginals[cell]]
        every = tuple(range(len(self.axes)))
        return Marginals(tuple(a.size for a in self.axes), ((every, 1.0), *weights))

    @property
    def cells(self) -> tuple[Family, ...]:
        """Every cell as a family of its own, with the noise of the draw."""
        return tuple(_alone(f, i) for f in self.families for i in range(len(f.cells)))

    @property
    def shown(self) -> tuple[Family, ...]:
        """Every cell as a family of its own, with the noise that is left."""
        return self.rolled_up(tuple(p for a in self.axes for p in a.places), 1)

    def rolled_up(self, kept: tuple[int, ...], groups: int) -> tuple[Family, ...]:
        """The cells over the axes of the keys at the places kept, added up."""
        del groups
        return _fitted(self, tuple(i for i, a in enumerate(self.axes) if set(a.places) <= set(kept)))

    def side_by_side(self, copies: int, kept: tuple[int, ...] | None) -> Sums | None:
        """The cells of so many groups that are added up, with the law of all of their sum at the first of them.

        None unless they are all groups that agree on the keys of some axes: of those alone the law of a sum is known.
        """
        if kept is None:
            return None
        inside = {p for a in self.axes if set(a.places) <= set(kept) for p in a.places}
        if inside != set(kept):
            return None
        sums = self.rolled_up(kept, copies)
        silent = tuple(blended(f, ()) for f in sums)
        return Sums(self.bounding, (*sums, *silent * (copies - 1)))


@lru_cache(maxsize=256)
def _fitted(part: FittedSums, axes: Axes) -> tuple[Family, ...]:
    return tuple(blended(f, tuple(_noises(part, i, axes))) for i, f in enumerate(part.cells))


def _noises(part: FittedSums, cell: int, axes: Axes) -> Iterator[tuple[float, int, Family]]:
    sources = [(1, part.cells[cell]), *((m.times, m.noise) for m in part.marginals[cell])]
    for c in noise_of(part.weighed(cell), axes):
        times, noise = sources[c.released]
        yield c.factor, c.times * times, noise


def _alone(family: Family, cell: int) -> Family:
    widths = (family.widths[cell],) if family.widths else ()
    return replace(family, cells=(family.cells[cell],), widths=widths)


def _variance(cell: Family) -> float:
    (variance,) = variances_of(cell)
    return variance


def can_be_fitted(release: Release) -> bool:
    """Whether a release may be fitted to others, or others to it: sums of public groups under fixed limits."""
    q, domain = release.question, release.keys.domain
    if type(q) is not Question or q.top is not None or domain is None or len(set(q.keys)) < len(q.keys):
        return False
    return 0 < len(domain) <= MOST_GROUPS and all(type(p) is Sums for p in release.parts)


def fitted_release(
    release: Release, earlier: Sequence[Release], context: PlanContext
) -> tuple[Release, tuple[int, ...]] | None:
    """The release as it is fitted to earlier ones, and the places of those that say something of it; None for none.

    All are about the same relation, and have been found to be such as can be fitted; their draws are independent.
    """
    used: list[int] = []
    for at, other in enumerate(earlier):
        axes = _axes(release, [earlier[i] for i in (*used, at)])
        if axes is not None and _is_marginal(release, other, axes, context) and _common(release, other):
            used.append(at)
        if len(used) == MOST_EARLIER:
            break
    axes = _axes(release, [earlier[i] for i in used])
    if not used or axes is None:
        return None
    return _with_marginals(release, [earlier[i] for i in used], axes), tuple(used)


def shared_places(release: Release, other: Release) -> tuple[int, ...]:
    """The places of the keys of a release that another one has, too."""
    return tuple(i for i, key in enumerate(release.question.keys) if key in other.question.keys)


def _axes(release: Release, others: Sequence[Release]) -> tuple[Axis, ...] | None:
    """One axis for each key where the groups are all combinations of their values, else as few as the others need."""
    domain, every = release.keys.domain, tuple(range(len(release.question.keys)))
    assert domain is not None
    sets = (every, *(shared_places(release, o) for o in others))
    return axes_of((*sets, *((i,) for i in every)), domain) or axes_of(sets, domain)


def _is_marginal(release: Release, other: Release, axes: tuple[Axis, ...], context: PlanContext) -> bool:
    """Whether both releases have the same groups by the keys that they share, each of equally many, with all rows."""
    facts = shape(release.question.relation, context.catalog).facts()
    for one, another in ((release, other), (other, release)):
        for place, key in enumerate(one.question.keys):
            added = key not in another.question.keys
            if added and not has_all_rows(key, facts.of(key).nullable, place, one.keys.domain or ()):
                return False
    at = places_in_marginal(release, axes, _axes_at(axes, shared_places(release, other)), other)
    return at is not None and len(set(np.bincount(at).tolist())) == 1


def _axes_at(axes: tuple[Axis, ...], places: tuple[int, ...]) -> Axes:
    return tuple(i for i, a in enumerate(axes) if set(a.places) <= set(places))


def places_in_marginal(
    release: Release, axes: tuple[Axis, ...], over: Axes, other: Release
) -> Positions | None:
    """The place of each group of another release in the marginal of this one over some axes; None where some have none,
    or where the marginal has groups of which there is none."""
    domain, groups = release.keys.domain, other.keys.domain
    assert domain is not None and groups is not None
    sizes = tuple(axes[a].size for a in over)
    kept = [p for a in over for p in axes[a].places]
    own = np.zeros(len(domain), dtype=np.int64)
    if over:
        codes = np.unravel_index(places_of(axes, domain), tuple(a.size for a in axes))
        own = np.ravel_multi_index(tuple(codes[a] for a in over), sizes)
    place = {tuple(key[p] for p in kept): int(at) for key, at in zip(domain, own, strict=True)}
    theirs = [other.question.keys.index(release.question.keys[p]) for p in kept]
    found = [place.get(tuple(key[p] for p in theirs), -1) for key in groups]
    if -1 in found or set(found) != set(place.values()):
        return None
    return np.array(found, dtype=np.int64)


def _common(release: Release, other: Release) -> bool:
    return bool(_contents(release, LEAST_VARIANCE).keys() & _contents(other).keys())


def _contents(release: Release, least: int = 0) -> dict[_Content, tuple[int, Family]]:
    """What can be fitted of a release: each sum with its cell, and that as a family of its own, if it has the variance
    `least`. Sums that there are two of are left out, so that no noise counts twice."""
    by_content: dict[_Content, tuple[int, Family]] = {}
    twice: set[_Content] = set()
    at = 0
    for part in release.parts:
        assert isinstance(part, Sums)
        for family in part.families:
            for i in range(len(family.cells)):
                content = _content(part.bounding, family, i)
                if content is not None:
                    twice |= {content} & by_content.keys()
                    by_content[content] = at, _alone(family, i)
                at += 1
    return {c: f for c, f in by_content.items() if c not in twice and _variance(f[1]) >= least}


def _content(bounding: Bounding, family: Family, cell: int) -> _Content | None:
    terms = frozenset((t, n) for t, n in zip(family.terms, family.cells[cell], strict=True) if n)
    adds_up = bounding.groups is None and all(t.sum in _ADDED for t, _ in terms)
    if not adds_up or type(family) is not Family or family.mechanism not in _INDEPENDENT:
        return None
    return bounding, terms


def _with_marginals(release: Release, others: Sequence[Release], axes: tuple[Axis, ...]) -> Release:
    # Fits are whole numbers: where noise is small, rounding would be felt.
    contents = {cell: content for content, (cell, _) in _contents(release, LEAST_VARIANCE).items()}
    parts, first = [], 0
    for part in release.parts:
        assert isinstance(part, Sums)
        last = first + sum(len(f.cells) for f in part.families)
        cells = tuple(tuple(_marginals(contents.get(i), release, others, axes)) for i in range(first, last))
        parts.append(FittedSums(part.bounding, part.families, axes, cells) if any(cells) else part)
        first = last
    return replace(release, parts=tuple(parts))


def _marginals(
    content: _Content | None, release: Release, others: Sequence[Release], axes: tuple[Axis, ...]
) -> Iterator[Marginal]:
    for at, other in enumerate(others):
        found = _contents(other).get(content) if content is not None else None
        if found is not None:
            over = _axes_at(axes, shared_places(release, other))
            cells = 1
            for a in over:
                cells *= axes[a].size
            yield Marginal(at, found[0], over, len(other.keys.domain or ()) // cells, found[1])
