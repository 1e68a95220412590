"""Which marginals of a table to release, and with what shares of a budget, so that those asked for are off least.

What is made small is the mean over the marginals asked for of the variance of one of their cells, after all that is
released is reconciled (see `marginals`): each marginal counts the same. All of it is public, and only compares choices:
doubles are good enough; the shares that come out are exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from dpsql.plan.rollup.marginals import Axes, Floats, Marginals, closed, dimensions, within
from dpsql.slotted import dataclass

_PARTS = 200
"""Shares are whole numbers of one part in so many."""
_ROUNDS = 80
MOST_SETS = 20
"""The most marginals that are weighed against each other."""
# Several releases are used only where they are better by more than this.
_CLEARLY = 0.95
_NONE = 1e-12
# Laplace noise of a share s has the variance 1 / s**2, Gaussian noise 1 / s.
_POWERS = {False: 2, True: 1}
Shares = tuple[tuple[Axes, Fraction], ...]


def best_shares(
    sizes: tuple[int, ...], requested: Sequence[Axes], gaussian: bool, variance: Callable[[Fraction], float]
) -> Shares:
    """The shares of the marginals to release, which add up to 1; the table itself may be one that is not asked for.

    `variance` is that of the noise of one cell at a share, compared with that at the whole; with `gaussian` shares are
    of the inverse of the variance. The table has all of it where nothing else is clearly better.
    """
    table = tuple(range(len(sizes)))
    sets = tuple(dict.fromkeys((table, *requested)))
    space = _Space.of(sizes, sets, requested, _POWERS[gaussian])
    alone: Shares = ((table, Fraction(1)),)
    if space is None:
        return alone
    errors = ((space.error(shares, variance), shares) for shares in map(space.shares, space.starts()))
    least, best = min(errors, key=lambda f: f[0])
    return best if least < space.error(alone, variance) * _CLEARLY else alone


def marginals(sizes: tuple[int, ...], shares: Shares, gaussian: bool) -> Marginals:
    """The marginals as they are weighed against each other."""
    return Marginals(sizes, tuple((axes, float(s) ** _POWERS[gaussian]) for axes, s in shares))


@dataclass(frozen=True, slots=True, eq=False)
class _Space:
    """The error as a function of the shares: the sum over closed sets of needs / (spread @ share**power)."""

    sets: tuple[Axes, ...]
    requested: tuple[Axes, ...]
    power: int
    needs: Floats
    spread: Floats

    @classmethod
    def of(
        cls, sizes: tuple[int, ...], sets: tuple[Axes, ...], requested: Sequence[Axes], power: int
    ) -> _Space | None:
        every = closed(sets) if len(sets) <= MOST_SETS else None
        if every is None:
            return None

        def size(axes: Axes) -> float:
            return float(math.prod(sizes[a] for a in axes))

        whole = float(math.prod(sizes))
        held = within(every)[[every.index(s) for s in sets]]
        wanted = np.array([requested.count(s) * whole / size(s) ** 2 for s in sets])
        needs = dimensions(every, sizes) * (wanted @ held)
        return cls(sets, tuple(requested), power, needs, (held / [[size(s)] for s in sets]).T * whole)

    def error(self, shares: Shares, variance: Callable[[Fraction], float]) -> float:
        """The mean over the marginals asked for of the exact variance of one of their cells, however they weigh."""
        share_of = dict(shares)
        weights, each = np.zeros(len(self.sets)), np.zeros(len(self.sets))
        for at, axes in enumerate(self.sets):
            if axes in share_of:
                weights[at], each[at] = float(share_of[axes]) ** self.power, variance(share_of[axes])
        seen = self.spread @ weights
        off = np.divide(
            self.spread @ (weights**2 * each), seen**2, out=np.full(len(seen), np.inf), where=seen > 0
        )
        return float(self.needs[self.needs > 0] @ off[self.needs > 0]) / len(self.requested)

    def starts(self) -> tuple[Floats, ...]:
        """Every marginal alike, those asked for alone, and nearly all of it for the table."""
        alike = np.ones(len(self.sets))
        requested = np.array([1.0 if s in self.requested else _NONE for s in self.sets])
        table = np.array([10.0 * len(self.sets), *[1.0] * (len(self.sets) - 1)])
        return alike, requested, table

    def shares(self, start: Floats) -> Shares:
        """The shares to which steps lead from a start: in proportion to a root of what more of each would gain."""
        share = start / start.sum()
        for _ in range(_ROUNDS):
            reached = np.maximum(self.spread @ share**self.power, _NONE)
            gain = self.power * share ** (self.power - 1) * ((self.needs / reached**2) @ self.spread)
            share = share * gain ** (1 / (self.power + 1))
            share /= share.sum()
        return self._whole(share)

    def _whole(self, share: Floats) -> Shares:
        """Shares in whole parts, those of next to nothing left out; they add up to exactly 1."""
        parts = [round(_PARTS * float(s)) for s in share]
        most = parts.index(max(parts))
        parts[most] += _PARTS - sum(parts)
        return tuple((s, Fraction(n, _PARTS)) for s, n in zip(self.sets, parts, strict=True) if n > 0)
